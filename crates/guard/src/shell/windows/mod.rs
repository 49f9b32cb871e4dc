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
mod segments;
mod tables;
#[cfg(test)]
mod tests;

pub use recognise::{is_only_windows, recognise};

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
///
/// Where the text has signs of the other shell too, it is read both ways, and the graver reading counts.
#[must_use]
pub fn analyze(text: &str, form: Form) -> Verdict {
    let verdict = analyze_as(text, form);
    let both = match form {
        // `;` parts arguments in cmd, but commands in PowerShell.
        Form::Cmd => text.contains(';'),
        Form::PowerShell => text.contains('^') || text.matches('%').count() > 1,
    };
    if !both || verdict.level == Level::Forbid {
        return verdict;
    }
    let (other, least) = match form {
        Form::Cmd => (analyze_as(text, Form::PowerShell), Level::Sensitive),
        Form::PowerShell => (analyze_as(text, Form::Cmd), Level::Forbid),
    };
    if other.level > verdict.level && other.level >= least { other } else { verdict }
}

fn analyze_as(text: &str, form: Form) -> Verdict {
    let mut report = Report::new();
    if text.len() > LONGEST {
        report.note(Level::Sensitive, "win-too-long", "The command is longer than 64 KiB and was not read");
    } else {
        nested::read(&mut report, text, form);
    }
    report.finish()
}
