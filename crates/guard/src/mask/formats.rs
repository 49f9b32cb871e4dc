//! Keys that are known by how they begin: one table, one search.

use std::sync::LazyLock;

use regex::Regex;

use super::{Span, blocks, links};

/// Which characters a key is made of, after its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    Alnum,
    UpperAlnum,
    Hex,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same and `.`.
    Dotted,
    Base64,
    /// Base64 as it stands in a query.
    Percent,
    /// The rest of a path.
    Path,
    /// What `crypt` writes.
    Crypt,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        let also: &[u8] = match self {
            Self::UpperAlnum => return byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => return byte.is_ascii_hexdigit(),
            Self::Alnum => b"",
            Self::Word => b"_-",
            Self::Dotted => b"_-.",
            Self::Base64 => b"+/=",
            Self::Percent => b"+/=%_-",
            Self::Path => b"_-/",
            Self::Crypt => b"./$=,+-_",
        };
        byte.is_ascii_alphanumeric() || also.contains(&byte)
    }

    /// How far the characters of this alphabet go from `from`, at most `most` of them and one more.
    pub(super) fn run(self, bytes: &[u8], from: usize, most: usize) -> usize {
        bytes[from..].iter().take(most.saturating_add(1)).take_while(|b| self.has(**b)).count()
    }
}

struct Format {
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    /// How many characters follow the prefix.
    least: usize,
    most: usize,
    /// The prefix says what it is and is no part of the secret.
    keeps_prefix: bool,
    /// The prefix alone says little: what follows must look like chance.
    needs_chance: bool,
}

