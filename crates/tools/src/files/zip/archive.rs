//! Opening an archive, and saying in words what is wrong with one.

use std::{
    cell::Cell,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    rc::Rc,
};

use ::zip::{ZipArchive, result::ZipError};
use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::Place;

use super::limits;

/// An open archive, with its directory read and nothing of it believed yet.
pub struct Archive<'a> {
    pub zip: ZipArchive<Watched<'a>>,
    /// Bytes of the whole file.
    pub length: u64,
    pub shown: String,
}

/// A file that is read no further than it may be, and not at all once the call is cancelled.
pub struct Watched<'a> {
    file: File,
    cx: &'a Cx,
    left: Rc<Cell<u64>>,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.cx.check().map_err(io::Error::other)?;
        let count = self.file.read(into)?;
        let left = self.left.get().saturating_sub(count as u64);
        self.left.set(left);
        if left == 0 { Err(io::Error::other("it was read as far as it may be")) } else { Ok(count) }
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl<'a> Archive<'a> {
    pub fn open(place: &Place, cx: &'a Cx) -> ToolResult<Self> {
        let mut file = place.open()?;
        let failed = |error: io::Error| place.io("read", &error);
        let length = file.metadata().map_err(failed)?.len();
        let mut head = Vec::new();
        Read::by_ref(&mut file).take(512).read_to_end(&mut head).map_err(failed)?;
        let left = Rc::new(Cell::new(limits::MOST_DIRECTORY));
        let watched = Watched { file, cx, left: Rc::clone(&left) };
        let zip = ZipArchive::new(watched).map_err(|error| {
            cx.check().err().unwrap_or_else(|| cannot_open(place, &head, left.get(), error))
        })?;
        left.set(u64::MAX);
        Ok(Self { zip, length, shown: place.shown() })
    }

    /// An error that says the archive is not what it should be.
    pub fn damaged(&self, how: impl std::fmt::Display) -> ToolError {
        damaged(&self.shown, how)
    }
}

fn damaged(shown: &str, how: impl std::fmt::Display) -> ToolError {
    ToolError::new(
        "archive_damaged",
        format!("{shown} is damaged or not complete: {how}. Nothing was unpacked."),
    )
    .hint("Get the archive again.")
}

fn cannot_open(place: &Place, head: &[u8], left: u64, error: ZipError) -> ToolError {
    let shown = place.shown();
    match error {
        _ if left == 0 => limits::too_many_entries(),
        ZipError::UnsupportedArchive(what) => {
            ToolError::new("unsupported_archive", format!("{shown} cannot be unpacked: {what}."))
        }
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => place.io("read", &error),
        _ if !head.starts_with(b"PK") => not_a_zip(&shown, head),
        ZipError::InvalidArchive(how) => damaged(&shown, lower_first(&how)),
        _ => damaged(&shown, "it ends too early"),
    }
}

fn not_a_zip(shown: &str, head: &[u8]) -> ToolError {
    let error = ToolError::new("not_a_zip", format!("{shown} is not a ZIP archive."));
    match infer::get(head) {
        Some(kind) => error.hint(format!("It looks like {}.", kind.mime_type())),
        None if head.is_empty() => error.hint("It is empty."),
        None => error,
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    // Not where it is a word in capitals.
    let is_word = text.chars().nth(1).is_some_and(char::is_lowercase);
    match chars.next() {
        Some(first) if is_word => first.to_lowercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
