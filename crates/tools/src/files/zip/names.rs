//! Names of entries: how their bytes are read, and which of them may become paths.

use std::{borrow::Cow, path::PathBuf};

use encoding_rs::GB18030;

/// The longest name that common file systems take.
const MOST_PART_BYTES: usize = 255;
/// The longest path, less some room for the folder that it is put into.
const MOST_BYTES: usize = 3072;
/// The deepest folder. Each level costs a handle when a tree is walked.
const MOST_PARTS: usize = 200;

/// Where an archive was made, as far as names go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeOn {
    /// A backslash is a letter like any other.
    Unix,
    /// A backslash stands between folders, whatever the format says.
    Elsewhere,
}

/// Why a name cannot become a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("it is empty")]
    Empty,
    #[error("it has a control character in it")]
    Control,
    #[error("it is an absolute path")]
    Absolute,
    #[error("it names a drive")]
    Drive,
    #[error("it leads out of its folder with `..`")]
    Upwards,
    #[error("it is too long")]
    Long,
    #[error("it has too many folders in it")]
    Deep,
}

/// The name of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    Text(String),
    /// Bytes that are no text, as Unix allows them.
    Raw(Vec<u8>),
}

impl Name {
    /// For checks and messages.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Raw(bytes) => String::from_utf8_lossy(bytes),
        }
    }
}

/// What the bytes of a name stand for. Old programs of the East wrote GBK and said nothing, those of the West CP437:
/// `cp437` gives that reading. On Unix a name is what its bytes are.
pub fn read(raw: &[u8], made_on: MadeOn, cp437: impl FnOnce() -> Option<String>) -> Option<Name> {
    if let Ok(text) = std::str::from_utf8(raw) {
        return Some(Name::Text(text.to_owned()));
    }
    let chinese = GB18030.decode_without_bom_handling_and_without_replacement(raw);
    match chinese {
        Some(text) if !text.chars().any(is_no_name_character) => Some(Name::Text(text.into_owned())),
        _ if made_on == MadeOn::Unix && cfg!(unix) => Some(Name::Raw(raw.to_vec())),
        _ => cp437().map(Name::Text),
    }
}

/// What bytes come to that were not meant as GB18030: private characters and controls above ASCII.
fn is_no_name_character(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9f}' | '\u{e000}'..='\u{f8ff}')
}

/// Whether a name is that of a folder.
pub fn is_folder(text: &str, made_on: MadeOn) -> bool {
    text.ends_with('/') || (made_on == MadeOn::Elsewhere && text.ends_with('\\'))
}

/// The path of a name, relative, of plain parts only.
pub fn path_of_name(name: &Name, made_on: MadeOn) -> Result<PathBuf, Unfit> {
    match name {
        Name::Text(text) => path_of(text, made_on),
        Name::Raw(bytes) => path_of_raw(bytes),
    }
}

/// As [`path_of`], for bytes that are no text.
#[cfg(unix)]
pub fn path_of_raw(bytes: &[u8]) -> Result<PathBuf, Unfit> {
    use std::os::unix::ffi::OsStrExt;
    let text = String::from_utf8_lossy(bytes);
    if text.chars().any(char::is_control) {
        return Err(Unfit::Control);
    }
    // Only ASCII leads anywhere, and that is the same in the text.
    check_whole(&text.replace('\\', "/"))?;
    let parts = bytes.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let parts: Vec<&std::ffi::OsStr> = parts.map(OsStrExt::from_bytes).collect();
    within_limits(bytes.len(), parts.iter().map(|part| part.len()))?;
    Ok(parts.into_iter().collect())
}

#[cfg(not(unix))]
pub fn path_of_raw(bytes: &[u8]) -> Result<PathBuf, Unfit> {
    path_of(&String::from_utf8_lossy(bytes), MadeOn::Elsewhere)
}

/// As [`path_of_name`], for text.
pub fn path_of(text: &str, made_on: MadeOn) -> Result<PathBuf, Unfit> {
    if text.chars().any(char::is_control) {
        return Err(Unfit::Control);
    }
    if text.len() > MOST_BYTES {
        return Err(Unfit::Long);
    }
    // A reading under which it would be dangerous counts, even where it is not ours.
    let slashed = text.replace('\\', "/");
    check_whole(&slashed)?;
    let keeps_backslash = cfg!(unix) && made_on == MadeOn::Unix;
    let text = if keeps_backslash { text } else { slashed.as_str() };
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    within_limits(text.len(), parts.iter().map(|part| part.len()))?;
    Ok(parts.into_iter().collect())
}

/// Whether file systems take a path of so many bytes, in parts of so many.
fn within_limits(bytes: usize, parts: impl ExactSizeIterator<Item = usize>) -> Result<(), Unfit> {
    match parts.len() {
        0 => Err(Unfit::Empty),
        _ if bytes > MOST_BYTES => Err(Unfit::Long),
        n if n > MOST_PARTS => Err(Unfit::Deep),
        _ if parts.max().is_some_and(|longest| longest > MOST_PART_BYTES) => Err(Unfit::Long),
        _ => Ok(()),
    }
}

fn check_whole(slashed: &str) -> Result<(), Unfit> {
    if slashed.starts_with('/') {
        return Err(Unfit::Absolute);
    }
    let mut start = slashed.trim_start_matches("./").chars();
    if start.next().is_some_and(|c| c.is_ascii_alphabetic()) && start.next() == Some(':') {
        return Err(Unfit::Drive);
    }
    if slashed.split('/').any(|part| part == "..") {
        return Err(Unfit::Upwards);
    }
    Ok(())
}

