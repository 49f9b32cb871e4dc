//! A text file that is there already: what it is like, and what it takes to write it in the same way.

use std::io::{self, Read, Seek, SeekFrom};

use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::{Kind, Place};

use super::encoding::{self, Format, LineEnds, Sample};

/// The largest file that is held in memory whole.
pub const MOST_HELD: u64 = 64 * 1024 * 1024;

/// What there is to be written over or added to.
pub struct Present {
    pub size: u64,
    /// `None`: it is not text.
    pub format: Option<Format>,
    /// By the start of it.
    pub line_ends: LineEnds,
    /// Whether the start and the end of it are ASCII alone.
    pub is_ascii: bool,
    /// How many other names it has.
    pub other_names: u64,
}

impl Present {
    /// `None` where there is nothing. What is there and is no file is an error.
    pub fn look(place: &Place) -> ToolResult<Option<Self>> {
        if place.kind() == Kind::Absent {
            return Ok(None);
        }
        let meta = place.metadata()?;
        let (start, extent) = read_start(place, meta.len())?;
        let mut format = encoding::detect(&start, extent);
        let mut is_ascii = start.is_ascii();
        if extent == Sample::Start && format.is_some_and(|format| encoding::is_plain(format, &start)) {
            let end = read_end(place, start.len() as u64)?;
            is_ascii = end.is_ascii();
            format = Some(encoding::detect_after_plain(&end));
        }
        Ok(Some(Self {
            size: meta.len(),
            format,
            line_ends: format.map_or(LineEnds::None, |format| LineEnds::of(&format.decode(&start).text)),
            is_ascii,
            other_names: super::change::os::names_of(&meta).saturating_sub(1),
        }))
    }

    /// Whether the end of the file is text in this format.
    pub fn fits_end(&self, place: &Place, format: Format) -> ToolResult<bool> {
        // Pairs of bytes are taken from where they start.
        let from = self.size.saturating_sub(encoding::SAMPLE as u64) & !1;
        let end = read_from(place, from)?;
        Ok(format.fits_end(if from == 0 { end.strip_prefix(format.mark()).unwrap_or(&end) } else { &end }))
    }
}

/// How much of the end of a file is looked at where its start tells nothing.
const MOST_OF_THE_END: u64 = 4 * 1024 * 1024;

/// The end of a file, from a whole line on where there are lines, but nothing before `after`.
fn read_end(place: &Place, after: u64) -> ToolResult<Vec<u8>> {
    let from = place.metadata()?.len().saturating_sub(MOST_OF_THE_END);
    if from <= after {
        return read_from(place, after);
    }
    let mut end = read_from(place, from)?;
    // No character but a line end has this byte in it.
    let line = memchr::memchr(b'\n', &end).map_or(0, |at| at + 1);
    end.drain(..line);
    Ok(end)
}

fn read_from(place: &Place, from: u64) -> ToolResult<Vec<u8>> {
    let failed = |error: io::Error| place.io("read", &error);
    let mut file = place.open()?;
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MOST_HELD).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn read_start(place: &Place, size: u64) -> ToolResult<(Vec<u8>, Sample)> {
    let mut start = Vec::new();
    let mut file = place.open()?;
    let most = encoding::SAMPLE as u64;
    file.by_ref().take(most).read_to_end(&mut start).map_err(|error| place.io("read", &error))?;
    Ok((start, if size > most { Sample::Start } else { Sample::Whole }))
}

/// All bytes of a file, if they are not too many to be held.
pub fn read_whole(place: &Place, most: u64) -> ToolResult<Vec<u8>> {
    let mut bytes = Vec::new();
    place.open()?.take(most + 1).read_to_end(&mut bytes).map_err(|error| place.io("read", &error))?;
    if bytes.len() as u64 > most {
        let message = format!("{} has more than {most} bytes, which is too much for this.", place.shown());
        return Err(ToolError::new("file_too_large", message));
    }
    Ok(bytes)
}

/// A text as it is, whole.
pub struct Whole {
    pub bytes: Vec<u8>,
    pub format: Format,
    pub text: String,
}

impl Whole {
    /// A file that is no text, or whose bytes would not come back as they are, is an error.
    pub fn read(place: &Place) -> ToolResult<Self> {
        let bytes = read_whole(place, MOST_HELD)?;
        let Some(format) = encoding::detect_whole(&bytes) else {
            let message = format!("{} is a binary file, not text.", place.shown());
            return Err(ToolError::new("binary_file", message)
                .hint("Only text can be edited. `write_file` replaces the whole file."));
        };
        if !format.is_faithful(&bytes) {
            let name = format.name();
            let message = format!(
                "{} has bytes in it that are no {name} text: editing would spoil them.",
                place.shown()
            );
            return Err(ToolError::new("malformed_text", message)
                .hint("Write the whole file with `write_file`, or repair the encoding first."));
        }
        let text = format.decode(&bytes).text;
        Ok(Self { bytes, format, text })
    }
}

/// The error for a character that an encoding cannot hold.
pub fn cannot_encode(place: &Place, format: Format, c: char, text: &str) -> ToolError {
    let line = text.find(c).map_or(1, |at| text[..at].matches('\n').count() + 1);
    let (name, code) = (format.name(), u32::from(c));
    let message = format!(
        "The character {c:?} (U+{code:04X}, line {line} of the text) cannot be written in {name}, the encoding of {}.",
        place.shown()
    );
    ToolError::new("cannot_encode", message)
        .hint("Leave that character out, or rewrite the whole file with `write_file` and encoding \"utf-8\".")
}
