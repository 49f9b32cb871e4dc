//! What a line of Windows `cmd` or PowerShell text would do, and how grave that is.
//!
//! `recognise` says whether a text is Windows text at all; `analyze` reads it as its shell would and gives a
//! verdict. Knowledge of programs, cmdlets and places is data, in `tables`; nothing here runs anything.

mod base64;
mod cmd;
mod deletes;
mod nested;
mod places;
mod programs;
mod ps;
mod recognise;
mod report;
mod tables;
#[cfg(test)]
mod tests;

pub use recognise::recognise;

use report::Report;

/// Which of the two shells a text is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Cmd,
    PowerShell,
}

/// How grave a text is; later is graver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Allow,
    Moderate,
    Sensitive,
    Forbid,
}

/// What was found, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub level: Level,
    pub rule: &'static str,
    pub why: String,
    pub programs: Vec<String>,
    pub steps: Vec<String>,
}

/// Longer texts are not read: they are asked about.
const LONGEST: usize = 64 * 1024;

/// Reads `text` as the given shell would.
pub fn analyze(text: &str, form: Form) -> Verdict {
    let mut report = Report::new();
    if text.len() > LONGEST {
        report.note(Level::Sensitive, "win-too-long", "The command is longer than 64 KiB and was not read");
    } else {
        nested::read(&mut report, text, form);
    }
    report.finish()
}
