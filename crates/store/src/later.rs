//! Work that may wait a little, on a thread of its own: asked for often, it is done once for all of them.

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// A thread that does one kind of work. It starts with the first request, and ends with this, once what was asked for is done.
pub(crate) struct Later {
    shared: Arc<Shared>,
    name: &'static str,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// What became of the work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Done,
    /// It could not be done now: it is tried again.
    NotYet,
}

struct Shared {
    work: Box<dyn Fn() -> Work + Send + Sync>,
    /// How long it waits for further requests.
    after: Duration,
    wanted: AtomicBool,
    hurried: AtomicBool,
    stopping: Mutex<bool>,
    wake: Condvar,
}

impl Later {
    pub fn new(name: &'static str, after: Duration, work: impl Fn() -> Work + Send + Sync + 'static) -> Self {
        let shared = Shared {
            work: Box::new(work),
            after,
            wanted: AtomicBool::new(false),
            hurried: AtomicBool::new(false),
            stopping: Mutex::new(false),
            wake: Condvar::new(),
        };
        Self { shared: Arc::new(shared), name, thread: Mutex::default() }
    }

    /// Asks for it. Costs next to nothing where it was asked for already.
    pub fn soon(&self) {
        if self.shared.wanted.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new().name(self.name.to_owned()).spawn(move || shared.run());
            // Without it the work is done at the end.
            *thread = started.inspect_err(|error| tracing::warn!(%error, "no thread for {}", self.name)).ok();
        }
        self.shared.wake();
    }

    /// What was asked for is wanted at once.
    pub fn hasten(&self) {
        if self.shared.wanted.load(Ordering::Acquire) {
            self.shared.hurried.store(true, Ordering::Release);
            self.shared.wake();
        }
    }
}

impl Drop for Later {
    fn drop(&mut self) {
        *lock(&self.shared.stopping) = true;
        self.shared.wake.notify_one();
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
        // There was no thread, or it has had no luck.
        if self.shared.wanted.load(Ordering::Acquire) {
            self.shared.attempt();
        }
    }
}

impl Shared {
    fn wake(&self) {
        // Between a look and its sleep the thread holds this: it misses nothing.
        drop(lock(&self.stopping));
        self.wake.notify_one();
    }

    /// Work that breaks down is not tried again, and the next request finds the thread as it was.
    fn attempt(&self) -> Work {
        std::panic::catch_unwind(AssertUnwindSafe(&self.work)).unwrap_or(Work::Done)
    }

    fn run(&self) {
        let mut stopping = lock(&self.stopping);
        loop {
            let idle = |stopping: &mut bool| !*stopping && !self.wanted.load(Ordering::Acquire);
            stopping = self.wake.wait_while(stopping, idle).unwrap_or_else(PoisonError::into_inner);
            let may_wait = |stopping: &mut bool| !*stopping && !self.hurried.load(Ordering::Acquire);
            let waited = self.wake.wait_timeout_while(stopping, self.after, may_wait);
            stopping = waited.unwrap_or_else(PoisonError::into_inner).0;
            // Cleared first: what is asked for from here on is done anew.
            self.hurried.store(false, Ordering::Release);
            if self.wanted.swap(false, Ordering::AcqRel) {
                drop(stopping);
                if self.attempt() == Work::NotYet {
                    self.wanted.store(true, Ordering::Release);
                }
                stopping = lock(&self.stopping);
            }
            if *stopping {
                return;
            }
        }
    }
}

/// What a lock guards here is valid after every single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const NEVER: Duration = Duration::from_hours(1);
    const LONG: Duration = Duration::from_mins(1);

    fn told(after: Duration) -> (Later, mpsc::Receiver<()>) {
        let (tell, told) = mpsc::channel();
        let work = move || {
            let _ = tell.send(());
            Work::Done
        };
        (Later::new("test", after, work), told)
    }

    #[test]
    fn work_is_done_by_itself_each_time_it_is_asked_for() {
        let (later, told) = told(Duration::from_millis(1));
        for _ in 0..3 {
            later.soon();
            told.recv_timeout(LONG).unwrap();
        }
    }

    #[test]
    fn what_is_hastened_is_not_waited_for_and_is_done_once_for_all() {
        let (later, told) = told(NEVER);
        (0..100).for_each(|_| later.soon());
        later.hasten();
        told.recv_timeout(LONG).unwrap();
        // Nothing is asked for: there is nothing to hasten.
        later.hasten();
        later.soon();
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
    }

    #[test]
    fn what_could_not_be_done_is_tried_again() {
        let (tell, told) = mpsc::channel();
        let tries = AtomicBool::new(false);
        let work = move || {
            let again = tries.swap(true, Ordering::AcqRel);
            let _ = tell.send(again);
            if again { Work::Done } else { Work::NotYet }
        };
        let later = Later::new("test", Duration::from_millis(1), work);
        later.soon();
        assert_eq!([told.recv_timeout(LONG), told.recv_timeout(LONG)], [Ok(false), Ok(true)]);
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err(), "once it is done it is done");
    }

    #[test]
    fn work_that_breaks_down_is_done_the_next_time() {
        let (tell, told) = mpsc::channel();
        let broken = AtomicBool::new(false);
        let work = move || {
            let _ = tell.send(());
            assert!(broken.swap(true, Ordering::AcqRel), "breaks down once");
            Work::Done
        };
        let later = Later::new("test", Duration::from_millis(1), work);
        for _ in 0..2 {
            later.soon();
            told.recv_timeout(LONG).unwrap();
        }
    }

    #[test]
    fn the_end_does_what_was_asked_for() {
        let (later, told) = told(NEVER);
        drop(later);
        assert!(told.try_recv().is_err(), "nothing was");
        let (later, told) = self::told(NEVER);
        later.soon();
        drop(later);
        told.try_recv().unwrap();
    }
}
