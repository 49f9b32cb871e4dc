//! What is at a path, in the words of the undo journal; and whether it is what the journal says.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read, Seek, Write},
    path::Path,
};

use cap_std::fs::{Dir, Metadata};
use deskhand_core::{
    Cx, Fingerprint, ToolResult,
    undo::{Meta, PathState},
};
use deskhand_guard::Place;
use sha2::{Digest, Sha256};

use super::{super::counted::counted, os, tree};

/// Files larger than this are not hashed: their size and time stand for their content.
pub const MOST_HASHED: u64 = 64 * 1024 * 1024;

/// SHA-256, hex, of what is read from here on; empty where it is too much.
pub fn hash(file: &mut File, size: u64) -> io::Result<String> {
    if size > MOST_HASHED { Ok(String::new()) } else { hash_rest(file) }
}

/// SHA-256, hex, of the file from `start` on.
pub fn hash_from(file: &mut File, start: u64) -> io::Result<String> {
    file.seek(io::SeekFrom::Start(start))?;
    hash_rest(file)
}

/// SHA-256, hex, of a file that the journal keeps.
pub fn hash_at(path: &Path) -> io::Result<String> {
    hash_rest(&mut File::open(path)?)
}

fn hash_rest(file: &mut File) -> io::Result<String> {
    let mut hasher = Hasher::new(io::sink());
    io::copy(file, &mut hasher)?;
    Ok(hasher.hex())
}

/// Hashes what is written through it.
pub struct Hasher<W> {
    to: W,
    hash: Sha256,
}

impl<W: Write> Hasher<W> {
    pub fn new(to: W) -> Self {
        Self { to, hash: Sha256::new() }
    }

    pub fn hex(self) -> String {
        hex(&self.hash.finalize())
    }
}

impl<W: Write> Write for Hasher<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Copies a file into another, hashing it on the way where it is not too large.
pub fn copy_hashed(from: &mut File, to: &mut File, size: u64) -> io::Result<(u64, String)> {
    if size > MOST_HASHED {
        return Ok((io::copy(from, to)?, String::new()));
    }
    let mut hasher = Hasher::new(to);
    let copied = io::copy(from, &mut hasher)?;
    Ok((copied, hasher.hex()))
}

/// The state of a file that is open, with nothing of it kept.
pub fn of_file(file: &mut File, meta: Meta) -> io::Result<PathState> {
    let size = file.metadata()?.len();
    file.rewind()?;
    Ok(PathState::File { size, sha256: hash(file, size)?, meta, kept: None })
}

/// The state of an entry of a folder, itself. A tree is not looked into.
pub fn of_entry(parent: &Dir, name: &OsStr) -> io::Result<PathState> {
    let meta = match parent.symlink_metadata(name) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PathState::Absent),
        Err(error) => return Err(error),
    };
    let known = os::meta_of(&meta);
    if meta.is_symlink() {
        Ok(PathState::Link { target: parent.read_link_contents(name)?, meta: known })
    } else if meta.is_dir() {
        Ok(PathState::Folder { meta: known, kept: None })
    } else if meta.is_file() {
        match os::open_to_read(parent, name) {
            Ok(mut file) => of_file(&mut file, known),
            // What may be moved and not be read: size and time have to stand for its content.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Ok(PathState::File { size: meta.len(), sha256: String::new(), meta: known, kept: None })
            }
            Err(error) => Err(error),
        }
    } else if os::is_pipe(&meta) {
        Ok(PathState::Pipe { meta: known })
    } else {
        Err(io::Error::new(io::ErrorKind::Unsupported, "it is a socket or a device"))
    }
}

