//! What calls changed, and what was there before: one folder for each call.
//!
//! ```text
//! undo/CALL_ID/header.json   which call it was
//! undo/CALL_ID/steps.jsonl   what it changed, a line for each step, written before the step is done
//! undo/CALL_ID/undone        the id of the call that took it back
//! undo/CALL_ID/…             kept contents, put there by the tools
//! ```
//!
//! An entry is one as soon as its first step is on disk. What a killed process leaves behind before that, or
//! half a line at the end, is not seen, and is cleared away.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use deskhand_core::{
    CallId, StoreError, StoreResult, UndoJournal, UndoStep,
    undo::{PathState, UndoEntry, UndoHeader},
};

use crate::{
    budget::{self, Budget},
    error::Doing,
    folder::{self, Durable},
};

const HEADER: &str = "header.json";
const STEPS: &str = "steps.jsonl";
const UNDONE: &str = "undone";

/// Calls whose size is remembered; it is measured for others.
const SIZES_REMEMBERED: usize = 1000;

/// The undo journal of one data folder.
pub struct Undo {
    budget: Budget,
    /// The bytes that open calls have asked for.
    sizes: Mutex<BTreeMap<CallId, u64>>,
}

impl Undo {
    pub(crate) fn new(budget: Budget) -> Self {
        Self { budget: budget.leftovers(|path| !has_steps(path)), sizes: Mutex::new(BTreeMap::new()) }
    }

    fn folder(&self, call: CallId) -> PathBuf {
        self.budget.folder().join(call.to_string())
    }

    /// The bytes that a call keeps, with `bytes` more.
    fn size_with(&self, call: CallId, bytes: u64) -> u64 {
        let sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = sizes.get(&call).copied();
        before.unwrap_or_else(|| budget::size_of(&self.folder(call))).saturating_add(bytes)
    }

    fn remember_size(&self, call: CallId, bytes: u64) {
        let mut sizes = self.sizes.lock().unwrap_or_else(PoisonError::into_inner);
        sizes.insert(call, bytes);
        if sizes.len() > SIZES_REMEMBERED {
            sizes.pop_first();
        }
    }
}

impl UndoJournal for Undo {
    fn open(&self, header: &UndoHeader, bytes: u64) -> StoreResult<PathBuf> {
        let call = header.call;
        let folder = self.folder(call);
        let action = || format!("keep what is needed to undo the call {call}");
        let size = self.size_with(call, bytes);
        if size > self.limit() {
            let why = format!(
                "it would take {size} bytes, and one call may take {}; raise the size of the undo journal",
                self.limit()
            );
            return Err(StoreError::new(action(), io::Error::new(io::ErrorKind::QuotaExceeded, why)));
        }
        self.budget.reserve(bytes, &call.to_string()).doing(action)?;
        self.remember_size(call, size);
        if !folder.join(HEADER).exists() {
            folder::create_private(&folder).doing(action)?;
            let text = serde_json::to_vec(header).doing(action)?;
            folder::write_whole(&folder, HEADER, &text, Durable::No).doing(action)?;
            // Made now, so that its name reaches the disk together with the others, before the first step.
            append_lines(&folder.join(STEPS), b"", Durable::No).doing(action)?;
        }
        Ok(folder)
    }

    fn append(&self, call: CallId, step: &UndoStep) -> StoreResult<()> {
        self.append_all(call, std::slice::from_ref(step))
    }

