//! What must never be, looked for where a command may come from that cannot be followed: the words of a program that is
//! not known here, the texts of a pipeline that ends in a shell.

use deskhand_core::Permission;

use super::{Reading, commands::base_name};
use crate::shell::{encoding, text::is_known};

/// Programs that do the worst, and those that start them.
pub const WORST: &[&str] = &[
    "rm",
    "dd",
    "mkfs",
    "mkfs.ext4",
    "bash",
    "sh",
    "chmod",
    "chown",
    "shutdown",
    "reboot",
    "nc",
    "curl",
    "wget",
    "find",
    "mv",
    "shred",
    "cat",
    "python3",
    "perl",
    "tee",
    "base64",
    "xargs",
    "env",
    "poweroff",
    "halt",
    "wipefs",
    "sudo",
    "ssh",
    "rimraf",
];

/// Of those, names that are also everyday subcommands.
const STOPS: &[&str] = &["shutdown", "reboot", "poweroff", "halt"];

/// The most texts that are looked at.
const MOST_TEXTS: usize = 40;

impl Reading<'_> {
    /// A program that may run its words as a command.
    pub fn hedge(&mut self, words: &[String]) {
        // `mysqladmin shutdown` is its own word for something else.
        let starts = |word: &String| WORST.contains(&base_name(word)) && !STOPS.contains(&base_name(word));
        let Some(at) = words.iter().position(starts) else { return };
        let words: Vec<String> = words[at..].iter().filter(|word| *word != "--").cloned().collect();
        self.only_what_must_never_be(|reading| {
            reading.argv(&words, false, None);
        });
    }

    /// Texts that may become a command: as they are, what stands in quotes in them, and what they decode to.
    pub fn hedge_texts(&mut self, texts: &[String]) {
        let candidates: Vec<String> = texts.iter().flat_map(|text| parts(text)).take(MOST_TEXTS).collect();
        for text in candidates {
            self.only_what_must_never_be(|reading| {
                reading.run_apart(&text, None);
            });
        }
    }

    /// Reads something that may not be meant to run: only what is forbidden is kept of it.
    fn only_what_must_never_be(&mut self, read: impl FnOnce(&mut Self)) {
        let notes = std::mem::take(&mut self.notes);
        read(self);
        let found = std::mem::replace(&mut self.notes, notes).findings;
        self.notes
            .findings
            .extend(found.into_iter().filter(|found| found.permission == Permission::Forbidden));
    }
}

/// The parts of a text that could be a command line by their first word.
fn parts(text: &str) -> Vec<String> {
    let quoted = ['"', '\'', '`'].into_iter().flat_map(|quote| text.split(quote));
    let mut parts: Vec<String> =
        std::iter::once(text).chain(quoted).map(|part| part.trim().to_owned()).collect();
    let encoded = text.len() >= 8 && text.chars().all(|c| c.is_ascii_alphanumeric() || "+/=-_".contains(c));
    if encoded {
        parts.extend(encoding::base64(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()));
    }
    parts.retain(|part| {
        let mut words = part.split_whitespace();
        let first = words.next().unwrap_or_default();
        is_known(part) && words.next().is_some() && WORST.contains(&base_name(first))
    });
    parts.dedup();
    parts
}
