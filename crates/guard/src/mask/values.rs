//! Judging a value: is it a secret, or a placeholder, a variable, a type, a label, a version?

use super::{
    names::{Strength, mentions_secret},
    ordinary::{is_date, is_ordinary, is_path},
};

/// How the value stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In quotes, or as the content of an XML element.
    Quoted,
    /// In quotes after `NAME=`.
    QuotedEnv,
    /// `NAME=value`, as in `.env` files, the shell, queries and connection strings: a literal, no expression.
    Literal,
    /// A line of its own, `name: value` or `name = value`: YAML, INI or properties; or Python.
    Line,
    /// Somewhere in a line: may well be a variable's name.
    Loose,
    /// After words or a comparison: «the password is …».
    Said,
}

impl Form {
    pub(super) fn is_quoted(self) -> bool {
        matches!(self, Self::Quoted | Self::QuotedEnv)
    }
}

/// What a value is made of.
struct Made {
    letters: bool,
    digits: bool,
    upper: bool,
    lower: bool,
    space: bool,
    other: bool,
    foreign: bool,
}

impl Made {
    fn of(value: &str) -> Self {
        let any = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
        Self {
            letters: any(u8::is_ascii_alphabetic),
            digits: any(u8::is_ascii_digit),
            upper: any(u8::is_ascii_uppercase),
            lower: any(u8::is_ascii_lowercase),
            space: value.contains(char::is_whitespace),
            other: any(u8::is_ascii_punctuation),
            foreign: !value.is_ascii(),
        }
    }

    fn is_mixed(&self) -> bool {
        self.letters && self.digits
    }
}

/// Whether `value`, found in a text behind a name, is a secret.
pub(super) fn is_secret(value: &str, strength: Strength, form: Form) -> bool {
    let has_digit = value.bytes().any(|b| b.is_ascii_digit());
    if value.len() < 4 || (strength != Strength::Strong && !has_digit) {
        return false;
    }
    if is_reference(value) || is_blank(value) || is_placeholder(value) || is_ordinary(value) {
        return false;
    }
    let made = Made::of(value);
    if made.space {
        // A phrase beside `PASSWORD=` is one; elsewhere it is a label or a sentence.
        return form == Form::QuotedEnv && strength == Strength::Strong && !made.foreign;
    }
    if made.foreign && !made.digits {
        return false;
    }
    match strength {
        Strength::Hint => looks_random(value),
        Strength::Weak => {
            (form != Form::Said && made.is_mixed() && value.len() >= 8 && !is_name(value))
                || looks_random(value)
        }
        Strength::Strong => is_strong_secret(value, &made, form),
    }
}

fn is_strong_secret(value: &str, made: &Made, form: Form) -> bool {
    if !made.letters {
        // A number with signs in it is a range or a date; one without letters and digits is a rule of dashes.
        return made.digits && !made.other && form != Form::Said;
    }
    match form {
        Form::Quoted | Form::QuotedEnv | Form::Literal | Form::Line if !made.digits => {
            let label = made.upper && made.lower && !value[1..].contains(|c: char| c.is_ascii_uppercase());
            let dotted = value.contains(['.', '/', ':']) && !has_symbols(value);
            let is_env = matches!(form, Form::QuotedEnv | Form::Literal);
            let bare_line = form == Form::Line && (made.upper || made.other);
            // In code, such a word names a secret; in an environment it is one.
            let is_named = !is_env && mentions_secret(value);
            value.len() >= 5 && !label && !dotted && !bare_line && !is_named
        }
        Form::Quoted | Form::QuotedEnv | Form::Literal | Form::Line => true,
        Form::Loose => made.digits && (!is_name(value) || looks_random(value)),
        // «PKCS-12», «base64-url»
        Form::Said => made.digits && value.len() >= 6 && !(made.other && is_spoken(value)),
    }
}

