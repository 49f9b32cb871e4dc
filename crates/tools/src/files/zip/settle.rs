//! Putting what was unpacked where it belongs: all of it, or nothing.
//!
//! Everything is unpacked into a hidden folder first, so that whatever is wrong with an archive shows before
//! anything changes. A destination that is not there yet is that folder, renamed. In one that is there, each
//! new folder appears at once, and each file by itself; if one of them cannot, those before it go away again.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use deskhand_core::{Access, Cx, ToolError, ToolResult, undo::Meta};
use deskhand_guard::{PathsOf, Place};

use super::{
    super::change::{Changes, Look, entry_of, os, tree},
    contents::What,
    limits::Meter,
    survey::Survey,
    unpack::Unpacking,
};

/// How much is copied between two looks at whether to stop.
const PIECE: u64 = 16 * 1024 * 1024;

/// Unpacks the archive into its destination.
pub fn settle<'c>(survey: &mut Survey<'c>, changes: &mut Changes<'_>, cx: &'c Cx) -> ToolResult<()> {
    let is_new = !survey.to.exists();
    let beside = if is_new { survey.to.clone() } else { first_place(survey, cx)? };
    let stage = changes.stage(&beside)?;
    let meter = Meter::new(cx, "Unpacking", survey.contents.bytes).within(survey.room);
    Unpacking::new(&mut survey.archive, meter, stage.folder()).all(&survey.contents)?;
    cx.check()?;
    if is_new {
        return changes.put_in_place(stage, &Meta::default());
    }
    let mut merge = Merge { to: &survey.to, unpacked: stage.folder(), changes, cx, done: Vec::new() };
    match merge.all(survey) {
        Ok(()) => Ok(()),
        Err(error) => Err(merge.take_back(error)),
    }
}

/// Where the hidden folder is put: beside the first of the entries, which is in the destination.
fn first_place(survey: &Survey, cx: &Cx) -> ToolResult<Place> {
    let first = survey.contents.made().next().map(|(path, _)| path.to_path_buf()).unwrap_or_default();
    cx.paths()?.below(&survey.to, &first, Access::Modify)
}

/// Entries of a destination that is there already.
struct Merge<'m, 'c> {
    to: &'m Place,
    unpacked: &'m Dir,
    changes: &'m mut Changes<'c>,
    cx: &'m Cx,
    done: Vec<Done>,
}

/// Something that was put in place.
struct Done {
    place: Place,
    /// The name under which what it replaced is kept until all is done.
    old: Option<String>,
}

impl Merge<'_, '_> {
    fn all(&mut self, survey: &Survey) -> ToolResult<()> {
        let mut new_folder: Option<PathBuf> = None;
        for (path, entry) in survey.contents.made() {
            if new_folder.as_ref().is_some_and(|folder| path.starts_with(folder)) {
                continue;
            }
            self.cx.check()?;
            let place = self.cx.paths()?.below(self.to, path, Access::Modify)?;
            match entry.what {
                What::Folder if place.exists() => {}
                What::Folder => {
                    self.put_folder(path, place)?;
                    new_folder = Some(path.to_path_buf());
                }
                _ => self.put_file(path, place)?,
            }
        }
        Ok(())
    }

    fn put_folder(&mut self, path: &Path, place: Place) -> ToolResult<()> {
        let failed = |error: io::Error| place.io("create the folder", &error);
        let (parent, name) = self.unpacked_at(path)?;
        let from = parent.open_dir_nofollow(&name).map_err(failed)?;
        let meta = os::meta_of(&from.dir_metadata().map_err(failed)?);
        let stage = self.changes.stage(&place)?;
        let entries: io::Result<Vec<_>> = from.entries().map_err(failed)?.collect();
        for entry in entries.map_err(failed)? {
            let name = entry.file_name();
            from.rename(&name, stage.folder(), &name).map_err(failed)?;
        }
        self.changes.put_in_place(stage, &meta)?;
        self.done.push(Done { place, old: None });
        Ok(())
    }

