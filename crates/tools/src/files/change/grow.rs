//! Adding to the end of a file, in place; and cutting it off again.

use std::{
    fs::File,
    io::{self, Read, Seek, Write},
};

use deskhand_core::{
    ToolError, ToolResult,
    undo::{Meta, PathState},
};
use deskhand_guard::Place;

use super::{Changes, create_kept, entry_of, files::old_file, keeping, os, state};

impl Changes<'_> {
    /// Adds to the end of a file that exists. If not all of it can be written, nothing of it stays.
    pub fn append_to_file(&mut self, place: &Place, content: &[u8]) -> ToolResult<u64> {
        let (parent, name) = entry_of(place)?;
        let Some(meta) = old_file(place)? else {
            return self.write_file(place, content);
        };
        self.as_planned(place)?;
        let failed = |error: &io::Error| place.io("write", error);
        let mut file = os::open_to_append(&parent, name).map_err(|error| failed(&error))?;
        let (before, size) = (meta.len(), meta.len() + content.len() as u64);
        let known = os::meta_of(&meta);
        let after = PathState::File {
            size,
            sha256: deskhand_core::arguments::sha256_hex(content),
            meta: Meta { modified: None, accessed: None, ..known.clone() },
            kept: None,
        };
        // The size alone tells nothing of the times, which undo sets back, too.
        self.record_meta(place, &meta, Meta { modified: None, accessed: None, ..known })?;
        self.record_change(place, PathState::Prefix { size: before }, after)?;
        let now = file.metadata().map_err(|error| failed(&error))?.len();
        if now != before {
            return Err(ToolError::plan_changed(format!("{} grew meanwhile.", place.shown())));
        }
        if let Err(error) = file.write_all(content).and_then(|()| file.sync_all()) {
            take_back(&file, before, size);
            return Err(failed(&error));
        }
        self.happened(place);
        Ok(size)
    }

    /// Cuts a file after its first `size` bytes, in place.
    pub fn cut_file(&mut self, place: &Place, size: u64) -> ToolResult<()> {
        let (parent, name) = entry_of(place)?;
        let Some(meta) = old_file(place)?.filter(|meta| meta.len() >= size) else {
            return Err(ToolError::plan_changed(format!("{} is shorter than expected.", place.shown())));
        };
        self.as_planned(place)?;
        let failed = |error: io::Error| place.io("write", &error);
        let mut file = os::open_to_cut(&parent, name).map_err(failed)?;
        let mut before = PathState::Absent;
        if let Some(folder) = self.kept_folder(meta.len() - size)? {
            let kept = self.kept_name("tail");
            let copied = create_kept(&folder, &kept).and_then(|mut to| {
                file.seek(io::SeekFrom::Start(size))?;
                let mut hasher = state::Hasher::new(&mut to);
                io::copy(&mut (&mut file).take(meta.len() - size), &mut hasher)?;
                Ok(hasher.hex())
            });
            let sha256 = copied.map_err(|error| keeping(place, &error))?;
            before = PathState::File { size: meta.len(), sha256, meta: os::meta_of(&meta), kept: Some(kept) };
        }
        self.record_meta(place, &meta, Meta { modified: None, accessed: None, ..os::meta_of(&meta) })?;
        self.record_change(place, before, PathState::Prefix { size })?;
        if file.metadata().map_err(failed)?.len() != meta.len() {
            return Err(ToolError::plan_changed(format!("{} grew meanwhile.", place.shown())));
        }
        file.set_len(size).and_then(|()| file.sync_all()).map_err(failed)?;
        self.happened(place);
        Ok(())
    }
}

/// Takes back what was written of an addition, unless someone else has added something meanwhile.
fn take_back(file: &File, before: u64, most: u64) {
    if file.metadata().is_ok_and(|meta| meta.len() <= most) {
        let _ = file.set_len(before);
        let _ = file.sync_all();
    }
}
