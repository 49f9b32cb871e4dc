//! One line of the log.
//!
//! ```text
//! {"seq":N,"prev":"<hash of the record before>", …the record's fields… ,"hash":"<hash>"}
//! ```
//!
//! The hash is the SHA-256 of the exact bytes of the line before `,"hash":"`, so that anybody can check it
//! with `sha256sum`. The first record has the number 1 and sixty-four zeros before it.

use std::{fmt, io::Write};

use deskhand_core::{AuditRecord, arguments::hex};
use sha2::{Digest, Sha256};

/// Longer records are refused, and longer lines are not records. What the gate records is bounded far
/// below this.
pub(super) const MAX_LINE: usize = 16 << 20;

const SEQ: &[u8] = b"{\"seq\":";
const PREV: &[u8] = b",\"prev\":\"";
const HASH: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}";
/// How the fields of a record begin that is not of a call.
const NOTICE: &[u8] = b"\"phase\":\"notice\"";

/// A SHA-256, as the text it is everywhere here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash([u8; 64]);

impl Hash {
    /// What stands before the first record.
    pub const NONE: Self = Self([b'0'; 64]);

    pub fn of(bytes: &[u8]) -> Self {
        let mut text = [0; 64];
        // Two digits for each of the thirty-two bytes.
        text.copy_from_slice(hex(&Sha256::digest(bytes)).as_bytes());
        Self(text)
    }

    pub fn parse(text: &[u8]) -> Option<Self> {
        let digits: [u8; 64] = text.try_into().ok()?;
        digits.iter().all(|d| matches!(d, b'0'..=b'9' | b'a'..=b'f')).then_some(Self(digits))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.0).unwrap_or_default())
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A place in the chain: after the record of this number and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub seq: u64,
    pub hash: Hash,
}

impl Position {
    pub const START: Self = Self { seq: 0, hash: Hash::NONE };
}

/// The fields of a record, ready to be put into a line. Made before the lock is taken.
pub(super) struct Body(Vec<u8>);

impl Body {
    pub fn of(record: &AuditRecord) -> serde_json::Result<Self> {
        serde_json::to_vec(record).map(Self)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// The line, line end included, that goes on from `after`; and where the chain stands then.
pub(super) fn encode(body: &Body, after: Position) -> (Vec<u8>, Position) {
    let seq = after.seq.saturating_add(1);
    let mut line = Vec::with_capacity(body.len() + 256);
    line.extend_from_slice(SEQ);
    // Writing into a vector does not fail.
    let _ = write!(line, "{seq}");
    line.extend_from_slice(PREV);
    line.extend_from_slice(&after.hash.0);
    line.extend_from_slice(b"\",");
    let fields = body.0.strip_prefix(b"{").and_then(|b| b.strip_suffix(b"}")).unwrap_or(&body.0);
    line.extend_from_slice(fields);
    let hash = Hash::of(&line);
    line.extend_from_slice(HASH);
    line.extend_from_slice(&hash.0);
    line.extend_from_slice(END);
    line.push(b'\n');
    (line, Position { seq, hash })
}

/// A line that has the form of a record.
pub(super) struct Line<'a> {
    pub at: Position,
    pub prev: Hash,
    hashed: &'a [u8],
    fields: &'a [u8],
}

impl<'a> Line<'a> {
    /// Takes a line, without its line end, apart. `None` if it is not of the form.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let rest = line.strip_suffix(END)?;
        let (rest, hash) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
        let hash = Hash::parse(hash)?;
        let hashed = rest.strip_suffix(HASH)?;
        let rest = hashed.strip_prefix(SEQ)?;
        let digits = rest.iter().position(|b| !b.is_ascii_digit())?;
        let (digits, rest) = rest.split_at(digits);
        let seq = str::from_utf8(digits).ok()?.parse().ok()?;
        let (prev, rest) = rest.strip_prefix(PREV)?.split_at_checked(64)?;
        let fields = rest.strip_prefix(b"\",")?;
        Some(Self { at: Position { seq, hash }, prev: Hash::parse(prev)?, hashed, fields })
    }

