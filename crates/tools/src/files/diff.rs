//! Unified diffs for people to look at: bounded, whatever the files are like.

use std::{fmt::Write, time::Duration};

use deskhand_core::{Plan, Preview};
use similar::TextDiff;

use super::encoding::to_lf;

const MOST_LINES: usize = 400;
const MOST_BYTES: usize = 40_000;
const MOST_IN_A_LINE: usize = 1_000;
/// Texts larger than this are not compared.
pub const MOST_COMPARED: u64 = 2 * 1024 * 1024;
const MOST_TIME: Duration = Duration::from_millis(500);

/// The diff from one text to another, without regard to how lines end, and a note where not all of it is shown.
pub fn unified(name: &str, old: &str, new: &str) -> (String, Option<String>) {
    let (old, new) = (to_lf(old), to_lf(new));
    let diff = TextDiff::configure().timeout(MOST_TIME).diff_lines(old.as_ref(), new.as_ref());
    let whole =
        diff.unified_diff().context_radius(3).header(&format!("a/{name}"), &format!("b/{name}")).to_string();
    bounded(&whole)
}

/// The start of a text, and a note where that is not all of it.
pub fn bounded(text: &str) -> (String, Option<String>) {
    let mut shown = String::new();
    for (lines, line) in text.split_inclusive('\n').enumerate() {
        if lines == MOST_LINES || shown.len() + line.len().min(MOST_IN_A_LINE) > MOST_BYTES {
            let rest = text.lines().count() - lines;
            return (shown, Some(format!("The preview is cut: {rest} more lines are not shown.")));
        }
        push_line(&mut shown, line);
    }
    (shown, None)
}

fn push_line(shown: &mut String, line: &str) {
    if line.len() <= MOST_IN_A_LINE {
        shown.push_str(line);
        return;
    }
    let cut = line.floor_char_boundary(MOST_IN_A_LINE);
    // Writing to a string does not fail.
    let _ = writeln!(shown, "{} … ({} bytes more)", &line[..cut], line.len() - cut);
}

/// Puts the diff into a plan.
pub fn show(plan: Plan, name: &str, old: &str, new: &str) -> Plan {
    let (text, note) = unified(name, old, new);
    let plan = if text.is_empty() { plan } else { plan.preview(Preview::Diff(text)) };
    note.into_iter().fold(plan, Plan::note)
}

/// Puts the start of a text into a plan.
pub fn show_text(plan: Plan, text: &str) -> Plan {
    let (text, note) = bounded(text);
    note.into_iter().fold(plan.preview(Preview::Text(text)), Plan::note)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_changes() {
        let (text, note) = unified("f", "a\r\nb\r\n", "a\nc\n");
        assert_eq!((text.as_str(), note), ("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n", None));
        assert_eq!(unified("f", "a\n", "a\r\n").0, "");
    }

    #[test]
    fn is_bounded() {
        let many: String = (0..5_000).fold(String::new(), |text, n| text + &format!("line {n}\n"));
        let (text, note) = unified("f", "", &many);
        assert_eq!(text.lines().count(), MOST_LINES);
        assert_eq!(note.unwrap(), "The preview is cut: 4603 more lines are not shown.");
        let (text, _) = unified("f", "", &"é".repeat(1_000_000));
        assert!(text.len() < 2 * MOST_IN_A_LINE, "{} bytes", text.len());
        let (text, note) = bounded(&("x".repeat(900) + "\n").repeat(100));
        assert!(text.len() <= MOST_BYTES && note.is_some());
    }
}
