//! What people see in a terminal: output, colours, questions.

mod approver;
mod arguments;
mod changes_view;
pub mod chat;
mod fixed;
mod input;
mod markdown;
mod pictures;
mod plan_view;
mod printer;
mod problem_words;
mod progress;
pub mod setup;
mod style;
mod when;
mod width;

pub use self::{
    approver::TerminalApprover,
    arguments::parse_arguments,
    changes_view::{ChangesView, count_of, total_of},
    fixed::YesApprover,
    input::{Hidden, ask_line},
    markdown::Markdown,
    pictures::{Pictures, forget_others},
    plan_view::{PlanView, explanation},
    printer::Printer,
    progress::ProgressLine,
    style::{Style, safe, safe_line},
    when::{parse_ago, parse_until},
    width::{cut, padded, terminal_width, width},
};

use std::io::{IsTerminal, stderr, stdin};

/// Whether a person can be asked here: they can type, and they can see what is asked.
pub fn can_ask() -> bool {
    stdin().is_terminal() && stderr().is_terminal()
}
