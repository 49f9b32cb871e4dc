//! What a path is, by its name alone: nothing is looked up, since the text must be judged the same everywhere.
//! (The path policy looks at what is really there before anything runs.)

use std::path::Path;

use crate::{
    paths::sensitive,
    shell::text::{ANY, HOLE, SET, STAR, glob_matches, globs_as_text, has_glob, is_known},
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
    let whole = if word.starts_with('/') { word.to_owned() } else { format!("{cwd}/{word}") };
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

const DEVICES: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md", "dm-", "loop", "sr", "disk", "rdisk", "mapper/", "da",
    "ada", "nbd", "mtd", "mem", "kmem", "port", "nvram", "ram", "bsg", "sg", "block/", "vg", "root", "zvol",
    "wd",
];
const HARMLESS_DEVICES: &[&str] =
    &["null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "ptmx", "console"];

/// Folders at the root that the system needs.
const TOP: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "opt",
    "proc",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "System",
    "Library",
    "Applications",
    "Volumes",
    "private",
    "cores",
    "mnt",
    "media",
    "snap",
    "nix",
];

/// Deeper folders without which the machine does not work, or forgets what it is for.
const NEEDED: &[&str] = &[
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/share",
    "/usr/local",
    "/usr/include",
    "/usr/src",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/local/lib",
    "/usr/local/etc",
    "/usr/local/share",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/systemd",
    "/usr/lib/modules",
    "/lib/modules",
    "/lib/systemd",
    "/lib/x86_64-linux-gnu",
    "/lib/firmware",
    "/usr/lib/firmware",
    "/var/lib",
    "/var/log",
    "/var/spool",
    "/var/mail",
    "/var/db",
    "/var/backups",
    "/var/www",
    "/var/run",
    "/var/lib/dpkg",
    "/var/lib/rpm",
    "/var/lib/pacman",
    "/var/lib/docker",
    "/var/lib/mysql",
    "/var/lib/postgresql",
    "/var/lib/systemd",
    "/var/lib/kubelet",
    "/var/lib/etcd",
    "/etc/ssh",
    "/etc/pam.d",
    "/etc/systemd",
    "/etc/init.d",
    "/etc/apt",
    "/etc/ssl",
    "/etc/sudoers.d",
    "/etc/security",
    "/etc/network",
    "/etc/NetworkManager",
    "/etc/default",
    "/etc/cron.d",
    "/etc/pki",
    "/etc/alternatives",
    "/etc/ld.so.conf.d",
    "/etc/kubernetes",
    "/etc/selinux",
    "/etc/apparmor.d",
    "/etc/audit",
    "/etc/yum.repos.d",
    "/etc/netplan",
    "/var/lib/apt",
    "/var/log/audit",
    "/var/log/journal",
    "/System/Library",
    "/Library/Keychains",
    "/sys/firmware/efi/efivars",
    "/sys/firmware/efi",
    "/private/etc",
    "/private/var",
    "/usr/games",
    "/usr/local/games",
    "/opt/homebrew",
    "/nix/store",
    "/var/spool/cron",
    "/run/systemd",
    "/var/cache",
];

const ACCOUNTS: &[&str] = &[
    "/etc/passwd",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/group",
    "/etc/sudoers",
    "/etc/passwd-",
    "/etc/shadow-",
    "/etc/master.passwd",
    "/etc/login.defs",
    "/etc/ld.so.preload",
    "/etc/nsswitch.conf",
    "/etc/securetty",
    "/etc/crypttab",
    "/etc/pam.conf",
    "/etc/ssh/sshd_config",
    "/etc/ld.so.conf",
    "/etc/ld.so.cache",
    "/etc/inittab",
    "/etc/krb5.keytab",
    "/etc/doas.conf",
    "/etc/fstab",
    "/etc/machine-id",
    "/etc/selinux/config",
    "/etc/audit/auditd.conf",
    "/etc/audit/audit.rules",
    "/etc/default/grub",
    "/etc/grub.d",
    "/etc/shells",
    "/vmlinuz",
    "/initrd.img",
    "/private/etc/sudoers",
    "/private/etc/passwd",
    "/private/etc/master.passwd",
];
const ACCOUNT_FOLDERS: &[&str] = &[
    "/etc/sudoers.d/",
    "/etc/pam.d/",
    "/boot/",
    "/etc/security/",
    "/efi/",
    "/usr/lib/security/",
    "/lib/security/",
    "/etc/grub.d/",
    "/etc/ssh/ssh_host",
    "/etc/ssh/sshd_config.d/",
];

const KERNEL: &[&str] = &[
    "/proc/sysrq-trigger",
    "/sys/power/",
    "/proc/sys/kernel/",
    "/proc/sys/vm/",
    "/proc/acpi/",
    "/sys/class/rtc",
    "/sys/bus/pci",
    "/sys/block/",
    "/sys/firmware/",
    "/sys/fs/selinux/",
    "/sys/fs/cgroup/",
];

/// Files of the system that not everyone may read, wherever they are looked at from.
const PRIVATE: &[(&str, &str)] = &[
    ("/etc/shadow", "password hashes"),
    ("/etc/gshadow", "password hashes"),
    ("/etc/master.passwd", "password hashes"),
    ("/etc/sudoers", "who may become root"),
    ("/etc/ssl/private", "private keys"),
    ("/etc/krb5.keytab", "keys"),
    ("/etc/wireguard", "keys"),
    ("/etc/openvpn", "keys"),
    ("/etc/NetworkManager/system-connections", "network passwords"),
    ("/etc/wpa_supplicant", "network passwords"),
    ("/etc/kubernetes/admin.conf", "Kubernetes credentials"),
    ("/etc/rancher", "Kubernetes credentials"),
    ("/var/lib/kubelet/pki", "keys"),
    ("/run/secrets", "secrets"),
    ("/var/run/secrets", "secrets"),
    ("/var/spool/cron", "other people's jobs"),
    ("/var/mail", "mail"),
    ("/var/spool/mail", "mail"),
    ("/proc/kcore", "the memory"),
    ("/var/lib/mysql", "a database"),
    ("/etc/mysql/debian.cnf", "database passwords"),
    ("/var/log/auth.log", "log-ins"),
    ("/var/log/secure", "log-ins"),
    ("/var/log/audit", "the audit log"),
    ("/etc/letsencrypt", "private keys"),
];

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
    // A whole drive, as Windows has them under Linux.
    if depth == 2 && path.starts_with("/mnt/") && path.len() == 6 {
        return Some(Class::Root);
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
