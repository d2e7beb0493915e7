//! Which threads?

use crate::types::Error;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// Threads that are started when they are first needed, and started again in a forked process: the threads of
/// its parent do not run there, and waiting for them would never end.
#[derive(Default)]
pub(super) struct Threads {
    /// How many; 0 means as many as the machine has cores, which is rayon's rule.
    count: usize,
    started: Mutex<Option<(u32, Arc<ThreadPool>)>>,
}

impl Threads {
    /// This many threads, at least one.
    pub(super) fn of(count: usize) -> Self {
        Self { count: count.max(1), started: Mutex::default() }
    }

    /// The threads of this process.
    pub(super) fn threads(&self) -> Result<Arc<ThreadPool>, Error> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let here = std::process::id();
        if let Some((process, pool)) = &*started
            && *process == here
        {
            return Ok(Arc::clone(pool));
        }
        let pool =
            ThreadPoolBuilder::new().num_threads(self.count).thread_name(|number| format!("qcrs-{number}"));
        let pool = pool.build().map_err(|error| Error::Invalid(format!("cannot start threads: {error}")))?;
        let pool = Arc::new(pool);
        if let Some((_, of_the_parent)) = started.replace((here, Arc::clone(&pool))) {
            // dropping them would wait for threads that do not exist here
            std::mem::forget(of_the_parent);
        }
        Ok(pool)
    }
}
