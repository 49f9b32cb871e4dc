//! Writing what is in an archive into a new folder of ours, where nobody sees it yet.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use deskhand_core::{ToolError, ToolResult, undo::Meta};

use super::{
    super::change::os,
    archive::Archive,
    contents::{Contents, Entry, What},
    limits::{self, Meter},
    times,
};

/// How much is unpacked between two looks at whether to stop.
const PIECE: usize = 256 * 1024;
/// Whoever unpacks a folder must be able to move and remove it.
const OWNER_MAY_ALL: u32 = 0o700;

pub struct Unpacking<'a, 'c> {
    archive: &'a mut Archive<'c>,
    meter: Meter<'c>,
    top: &'a Dir,
    /// The folder that the last entry was put into: the next one is often put there, too.
    last: Option<(PathBuf, Dir)>,
    buffer: Vec<u8>,
}

impl<'a, 'c> Unpacking<'a, 'c> {
    /// `top` is empty, and nobody else's.
    pub fn new(archive: &'a mut Archive<'c>, meter: Meter<'c>, top: &'a Dir) -> Self {
        Self { archive, meter, top, last: None, buffer: vec![0; PIECE] }
    }

    pub fn all(mut self, contents: &Contents) -> ToolResult<()> {
        for (path, entry) in contents.made() {
            match entry.what {
                What::Folder => drop(self.folder(path)?),
                _ => self.file(path, entry)?,
            }
        }
        // Only now, and the innermost first: a folder's own time changes with what is made in it.
        let made: Vec<_> = contents.made().filter(|(_, entry)| entry.what == What::Folder).collect();
        made.into_iter().rev().try_for_each(|(path, entry)| self.finish_folder(path, entry))
    }

    /// The folder at `path`, made where it is not there.
    fn folder(&mut self, path: &Path) -> ToolResult<Dir> {
        let failed = |error: io::Error| ToolError::io("create the folder", path, &error);
        if let Some((last, dir)) = &self.last
            && last == path
        {
            return dir.try_clone().map_err(failed);
        }
        let mut dir = self.top.try_clone().map_err(failed)?;
        for part in path.components() {
            match dir.create_dir(part.as_os_str()) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
                _ => dir = dir.open_dir_nofollow(part.as_os_str()).map_err(failed)?,
            }
        }
        self.last = Some((path.to_path_buf(), dir.try_clone().map_err(failed)?));
        Ok(dir)
    }

    fn file(&mut self, path: &Path, entry: &Entry) -> ToolResult<()> {
        let (parent, name) = self.entry_of(path)?;
        let failed = |error: io::Error| ToolError::io("write", path, &error);
        let create = if entry.mode.is_some() { os::create_private } else { os::create_usual };
        let mut file = create(&parent, name).map_err(failed)?;
        let modified = self.content(path, entry, &mut file)?;
        if let Some(mode) = entry.mode {
            os::set_mode(&file, mode).map_err(failed)?;
        }
        let meta = Meta { modified: modified.or(entry.modified), ..Meta::default() };
        os::set_times(&parent, name, &meta).map_err(failed)
    }

    /// Unpacks the bytes of an entry. Returns its time, where it is known to the second.
    fn content(
        &mut self,
        path: &Path,
        entry: &Entry,
        to: &mut std::fs::File,
    ) -> ToolResult<Option<std::time::SystemTime>> {
        let Some(index) = entry.index else { return Ok(None) };
        let (shown, archive) = (path.display().to_string(), self.archive.shown.clone());
        let damaged = |how: &dyn std::fmt::Display| damaged(&archive, &shown, how);
        self.meter.add(0, &shown)?;
        let mut from = self.archive.zip.by_index(index).map_err(|error| damaged(&error))?;
        let mut written = 0;
        loop {
            let count = match from.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    // Reading stops with an error of its own when the call is cancelled.
                    self.meter.add(0, &shown)?;
                    return Err(damaged(&error));
                }
            };
            written += count as u64;
            self.meter.add(count, &shown)?;
            limits::check_ratio(&shown, written, entry.packed)?;
            to.write_all(&self.buffer[..count]).map_err(|error| ToolError::io("write", path, &error))?;
        }
        if written != entry.size {
            return Err(damaged(&format_args!("it should have {} bytes and has {written}", entry.size)));
        }
        Ok(times::from_unix(from.extra_data_fields()))
    }

    fn finish_folder(&mut self, path: &Path, entry: &Entry) -> ToolResult<()> {
        let failed = |error: io::Error| ToolError::io("create the folder", path, &error);
        let modified = match entry.index {
            Some(index) => {
                self.archive.zip.by_index(index).ok().and_then(|e| times::from_unix(e.extra_data_fields()))
            }
            None => None,
        };
        let (parent, name) = self.entry_of(path)?;
        if let Some(mode) = entry.mode {
            os::set_folder_mode(&parent, name, mode | OWNER_MAY_ALL).map_err(failed)?;
        }
        let meta = Meta { modified: modified.or(entry.modified), ..Meta::default() };
        os::set_times(&parent, name, &meta).map_err(failed)
    }

    fn entry_of<'p>(&mut self, path: &'p Path) -> ToolResult<(Dir, &'p OsStr)> {
        let parent = self.folder(path.parent().unwrap_or(Path::new("")))?;
        Ok((parent, path.file_name().unwrap_or_default()))
    }
}

fn damaged(archive: &str, entry: &str, how: &dyn std::fmt::Display) -> ToolError {
    let message = format!("{entry} in {archive} is damaged: {how}. Nothing was unpacked.");
    ToolError::new("archive_damaged", message).hint("Get the archive again.")
}
