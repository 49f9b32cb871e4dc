//! Uses of programs that are harmless, ordinary or grave. `forbidden` comes first; a rule reads as told there.

use crate::shell::windows::Level::{self, Allow, Moderate, Sensitive};

/// Programs, marks, level, rule, why.
pub(in crate::shell::windows) struct Rule(
    pub &'static str,
    pub &'static [&'static str],
    pub Level,
    pub &'static str,
    pub &'static str,
);

/// The reason of rules that hold only for a single argument: a script after it would be run.
pub(in crate::shell::windows) const VERSION: &str = "Shows a version";
const CHANGES: &str = "win-system";
const READS: &str = "win-reads";

pub(in crate::shell::windows) const PROGRAMS: &[Rule] = &[
    // What only tells something.
    Rule("systeminfo|tasklist|driverquery", &[" /s "], Sensitive, "win-network", "Asks another machine"),
    Rule(
        "ipconfig",
        &["/release|/renew|/flushdns|/registerdns|/setclassid"],
        Sensitive,
        CHANGES,
        "Changes the network settings",
    ),
    Rule("route", &[" add | delete | change | /f "], Sensitive, CHANGES, "Changes the network settings"),
    Rule("route", &[" print "], Allow, READS, "Shows the network routes"),
    Rule("arp", &[" /s | /d "], Sensitive, CHANGES, "Changes the network settings"),
    Rule("hostname", &[" /"], Allow, READS, "Shows the name of the machine"),
    Rule(
        "systeminfo|tasklist|driverquery|ipconfig|whoami|hostname|tree|findstr|find|where|more|sort|fc|comp|netstat|getmac|arp|gpresult|quser|qwinsta|query|nbtstat|openfiles|chcp|help|clip|timeout|ver|vol|qprocess",
        &[],
        Allow,
        READS,
        "Shows something of the machine or of files",
    ),
    Rule("ping", &[" /t "], Moderate, "win-endless", "Reaches another machine and does not end by itself"),
    Rule("ping", &[], Allow, READS, "Asks whether a machine answers"),
    Rule(
        "nslookup|tracert|pathping|test-connection",
        &[],
        Moderate,
        "win-network",
        "Asks machines on the network",
    ),
    Rule("attrib", &["+| /r| /h| /s "], Moderate, "win-changes", "Changes the marks of files"),
    Rule("attrib", &[], Allow, READS, "Shows the marks of files"),
    Rule(
        "reg",
        &[" query ", "\\sam|\\security|password|winlogon|\\sessions"],
        Sensitive,
        "win-secret",
        "Reads where passwords are stored",
    ),
    Rule("reg", &[" query "], Allow, READS, "Reads the registry"),
    Rule("reg", &[" compare "], Allow, READS, "Reads the registry"),
    Rule("sc", &[" query| qc | qdescription | getdisplayname | enumdepend "], Allow, READS, "Shows services"),
    Rule("schtasks", &["/query"], Allow, READS, "Shows scheduled tasks"),
    Rule("schtasks", &[], Sensitive, "win-persist", "Changes or runs scheduled tasks"),
    Rule("wevtutil", &[" qe | gl | el | gli "], Allow, READS, "Shows the event log"),
    Rule("vssadmin", &[" list "], Allow, READS, "Lists shadow copies"),
    Rule("bcdedit", &["/enum"], Allow, READS, "Shows how the machine starts"),
    Rule("fsutil", &["fsinfo|volume diskfree|query"], Allow, READS, "Shows facts of a file system"),
    Rule(
        "powercfg",
        &["/list|/l |/a |/query|/q |/getactivescheme|/lastwake|/requests"],
        Allow,
        READS,
        "Shows the power settings",
    ),
    Rule("netsh", &[" show "], Allow, READS, "Shows the network settings"),
    Rule("auditpol", &["/get|/list"], Allow, READS, "Shows what is audited"),
    Rule(
        "wmic",
        &[" call | delete| create | set |/node"],
        Sensitive,
        CHANGES,
        "Changes the machine through its management interface",
    ),
    Rule(
        "wmic",
        &["process get", "commandline"],
        Sensitive,
        "win-secret",
        "Shows command lines, which may hold secrets",
    ),
    Rule("wmic", &[" get | list "], Allow, READS, "Shows facts of the machine"),
    Rule("winget", &[" list | search | show | /version | /info "], Allow, READS, "Shows packages"),
    Rule("winget|choco|scoop", &[" list | search | info | /version "], Allow, READS, "Shows packages"),
    Rule("winget|choco|scoop|msiexec", &[], Sensitive, "win-install", "Installs or removes software"),
    Rule("cmdkey", &[], Sensitive, "win-secret", "Shows or changes stored passwords"),
    Rule("vaultcmd", &[], Sensitive, "win-secret", "Reaches stored passwords"),
    Rule("net|net1", &[" use ", ":|\\\\"], Sensitive, "win-network", "Connects to another machine"),
    Rule(
        "net|net1",
        &[" user | localgroup | group | accounts | share ", "/add|/delete|/active|/domain|*|/times|:| /m"],
        Sensitive,
        "win-accounts",
        "Changes accounts or shares",
    ),
    Rule(
        "net|net1",
        &[" start | stop | pause | continue | session | file | send | computer "],
        Sensitive,
        "win-services",
        "Starts, stops or shows services and sessions",
    ),
    Rule(
        "net|net1",
        &[" user | localgroup | group | accounts | share | view | use | statistics | time | config | help "],
        Allow,
        READS,
        "Shows accounts, shares or settings",
    ),
    Rule(
        "icacls|cacls|xcacls",
        &["/grant|/deny|/remove|/reset|/setowner|/inheritance|/t |/restore|/setintegritylevel|/e |/p "],
        Sensitive,
        "win-ownership",
        "Changes who may use files",
    ),
    Rule("icacls|cacls", &[], Allow, READS, "Shows who may use files"),
    Rule("chkdsk", &["/f|/r|/x|/b"], Sensitive, "win-disk", "Repairs a drive"),
    Rule("chkdsk", &[], Moderate, READS, "Checks a drive"),
    Rule(
        "diskpart|diskshadow|bootrec|bcdedit|vssadmin|wbadmin|fsutil|manage-bde|mountvol|defrag|format|cipher",
        &[],
        Sensitive,
        "win-disk",
        "Works on disks, backups or the start of the machine",
    ),
    Rule(
        "reg|regedit|regini|secedit|gpupdate|lgpo",
        &[],
        Sensitive,
        "win-registry",
        "Changes the registry or the policies",
    ),
    Rule(
        "sc|netsh|wevtutil|auditpol|powercfg|dism|sfc|pnputil|setx|takeown|shutdown|nltest|dsquery|dsadd|dsmod|dsrm|w32tm|tzutil|fltmc|mpcmdrun|wmic|logman|sysmon|netdom|label|subst|assoc|ftype",
        &[],
        Sensitive,
        CHANGES,
        "Changes settings of the machine",
    ),
    Rule("taskkill|pskill|tskill", &[], Sensitive, "win-processes", "Ends processes"),
    Rule(
        "rundll32|regsvr32|mshta|cscript|wscript|hh|installutil|regasm|regsvcs|cmstp|odbcconf|msdt|pcalua|control|mmc|msbuild|csc|esentutl|expand|extrac32|makecab|certreq|at|wsl|bash|sh|psexec|runas|ssh",
        &[],
        Sensitive,
        "win-runs",
        "Runs other code",
    ),
    Rule("certutil", &["/hashfile|/dump"], Allow, READS, "Shows the hash or content of a file"),
    Rule("certutil", &[], Sensitive, "win-runs", "Changes certificates, decodes or fetches files"),
    Rule("bitsadmin", &["/list|/info"], Allow, READS, "Shows transfers"),
    Rule(
        "bitsadmin|curl|wget|ftp|tftp|scp|sftp|telnet|nc|ncat|aria2c|finger|rclone|azcopy|aws|gsutil|pscp|plink",
        &[],
        Sensitive,
        "win-network",
        "Sends to or fetches from another machine",
    ),
    // Tools that are the same everywhere.
    Rule(
        "git",
        &[
            " /c |/ext/diff|/ext-diff|/textconv|/output|/exec-path|/config-env|/upload-pack|/git-dir|/work-tree|/open-files",
        ],
        Moderate,
        "win-program",
        "Runs git with settings of its own",
    ),
    Rule(
        "git",
        &[" push | pull | fetch | clone | remote add | remote set-url | submodule "],
        Sensitive,
        "win-network",
        "Exchanges data with another repository",
    ),
    Rule(
        "git",
        &[" reset /hard | clean "],
        Sensitive,
        "win-changes",
        "Throws away changes that cannot be brought back",
    ),
    Rule(
        "node|npm|python|python3|py|cargo|rustc|go|java|javac|dotnet|ruby|perl|php|gcc|cmake|make|docker|kubectl|code|pip|yarn|pnpm|gradle|mvn|pwsh|powershell",
        &[" /version | /v | version | /info "],
        Allow,
        READS,
        VERSION,
    ),
    Rule(
        "npm|pip|yarn|pnpm|cargo|dotnet|go|make|nmake|cmake|gradle|mvn|node|python|python3|py|java|javac|xcopy|robocopy|tar|7z|replace|mklink",
        &[],
        Moderate,
        "win-program",
        "Runs a program that changes files in the working folder",
    ),
];

