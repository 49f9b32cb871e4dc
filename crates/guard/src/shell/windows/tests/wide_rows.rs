//! A wide table of everyday and grave lines, kept as a file: `forbid`, `ask`, `allow`, or `other` for text that is not
//! Windows' at all; a tab; the text.

use super::{Form, judged};
use crate::shell::windows::Level;

const ROWS: &str = include_str!("wide_rows.tsv");

#[test]
fn wide_rows_hold() {
    let mut wrong = Vec::new();
    let mut read = 0;
    for (wanted, text) in ROWS.lines().filter_map(|line| line.split_once('\t')) {
        let (form, verdict): (Option<Form>, _) = judged(text);
        let given = match (form, verdict.level) {
            (None, _) => "other",
            (_, Level::Forbid) => "forbid",
            (_, Level::Allow) => "allow",
            _ => "ask",
        };
        read += 1;
        if given != wanted {
            wrong.push(format!("{text}\n    {given}, not {wanted}: {} ({})", verdict.rule, verdict.why));
        }
    }
    assert!(read > 250, "only {read} rows were read");
    assert!(wrong.is_empty(), "{} wrong of {read}:\n{}", wrong.len(), wrong.join("\n"));
}
