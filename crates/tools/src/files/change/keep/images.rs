//! What is written beside before anything is accepted: before-images and listings in the journal, and copies of what
//! comes from another file system.

use std::{
    ffi::OsStr,
    io::{self, Write},
    path::Path,
};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata, MetadataExt};
use deskhand_core::{Cx, ToolError, ToolResult};

use super::{
    super::{
        os,
        tree::{self, Copier, Likeness},
    },
    action::{Action, Arrival, Departure, Keeping, Source, Work},
    draft::Draft,
    fault,
    places::{Places, Spot},
};

/// Up to so many files that replace others are brought to disk one by one. More of them are when the journal brings
/// their before-images there, which it does with everything on the file system.
const SYNCED_ONE_BY_ONE: usize = 8;

/// Writes everything that the actions need. What comes from elsewhere is known by its copy from then on.
pub fn prepare(draft: &mut Draft, places: &Places, cx: &Cx) -> ToolResult<()> {
    if let Some(journal) = &places.journal {
        for (name, text) in draft.listings.drain(..) {
            fault::step()?;
            os::create_private(journal, OsStr::new(&name))
                .and_then(|mut file| file.write_all(&text))
                .map_err(|error| ToolError::io("write the journal's", Path::new(&name), &error))?;
        }
    }
    let mut has_copies = false;
    for action in &mut draft.actions {
        cx.check()?;
        if let (Work::Replace { old, .. } | Work::Delete { old }, Some(journal)) =
            (&action.work, &places.journal)
        {
            has_copies |= keep_old(action, old, places, journal, cx)?;
        }
        stage(action, places, cx)?;
    }
    if let Some(journal) = places.journal.as_ref().filter(|_| has_copies) {
        os::sync_tree(journal)
            .map_err(|error| ToolError::io("bring to disk", Path::new("the journal"), &error))?;
    }
    sync_replacing(draft, places)
}

/// Keeps the before-image of what goes. `true` if it is a copy.
fn keep_old(action: &Action, old: &Departure, places: &Places, journal: &Dir, cx: &Cx) -> ToolResult<bool> {
    let shown = places.shown(action.root, &action.path);
    let failed = |error: io::Error| {
        let error = ToolError::io("keep the old state of", &shown, &error);
        ToolError { message: format!("{} Nothing was kept.", error.message), ..error }
    };
    let changed = || {
        let message = format!("Nothing was kept: {} was changed since.", shown.display());
        ToolError::new("changed_since", message).hint("Run the command again.")
    };
    let (Keeping::Linked(kept) | Keeping::Copied(kept)) = &old.kept else { return Ok(false) };
    fault::step()?;
    let real = places.real(action).map_err(failed)?.ok_or_else(changed)?;
    let kept = OsStr::new(kept);
    if matches!(old.kept, Keeping::Linked(_)) && real.folder.hard_link(real.name, journal, kept).is_ok() {
        let linked = journal.symlink_metadata(kept).map_err(failed)?;
        return if old.is(&linked) { Ok(false) } else { Err(changed()) };
    }
    let meta = real.look().map_err(failed)?.filter(|meta| old.is(meta)).ok_or_else(changed)?;
    copy(&real, &meta, journal, kept, &shown, cx)?;
    let is_same = real.look().map_err(failed)?.is_some_and(|now| old.is(&now));
    if !is_same || (meta.is_dir() && !is_same_tree(&real, journal, kept, &shown, cx)?) {
        return Err(changed());
    }
    Ok(true)
}

fn is_same_tree(real: &Spot<'_>, journal: &Dir, kept: &OsStr, shown: &Path, cx: &Cx) -> ToolResult<bool> {
    let open = |folder: &Dir, name: &OsStr| {
        folder.open_dir_nofollow(name).map_err(|error| ToolError::io("look at", shown, &error))
    };
    let (original, copy) = (open(&real.folder, real.name)?, open(journal, kept)?);
    Ok(tree::list(&original, shown, cx)? == tree::list(&copy, shown, cx)?)
}

/// Copies what comes from another file system to where it can be renamed from.
fn stage(action: &mut Action, places: &Places, cx: &Cx) -> ToolResult<()> {
    let shown = places.shown(action.root, &action.path);
    let failed = |error: io::Error| ToolError::io("copy", &shown, &error);
    let (Work::Create { new } | Work::Replace { new, .. }) = &mut action.work else { return Ok(()) };
    let Source::Staged(name) = &new.source else { return Ok(()) };
    fault::step()?;
    let name = OsStr::new(name);
    let (folder, upper) = places.upper.entry(action.root, &action.path).map_err(failed)?;
    let upper = Spot { folder, name: upper };
    let meta = upper.look().map_err(failed)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
    let aside = &places.aside[action.root];
    copy(&upper, &meta, aside, name, &shown, cx)?;
    let look = || aside.symlink_metadata(name).map_err(failed);
    let copied = look()?;
    if !os::is_given_to(aside, name, &copied, meta.uid(), meta.gid()) {
        tracing::debug!(path = %shown.display(), "the copy has another owner");
    }
    *new = Arrival::new(Source::Staged(name.to_string_lossy().into_owned()), &look()?, new.mode);
    Ok(())
}

fn copy(from: &Spot<'_>, meta: &Metadata, to: &Dir, name: &OsStr, shown: &Path, cx: &Cx) -> ToolResult<()> {
    let mut copier = Copier::new(cx, Likeness::Exact, None, shown.to_path_buf());
    copier.copy_entry(&from.folder, from.name, meta, to, name, Path::new(""))
}

/// What replaces a file is on disk before the file is gone.
fn sync_replacing(draft: &Draft, places: &Places) -> ToolResult<()> {
    let replacing = || {
        draft.actions.iter().filter_map(|action| match &action.work {
            Work::Replace { new, .. } if !action.steps.is_empty() => Some((action, new)),
            _ => None,
        })
    };
    if replacing().count() > SYNCED_ONE_BY_ONE {
        return Ok(());
    }
    for (action, new) in replacing() {
        let failed = |error: io::Error| {
            ToolError::io("bring to disk", &places.shown(action.root, &action.path), &error)
        };
        let source = places.source(action, new).map_err(failed)?;
        if source.look().map_err(failed)?.is_some_and(|meta| meta.is_file())
            && let Ok(file) = os::open_to_read(&source.folder, source.name)
        {
            file.sync_data().map_err(failed)?;
        }
    }
    Ok(())
}
