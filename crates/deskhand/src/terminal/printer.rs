//! Printing: one JSON value, or text for people.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use deskhand_agent::AgentError;
use deskhand_core::{Screener, StoreError, session::SessionError};
use deskhand_guard::SecretScreener;
use serde::Serialize;
use serde_json::json;

use super::style::{Style, safe};

/// Whether something could not be kept or read, wherever it was asked for.
fn is_of_the_store(error: &(dyn std::error::Error + 'static)) -> bool {
    // What is transparent has no place of its own in a chain of causes.
    error.is::<StoreError>()
        || matches!(error.downcast_ref(), Some(SessionError::Store(_)))
        || matches!(error.downcast_ref(), Some(AgentError::Session(SessionError::Store(_))))
}

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

    /// A piece of text on stdout, as it is.
    #[allow(clippy::unused_self)] // as above
    pub fn piece(self, text: &str) {
        let mut out = io::stdout().lock();
        // A reader that went away is no error.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// A remark for a person, on stderr.
    #[allow(clippy::unused_self)] // as above
    pub fn note(self, text: &str) {
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Says why the program could not do what was asked.
    pub fn failure(self, error: &anyhow::Error) -> ExitCode {
        let message = SecretScreener.mask_text(&format!("{error:#}")).into_string();
        // What could not be kept or read is a failure; everything else is about how the program was called.
        let failed = error.chain().any(is_of_the_store);
        let (code, exit) = if failed { ("store", 1) } else { ("usage", crate::EXIT_USAGE) };
        self.error_value(code, &message);
        self.note(&format!("deskhand: {}", safe(&message)));
        ExitCode::from(exit)
    }

    /// With `--json`, an error as a JSON value.
    pub fn error_value(self, code: &str, message: &str) {
        if self.json {
            let value = json!({"error": {"code": code, "message": message, "hint": null}});
            let _ = self.line(&value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_cannot_do_is_told_from_wrong_usage() {
        let store = || StoreError::new("reading", io::Error::other("disk"));
        assert!(is_of_the_store(&store()));
        assert!(is_of_the_store(&SessionError::from(store())));
        assert!(is_of_the_store(&AgentError::from(SessionError::from(store()))));
        assert!(!is_of_the_store(&AgentError::from(SessionError::Busy("x".into()))));
        assert!(!is_of_the_store(&SessionError::NoSuchSession("x".into())));
    }
}
