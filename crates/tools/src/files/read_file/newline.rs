//! Where lines end, in the bytes of any encoding.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use memchr::memchr_iter;

/// How a line end is written. In every encoding but UTF-16 it is one byte that is part of no other character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Newline {
    Byte,
    /// UTF-16: two bytes, at even places. Slices that are looked at start at one.
    LittleEndian,
    BigEndian,
}

impl Newline {
    pub fn of(encoding: &'static Encoding) -> Self {
        match encoding {
            e if e == UTF_16LE => Self::LittleEndian,
            e if e == UTF_16BE => Self::BigEndian,
            _ => Self::Byte,
        }
    }

    /// Bytes of the smallest character.
    pub fn unit(self) -> usize {
        if self == Self::Byte { 1 } else { 2 }
    }

    pub fn count(self, bytes: &[u8]) -> u64 {
        match self {
            Self::Byte => memchr_iter(b'\n', bytes).count() as u64,
            _ => self.ends(bytes).count() as u64,
        }
    }

    /// The places just after each line end.
    pub fn ends(self, bytes: &[u8]) -> impl DoubleEndedIterator<Item = usize> {
        memchr_iter(b'\n', bytes).filter_map(move |at| match self {
            Self::Byte => Some(at + 1),
            Self::LittleEndian => (at % 2 == 0 && bytes.get(at + 1) == Some(&0)).then_some(at + 2),
            Self::BigEndian => (at % 2 == 1 && bytes[at - 1] == 0).then_some(at + 1),
        })
    }

    /// The place just after the first line end.
    pub fn first(self, bytes: &[u8]) -> Option<usize> {
        self.ends(bytes).next()
    }

    pub fn is_at_end_of(self, bytes: &[u8]) -> bool {
        match self {
            Self::Byte => bytes.ends_with(b"\n"),
            Self::LittleEndian => bytes.len().is_multiple_of(2) && bytes.ends_with(b"\n\0"),
            Self::BigEndian => bytes.len().is_multiple_of(2) && bytes.ends_with(b"\0\n"),
        }
    }

    /// About how many characters there are: exact for UTF-8, at most too many for others.
    pub fn chars(self, bytes: &[u8]) -> usize {
        match self {
            Self::Byte => bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count(),
            _ => bytes.len() / 2,
        }
    }
}