const fn key(
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> Format {
    Format { kind, prefix, alphabet, least, most, keeps_prefix: false, needs_chance: false }
}

const fn after(kind: &'static str, prefix: &'static str, alphabet: Alphabet, least: usize) -> Format {
    Format { kind, prefix, alphabet, least, most: 512, keeps_prefix: true, needs_chance: false }
}

const fn vague(
    kind: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    most: usize,
) -> Format {
    Format { kind, prefix, alphabet, least, most, keeps_prefix: false, needs_chance: true }
}

use Alphabet::{Alnum, Base64, Crypt, Dotted, Hex, Path, Percent, UpperAlnum, Word};

/// A longer prefix stands before a shorter one that it begins with.
#[rustfmt::skip]
const FORMATS: &[Format] = &[
    // Clouds.
    key("aws", "AKIA", UpperAlnum, 16, 16),
    key("aws", "ASIA", UpperAlnum, 16, 16),
    key("google", "AIza", Word, 30, 45),
    key("google", "GOCSPX-", Word, 20, 64),
    key("google", "ya29.", Word, 20, 2048),
    vague("alibaba", "LTAI", Alnum, 12, 30),
    vague("tencent", "AKID", Alnum, 13, 48),
    vague("volcengine", "AKLT", Alnum, 30, 64),
    key("baidu", "bce-v3/ALTAK-", Path, 20, 128),
    key("digitalocean", "dop_v1_", Hex, 32, 64),
    key("digitalocean", "doo_v1_", Hex, 32, 64),
    key("digitalocean", "dor_v1_", Hex, 32, 64),
    after("azure", "AccountKey=", Base64, 16),
    after("azure", "SharedAccessKey=", Base64, 16),
    after("azure", "?sig=", Percent, 20),
    after("azure", "&sig=", Percent, 20),
    // Models.
    key("anthropic", "sk-ant-", Word, 16, 256),
    key("openai", "sk-proj-", Word, 16, 256),
    key("openai", "sk-svcacct-", Word, 16, 256),
    key("openai", "sk-admin-", Word, 16, 256),
    // OpenAI's old keys, DeepSeek, Moonshot, Qwen, OpenRouter and whoever else took the beginning over.
    vague("api-key", "sk-", Word, 20, 256),
    vague("huggingface", "hf_", Alnum, 20, 64),
    vague("groq", "gsk_", Alnum, 30, 64),
    vague("xai", "xai-", Alnum, 30, 128),
    // Code and packages.
    key("github", "github_pat_", Word, 20, 255),
    key("github", "ghp_", Alnum, 16, 255),
    key("github", "gho_", Alnum, 16, 255),
    key("github", "ghu_", Alnum, 16, 255),
    key("github", "ghs_", Alnum, 16, 255),
    key("github", "ghr_", Alnum, 16, 255),
    key("gitlab", "glpat-", Dotted, 16, 255),
    key("gitlab", "glrt-", Dotted, 16, 255),
    key("gitlab", "gldt-", Dotted, 16, 255),
    vague("npm", "npm_", Alnum, 30, 64),
    key("pypi", "pypi-AgE", Word, 40, 512),
    key("docker", "dckr_pat_", Word, 20, 64),
    // Messages and payments.
    key("slack", "xoxb-", Word, 10, 255),
    key("slack", "xoxp-", Word, 10, 255),
    key("slack", "xoxa-", Word, 10, 255),
    key("slack", "xoxr-", Word, 10, 255),
    key("slack", "xoxs-", Word, 10, 255),
    key("slack", "xoxc-", Word, 10, 255),
    key("slack", "xoxd-", Percent, 10, 512),
    key("slack", "xoxe-", Word, 10, 512),
    key("slack", "xoxe.xoxp-", Word, 10, 512),
    key("slack", "xapp-", Word, 10, 255),
    after("webhook", "hooks.slack.com/services/", Path, 16),
    after("webhook", "hooks.slack.com/workflows/", Path, 16),
    after("webhook", "/api/webhooks/", Path, 40),
    after("webhook", "/bot/v2/hook/", Word, 20),
    after("webhook", "/webhook/send?key=", Word, 20),
    key("stripe", "sk_live_", Alnum, 16, 255),
    key("stripe", "rk_live_", Alnum, 16, 255),
    key("stripe", "sk_test_", Alnum, 16, 255),
    key("stripe", "rk_test_", Alnum, 16, 255),
    vague("stripe", "whsec_", Alnum, 24, 255),
    vague("sendgrid", "SG.", Dotted, 40, 96),
    vague("twilio", "SK", Hex, 32, 32),
    // Keys and hashes.
    key("private-key", "AGE-SECRET-KEY-1", UpperAlnum, 40, 80),
    // A PEM private key in base64, as in a kubeconfig: «-----BEGIN [RSA |EC |OPENSSH |ENCRYPTED ]PRIVATE».
    key("private-key", "LS0tLS1CRUdJTiBQUklWQVRF", Base64, 16, 65536),
    key("private-key", "LS0tLS1CRUdJTiBSU0EgUFJJVkFUR", Base64, 16, 65536),
    key("private-key", "LS0tLS1CRUdJTiBFQyBQUklWQVRF", Base64, 16, 65536),
    key("private-key", "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEU", Base64, 16, 65536),
    key("private-key", "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFUR", Base64, 16, 65536),
    key("password-hash", "$6$", Crypt, 40, 160),
    key("password-hash", "$5$", Crypt, 40, 160),
    key("password-hash", "$y$", Crypt, 40, 160),
    key("password-hash", "$2a$", Crypt, 50, 60),
    key("password-hash", "$2b$", Crypt, 50, 60),
    key("password-hash", "$2y$", Crypt, 50, 60),
    key("password-hash", "$argon2", Crypt, 40, 255),
];

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
    ("Private-Lines:", blocks::putty_at),
    ("Private-MAC:", blocks::putty_mac_at),
];

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
        let first = self.prefix.as_bytes()[0];
        let joined = at > 0 && (is_word(bytes[at - 1]) || bytes[at - 1] == first) && !is_escape(bytes, at);
        if joined && !self.keeps_prefix {
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
        let cut = end == bytes.len() && !self.needs_chance && !self.keeps_prefix;
        let least = if cut { self.least.min(8) } else { self.least };
        let mixed = body.iter().any(u8::is_ascii_digit) && body.iter().any(u8::is_ascii_alphabetic);
        if body.len() < least || (!mixed && (self.needs_chance || body.len() < self.least)) {
            return None;
        }
        if self.needs_chance && is_spoken(body) {
            return None;
        }
        let start = if self.keeps_prefix { from } else { at };
        Some(Span { range: start..end, kind: self.kind })
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

/// Whether the letter before `at` belongs to an escape: `"key:\nghp_…"`.
pub(super) fn is_escape(bytes: &[u8], at: usize) -> bool {
    at >= 2 && bytes[at - 2] == b'\\' && matches!(bytes[at - 1], b'n' | b'r' | b't')
}

/// Finds the keys that have no beginning of their own, but dots at known places: Zhipu (32 hex digits, dot,
/// 16 characters) and Discord (three parts).
pub(super) fn find_dotted(text: &str, found: &mut Vec<Span>) {
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

fn run_before(alphabet: Alphabet, bytes: &[u8], end: usize, most: usize) -> usize {
    let run = bytes[..end].iter().rev().take(most + 1).take_while(|b| alphabet.has(**b)).count();
    run - usize::from(is_escape(bytes, end + 1 - run))
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
