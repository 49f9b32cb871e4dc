//! What is in an archive by its directory, and whether all of it can be unpacked without harm.

use std::{
    collections::{BTreeMap, btree_map::Entry as Slot},
    path::{Path, PathBuf},
    time::SystemTime,
};

use ::zip::{CompressionMethod, System, read::ZipFileEntry};
use deskhand_core::{Cx, ToolError, ToolResult};

use super::{
    archive::Archive,
    limits,
    names::{self, MadeOn},
    times,
};

/// What an entry becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    File,
    Folder,
    /// A link or a device, which is never made.
    Never,
}

/// A file or folder to be made.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its place in the archive; `None` for a folder that only stands in names of others.
    pub index: Option<usize>,
    pub what: What,
    /// Bytes, as the archive has it.
    pub size: u64,
    /// Bytes in the archive.
    pub packed: u64,
    pub mode: Option<u32>,
    pub modified: Option<SystemTime>,
}

impl Entry {
    const IMPLIED_FOLDER: Self =
        Self { index: None, what: What::Folder, size: 0, packed: 0, mode: None, modified: None };
}

/// All that is in an archive, by path: a folder before what is in it.
#[derive(Debug, Default)]
pub struct Contents {
    pub entries: BTreeMap<PathBuf, Entry>,
    /// Bytes of all files.
    pub bytes: u64,
    /// What is not made, with the reason.
    pub skipped: Vec<String>,
}

impl Contents {
    /// Reads the directory of an archive, and nothing else of it. One entry that could do harm, and all of it
    /// is refused.
    pub fn read(archive: &Archive, cx: &Cx) -> ToolResult<Self> {
        let directory = archive.zip.metadata();
        if directory.len() > limits::MOST_ENTRIES {
            return Err(limits::too_many_entries());
        }
        if directory.has_duplicate_names() {
            let message = format!("{} has two entries of the same name.", archive.shown);
            return Err(ToolError::new("duplicate_entry", message).hint(TWICE));
        }
        let mut contents = Self::default();
        let mut ranges = Vec::with_capacity(directory.len());
        for index in 0..directory.len() {
            if index % 256 == 0 {
                cx.check()?;
            }
            let entry = directory.entry(index).map_err(|error| archive.damaged(error))?;
            ranges.push(range(&entry, archive)?);
            contents.add(index, &entry, archive)?;
        }
        check_overlaps(ranges, archive)?;
        limits::check_ratio("The archive", contents.bytes, archive.length)?;
        if contents.made().next().is_none() {
            let error =
                ToolError::new("empty_archive", format!("There is nothing to unpack in {}.", archive.shown));
            return Err(match contents.skipped.first() {
                Some(skipped) => error.hint(format!("{skipped}.")),
                None => error,
            });
        }
        Ok(contents)
    }

    fn add(&mut self, index: usize, entry: &ZipFileEntry<'_>, archive: &Archive) -> ToolResult<()> {
        let made_on = match entry.system() {
            System::Unix | System::OsDarwin => MadeOn::Unix,
            _ => MadeOn::Elsewhere,
        };
        let name = names::read(entry.name_raw(), made_on, || Some(entry.name().ok()?.into_owned()))
            .ok_or_else(|| archive.damaged("a name in it cannot be read"))?;
        let text = name.text();
        let path = names::path_of_name(&name, made_on).map_err(|why| unsafe_name(&text, archive, why))?;
        let what = kind_of(entry, names::is_folder(&text, made_on));
        self.put(&path, index, what, entry, &text)?;
        match what {
            What::File => {
                check_method(entry, &text)?;
                limits::check_ratio(&text, entry.size(), entry.compressed_size())?;
                self.bytes = self.bytes.saturating_add(entry.size());
            }
            What::Folder if entry.size() > 0 => {
                return Err(archive.damaged(format_args!("the folder {text} has content")));
            }
            What::Folder => {}
            What::Never => self.skipped.push(format!("{text}: {}", why_never(entry))),
        }
        Ok(())
    }

    /// Notes an entry and the folders above it, unless something else is there.
    fn put(
        &mut self,
        path: &Path,
        index: usize,
        what: What,
        entry: &ZipFileEntry<'_>,
        text: &str,
    ) -> ToolResult<()> {
        for folder in path.ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty()) {
            match self.entries.get(folder) {
                None => drop(self.entries.insert(folder.to_path_buf(), Entry::IMPLIED_FOLDER)),
                Some(known) if known.what == What::Folder => break,
                Some(_) => return Err(two_of_one_name(&folder.display().to_string())),
            }
        }
        let found = Entry {
            index: Some(index),
            what,
            size: entry.size(),
            packed: entry.compressed_size(),
            mode: mode_of(entry),
            modified: entry.last_modified().and_then(times::from_dos),
        };
        match self.entries.entry(path.to_path_buf()) {
            Slot::Vacant(slot) => drop(slot.insert(found)),
            // A folder may be named after what is in it, and twice: there is one of it.
            Slot::Occupied(mut slot) if (slot.get().what, what) == (What::Folder, What::Folder) => {
                slot.insert(found);
            }
            Slot::Occupied(_) => return Err(two_of_one_name(text)),
        }
        if self.entries.len() > limits::MOST_ENTRIES { Err(limits::too_many_entries()) } else { Ok(()) }
    }

    /// The files and folders to be made.
    pub fn made(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        let made = |(_, entry): &(&PathBuf, &Entry)| entry.what != What::Never;
        self.entries.iter().filter(made).map(|(path, entry)| (path.as_path(), entry))
    }

    pub fn how_many(&self, what: What) -> usize {
        self.entries.values().filter(|entry| entry.what == what).count()
    }
}

