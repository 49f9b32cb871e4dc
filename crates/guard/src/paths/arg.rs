//! A path as a caller wrote it.

use std::{
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
};

use deskhand_core::{ToolError, ToolResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest path that Linux takes.
const MOST_BYTES: usize = 4096;

/// A path from a caller: relative to the workspace, absolute, or `~/…`. It cannot be opened; only
/// [`BoundPaths`](super::BoundPaths) turns it into something that can.
///
/// Names that are not UTF-8 are written, and read, with `\xNN` for the odd bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, description = "A path.")]
pub struct PathArg(String);

impl PathArg {
    pub fn new(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path from the root of the file system; links and `..` still in it.
    pub(super) fn to_absolute(&self, workspace: &Path, home: Option<&Path>) -> ToolResult<PathBuf> {
        let invalid = |why: &str| Err(ToolError::invalid("invalid_path", format!("The path {self} {why}.")));
        if self.0.is_empty() {
            return Err(ToolError::invalid("invalid_path", "The path is empty."));
        }
        if self.0.contains('\0') {
            return invalid("has a NUL character in it, which no path can");
        }
        if self.0.len() > MOST_BYTES {
            return invalid(&format!(
                "has {} bytes; {MOST_BYTES} is the most that a path can have",
                self.0.len()
            ));
        }
        let written = match (self.0.strip_prefix('~'), home) {
            (Some(""), Some(home)) => home.to_path_buf(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => workspace.join(&self.0),
        };
        Ok(odd_bytes(&written).filter(|_| written.symlink_metadata().is_err()).unwrap_or(written))
    }
}

/// The path meant by `\xNN` in a written one; `None` if there is no such thing in it.
#[cfg(unix)]
fn odd_bytes(path: &Path) -> Option<PathBuf> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let bytes = path.as_os_str().as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    let mut any = false;
    while i < bytes.len() {
        let odd = bytes[i..]
            .strip_prefix(b"\\x")
            .and_then(|rest| std::str::from_utf8(rest.get(..2)?).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok())
            .filter(|&byte| byte >= 0x80);
        if let Some(byte) = odd {
            out.push(byte);
            i += 4;
            any = true;
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    any.then(|| std::ffi::OsString::from_vec(out).into())
}

#[cfg(not(unix))]
fn odd_bytes(_: &Path) -> Option<PathBuf> {
    None
}

/// A file name as text: bytes that are not UTF-8 as `\xNN`, so that the name can be used again.
pub fn show_name(name: &OsStr) -> String {
    match name.to_str() {
        Some(text) => text.to_owned(),
        None => show_odd(name),
    }
}

#[cfg(unix)]
fn show_odd(name: &OsStr) -> String {
    use std::{fmt::Write, os::unix::ffi::OsStrExt};
    let mut text = String::new();
    for chunk in name.as_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string does not fail.
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

#[cfg(not(unix))]
fn show_odd(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// As a person or a model reads it: control characters escaped, and not a megabyte of it.
impl fmt::Display for PathArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 200;
        for c in self.0.chars().take(MOST) {
            if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") }?;
        }
        if self.0.chars().nth(MOST).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn becomes_absolute() {
        let at = |path: &str| {
            PathArg::new(path).to_absolute(Path::new("/ws"), Some(Path::new("/home/a"))).unwrap()
        };
        assert_eq!(at("a/b"), Path::new("/ws/a/b"));
        assert_eq!(at("/etc"), Path::new("/etc"));
        assert_eq!(at("~"), Path::new("/home/a"));
        assert_eq!(at("~/x"), Path::new("/home/a/x"));
        assert_eq!(at("~x"), Path::new("/ws/~x"));
    }

    #[test]
    fn what_is_no_path_is_said() {
        for bad in ["", "a\0b", &"x".repeat(5000)] {
            let error = PathArg::new(bad).to_absolute(Path::new("/ws"), None).unwrap_err();
            assert_eq!(error.code, "invalid_path");
            assert!(error.message.len() < 400, "{}", error.message);
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_survive_the_round_trip() {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"caf\xE9.txt");
        assert_eq!(show_name(name), "caf\\xE9.txt");
        let back = PathArg::new(show_name(name)).to_absolute(Path::new("/nowhere"), None).unwrap();
        assert_eq!(back.file_name(), Some(name));
    }
}
