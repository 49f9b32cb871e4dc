//! A conversation in the terminal: input, the events of a turn, questions in their place.

mod conversation;
mod editor;
mod follow;
mod interrupts;
mod questions;
mod render;
mod slash;
#[cfg(test)]
mod tests;
pub mod words;

pub use self::{
    conversation::{Conversation, EventSource, RunningTurn, Turn},
    editor::{ChatEditor, Typed},
    follow::{CANCEL_LIMIT, END_LIMIT, Ended, Follow, Output, TWICE},
    interrupts::{Interrupt, Interrupts},
    questions::{Question, Questions},
    render::{Renderer, Screen},
    slash::{COMMANDS, Slash, help, message},
};

/// Who the audit says has answered, where a person did so here.
pub const SURFACE: &str = "person:terminal";
