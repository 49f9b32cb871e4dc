//! Making edits on a text. Whether lines end in `\n` or `\r\n` makes no difference for finding the old text;
//! the new text gets the line ends of the file.

use std::{borrow::Cow, collections::VecDeque, fmt, ops::Range};

use deskhand_core::{Cx, ToolError, ToolResult};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Edit, nearest};
use crate::files::{
    counted::counted,
    encoding::{LineEnds, to_crlf, to_lf},
};

/// How many places of several are named.
const MOST_NAMED: usize = 20;
/// How many places of new text are told.
const MOST_TOLD: usize = 50;
/// How much text edits may come to: a short text replaced a million times by a long one is no file any more.
const MOST_MADE: usize = 256 * 1024 * 1024;

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

impl Lines {
    pub fn is_one(self) -> bool {
        self.first == self.last
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_one() { write!(f, "{}", self.first) } else { write!(f, "{}–{}", self.first, self.last) }
    }
}

/// Makes all replacements, or says which one cannot be made.
pub fn replace(text: &str, edits: &[Edit], shown: &str, cx: &Cx) -> ToolResult<Edited> {
    let mut editing = Editing { text: text.to_owned(), replacements: 0, spots: Vec::new() };
    for (number, edit) in edits.iter().enumerate() {
        editing.replace(edit, shown, cx).map_err(|mut error| {
            if edits.len() > 1 {
                error.message = format!("Edit {} of {}: {}", number + 1, edits.len(), error.message);
            }
            error.message.push_str(" Nothing was changed.");
            error
        })?;
    }
    let lines = lines_of(&editing.text, &editing.spots);
    Ok(Edited { text: editing.text, replacements: editing.replacements, lines })
}

/// A text while it is edited.
struct Editing {
    text: String,
    replacements: usize,
    /// Where new text stands, in the order of the text.
    spots: Vec<Range<usize>>,
}

impl Editing {
    fn replace(&mut self, edit: &Edit, shown: &str, cx: &Cx) -> ToolResult<()> {
        check(edit)?;
        if !edit.replace_all {
            self.check_that_it_is_one(edit, shown, cx)?;
        }
        let new = NewText::of(&edit.new_text, &self.text);
        let mut result = String::with_capacity(self.text.len());
        let mut spots = Spots::moving(std::mem::take(&mut self.spots));
        let mut at = 0;
        let found = each_match(&self.text, &edit.old_text, cx, |old| {
            result.push_str(&self.text[at..old.start]);
            let from = result.len();
            result.push_str(new.in_place_of(&self.text[old.clone()]));
            at = old.end;
            spots.replace(&old, from..result.len());
            if result.len() > MOST_MADE { Err(too_much(shown)) } else { Ok(()) }
        })?;
        if found == 0 {
            return Err(nearest::no_match(&self.text, &edit.old_text, shown, cx));
        }
        result.push_str(&self.text[at..]);
        self.spots = spots.end(self.text.len(), result.len());
        self.replacements += found;
        self.text = result;
        Ok(())
    }

    fn check_that_it_is_one(&self, edit: &Edit, shown: &str, cx: &Cx) -> ToolResult<()> {
        let mut first = Vec::new();
        let found = each_match(&self.text, &edit.old_text, cx, |old| {
            if first.len() < MOST_NAMED {
                first.push(old.start);
            }
            Ok(())
        })?;
        if found > 1 { Err(several_matches(&self.text, &first, found, shown)) } else { Ok(()) }
    }
}

fn too_much(shown: &str) -> ToolError {
    let message = format!("{shown} would have more than {} MiB.", MOST_MADE >> 20);
    ToolError::new("file_too_large", message)
}

/// Follows places of new text through a later edit: what is moved by it, and what it takes away.
struct Spots {
    /// In the text before the edit.
    before: VecDeque<Range<usize>>,
    /// In the text after it.
    after: Vec<Range<usize>>,
    /// How far the end of the last replacement was moved: from there to there.
    moved: (usize, usize),
}

impl Spots {
    /// Enough for what is told, even where many are on one line.
    const MOST: usize = 10_000;

    fn moving(spots: Vec<Range<usize>>) -> Self {
        Self { before: spots.into(), after: Vec::new(), moved: (0, 0) }
    }

