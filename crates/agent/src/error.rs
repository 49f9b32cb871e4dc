//! Why a turn could not be begun, or something about a session not be done.

use deskhand_core::session::SessionError;

use crate::provider::ProviderError;

#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The request itself makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// Something of our own does not work.
    #[error("{0}")]
    Broken(String),
}
