//! Names of resources: files by their own kind of address, what Deskhand keeps by ours.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use deskhand_core::CallId;

const FILE: &str = "file://";
pub const SESSIONS: &str = "deskhand://sessions";
pub const AUDIT: &str = "deskhand://audit";
const OUTPUT: &str = "deskhand://output/";

/// What an address names.
#[derive(Debug, PartialEq, Eq)]
pub enum Named {
    File(PathBuf),
    Output(CallId),
    Sessions,
    Session(String),
    Audit,
}

impl Named {
    pub fn read(uri: &str) -> Option<Self> {
        if let Some(path) = uri.strip_prefix(FILE) {
            return path_of(path).map(Self::File);
        }
        if let Some(id) = uri.strip_prefix(OUTPUT) {
            return CallId::parse(id).map(Self::Output);
        }
        match uri {
            SESSIONS => Some(Self::Sessions),
            AUDIT => Some(Self::Audit),
            _ => {
                let id = uri.strip_prefix(SESSIONS)?.strip_prefix('/')?;
                (!id.is_empty() && !id.contains('/')).then(|| Self::Session(id.to_owned()))
            }
        }
    }
}

pub fn of_output(call: CallId) -> String {
    format!("{OUTPUT}{call}")
}

pub fn of_file(path: &Path) -> String {
    format!("{FILE}{}", escaped(path))
}

/// A path as it stands in an address. Names may be any bytes.
pub fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                text.push(char::from(*byte));
            }
            other => {
                let _ = write!(text, "%{other:02X}");
            }
        }
    }
    text
}

/// The path of a file address, behind `file://`: absolute, on this machine.
fn path_of(rest: &str) -> Option<PathBuf> {
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    path_from(unescaped(rest)?)
}

/// The bytes that escapes stand for.
pub fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut plain = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'%' => hex(bytes.next()?)? * 16 + hex(bytes.next()?)?,
            // The end of no name, and of every string of the system.
            0 => return None,
            other => other,
        });
    }
    (!plain.contains(&0)).then_some(plain)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // elsewhere not all bytes are a name
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_what_they_name() {
        for path in ["/w/a.txt", "/w/a b/100%.txt", "/w/名字", "/w/#?&"] {
            let uri = of_file(Path::new(path));
            assert!(uri.is_ascii() && !uri.contains(['#', '?', ' ']), "{uri}");
            assert_eq!(Named::read(&uri), Some(Named::File(path.into())), "{uri}");
        }
        let call = CallId::new();
        assert_eq!(Named::read(&of_output(call)), Some(Named::Output(call)));
        assert_eq!(Named::read("deskhand://sessions/x"), Some(Named::Session("x".into())));
        assert_eq!(Named::read(SESSIONS), Some(Named::Sessions));
        assert_eq!(Named::read(AUDIT), Some(Named::Audit));
    }

    #[test]
    fn what_names_nothing_is_nothing() {
        for uri in [
            "",
            "file:",
            "file://host/a",
            "file://relative",
            "file:///a%0",
            "file:///a%zz",
            "file:///a%00b",
            "deskhand://output/../x",
            "deskhand://sessions/",
            "deskhand://sessions/a/b",
            "deskhand://other",
            "http://example.org",
        ] {
            assert_eq!(Named::read(uri), None, "{uri}");
        }
    }
}