/// Whether a string under a key that names a secret is one. There is no code in JSON, so nearly all are.
pub(super) fn is_named_secret(value: &str, strength: Strength) -> bool {
    let value = value.trim();
    if value.is_empty() || is_reference(value) || is_blank(value) || is_placeholder(value) {
        return false;
    }
    strength == Strength::Strong || !(is_ordinary(value) || is_spoken(value))
}

/// A value that stands for another: a variable, a template, an expression, a mask.
pub(super) fn is_reference(value: &str) -> bool {
    const LOOKUPS: &[&str] = &[
        "process.env",
        "os.environ",
        "os.getenv",
        "env.",
        "env(",
        "env:",
        "ENV[",
        "secrets.",
        "import.meta",
        "vault:",
        "op://",
        "file:",
        "keyring:",
        "arn:aws:",
        "self.",
        "this.",
        "args.",
        "config.",
        "settings.",
        "var.",
        "local.",
        "data.",
        "params.",
        "props.",
        "req.",
        "request.",
        "options.",
        "opts.",
        "await ",
        "new ",
    ];
    // Signs of a regular expression.
    const PATTERNS: &[&str] = &["\\w", "\\d", "\\s", "\\x", ".*", ".+", "[^", "(?", "%s", "%d", "{}"];
    let first = value.as_bytes().first().copied().unwrap_or(b' ');
    let variable = first == b'$'
        && value.as_bytes().get(1).is_some_and(|b| b.is_ascii_alphabetic() || b"{(_".contains(b))
        && value.as_bytes()[1..].iter().all(|b| b.is_ascii_alphanumeric() || b"_{}()[]:-.?\"' /".contains(b));
    let framed = (first == b'<' && value.ends_with('>'))
        || (first == b'{' && value.ends_with('}'))
        || (first == b'[' && value.ends_with(']'))
        || (first == b'%' && (value.ends_with('%') || value.ends_with(")s") || value.len() <= 3));
    variable
        || framed
        || value.contains('⟦')
        || value.contains("${")
        || value.contains("{{")
        || value.contains("#{")
        || PATTERNS.iter().any(|sign| value.contains(sign))
        || LOOKUPS.iter().any(|start| value.starts_with(start))
}

/// Dots, stars, crosses: something that was blanked out.
pub(super) fn is_blank(value: &str) -> bool {
    value.chars().all(|c| "xX*.-_•●#?".contains(c))
        || ["...", "…", "***", "•••", "xxxx", "XXXX"].iter().any(|blank| value.contains(blank))
}

/// A word that a person put there to be replaced.
fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "changeme",
        "changeit",
        "placeholder",
        "replaceme",
        "replacewith",
        "redacted",
        "masked",
        "hidden",
        "example",
        "yourpass",
        "yourpwd",
        "yoursecret",
        "yourtoken",
        "yourapi",
        "yourkey",
        "yourown",
        "insertyour",
        "todo",
        "fixme",
        "tobefilled",
        "notset",
        "unset",
        "fillme",
        "dummy",
    ];
    if !value.is_ascii() || value.len() > 64 || value.bytes().any(|b| b.is_ascii_digit()) {
        return value.starts_with("你的") || value.starts_with("您的");
    }
    let letters: String =
        value.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    WORDS.iter().any(|word| letters.starts_with(word))
        || letters.starts_with("your") && mentions_secret(&letters)
}

/// A variable's name, perhaps with a number: `user.password`, `key2`, `node.colon2_token`.
fn is_name(value: &str) -> bool {
    value.split(['_', '.', ':', '-']).all(is_numbered_word)
}

/// Words and short numbers with signs between them.
fn is_spoken(value: &str) -> bool {
    value.split([' ', '-', '_', '.', '/', ':', ',', '\'', '(', ')', '?', '!']).all(|piece| {
        is_numbered_word(piece) || (piece.len() <= 4 && piece.bytes().all(|b| b.is_ascii_digit()))
    })
}

