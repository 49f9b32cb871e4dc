//! Waiting for what happens elsewhere.

use std::time::{Duration, Instant};

/// No wait of a test is longer.
pub const PATIENCE: Duration = Duration::from_mins(1);

const EVERY: Duration = Duration::from_millis(10);

/// The answer of a look: whether it is there, or the thing itself.
pub trait Look {
    type Found;

    fn found(self) -> Option<Self::Found>;
}

impl Look for bool {
    type Found = ();

    fn found(self) -> Option<()> {
        self.then_some(())
    }
}

impl<T> Look for Option<T> {
    type Found = T;

    fn found(self) -> Self {
        self
    }
}

/// Looks until it is there. `what` names it if it never comes.
///
/// # Panics
/// After [`PATIENCE`].
pub async fn until<L: Look, F: Future<Output = L>>(what: &str, mut look: impl FnMut() -> F) -> L::Found {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await.found() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "timed out waiting: {what}");
        tokio::time::sleep(EVERY).await;
    }
}

/// The same, on a thread that may block.
///
/// # Panics
/// After [`PATIENCE`].
pub fn block_until<L: Look>(what: &str, mut look: impl FnMut() -> L) -> L::Found {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().found() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "timed out waiting: {what}");
        std::thread::sleep(EVERY);
    }
}