/// Subcommands of git that only read, with what may follow.
pub(in crate::shell::windows) const GIT_READS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "ls-files",
    "blame",
    "describe",
    "shortlog",
    "ls-tree",
    "cat-file",
    "grep",
    "rev-list",
    "--version",
    "version",
];

/// Subcommands of git that only read when nothing but these follow.
pub(in crate::shell::windows) const GIT_BARE: &[(&str, &[&str])] = &[
    ("branch", &["-a", "-r", "-v", "-vv", "--list", "--show-current", "--all"]),
    ("remote", &["-v", "--verbose"]),
    ("tag", &["-l", "--list"]),
    ("stash", &["list"]),
    ("config", &["--list", "-l"]),
];

/// Programs that reach other machines.
pub(in crate::shell::windows) const SENDERS: &[&str] = &[
    "curl",
    "wget",
    "ftp",
    "tftp",
    "scp",
    "sftp",
    "bitsadmin",
    "certreq",
    "nc",
    "ncat",
    "telnet",
    "rclone",
    "azcopy",
    "aws",
    "gsutil",
    "pscp",
    "plink",
    "finger",
    "configsecuritypolicy",
];

/// Read-only programs that write or run with one of these marks: asked about.
pub(in crate::shell::windows) const TURNED: &[(&str, &[&str])] = &[
    ("sort", &["/o", "/t"]),
    ("find", &[]),
    ("clip", &[]),
    ("wmic", &["/output", "/append"]),
    ("where", &[]),
    ("openfiles", &["/disconnect", "/local"]),
    ("gpresult", &["/x", "/h"]),
    ("query", &[]),
];
