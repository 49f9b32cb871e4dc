//! The search for keys that are known by how they begin ([`known`](super::known)).

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    Span, blocks,
    known::{Alphabet, FORMATS, Format},
    links, values,
};

/// What is found by a fixed text, but needs more than a run of characters.
type Special = fn(&str, usize) -> Option<Span>;

const SPECIAL: &[(&str, Special)] = &[
    ("://", links::password_at),
    (":AA", links::telegram_at),
    ("eyJ", links::jwt_at),
    (" -u ", links::curl_at),
    ("--user ", links::curl_at),
    ("sshpass -p", links::sshpass_at),
    ("PRIVATE KEY", blocks::pem_at),
    ("cloudflare", links::cloudflare_at),
    ("Cloudflare", links::cloudflare_at),
    ("CLOUDFLARE", links::cloudflare_at),
    ("Private-Lines:", blocks::putty_at),
    ("Private-MAC:", blocks::putty_mac_at),
];

/// A shorter prefix may be the end of a word.
const UNMISTAKABLE: usize = 4;

// Both lists are constants, and a test compiles them.
#[allow(clippy::expect_used)]
static BEGINNINGS: LazyLock<Regex> = LazyLock::new(|| {
    let all: Vec<_> =
        FORMATS.iter().map(|f| f.prefix).chain(SPECIAL.iter().map(|s| s.0)).map(regex::escape).collect();
    Regex::new(&all.join("|")).expect("escaped literals are a pattern")
});

/// Finds every key of a known format.
pub(super) fn find(text: &str, found: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(at) = BEGINNINGS.find_at(text, from) {
        let span = known_at(text, at.start());
        from = span.as_ref().map_or(at.end(), |span| span.range.end.max(at.end()));
        found.extend(span);
    }
}

fn known_at(text: &str, at: usize) -> Option<Span> {
    let rest = &text.as_bytes()[at..];
    if let Some((_, look)) = SPECIAL.iter().find(|(prefix, _)| rest.starts_with(prefix.as_bytes())) {
        return look(text, at);
    }
    FORMATS
        .iter()
        .filter(|format| rest.starts_with(format.prefix.as_bytes()))
        .find_map(|format| format.at(text, at))
}

impl Format {
    fn at(&self, text: &str, at: usize) -> Option<Span> {
        let bytes = text.as_bytes();
        let joined = self.is_joined(bytes, at);
        // One that may be endless is looked at from its beginning alone: else the time would not be linear.
        if joined && (self.prefix.len() < UNMISTAKABLE || self.most > 512) {
            return None;
        }
        let from = at + self.prefix.len();
        let mut end = from + self.alphabet.run(bytes, from, self.most);
        if end - from > self.most {
            return None; // something larger: an image, a blob
        }
        if end < bytes.len() && is_word(bytes[end]) {
            return None;
        }
        while end > from && matches!(bytes[end - 1], b'.' | b'-' | b'/' | b',') {
            end -= 1; // the end of a sentence or of a list
        }
        let body = &bytes[from..end];
        // What stands at the very end may have been cut.
        let cut = end == bytes.len() && !self.needs_chance && !self.keeps_prefix && !joined;
        let least = if cut { self.least.min(8) } else { self.least };
        let mixed = body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_alphabetic);
        if body.len() < least || (!mixed && (self.needs_chance || body.len() < self.least)) {
            return None;
        }
        if self.needs_chance && is_spoken(body) {
            return None;
        }
        if joined && !self.stands_out(&text[from..end], mixed) {
            return None;
        }
        let start = if self.keeps_prefix { from } else { at };
        Some(Span { range: start..end, kind: self.kind })
    }

    /// Whether what stands before the prefix could make it a part of something else.
    fn is_joined(&self, bytes: &[u8], at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|i| bytes[i]) else { return false };
        // `cache-key-…` is no `key-…`.
        let is_tail = before == b'-' && self.prefix == "key-";
        let is_part = is_word(before) || before == self.prefix.as_bytes()[0] || is_tail;
        is_part && !self.keeps_prefix && escape_before(bytes, at) == 0
    }

    /// Whether a key is one whatever stands before it, as in `xghp_…`: by its length in one piece, or by chance.
    fn stands_out(&self, body: &str, mixed: bool) -> bool {
        const LONG: usize = 30;
        let in_one_piece = matches!(self.alphabet, Alphabet::Alnum | Alphabet::UpperAlnum | Alphabet::Hex);
        let sized = self.least == self.most || body.len() >= LONG;
        // A long one is judged by its beginning.
        let random = || values::looks_random(&body[..body.len().min(256)]);
        (in_one_piece && sized && mixed && !self.needs_chance) || random()
    }
}

/// Words and short numbers with hyphens between them, as in a class or a file name.
fn is_spoken(body: &[u8]) -> bool {
    body.split(|b| b"-_.".contains(b)).all(|piece| {
        piece.iter().all(u8::is_ascii_alphabetic)
            || (piece.len() <= 4 && piece.iter().all(u8::is_ascii_digit))
    })
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many of the characters before `at` belong to an escape that is written out: `\nghp_…`, `%22ghp_…`,
/// `\u0022ghp_…`, `\x22ghp_…`.
pub(super) fn escape_before(bytes: &[u8], at: usize) -> usize {
    let is_hex = |n: usize| bytes[at - n..at].iter().all(u8::is_ascii_hexdigit);
    let lead = |n: usize| at.checked_sub(n).map_or(&[][..], |i| &bytes[i..at]);
    match (lead(2), lead(3), lead(4), lead(6)) {
        ([b'\\', b'n' | b'r' | b't'], ..) => 1,
        (_, [b'%', ..], ..) if is_hex(2) => 2,
        (_, _, [b'\\', b'x', ..], _) if is_hex(2) => 3,
        (.., [b'\\', b'u', ..]) if is_hex(4) => 5,
        _ => 0,
    }
}

/// How many characters at the start of a run belong to an escape.
pub(super) fn escape_in(bytes: &[u8], run: &Range<usize>) -> usize {
    let is_escape = |n: &usize| *n <= run.len() && escape_before(bytes, run.start + n) == *n;
    [1, 2, 3, 5].into_iter().find(is_escape).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_compiles_and_knows_every_beginning() {
        for prefix in FORMATS.iter().map(|f| f.prefix).chain(SPECIAL.iter().map(|s| s.0)) {
            let text = format!(" {prefix}");
            assert_eq!(BEGINNINGS.find(&text).map(|m| m.start()), Some(1), "{prefix}");
        }
    }

    #[test]
    fn every_format_is_found_in_the_middle_and_left_alone_when_short() {
        for format in FORMATS {
            let body = |n: usize| "A1B2C3D4E5F6A7B8C9D0".chars().cycle().take(n).collect::<String>();
            let whole = format!("see {}{} there", format.prefix, body(format.least.max(16).min(format.most)));
            assert!(super::super::masked(&whole).is_some_and(|m| m.contains(format.kind)), "{whole}");
            let short = format!("see {}{} there", format.prefix, body(3));
            assert_eq!(super::super::masked(&short), None, "{short}");
        }
    }
}
