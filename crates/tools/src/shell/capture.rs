//! What a command prints, in bounded memory: the head and the tail are kept, and where that is not all of it, the
//! whole goes into a file.

use std::{collections::VecDeque, fs::File, io::Write, path::PathBuf};

use deskhand_core::{CallId, output};

use super::folder;

/// How much of the beginning and of the end of a stream is kept in memory.
const HEAD: usize = 128 * 1024;
const TAIL: usize = 128 * 1024;
/// How much of a stream goes into its file.
const MOST_KEPT: u64 = 1 << 30;

/// One stream.
pub struct Capture {
    /// Where kept outputs are.
    outputs: PathBuf,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    whole: Whole,
}

/// Where the whole of it is.
enum Whole {
    /// In memory.
    Here,
    In {
        file: File,
        id: CallId,
        bytes: u64,
    },
    /// It could not be kept, or only its first part.
    Not {
        id: Option<CallId>,
        why: String,
    },
}

/// What is known of a stream at its end.
pub struct Captured {
    /// All of it; or its head and its tail, with a line between them that says what is left out.
    pub text: String,
    pub total_bytes: u64,
    /// The handle under which `read_file` reads the whole, where the text is not all of it.
    pub file: Option<String>,
    pub truncated: bool,
}

impl Capture {
    pub fn new(outputs: PathBuf) -> Self {
        Self { outputs, head: Vec::new(), tail: VecDeque::new(), total: 0, whole: Whole::Here }
    }

    pub fn take(&mut self, bytes: &[u8]) {
        if matches!(self.whole, Whole::Here) && self.head.len() + self.tail.len() + bytes.len() > HEAD + TAIL
        {
            self.begin_file();
        }
        self.keep(bytes);
        self.total = self.total.saturating_add(bytes.len() as u64);
        let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(&rest[rest.len().saturating_sub(TAIL)..]);
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
    }

    /// The file, with what came so far.
    fn begin_file(&mut self) {
        let id = CallId::new();
        let path = self.outputs.join(format!("{id}.txt"));
        let made = folder::make(&self.outputs).and_then(|()| folder::new_file(&path));
        self.whole = match made {
            Ok(file) => Whole::In { file, id, bytes: 0 },
            Err(error) => Whole::Not { id: None, why: error.to_string() },
        };
        let (head, tail) = (std::mem::take(&mut self.head), std::mem::take(&mut self.tail));
        self.keep(&head);
        let (first, second) = tail.as_slices();
        self.keep(first);
        self.keep(second);
        (self.head, self.tail) = (head, tail);
    }

    fn keep(&mut self, piece: &[u8]) {
        let Whole::In { file, id, bytes } = &mut self.whole else { return };
        let room = usize::try_from(MOST_KEPT - *bytes).unwrap_or(usize::MAX);
        let fits = &piece[..piece.len().min(room)];
        *bytes += fits.len() as u64;
        let id = *id;
        match file.write_all(fits) {
            Err(error) => self.whole = Whole::Not { id: Some(id), why: error.to_string() },
            Ok(()) if fits.len() < piece.len() => {
                let why = format!("only its first {MOST_KEPT} bytes are kept");
                self.whole = Whole::Not { id: Some(id), why };
            }
            Ok(()) => {}
        }
    }

    /// The end. Where the caller gets at most `most` characters, and this is more, the whole is kept for them.
    pub fn end(mut self, most: Option<usize>) -> Captured {
        let kept = self.head.len() + self.tail.len();
        let left_out = self.total - kept as u64;
        if left_out == 0 && most.is_some_and(|most| kept > most) {
            self.begin_file();
        }
        let (file, why) = match self.whole {
            Whole::In { id, .. } => (Some(output::handle(id)), None),
            Whole::Not { id, why } => (id.map(output::handle), Some(why)),
            Whole::Here => (None, None),
        };
        let tail: Vec<u8> = self.tail.into();
        if left_out == 0 {
            // Joined before they are read as text: a character may lie across the border.
            let text = lossy(&[self.head, tail].concat());
            return Captured { text, total_bytes: self.total, file, truncated: false };
        }
        let where_it_is = match (&file, why) {
            (Some(handle), None) => format!("; read_file with path \"{handle}\" reads the whole"),
            (Some(handle), Some(why)) => format!("; \"{handle}\" has the beginning: {why}"),
            (None, why) => format!("; it could not be kept: {}", why.unwrap_or_default()),
        };
        let text = format!(
            "{}\n[… {left_out} of {} bytes left out{where_it_is} …]\n{}",
            lossy(whole_characters_before(&self.head)),
            self.total,
            lossy(whole_characters_after(&tail)),
        );
        Captured { text, total_bytes: self.total, file, truncated: true }
    }
}

