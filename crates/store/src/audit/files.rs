//! The files of the log, one for each day, and where what is in them ends.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use super::{
    line::{Hash, Line, Position},
    lines::{Backwards, Forwards, RawLine},
};

/// The name of the file of a day (`YYYY-MM-DD`).
pub(super) fn name_of_day(day: &str) -> String {
    format!("{day}.jsonl")
}

fn is_day_file(name: &str) -> bool {
    let form = b"0000-00-00.jsonl";
    let fits = |(c, form): (u8, &u8)| if *form == b'0' { c.is_ascii_digit() } else { c == *form };
    name.len() == form.len() && name.bytes().zip(form).all(fits)
}

/// The names of the files, oldest first.
pub(super) fn list(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        if let Ok(name) = entry?.file_name().into_string()
            && is_day_file(&name)
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// The bytes of a record that was not written to its end.
pub(super) struct Torn {
    pub file: String,
    pub bytes: u64,
    pub sha256: Hash,
}

/// How a file ends.
pub(super) struct FileEnd {
    /// The last record in it; `None` if there is none.
    pub at: Option<Position>,
    /// Of the file, without what is torn.
    pub length: u64,
    pub torn: Option<Torn>,
    /// Whether what stays ends with a line end.
    pub ended: bool,
}

/// Looks at the end of a file. What is after the last record and after `durable` (the length that is known
/// to have been written whole) is torn; what is before it was written whole once, so it was changed by
/// somebody, stays, and is for `verify` to find.
pub(super) fn read_end(folder: &Path, name: &str, durable: u64) -> io::Result<FileEnd> {
    let path = folder.join(name);
    let file = File::open(&path)?;
    let full = file.metadata()?.len();
    let mut lines = Backwards::new(file, full);
    let mut length = full;
    let mut at = None;
    let mut ended = true;
    while let Some(line) = lines.next()? {
        ended &= line.ended;
        at = position(&line);
        if at.is_some() {
            break;
        }
        if line.offset >= durable {
            length = line.offset;
        }
    }
    let torn = (length < full).then(|| torn_bytes(&path, name, length, full)).transpose()?;
    Ok(FileEnd { at, length, ended: ended || torn.is_some(), torn })
}

fn position(line: &RawLine) -> Option<Position> {
    if line.ended { Line::parse(&line.bytes).map(|line| line.at) } else { None }
}

fn torn_bytes(path: &Path, name: &str, from: u64, to: u64) -> io::Result<Torn> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(to - from).read_to_end(&mut bytes)?;
    Ok(Torn { file: name.to_owned(), bytes: to - from, sha256: Hash::of(&bytes) })
}

/// The number of the first record in a file; `None` if there is none that can be read.
pub(super) fn first_seq(path: &Path) -> io::Result<Option<u64>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let first = Forwards::new(file, length).next()?;
    Ok(first.and_then(|line| Line::parse(&line.bytes).map(|line| line.at.seq)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_are_files_of_the_log() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "2026-01-02.jsonl",
            "2025-12-31.jsonl",
            ".lock",
            "x.jsonl",
            "2026-01-02.jsonl.bak",
            "yyyy-mm-dd.jsonl",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(list(folder.path()).unwrap(), ["2025-12-31.jsonl", "2026-01-02.jsonl"]);
        assert!(is_day_file(&name_of_day("2026-01-02")));
    }
}
