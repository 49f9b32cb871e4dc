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

/// An entry, which is read when it is asked for.
#[derive(Clone, Debug)]
struct Stored {
    /// What it is read from; nothing where it has been read already.
    text: &'static str,
    entry: OnceLock<Option<Box<Entry>>>,
}

/// Every program that is known.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    entries: Vec<Stored>,
    by_name: HashMap<String, usize>,
    /// Names that end in `*`: `mkfs.*`.
    by_prefix: Vec<(String, usize)>,
    /// How many entries came with the program; those after them are a user's.
    built_in: usize,
}

impl Knowledge {
    /// What comes with the program.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Knowledge> = LazyLock::new(|| {
            let mut all = Knowledge::default();
            for (_, file) in FILES {
                for text in parts(file) {
                    all.index(names(text), Stored { text, entry: OnceLock::new() });
                }
            }
            all.built_in = all.entries.len();
            all
        });
        &BUILT_IN
    }

    /// Adds a user's programs. They win over those that come with the program, and later ones over earlier ones.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        for entry in read(text)? {
            let names = entry.names.clone();
            let stored = Stored { text: "", entry: OnceLock::from(Some(Box::new(entry))) };
            self.index(names.iter().map(String::as_str), stored);
        }
        Ok(())
    }

    fn index<'n>(&mut self, names: impl Iterator<Item = &'n str>, stored: Stored) {
        let at = self.entries.len();
        for name in names {
            match name.strip_suffix('*') {
                Some(prefix) => self.by_prefix.push((prefix.to_owned(), at)),
                None => drop(self.by_name.insert(name.to_owned(), at)),
            }
        }
        self.entries.push(stored);
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
        let stored = self.entries.get(at)?;
        // The tests read every file; an entry that cannot be read makes its program unknown, which is asked about.
        stored.entry.get_or_init(|| read(stored.text).ok()?.pop().map(Box::new)).as_deref()
    }
}

/// The entries of a file of ours, each as its own text.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let starts_line = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let mut starts: Vec<usize> = text.match_indices(HEAD).map(|(at, _)| at).filter(starts_line).collect();
    starts.push(text.len());
    (1..starts.len()).map(move |i| &text[starts[i - 1]..starts[i]])
}

/// The names in the text of an entry of ours.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let line = text.lines().find(|line| line.starts_with("names = \""));
    let names = line.and_then(|line| line.split('"').nth(1)).unwrap_or_default();
    names.split_whitespace()
}

/// Reads a file, or a part of one. The error names the line and the key.
pub fn read(text: &str) -> Result<Vec<Entry>, String> {
    let group: Group = toml::from_str(text).map_err(|error| error.to_string())?;
    Ok(group.program)
}