/// Letters, then perhaps a digit or two; several times over, as in `pkcs15Token`.
fn is_numbered_word(piece: &str) -> bool {
    let mut letters = 0;
    let mut digits = 0;
    for c in piece.chars() {
        match (c.is_alphabetic(), c.is_ascii_digit()) {
            (true, _) if digits > 0 && letters < 3 => return false,
            (true, _) => (letters, digits) = if digits > 0 { (1, 0) } else { (letters + 1, 0) },
            (_, true) if digits == 2 => return false,
            (_, true) => digits += 1,
            _ => return false,
        }
    }
    true
}

/// Signs that stand in passwords and hardly in names of things.
fn has_symbols(value: &str) -> bool {
    value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '='])
}

/// Bits per character.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for b in value.bytes() {
        counts[usize::from(b)] += 1;
    }
    let all = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    counts.iter().filter(|n| **n > 0).map(|n| f64::from(*n) / all).map(|p| -p * p.log2()).sum()
}

/// Whether chance wrote this: long, of several kinds of characters that change often, and no hash, UUID or
/// checksum, whose place is in the open.
pub(super) fn looks_random(value: &str) -> bool {
    const LEAST: usize = 16;
    const MOST: usize = 512;
    const BITS: f64 = 3.4;
    if !(LEAST..=MOST).contains(&value.len()) || !value.bytes().all(|b| b.is_ascii_graphic()) {
        return false;
    }
    let made = Made::of(value);
    let hex = value.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let sum = ["h1:", "md5", "sha", "SHA"].iter().any(|start| value.starts_with(start));
    if !made.is_mixed()
        || hex
        || sum
        || value.contains("::")
        || is_spoken(value)
        || is_path(value)
        || is_date(value)
    {
        return false;
    }
    let many_kinds = made.upper && made.lower;
    is_scattered(value, 4, 6) && (value.len() >= 20 || many_kinds) && entropy(value) >= BITS
}

/// Whether the kind of character changes at every `nth` character or more often, and fewer than `tenths` of
/// them are letters in words.
///
/// In `parseBase64UrlToken` the kind changes at each word, in a random text at every other character. What
/// sets words apart does not count.
pub(super) fn is_scattered(value: &str, nth: usize, tenths: usize) -> bool {
    let kind = |b: u8| match b {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        b'-' | b'_' | b'.' | b'/' | b':' => 0,
        _ => 4,
    };
    let is_change = |pair: &&[u8]| kind(pair[0]) * kind(pair[1]) != 0 && kind(pair[0]) != kind(pair[1]);
    let changes = value.as_bytes().windows(2).filter(is_change).count();
    changes * nth >= value.len() && letters_in_words(value) * 10 < value.len() * tenths
}

/// How many letters stand in something like a word: four small ones and more, a capital perhaps before them.
fn letters_in_words(value: &str) -> usize {
    let bytes = value.as_bytes();
    let (mut all, mut start) = (0, 0);
    for end in 0..=bytes.len() {
        if bytes.get(end).is_none_or(|b| !b.is_ascii_lowercase()) {
            let run = end - start;
            let capital = start > 0 && bytes[start - 1].is_ascii_uppercase();
            all += if run >= 4 { run + usize::from(capital) } else { 0 };
            start = end + 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_told_from_words() {
        for value in ["k3Jx9QpL2mVz7RtY4wBn", "q8f3k2m9x7c5v1b4n6z0", "aZ3$kP9!xQ7&mL2#"] {
            assert!(looks_random(value), "{value}");
        }
        for value in [
            "parseBase64UrlTokenFromHeader2",
            "550e8400-e29b-41d4-a716-446655440000",
            "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "h1:zI2p9+1NQYdnG6sMU26EX4aVGlqbInSQxQXLvzJ4RPQ=",
            "src/auth/token_parser_v2.rs",
            "aaaaaaaaaaaaaaaaaaaaaaa1",
            "my-long-name-with-2-numbers-10",
            "2026-02-15T10:30:00.000Z",
            "short1A",
            "*createAtomicExpandPass2",
            "x509.checkPrivateKey",
        ] {
            assert!(!looks_random(value), "{value}");
        }
    }
}
