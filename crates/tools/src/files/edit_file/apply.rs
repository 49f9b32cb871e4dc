//! Making edits on a text. Whether lines end in `\n` or `\r\n` makes no difference for finding the old text;
//! the new text gets the line ends of the file.

use std::fmt;

use deskhand_core::{ToolError, ToolResult};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Edit, nearest};
use crate::files::encoding::{LineEnds, to_crlf, to_lf};

/// How many places of several are named.
const MOST_NAMED: usize = 20;
/// How many places of new text are told.
const MOST_TOLD: usize = 50;

/// A text after its edits.
#[derive(Debug)]
pub struct Edited {
    pub text: String,
    pub replacements: usize,
    pub lines: Vec<Lines>,
}

/// A range of lines, both ends included, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lines {
    first: usize,
    last: usize,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}–{}", self.first, self.last)
        }
    }
}

/// Makes all replacements, or says which one cannot be made.
pub fn replace(text: &str, edits: &[Edit], shown: &str) -> ToolResult<Edited> {
    let mut edited = Edited { text: text.to_owned(), replacements: 0, lines: Vec::new() };
    for (number, edit) in edits.iter().enumerate() {
        edited.replace(edit, shown).map_err(|mut error| {
            if edits.len() > 1 {
                error.message = format!("Edit {} of {}: {}", number + 1, edits.len(), error.message);
            }
            error.message.push_str(" Nothing was changed.");
            error
        })?;
    }
    edited.lines.truncate(MOST_TOLD);
    Ok(edited)
}

impl Edited {
    fn replace(&mut self, edit: &Edit, shown: &str) -> ToolResult<()> {
        check(edit)?;
        let found = find(&self.text, &edit.old_text);
        match found.as_slice() {
            [] => return Err(nearest::no_match(&self.text, &edit.old_text, shown)),
            [_] => {}
            several if !edit.replace_all => return Err(several_matches(&self.text, several, shown)),
            _ => {}
        }
        let mut result = String::with_capacity(self.text.len());
        let mut places = Vec::new();
        let mut at = 0;
        let mut line = 1;
        for (start, end) in found {
            result.push_str(&self.text[at..start]);
            line += newlines(&self.text[at..start]);
            let new = with_line_ends(&edit.new_text, &self.text, &self.text[start..end]);
            let added = newlines(&new);
            places.push((line, added, newlines(&self.text[start..end])));
            line += added;
            result.push_str(&new);
            at = end;
        }
        result.push_str(&self.text[at..]);
        self.replacements += places.len();
        self.text = result;
        self.note(&places, edit.new_text.ends_with('\n'));
        Ok(())
    }

    /// Writes down where new text stands, and where that which was written down before stands now. Each place:
    /// its first line now, the line ends in the new text, and those in the old one.
    fn note(&mut self, places: &[(usize, usize, usize)], ends_line: bool) {
        for &(first, added, removed) in places {
            for earlier in self.lines.iter_mut().filter(|lines| lines.first > first) {
                earlier.first = (earlier.first + added).saturating_sub(removed).max(1);
                earlier.last = (earlier.last + added).saturating_sub(removed).max(earlier.first);
            }
        }
        let last = |first: usize, added: usize| first + added.saturating_sub(usize::from(ends_line));
        self.lines.extend(places.iter().map(|&(first, added, _)| Lines { first, last: last(first, added) }));
    }
}

fn check(edit: &Edit) -> ToolResult<()> {
    if edit.old_text.is_empty() {
        return Err(ToolError::invalid("empty_old_text", "old_text is empty: there is nothing to look for.")
            .hint("Use insert_at_line to add lines, or write_file to write a whole file."));
    }
    if edit.old_text == edit.new_text {
        return Err(ToolError::invalid(
            "same_text",
            "old_text and new_text are the same: it would change nothing.",
        ));
    }
    if to_lf(&edit.old_text) == to_lf(&edit.new_text) {
        let message =
            "old_text and new_text differ in line ends alone, and edit_file keeps those of the file.";
        return Err(ToolError::invalid("same_text", message)
            .hint("Use write_file with the line ends you want in content."));
    }
    Ok(())
}

/// Where the old text stands, as ranges of bytes.
fn find(text: &str, old: &str) -> Vec<(usize, usize)> {
    if !text.contains('\r') && !old.contains('\r') {
        return text.match_indices(old).map(|(start, found)| (start, start + found.len())).collect();
    }
    let (plain, old_plain) = (to_lf(text), to_lf(old));
    // Where, in the plain text, a `\r` stood before the `\n`.
    let taken: Vec<usize> =
        text.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
    let original = |at: usize| at + taken.partition_point(|&gone| gone < at);
    let found: Vec<_> = plain
        .match_indices(old_plain.as_ref())
        .map(|(start, found)| (original(start), original(start + found.len())))
        .collect();
    if found.is_empty() {
        // A `\r` at the very end of the old text.
        return text.match_indices(old).map(|(start, found)| (start, start + found.len())).collect();
    }
    found
}

/// The new text with the line ends of what it replaces, or else of the whole file.
fn with_line_ends(new: &str, text: &str, replaced: &str) -> String {
    let ends = match LineEnds::of(replaced) {
        LineEnds::Lf if newlines(replaced) > 0 => LineEnds::Lf,
        LineEnds::CrLf => LineEnds::CrLf,
        _ => LineEnds::of(text),
    };
    match ends {
        LineEnds::CrLf => to_crlf(new),
        LineEnds::Mixed if text.matches("\r\n").count() * 2 > newlines(text) => to_crlf(new),
        LineEnds::Lf | LineEnds::Mixed => to_lf(new).into_owned(),
        LineEnds::None | LineEnds::Cr => new.to_owned(),
    }
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

fn several_matches(text: &str, found: &[(usize, usize)], shown: &str) -> ToolError {
    let lines: Vec<String> =
        found.iter().take(MOST_NAMED).map(|(start, _)| (newlines(&text[..*start]) + 1).to_string()).collect();
    let more = if found.len() > MOST_NAMED { ", …" } else { "" };
    let message =
        format!("old_text stands in {shown} {} times, at lines {}{more}.", found.len(), lines.join(", "));
    ToolError::new("several_matches", message)
        .hint("Give more of the text around the one that is meant, or set replace_all to change every one.")
}

/// Inserts lines after the line `after`; at the top for 0.
pub fn insert(text: &str, after: u64, new: &str, shown: &str) -> ToolResult<Edited> {
    if new.is_empty() {
        return Err(ToolError::invalid("same_text", "new_text is empty: it would change nothing."));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(after) = usize::try_from(after).ok().filter(|after| *after <= lines.len()) else {
        let message =
            format!("{shown} has {} lines; nothing can be inserted after line {after}.", lines.len());
        return Err(ToolError::new("no_such_line", message)
            .hint(format!("insert_at_line goes from 0 (at the top) to {} (at the end).", lines.len())));
    };
    let mut new = with_line_ends(new, text, "");
    let line_end = if LineEnds::of(text) == LineEnds::CrLf { "\r\n" } else { "\n" };
    let (head, tail) = (lines[..after].concat(), lines[after..].concat());
    let ends_open = !head.is_empty() && !head.ends_with('\n');
    let joint = if ends_open { line_end } else { "" };
    // A file whose last line has no end stays one.
    if !new.ends_with('\n') && !ends_open {
        new.push_str(line_end);
    }
    let count = new.lines().count().max(1);
    let edited = format!("{head}{joint}{new}{tail}");
    Ok(Edited { text: edited, replacements: 0, lines: vec![Lines { first: after + 1, last: after + count }] })
}
