//! What a session leaves behind, and how it goes: for whoever ends sessions and does not know what they had.

use std::{future::Future, pin::Pin};

/// Something that sessions have, and that is not to outlive them. A service, as `Arc<dyn SessionEnd>`.
pub trait SessionEnd: Send + Sync {
    /// A session is over: what it had is ended.
    fn session_ended<'a>(&'a self, session_id: &'a str) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}
