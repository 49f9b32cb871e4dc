//! Which effect is asked about: the one table.
//!
//! | effect | rule | ask | auto | read-only | unattended |
//! |---|---|---|---|---|---|
//! | no change | `effect:none` | runs | runs | runs | runs |
//! | undoable changes in the workspace | `effect:workspace-change` | asked with the diff; one yes can cover more | kept | discarded, said so | kept if granted |
//! | deletes over 50 entries or 10 MB, or overwrites as much, outside git-ignored folders, neither created by the session nor clean in Git (`.git` objects excepted) | `effect:large-delete` | asked every time, with the list | same | discarded | discarded |
//! | what runs later | `effect:runs-later` | asked every time, with the list | same | discarded | discarded |
//!
//! The modes follow from the permission (`decide`): public runs, moderate is asked once, sensitive every time. What writes
//! outside, wants privileges or is catastrophic by its text does not come to have an effect: it is blocked before it runs,
//! or fails while it does.

use deskhand_core::{
    Permission,
    changed::{bytes_text, count_text},
};

/// Up to so many entries may be deleted, or overwritten, without a question of its own.
pub(super) const MOST_ENTRIES: u64 = 50;
/// Up to so many bytes.
pub(super) const MOST_BYTES: u64 = 10_000_000;

/// How much of what nothing else could bring back is gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Amount {
    pub entries: u64,
    pub bytes: u64,
}

impl Amount {
    pub fn add(&mut self, bytes: u64) {
        self.entries += 1;
        self.bytes += bytes;
    }

    pub fn is_large(self) -> bool {
        self.entries > MOST_ENTRIES || self.bytes > MOST_BYTES
    }

    fn words(self, what: &str) -> String {
        let entries = if self.entries == 1 { "entry" } else { "entries" };
        let text = format!("{} {entries} ({})", count_text(self.entries), bytes_text(self.bytes));
        format!("It {what} {text} that were neither made in this session nor are in Git as they were.")
    }
}

/// What the table goes by.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub changes: bool,
    pub deleted: Amount,
    pub overwritten: Amount,
    /// The first path that decides what runs later, and why, and how many there are.
    pub runs_later: Option<(String, String, usize)>,
}

/// The permission, the rule, and why.
pub(super) fn decide(effects: &Effects) -> (Permission, &'static str, String) {
    if let Some((path, why, count)) = &effects.runs_later {
        let others = match count - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let why = format!("It changes what runs later: {path}: {why}{others}.");
        return (Permission::Sensitive, "effect:runs-later", why);
    }
    if effects.deleted.is_large() {
        return (Permission::Sensitive, "effect:large-delete", effects.deleted.words("deletes"));
    }
    if effects.overwritten.is_large() {
        return (Permission::Sensitive, "effect:large-delete", effects.overwritten.words("overwrites"));
    }
    if effects.changes {
        let why = "It changes files in the workspace, and that can be undone.".to_owned();
        return (Permission::Moderate, "effect:workspace-change", why);
    }
    (Permission::Public, "effect:none", "It changes nothing.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strictest_effect_decides() {
        let large = Amount { entries: 51, bytes: 0 };
        let runs_later = Some((".envrc".to_owned(), "a shell runs it".to_owned(), 3));
        let rows = [
            (Effects::default(), Permission::Public, "effect:none"),
            (
                Effects {
                    changes: true,
                    deleted: Amount { entries: 50, bytes: 10_000_000 },
                    ..Effects::default()
                },
                Permission::Moderate,
                "effect:workspace-change",
            ),
            (
                Effects { changes: true, deleted: large, ..Effects::default() },
                Permission::Sensitive,
                "effect:large-delete",
            ),
            (
                Effects {
                    changes: true,
                    overwritten: Amount { entries: 1, bytes: 10_000_001 },
                    ..Effects::default()
                },
                Permission::Sensitive,
                "effect:large-delete",
            ),
            (
                Effects { changes: true, deleted: large, runs_later, ..Effects::default() },
                Permission::Sensitive,
                "effect:runs-later",
            ),
        ];
        for (effects, permission, rule) in rows {
            let decided = decide(&effects);
            assert_eq!((decided.0, decided.1), (permission, rule), "{effects:?}");
        }
    }
}
