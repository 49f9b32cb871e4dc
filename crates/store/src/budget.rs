//! A folder with one entry (a file or a folder) for each call, bounded in size and age: the oldest go first.
//!
//! Walking the whole folder for every call would be slow, so how much is used is kept beside the entries, in
//! `.usage`, whose lock also keeps processes from clearing up at the same time. It counts what was asked for,
//! which may be more than was kept; it is measured anew when it says that the folder is full, and once a day.

use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use deskhand_core::Time;
use serde::{Deserialize, Serialize};

use crate::folder;

/// What nobody has finished by then, nobody will.
const HOUR: Duration = Duration::from_hours(1);
/// How often the age of the entries is looked at.
const LOOKS_EVERY: Duration = Duration::from_mins(1);
const MEASURES_EVERY: Duration = Duration::from_hours(24);

/// The start of the names of entries that are being removed.
const GOING: &str = ".gone-";
const USAGE: &str = ".usage";

/// A bounded folder.
pub(crate) struct Budget {
    folder: PathBuf,
    max_bytes: u64,
    max_age: Duration,
    /// Whether something is only the rest of an entry that was never finished.
    is_leftover: fn(&Path) -> bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Usage {
    bytes: u64,
    measured_at: Time,
    looked_at: Time,
}

struct Entry {
    path: PathBuf,
    name: String,
    at: Time,
}

impl Budget {
    pub fn new(folder: PathBuf, max_bytes: u64, max_age: Duration) -> Self {
        Self { folder, max_bytes, max_age, is_leftover: |_| false }
    }

    pub fn leftovers(mut self, is_leftover: fn(&Path) -> bool) -> Self {
        self.is_leftover = is_leftover;
        self
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }

    /// Removes one entry. What it took is found out when it is measured next.
    pub fn discard(&self, name: &str) -> io::Result<()> {
        let path = self.folder.join(name);
        self.remove(&Entry { path, name: name.to_owned(), at: Time::now() }).map(|_| ())
    }

    /// Makes room for `bytes` more in the entry `for_entry`, which itself stays, with whatever else is of its call. Fails if there cannot be
    /// enough room.
    pub fn reserve(&self, bytes: u64, for_entry: &str) -> io::Result<()> {
        let now = Time::now();
        let path = self.folder.join(USAGE);
        let file = folder::private_file().create(true).truncate(false).read(true).write(true).open(&path)?;
        file.lock()?;
        let kept = read_usage(&file);
        let mut usage = match kept {
            Some(usage) if usage.measured_at <= now && usage.measured_at > now.minus(MEASURES_EVERY) => usage,
            _ => Usage {
                bytes: self.measure()?,
                measured_at: now,
                looked_at: Time::from(jiff::Timestamp::MIN),
            },
        };
        if usage.looked_at > now || usage.looked_at < now.minus(LOOKS_EVERY) {
            let old = self.entries()?.into_iter().filter(|entry| self.has_had_its_time(entry, now));
            for entry in old.filter(|entry| !is_of_one_call(&entry.name, for_entry)) {
                usage.bytes = usage.bytes.saturating_sub(self.remove(&entry)?);
            }
            usage.looked_at = now;
        }
        if usage.bytes.saturating_add(bytes) > self.max_bytes {
            usage = Usage { bytes: self.measure()?, measured_at: now, ..usage };
        }
        if usage.bytes.saturating_add(bytes) > self.max_bytes {
            usage.bytes = self.make_room(usage.bytes, bytes, for_entry)?;
        }
        usage.bytes = usage.bytes.saturating_add(bytes);
        write_usage(&file, usage)
    }

    /// Removes the oldest entries until `bytes` more fit, and a tenth of the whole beyond that, so that the
    /// next call need not do the same. Returns what is used then.
    fn make_room(&self, mut used: u64, bytes: u64, for_entry: &str) -> io::Result<u64> {
        let enough = self.max_bytes - self.max_bytes / 10;
        for entry in self.entries()? {
            if used.saturating_add(bytes) <= enough {
                break;
            }
            if !is_of_one_call(&entry.name, for_entry) {
                used = used.saturating_sub(self.remove(&entry)?);
            }
        }
        if used.saturating_add(bytes) > self.max_bytes {
            return Err(io::Error::new(
                io::ErrorKind::QuotaExceeded,
                format!("{bytes} bytes do not fit into the {} bytes allowed there", self.max_bytes),
            ));
        }
        Ok(used)
    }

