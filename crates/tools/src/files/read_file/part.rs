//! Which part of a file a call asks for, and how much of it is read at most.

use deskhand_core::{ToolError, ToolResult};

use super::{super::encoding::Format, Input};

/// Lines that are read where no end is given.
pub(super) const PAGE_LINES: u64 = 2_000;
/// Characters that are read where no end is given: what the gate hands over uncut.
pub(super) const PAGE_CHARS: usize = 28_000;
/// Characters, or bytes, that are read at most, whatever is asked for.
pub(super) const MOST: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// From `start`; to `end`, included, or as far as a page goes.
    Lines {
        start: u64,
        end: Option<u64>,
    },
    Bytes {
        offset: u64,
        limit: Option<u64>,
    },
    Tail {
        lines: u64,
    },
}

/// What a call asks for, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub part: Part,
    /// Whether nothing but the file itself was asked for: an image is then given as one.
    pub whole: bool,
    pub line_numbers: bool,
    pub format: Option<Format>,
}

impl Request {
    pub fn new(input: &Input) -> ToolResult<Self> {
        let lines = input.start_line.is_some() || input.end_line.is_some();
        let bytes = input.offset.is_some() || input.limit.is_some();
        let tail = input.tail.is_some();
        if u8::from(lines) + u8::from(bytes) + u8::from(tail) > 1 {
            return Err(contradiction(
                "start_line and end_line (lines), offset and limit (bytes) and tail do not go together",
            ));
        }
        if bytes && input.line_numbers {
            return Err(contradiction("line_numbers does not go with offset and limit, which count bytes"));
        }
        let start = input.start_line.unwrap_or(1);
        if let Some(end) = input.end_line.filter(|end| *end < start) {
            return Err(contradiction(&format!("end_line {end} is before start_line {start}")));
        }
        let part = match input.tail {
            Some(lines) => Part::Tail { lines },
            None if bytes => Part::Bytes { offset: input.offset.unwrap_or(0), limit: input.limit },
            None => Part::Lines { start, end: input.end_line },
        };
        let whole = !lines && !bytes && !tail && input.encoding.is_none();
        let format = input.encoding.as_deref().map(format).transpose()?;
        Ok(Self { part, whole, line_numbers: input.line_numbers, format })
    }
}

fn contradiction(why: &str) -> ToolError {
    ToolError::invalid("invalid_arguments", format!("{why}."))
}

fn format(label: &str) -> ToolResult<Format> {
    Format::named(label).ok_or_else(|| {
        let shown: String = label.chars().take(40).collect();
        ToolError::invalid("unknown_encoding", format!("{shown:?} is no encoding that is known here."))
            .hint("Known are utf-8, utf-16le, utf-16be, gb18030, big5, shift_jis, euc-kr, windows-1252 and the like.")
    })
}
