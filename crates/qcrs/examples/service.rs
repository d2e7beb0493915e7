//! A long-lived owner: one certifier for many requests, each with progress and cancellation of its own.
//!
//! ```text
//! cargo run --release -p qcrs --example service
//! ```

use qcrs::sample::from_fn;
use qcrs::{Certificate, Certifier, Error, Method, Progress, Seed, Sigma};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

/// What a web server would keep in its state.
struct Service {
    certifier: Certifier,
}

/// A request under way.
struct Request {
    cancelled: Arc<AtomicBool>,
    passes: Arc<AtomicU64>,
    answer: JoinHandle<Result<Certificate, Error>>,
}

impl Service {
    /// Begins a request on a thread of its own; the classifier and the threads that run it are shared.
    fn begin(&self, image: Vec<f32>) -> Result<Request, Error> {
        let (cancelled, passes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let counter = Arc::clone(&passes);
        let certifier = self
            .certifier
            .clone()
            .until(Arc::clone(&cancelled))
            .on_progress(move |progress: &Progress<'_>| counter.store(progress.passes, Relaxed));
        // others choose the images, so the noise must not be known beforehand
        let seed = Seed::secret()?;
        let answer = thread::spawn(move || certifier.certify(&image, seed));
        Ok(Request { cancelled, passes, answer })
    }
}

impl Request {
    fn wait(self) -> Result<Certificate, Error> {
        self.answer.join().expect("a request does not panic")
    }
}

fn main() -> Result<(), Error> {
    let brighter = from_fn(2, 2, |batch: &[f32], scores: &mut [f32]| {
        scores.copy_from_slice(batch);
        Ok(())
    });
    let certifier = Certifier::new(brighter, Method::probe(Sigma::new(0.25)?)?).threads(2);
    println!(
        "a request takes at most {} forward passes",
        certifier.most_passes().expect("probe has a limit")
    );
    let service = Service { certifier };

    let first = service.begin(vec![0.2, 0.8])?;
    let second = service.begin(vec![0.6, 0.4])?;
    let third = service.begin(vec![0.8, 0.2])?;
    second.cancelled.store(true, Relaxed); // the client went away

    let passes = Arc::clone(&first.passes);
    println!("first:  {} after {} passes", first.wait()?, passes.load(Relaxed));
    match second.wait() {
        Err(Error::Interrupted) => println!("second: cancelled"),
        finished => println!("second: {} before it could be cancelled", finished?),
    }
    println!("third:  {}", third.wait()?);
    Ok(())
}
