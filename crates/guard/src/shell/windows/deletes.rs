//! What losing or overwriting a path means.

use super::report::{Report, Word};
use super::{Level, places};

/// How far a delete reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Files,
    Tree,
}

/// Deletes what a word names.
pub(super) fn delete(report: &mut Report, word: &Word, reach: Reach) {
    let path = report.meant_here(&word.text);
    let shown: String = path.chars().take(120).collect();
    let place = match reach {
        Reach::Tree => places::tree(&path),
        Reach::Files => places::file(&path),
    };
    // `%x%\` with an unknown x is the drive itself when x is empty.
    if !word.known {
        report.unresolved(&word.text);
        if !place.is_vital() {
            return;
        }
    }
    if place.is_vital() {
        report.note(Level::Forbid, "win-delete", format!("Deletes {}: {shown}", place.words()));
        return;
    }
    let (level, how) = match (reach, place) {
        (Reach::Tree, places::Place::Relative) => {
            (Level::Moderate, "Deletes a folder with all that is in it")
        }
        (Reach::Tree, _) => (Level::Sensitive, "Deletes everything below a folder outside the workspace"),
        (Reach::Files, places::Place::Relative) => (Level::Moderate, "Deletes files"),
        (Reach::Files, _) => (Level::Sensitive, "Deletes files outside the workspace"),
    };
    if places::is_secret(&word.text) {
        report.secret(&word.text);
    }
    report.note(level, "win-delete", format!("{how}: {shown}"));
}

/// Writes to, or over, what a word names.
pub(super) fn write(report: &mut Report, word: &Word) {
    let lower = word.lower();
    let name = lower.trim_matches(['"', ' ']);
    if matches!(name, "nul" | "nul:" | "con" | "$null" | "&1" | "&2" | "\\\\.\\nul") {
        return;
    }
    let path = report.meant_here(&word.text);
    let shown: String = path.chars().take(120).collect();
    let place = places::file(&path);
    if matches!(place, places::Place::Device | places::Place::System | places::Place::Boot) {
        report.note(Level::Forbid, "win-overwrite", format!("Writes over {}: {shown}", place.words()));
    } else if !word.known {
        report.unresolved(&word.text);
    } else if places::is_secret(&word.text) {
        report.secret(&word.text);
    } else if place == places::Place::Relative {
        report.note(Level::Moderate, "win-writes", format!("Writes {shown}"));
    } else {
        let start = lower.contains("\\startup\\") || lower.contains("profile.ps1");
        let why = if start { "Makes something run at every start" } else { "Writes outside the workspace" };
        report.note(Level::Sensitive, "win-writes", format!("{why}: {shown}"));
    }
}
