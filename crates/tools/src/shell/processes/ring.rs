//! The newest lines of a stream.

use std::collections::VecDeque;

use super::super::capture::lossy;

/// How many lines are kept, and how many bytes.
const MOST_LINES: usize = 5_000;
const MOST_BYTES: usize = 8 << 20;
/// A longer line is several.
const LONGEST: usize = 64 * 1024;

/// Lines by their number, which counts from the first that was ever printed.
#[derive(Default)]
pub struct Ring {
    lines: VecDeque<Vec<u8>>,
    /// The number of the first line that is still here.
    first: u64,
    bytes: usize,
    /// A line that has not ended yet: a prompt, perhaps.
    unfinished: Vec<u8>,
}

/// What was printed after a cursor.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    pub text: String,
    /// How many bytes of the text are lines that have ended.
    pub ended: usize,
    /// The cursor that goes on from here. An unfinished line is shown and not counted.
    pub next: u64,
    /// How many lines after the cursor are no longer here.
    pub dropped: u64,
}

impl Ring {
    pub fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = LONGEST - self.unfinished.len();
            let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1).min(room);
            let (piece, rest) = bytes.split_at(end);
            self.unfinished.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.unfinished.len() == LONGEST {
                self.push();
            }
            bytes = rest;
        }
    }

    fn push(&mut self) {
        let line = std::mem::take(&mut self.unfinished);
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.lines.len() > MOST_LINES || self.bytes > MOST_BYTES {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= oldest.len();
            self.first += 1;
        }
    }

    /// How many lines there have been, the unfinished one not counted.
    pub fn total(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    /// Numbers the lines so that there have been `total` of them.
    pub fn counted_to(mut self, total: u64) -> Self {
        self.first = total.saturating_sub(self.lines.len() as u64);
        self
    }

    pub fn since(&self, cursor: u64) -> Page {
        let from = cursor.clamp(self.first, self.total());
        let skip = usize::try_from(from - self.first).unwrap_or(usize::MAX);
        // Joined before they are read as text: a line that was split may have been split within a character.
        let mut bytes: Vec<u8> = self.lines.iter().skip(skip).flatten().copied().collect();
        let ended = lossy(&bytes).len();
        bytes.extend_from_slice(&self.unfinished);
        let text = lossy(&bytes);
        // A character that is only half there looks shorter or longer than it will be.
        let ended = text.floor_char_boundary(ended);
        Page { text, ended, next: self.total(), dropped: self.first.saturating_sub(cursor) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_goes_on_where_it_was() {
        let mut ring = Ring::default();
        ring.take("one\ntwo\nthr".as_bytes());
        assert_eq!(ring.since(0), Page { text: "one\ntwo\nthr".into(), ended: 8, next: 2, dropped: 0 });
        ring.take(b"ee\n");
        assert_eq!(ring.since(2), Page { text: "three\n".into(), ended: 6, next: 3, dropped: 0 });
        assert_eq!(ring.since(3), Page { text: String::new(), ended: 0, next: 3, dropped: 0 });
        assert_eq!(ring.since(u64::MAX).text, "", "a cursor from nowhere finds nothing");
    }

    #[test]
    fn the_newest_five_thousand_lines_are_kept() {
        let mut ring = Ring::default();
        for n in 0..7_000 {
            ring.take(format!("{n}\n").as_bytes());
        }
        let page = ring.since(0);
        assert_eq!((page.next, page.dropped, page.text.lines().count()), (7_000, 2_000, 5_000));
        assert!(page.text.starts_with("2000\n") && page.text.ends_with("6999\n"));
    }

    #[test]
    fn a_line_without_end_is_split_and_bounded() {
        let mut ring = Ring::default();
        let text = "中".repeat(100_000);
        for piece in text.as_bytes().chunks(1_000) {
            ring.take(piece);
        }
        assert_eq!(ring.total(), 300_000 / LONGEST as u64);
        assert_eq!(ring.since(0).text, text, "no character is broken where it was split");
        for _ in 0..200 {
            ring.take(&vec![b'x'; LONGEST]);
        }
        assert!(ring.bytes <= MOST_BYTES && ring.lines.iter().map(Vec::len).sum::<usize>() == ring.bytes);
    }
}