    /// Too old; or left behind by somebody who was killed.
    fn has_had_its_time(&self, entry: &Entry, now: Time) -> bool {
        if entry.name.starts_with(GOING) {
            return true;
        }
        let unfinished = || entry.name.starts_with(folder::UNFINISHED) || (self.is_leftover)(&entry.path);
        entry.at < now.minus(self.max_age) || (entry.at < now.minus(HOUR) && unfinished())
    }

    /// The entries, oldest first, and what is left of those that somebody was about to make or remove.
    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let made = made_at(&name).or_else(|| Some(entry.metadata().ok()?.modified().ok()?.into()));
            if let Some(at) = made.filter(|_| is_ours(&name)) {
                entries.push(Entry { path: entry.path(), name, at });
            }
        }
        // Of one call the output (`.txt`) goes before what is said of it (`.outside`).
        entries.sort_unstable_by(|a, b| (a.at, &b.name).cmp(&(b.at, &a.name)));
        Ok(entries)
    }

    fn measure(&self) -> io::Result<u64> {
        Ok(self.entries()?.iter().map(|entry| size_of(&entry.path)).sum())
    }

    /// Removes an entry so that it is never seen half removed. Returns the bytes it took.
    fn remove(&self, entry: &Entry) -> io::Result<u64> {
        let bytes = size_of(&entry.path);
        let going = if entry.name.starts_with(GOING) {
            entry.path.clone()
        } else {
            let going = self.folder.join(format!("{GOING}{}", entry.name));
            fs::rename(&entry.path, &going)?;
            going
        };
        if going.is_dir() {
            remove_tree(&going)?;
        } else {
            fs::remove_file(&going)?;
        }
        Ok(bytes)
    }
}

/// Entries are named by the id of their call, with or without an ending.
fn id_in(name: &str) -> Option<uuid::Uuid> {
    let name = name.strip_prefix(GOING).or_else(|| name.strip_prefix(folder::UNFINISHED)).unwrap_or(name);
    uuid::Uuid::try_parse(name.split('.').next()?).ok()
}

fn is_of_one_call(name: &str, other: &str) -> bool {
    name == other || id_in(name).is_some_and(|id| id_in(other) == Some(id))
}

fn is_ours(name: &str) -> bool {
    id_in(name).is_some()
}

/// Ids tell when they were made, which nobody changes by looking into the folder.
fn made_at(name: &str) -> Option<Time> {
    let (seconds, nanos) = id_in(name)?.get_timestamp()?.to_unix();
    let made = jiff::Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(nanos).ok()?).ok()?;
    Some(made.into())
}

fn read_usage(mut file: &File) -> Option<Usage> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write_usage(mut file: &File, usage: Usage) -> io::Result<()> {
    // Half-written it does not parse, and is measured anew.
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(serde_json::to_string(&usage)?.as_bytes())
}

/// The bytes of all files in a tree. What goes while it is being looked at does not count.
pub(crate) fn size_of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let Ok(entries) = fs::read_dir(path) else { return 0 };
    entries.flatten().map(|entry| size_of(&entry.path())).sum()
}

/// Removes a tree, also where folders in it were kept with a mode that forbids it.
fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(path);
            fs::remove_dir_all(path)
        }
        other => other,
    }
}

fn open_up(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                open_up(&entry.path());
            }
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
pub(crate) mod tests {
    use deskhand_core::CallId;

    use super::*;

    /// The id of a call made that long ago.
    pub(crate) fn call_made(ago: Duration) -> CallId {
        let made = std::time::SystemTime::now().checked_sub(ago).unwrap();
        let made = made.duration_since(std::time::UNIX_EPOCH).unwrap();
        let at = uuid::Timestamp::from_unix(uuid::NoContext, made.as_secs(), made.subsec_nanos());
        CallId::parse(&uuid::Uuid::new_v7(at).to_string()).unwrap()
    }