pub fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Without the first part of a character whose rest was cut off.
pub fn whole_characters_before(bytes: &[u8]) -> &[u8] {
    let Some(last) = bytes.utf8_chunks().last() else { return bytes };
    let broken = last.invalid();
    // What was cut is a valid beginning: completed, it would be a character.
    let cut = !broken.is_empty()
        && (1..=3).any(|more| {
            [0x80_u8, 0x90, 0xA0, 0xBF].iter().any(|&byte| {
                let mut completed = broken.to_vec();
                completed.resize(broken.len() + more, byte);
                std::str::from_utf8(&completed).is_ok()
            })
        });
    if cut { &bytes[..bytes.len() - broken.len()] } else { bytes }
}

/// Without the last part of a character whose beginning was cut off.
pub fn whole_characters_after(bytes: &[u8]) -> &[u8] {
    let continuing = bytes.iter().take(3).take_while(|&&byte| byte & 0b1100_0000 == 0b1000_0000).count();
    &bytes[continuing..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pieces: &[&[u8]]) -> (Captured, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let mut capture = Capture::new(folder.path().join("outputs"));
        for piece in pieces {
            capture.take(piece);
        }
        (capture.end(None), folder)
    }

    #[test]
    fn what_fits_is_whole_and_needs_no_file() {
        let text = "中文🙂".repeat(1000);
        for size in [1, 2, 3, 5, 4096] {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let (captured, folder) = captured(&pieces);
            assert_eq!(captured.text, text, "in pieces of {size}");
            assert_eq!((captured.total_bytes, captured.truncated), (text.len() as u64, false));
            assert!(!folder.path().join("outputs").exists());
        }
        assert_eq!(captured(&[b"a\xFFb"]).0.text, "a\u{FFFD}b");
    }

    #[test]
    fn what_does_not_fit_keeps_both_ends_and_is_whole_in_a_file() {
        let all: Vec<u8> = "多字节".bytes().cycle().take(3_000_001).collect();
        for size in [1000, 65_536, 400_000, 3_000_001] {
            let pieces: Vec<&[u8]> = all.chunks(size).collect();
            let (captured, folder) = captured(&pieces);
            assert!(captured.truncated && captured.total_bytes == all.len() as u64);
            assert!(captured.text.len() < HEAD + TAIL + 400);
            assert!(captured.text.starts_with("多字节") && captured.text.contains("left out"));
            let borders = captured.text.matches('\u{FFFD}').count();
            assert!(borders <= 1, "only the very last character is really broken: {borders}");
            let id = captured.file.unwrap().strip_prefix("out:").unwrap().to_owned();
            let path = folder.path().join("outputs").join(format!("{id}.txt"));
            assert!(std::fs::read(path).unwrap() == all, "the file has all of it, in pieces of {size}");
        }
    }

    #[test]
    fn what_the_caller_gets_only_in_part_is_kept_whole() {
        for (most, kept) in [(None, false), (Some(6), false), (Some(5), true)] {
            let folder = tempfile::tempdir().unwrap();
            let mut capture = Capture::new(folder.path().into());
            capture.take(b"abcdef");
            let captured = capture.end(most);
            assert_eq!((captured.text.as_str(), captured.truncated), ("abcdef", false));
            assert_eq!(captured.file.is_some(), kept, "{most:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_made_is_said() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut capture = Capture::new(file.path().join("outputs"));
        capture.take(&vec![b'x'; HEAD + TAIL + 1]);
        let captured = capture.end(None);
        assert!(captured.text.contains("could not be kept"), "{}", &captured.text[HEAD..HEAD + 200]);
        assert_eq!(captured.file, None);
    }

    #[test]
    fn cut_characters_are_told_from_broken_ones() {
        for (bytes, kept) in
            [(&b"ab"[..], 2), (b"a\xE4\xB8", 1), (b"a\xF0\x9F\x99", 1), (b"a\xFF", 2), (b"", 0)]
        {
            assert_eq!(whole_characters_before(bytes).len(), kept, "{bytes:?}");
        }
    }
}