    fn push(&mut self, spot: Range<usize>) {
        if self.after.len() < Self::MOST {
            self.after.push(spot);
        }
    }

    /// Where something behind the last replacement is now.
    fn now(&self, spot: Range<usize>) -> Range<usize> {
        let (from, to) = self.moved;
        spot.start - from + to..spot.end - from + to
    }

    fn replace(&mut self, old: &Range<usize>, new: Range<usize>) {
        let mut removed = false;
        while let Some(spot) = self.before.pop_front_if(|spot| spot.start < old.end) {
            if spot.start < old.start {
                self.push(self.now(spot.start..spot.end.min(old.start)));
            }
            removed |= spot.end > old.start;
            if spot.end > old.end {
                // The rest of it may be touched by the next one.
                self.before.push_front(old.end..spot.end);
                break;
            }
        }
        self.moved = (old.end, new.end);
        // New text that is taken away again stands nowhere.
        if !(removed && new.is_empty()) {
            self.push(new);
        }
    }

    fn end(mut self, before: usize, after: usize) -> Vec<Range<usize>> {
        while let Some(spot) = self.before.pop_front() {
            self.push(after - (before - spot.start)..after - (before - spot.end));
        }
        self.after
    }
}

/// The lines that places are on, those that meet as one.
fn lines_of(text: &str, spots: &[Range<usize>]) -> Vec<Lines> {
    let end = line_end(text);
    let (mut lines, mut line, mut at): (Vec<Lines>, _, _) = (Vec::new(), 1, 0);
    let mut end_before = None;
    for spot in spots {
        line += count(end, &text[at..spot.start]);
        at = spot.start;
        let new = &text[spot.clone()];
        let ends_line = usize::from(new.as_bytes().last() == Some(&end));
        let last = line + count(end, new) - ends_line;
        let meets = end_before.replace(spot.end) == Some(spot.start);
        if let Some(before) = lines.last_mut().filter(|before| meets || line <= before.last) {
            before.last = before.last.max(last);
        } else if lines.len() < MOST_TOLD {
            lines.push(Lines { first: line, last });
        } else {
            break;
        }
    }
    lines
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

/// Hands over where the old text stands, as ranges of bytes, and says how many there are.
fn each_match(
    text: &str,
    old: &str,
    cx: &Cx,
    mut found: impl FnMut(Range<usize>) -> ToolResult<()>,
) -> ToolResult<usize> {
    let has_cr = text.contains('\r') || old.contains('\r');
    let (plain, old_plain) = if has_cr { (to_lf(text), to_lf(old)) } else { (text.into(), old.into()) };
    let mut original = Original::of(text);
    let mut count = 0;
    for (start, old) in plain.match_indices(old_plain.as_ref()) {
        check_now_and_then(count, cx)?;
        count += 1;
        found(original.at(start)..original.at(start + old.len()))?;
    }
    if count > 0 || !has_cr {
        cx.check()?;
        return Ok(count);
    }
    // A `\r` at the very end of the old text.
    for (start, old) in text.match_indices(old) {
        check_now_and_then(count, cx)?;
        count += 1;
        found(start..start + old.len())?;
    }
    Ok(count)
}

/// Asking takes a lock: not at every match.
fn check_now_and_then(count: usize, cx: &Cx) -> ToolResult<()> {
    if count.is_multiple_of(1024) { cx.check() } else { Ok(()) }
}

/// Finds places of the text with plain line ends in the one as it is, from its start to its end.
struct Original<'t> {
    crlf: memchr::memmem::FindIter<'t, 't>,
    /// The next `\r` that is not in the plain text.
    next: Option<usize>,
    /// How many there are before it.
    taken: usize,
}

impl<'t> Original<'t> {
    fn of(text: &'t str) -> Self {
        let mut crlf = memchr::memmem::find_iter(text.as_bytes(), b"\r\n");
        Self { next: crlf.next(), crlf, taken: 0 }
    }

    fn at(&mut self, plain: usize) -> usize {
        while self.next.is_some_and(|next| next < plain + self.taken) {
            self.taken += 1;
            self.next = self.crlf.next();
        }
        plain + self.taken
    }
}

