//! The end of what a server printed to stderr, and what happened to its connection.

use std::collections::VecDeque;

use deskhand_core::Time;
use schemars::JsonSchema;
use serde::Serialize;

use super::name;

/// Lines that are kept, and how much of each.
const LINES_KEPT: usize = 200;
const LONGEST_LINE: usize = 1_000;

/// One line of a server's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LogLine {
    pub at: Time,
    pub source: LogSource,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogSource {
    /// The server printed it.
    Stderr,
    /// Deskhand notes what happened to the connection.
    Connection,
}

#[derive(Default)]
pub(super) struct Log(VecDeque<LogLine>);

impl Log {
    pub fn printed(&mut self, line: &str) {
        self.push(LogSource::Stderr, name::harmless(line, LONGEST_LINE));
    }

    pub fn note(&mut self, event: &str) {
        // A message can quote the end of stderr.
        for line in event.lines() {
            self.push(LogSource::Connection, name::harmless(line, LONGEST_LINE));
        }
    }

    fn push(&mut self, source: LogSource, text: String) {
        if self.0.len() == LINES_KEPT {
            self.0.pop_front();
        }
        self.0.push_back(LogLine { at: Time::now(), source, text });
    }

    pub fn lines(&self) -> Vec<LogLine> {
        self.0.iter().cloned().collect()
    }

    pub fn stderr(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.iter().filter(|line| line.source == LogSource::Stderr).map(|line| line.text.as_str())
    }
}
