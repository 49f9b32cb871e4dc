//! A range of bytes, its ends moved out to whole characters.

use std::{
    fs::File,
    io::{self, Seek, SeekFrom},
};

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

use super::lines::fill;

/// How far back the start of a character is looked for where only a line end is a sure one.
const LOOK_BACK: usize = 4096;
/// The longest character.
const LONGEST: usize = 4;

/// Bytes of a file, on character boundaries.
#[derive(Debug)]
pub(super) struct Bytes {
    pub content: Vec<u8>,
    pub offset: u64,
    /// Whether the file ends with them.
    pub at_end: bool,
}

pub(super) fn read(
    mut file: &File,
    encoding: &'static Encoding,
    offset: u64,
    limit: usize,
) -> io::Result<Bytes> {
    let back = if is_self_synchronising(encoding) { LONGEST } else { LOOK_BACK };
    let back = usize::try_from(offset).unwrap_or(usize::MAX).min(back);
    let from = offset - back as u64;
    file.seek(SeekFrom::Start(from))?;
    // One byte more than the longest character shows whether the file ends here.
    let mut buffer = vec![0; back + limit + LONGEST + 1];
    let filled = fill(file, &mut buffer)?;
    buffer.truncate(filled);
    let starts_file = from == 0;
    let sure = sure_start(encoding, &buffer[..back.min(filled)], starts_file, from);
    let sure = sure.min(filled);
    let start = sure + floor(encoding, &buffer[sure..], back.saturating_sub(sure));
    let end = sure + ceil(encoding, &buffer[sure..], (back + limit).min(filled).saturating_sub(sure));
    let at_end = end == filled;
    let content = buffer[start.min(end)..end].to_vec();
    Ok(Bytes { content, offset: from + start as u64, at_end })
}

fn is_self_synchronising(encoding: &'static Encoding) -> bool {
    encoding.is_single_byte() || encoding == UTF_8 || encoding == UTF_16LE || encoding == UTF_16BE
}

/// The first place in what was read before the range where a character surely starts.
fn sure_start(encoding: &'static Encoding, before: &[u8], starts_file: bool, from: u64) -> usize {
    if starts_file {
        return 0;
    }
    match encoding {
        e if e == UTF_8 => before.iter().position(|byte| byte & 0xC0 != 0x80).unwrap_or(before.len()),
        e if e == UTF_16LE || e == UTF_16BE => usize::from(!from.is_multiple_of(2)),
        e if e.is_single_byte() => 0,
        // A line end is part of no other character.
        _ => memchr::memchr(b'\n', before).map_or(0, |at| at + 1),
    }
}

/// The last boundary at or before `at`. `bytes` starts with a character.
pub(super) fn floor(encoding: &'static Encoding, bytes: &[u8], at: usize) -> usize {
    let mut here = 0;
    while here < at.min(bytes.len()) {
        let next = here + length(encoding, &bytes[here..]);
        if next > at {
            return here;
        }
        here = next;
    }
    here
}

/// The first boundary at or after `at`, or the end.
fn ceil(encoding: &'static Encoding, bytes: &[u8], at: usize) -> usize {
    let floor = floor(encoding, bytes, at);
    if floor >= at || floor == bytes.len() {
        floor
    } else {
        (floor + length(encoding, &bytes[floor..])).min(bytes.len())
    }
}

/// How many bytes the character at the start of `bytes` has; 1 for what is none. `bytes` is not empty.
fn length(encoding: &'static Encoding, bytes: &[u8]) -> usize {
    let lead = bytes[0];
    let second = bytes.get(1).copied().unwrap_or(0);
    let fits = |byte: u8| byte >= 0x30;
    match encoding {
        e if e == UTF_8 => utf_8_length(bytes),
        e if e == UTF_16LE => utf_16_length(second),
        e if e == UTF_16BE => utf_16_length(lead),
        _ if lead < 0x80 => 1,
        e if (e == GB18030 || e == GBK) && (0x30..=0x39).contains(&second) => 4,
        e if e == EUC_JP && lead == 0x8F => 3,
        e if e == SHIFT_JIS && (0xA1..=0xDF).contains(&lead) => 1,
        e if [GB18030, GBK, BIG5, EUC_JP, EUC_KR, SHIFT_JIS].contains(&e) && fits(second) => 2,
        _ => 1,
    }
}

fn utf_8_length(bytes: &[u8]) -> usize {
    let wanted = match bytes[0] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    let following = bytes[1..].iter().take(wanted - 1).take_while(|byte| **byte & 0xC0 == 0x80).count();
    1 + following
}

/// By the high byte of a unit: the first half of a surrogate pair is followed by the other.
fn utf_16_length(high: u8) -> usize {
    if (0xD8..=0xDB).contains(&high) { 4 } else { 2 }
}

#[cfg(test)]
mod unit {
    use std::io::Write;

    use super::*;
    use proptest::prelude::*;

    fn boundaries(encoding: &'static Encoding, text: &str) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut at = vec![0];
        for c in text.chars() {
            let c = c.to_string();
            match encoding {
                e if e == UTF_16LE => bytes.extend(c.encode_utf16().flat_map(u16::to_le_bytes)),
                e if e == UTF_16BE => bytes.extend(c.encode_utf16().flat_map(u16::to_be_bytes)),
                e => bytes.extend_from_slice(&e.encode(&c).0),
            }
            at.push(bytes.len());
        }
        (bytes, at)
    }

    proptest! {
        #[test]
        fn ends_are_moved_out_to_whole_characters(
            text in "[a-z一-丿ァ-ヴ\n]{1,60}", offset in 0usize..200, limit in 1usize..60
        ) {
            for encoding in [UTF_8, UTF_16LE, UTF_16BE, GB18030, BIG5, SHIFT_JIS] {
                if encoding.encode(&text).2 && !is_self_synchronising(encoding) { continue }
                let (bytes, at) = boundaries(encoding, &text);
                if offset > bytes.len() { continue }
                let mut file = tempfile::tempfile().unwrap();
                file.write_all(&bytes).unwrap();
                let read = read(&file, encoding, offset as u64, limit).unwrap();
                let start = *at.iter().rfind(|b| **b <= offset).unwrap();
                let wanted = (offset + limit).min(bytes.len());
                let end = *at.iter().find(|b| **b >= wanted).unwrap();
                prop_assert_eq!(read.offset, start as u64, "{:?}", encoding);
                prop_assert_eq!(&read.content, &bytes[start..end], "{:?}", encoding);
                prop_assert_eq!(read.at_end, end == bytes.len());
            }
        }

        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..80), offset in 0u64..80, limit in 1usize..40) {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            for encoding in [UTF_8, UTF_16LE, GB18030, EUC_JP, SHIFT_JIS] {
                let read = read(&file, encoding, offset, limit).unwrap();
                prop_assert!(read.content.len() <= limit + 2 * LONGEST);
            }
        }
    }
}
