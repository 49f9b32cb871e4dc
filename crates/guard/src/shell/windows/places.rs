//! What a Windows path stands for: a drive, a system folder, a profile, a secret, or an ordinary place.

use super::tables::places::{
    BOOT_FILES, CLEANED, HIVES, NARROW_ENDINGS, SECRET_ENDINGS, SECRET_NAMES, SECRET_PARTS, SYSTEM_TOPS,
    WHOLE_TOPS,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A raw disk or volume, such as `\\.\PhysicalDrive0`.
    Device,
    DriveRoot,
    System,
    Profile,
    /// A system's or program's own folder that is not to be lost as a whole, or a file of the boot.
    Boot,
    Absolute,
    Share,
    Relative,
}

impl Place {
    /// Losing it harms the machine or a person's whole data.
    pub fn is_vital(self) -> bool {
        matches!(self, Self::Device | Self::DriveRoot | Self::System | Self::Profile | Self::Boot)
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Device => "a raw disk",
            Self::DriveRoot => "a whole drive",
            Self::System => "a folder of Windows itself",
            Self::Profile => "a user's whole profile",
            Self::Boot => "what the machine starts from",
            Self::Absolute => "a place outside the workspace",
            Self::Share => "a place on another machine",
            Self::Relative => "a place in the working folder",
        }
    }
}

/// A path taken apart: where it starts, its folders in lower case, and the pattern of files at its end, if any.
#[derive(Debug)]
struct Parts {
    drive: bool,
    parts: Vec<String>,
    pattern: Option<String>,
}

/// Last component in lower case, without quotes.
pub(super) fn file_name(path: &str) -> String {
    path.trim_matches(['"', '\'', ' ']).rsplit(['\\', '/']).next().unwrap_or_default().to_lowercase()
}

fn normal(path: &str) -> String {
    let mut text = path.trim().trim_matches(['"', '\'']).trim().to_lowercase().replace('/', "\\");
    for prefix in ["microsoft.powershell.core\\", "filesystem::", "file:\\\\\\", "\\\\?\\", "\\??\\"] {
        if let Some(rest) = text.strip_prefix(prefix) {
            text = rest.to_owned();
        }
    }
    text
}

/// Is this the name of a raw disk, volume or partition?
pub(super) fn is_device(path: &str) -> bool {
    let text = path.trim_matches(['"', '\'', ' ']).to_lowercase().replace('/', "\\");
    let Some(name) = text.strip_prefix("\\\\.\\").or_else(|| text.strip_prefix("\\\\?\\")) else {
        return text.starts_with("\\device\\harddisk");
    };
    let bytes = name.as_bytes();
    let bare_volume = bytes.len() == 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    bare_volume
        || ["physicaldrive", "harddisk", "volume{", "globalroot", "cdrom", "scsi"]
            .iter()
            .any(|d| name.starts_with(d))
}

fn take_apart(path: &str) -> Option<Parts> {
    let mut text = normal(path);
    if let Some(rest) = text.strip_prefix("\\\\") {
        // An administrative share is the drive itself.
        let mut pieces = rest.splitn(3, '\\');
        let (_, share, below) =
            (pieces.next()?, pieces.next().unwrap_or_default(), pieces.next().unwrap_or_default());
        let bytes = share.as_bytes();
        if !(bytes.len() == 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b'$') {
            return None;
        }
        text = format!("{}:\\{below}", char::from(bytes[0]));
    }
    let bytes = text.as_bytes();
    let lettered =
        bytes.len() >= 2 && bytes[1] == b':' && (bytes[0].is_ascii_alphabetic() || bytes[0] == b'?');
    let drive = lettered || text.starts_with('\\');
    let below = if lettered { text.get(2..).unwrap_or_default() } else { &text };
    let mut parts: Vec<String> = Vec::new();
    for piece in below.split('\\') {
        match piece.trim_end_matches(' ') {
            "" | "." => {}
            ".." => {
                if !drive && parts.last().is_none_or(|p| p == "..") {
                    parts.push("..".to_owned());
                } else {
                    parts.pop();
                }
            }
            name => parts.push(name.to_owned()),
        }
    }
    let pattern = parts.pop_if(|last| last.starts_with('*') || last.starts_with("?.") || last == "?");
    Some(Parts { drive, parts, pattern })
}

/// `*` and `?` matching of one folder name, both in lower case.
pub(super) fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star, mut mark) = (0, 0, None, 0);
    while n < name.len() {
        if p < pattern.len() && pattern[p] != '*' && (pattern[p] == '?' || pattern[p] == name[n]) {
            p += 1;
            n += 1;
        } else if p < pattern.len() && pattern[p] == '*' {
            star = Some(p);
            mark = n;
            p += 1;
        } else if let Some(back) = star {
            p = back + 1;
            mark += 1;
            n = mark;
        } else {
            return false;
        }
    }
    pattern[p.min(pattern.len())..].iter().all(|c| *c == '*')
}

