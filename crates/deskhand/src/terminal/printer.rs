//! Printing: one JSON value, or text for people.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use serde::Serialize;
use serde_json::json;

use super::style::Style;

/// Where the results of commands go.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    pub json: bool,
    /// For what is printed on stdout.
    pub style: Style,
}

impl Printer {
    pub fn new(json: bool) -> Self {
        Self { json, style: if json { Style::PLAIN } else { Style::for_stdout() } }
    }

    /// Prints the value as JSON, or what `text` makes for people.
    pub fn print<T: Serialize>(self, value: &T, text: impl FnOnce(Style) -> String) -> anyhow::Result<()> {
        if self.json {
            self.line(&serde_json::to_string(value)?)
        } else {
            let text = text(self.style);
            if text.is_empty() { Ok(()) } else { self.line(text.trim_end_matches('\n')) }
        }
    }

    /// One line on stdout. A reader that went away (`| head`) is no error.
    #[allow(clippy::unused_self)] // printing goes through a printer, whatever it needs of it
    pub fn line(self, text: &str) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        }
    }

    /// A remark for a person, on stderr.
    #[allow(clippy::unused_self)] // as above
    pub fn note(self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Says why the program could not do what was asked.
    pub fn failure(self, error: &anyhow::Error) -> ExitCode {
        let message = format!("{error:#}");
        if self.json {
            let value = json!({"error": {"code": "usage", "message": message, "hint": null}});
            let _ = self.line(&value.to_string());
        }
        self.note(&format!("deskhand: {message}"));
        ExitCode::from(crate::EXIT_USAGE)
    }
}
