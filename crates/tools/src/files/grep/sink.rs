//! What is kept of one file while it is searched: bounded lines, long ones cut around the match.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::{Line, Wanted};

/// Bytes of one line that are shown.
pub(super) const LINE_BYTES: usize = 500;
/// Lines of one match across lines that are shown.
const MATCH_LINES: usize = 50;
/// Bytes kept of one file.
const FILE_BYTES: usize = 1 << 20;

/// What was found in one file.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub count: u64,
    pub lines: Vec<Line>,
    pub bytes: usize,
    pub binary: bool,
    /// Whether the search of the file ended before the file did.
    pub stopped: bool,
}

pub(super) struct Keep<'a> {
    pub matcher: &'a RegexMatcher,
    pub wanted: Wanted,
    /// Matching lines after which the search of the file ends.
    pub room: u64,
    /// Whether a file with NUL bytes is searched on, to say that it matches.
    pub look_into_binary: bool,
    pub hits: Hits,
}

impl Keep<'_> {
    fn push(&mut self, line: u64, bytes: &[u8], context: bool) {
        let text = self.cut(bytes, context);
        self.hits.bytes += text.len();
        self.hits.lines.push(Line { line, text, context });
    }

    fn cut(&self, bytes: &[u8], context: bool) -> String {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() <= LINE_BYTES {
            return String::from_utf8_lossy(bytes).into_owned();
        }
        let found = if context { None } else { self.matcher.find(bytes).ok().flatten() };
        cut_around(bytes, found.map_or(0, |found| found.start()))
    }

    fn goes_on(&mut self) -> bool {
        let goes_on = self.hits.count < self.room && self.hits.bytes < FILE_BYTES;
        self.hits.stopped |= !goes_on;
        goes_on
    }
}

impl Sink for Keep<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.hits.binary {
            // That it matches is all there is to say of it.
            self.hits.count = 1;
            return Ok(false);
        }
        let lines = found.lines().count();
        match self.wanted {
            Wanted::Files => {
                self.hits.count = 1;
                return Ok(false);
            }
            Wanted::Counts => {
                self.hits.count += lines as u64;
                return Ok(true);
            }
            Wanted::Matches => self.hits.count += lines.min(MATCH_LINES) as u64,
        }
        let first = found.line_number().unwrap_or(1);
        for (number, line) in (first..).zip(found.lines()).take(MATCH_LINES) {
            self.push(number, line, false);
        }
        if let (Some(last), true) = (self.hits.lines.last_mut(), lines > MATCH_LINES) {
            last.text += &format!(" … ({} more lines of this match)", lines - MATCH_LINES);
        }
        Ok(self.goes_on())
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        self.push(context.line_number().unwrap_or(1), context.bytes(), true);
        Ok(self.hits.bytes < FILE_BYTES)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.hits.binary = self.look_into_binary;
        // One that has matched already need not be searched on.
        Ok(!self.look_into_binary || self.hits.count == 0)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.hits.binary |= self.look_into_binary && end.binary_byte_offset().is_some();
        if self.hits.binary {
            self.hits.lines.clear();
        }
        Ok(())
    }
}

/// The part of a long line around `at`, on character boundaries, with … where it goes on.
fn cut_around(bytes: &[u8], at: usize) -> String {
    let mut start = at.saturating_sub(LINE_BYTES / 4);
    let mut end = (start + LINE_BYTES).min(bytes.len());
    start = start.min(end.saturating_sub(LINE_BYTES));
    let inside = |byte: u8| byte & 0xC0 == 0x80;
    // No character has more than three bytes inside; what has more is no text.
    for _ in 0..3 {
        start -= usize::from(start > 0 && inside(bytes[start]));
        end -= usize::from(end < bytes.len() && inside(bytes[end]));
    }
    let before = if start > 0 { "…" } else { "" };
    let after = if end < bytes.len() { "…" } else { "" };
    format!("{before}{}{after}", String::from_utf8_lossy(&bytes[start..end]))
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn a_long_line_keeps_its_match_in_view() {
        let line = format!("{}needle{}", "中".repeat(10_000), "x".repeat(10_000));
        let at = line.find("needle").unwrap();
        let cut = cut_around(line.as_bytes(), at);
        assert!(cut.contains("needle") && cut.starts_with('…') && cut.ends_with('…'), "{cut}");
        assert!(!cut.contains('\u{FFFD}'), "{cut}");
        assert!(cut.len() < LINE_BYTES + 16);
        let end = cut_around(line.as_bytes(), line.len() - 1);
        assert!(!end.ends_with('…') && end.len() >= LINE_BYTES);
        assert!(!cut_around(line.as_bytes(), 0).starts_with('…'));
    }

    #[test]
    fn bytes_that_are_no_text_do_not_break_the_cut() {
        let bytes = vec![0x80; 5_000];
        assert!(!cut_around(&bytes, 2_500).is_empty());
        assert!(!cut_around(&bytes, 4_999).is_empty());
    }
}
