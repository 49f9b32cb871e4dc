//! Models behind one trait.
//!
//! A [`Provider`] takes a [`ModelRequest`], passes on what arrives as it arrives ([`Delta`]), and returns the whole
//! [`Reply`]. What servers do differently, and wrongly, ends here: ids that are missing or come twice, arguments that
//! are an object instead of a text, errors inside a stream. A reply is well formed or it is a [`ProviderError`].
//!
//! | module | what lives there |
//! |---|---|
//! | [`models`] | `PROVIDER/NAME`, and how it becomes a [`Provider`] |
//! | [`presets`] | what is known of providers and models beforehand |
//! | [`discover`] | servers on this machine, and lists of models |
//! | [`problem`], [`trial`] | what a person can fix about a model, and trying one out |
//! | [`keys`], [`key_store`], [`keyring`] | keys and their rotation, where they are found and kept, the system's keyring |
//! | [`retry`] | when is asked again, and how long is waited |
//! | [`fallback`] | a second model for when the first fails |
//! | [`Discreet`] | a model for users who must not see the owner's addresses |
//! | [`scripted`], [`replay`] | answers from a file: written by hand, or recorded |
//! | `openai`, `anthropic` | the two wires: how a request is written, how an answer is read |
//! | `served`, `exchange`, `http`, `sse`, `failure` | what both wires share |

mod address;
mod anthropic;
mod arguments;
pub mod discover;
mod discreet;
mod error;
mod exchange;
mod failure;
pub mod fallback;
mod http;
pub mod key_store;
pub mod keyring;
pub mod keys;
mod message;
pub mod models;
mod openai;
pub mod presets;
pub mod problem;
pub mod replay;
pub mod retry;
pub mod scripted;
mod served;
mod sse;
pub mod trial;
mod wire;

pub use discreet::Discreet;
pub use error::{ErrorClass, ProviderError};
pub use fallback::Fallback;
pub use key_store::{KeyPlace, KeySource, KeyStore};
pub use keyring::Keyring;
pub use keys::Key;
pub use message::{
    Arguments, ChatMessage, Constraint, Delta, Finish, ModelCall, ModelRequest, Reply, Thought,
    ToolDefinition, ToolResult,
};
pub use models::{ConnectOptions, KeptKeys, ModelName, connect};
pub use problem::Problem;
pub use retry::{RetryPolicy, TimeLimits};

pub use reqwest::Url;

use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// What a model on a server can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// It answers with calls of tools that it was given. `false`: the text protocol is used.
    pub native_tools: bool,
    /// How its answer can be forced into a form.
    pub constrains: Constrains,
    pub images: bool,
    /// How much fits into a request together with its answer, in tokens.
    pub context_tokens: u64,
}

/// How a server can be made to answer in a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Constrains {
    #[default]
    No,
    /// `response_format` with a JSON schema.
    JsonSchema,
}

/// As settings and files say it.
impl From<bool> for Constrains {
    fn from(can: bool) -> Self {
        if can { Self::JsonSchema } else { Self::No }
    }
}

/// A model that can be asked.
pub trait Provider: Send + Sync {
    /// `PROVIDER/NAME`
    fn name(&self) -> &str;

    fn capabilities(&self) -> Capabilities;

    /// Asks, and passes on what arrives. Retries by itself only while nothing has been passed on.
    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>>;
}
