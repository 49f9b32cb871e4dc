//! Git's index: which files are tracked, and what they were like when Git last looked.
//!
//! Versions 2, 3 and 4. Whatever is not plainly understood makes the whole index unknown.

use std::collections::HashMap;

const SIGNATURE: &[u8] = b"DIRC";
/// Times, device, inode, mode, owner, group and size.
const STAT: usize = 40;
const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;

/// What the index says of one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    /// Seconds and nanoseconds.
    pub modified: (u32, u32),
    pub mode: u32,
    /// The lower 32 bits.
    pub size: u32,
    /// Merged, really added, and looked at like any other.
    pub is_plain: bool,
}

/// All entries by their path in the working tree. `None` if the index has anything that is not understood.
pub(super) fn parse(bytes: &[u8], hash: usize) -> Option<HashMap<Vec<u8>, IndexEntry>> {
    let body = bytes.get(..bytes.len().checked_sub(hash)?)?;
    let mut reader = Reader { body, at: 0 };
    if reader.take(4)? != SIGNATURE {
        return None;
    }
    let version = reader.number()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = reader.number()? as usize;
    // Each takes more than its stat data: a wrong count must not reserve room.
    let mut entries = HashMap::with_capacity(count.min(body.len() / STAT));
    let mut path = Vec::new();
    for _ in 0..count {
        let entry = reader.entry(version, hash, &mut path)?;
        entries.insert(path.clone(), entry);
    }
    reader.extensions()?;
    Some(entries)
}

struct Reader<'b> {
    body: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.body.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn entry(&mut self, version: u32, hash: usize, path: &mut Vec<u8>) -> Option<IndexEntry> {
        let start = self.at;
        let stat = self.take(STAT)?;
        let field = |at: usize| Some(u32::from_be_bytes(stat.get(at..at + 4)?.try_into().ok()?));
        let (modified, mode, size) = ((field(8)?, field(12)?), field(24)?, field(36)?);
        self.take(hash)?;
        let flags = self.short()?;
        let is_extended = flags & EXTENDED != 0;
        if is_extended && version < 3 {
            return None;
        }
        // Not checked out, or only meant to be added.
        let more = if is_extended { self.short()? } else { 0 };
        if version == 4 {
            let kept = path.len().checked_sub(self.offset()?)?;
            path.truncate(kept);
        } else {
            path.clear();
        }
        path.extend_from_slice(self.until_nul()?);
        if version < 4 {
            // Padded with one to eight of them.
            let length = (self.at - 1 - start + 8) & !7;
            self.at = start.checked_add(length)?;
        }
        let is_plain = flags & (ASSUME_VALID | STAGE) == 0 && more == 0;
        Some(IndexEntry { modified, mode, size, is_plain })
    }

    fn until_nul(&mut self) -> Option<&'b [u8]> {
        let length = self.body.get(self.at..)?.iter().position(|byte| *byte == 0)?;
        let taken = self.take(length)?;
        self.at += 1;
        Some(taken)
    }

    /// A number in as many bytes as it needs, as in pack files.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(0x80)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }

    /// Extensions with a capital are hints. Others change what the index means: a part of it in another file, folders
    /// that stand for what is in them.
    fn extensions(&mut self) -> Option<()> {
        while self.at < self.body.len() {
            let name = self.take(4)?;
            if !name[0].is_ascii_uppercase() {
                return None;
            }
            let length = self.number()? as usize;
            self.take(length)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, process::Command};

    use proptest::prelude::*;

    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let output = Command::new("git").args(arguments).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn repository(arguments: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &[&["init", "-q"], arguments].concat());
        for (path, content) in [("a", "1"), ("folder/b", "22"), ("folder/longer name", "333"), ("z", "")] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        git(folder.path(), &["add", "."]);
        folder
    }

    fn read(folder: &Path, hash: usize) -> Option<HashMap<Vec<u8>, IndexEntry>> {
        parse(&fs::read(folder.join(".git/index")).unwrap(), hash)
    }

    fn sizes(entries: &HashMap<Vec<u8>, IndexEntry>) -> Vec<(String, u32, bool)> {
        let mut sizes: Vec<_> = entries
            .iter()
            .map(|(path, entry)| (String::from_utf8_lossy(path).into_owned(), entry.size, entry.is_plain))
            .collect();
        sizes.sort();
        sizes
    }

    #[test]
    fn parser_reads_every_version() {
        for version in ["2", "3", "4"] {
            let folder = repository(&[]);
            git(folder.path(), &["update-index", "--index-version", version]);
            let entries = read(folder.path(), 20).unwrap();
            let wanted = [("a", 1), ("folder/b", 2), ("folder/longer name", 3), ("z", 0)];
            let wanted: Vec<_> =
                wanted.iter().map(|(path, size)| ((*path).to_owned(), *size, true)).collect();
            assert_eq!(sizes(&entries), wanted, "version {version}");
        }
    }

    #[test]
    fn parser_reads_longer_hashes() {
        let folder = repository(&["--object-format=sha256"]);
        assert_eq!(read(folder.path(), 32).unwrap().len(), 4);
        assert_eq!(read(folder.path(), 20), None, "with the wrong length");
    }

    #[test]
    fn entries_that_git_does_not_look_at_are_not_plain() {
        let folder = repository(&[]);
        git(folder.path(), &["update-index", "--assume-unchanged", "a"]);
        git(folder.path(), &["update-index", "--skip-worktree", "folder/b"]);
        fs::write(folder.path().join("new"), "x").unwrap();
        git(folder.path(), &["add", "-N", "new"]);
        let entries = read(folder.path(), 20).unwrap();
        let plain: Vec<_> =
            sizes(&entries).into_iter().filter(|(.., plain)| *plain).map(|(path, ..)| path).collect();
        assert_eq!(plain, ["folder/longer name", "z"]);
    }

    #[test]
    fn index_with_a_part_elsewhere_is_unknown() {
        let folder = repository(&[]);
        git(folder.path(), &["update-index", "--split-index"]);
        assert_eq!(read(folder.path(), 20), None);
    }

    proptest! {
        #[test]
        fn parser_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), version in 0u8..6) {
            let _ = parse(&bytes, 20);
            let head = [b'D', b'I', b'R', b'C', 0, 0, 0, version, 0, 0, 0, 9];
            let _ = parse(&[&head[..], &bytes].concat(), 20);
        }
    }
}
