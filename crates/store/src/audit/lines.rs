//! Reading the files of the log line by line, forwards and backwards, without loading them.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
};

use super::line::MAX_LINE;

/// A line as it stands in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawLine {
    /// Where it starts.
    pub offset: u64,
    /// Without its line end. Nothing, where it is longer than any record may be.
    pub bytes: Vec<u8>,
    /// Whether it has a line end. Only the last line of a file may have none.
    pub ended: bool,
}

/// Reads up to `length` bytes of a file from its start, line by line.
pub(super) struct Forwards {
    reader: io::Take<BufReader<File>>,
    offset: u64,
}

impl Forwards {
    pub fn new(file: File, length: u64) -> Self {
        Self { reader: BufReader::with_capacity(256 << 10, file).take(length), offset: 0 }
    }

    pub fn next(&mut self) -> io::Result<Option<RawLine>> {
        let mut line = RawLine { offset: self.offset, bytes: Vec::new(), ended: false };
        let mut too_long = false;
        while !line.ended {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|b| *b == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            line.ended = end.is_some();
            let text = &buffer[..end.unwrap_or(taken)];
            too_long |= line.bytes.len() + text.len() > MAX_LINE;
            if too_long {
                line.bytes.clear();
            } else {
                line.bytes.extend_from_slice(text);
            }
            self.reader.consume(taken);
            self.offset += taken as u64;
        }
        Ok((self.offset > line.offset).then_some(line))
    }
}

/// Reads a file from its end, line by line, the last one first.
pub(super) struct Backwards {
    file: File,
    /// Where in the file `buffer` starts.
    start: u64,
    /// What has been read and not yet been given out.
    buffer: Vec<u8>,
}

/// The first piece is small: mostly the very last record is all that is wanted.
const FIRST_PIECE: u64 = 4 << 10;
const LARGEST_PIECE: u64 = 256 << 10;

impl Backwards {
    pub fn new(file: File, length: u64) -> Self {
        Self { file, start: length, buffer: Vec::new() }
    }

    pub fn next(&mut self) -> io::Result<Option<RawLine>> {
        if self.buffer.is_empty() && !self.read_more()? {
            return Ok(None);
        }
        let ended = self.buffer.pop_if(|b| *b == b'\n').is_some();
        let mut too_long = false;
        // Where no line end can be, since it has been looked for there.
        let mut searched = 0;
        let line_start = loop {
            let unsearched = self.buffer.len() - searched;
            if let Some(at) = self.buffer[..unsearched].iter().rposition(|b| *b == b'\n') {
                break at + 1;
            }
            too_long |= self.buffer.len() > MAX_LINE;
            if too_long {
                self.buffer.clear();
            }
            searched = self.buffer.len();
            if !self.read_more()? {
                break 0;
            }
        };
        let bytes = self.buffer.split_off(line_start);
        too_long |= bytes.len() > MAX_LINE;
        let offset = self.start + line_start as u64;
        Ok(Some(RawLine { offset, bytes: if too_long { Vec::new() } else { bytes }, ended }))
    }

    /// Whether there was more.
    fn read_more(&mut self) -> io::Result<bool> {
        let wanted =
            (self.buffer.len() as u64 * 2).clamp(FIRST_PIECE, LARGEST_PIECE.max(self.buffer.len() as u64));
        let wanted = wanted.min(self.start);
        if wanted == 0 {
            return Ok(false);
        }
        self.start -= wanted;
        self.file.seek(SeekFrom::Start(self.start))?;
        let mut piece = Vec::new();
        (&self.file).take(wanted).read_to_end(&mut piece)?;
        if (piece.len() as u64) < wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        piece.append(&mut self.buffer);
        self.buffer = piece;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn file(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file.rewind().unwrap();
        file
    }

    fn both_ways(content: &[u8]) -> (Vec<RawLine>, Vec<RawLine>) {
        let mut forwards = Forwards::new(file(content), content.len() as u64);
        let there: Vec<_> = std::iter::from_fn(|| forwards.next().unwrap()).collect();
        let mut backwards = Backwards::new(file(content), content.len() as u64);
        let mut back: Vec<_> = std::iter::from_fn(|| backwards.next().unwrap()).collect();
        back.reverse();
        (there, back)
    }

    #[test]
    fn lines_are_found_from_both_ends() {
        let long = "x".repeat(700_000);
        for (content, lines) in [
            (String::new(), vec![]),
            ("\n".into(), vec![(0, "", true)]),
            ("a".into(), vec![(0, "a", false)]),
            ("a\n\nbc\n".into(), vec![(0, "a", true), (2, "", true), (3, "bc", true)]),
            ("a\nbc".into(), vec![(0, "a", true), (2, "bc", false)]),
            (format!("{long}\n{long}\n"), vec![(0, &*long, true), (700_001, &*long, true)]),
        ] {
            let (there, back) = both_ways(content.as_bytes());
            let expected: Vec<_> = lines
                .into_iter()
                .map(|(offset, text, ended)| RawLine { offset, bytes: text.into(), ended })
                .collect();
            assert!(there == expected && back == expected);
        }
    }

    #[test]
    fn a_line_without_end_is_not_kept_in_memory() {
        let mut content = b"a\n".to_vec();
        content.resize(MAX_LINE + 10, b'x');
        content.extend_from_slice(b"\nb\n");
        let (there, back) = both_ways(&content);
        assert!(there == back);
        let shape: Vec<_> = there.iter().map(|l| (l.offset, l.bytes.len())).collect();
        assert_eq!(shape, [(0, 1), (2, 0), (content.len() as u64 - 2, 1)]);
    }

    proptest! {
        #[test]
        fn both_ways_agree(content in "[ab\n]{0,80}") {
            let (there, back) = both_ways(content.as_bytes());
            prop_assert_eq!(&there, &back);
            let joined: Vec<u8> = there
                .iter()
                .flat_map(|l| l.bytes.iter().copied().chain(l.ended.then_some(b'\n')))
                .collect();
            prop_assert_eq!(joined, content.into_bytes());
        }
    }
}