    /// Whether the content is what the hash says.
    pub fn is_intact(&self) -> bool {
        Hash::of(self.hashed) == self.at.hash
    }

    /// Whether it is not of a call; seen without reading all of it.
    pub fn is_notice(&self) -> bool {
        self.fields.starts_with(NOTICE)
    }

    pub fn record(&self) -> serde_json::Result<AuditRecord> {
        let mut json = Vec::with_capacity(self.fields.len() + 2);
        json.push(b'{');
        json.extend_from_slice(self.fields);
        json.push(b'}');
        serde_json::from_slice(&json)
    }
}

#[cfg(test)]
mod tests {
    use deskhand_core::{CallId, Phase, Time};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    pub(crate) fn record(arguments: Value, result: &str) -> AuditRecord {
        AuditRecord {
            phase: Phase::End,
            call_id: Some(CallId::new()),
            tool_name: "read_file".into(),
            session_id: "s".into(),
            duration_ms: Some(3),
            result: Some(result.into()),
            decision: Some("allow".into()),
            decided_by: Some("policy".into()),
            ..AuditRecord::notice("cli", "success", arguments, Time::now())
        }
    }

    #[test]
    fn anybody_can_check_the_hash() {
        let after = Position { seq: 41, hash: Hash::of(b"x") };
        let (line, at) = encode(&Body::of(&record(json!({"hash": "x"}), "é\n")).unwrap(), after);
        let text = String::from_utf8(line).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (value["seq"].as_u64(), value["prev"].as_str()),
            (Some(42), Some(&*after.hash.to_string()))
        );
        assert_eq!((at.seq, value["hash"].as_str()), (42, Some(&*at.hash.to_string())));
        let hashed = &text[..text.rfind(",\"hash\":\"").unwrap()];
        assert_eq!(value["hash"], Hash::of(hashed.as_bytes()).to_string());
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Hash::of(b"abc").to_string(), abc, "it is SHA-256");
        assert!(text.starts_with("{\"seq\":42,\"prev\":\"") && text.ends_with("\"}\n"));
        assert_eq!(text.matches('\n').count(), 1);
    }

    #[test]
    fn what_is_not_of_the_form_is_no_record() {
        let (line, _) = encode(&Body::of(&record(json!({}), "")).unwrap(), Position::START);
        let line = line.strip_suffix(b"\n").unwrap();
        assert!(Line::parse(line).unwrap().is_intact());
        for cut in 0..line.len() {
            assert!(Line::parse(&line[..cut]).is_none(), "cut at {cut}");
        }
        let text = str::from_utf8(line).unwrap();
        for other in ["", "{}", "\0\0\0", &text.to_uppercase(), &text.replace("seq\":1", "seq\":-1")] {
            assert!(Line::parse(other.as_bytes()).is_none(), "{other}");
        }
    }

    proptest! {
        #[test]
        fn a_record_comes_back_as_it_was(text in ".*", key in ".*", seq in 0..u64::MAX) {
            let record = record(json!({key: [text.clone(), {"hash": "0".repeat(64)}]}), &text);
            let (line, at) = encode(&Body::of(&record).unwrap(), Position { seq, hash: Hash::NONE });
            let line = Line::parse(line.strip_suffix(b"\n").unwrap()).unwrap();
            prop_assert!(line.is_intact());
            prop_assert_eq!(line.at, at);
            prop_assert_eq!(line.record().unwrap(), record);
        }

        #[test]
        fn any_changed_byte_shows(at in any::<prop::sample::Index>(), flip in 1..=255u8) {
            let (mut line, _) = encode(&Body::of(&record(json!({"a": 1}), "x")).unwrap(), Position::START);
            line.pop();
            let at = at.index(line.len());
            line[at] ^= flip;
            prop_assert!(Line::parse(&line).is_none_or(|line| !line.is_intact()));
        }
    }
}