    fn append_all(&self, call: CallId, new: &[UndoStep]) -> StoreResult<()> {
        if new.is_empty() {
            return Ok(());
        }
        let folder = self.folder(call);
        let action = || format!("write down in {} what is about to change", folder.display());
        let mut lines = Vec::new();
        let mut kept = Vec::new();
        for step in new {
            serde_json::to_writer(&mut lines, step).doing(action)?;
            lines.push(b'\n');
            for name in kept_names(step) {
                kept.push(kept_path(&folder, name).doing(action)?);
            }
        }
        sync_kept(&folder, &kept).doing(|| format!("bring what {} keeps to disk", folder.display()))?;
        let steps = folder.join(STEPS);
        let is_first = fs::metadata(&steps).doing(action)?.len() == 0;
        if is_first {
            File::open(folder.join(HEADER)).and_then(|file| file.sync_all()).doing(action)?;
            folder::sync(self.budget.folder()).doing(action)?;
        }
        if is_first || !kept.is_empty() {
            folder::sync(&folder).doing(action)?;
        }
        // Last: what a step names is on disk before the step is.
        append_lines(&steps, &lines, Durable::Yes).doing(action)
    }

    fn load(&self, call: CallId) -> StoreResult<Option<UndoEntry>> {
        let folder = self.folder(call);
        let action = || format!("read the undo journal {}", folder.display());
        let (Some(header), Some(steps)) =
            (read(&folder.join(HEADER)).doing(action)?, read(&folder.join(STEPS)).doing(action)?)
        else {
            return Ok(None);
        };
        // A header is written whole; one that cannot be read was cut short by a power cut, before any step.
        let Ok(header) = serde_json::from_slice::<UndoHeader>(&header) else { return Ok(None) };
        let steps = parse_steps(&steps).doing(action)?;
        if steps.is_empty() {
            return Ok(None);
        }
        let undone_by = read(&folder.join(UNDONE)).doing(action)?;
        let undone_by = undone_by.and_then(|text| CallId::parse(str::from_utf8(&text).ok()?));
        let UndoHeader { call, tool, summary, session_id, owner, at, .. } = header;
        Ok(Some(UndoEntry { call, tool, summary, session_id, owner, at, folder, steps, undone_by }))
    }

    fn recent(&self, limit: usize) -> StoreResult<Vec<UndoEntry>> {
        let action = || format!("list the undo journal {}", self.budget.folder().display());
        let mut calls = Vec::new();
        for entry in fs::read_dir(self.budget.folder()).doing(action)? {
            let name = entry.doing(action)?.file_name();
            // Ids sort by the time they were made.
            calls.extend(name.to_str().and_then(CallId::parse).filter(|call| *call.to_string() == *name));
        }
        calls.sort_unstable_by(|a, b| b.cmp(a));
        let entries = calls.into_iter().filter_map(|call| match self.load(call) {
            Ok(entry) => entry,
            Err(error) => {
                tracing::warn!(%error, "an entry of the undo journal cannot be read");
                None
            }
        });
        Ok(entries.take(limit).collect())
    }

    fn mark_undone(&self, call: CallId, by: CallId) -> StoreResult<()> {
        let folder = self.folder(call);
        folder::write_whole(&folder, UNDONE, by.to_string().as_bytes(), Durable::Yes)
            .doing(|| format!("mark {} as undone", folder.display()))
    }

    fn discard(&self, call: CallId) -> StoreResult<()> {
        let folder = self.folder(call);
        let action = || format!("remove {}", folder.display());
        self.sizes.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
        // Without its steps it is no entry, whatever happens from here on.
        match fs::remove_file(folder.join(STEPS)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.and_then(|()| self.budget.discard(&call.to_string())).doing(action),
        }
    }

    fn limit(&self) -> u64 {
        self.budget.max_bytes() / 4
    }
}

fn kept_names(step: &UndoStep) -> Vec<&str> {
    let UndoStep::Change { before, after, .. } = step else { return Vec::new() };
    [before, after]
        .into_iter()
        .filter_map(|state| match state {
            PathState::File { kept, .. } | PathState::Folder { kept, .. } => kept.as_deref(),
            _ => None,
        })
        .collect()
}

