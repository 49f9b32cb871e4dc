//! JSON values in a text: where objects and arrays stand in it, read by the grammar and in one pass.
//!
//! The scanner knows strings with their escapes and the order of keys, colons and commas; a brace in a string is no
//! brace, and a brace in prose that is no JSON is passed over. It looks at every byte once, whatever the text is.
//! Whether a value that was found is JSON to the last letter, [`read`] says.

use std::ops::Range;

use serde_json::Value;

/// Values nested deeper are not looked at; `serde_json` reads no deeper either.
pub const MAX_DEPTH: usize = 127;
/// Of a longer text only the beginning is looked at.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// What was found in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The outermost objects and arrays, as byte ranges, in order.
    pub values: Vec<Range<usize>>,
    /// Why the rest of the text was not looked at.
    pub flaw: Option<Flaw>,
}

/// Why a value has no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    #[error("truncated at byte {at}, inside {inside}")]
    Truncated { start: usize, at: usize, inside: &'static str },
    #[error("nested deeper than {MAX_DEPTH} levels at byte {at}")]
    TooDeep { start: usize, at: usize },
    #[error("longer than {MAX_BYTES} bytes")]
    TooLong { start: usize },
}

/// What may come next inside the innermost open value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    FirstKey,
    Key,
    Colon,
    Value,
    FirstItem,
    Item,
    CommaOrEnd,
}

struct Open {
    start: usize,
    is_object: bool,
    expect: Expect,
}

impl Open {
    fn new(start: usize, byte: u8) -> Self {
        let is_object = byte == b'{';
        Self { start, is_object, expect: if is_object { Expect::FirstKey } else { Expect::FirstItem } }
    }
}

/// Finds the objects and arrays in a text.
pub fn scan(text: &str) -> Scan {
    let too_long = text.len() > MAX_BYTES;
    let bytes = &text.as_bytes()[..text.len().min(MAX_BYTES)];
    let mut values: Vec<Range<usize>> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let Some(top) = open.last_mut() else {
            // In prose: everything up to the next bracket is passed over.
            match bytes[at..].iter().position(|byte| matches!(byte, b'{' | b'[')) {
                None => break,
                Some(skip) => at += skip,
            }
            open.push(Open::new(at, bytes[at]));
            at += 1;
            continue;
        };
        match step(bytes, at, top) {
            Step::On(to) => at = to,
            Step::Open => {
                if open.len() >= MAX_DEPTH {
                    let start = open[0].start;
                    return Scan { values, flaw: Some(Flaw::TooDeep { start, at }) };
                }
                open.push(Open::new(at, bytes[at]));
                at += 1;
            }
            Step::Close => {
                let start = top.start;
                open.pop();
                // What was found inside is part of this one.
                while values.last().is_some_and(|inner| inner.start > start) {
                    values.pop();
                }
                at += 1;
                values.push(start..at);
            }
            // No JSON after all. What was whole inside stays found, and the search goes on from here.
            Step::Wrong => open.clear(),
            Step::Cut(inside) => {
                return ended(values, &open, bytes.len(), inside, too_long);
            }
        }
    }
    ended(values, &open, bytes.len(), "a value", too_long)
}

fn ended(mut values: Vec<Range<usize>>, open: &[Open], at: usize, inside: &'static str, long: bool) -> Scan {
    let flaw = match open.first() {
        None if long => Some(Flaw::TooLong { start: at }),
        None => None,
        Some(first) if long => Some(Flaw::TooLong { start: first.start }),
        Some(first) => Some(Flaw::Truncated { start: first.start, at, inside }),
    };
    if let Some(first) = open.first() {
        values.retain(|value| value.start < first.start);
    }
    Scan { values, flaw }
}

enum Step {
    On(usize),
    Open,
    Close,
    Wrong,
    /// The text ends inside of this.
    Cut(&'static str),
}

fn step(bytes: &[u8], at: usize, top: &mut Open) -> Step {
    let byte = bytes[at];
    if byte.is_ascii_whitespace() {
        return Step::On(at + 1);
    }
    match (top.expect, byte) {
        (Expect::FirstKey | Expect::Key, b'"') => match string_end(bytes, at) {
            None => Step::Cut("a key"),
            Some(end) => {
                top.expect = Expect::Colon;
                Step::On(end)
            }
        },
        (Expect::FirstKey, b'}') | (Expect::FirstItem, b']') => Step::Close,
        (Expect::Colon, b':') => {
            top.expect = Expect::Value;
            Step::On(at + 1)
        }
        (Expect::CommaOrEnd, b',') => {
            top.expect = if top.is_object { Expect::Key } else { Expect::Item };
            Step::On(at + 1)
        }
        (Expect::CommaOrEnd, b'}') if top.is_object => Step::Close,
        (Expect::CommaOrEnd, b']') if !top.is_object => Step::Close,
        (Expect::Value | Expect::FirstItem | Expect::Item, _) => {
            let step = value(bytes, at);
            if matches!(step, Step::On(_) | Step::Open) {
                top.expect = Expect::CommaOrEnd;
            }
            step
        }
        _ => Step::Wrong,
    }
}

fn value(bytes: &[u8], at: usize) -> Step {
    match bytes[at] {
        b'{' | b'[' => Step::Open,
        b'"' => string_end(bytes, at).map_or(Step::Cut("a string"), Step::On),
        b'-' | b'0'..=b'9' => {
            let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
            Step::On(at + bytes[at..].iter().take_while(|byte| is_part(byte)).count())
        }
        b't' => word(bytes, at, b"true"),
        b'f' => word(bytes, at, b"false"),
        b'n' => word(bytes, at, b"null"),
        _ => Step::Wrong,
    }
}

fn word(bytes: &[u8], at: usize, word: &[u8]) -> Step {
    let rest = &bytes[at..];
    if rest.starts_with(word) {
        Step::On(at + word.len())
    } else if word.starts_with(rest) {
        Step::Cut("a word")
    } else {
        Step::Wrong
    }
}

/// The end of the string that starts at `at`, behind its closing quote. Line breaks in it are passed over: they are
/// wrong, but they do not end it, and [`read`] says so.
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The extent of what starts with a bracket at `start`, JSON or not: up to the bracket that closes it, strings left
/// aside. For things that must be named and cut out although they are broken.
pub fn extent(text: &str, start: usize) -> Result<Range<usize>, Flaw> {
    let bytes = &text.as_bytes()[..text.len().min(start.saturating_add(MAX_BYTES))];
    let too_long = bytes.len() < text.len();
    let mut depth = 0_usize;
    let mut at = start;
    let cut = |inside| {
        if too_long { Flaw::TooLong { start } } else { Flaw::Truncated { start, at: text.len(), inside } }
    };
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Flaw::TooDeep { start, at });
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Ok(start..at + 1);
                }
            }
            b'"' => match string_end(bytes, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => return Err(cut("a string")),
            },
            _ => {}
        }
        at += 1;
    }
    Err(cut("an object"))
}

/// Reads JSON; where it is none, says what is wrong and where.
pub fn read(json: &str) -> Result<Value, String> {
    serde_json::from_str(json).map_err(|error| {
        let hint = if error.to_string().starts_with("control character") {
            " (write a line break in a string as \\n, a tab as \\t)"
        } else {
            ""
        };
        format!("{error}{hint}")
    })
}

#[cfg(test)]
mod tests;
