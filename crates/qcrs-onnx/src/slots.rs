//! Which of the engine's workers is free?

use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, PoisonError};

/// A fixed set of workers; each serves one call at a time.
pub(crate) struct Slots<T> {
    free: Mutex<Vec<T>>,
    returned: Condvar,
}

impl<T> Slots<T> {
    pub(crate) fn new(workers: Vec<T>) -> Self {
        Self { free: Mutex::new(workers), returned: Condvar::new() }
    }

    /// Waits until a worker is free. The caller must not take part in other work while it holds one (rayon's
    /// `install` would), or it could wait for itself.
    pub(crate) fn take(&self) -> Taken<'_, T> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(worker) = free.pop() {
                return Taken { worker: Some(worker), slots: self };
            }
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A worker in use; it is returned when dropped.
pub(crate) struct Taken<'a, T> {
    worker: Option<T>, // None only while dropping
    slots: &'a Slots<T>,
}

impl<T> Deref for Taken<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.worker.as_ref().expect("held until dropped")
    }
}

impl<T> DerefMut for Taken<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.worker.as_mut().expect("held until dropped")
    }
}

impl<T> Drop for Taken<'_, T> {
    fn drop(&mut self) {
        let mut free = self.slots.free.lock().unwrap_or_else(PoisonError::into_inner);
        free.extend(self.worker.take());
        self.slots.returned.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    #[test]
    fn no_more_calls_at_once_than_workers() {
        let (slots, now, most) = (Slots::new(vec![(); 2]), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _worker = slots.take();
                        most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, SeqCst);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 2);
        assert_eq!(slots.free.into_inner().unwrap().len(), 2);
    }
}