/// Where something is kept. Only a plain name of its own will do.
fn kept_path(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let mut parts = Path::new(name).components();
    let is_plain = matches!(parts.next(), Some(std::path::Component::Normal(_))) && parts.next().is_none();
    if !is_plain || [HEADER, STEPS, UNDONE].contains(&name) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("«{name}» is no name for a kept content"),
        ));
    }
    Ok(folder.join(name))
}

/// Up to so many kept files, each is brought to disk by itself; more of them all at once.
const SYNCED_ONE_BY_ONE: usize = 8;

/// Brings what is kept to disk.
fn sync_kept(folder: &Path, kept: &[PathBuf]) -> io::Result<()> {
    if kept.len() <= SYNCED_ONE_BY_ONE {
        return kept.iter().try_for_each(|path| sync_tree(path));
    }
    for path in kept {
        fs::symlink_metadata(path)?;
    }
    sync_folder(folder)
}

/// Brings a file, or everything in a folder, to disk.
fn sync_tree(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        sync_folder(path)
    } else if metadata.is_file() {
        sync_file(path)
    } else {
        Ok(())
    }
}

/// One call for a whole tree: waiting for each of its files would take a flush of the disk for each.
#[cfg(target_os = "linux")]
fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(folder) => rustix::fs::syncfs(folder).map_err(io::Error::from),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            rustix::fs::syncfs(File::open(path.parent().unwrap_or(path))?).map_err(io::Error::from)
        }
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn sync_folder(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        sync_tree(&entry?.path())?;
    }
    folder::sync(path)
}

fn sync_file(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(file) => file.sync_all(),
        // A file that its owner may not read was not copied but moved here: its content is on disk.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

fn append_lines(path: &Path, lines: &[u8], durable: Durable) -> io::Result<()> {
    let mut file = folder::private_file().create(true).read(true).append(true).open(path)?;
    let before = whole_lines(&mut file)?;
    let written =
        file.write_all(lines).and_then(|()| if durable == Durable::Yes { file.sync_data() } else { Ok(()) });
    if written.is_err() {
        // The steps will not be done, so they must not be read either.
        let _ = file.set_len(before);
    }
    written
}

/// Cuts off a torn line at the end, which a killed process left. Returns the length of the file then.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let mut length = file.metadata()?.len();
    let mut piece = [0; 4096];
    let mut end = length;
    while end > 0 {
        let start = end.saturating_sub(piece.len() as u64);
        let read = &mut piece[..usize::try_from(end - start).unwrap_or_default()];
        file.seek(io::SeekFrom::Start(start))?;
        file.read_exact(read)?;
        if let Some(at) = read.iter().rposition(|byte| *byte == b'\n') {
            end = start + at as u64 + 1;
            break;
        }
        end = start;
    }
    if end < length {
        file.set_len(end)?;
        length = end;
    }
    Ok(length)
}

/// The content of a file; `None` if there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The steps that were written down whole. The last line may be torn: then the writer was killed before it
/// could go on to do that step.
fn parse_steps(text: &[u8]) -> io::Result<Vec<UndoStep>> {
    let mut lines: Vec<&[u8]> = text.split(|b| *b == b'\n').collect();
    // What follows the last line end is nothing, or torn.
    lines.pop();
    let count = lines.len();
    let mut steps = Vec::with_capacity(count);
    for (number, line) in lines.into_iter().enumerate() {
        let is_last = number + 1 == count;
        match serde_json::from_slice(line) {
            Ok(step) => steps.push(step),
            Err(_) if is_last => {}
            Err(error) => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("line {} of {STEPS} is no step: {error}", number + 1),
                ));
            }
        }
    }
    Ok(steps)
}

/// Whether a folder has at least one whole step in it.
fn has_steps(folder: &Path) -> bool {
    use io::BufRead;
    let Ok(file) = File::open(folder.join(STEPS)) else { return false };
    let mut first = Vec::new();
    io::BufReader::new(file).read_until(b'\n', &mut first).is_ok() && first.ends_with(b"\n")
}

#[cfg(test)]
mod tests;
