//! Places whose content is a secret, or is run by the system: knowledge as data.
//!
//! Names are compared without regard to case and Unicode form, since some file systems do not tell them apart.

use std::{borrow::Cow, ffi::OsStr, path::Path};

use unicode_normalization::{UnicodeNormalization, is_nfkc};

/// Folders, anywhere in a path. The second part, where there is one, must follow the first.
const FOLDERS: &[(&str, &str, &str)] = &[
    (".ssh", "", "SSH keys and hosts"),
    (".gnupg", "", "GnuPG keys"),
    (".aws", "", "AWS credentials"),
    (".azure", "", "Azure credentials"),
    (".kube", "", "Kubernetes credentials"),
    (".docker", "config.json", "Docker registry credentials"),
    (".password-store", "", "a password store"),
    (".config", "gcloud", "Google Cloud credentials"),
    (".config", "gh", "GitHub credentials"),
    (".config", "git/credentials", "Git passwords"),
    (".cargo", "credentials.toml", "registry tokens"),
    (".cargo", "credentials", "registry tokens"),
    (".m2", "settings.xml", "repository passwords"),
    (".gem", "credentials", "registry tokens"),
    (".terraform.d", "credentials.tfrc.json", "tokens"),
    (".config", "op", "1Password"),
    (".config", "fish", "shell start-up files"),
    (".config", "google-chrome", "a browser profile"),
    (".config", "chromium", "a browser profile"),
    (".config", "bravesoftware", "a browser profile"),
    (".config", "microsoft-edge", "a browser profile"),
    (".config", "vivaldi", "a browser profile"),
    (".config", "opera", "a browser profile"),
    (".mozilla", "", "a browser profile"),
    (".thunderbird", "", "a mail profile"),
    (".local", "share/keyrings", "a keyring"),
    (".local", "share/kwalletd", "a wallet"),
    (".bitcoin", "", "a wallet"),
    (".ethereum", "", "a wallet"),
    (".electrum", "", "a wallet"),
    (".config", "solana", "a wallet"),
    (".solana", "", "a wallet"),
    (".monero", "", "a wallet"),
    (".litecoin", "", "a wallet"),
    (".dogecoin", "", "a wallet"),
    (".near-credentials", "", "a wallet"),
    (".exodus", "", "a wallet"),
    (".config", "exodus", "a wallet"),
    ("library", "keychains", "a keychain"),
    ("library", "application support/google/chrome", "a browser profile"),
    ("library", "application support/firefox", "a browser profile"),
    ("appdata", "local/google/chrome/user data", "a browser profile"),
    ("appdata", "local/microsoft/edge/user data", "a browser profile"),
    ("appdata", "roaming/mozilla/firefox", "a browser profile"),
];

/// File names.
const FILES: &[(&str, &str)] = &[
    (".netrc", "passwords"),
    ("_netrc", "passwords"),
    (".pgpass", "database passwords"),
    (".my.cnf", "database passwords"),
    (".git-credentials", "Git passwords"),
    (".npmrc", "registry tokens"),
    (".pypirc", "registry tokens"),
    (".htpasswd", "password hashes"),
    (".vault-token", "a token"),
    ("id_rsa", "a private key"),
    ("id_dsa", "a private key"),
    ("id_ecdsa", "a private key"),
    ("id_ed25519", "a private key"),
    ("wallet.dat", "a wallet"),
    (".bashrc", "a shell start-up file"),
    (".bash_profile", "a shell start-up file"),
    (".bash_login", "a shell start-up file"),
    (".bash_logout", "a shell start-up file"),
    (".profile", "a shell start-up file"),
    (".zshrc", "a shell start-up file"),
    (".zshenv", "a shell start-up file"),
    (".zprofile", "a shell start-up file"),
    (".zlogin", "a shell start-up file"),
    (".kshrc", "a shell start-up file"),
    (".cshrc", "a shell start-up file"),
    (".tcshrc", "a shell start-up file"),
    (".xprofile", "a log-in start-up file"),
    (".xsessionrc", "a log-in start-up file"),
    (".bash_history", "a shell history"),
    (".zsh_history", "a shell history"),
    (".psql_history", "a database history"),
    (".mysql_history", "a database history"),
];

/// Endings of file names.
const ENDINGS: &[(&str, &str)] = &[
    (".pem", "a key or certificate"),
    (".key", "a private key"),
    (".p12", "a key store"),
    (".pfx", "a key store"),
    (".jks", "a key store"),
    (".keystore", "a key store"),
    (".kdbx", "a password database"),
    (".ppk", "a private key"),
];

/// What makes a path sensitive, if anything does.
pub(crate) fn why(path: &Path) -> Option<&'static str> {
    let names: Vec<Cow<'_, str>> = path.components().map(|part| folded(part.as_os_str())).collect();
    names.last().and_then(|name| file_why(name)).or_else(|| find_folder(&names, FOLDERS))
}

/// What makes a folder a secret as a whole. A folder that only has the name of a secret file is none: `.env` is
/// a usual name for a virtual environment.
pub(crate) fn why_folder(path: &Path) -> Option<&'static str> {
    let names: Vec<Cow<'_, str>> = path.components().map(|part| folded(part.as_os_str())).collect();
    find_folder(&names, FOLDERS)
}

