//! Values beside a name that says «secret»: assignments of every syntax, headers, flags, and prose.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

use super::{
    Span,
    known::Alphabet::Percent,
    names::{self, Strength, classify},
    sign::{Beside, Name},
    values::{self, Form},
};

// The pattern is a constant, and a test compiles it.
#[allow(clippy::expect_used)]
static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u:passw(?:or[dt]|d)|passphrase|passcode|pass(?:\b|_)|pwd|psk\b|pw\b|secret|token|credential|auth\b",
        r"|authorization|bearer\b|(?:api|access|private|account|encryption|decryption|signing|master|subscription",
        r"|shared|storage|deploy|license|hmac|jwt|symmetric|auth|cloudflare)[ _-]?key)",
        r"|密码|密碼|口令|令牌|密钥|密鑰|秘钥|秘鑰|私钥|私鑰|加密",
    ))
    .expect("a constant pattern")
});

/// Finds every value that a name gives away.
pub(super) fn find(text: &str, found: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(word) = WORDS.find_at(text, from) {
        let name = around(text, word.range(), from);
        let span = (name.len() <= names::MOST).then(|| beside(text, &name)).flatten();
        from = span.as_ref().map_or(name.end, |span| span.range.end).max(word.end());
        found.extend(span);
    }
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')
}

/// The whole name around a word of it. Longer than a name may be, it is cut: it is none.
fn around(text: &str, word: Range<usize>, floor: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    if !bytes[word.start].is_ascii() {
        return word;
    }
    let name_byte = |b: &&u8| is_name_byte(**b);
    let before = bytes[floor..word.start].iter().rev().take(names::MOST).take_while(name_byte).count();
    let after = bytes[word.end..].iter().take_while(name_byte).count();
    let (mut start, mut end) = (word.start - before, word.end + after);
    // An escape before the name is not of it: `\nPASSWORD=…`.
    if start > 0
        && bytes[start - 1] == b'\\'
        && matches!(bytes[start], b'n' | b'r' | b't')
        && start < word.start
    {
        start += 1;
    }
    while start < word.start && matches!(bytes[start], b'-' | b'.') {
        start += 1;
    }
    while end > word.end && matches!(bytes[end - 1], b'-' | b'.') {
        end -= 1;
    }
    start..end
}

fn beside(text: &str, name: &Range<usize>) -> Option<Span> {
    let spelled = &text[name.clone()];
    if spelled.eq_ignore_ascii_case("bearer") {
        return bearer(text, name.end);
    }
    let parsed = Name::new(text, name.clone());
    let place = match parsed.beside(text) {
        Beside::Value(place) => place,
        Beside::Expression => return None,
        Beside::Nothing => return prose(text, name),
    };
    let (mut strength, kind) = classify(spelled)?;
    if kind == "authorization" {
        return header(text, place.range);
    }
    if strength == Strength::Weak
        && kind == "token"
        && parsed.is_upper
        && matches!(place.form, Form::Literal | Form::QuotedEnv)
    {
        strength = Strength::Strong; // `TOKEN=…` is a variable that someone set
    }
    let value = &text[place.range.clone()];
    // `password=password` says nothing.
    if !value.eq_ignore_ascii_case(spelled) && values::is_secret(value, strength, place.form) {
        // A long one was judged by its beginning, and goes whole.
        let more = text.as_bytes()[place.range.end..].iter().take_while(|b| Percent.has(**b)).count();
        let more = if place.form.is_quoted() { 0 } else { more };
        return Some(Span { range: place.range.start..place.range.end + more, kind });
    }
    // «password: it is k3Jx…»
    if value.len() < 16 && !place.form.is_quoted() { prose(text, name) } else { None }
}