fn is_one_of(part: &str, names: &[&str]) -> bool {
    names.iter().any(|name| glob(part, name))
}

/// What is lost when everything at `path` and below goes.
pub(super) fn tree(path: &str) -> Place {
    if is_device(path) {
        return Place::Device;
    }
    let Some(Parts { drive, parts, pattern }) = take_apart(path) else { return Place::Share };
    if !drive {
        // Enough steps up from an unknown folder may be the drive itself.
        return match parts.first().map(String::as_str) {
            Some("..") if parts.iter().filter(|p| *p == "..").count() >= 4 => Place::DriveRoot,
            Some("..") => Place::Absolute,
            Some("~") => profile_below(&parts[1..], pattern.as_deref()),
            _ => Place::Relative,
        };
    }
    if pattern.as_deref().is_some_and(|p| NARROW_ENDINGS.iter().any(|end| p.ends_with(end))) {
        return Place::Absolute;
    }
    match parts.as_slice() {
        [] => Place::DriveRoot,
        [top, below @ ..] if is_one_of(top, SYSTEM_TOPS) => match below.first() {
            Some(name) if CLEANED.contains(&name.as_str()) => Place::Absolute,
            _ => Place::System,
        },
        [top] if is_one_of(top, BOOT_FILES) => Place::Boot,
        [top, ..] if BOOT_FILES.contains(&top.as_str()) => Place::Boot,
        [top] if is_one_of(top, WHOLE_TOPS) => Place::System,
        [top, below @ ..] if is_one_of(top, &["users", "documents and settings", "docume~1"]) => {
            match below {
                [] => Place::Profile,
                [_, below @ ..] => profile_below(below, pattern.as_deref()),
            }
        }
        _ => Place::Absolute,
    }
}

fn profile_below(below: &[String], _pattern: Option<&str>) -> Place {
    if below.is_empty() { Place::Profile } else { Place::Absolute }
}

/// What is lost when the one file (or the files of one pattern) at `path` goes or is overwritten.
pub(super) fn file(path: &str) -> Place {
    if is_device(path) {
        return Place::Device;
    }
    let Some(Parts { drive, parts, pattern }) = take_apart(path) else { return Place::Share };
    if !drive {
        return if parts.first().is_some_and(|p| p == ".." || p == "~") {
            Place::Absolute
        } else {
            Place::Relative
        };
    }
    if pattern.is_some() {
        return tree(path);
    }
    match parts.as_slice() {
        [] => Place::DriveRoot,
        [top, ..] if BOOT_FILES.contains(&top.as_str()) => Place::Boot,
        [top, below @ ..] if is_one_of(top, SYSTEM_TOPS) => match below {
            [] => Place::System,
            [name, ..] if CLEANED.contains(&name.as_str()) => Place::Absolute,
            // Not a part of Windows, though it stands there; changing it is asked about.
            [.., a, b, _] if a == "drivers" && b == "etc" => Place::Absolute,
            [name, _, ..]
                if ["system32", "syswow64", "boot", "winsxs", "servicing"].contains(&name.as_str()) =>
            {
                Place::System
            }
            [name] if std::path::Path::new(name).extension().is_some_and(|e| e == "exe" || e == "dll") => {
                Place::System
            }
            [name] if !name.contains('.') => Place::System,
            _ => Place::Absolute,
        },
        _ => Place::Absolute,
    }
}

/// Does a path lead to keys, passwords, browser stores or the like?
pub(super) fn is_secret(path: &str) -> bool {
    let text = path.to_lowercase().replace('/', "\\");
    let name =
        text.trim_matches(['"', '\'', '*', ' ']).rsplit(['\\', '=', '@', ':']).next().unwrap_or_default();
    SECRET_PARTS.iter().any(|part| text.contains(part))
        || SECRET_NAMES.contains(&name)
        || name.starts_with(".env.") && name != ".env.example"
        || SECRET_ENDINGS.iter().any(|end| name.ends_with(end) && name.len() > end.len())
        || is_hive(path)
}

/// Does a path lead to the stores of the machine's own passwords?
pub(super) fn is_hive(path: &str) -> bool {
    let text = path.to_lowercase().replace('/', "\\");
    let text = text.trim_matches(['"', '\'', ' ']);
    HIVES.iter().any(|hive| text.ends_with(hive))
}

/// Does a word name another machine: a URL or a share?
pub(super) fn is_remote(word: &str) -> bool {
    let text = word.trim_matches(['"', '\'', ' ']).to_lowercase();
    ["http://", "https://", "ftp://", "ftps://", "tftp://", "sftp://", "ws://", "wss://", "webdav"]
        .iter()
        .any(|scheme| text.contains(scheme))
        || (text.starts_with("\\\\") && !is_device(&text) && take_apart(&text).is_none())
}
