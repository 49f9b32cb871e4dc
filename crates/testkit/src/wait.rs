//! Waiting for what happens elsewhere.

use std::time::{Duration, Instant};

/// No wait of a test is longer.
pub const PATIENCE: Duration = Duration::from_mins(1);

const EVERY: Duration = Duration::from_millis(10);

/// Waits until `there` finds something.
///
/// # Panics
/// After [`PATIENCE`].
pub async fn until<T>(mut there: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "it never comes");
        tokio::time::sleep(EVERY).await;
    }
}

/// The same, on a thread that may block.
///
/// # Panics
/// After [`PATIENCE`].
pub fn block_until<T>(mut there: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = there() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "it never comes");
        std::thread::sleep(EVERY);
    }
}