/// `Authorization: Bearer …`: the scheme stays.
fn header(text: &str, value: Range<usize>) -> Option<Span> {
    const SCHEMES: &[&str] = &["bearer", "basic", "token", "apikey", "digest", "negotiate", "key"];
    let (start, scheme) = (value.start, &text[value.clone()]);
    let word = scheme.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_scheme = SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(&scheme[..word]));
    if !is_scheme {
        return values::is_secret(scheme, Strength::Strong, Form::Loose)
            .then_some(Span { range: value, kind: "authorization" });
    }
    let bytes = text.as_bytes();
    let gap = bytes[start + word..].iter().take(8).take_while(|b| **b == b' ').count();
    let from = start + word + gap;
    let len = bytes[from..].iter().take(8192).take_while(|b| is_credential_byte(**b)).count();
    let secret = &text[from..from + len];
    (gap > 0 && values::is_secret(secret, Strength::Strong, Form::Literal))
        .then(|| Span { range: from..from + len, kind: "authorization" })
}

fn is_credential_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"-._~+/=:%".contains(&b)
}

/// «Bearer …» on its own: it has to look like a token.
fn bearer(text: &str, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let gap = bytes[end..].iter().take(4).take_while(|b| **b == b' ').count();
    let from = end + gap;
    let len = bytes[from..].iter().take(8192).take_while(|b| is_credential_byte(**b)).count();
    let secret = text[from..from + len].trim_end_matches(['.', ':']);
    let chance = secret.len() >= 16 && secret.bytes().any(|b| b.is_ascii_digit());
    (gap > 0 && chance && values::is_secret(secret, Strength::Weak, Form::Literal))
        .then(|| Span { range: from..from + secret.len(), kind: "authorization" })
}

/// No sign: what looks random among the next few words of the line, and what `.netrc` has.
fn prose(text: &str, name: &Range<usize>) -> Option<Span> {
    const WORDS: usize = 6;
    const REACH: usize = 40;
    let bytes = text.as_bytes();
    let in_path =
        name.start > 0 && b"/@\\.".contains(&bytes[name.start - 1]) || text[name.clone()].contains('.');
    let (strength, kind) = classify(&text[name.clone()]).filter(|_| !in_path)?;
    let is_gap = |b: u8| b.is_ascii_whitespace() || b"\"'`()[]{}<>,;=|".contains(&b);
    let mut i = name.end;
    for nth in 0..WORDS {
        i += bytes[i..].iter().take(8).take_while(|b| is_gap(**b) && **b != b'\n').count();
        let len = bytes[i..].iter().take(512).take_while(|b| !is_gap(**b) && b.is_ascii()).count();
        if len == 0 || i - name.end > REACH {
            break;
        }
        let word = text[i..i + len].trim_end_matches(['.', ':', '!', '?']);
        let is_login = nth == 0
            && strength == Strength::Strong
            && word.len() >= 4
            && bytes[i + len..].first().is_none_or(u8::is_ascii_whitespace)
            && is_netrc(text, name);
        let is_call = bytes.get(i + len) == Some(&b'(');
        if is_login
            || (values::looks_random(word)
                && !is_call
                && !values::is_reference(word)
                && !values::is_blank(word))
        {
            return Some(Span { range: i..i + word.len(), kind });
        }
        i += len;
    }
    None
}

/// `machine … login … password …`
fn is_netrc(text: &str, name: &Range<usize>) -> bool {
    let mut from = name.start.saturating_sub(96);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut words = text[from..name.start].split_ascii_whitespace().rev();
    &text[name.clone()] == "password"
        && words.nth(1) == Some("login")
        && words.nth(1).is_none_or(|word| word == "machine")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_compiles_and_meets_every_name() {
        for name in [
            "DB_PASSWORD",
            "passwd",
            "apiKey",
            "access-key",
            "Client Secret",
            "token",
            "PGPASSWORD",
            "密码",
            "秘钥",
            "db_pass",
        ] {
            assert!(WORDS.is_match(name), "{name}");
        }
        assert!(!WORDS.is_match("author, passing by the compassion of a keyboard"));
    }
}