/// A name that was refused, as text for a message.
pub fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_names_become_paths() {
        for (name, path) in [
            ("a", "a"),
            ("a/b/c.txt", "a/b/c.txt"),
            ("./a//b/", "a/b"),
            ("...", "..."),
            ("a..b/..c", "a..b/..c"),
            ("目录/文件.txt", "目录/文件.txt"),
        ] {
            for made_on in [MadeOn::Unix, MadeOn::Elsewhere] {
                assert_eq!(path_of(name, made_on), Ok(PathBuf::from(path)), "{name}");
            }
        }
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for (name, why) in [
            ("", Unfit::Empty),
            ("./", Unfit::Empty),
            (".", Unfit::Empty),
            ("../x", Unfit::Upwards),
            ("a/../../x", Unfit::Upwards),
            ("a/..", Unfit::Upwards),
            ("..", Unfit::Upwards),
            ("..\\x", Unfit::Upwards),
            ("a\\..\\..\\x", Unfit::Upwards),
            ("a/..\\../x", Unfit::Upwards),
            ("/etc/x", Unfit::Absolute),
            ("//host/x", Unfit::Absolute),
            ("\\x", Unfit::Absolute),
            ("\\\\host\\share\\x", Unfit::Absolute),
            ("\\\\?\\C:\\x", Unfit::Absolute),
            ("C:\\x", Unfit::Drive),
            ("c:/x", Unfit::Drive),
            ("C:x", Unfit::Drive),
            ("./C:/x", Unfit::Drive),
            ("a\0b", Unfit::Control),
            ("a\nb", Unfit::Control),
            ("a\u{7f}", Unfit::Control),
            ("a\u{85}b", Unfit::Control),
        ] {
            for made_on in [MadeOn::Unix, MadeOn::Elsewhere] {
                assert_eq!(path_of(name, made_on), Err(why), "{name:?}");
            }
        }
    }

    #[test]
    fn a_backslash_separates_where_the_maker_meant_it_to() {
        assert_eq!(path_of("a\\b", MadeOn::Elsewhere), Ok(PathBuf::from("a/b")));
        assert!(is_folder("a\\", MadeOn::Elsewhere));
        assert!(!is_folder("a\\", MadeOn::Unix));
        if cfg!(unix) {
            assert_eq!(path_of("a\\b", MadeOn::Unix).unwrap().components().count(), 1);
        }
    }

    #[test]
    fn names_have_their_limits() {
        let long = |n| path_of(&"x".repeat(n), MadeOn::Unix);
        assert!(long(255).is_ok());
        assert_eq!(long(256), Err(Unfit::Long));
        assert_eq!(long(5000), Err(Unfit::Long));
        assert!(path_of(&"d/".repeat(200), MadeOn::Unix).is_ok());
        assert_eq!(path_of(&"d/".repeat(201), MadeOn::Unix), Err(Unfit::Deep));
        // Characters of three bytes each.
        assert_eq!(path_of(&"文".repeat(86), MadeOn::Unix), Err(Unfit::Long));
    }

    #[test]
    fn bytes_are_read_as_utf8_then_gbk_then_cp437() {
        let western = |raw: &[u8]| match read(raw, MadeOn::Elsewhere, || Some("cp437".to_owned())) {
            Some(Name::Text(text)) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(western("文件.txt".as_bytes()), "文件.txt");
        assert_eq!(western(b"\xce\xc4\xbc\xfe.txt"), "文件.txt");
        // Its second byte is that of a backslash.
        assert_eq!(western(b"\x81\x5c.txt"), "乗.txt");
        assert_eq!(western(b"caf\x82.txt"), "cp437");
        assert_eq!(western(b"\xaa\xa1.txt"), "cp437", "a private character is no name");
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_stay_as_they_are_on_unix() {
        use std::os::unix::ffi::OsStrExt;
        let raw = |raw: &[u8]| read(raw, MadeOn::Unix, || Some("cp437".to_owned())).unwrap();
        assert_eq!(raw(b"\xce\xc4\xbc\xfe.txt"), Name::Text("文件.txt".to_owned()));
        let name = raw(b"./d\xff//caf\x82.txt");
        let path = path_of_name(&name, MadeOn::Unix).unwrap();
        assert_eq!(path.as_os_str().as_bytes(), b"d\xff/caf\x82.txt");
        let long = [b"\xff".as_slice(), &[b'x'; 255]].concat();
        for (bytes, why) in [
            (&b"../\xff"[..], Unfit::Upwards),
            (b"\xff\\..\\x", Unfit::Upwards),
            (b"/\xff", Unfit::Absolute),
            (b"C:\\\xff", Unfit::Drive),
            (b"\xff\0", Unfit::Control),
            (&long, Unfit::Long),
        ] {
            assert_eq!(path_of_name(&Name::Raw(bytes.to_vec()), MadeOn::Unix), Err(why), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_stays_inside(name in "[a-c./\\\\: \u{0}文]{0,12}") {
            for made_on in [MadeOn::Unix, MadeOn::Elsewhere] {
                if let Ok(path) = path_of(&name, made_on) {
                    let plain = |c| matches!(c, std::path::Component::Normal(_));
                    prop_assert!(path.components().all(plain) && path.components().next().is_some());
                    prop_assert!(Path::new("/base").join(&path).starts_with("/base"));
                }
            }
        }
    }
}
