//! What a path is, by its name alone: nothing is looked up, since the text must be judged the same everywhere.
//! (The path policy looks at what is really there before anything runs.)

use std::path::Path;

use super::tables::{ACCOUNT_FOLDERS, ACCOUNTS, DEVICES, HARMLESS_DEVICES, KERNEL, NEEDED, PRIVATE, TOP};
use crate::{
    paths::sensitive,
    shell::text::{
        ANY, ENVIRONMENT, HOLE, NET, SECRET, SET, SHELL, STAR, glob_matches, globs_as_text, has_glob,
        is_known,
    },
};

/// A path as a command names it, made absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Absolute and without `.` and `..`; globs are marks.
    pub path: String,
    /// It named all that is in it: `/etc/*`.
    pub contents: bool,
}

/// What a path is to the judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Class {
    /// Where it is cannot be told.
    Unknown,
    /// `/dev/null`, the terminal, the standard streams.
    Nothing,
    /// `/dev/tcp/host/port`.
    Connection(String),
    /// The root of the file system, or a whole drive.
    Root,
    /// A home folder, or all of them.
    Home,
    /// A folder that the system needs as a whole.
    System,
    /// What decides who may log in or become root, or how the machine starts.
    Account,
    /// A disk, a partition, the memory.
    Device,
    /// Writing here stops, restarts or reconfigures the running kernel.
    Kernel,
    /// Holds a secret: the text says which.
    Secret(&'static str),
    Workspace,
    /// The private temporary folder.
    Temporary,
    /// Belongs to the system and may be read by everyone.
    SystemFile,
    /// Anywhere else.
    Elsewhere,
}

/// Makes a word a path.
pub fn written(word: &str, cwd: &str) -> Written {
    let word = word.strip_prefix("file://").unwrap_or(word);
    let mut parts: Vec<&str> = Vec::new();
    let whole = match word.chars().next() {
        Some('/') => word.to_owned(),
        // What cannot be told may start at the root, too.
        Some(HOLE | NET | SECRET | SHELL | ENVIRONMENT) => format!("/{word}"),
        _ => format!("{cwd}/{word}"),
    };
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    // `/proc/1/root/etc` is `/etc`.
    if parts.len() >= 3 && parts[0] == "proc" && parts[2] == "root" {
        parts.drain(..3);
    }
    let mut contents = false;
    while parts.last().is_some_and(|last| means_all(last)) {
        parts.pop();
        contents = true;
    }
    Written { path: format!("/{}", parts.join("/")), contents }
}

/// `*`, `.*`, `.[!.]*`, `?*`: all that is in a folder.
fn means_all(part: &str) -> bool {
    let has_star = part.contains(STAR);
    has_star
        && (part.chars().all(|c| matches!(c, STAR | ANY | '.'))
            || part.starts_with(['.', SET])
                && part.ends_with(STAR)
                && part.chars().all(|c| "!^.]-azAZ09".contains(c) || matches!(c, STAR | SET)))
}

/// What this path is. `workspaces` may be written; `home` is the user's.
pub fn classify(written: &Written, home: &str, workspaces: &[&Path]) -> Class {
    let path = written.path.as_str();
    let plain = globs_as_text(path);
    if path.contains(HOLE) && !names_a_user(path) {
        // What comes before the hole may still be enough: `/dev/sd…`, `/proc/…`, `/etc/…`.
        if let Some(what) = secret(path, &plain) {
            return Class::Secret(what);
        }
        let start = path.split(HOLE).next().unwrap_or_default();
        return match classify_known(start, written.contents, &plain, home, workspaces) {
            Class::Device => Class::Device,
            Class::Secret(what) => Class::Secret(what),
            _ if start.trim_end_matches('/').is_empty() => Class::Unknown,
            Class::System if start.ends_with('/') => Class::SystemFile,
            Class::Home | Class::Root | Class::System => Class::Unknown,
            other => other,
        };
    }
    if !is_known(&path.replace(HOLE, "u")) {
        return Class::Unknown;
    }
    classify_known(path, written.contents, &plain, home, workspaces)
}

/// `/home/$USER` and what is in it.
fn names_a_user(path: &str) -> bool {
    let mut parts = path.split('/').skip(1);
    matches!(parts.next(), Some("home" | "Users"))
        && parts.next() == Some(HOLE.to_string().as_str())
        && is_known(&parts.collect::<String>())
}

