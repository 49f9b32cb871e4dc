//! Why a text was not found: where something like it stands, and how that differs.

use std::collections::HashMap;

use deskhand_core::{Cx, ToolError, ToolResult};
use similar::TextDiff;

use crate::files::encoding::to_lf;

/// How much is looked at, so that a wrong edit of a huge file is told as soon as any other.
const MOST_LINES: usize = 100_000;
const MOST_OLD_LINES: usize = 200;
const MOST_FUZZY: usize = 20_000;
const MOST_IN_A_LINE: usize = 300;
/// How much is shown.
const MOST_SHOWN: usize = 12;
/// Less alike than this is not worth showing.
const WORTH_SHOWING: f64 = 0.5;

/// The error for a text that is not in the file.
pub fn no_match(text: &str, old: &str, shown: &str, cx: &Cx) -> ToolError {
    let (text, old) = (to_lf(text), to_lf(old));
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let wanted: Vec<&str> = old.lines().take(MOST_OLD_LINES).collect();
    let error = |message: String| ToolError::new("no_match", message);
    let nearest = match nearest(&lines, &wanted, cx) {
        Ok(nearest) => nearest,
        Err(cancelled) => return cancelled,
    };
    let Some(first) = nearest else {
        return error(format!("old_text is not in {shown}, and nothing there is like it."))
            .hint("Read the file again, and copy the text to replace from it exactly.");
    };
    let there = &lines[first..lines.len().min(first + wanted.len().max(1))];
    let (from, to) = (first + 1, first + there.len());
    let message = format!(
        "old_text is not in {shown}. The nearest place is line {from} to {to}; {}.\n{}",
        how_it_differs(&wanted, there, &old, &text),
        small_diff(&wanted, there)
    );
    error(message)
        .hint(format!("Read lines {from} to {to} again, and copy the text to replace from there exactly."))
}

/// The line at which something most like the wanted lines starts.
fn nearest(lines: &[&str], wanted: &[&str], cx: &Cx) -> ToolResult<Option<usize>> {
    match by_equal_lines(lines, wanted, cx)? {
        None => by_likeness(lines, wanted, cx),
        found => Ok(found),
    }
}

/// A line without what is easily got wrong: white space, and case.
fn bare(line: &str) -> String {
    line.split_whitespace().collect::<String>().to_lowercase()
}

/// Where most of the wanted lines stand in their order, but for white space and case.
fn by_equal_lines(lines: &[&str], wanted: &[&str], cx: &Cx) -> ToolResult<Option<usize>> {
    let mut offsets: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, line) in wanted.iter().enumerate() {
        let bare = bare(line);
        if bare.len() > 1 {
            offsets.entry(bare).or_default().push(at);
        }
    }
    // A start gets a point for each line that is where it should be.
    let mut points: HashMap<usize, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        cx.check()?;
        for offset in offsets.get(&bare(line)).into_iter().flatten() {
            if let Some(start) = at.checked_sub(*offset) {
                *points.entry(start).or_default() += 1;
            }
        }
    }
    let best = points.into_iter().max_by_key(|(start, points)| (*points, std::cmp::Reverse(*start)));
    Ok(best.map(|(start, _)| start))
}

/// Where the longest of the wanted lines has its like.
fn by_likeness(lines: &[&str], wanted: &[&str], cx: &Cx) -> ToolResult<Option<usize>> {
    let short = |line: &str| line.trim().chars().take(MOST_IN_A_LINE).collect::<String>();
    let longest = wanted.iter().enumerate().max_by_key(|(_, line)| line.trim().len());
    let Some((offset, longest)) = longest else { return Ok(None) };
    let longest = short(longest);
    let mut best = (0, 0.0);
    for (at, line) in lines.iter().take(MOST_FUZZY).enumerate() {
        cx.check()?;
        let line = short(line);
        let contained = !longest.is_empty() && line.contains(&longest);
        let score = if contained { 1.0 } else { strsim::sorensen_dice(&longest, &line) };
        if score > best.1 {
            best = (at, score);
        }
    }
    let (at, score) = best;
    Ok((score >= WORTH_SHOWING).then(|| at.saturating_sub(offset)))
}

/// The difference in a few words.
fn how_it_differs(wanted: &[&str], there: &[&str], old: &str, text: &str) -> &'static str {
    let same = |f: &dyn Fn(&str) -> String| {
        wanted.len() == there.len() && wanted.iter().zip(there).all(|(a, b)| f(a) == f(b))
    };
    let tabs = |lines: &[&str]| lines.iter().any(|line| line.starts_with('\t'));
    if same(&|line| line.to_owned()) {
        // All lines are there: it is the line end after the last one.
        return if old.ends_with('\n') && !text.ends_with('\n') {
            "the file does not end with a line end there"
        } else {
            "only the beginning or the end of a line differs"
        };
    }
    if same(&|line| line.trim_end().to_owned()) {
        return "only white space at the end of lines differs";
    }
    if same(&|line| line.trim().to_owned()) {
        return match (tabs(wanted), tabs(there)) {
            (true, false) => "only the indentation differs: old_text has tabs, the file has spaces",
            (false, true) => "only the indentation differs: old_text has spaces, the file has tabs",
            _ => "only the indentation differs",
        };
    }
    if same(&|line| line.split_whitespace().collect()) {
        return "only white space differs";
    }
    if same(&|line| line.to_lowercase()) {
        return "only the case of letters differs";
    }
    "the text differs (- is old_text, + is what the file has)"
}

/// What is wanted against what is there, line by line, with white space made visible where it is all that differs.
fn small_diff(wanted: &[&str], there: &[&str]) -> String {
    let visible = |lines: &[&str]| -> String {
        lines.iter().fold(String::new(), |text, line| {
            let line: String = line.chars().take(MOST_IN_A_LINE).collect();
            let blanks = line.len() - line.trim_end().len();
            let line = line.replace('\t', "→");
            let kept = line.trim_end();
            text + kept + &"·".repeat(blanks) + "\n"
        })
    };
    let (wanted, there) = (visible(wanted), visible(there));
    let diff = TextDiff::from_lines(wanted.as_str(), there.as_str());
    let mut shown = String::new();
    for (count, change) in diff.iter_all_changes().enumerate() {
        if count == MOST_SHOWN {
            shown.push_str("…\n");
            break;
        }
        let sign = match change.tag() {
            similar::ChangeTag::Delete => '-',
            similar::ChangeTag::Insert => '+',
            similar::ChangeTag::Equal => ' ',
        };
        shown.push(sign);
        shown.push_str(change.value().trim_end_matches('\n'));
        shown.push('\n');
    }
    shown
}
