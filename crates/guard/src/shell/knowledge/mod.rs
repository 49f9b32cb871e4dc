//! What programs do, as data: `crates/guard/knowledge/*.toml`, one file a group of programs, and what users add.
//!
//! [`Entry`] is one program as the files say it (their form is explained in `knowledge/README.md`); [`Knowledge`]
//! finds it by name. The files are long and a command names few programs, so an entry is read when it is first asked for.

mod entry;

use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

pub use entry::{Case, Entry, Examples, Flag, Gives, Nature, Operands, Role, Style};
use serde::Deserialize;

/// The files that come with the program.
pub const FILES: &[(&str, &str)] = &[
    ("accounts", include_str!("../../../knowledge/accounts.toml")),
    ("archive", include_str!("../../../knowledge/archive.toml")),
    ("cloud", include_str!("../../../knowledge/cloud.toml")),
    ("clusters", include_str!("../../../knowledge/clusters.toml")),
    ("containers", include_str!("../../../knowledge/containers.toml")),
    ("databases", include_str!("../../../knowledge/databases.toml")),
    ("defence", include_str!("../../../knowledge/defence.toml")),
    ("desktop", include_str!("../../../knowledge/desktop.toml")),
    ("development", include_str!("../../../knowledge/development.toml")),
    ("disks", include_str!("../../../knowledge/disks.toml")),
    ("file-changes", include_str!("../../../knowledge/file-changes.toml")),
    ("files", include_str!("../../../knowledge/files.toml")),
    ("firmware", include_str!("../../../knowledge/firmware.toml")),
    ("git", include_str!("../../../knowledge/git.toml")),
    ("javascript", include_str!("../../../knowledge/javascript.toml")),
    ("keys", include_str!("../../../knowledge/keys.toml")),
    ("languages", include_str!("../../../knowledge/languages.toml")),
    ("media", include_str!("../../../knowledge/media.toml")),
    ("native", include_str!("../../../knowledge/native.toml")),
    ("network", include_str!("../../../knowledge/network.toml")),
    ("packages", include_str!("../../../knowledge/packages.toml")),
    ("processes", include_str!("../../../knowledge/processes.toml")),
    ("python", include_str!("../../../knowledge/python.toml")),
    ("repositories", include_str!("../../../knowledge/repositories.toml")),
    ("rust", include_str!("../../../knowledge/rust.toml")),
    ("servers", include_str!("../../../knowledge/servers.toml")),
    ("services", include_str!("../../../knowledge/services.toml")),
    ("structured", include_str!("../../../knowledge/structured.toml")),
    ("text", include_str!("../../../knowledge/text.toml")),
];

/// What starts an entry.
const HEAD: &str = "[[program]]";

/// One file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    /// What these programs have in common; for readers of the file.
    #[allow(dead_code)]
    #[serde(default)]
    about: String,
    #[serde(default)]
    program: Vec<Entry>,
}

/// An entry that is read when it is asked for.
#[derive(Clone, Debug)]
struct Unread {
    text: &'static str,
    entry: OnceLock<Option<Box<Entry>>>,
}

/// Every program that is known.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    entries: Vec<Unread>,
    by_name: HashMap<String, usize>,
    /// How many of the entries come with the program; the rest are a user's own.
    built_in: usize,
    /// Names that end in `*`: `mkfs.*`.
    by_prefix: Vec<(String, usize)>,
}

impl Knowledge {
    /// What comes with the program.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Knowledge> = LazyLock::new(|| {
            let mut all = Knowledge::default();
            for (_, text) in FILES {
                for part in parts(text) {
                    all.index(part);
                }
            }
            all.built_in = all.entries.len();
            all
        });
        &BUILT_IN
    }

    /// Adds a file's programs, all of which are read at once to see that they can be. Later ones win over earlier
    /// ones of the same name.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        for entry in read(text)? {
            self.name(&entry.names);
            self.entries.push(Unread { text: "", entry: OnceLock::from(Some(Box::new(entry))) });
        }
        Ok(())
    }

    /// The next entry has these names.
    fn name(&mut self, names: &[impl AsRef<str>]) {
        let at = self.entries.len();
        for name in names.iter().map(AsRef::as_ref) {
            match name.strip_suffix('*') {
                Some(prefix) => self.by_prefix.push((prefix.to_owned(), at)),
                None => drop(self.by_name.insert(name.to_owned(), at)),
            }
        }
    }

    fn index(&mut self, text: &'static str) {
        self.name(&names(text).collect::<Vec<_>>());
        self.entries.push(Unread { text, entry: OnceLock::new() });
    }

    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entry_at(self.position(name)?)
    }

    /// The same, if it is a user's own entry.
    pub fn find_own(&self, name: &str) -> Option<&Entry> {
        if self.entries.len() == self.built_in {
            return None;
        }
        self.position(name).filter(|at| *at >= self.built_in).and_then(|at| self.entry_at(at))
    }

    fn position(&self, name: &str) -> Option<usize> {
        let exact = self.by_name.get(name).copied();
        let starts = self.by_prefix.iter().rev().find(|(prefix, _)| name.starts_with(prefix.as_str()));
        match (exact, starts.map(|(_, at)| *at)) {
            // A user's `mkfs.*` is meant for `mkfs.ext4` too, though that has an entry of its own here.
            (Some(exact), Some(prefix)) if exact < self.built_in && prefix >= self.built_in => Some(prefix),
            (exact, prefix) => exact.or(prefix),
        }
    }

    fn entry_at(&self, at: usize) -> Option<&Entry> {
        let unread = self.entries.get(at)?;
        // The tests read every file; an entry that cannot be read makes its program unknown, which is asked about.
        unread.entry.get_or_init(|| read(unread.text).ok()?.pop().map(Box::new)).as_deref()
    }
}

/// The entries of a file, each as its own text.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<usize> = text
        .match_indices(HEAD)
        .map(|(at, _)| at)
        .filter(|at| *at == 0 || text[..*at].ends_with('\n'))
        .collect();
    starts.push(text.len());
    (1..starts.len()).map(move |i| &text[starts[i - 1]..starts[i]])
}

/// The names in an entry's text.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("names").map(|rest| rest.trim_start_matches([' ', '=', '"'])));
    line.and_then(|line| line.split('"').next()).unwrap_or_default().split_whitespace()
}

/// Reads a file, or a part of one.
pub fn read(text: &str) -> Result<Vec<Entry>, String> {
    let group: Group = toml::from_str(text).map_err(|error| error.to_string())?;
    Ok(group.program)
}
