//! The last lines of a file, read backwards.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom},
};

use deskhand_core::Cx;

use super::{lines::fill, newline::Newline};

const BLOCK: usize = 64 * 1024;

/// The end of a file.
#[derive(Debug)]
pub(super) struct Tail {
    pub content: Vec<u8>,
    /// Where in the file it starts.
    pub offset: u64,
    pub lines: u64,
    /// Whether fewer lines were read than were asked for, for want of room.
    pub cut: bool,
}

/// `start` is where the text starts (after a byte order mark), `size` where it ends.
pub(super) fn read(
    mut file: &File,
    newline: Newline,
    (start, size): (u64, u64),
    lines: u64,
    most: usize,
    cx: &Cx,
) -> io::Result<Tail> {
    let mut content: Vec<u8> = Vec::new();
    let mut offset = size.max(start);
    let mut buffer = vec![0; BLOCK];
    // The end of the last line does not start another.
    let wanted = |content: &[u8]| lines.saturating_add(u64::from(newline.is_at_end_of(content)));
    while offset > start && content.len() < most && newline.count(&content) < wanted(&content) {
        cx.check().map_err(|error| io::Error::other(error.message))?;
        let length = usize::try_from(offset - start).unwrap_or(BLOCK).min(aligned(offset, start));
        offset -= length as u64;
        file.seek(SeekFrom::Start(offset))?;
        let filled = fill(file, &mut buffer[..length])?;
        if filled < length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it shrank while it was read"));
        }
        content.splice(0..0, buffer[..length].iter().copied());
    }
    Ok(trim(content, offset, newline, lines, most, offset == start))
}

/// A block's length so that it starts at an even distance from the start.
fn aligned(offset: u64, start: u64) -> usize {
    if (offset - start).is_multiple_of(2) { BLOCK } else { BLOCK - 1 }
}

/// Takes off what is too much at the front: lines beyond those wanted, or beyond the room there is.
fn trim(
    mut content: Vec<u8>,
    offset: u64,
    newline: Newline,
    lines: u64,
    most: usize,
    from_start: bool,
) -> Tail {
    let mut ends: Vec<usize> = newline.ends(&content).filter(|end| *end < content.len()).collect();
    let mut starts = Vec::with_capacity(ends.len() + 1);
    if from_start && !content.is_empty() {
        starts.push(0);
    }
    starts.append(&mut ends);
    let wanted = usize::try_from(lines).unwrap_or(usize::MAX);
    let first_wanted = starts.len().saturating_sub(wanted);
    let fits = |at: &usize| content.len() - at <= most;
    let found = starts.iter().enumerate().skip(first_wanted).find(|(_, at)| fits(at));
    let (at, count) = match found {
        Some((index, at)) => (*at, starts.len() - index),
        // Not even the last line fits: its end is all there is room for.
        None => (
            content.len().saturating_sub(most) / newline.unit() * newline.unit(),
            usize::from(!content.is_empty()),
        ),
    };
    let is_first = from_start && at == 0;
    let cut = !is_first && (found.is_none() || count < wanted);
    content.drain(..at);
    Tail { offset: offset + at as u64, content, lines: count as u64, cut }
}
