//! The keys that are known by how they begin: one table.

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
    /// The signs of both kinds of base64.
    AnyBase64,
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
            Self::AnyBase64 => b"+/=_-",
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

pub(super) struct Format {
    pub kind: &'static str,
    pub prefix: &'static str,
    pub alphabet: Alphabet,
    /// How many characters follow the prefix.
    pub least: usize,
    pub most: usize,
    /// The prefix says what it is and is no part of the secret.
    pub keeps_prefix: bool,
    /// The prefix alone says little: what follows must look like chance.
    pub needs_chance: bool,
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

use Alphabet::{Alnum, AnyBase64, Base64, Crypt, Dotted, Hex, Path, Percent, UpperAlnum, Word};

/// A longer prefix stands before a shorter one that it begins with.
#[rustfmt::skip]
pub(super) const FORMATS: &[Format] = &[
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
    vague("databricks", "dapi", Hex, 32, 32),
    // An origin's key; tokens are known by their name alone.
    vague("cloudflare", "v1.0-", Word, 150, 200),
    key("vault", "hvs.", Word, 24, 255),
    key("vault", "hvb.", Word, 24, 255),
    key("doppler", "dp.pt.", Alnum, 30, 64),
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
    vague("replicate", "r8_", Alnum, 30, 64),
    vague("perplexity", "pplx-", Alnum, 32, 64),
    vague("nvidia", "nvapi-", Word, 40, 128),
    vague("tavily", "tvly-", Word, 20, 64),
    vague("fireworks", "fw_", Alnum, 20, 64),
    vague("cerebras", "csk-", Alnum, 30, 64),
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
    key("atlassian", "ATATT3", AnyBase64, 40, 400),
    key("linear", "lin_api_", Alnum, 30, 64),
    vague("figma", "figd_", Word, 30, 64),
    key("sentry", "sntrys_", AnyBase64, 40, 512),
    key("sentry", "sntryu_", Hex, 40, 80),
    key("postman", "PMAK-", Word, 40, 80),
    key("grafana", "glsa_", Word, 32, 64),
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
    key("shopify", "shpat_", Hex, 32, 32),
    key("shopify", "shpss_", Hex, 32, 32),
    key("shopify", "shpca_", Hex, 32, 32),
    key("shopify", "shppa_", Hex, 32, 32),
    vague("mailgun", "key-", Hex, 32, 32),
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