const TWICE: &str = "Which of them is meant cannot be told. Nothing was unpacked.";

fn two_of_one_name(text: &str) -> ToolError {
    let message = format!("The archive has {} twice, or as a file and as a folder.", names::shown(text));
    ToolError::new("duplicate_entry", message).hint(TWICE)
}

fn unsafe_name(text: &str, archive: &Archive, why: names::Unfit) -> ToolError {
    let message =
        format!("{} has an entry named \"{}\", which is refused: {why}.", archive.shown, names::shown(text));
    ToolError::new("unsafe_name", message)
        .hint("Nothing was unpacked: such names are made to write elsewhere.")
}

const TYPE_BITS: u32 = 0o170_000;

/// The kind of file that the entry says it is, in the bits of Unix; 0 if it does not say.
fn type_bits(entry: &ZipFileEntry<'_>) -> u32 {
    (entry.external_attributes() >> 16) & TYPE_BITS
}

fn kind_of(entry: &ZipFileEntry<'_>, named_as_folder: bool) -> What {
    const DOS_FOLDER: u32 = 0x10;
    match type_bits(entry) {
        0o040_000 => What::Folder,
        0 | 0o100_000 if named_as_folder => What::Folder,
        0 if entry.external_attributes() & DOS_FOLDER != 0 && entry.size() == 0 => What::Folder,
        0 | 0o100_000 => What::File,
        _ => What::Never,
    }
}

fn why_never(entry: &ZipFileEntry<'_>) -> &'static str {
    match type_bits(entry) {
        0o120_000 => "it is a link, and links in archives are not made",
        _ => "it is a device, a pipe or a socket, and those are not made",
    }
}

/// The permission bits, without those that lend someone's rights.
fn mode_of(entry: &ZipFileEntry<'_>) -> Option<u32> {
    let mode = (entry.external_attributes() >> 16) & 0o777;
    Some(mode).filter(|mode| *mode != 0)
}

fn check_method(entry: &ZipFileEntry<'_>, text: &str) -> ToolResult<()> {
    let shown = names::shown(text);
    if entry.encrypted() || entry.compression() == CompressionMethod::AES {
        return Err(ToolError::new("encrypted", format!("{shown} in the archive is encrypted."))
            .hint("Archives with a password cannot be unpacked by this tool."));
    }
    let name = match entry.compression() {
        CompressionMethod::Stored | CompressionMethod::Deflated => return Ok(()),
        CompressionMethod::DEFLATE64 => "Deflate64".to_owned(),
        CompressionMethod::BZIP2 => "bzip2".to_owned(),
        CompressionMethod::LZMA => "LZMA".to_owned(),
        CompressionMethod::ZSTD => "Zstandard".to_owned(),
        CompressionMethod::XZ => "XZ".to_owned(),
        CompressionMethod::PPMD => "PPMd".to_owned(),
        other => other.to_string(),
    };
    let message = format!("{shown} is compressed with a method that is not supported: {name}.");
    Err(ToolError::new("unsupported_compression", message).hint("Stored and Deflate are supported."))
}

/// Where the bytes of an entry are, at the least: its header and what is compressed.
fn range(entry: &ZipFileEntry<'_>, archive: &Archive) -> ToolResult<(u64, u64)> {
    const LEAST_HEADER: u64 = 30;
    let start = entry.header_start();
    let end = start.checked_add(LEAST_HEADER).and_then(|at| at.checked_add(entry.compressed_size()));
    match end {
        Some(end) if end <= entry.central_header_start() => Ok((start, end)),
        _ => Err(archive.damaged("an entry is said to be where the archive has no room for it")),
    }
}

/// The same bytes unpacked many times over are a bomb without any ratio.
fn check_overlaps(mut ranges: Vec<(u64, u64)>, archive: &Archive) -> ToolResult<()> {
    ranges.sort_unstable();
    if ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0) {
        return Ok(());
    }
    let message = format!(
        "{} has entries that share their bytes, as in an archive made to fill the disk.",
        archive.shown
    );
    Err(ToolError::new("overlapping_entries", message).hint("Nothing was unpacked."))
}
