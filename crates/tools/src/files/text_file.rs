//! A text file that is there already: what it is like, and what it takes to write it in the same way.

use std::io::Read;

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
    /// Whether the start of it is ASCII alone.
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
        let format = encoding::detect(&start, extent);
        Ok(Some(Self {
            size: meta.len(),
            format,
            line_ends: format.map_or(LineEnds::None, |format| LineEnds::of(&format.decode(&start).text)),
            is_ascii: start.is_ascii(),
            other_names: super::change::os::names_of(&meta).saturating_sub(1),
        }))
    }
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
        let start = &bytes[..bytes.len().min(encoding::SAMPLE)];
        let extent = if start.len() < bytes.len() { Sample::Start } else { Sample::Whole };
        let Some(format) = encoding::detect(start, extent) else {
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