/// Whether a folder can hold the later part of a rule (`.config` of `.config/gh`): for walks that look nowhere
/// else.
pub(crate) fn leads_to_secret(folder: &Path) -> bool {
    let names: Vec<Cow<'_, str>> = folder.components().map(|part| folded(part.as_os_str())).collect();
    FOLDERS.iter().any(|(first, then, _)| {
        let rule: Vec<&str> = std::iter::once(*first).chain(then.split('/')).collect();
        (1..rule.len()).any(|length| {
            names.len() >= length
                && names[names.len() - length..].iter().zip(&rule).all(|(name, part)| name == part)
        })
    })
}

/// The same for the last name of a path whose folders are known to be harmless: for walks.
pub(crate) fn why_child(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?;
    // Most names are plain and have none of the endings; they need no more than this look.
    let plain = name.as_encoded_bytes();
    if plain.is_ascii() && !plain.starts_with(b".") && !plain.starts_with(b"_") {
        let name = name.to_str()?;
        let ending = name.rfind('.').map_or("", |at| &name[at..]);
        let known = ENDINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending)).map(|(_, why)| *why);
        return known
            .filter(|_| !is_certificate(name))
            .or_else(|| FILES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, why)| *why))
            .or_else(|| follows_a_folder(path));
    }
    why(path)
}

/// A plain name can still be the second part of a folder rule (`.config/gh`).
fn follows_a_folder(path: &Path) -> Option<&'static str> {
    let parent = path.parent()?;
    let inside_dotted = parent.components().rev().take(4).any(|part| {
        let bytes = part.as_os_str().as_encoded_bytes();
        bytes.starts_with(b".")
            || bytes.eq_ignore_ascii_case(b"library")
            || bytes.eq_ignore_ascii_case(b"appdata")
    });
    if inside_dotted { why(path) } else { None }
}

fn file_why(name: &str) -> Option<&'static str> {
    if name.starts_with(".env") {
        return Some("environment variables, secrets among them");
    }
    FILES
        .iter()
        .find_map(|(known, why)| (*known == name).then_some(*why))
        .or_else(|| ENDINGS.iter().find_map(|(ending, why)| name.ends_with(ending).then_some(*why)))
        .filter(|_| !is_certificate(name))
}

/// Certificates are for everyone, by the names that they usually have; what may be a key is not.
fn is_certificate(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(".pem").unwrap_or_default();
    let certificate = ["cert", "chain"].iter().any(|word| stem.contains(word))
        || matches!(stem, "ca" | "cacert" | "pubkey" | "public");
    certificate && (!stem.contains("key") || stem == "pubkey") && !stem.contains("priv")
}

pub(super) fn find_folder(
    names: &[Cow<'_, str>],
    rules: &[(&str, &str, &'static str)],
) -> Option<&'static str> {
    (0..names.len()).find_map(|at| {
        rules.iter().find_map(|(first, then, why)| {
            let follows = || {
                then.is_empty()
                    || then
                        .split('/')
                        .enumerate()
                        .all(|(i, part)| names.get(at + 1 + i).is_some_and(|n| n == part))
            };
            (names[at] == *first && follows()).then_some(*why)
        })
    })
}

/// A name as it is compared: lower case, compatibility form.
pub(crate) fn folded(name: &OsStr) -> Cow<'_, str> {
    let text = name.to_string_lossy();
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_uppercase()) {
        return text;
    }
    if is_nfkc(&text) {
        return Cow::Owned(text.to_lowercase());
    }
    Cow::Owned(text.nfkc().collect::<String>().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_sensitive_places() {
        let sensitive = [
            "/home/a/.ssh/id_ed25519",
            "/home/a/.SSH/config",
            "/home/a/.gnupg",
            "/w/.aws/credentials",
            "/home/a/.kube/config",
            "/w/.env",
            "/w/.env.production",
            "/w/.ENV",
            "/w/.envrc",
            "/w/server.key",
            "/w/Server.PEM",
            "/w/cert-key.pem",
            "/home/a/.bashrc",
            "/home/a/.config/google-chrome/Default/Cookies",
            "/home/a/.mozilla/firefox/x",
            "/home/a/.local/share/keyrings/login.keyring",
            "/home/a/.docker/config.json",
            "/w/．env", // full-width dot
            "/Users/a/Library/Keychains/login.keychain",
        ];
        for path in sensitive {
            assert!(why(Path::new(path)).is_some(), "{path}");
        }
        let harmless = [
            "/w/cert.pem",
            "/w/Fullchain.PEM",
            "/w/src/main.rs",
            "/w/id_ed25519.pub",
            "/home/a/.config/nvim/init.lua",
            "/w/.env/bin/python", // a virtual environment of that name
            "/home/a/.docker/README",
            "/w/keyboard.rs",
            "/w/monkey",
            "/w/.git/config",
        ];
        for path in harmless {
            assert_eq!(why(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn the_quick_look_agrees_with_the_long_one() {
        let paths = [
            "/w/a.rs",
            "/w/server.key",
            "/w/.env",
            "/w/.config/gh",
            "/w/id_rsa",
            "/w/ID_RSA",
            "/w/.ssh",
            "/w/_netrc",
        ];
        for path in paths {
            assert_eq!(why_child(Path::new(path)), why(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn knows_what_leads_to_a_secret() {
        for path in ["/home/a/.config", "/home/a/.local", "/home/a/.local/share", "/home/a/.Docker"] {
            assert!(leads_to_secret(Path::new(path)), "{path}");
        }
        for path in ["/home/a", "/home/a/share", "/home/a/.config/gh", "/home/a/.config/nvim"] {
            assert!(!leads_to_secret(Path::new(path)), "{path}");
        }
        assert_eq!(why_folder(Path::new("/w/.env")), None);
        assert!(why_folder(Path::new("/w/.ssh")).is_some());
    }
}
