//! Which names say that their value is a secret: `DB_PASSWORD`, `apiKey`, `密码`; not `max_tokens`,
//! `password_field_label`.

/// How surely a name says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// `password`, `client_secret`, `github_token`: its value is one unless it plainly is not.
    Strong,
    /// `token`, `auth`: the value has to look like one.
    Weak,
    /// The word is in the name but does not end it (`token_stream`): only what looks random is one.
    Hint,
}

/// Whether a value under this name is a secret: a field, a variable, a header, a flag.
///
/// ```
/// use deskhand_guard::mask::is_secret_name;
/// assert!(is_secret_name("OPENAI_API_KEY") && is_secret_name("clientSecret") && is_secret_name("密码"));
/// assert!(!is_secret_name("max_tokens") && !is_secret_name("password_policy") && !is_secret_name("author"));
/// ```
pub fn is_secret_name(name: &str) -> bool {
    classify(name).is_some_and(|(strength, _)| strength != Strength::Hint)
}

/// Longer names are not names.
pub(super) const MOST: usize = 96;

/// Words in which a secret is named, in Chinese.
const CHINESE: &[(&str, &str)] = &[
    ("密码", "password"),
    ("密碼", "password"),
    ("口令", "password"),
    ("令牌", "token"),
    ("密钥", "key"),
    ("密鑰", "key"),
    ("秘钥", "key"),
    ("秘鑰", "key"),
    ("私钥", "key"),
    ("私鑰", "key"),
];

/// «Encryption»: as often beside the name of a cipher as beside a key.
const CHINESE_WEAK: &str = "加密";

/// Ends of a part of a name that make the whole a secret's: `dbpassword`, `authtoken`.
#[rustfmt::skip]
const ENDINGS: &[(&str, &str)] = &[
    ("password", "password"), ("passwd", "password"), ("passwort", "password"), ("passphrase", "password"),
    ("passcode", "password"), ("pwd", "password"), ("secret", "secret"), ("apikey", "key"), ("secretkey", "key"),
    ("accesskey", "key"), ("accountkey", "key"), ("privatekey", "key"), ("authtoken", "token"), ("accesstoken", "token"),
    ("apitoken", "token"), ("bearertoken", "token"), ("refreshtoken", "token"), ("credential", "credential"),
];
/// The same, but only as a whole part.
#[rustfmt::skip]
const PARTS: &[(&str, &str)] = &[
    ("pass", "password"), ("dbpass", "password"), ("userpass", "password"), ("smtppass", "password"), ("pw", "password"),
    ("psk", "key"), ("authorization", "authorization"),
];
const WEAK: &[(&str, &str)] = &[
    ("auth", "credential"),
    ("secrets", "secret"),
    ("passwords", "password"),
    ("credentials", "credential"),
];
/// What makes a `key` a secret one.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "api", "access", "private", "secret", "account", "encryption", "decryption", "signing", "master", "subscription",
    "auth", "shared", "storage", "deploy", "license", "hmac", "jwt", "symmetric", "cloudflare",
];
/// What makes a `token` a piece of text, a place in a list, or a count.
#[rustfmt::skip]
const PLAIN_TOKENS: &[&str] = &[
    "next", "prev", "previous", "current", "cur", "last", "first", "start", "end", "page", "eos", "bos", "pad", "unk",
    "sep", "cls", "mask", "special", "eof", "open", "close", "continuation", "cancellation", "cancel", "string", "ident",
    "lex", "syntax", "stop", "input", "output", "prompt", "max", "min", "per", "peek", "expected", "unexpected", "image",
];
/// First parts of names that ask or count rather than hold.
#[rustfmt::skip]
const ASKING: &[&str] = &[
    "is", "has", "use", "uses", "require", "requires", "required", "enable", "show", "hide", "forgot", "forget", "reset",
    "no", "needs", "max", "min", "num", "n", "total", "count", "get", "set", "check", "verify", "validate", "invalid",
    "missing", "wrong", "incorrect", "parse", "generate", "create", "find", "update", "delete", "public", "toggle",
];
/// Last parts of names that say something about a secret, and not the secret.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "age", "alg", "algo", "algorithm", "app", "args", "arn", "array", "at", "attempts", "auth", "box",
    "budget", "button", "by", "cache", "callback", "changed", "chars", "check", "class", "col", "color",
    "column", "config", "cost", "count", "counter", "counts", "created", "date", "days", "desc",
    "description", "dir", "disabled", "doc", "docs", "duration", "enabled", "encoding", "end", "endpoint",
    "engine", "env", "error", "errors", "event", "example", "exists", "expiration", "expired", "expires",
    "expiry", "factory", "field", "fields", "file", "filename", "files", "fn", "folder", "form", "format",
    "func", "group", "handler", "header", "headers", "help", "helper", "helpers", "hint", "hook", "host",
    "id", "identifier", "ids", "idx", "in", "index", "info", "input", "inputs", "invalid", "issuer", "item",
    "iterator", "kind", "label", "labels", "last", "len", "length", "level", "lexer", "lifetime", "limit",
    "limits", "line", "link", "list", "loader", "location", "logprobs", "manager", "map", "matcher", "max",
    "message", "method", "middleware", "min", "mode", "model", "module", "msg", "name", "names", "node",
    "num", "number", "offset", "op", "option", "options", "output", "page", "param", "parameter", "params",
    "parser", "path", "paths", "pattern", "placeholder", "plugin", "policy", "port", "pos", "position",
    "prefix", "price", "prompt", "property", "protection", "provider", "rate", "ratio", "reader", "ref",
    "regex", "regexp", "region", "request", "required", "reset", "resolver", "response", "result",
    "rotation", "rule", "rules", "schema", "scheme", "scope", "scopes", "screen", "server", "service",
    "set", "settings", "size", "source", "span", "spec", "start", "state", "status", "store", "strategy",
    "stream", "strength", "style", "suffix", "support", "tag", "template", "test", "tests", "text", "time",
    "timeout", "title", "tokenizer", "tree", "ttl", "type", "types", "updated", "uri", "url", "urls",
    "usage", "used", "user", "username", "util", "utils", "validation", "validator", "values", "var",
    "variable", "vec", "version", "view", "visibility", "visible", "widget", "width", "window", "writer",
];

