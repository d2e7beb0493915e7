//! How is work spread over threads whose results are written in order?

use super::queue::{CloseOnPanic, Queue};
use crate::types::Error;
use std::collections::BTreeMap;
use std::sync::mpsc;

/// Does `work` for the positions below `count`, at most `in_flight` at a time, and gives the results to
/// `write` in order, each with the seconds that it took. Stops at the first error of either; what came before
/// it was written.
pub(crate) fn in_order<T: Send>(
    count: usize,
    in_flight: usize,
    work: impl Fn(usize) -> Result<T, Error> + Sync,
    mut write: impl FnMut(T, f64) -> Result<(), Error>,
) -> Result<(), Error> {
    let queue = Queue::new(count, in_flight.max(1));
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..in_flight.clamp(1, count.max(1)) {
            let (send, queue, work) = (send.clone(), &queue, &work);
            scope.spawn(move || {
                let _guard = CloseOnPanic(queue);
                while let Some(position) = queue.take() {
                    let result = work(position);
                    let seconds = queue.finish(position);
                    if send.send((position, result, seconds)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let written = write_all(&receive, &queue, &mut write);
        queue.close(); // after an error no worker needs to begin another position
        written
    })
}

fn write_all<T>(
    receive: &mpsc::Receiver<(usize, Result<T, Error>, f64)>,
    queue: &Queue,
    write: &mut impl FnMut(T, f64) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Ok((position, result, seconds)) = receive.recv() {
        waiting.insert(position, (result, seconds));
        while let Some((result, seconds)) = waiting.remove(&next) {
            write(result?, seconds)?;
            next += 1;
            queue.written(next);
        }
    }
    Ok(())
}