/// The new text, with every kind of line end that it may get.
struct NewText<'e> {
    lf: Cow<'e, str>,
    crlf: String,
    /// As the whole file has them.
    usual: Cow<'e, str>,
}

impl<'e> NewText<'e> {
    fn of(new: &'e str, text: &str) -> Self {
        let (lf, crlf) = (to_lf(new), to_crlf(new));
        let usual = match LineEnds::of(text) {
            LineEnds::CrLf => crlf.clone().into(),
            LineEnds::Mixed if text.matches("\r\n").count() * 2 > count(b'\n', text) => crlf.clone().into(),
            LineEnds::Lf | LineEnds::Mixed => lf.clone(),
            LineEnds::Cr => lf.replace('\n', "\r").into(),
            LineEnds::None => new.into(),
        };
        Self { lf, crlf, usual }
    }

    /// With the line ends of what it replaces, or else of the whole file.
    fn in_place_of(&self, replaced: &str) -> &str {
        match LineEnds::of(replaced) {
            LineEnds::Lf => &self.lf,
            LineEnds::CrLf => &self.crlf,
            _ => &self.usual,
        }
    }
}

/// The byte that ends a line.
fn line_end(text: &str) -> u8 {
    if LineEnds::of(text) == LineEnds::Cr { b'\r' } else { b'\n' }
}

fn count(byte: u8, text: &str) -> usize {
    memchr::memchr_iter(byte, text.as_bytes()).count()
}

fn several_matches(text: &str, first: &[usize], found: usize, shown: &str) -> ToolError {
    let end = line_end(text);
    let lines: Vec<String> =
        first.iter().map(|start| (count(end, &text[..*start]) + 1).to_string()).collect();
    let more = if found > first.len() { ", …" } else { "" };
    let message = format!("old_text stands in {shown} {found} times, at lines {}{more}.", lines.join(", "));
    ToolError::new("several_matches", message)
        .hint("Give more of the text around the one that is meant, or set replace_all to change every one.")
}

/// Inserts lines after the line `after`; at the top for 0.
pub fn insert(text: &str, after: u64, new: &str, shown: &str) -> ToolResult<Edited> {
    if new.is_empty() {
        return Err(ToolError::invalid("same_text", "new_text is empty: it would change nothing."));
    }
    let end = line_end(text);
    let Some(at) = end_of_line(text, end, after) else { return Err(no_such_line(text, end, after, shown)) };
    let (head, tail) = text.split_at(at);
    let mut new = NewText::of(new, text).usual.into_owned();
    let line_end = match LineEnds::of(text) {
        LineEnds::CrLf => "\r\n",
        LineEnds::Cr => "\r",
        _ => "\n",
    };
    let ends_open = !head.is_empty() && head.as_bytes().last() != Some(&end);
    let joint = if ends_open { line_end } else { "" };
    // A file whose last line has no end stays one.
    if new.as_bytes().last() != Some(&end) && !ends_open {
        new.push_str(line_end);
    }
    let edited = format!("{head}{joint}{new}{tail}");
    let start = head.len() + joint.len();
    let lines = lines_of(&edited, std::slice::from_ref(&(start..start + new.len())));
    Ok(Edited { text: edited, replacements: 0, lines })
}

/// Where a line ends; the start of the text for line 0.
fn end_of_line(text: &str, end: u8, line: u64) -> Option<usize> {
    let Some(before) = line.checked_sub(1) else { return Some(0) };
    let mut ends = memchr::memchr_iter(end, text.as_bytes());
    let at = ends.nth(usize::try_from(before).ok()?).map(|at| at + 1);
    // The last line may have no end.
    at.or_else(|| (line == lines_in(text, end) as u64).then_some(text.len()))
}

fn lines_in(text: &str, end: u8) -> usize {
    let open = text.as_bytes().last().is_some_and(|last| *last != end);
    count(end, text) + usize::from(open)
}

fn no_such_line(text: &str, end: u8, after: u64, shown: &str) -> ToolError {
    let lines = lines_in(text, end);
    let message =
        format!("{shown} has {}; nothing can be inserted after line {after}.", counted(lines, "line"));
    ToolError::new("no_such_line", message)
        .hint(format!("insert_at_line goes from 0 (at the top) to {lines} (at the end)."))
}