/// Last parts that change nothing: `SECRET_KEY_BASE`, `api_key_prod`.
const ASIDE: &[&str] =
    &["base", "value", "prod", "production", "dev", "staging", "live", "old", "new", "primary", "secondary"];

/// What the name says, and the kind of secret that it names. `None`: nothing of the sort.
pub(super) fn classify(name: &str) -> Option<(Strength, &'static str)> {
    if let Some((_, kind)) = CHINESE.iter().find(|(word, _)| name.ends_with(word)) {
        return Some((Strength::Strong, kind));
    }
    if name.ends_with(CHINESE_WEAK) {
        return Some((Strength::Weak, "key"));
    }
    if name.len() > MOST || !name.is_ascii() {
        return None;
    }
    let mut buffer = [0; 2 * MOST];
    let spelled = spell(name, &mut buffer);
    let mut parts = spelled.split(|b| *b == b'_').filter(|part| !part.is_empty());
    let first = parts.clone().next()?;
    let mut from_end =
        parts.clone().rev().skip_while(|part| part.iter().all(u8::is_ascii_digit) || has(ASIDE, part));
    let last = from_end.next()?;
    let before = from_end.next();
    // A shell's own variables.
    if matches!(spelled, b"pwd" | b"oldpwd") && name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    if before.is_some() && has(ASKING, first) {
        return None;
    }
    if last == b"key" {
        return before.filter(|word| has(KEYS, word)).map(|_| (Strength::Strong, "key"));
    }
    if last == b"token" {
        return match before {
            None => Some((Strength::Weak, "token")),
            Some(word) if has(PLAIN_TOKENS, word) => None,
            Some(_) => Some((Strength::Strong, "token")),
        };
    }
    if let Some(kind) = kind_of(PARTS, last, <[u8]>::eq).or_else(|| kind_of(ENDINGS, last, <[u8]>::ends_with))
    {
        return Some((Strength::Strong, kind));
    }
    if let Some(kind) = kind_of(WEAK, last, <[u8]>::eq) {
        return Some((Strength::Weak, kind));
    }
    if has(ABOUT, last) {
        return None;
    }
    let kind = parts
        .find_map(|part| if part == b"token" { Some("token") } else { kind_of(ENDINGS, part, <[u8]>::eq) });
    kind.map(|kind| (Strength::Hint, kind))
}