/// How what is at `place` differs from `state`, in words; `None` if it does not. `kept` is the folder of the
/// journal's entry, `ours` tells which entries of a folder do not count.
pub fn difference(
    place: &Place,
    state: &PathState,
    kept: &Path,
    ours: &dyn Fn(&Path) -> bool,
    cx: &Cx,
) -> ToolResult<Option<String>> {
    let meta = match place.metadata() {
        Ok(meta) => meta,
        Err(_) if matches!(state, PathState::Absent) => return Ok(None),
        Err(_) => return Ok(Some("it is not there any more".to_owned())),
    };
    Ok(match state {
        PathState::Absent => Some(format!("there is a {} now", kind_word(&meta))),
        PathState::File { size, sha256, meta: was, .. } => file_differs(place, &meta, *size, sha256, was)?,
        PathState::Link { target, .. } => link_differs(place, &meta, target),
        PathState::Folder { meta: was, kept: listing } => {
            if !meta.is_dir() {
                return Ok(Some(format!("it is a {} now", kind_word(&meta))));
            }
            match listing {
                Some(name) => tree::differs_from_listing(place, &kept.join(name), cx)?,
                None => filled(place, ours)?,
            }
            .or_else(|| mode_differs(&meta, was))
        }
        PathState::Pipe { meta: was } if os::is_pipe(&meta) => mode_differs(&meta, was),
        PathState::Pipe { .. } => Some(format!("it is a {} now", kind_word(&meta))),
        PathState::Prefix { size } => {
            (!meta.is_file() || meta.len() != *size).then(|| other_size(meta.len(), *size))
        }
    })
}

fn kind_word(meta: &Metadata) -> &'static str {
    if meta.is_symlink() {
        "link"
    } else if meta.is_dir() {
        "folder"
    } else if os::is_pipe(meta) {
        "pipe"
    } else {
        "file"
    }
}

/// That a file has another size.
pub fn other_size(now: u64, was: u64) -> String {
    format!("it has {} now, and had {was}", counted(now, "byte"))
}

fn file_differs(
    place: &Place,
    meta: &Metadata,
    size: u64,
    sha256: &str,
    was: &Meta,
) -> ToolResult<Option<String>> {
    if !meta.is_file() {
        return Ok(Some(format!("it is a {} now", kind_word(meta))));
    }
    if meta.len() != size {
        return Ok(Some(other_size(meta.len(), size)));
    }
    let same = if sha256.is_empty() {
        was.modified.is_none() || os::meta_of(meta).modified == was.modified
    } else {
        hash_from(&mut place.open()?, 0).map_err(|error| place.io("read", &error))? == sha256
    };
    Ok(if same { mode_differs(meta, was) } else { Some("its content was changed".to_owned()) })
}

/// How the mode differs, in words.
pub fn mode_differs(meta: &Metadata, was: &Meta) -> Option<String> {
    match (os::mode_of(meta), was.mode) {
        (Some(now), Some(was)) if now != was => Some(format!("its mode is {now:o} now, and was {was:o}")),
        _ => None,
    }
}

fn link_differs(place: &Place, meta: &Metadata, target: &Path) -> Option<String> {
    if !meta.is_symlink() {
        return Some(format!("it is a {} now", kind_word(meta)));
    }
    let now = place.parent().ok()?.read_link_contents(place.name()?).ok()?;
    (now != target).then(|| format!("the link leads to {} now", now.display()))
}

/// A folder that was empty must be so, but for what this undo takes away itself.
fn filled(place: &Place, ours: &dyn Fn(&Path) -> bool) -> ToolResult<Option<String>> {
    let entries = place.folder()?.entries().map_err(|error| place.io("read the folder", &error))?;
    for entry in entries {
        let name = entry.map_err(|error| place.io("read the folder", &error))?.file_name();
        if !ours(&place.path().join(&name)) {
            let name = deskhand_guard::paths::show_name(&name);
            return Ok(Some(format!("there is something in it now that was not made then: {name}")));
        }
    }
    Ok(None)
}

/// Which file is at a path of the journal's own.
pub fn identity_at(path: &Path) -> Option<Fingerprint> {
    let (folder, name) = (path.parent()?, path.file_name()?);
    let folder = Dir::open_ambient_dir(folder, cap_std::ambient_authority()).ok()?;
    Some(super::identity(&folder.symlink_metadata(name).ok()?))
}

/// Reads all of a small file; used for what the journal itself keeps.
pub fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