    fn put_file(&mut self, path: &Path, place: Place) -> ToolResult<()> {
        let old = if place.exists() { Some(self.keep(&place)?) } else { None };
        let (parent, name) = self.unpacked_at(path)?;
        self.write(&place, &parent, &name)?;
        self.done.push(Done { place, old });
        Ok(())
    }

    /// Keeps a copy of a file that is replaced, until all is done.
    fn keep(&self, place: &Place) -> ToolResult<String> {
        let name = format!(".deskhand-old-{}", self.done.len());
        let failed = |error: io::Error| place.io("keep the old state of", &error);
        let mut to = os::create_private(self.unpacked, name.as_ref()).map_err(failed)?;
        let mut from = place.open()?;
        copy(&mut from, &mut to, Some(self.cx), place)?;
        let meta = os::meta_of(&place.metadata()?);
        os::set_mode(&to, meta.mode.unwrap_or(0o600)).map_err(failed)?;
        os::set_times(self.unpacked, name.as_ref(), &meta).map_err(failed)?;
        Ok(name)
    }

    /// Writes the file at `place` like the one that was unpacked.
    fn write(&mut self, place: &Place, parent: &Dir, name: &str) -> ToolResult<()> {
        let failed = |error: io::Error| place.io("write", &error);
        let mut from = os::open_to_read(parent, name.as_ref()).map_err(failed)?;
        let meta = os::meta_of(&parent.symlink_metadata(name).map_err(failed)?);
        let cx = self.cx;
        self.changes.replace_file(place, Look::Given(meta), |to| copy(&mut from, to, Some(cx), place))?;
        Ok(())
    }

    /// The folder in which something was unpacked, and its name there.
    fn unpacked_at(&self, path: &Path) -> ToolResult<(Dir, String)> {
        let failed = |error: io::Error| ToolError::io("open the folder", path, &error);
        let mut dir = self.unpacked.try_clone().map_err(failed)?;
        let mut parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
        let name = parts.pop().unwrap_or_default().to_owned();
        for part in parts {
            dir = dir.open_dir_nofollow(part).map_err(failed)?;
        }
        Ok((dir, name))
    }

    /// Takes back what was put in place, the last first. The error says so where that failed.
    fn take_back(mut self, error: ToolError) -> ToolError {
        let mut left = Vec::new();
        for Done { place, old } in std::mem::take(&mut self.done).into_iter().rev() {
            let taken = match old {
                None => entry_of(&place).and_then(|(dir, name)| tree::remove(&dir, name, place.path(), None)),
                Some(old) => self.put_back(&place, &old),
            };
            if taken.is_err() {
                left.push(place.shown());
            }
        }
        if left.is_empty() {
            return error;
        }
        let message = format!("{} And this could not be taken back: {}.", error.message, left.join(", "));
        ToolError { message, ..error }
    }

    fn put_back(&mut self, place: &Place, old: &str) -> ToolResult<()> {
        let failed = |error: io::Error| place.io("put back", &error);
        let mut from = os::open_to_read(self.unpacked, old.as_ref()).map_err(failed)?;
        let meta = os::meta_of(&self.unpacked.symlink_metadata(old).map_err(failed)?);
        self.changes.replace_file(place, Look::Given(meta), |to| copy(&mut from, to, None, place))?;
        Ok(())
    }
}

/// Copies a file piece by piece.
fn copy(from: &mut File, to: &mut File, cx: Option<&Cx>, place: &Place) -> ToolResult<()> {
    loop {
        let mut piece = io::Read::take(&mut *from, PIECE);
        let copied = io::copy(&mut piece, to).map_err(|error| place.io("write", &error))?;
        if copied < PIECE {
            return Ok(());
        }
        if let Some(cx) = cx {
            cx.check()?;
        }
    }
}
