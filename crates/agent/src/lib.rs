//! The loop: a person says what they want, the model thinks, chooses tools, acts through the gate, observes, answers.
//!
//! [`Agent::start`] begins a [turn](turn) in a task of its own; [`Agent::subscribe`] is how every surface sees what
//! happens in it. Each step is in the store before the next one is taken.
//!
//! | module | what lives there |
//! |---|---|
//! | [`provider`] | models: OpenAI-compatible servers, Anthropic, scripted and recorded answers |
//! | [`chain`] | what a model's reply means: calls in every form, guards, conflict groups |
//! | [`context`] | what a model is told, and how it is kept within its limit |
//! | [`turn`] | one turn from its start to its one end |
//! | [`hub`] | events: stored, then shown |
//! | [`recovery`] | what a crash left behind |
//! | [`tools`] | the tools that belong to a turn |
//! | [`uploads`] | files that come with a message |

mod agent;
pub mod chain;
mod compaction;
pub mod context;
pub mod desk;
mod error;
pub mod hub;
pub mod provider;
pub mod recovery;
pub mod title;
pub mod tools;
pub mod turn;
pub mod uploads;

pub use agent::{Agent, AgentOptions, AgentParts, Models, RetryRequest, TurnRequest};
pub use error::AgentError;
pub use hub::EventStream;
pub use turn::TurnHandle;