/// Whether a text that is all letters names a secret rather than being one: `clientSecret`, `your_token`.
pub(super) fn mentions_secret(text: &str) -> bool {
    const WORDS: &[&str] = &["pass", "pwd", "secret", "token", "key", "cred", "auth"];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// Lower case, the parts set apart by `_`: `dbPassword`, `DB-Password` and `db.password` are `db_password`.
fn spell<'a>(name: &str, buffer: &'a mut [u8; 2 * MOST]) -> &'a [u8] {
    let bytes = name.as_bytes();
    let mut n = 0;
    for (i, b) in bytes.iter().enumerate() {
        let after_small = i > 0 && (bytes[i - 1].is_ascii_lowercase() || bytes[i - 1].is_ascii_digit());
        let ends_acronym = i > 0
            && bytes[i - 1].is_ascii_uppercase()
            && bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase);
        if b.is_ascii_uppercase() && (after_small || ends_acronym) {
            buffer[n] = b'_';
            n += 1;
        }
        buffer[n] = if b.is_ascii_alphanumeric() { b.to_ascii_lowercase() } else { b'_' };
        n += 1;
    }
    &buffer[..n]
}

fn has(words: &[&str], part: &[u8]) -> bool {
    words.iter().any(|word| word.as_bytes() == part)
}

fn kind_of(
    words: &[(&str, &'static str)],
    part: &[u8],
    fits: fn(&[u8], &[u8]) -> bool,
) -> Option<&'static str> {
    words.iter().find(|(word, _)| fits(part, word.as_bytes())).map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in [
            "password",
            "Password",
            "DB_PASSWORD",
            "dbPassword",
            "PGPASSWORD",
            "MYSQL_PWD",
            "db.password",
            "passwd",
            "passphrase",
            "client_secret",
            "clientSecret",
            "SECRET_KEY",
            "secretAccessKey",
            "aws_secret_access_key",
            "api_key",
            "apiKey",
            "APIKey",
            "X-Api-Key",
            "apikey",
            "OPENAI_API_KEY",
            "access_key",
            "private_key",
            "PrivateKey",
            "encryption-key",
            "token",
            "TOKEN",
            "GITHUB_TOKEN",
            "authToken",
            "_authToken",
            "access_token",
            "refresh_token",
            "auth",
            "credential",
            "credentials",
            "password_2",
            "SECRET_KEY_BASE",
            "api_key_prod",
            "DB_PASS",
            "Authorization",
            "密码",
            "数据库密码",
            "口令",
            "令牌",
            "密钥",
            "秘钥",
            "服务器私钥",
            "加密",
            "加密密钥",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn names_of_other_things() {
        for name in [
            "",
            "_",
            "max_tokens",
            "maxTokens",
            "token_count",
            "tokens",
            "total_tokens",
            "tokenizer",
            "next_token",
            "pageToken",
            "password_field_label",
            "passwordPlaceholder",
            "password_policy",
            "password_length",
            "token_url",
            "TOKEN_FILE",
            "secret_name",
            "secretName",
            "private_key_path",
            "access_key_id",
            "key",
            "primary_key",
            "public_key",
            "foreign_key",
            "keyboard",
            "author",
            "authority",
            "authentication",
            "PWD",
            "OLDPWD",
            "compass",
            "bypass",
            "passed",
            "pass_count",
            "secretary",
            "is_password",
            "hasToken",
            "forgot_password",
            "reset_password",
            "passwordless",
            "token_stream",
            "密码长度",
            "私钥路径",
            "加密方式",
            "公钥",
            "name",
            "钥",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
