//! Names of places, in lower case.

/// Folders at the top of a drive that are Windows itself, with all below them.
pub(in crate::shell::windows) const SYSTEM_TOPS: &[&str] = &["windows", "winnt"];

/// Folders below Windows that people clean; deleting there is asked about, not refused.
pub(in crate::shell::windows) const CLEANED: &[&str] =
    &["temp", "prefetch", "logs", "softwaredistribution", "minidump", "memory.dmp", "tasks", "panther"];

/// Folders at the top of a drive that must not go as a whole, though parts of them may.
pub(in crate::shell::windows) const WHOLE_TOPS: &[&str] = &[
    "program files",
    "program files (x86)",
    "progra~1",
    "progra~2",
    "programdata",
    "progra~3",
    "system volume information",
];

/// What a machine starts from.
pub(in crate::shell::windows) const BOOT_FILES: &[&str] = &[
    "boot",
    "bootmgr",
    "bootmgr.efi",
    "bootnxt",
    "ntldr",
    "ntdetect.com",
    "boot.ini",
    "efi",
    "recovery",
    "pagefile.sys",
];

/// Patterns that only meet throw-away files, even over a whole drive.
pub(in crate::shell::windows) const NARROW_ENDINGS: &[&str] =
    &[".tmp", ".temp", ".log", ".bak", ".old", ".dmp", ".chk", ".gid", ".pyc", ".obj", ".etl", ".cache"];

/// Parts of paths that mark a secret.
pub(in crate::shell::windows) const SECRET_PARTS: &[&str] = &[
    "\\.ssh\\",
    "\\.ssh",
    "\\.gnupg",
    "\\.aws\\",
    "\\.aws",
    "\\.azure\\",
    "\\.kube\\",
    "\\.docker\\config.json",
    "\\microsoft\\protect",
    "\\microsoft\\credentials",
    "\\microsoft\\vault",
    "\\user data\\default\\",
    "\\chrome\\user data",
    "\\edge\\user data",
    "\\bravesoftware\\",
    "\\firefox\\profiles",
    "\\system32\\config\\regback",
    "consolehost_history",
    "\\ethereum\\keystore",
    "\\bitcoin\\",
    "\\gcloud\\",
    "\\telegram desktop\\tdata",
];

/// File names that are secrets wherever they stand.
pub(in crate::shell::windows) const SECRET_NAMES: &[&str] = &[
    ".env",
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "login data",
    "cookies",
    "cookies.sqlite",
    "local state",
    "web data",
    "key3.db",
    "key4.db",
    "logins.json",
    "wallet.dat",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "credentials",
    "unattend.xml",
    "sysprep.xml",
    "sysprep.inf",
    "secrets.json",
    "credentials.json",
    "ntds.dit",
    "sam",
    "authorized_keys",
    "known_hosts",
];

/// Endings of files that hold keys.
pub(in crate::shell::windows) const SECRET_ENDINGS: &[&str] =
    &[".pem", ".pfx", ".p12", ".kdbx", ".ppk", ".key", ".rdg", ".jks"];

/// The stores of the machine's own passwords.
pub(in crate::shell::windows) const HIVES: &[&str] = &[
    "\\config\\sam",
    "\\config\\system",
    "\\config\\security",
    "\\ntds\\ntds.dit",
    "\\ntds.dit",
    "\\config\\regback\\sam",
    "\\config\\regback\\system",
];
