//! Secrets inside a larger whole: the password of an URL or of a command, a token of Cloudflare or of a
//! Telegram bot, a JSON web token.

use super::{
    Span,
    formats::{escape_before, escape_in, is_word},
    known::Alphabet::Word,
    values,
};

/// `at` is where `://` stands: `scheme://user:password@host` loses its password and nothing else.
pub(super) fn password_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() {
        return None;
    }
    let from = at + 3;
    let authority = bytes[from..]
        .iter()
        .take(512)
        .take_while(|b| !b.is_ascii_whitespace() && b.is_ascii() && !b"/?#\"'`<>\\,;[](){}|".contains(b))
        .count();
    // A raw `@` in a password is wrong and common: the last one ends it.
    let host = bytes[from..from + authority].iter().rposition(|b| *b == b'@')? + from;
    let (start, is_password) = match bytes[from..host].iter().position(|b| *b == b':') {
        Some(colon) => (from + colon + 1, true),
        None => (from, false),
    };
    let secret = &text[start..host];
    let is_secret = if is_password {
        !secret.is_empty() && !values::is_reference(secret) && !values::is_blank(secret)
    } else {
        values::looks_random(secret)
    };
    is_secret.then_some(Span { range: start..host, kind: "url-password" })
}

/// `curl -u user:password`: only behind that program, since elsewhere it is a user and a group.
pub(super) fn curl_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let line = bytes[at.saturating_sub(256)..at].rsplit(|b| *b == b'\n').next()?;
    if !line.windows(4).any(|word| word == b"curl") {
        return None;
    }
    let from = at + bytes[at..].iter().skip(1).position(|b| *b == b' ')? + 2;
    let colon = from
        + bytes[from..].iter().take(64).take_while(|b| !b.is_ascii_whitespace()).position(|b| *b == b':')?;
    argument(text, colon + 1)
}

/// `sshpass -p password`, `sshpass -ppassword`.
pub(super) fn sshpass_at(text: &str, at: usize) -> Option<Span> {
    let from = at + "sshpass -p".len();
    argument(text, from + usize::from(text.as_bytes().get(from) == Some(&b' ')))
}

/// A password as an argument: to the next space, or in quotes.
fn argument(text: &str, from: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = from + usize::from(bytes.get(from).is_some_and(|b| b"\"'".contains(b)));
    let len =
        bytes[from..].iter().take(256).take_while(|b| b.is_ascii_graphic() && !b"\"'`\\".contains(b)).count();
    let secret = &text[from..from + len];
    let is_literal = !values::is_reference(secret) && !values::is_blank(secret);
    (len > 0 && is_literal).then_some(Span { range: from..from + len, kind: "password" })
}

/// `at` is where the name stands. A token of Cloudflare has 40 characters and nothing to know it by, a key 37
/// hex digits: they are looked for behind the name and a few words that say what comes.
pub(super) fn cloudflare_at(text: &str, at: usize) -> Option<Span> {
    const WORDS: usize = 40;
    let bytes = text.as_bytes();
    let mut from = at + "cloudflare".len();
    let last = bytes.len().min(from + WORDS);
    while from < last {
        let run = Word.run(bytes, from, 40);
        let secret = &text[from..from + run];
        let is_key = run == 37 && secret.bytes().all(|b| b.is_ascii_hexdigit());
        if is_key || (run == 40 && values::looks_random(secret)) {
            return Some(Span { range: from..from + run, kind: "cloudflare" });
        }
        from += run;
        from += bytes[from..].iter().take(8).take_while(|b| b" \t\"'`:=()\\>".contains(b)).count();
        if run > 16 || bytes.get(from).is_none_or(|b| !Word.has(*b)) {
            return None;
        }
    }
    None
}

/// `at` is where `:AA` stands, between the number of a bot and its 35 characters.
pub(super) fn telegram_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let before = bytes[..at].iter().rev().take(18).take_while(|b| b.is_ascii_alphanumeric()).count();
    let escape = escape_in(bytes, &(at - before..at));
    let digits = bytes[at - before + escape..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let start = at - digits;
    // In an address of the bot API, `bot` stands right before the number.
    let free = start == 0
        || !is_word(bytes[start - 1])
        || text[..start].ends_with("bot")
        || escape_before(bytes, start) > 0;
    let run = Word.run(bytes, at + 1, 40);
    ((8..=10).contains(&digits) && free && (33..=37).contains(&run))
        .then(|| Span { range: start..at + 1 + run, kind: "telegram" })
}

/// `at` is where `eyJ` stands. Three parts, of which the last may be cut off by the end of the text.
pub(super) fn jwt_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    if at > 0 && (Word.has(bytes[at - 1]) || bytes[at - 1] == b'.') && escape_before(bytes, at) == 0 {
        return None;
    }
    let header = at + Word.run(bytes, at, 4096);
    if header - at < 10 {
        return None;
    }
    if header == bytes.len() {
        return (header - at >= 20).then_some(Span { range: at..header, kind: "jwt" });
    }
    let is_signed = bytes[header..].starts_with(b".eyJ");
    let (mut end, mut dots) = (header, 0);
    while dots < 4 && bytes.get(end) == Some(&b'.') {
        dots += 1;
        end += 1 + Word.run(bytes, end + 1, 16 * 1024);
    }
    // An encrypted one has five parts, the second not JSON, some of them perhaps empty.
    (is_signed || dots == 4).then_some(Span { range: at..end, kind: "jwt" })
}
