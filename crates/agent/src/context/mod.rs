//! What a model is told: the history as messages, the system prompt, and how both are kept within its limit.

pub mod compact;
pub mod history;
pub mod prompt;
pub mod shrink;
pub mod tokens;
