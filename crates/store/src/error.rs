//! Saying what was being done when something below failed.

use std::error::Error;

use deskhand_core::{StoreError, StoreResult};

/// Turns any error into a [`StoreError`] whose action reads after "cannot".
pub(crate) trait Doing<T> {
    fn doing<S: Into<String>>(self, action: impl FnOnce() -> S) -> StoreResult<T>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> Doing<T> for Result<T, E> {
    fn doing<S: Into<String>>(self, action: impl FnOnce() -> S) -> StoreResult<T> {
        self.map_err(|error| StoreError::new(action(), error))
    }
}
