//! What stands beside names of secrets and is none: words, types, versions, paths, quantities, dates.

/// What code, configuration and prose put beside such names: types, flags, versions, paths, quantities.
pub(super) fn is_ordinary(value: &str) -> bool {
    is_common(value)
        || is_version(value)
        || is_path(value)
        || is_quantity(value)
        || is_date(value)
        || is_cipher(value)
}

#[rustfmt::skip]
const COMMON: &[&str] = &[
    "aes256", "always", "and", "any", "apikey", "argon2", "argon2id", "args", "argument",
    "arguments", "array", "async", "authentication", "auto", "await", "base32", "base58", "base64",
    "base64url", "basic", "bcrypt", "bearer", "before", "bool", "boolean", "buffer", "byte", "bytes",
    "char", "class", "command", "config", "const", "cookie", "data", "date", "default", "default_value",
    "denied", "deprecated", "digest", "disabled", "ed25519", "email", "empty", "enabled", "encrypted",
    "enum", "env", "error", "es256", "expired", "failed", "false", "field", "fields", "file", "flag",
    "flags", "float", "float32", "float64", "form", "function", "getpass", "global", 
    "hashed", "header", "hmac", "hs256", "hs512", "http", "https", "identity", "ignored", "image",
    "include", "inherit", "input", "instead", "int32", "int64", "integer", "internal", "invalid", "item",
    "json", "keyring", "keyword", "line", "list", "literal", "local", "localhost", "manual", "md5",
    "missing", "negotiate", "never", "node", "none", "null", "number", "oauth", "oauth1", "oauth2",
    "object", "omit", "only", "openid", "option", "optional", "options", "or", "parameter", "parser",
    "path", "pbkdf2", "plain", "private", "prompt", "protected", "protection", "public", "query", "random",
    "read", "readonly", "regexp", "required", "result", "return", "rs256", "rsa2048", "rsa4096",
    "same-origin", "saml2", "sample", "scrypt", "self", "sensitive", "session", "sha1", "sha224", "sha256",
    "sha384", "sha512", "simple", "some", "static", "store", "str", "string", "struct", "super", "symbol",
    "test", "text", "the", "this", "true", "type", "uint32", "uint64", "undefined", "union",
    "unknown", "utf16", "utf8", "uuid", "uuid4", "uuidv4", "uuidv7", "valid", "value",
    "values", "variable", "vector", "void", "which", "write", "x509", "your",
];

fn is_common(value: &str) -> bool {
    let mut buffer = [0; 16];
    let Some(lower) = buffer.get_mut(..value.len()) else { return false };
    lower.copy_from_slice(value.as_bytes());
    lower.make_ascii_lowercase();
    COMMON.binary_search_by(|word| word.as_bytes().cmp(lower)).is_ok()
}

/// `1.2.3`, `^4.0.0`, `>=2.1`, `v1.0-beta.2`.
fn is_version(value: &str) -> bool {
    let number = value.trim_start_matches(['^', '~', '>', '<', '=', 'v', ' ']);
    let mut parts = number.splitn(3, '.');
    let digits =
        |part: Option<&str>| part.is_some_and(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    digits(parts.next()) && digits(parts.next()) && value.len() <= 24
}

/// `/run/secrets/db`, `./x`, `~/x`, `C:\x`, `https://…` (its own password is found elsewhere).
pub(super) fn is_path(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3).is_some_and(|b| b == b":\\" || b == b":/");
    let rooted = value.starts_with('/') && value[1..].split(['/', '.', '-', '_']).all(is_short_word);
    rooted
        || drive
        || value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || value.contains("://")
}

fn is_short_word(piece: &str) -> bool {
    piece.len() <= 16 && !(piece.bytes().any(|b| b.is_ascii_digit()) && piece.len() > 8)
}

/// `32bytes`, `15min`, `0x1F`, `128k`.
fn is_quantity(value: &str) -> bool {
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number = value.len() - unit.len();
    let is_unit =
        unit.len() <= 10 && !unit.is_empty() && unit.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let is_typed =
        matches!(unit, "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64");
    (number > 0 && number <= 6 && is_unit)
        || (number > 0 && is_typed)
        || (value.starts_with("0x") && value.len() <= 10)
}

/// `AES-256-GCM`, `rsa/4096`, `SM4`.
fn is_cipher(value: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "aes", "des", "3des", "rsa", "ecc", "ecdsa", "rc4", "sm2", "sm3", "sm4", "sha", "sha256", "chacha20", "poly1305",
        "gcm", "cbc", "ctr", "ecb", "oaep", "pkcs7", "128", "192", "256", "384", "512", "1024", "2048", "3072", "4096",
    ];
    let is_name = |piece: &str| NAMES.iter().any(|name| name.eq_ignore_ascii_case(piece));
    value.len() <= 32
        && value.contains(|c: char| c.is_ascii_alphabetic())
        && value.split(['-', '_', '/']).all(is_name)
}

/// `2026-02-15`, `2026-02-15T10:30:00Z`.
pub(super) fn is_date(value: &str) -> bool {
    let day = value.as_bytes();
    day.len() >= 10
        && day[4] == b'-'
        && day[7] == b'-'
        && [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|i| day[*i].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted(), "{:?}", COMMON.windows(2).find(|pair| pair[0] >= pair[1]));
    }
}