fn classify_known(path: &str, contents: bool, plain: &str, home: &str, workspaces: &[&Path]) -> Class {
    if path == "/" {
        return Class::Root;
    }
    if let Some(device) = path.strip_prefix("/dev/") {
        return device_class(device);
    }
    let inside = workspaces.iter().any(|root| Path::new(plain).starts_with(root));
    if let Some(class) = whole_folder(path, contents, home).filter(|_| !inside || plain == home) {
        return class;
    }
    if KERNEL.iter().any(|place| path.starts_with(place)) && !inside {
        return Class::Kernel;
    }
    let account = |path: &str| {
        ACCOUNTS.contains(&path) || ACCOUNT_FOLDERS.iter().any(|folder| path.starts_with(folder))
    };
    if account(path) || has_glob(path) && ACCOUNTS.iter().any(|known| glob_matches(path, known)) {
        return Class::Account;
    }
    if let Some(what) = secret(path, plain) {
        return Class::Secret(what);
    }
    if inside {
        return Class::Workspace;
    }
    if ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"].iter().any(|tmp| within(path, tmp)) {
        return Class::Temporary;
    }
    let top = path[1..].split('/').next().unwrap_or_default();
    let system = TOP.contains(&top) && !matches!(top, "mnt" | "media" | "srv" | "Volumes" | "Library");
    if system && !within(path, home) { Class::SystemFile } else { Class::Elsewhere }
}

fn within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn device_class(device: &str) -> Class {
    if let Some(host) = device.strip_prefix("tcp/").or_else(|| device.strip_prefix("udp/")) {
        return Class::Connection(host.replacen('/', ":", 1));
    }
    if HARMLESS_DEVICES.contains(&device)
        || device.starts_with("fd/")
        || device.starts_with("pts/")
        || device.starts_with("tty")
    {
        return Class::Nothing;
    }
    if within(device, "shm") {
        return Class::Temporary;
    }
    let glob =
        has_glob(device) && ["sda", "sda1", "nvme0n1", "vda"].iter().any(|known| glob_matches(device, known));
    if glob || DEVICES.iter().any(|known| device.starts_with(known)) {
        Class::Device
    } else {
        Class::SystemFile
    }
}

/// Root, homes, and folders that the system needs: as a whole, or all that is in them.
fn whole_folder(path: &str, contents: bool, home: &str) -> Option<Class> {
    let depth = path.matches('/').count();
    let is_home = path == home
        || matches!(path, "/home" | "/root" | "/Users" | "/export/home")
        || depth == 2 && (path.starts_with("/home/") || path.starts_with("/Users/"));
    if is_home {
        return Some(Class::Home);
    }
    if has_glob(path) && depth == 1 {
        // `/b*`, `/???`: whatever it matches.
        let all = TOP.iter().chain(&["home", "root", "Users"]);
        return all.copied().any(|name| glob_matches(&path[1..], name)).then_some(Class::System);
    }
    if let Some(inside) = windows_drive(path) {
        let needed = [
            "",
            "windows",
            "windows/system32",
            "users",
            "program files",
            "program files (x86)",
            "programdata",
        ];
        return needed.contains(&inside.to_lowercase().as_str()).then_some(Class::System);
    }
    let top = depth == 1 && TOP.contains(&&path[1..]);
    let needed = NEEDED.contains(&path) || within(path, "/boot") && (contents || depth == 1);
    // `/etc/*.conf` and its like: much of a folder that the system needs.
    let much = has_glob(path)
        && path.rsplit_once('/').is_some_and(|(folder, _)| {
            matches!(folder, "/etc" | "/bin" | "/sbin" | "/usr/bin" | "/usr/lib" | "/lib")
        });
    (top || needed || much).then_some(Class::System)
}

/// What is below a drive of Windows as it is seen from here: `/mnt/c/Users`, `/c/Users`, `/cygdrive/c/Users`.
fn windows_drive(path: &str) -> Option<&str> {
    let path = path.strip_prefix("/mnt").or_else(|| path.strip_prefix("/cygdrive")).unwrap_or(path);
    let path = path.strip_prefix('/')?;
    let inside = path.split_once('/').unwrap_or((path, ""));
    let is_drive = inside.0.len() == 1 && inside.0.chars().all(|c| c.is_ascii_alphabetic());
    is_drive.then_some(inside.1)
}

/// What makes a path secret.
pub(super) fn secret(path: &str, plain: &str) -> Option<&'static str> {
    if path.starts_with("/proc/") {
        let last = path.rsplit('/').next().unwrap_or_default();
        return match last {
            "environ" => Some("the environment of a process"),
            "mem" => Some("the memory of a process"),
            "kcore" => Some("the memory"),
            _ => None,
        };
    }
    let private = PRIVATE.iter().find(|(place, _)| within(plain, place)).map(|(_, what)| *what);
    private.or_else(|| sensitive::why(Path::new(plain))).or_else(|| {
        // `~/.ss*`, `.en?`: whatever it matches.
        let parts: Vec<&str> =
            path.split('/').filter(|part| has_glob(part) && part.starts_with('.')).collect();
        [".ssh", ".env", ".aws", ".gnupg", ".kube", ".netrc"]
            .iter()
            .any(|name| parts.iter().any(|part| part.chars().count() > 2 && glob_matches(part, name)))
            .then_some("a secret place")
    })
}
