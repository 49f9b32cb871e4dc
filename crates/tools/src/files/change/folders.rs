//! Making folders: empty ones, and whole trees that appear at once.

use std::{ffi::OsString, path::Path};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use deskhand_core::{
    ToolResult,
    undo::{Meta, PathState},
};
use deskhand_guard::{Kind, Place};

use super::{Changes, entry_of, keeping, moves::Content, os, tree};

impl Changes<'_> {
    /// Makes a folder and those above it that are missing. Returns how many were made.
    pub fn create_folders(&mut self, place: &Place) -> ToolResult<usize> {
        let made = self.make_folders_for(place)?;
        match place.kind() {
            Kind::Folder => Ok(made),
            Kind::Absent => {
                self.create_folder(place)?;
                Ok(made + 1)
            }
            _ => Err(place.io("create the folder", &std::io::ErrorKind::AlreadyExists.into())),
        }
    }

    /// Makes the folders that a place needs above it. Returns how many were made.
    pub fn make_folders_for(&mut self, place: &Place) -> ToolResult<usize> {
        let missing = place.missing_folders();
        for folder in &missing {
            self.create_folder(folder)?;
        }
        Ok(missing.len())
    }

    fn create_folder(&mut self, place: &Place) -> ToolResult<()> {
        let (parent, name) = entry_of(place)?;
        // Which mode it gets is the system's choice.
        self.record_change(
            place,
            PathState::Absent,
            PathState::Folder { meta: Meta::default(), kept: None },
        )?;
        parent.create_dir(name).map_err(|error| place.io("create the folder", &error))?;
        self.made.push(place.clone());
        self.happened(place);
        os::sync_folder(&parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// Makes a folder as it once was.
    pub fn restore_folder(&mut self, place: &Place, meta: &Meta) -> ToolResult<()> {
        self.create_folders(place)?;
        let (parent, name) = entry_of(place)?;
        if let Some(mode) = meta.mode {
            os::set_folder_mode(&parent, name, mode).map_err(|error| place.io("set the mode of", &error))?;
        }
        os::set_times(&parent, name, meta).map_err(|error| place.io("set the times of", &error))
    }

    /// Sets the mode of a folder, whatever is in it.
    pub fn set_folder_mode(&mut self, place: &Place, meta: &Meta) -> ToolResult<()> {
        let (parent, name) = entry_of(place)?;
        let found = place.metadata()?;
        self.as_planned(place)?;
        let (Some(mode), Some(old)) = (meta.mode, os::mode_of(&found)) else { return Ok(()) };
        self.record_change(place, folder_mode(old), folder_mode(mode))?;
        os::set_mode_at(&parent, name, os::identity_of(&found), mode)
            .map_err(|error| place.io("set the mode of", &error))?;
        self.happened(place);
        Ok(())
    }

    /// Removes a folder with nothing in it: into the journal, where that is near enough, so that it will be the
    /// same folder if it comes back.
    pub fn remove_empty_folder(&mut self, place: &Place) -> ToolResult<()> {
        let (parent, name) = entry_of(place)?;
        let found = place.metadata()?;
        self.as_planned(place)?;
        if self.move_into_journal(place, &parent, name, &found, Content::MustBeEmpty)? {
            return Ok(());
        }
        let meta = os::meta_of(&found);
        self.record_change(place, PathState::Folder { meta, kept: None }, PathState::Absent)?;
        parent.remove_dir(name).map_err(|error| place.io("remove the folder", &error))?;
        self.happened(place);
        os::sync_folder(&parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// A new folder beside `place`, where nothing is yet, to be filled and then put there by
    /// [`Self::put_in_place`]. If it is not, it goes away again.
    pub fn stage(&mut self, place: &Place) -> ToolResult<Stage> {
        self.make_folders_for(place)?;
        let (parent, _) = entry_of(place)?;
        self.clear_leftovers(place, &parent);
        let name = self.passing_name();
        let failed = |error: std::io::Error| place.io("create the folder", &error);
        parent.create_dir(&name).map_err(failed)?;
        let folder = parent.open_dir_nofollow(&name).map_err(failed)?;
        Ok(Stage { place: place.clone(), parent, name, folder, in_place: false })
    }

    /// Puts a filled folder where it belongs, at once, with this mode and these times.
    pub fn put_in_place(&mut self, mut stage: Stage, meta: &Meta) -> ToolResult<()> {
        let place = stage.place.clone();
        let failed = |error: std::io::Error| place.io("create the folder", &error);
        let (_, name) = entry_of(&place)?;
        if let Some(mode) = meta.mode {
            os::set_folder_mode(&stage.parent, &stage.name, mode).map_err(failed)?;
        }
        os::set_times(&stage.parent, &stage.name, meta).map_err(failed)?;
        os::sync_tree(&stage.folder).map_err(failed)?;
        let after = self.listed(&place, &stage.folder, meta.clone())?;
        self.record_change(&place, PathState::Absent, after)?;
        os::rename_new(&stage.parent, &stage.name, &stage.parent, name).map_err(failed)?;
        stage.in_place = true;
        self.happened(&place);
        os::sync_folder(&stage.parent).map_err(|error| place.io("bring to disk", &error))
    }

    /// The state of a folder with a listing of what is in it.
    pub(super) fn listed(&mut self, place: &Place, folder: &Dir, meta: Meta) -> ToolResult<PathState> {
        let Some(kept) = self.kept_folder(0)? else {
            return Ok(PathState::Folder { meta, kept: None });
        };
        let listing = tree::list(folder, place.path(), self.cx)?;
        if listing.is_empty() {
            return Ok(PathState::Folder { meta, kept: None });
        }
        let text = serde_json::to_vec(&listing).map_err(|error| keeping(place, &error.into()))?;
        self.kept_folder(text.len() as u64)?;
        let name = self.kept_name("list");
        super::create_kept(&kept, &name)
            .and_then(|mut file| std::io::Write::write_all(&mut file, &text))
            .map_err(|error| keeping(place, &error))?;
        Ok(PathState::Folder { meta, kept: Some(name) })
    }
}

/// The state of a folder of which nothing but the mode counts: on both sides of a step.
pub(super) fn folder_mode(mode: u32) -> PathState {
    PathState::Folder { meta: Meta { mode: Some(mode), ..Meta::default() }, kept: None }
}

/// A folder that is being filled.
pub struct Stage {
    place: Place,
    parent: Dir,
    name: OsString,
    folder: Dir,
    in_place: bool,
}

impl Stage {
    /// What is made in here is not seen under its name until it is put in place.
    pub fn folder(&self) -> &Dir {
        &self.folder
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.in_place {
            let _ = tree::remove(&self.parent, &self.name, Path::new(&self.name), None);
        }
    }
}
