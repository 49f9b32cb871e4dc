//! Keys that have no beginning of their own, but dots at known places.

use super::{
    Span,
    formats::escape_in,
    known::Alphabet::{self, Alnum, Word},
};

/// Finds the keys of Zhipu (32 hex digits, dot, 16 characters) and Discord (three parts).
pub(super) fn find(text: &str, found: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(dot) = text[from..].find('.').map(|i| i + from) {
        from = dot + 1;
        // 24 word characters before a dot are rare: everything else ends here.
        if dot < 24 || !bytes[dot - 24..dot].iter().rev().all(|b| Word.has(*b)) {
            continue;
        }
        if let Some(span) = zhipu_at(bytes, dot).or_else(|| discord_at(bytes, dot)) {
            from = span.range.end;
            found.push(span);
        }
    }
}

/// How many characters of the alphabet stand before `end`, an escape at their start not counted.
fn run_before(alphabet: Alphabet, bytes: &[u8], end: usize, most: usize) -> usize {
    let run = bytes[..end].iter().rev().take(most + 6).take_while(|b| alphabet.has(**b)).count();
    run - escape_in(bytes, &(end - run..end))
}

fn zhipu_at(bytes: &[u8], dot: usize) -> Option<Span> {
    let start = dot.checked_sub(32)?;
    let key = run_before(Alnum, bytes, dot, 32) == 32 && bytes[start..dot].iter().all(u8::is_ascii_hexdigit);
    let tail = &bytes[dot + 1..dot + 1 + Alnum.run(bytes, dot + 1, 16)];
    let chance = tail.iter().any(u8::is_ascii_digit) || tail.iter().any(u8::is_ascii_uppercase);
    (key && tail.len() == 16 && chance).then(|| Span { range: start..dot + 17, kind: "zhipu" })
}

fn discord_at(bytes: &[u8], dot: usize) -> Option<Span> {
    let id = run_before(Word, bytes, dot, 30);
    let start = dot - id;
    let second = dot + 1 + Word.run(bytes, dot + 1, 8);
    if !(24..=30).contains(&id) || !b"MNO".contains(&bytes[start]) || bytes.get(second) != Some(&b'.') {
        return None;
    }
    let last = Word.run(bytes, second + 1, 64);
    let fits = (6..=8).contains(&(second - dot - 1)) && (27..=64).contains(&last);
    fits.then(|| Span { range: start..second + 1 + last, kind: "discord" })
}
