//! The loop: a person says what they want, the model thinks, chooses tools, acts through the gate, observes, answers.
//!
//! | module | what lives there |
//! |---|---|
//! | [`provider`] | models: OpenAI-compatible servers, Anthropic, scripted and recorded answers |
//! | [`chain`] | what a model's reply means: calls in every form, guards, conflict groups |
//! | [`context`] | what goes into a request: how much it is |

pub mod chain;
pub mod context;
pub mod provider;