    fn names(budget: &Budget) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(budget.folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != USAGE)
            .collect();
        names.sort();
        names
    }

    fn put(budget: &Budget, ago: Duration, bytes: usize) -> io::Result<String> {
        let name = format!("{}.txt", call_made(ago));
        budget.reserve(bytes as u64, &name)?;
        fs::write(budget.folder().join(&name), vec![b'x'; bytes])?;
        Ok(name)
    }

    #[test]
    fn the_oldest_go_when_it_is_full() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget::new(folder.path().into(), 1000, HOUR * 1000);
        let old = put(&budget, HOUR * 3, 400).unwrap();
        let newer = put(&budget, HOUR * 2, 400).unwrap();
        assert_eq!(names(&budget), [old, newer.clone()]);
        let newest = put(&budget, HOUR, 400).unwrap();
        assert_eq!(names(&budget), [newer, newest.clone()]);
        let error = put(&budget, HOUR, 1001).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::QuotaExceeded);
        let whole = put(&budget, Duration::ZERO, 1000).unwrap();
        assert_eq!(names(&budget), [whole]);
    }

    #[test]
    fn the_entry_that_grows_is_not_removed_for_itself() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget::new(folder.path().into(), 1000, HOUR);
        let name = put(&budget, HOUR * 2, 900).unwrap();
        assert_eq!(budget.reserve(200, &name).unwrap_err().kind(), io::ErrorKind::QuotaExceeded);
        assert_eq!(names(&budget), [name]);
    }

    #[test]
    fn what_was_asked_for_and_not_used_does_not_push_others_out() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget::new(folder.path().into(), 1000, HOUR);
        let name = put(&budget, Duration::ZERO, 10).unwrap();
        for _ in 0..5 {
            budget.reserve(900, "x").unwrap();
        }
        assert_eq!(names(&budget), [name]);
    }

    #[test]
    fn old_ones_and_leftovers_go_and_foreign_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget::new(folder.path().into(), 1000, HOUR * 10)
            .leftovers(|path| fs::metadata(path).is_ok_and(|m| m.len() == 0));
        let make = |prefix: &str, ago: Duration, content: &str| {
            let name = format!("{prefix}{}", call_made(ago));
            fs::write(folder.path().join(&name), content).unwrap();
            name
        };
        let (day, hours, now) = (HOUR * 24, HOUR * 2, Duration::ZERO);
        make("", day, "old");
        make("", hours, "");
        make(folder::UNFINISHED, hours, "half");
        make(GOING, now, "half gone");
        let mut stay = vec![
            make("", hours, "good"),
            make("", now, ""),
            make(folder::UNFINISHED, now, "being written"),
            "README".to_owned(),
        ];
        fs::write(folder.path().join("README"), "").unwrap();
        budget.reserve(1, "x").unwrap();
        stay.sort();
        assert_eq!(names(&budget), stay);
    }

    #[test]
    fn a_spoilt_usage_is_measured_anew() {
        let folder = tempfile::tempdir().unwrap();
        let budget = Budget::new(folder.path().into(), 1000, HOUR * 1000);
        let old = put(&budget, HOUR, 600).unwrap();
        for spoilt in [
            "",
            "{",
            "{\"bytes\":0,\"measured_at\":\"2001-01-01T00:00:00Z\",\"looked_at\":\"2001-01-01T00:00:00Z\"}",
        ] {
            fs::write(folder.path().join(USAGE), spoilt).unwrap();
            budget.reserve(1, "x").unwrap();
            let usage = read_usage(&File::open(folder.path().join(USAGE)).unwrap()).unwrap();
            assert!(usage.bytes > 600, "{spoilt}");
        }
        put(&budget, Duration::ZERO, 600).unwrap();
        assert!(!names(&budget).contains(&old));
    }

    #[cfg(unix)]
    #[test]
    fn a_tree_that_forbids_it_is_removed_all_the_same() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::write(tree.join("a/f"), "x").unwrap();
        fs::set_permissions(tree.join("a"), fs::Permissions::from_mode(0o500)).unwrap();
        open_up(&tree);
        assert_eq!(fs::metadata(tree.join("a")).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(tree.join("a"), fs::Permissions::from_mode(0o500)).unwrap();
        remove_tree(&tree).unwrap();
        assert!(!tree.exists());
    }
}
