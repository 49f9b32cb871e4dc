//! A range of lines, found by streaming: what comes before it is counted and not kept, what comes after it
//! is not read.

use std::{
    fs::File,
    io::{self, Read},
};

use deskhand_core::Cx;

use super::{bytes, newline::Newline};
use crate::files::encoding::Format;

const BLOCK: usize = 256 * 1024;
const SMALLEST_BLOCK: u64 = 8 * 1024;

/// A file, block by block, in one buffer.
pub(super) struct Blocks<'a> {
    file: &'a File,
    cx: &'a Cx,
    buffer: Vec<u8>,
    /// What of the buffer is still to be looked at.
    at: usize,
    end: usize,
    /// Where in the file the end of the buffer is.
    position: u64,
    /// Whether the end of the file was met.
    is_last: bool,
}

impl<'a> Blocks<'a> {
    /// From where the file stands, which is `position`. A small file needs no large buffer.
    pub fn new(file: &'a File, position: u64, size: u64, cx: &'a Cx) -> Self {
        let block = size.clamp(SMALLEST_BLOCK, BLOCK as u64).next_power_of_two();
        let block = usize::try_from(block).unwrap_or(BLOCK);
        Self { file, cx, buffer: vec![0; block], at: 0, end: 0, position, is_last: false }
    }

    /// Of a file that was read whole, from `position` on.
    pub fn of_whole(bytes: Vec<u8>, position: usize, file: &'a File, cx: &'a Cx) -> Self {
        let end = bytes.len();
        Self { file, cx, buffer: bytes, at: position.min(end), end, position: end as u64, is_last: true }
    }

    /// What is left of the current block; the next one where nothing is; nothing at the end of the file.
    pub fn rest(&mut self) -> io::Result<&[u8]> {
        if self.at == self.end && !self.is_last {
            self.cx.check().map_err(|error| io::Error::other(error.message))?;
            (self.at, self.end) = (0, fill(self.file, &mut self.buffer)?);
            self.position += self.end as u64;
            self.is_last = self.end < self.buffer.len();
        }
        Ok(&self.buffer[self.at..self.end])
    }

    pub fn consume(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Where in the file the rest starts.
    pub fn offset(&self) -> u64 {
        self.position - (self.end - self.at) as u64
    }
}

/// Reads until the buffer is full or the file ends, so that blocks keep their alignment.
pub(super) fn fill(mut file: &File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub start: u64,
    /// Lines that were asked for.
    pub lines: u64,
    /// Lines that are read at most.
    pub most_lines: u64,
    /// Characters that are read at most.
    pub most_chars: usize,
    /// Characters that each line takes besides its own: its number.
    pub extra: usize,
}

/// Why the reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Everything was read that was asked for, or the file ended.
    Done,
    /// There was no room for more lines.
    Full,
    /// The one line is too long; this is where its rest starts.
    InLine(u64),
}

#[derive(Debug)]
pub(super) struct Lines {
    pub content: Vec<u8>,
    pub count: u64,
    /// Of the file, where its end was met.
    pub total: Option<u64>,
    pub stop: Stop,
}

pub(super) fn collect(blocks: &mut Blocks<'_>, format: Format, wanted: &Wanted) -> io::Result<Lines> {
    let newline = Newline::of(format.encoding);
    if let Some(total) = skip(blocks, newline, wanted.start - 1)? {
        return Ok(Lines { content: Vec::new(), count: 0, total: Some(total), stop: Stop::Done });
    }
    let (content, count, stop) = take(blocks, format, wanted)?;
    let at_end = stop == Stop::Done && blocks.rest()?.is_empty();
    let before = wanted.start - 1;
    Ok(Lines { content, count, total: at_end.then_some(before + count), stop })
}

/// Goes past `lines` lines. If the file has fewer, says how many it has.
fn skip(blocks: &mut Blocks<'_>, newline: Newline, lines: u64) -> io::Result<Option<u64>> {
    let mut left = lines;
    let mut in_line = false;
    while left > 0 {
        let block = blocks.rest()?;
        if block.is_empty() {
            return Ok(Some(lines - left + u64::from(in_line)));
        }
        let ends = newline.count(block);
        let past = if ends < left {
            in_line = !newline.is_at_end_of(block);
            left -= ends;
            block.len()
        } else {
            let nth = usize::try_from(left - 1).unwrap_or(usize::MAX);
            left = 0;
            newline.ends(block).nth(nth).unwrap_or(block.len())
        };
        blocks.consume(past);
    }
    Ok(None)
}

fn take(blocks: &mut Blocks<'_>, format: Format, wanted: &Wanted) -> io::Result<(Vec<u8>, u64, Stop)> {
    let newline = Newline::of(format.encoding);
    let mut content = Vec::new();
    let mut count = 0;
    // Of the line that is being read.
    let (mut line_start, mut line_offset) = (0, blocks.offset());
    let mut room = wanted.most_chars;
    let mut chars = 0;
    loop {
        let enough = count == wanted.lines;
        let block = blocks.rest()?;
        if enough || block.is_empty() {
            let open = u64::from(content.len() > line_start);
            return Ok((content, count + open, Stop::Done));
        }
        if count == wanted.most_lines {
            return Ok((content, count, Stop::Full));
        }
        let end = newline.first(block);
        let piece = &block[..end.unwrap_or(block.len())];
        chars += newline.chars(piece);
        content.extend_from_slice(piece);
        let taken = piece.len();
        blocks.consume(taken);
        if chars + wanted.extra > room {
            if count > 0 {
                content.truncate(line_start);
                return Ok((content, count, Stop::Full));
            }
            let kept = bytes::floor(format.encoding, &content, wanted.most_chars.min(content.len()));
            content.truncate(kept);
            return Ok((content, 1, Stop::InLine(line_offset + kept as u64)));
        }
        if end.is_some() {
            count += 1;
            room -= chars + wanted.extra;
            chars = 0;
            line_start = content.len();
            line_offset = blocks.offset();
        }
    }
}
