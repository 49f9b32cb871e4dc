//! Which settings of Git can run a program or lead Git elsewhere.
//!
//! The lists name what is harmless, and everything else counts: Git learns new keys with every release.

use std::collections::BTreeSet;

use super::git_config::{self, Setting};

/// A config is small. What is larger is not read, and counts.
pub(super) const LARGEST: u64 = 1 << 20;

/// Sections without a subsection, and their harmless names. `*` is all of them.
const PLAIN: &[(&str, &[&str])] = &[
    ("advice", &["*"]),
    ("apply", &["ignorewhitespace", "whitespace"]),
    ("author", &["name", "email"]),
    (
        "blame",
        &[
            "blankboundary",
            "coloring",
            "date",
            "ignorerevsfile",
            "markignoredlines",
            "markunblamablelines",
            "showemail",
            "showroot",
        ],
    ),
    ("branch", &["autosetupmerge", "autosetuprebase", "sort"]),
    ("checkout", &["defaultremote", "guess", "thresholdforparallelism", "workers"]),
    ("color", &["*"]),
    ("column", &["*"]),
    ("commit", &["cleanup", "gpgsign", "status", "verbose"]),
    ("committer", &["name", "email"]),
    (
        "core",
        &[
            "abbrev",
            "autocrlf",
            "bare",
            "bigfilethreshold",
            "checkstat",
            "commentchar",
            "commentstring",
            "commitgraph",
            "compression",
            "deltabasecachelimit",
            "eol",
            "filemode",
            "fscache",
            "fsync",
            "fsyncmethod",
            "fsyncobjectfiles",
            "hidedotfiles",
            "ignorecase",
            "logallrefupdates",
            "longpaths",
            "loosecompression",
            "multipackindex",
            "packedgitlimit",
            "packedgitwindowsize",
            "precomposeunicode",
            "preloadindex",
            "quotepath",
            "repositoryformatversion",
            "safecrlf",
            "sharedrepository",
            "sparsecheckout",
            "sparsecheckoutcone",
            "splitindex",
            "symlinks",
            "trustctime",
            "untrackedcache",
            "warnambiguousrefs",
            "whitespace",
        ],
    ),
    (
        "diff",
        &[
            "algorithm",
            "autorefreshindex",
            "colormoved",
            "colormovedws",
            "context",
            "dirstat",
            "dstprefix",
            "ignoresubmodules",
            "indentheuristic",
            "interhunkcontext",
            "mnemonicprefix",
            "noprefix",
            "relative",
            "renamelimit",
            "renames",
            "srcprefix",
            "statgraphwidth",
            "statnamewidth",
            "submodule",
            "suppressblankempty",
            "wordregex",
            "wserrorhighlight",
        ],
    ),
    ("feature", &["experimental", "manyfiles"]),
    (
        "fetch",
        &[
            "all",
            "output",
            "parallel",
            "prune",
            "prunetags",
            "recursesubmodules",
            "showforcedupdates",
            "writecommitgraph",
        ],
    ),
    (
        "gc",
        &[
            "aggressivedepth",
            "aggressivewindow",
            "auto",
            "autodetach",
            "autopacklimit",
            "bigpackthreshold",
            "cruftpacks",
            "logexpiry",
            "maxcruftsize",
            "packrefs",
            "pruneexpire",
            "reflogexpire",
            "reflogexpireunreachable",
            "rerereresolved",
            "rerereunresolved",
            "worktreepruneexpire",
            "writecommitgraph",
        ],
    ),
    ("grep", &["column", "extendedregexp", "fullname", "linenumber", "patterntype", "threads"]),
    ("i18n", &["commitencoding", "logoutputencoding"]),
    ("index", &["recordendofindexentries", "recordoffsettable", "skiphash", "sparse", "threads", "version"]),
    ("init", &["defaultbranch"]),
    ("lfs", &["repositoryformatversion"]),
    (
        "log",
        &[
            "abbrevcommit",
            "date",
            "decorate",
            "diffmerges",
            "excludedecoration",
            "follow",
            "graphcolors",
            "initialdecorationset",
            "mailmap",
            "showroot",
        ],
    ),
    ("maintenance", &["auto", "autodetach", "strategy"]),
    (
        "merge",
        &[
            "autostash",
            "branchdesc",
            "conflictstyle",
            "defaulttoupstream",
            "directoryrenames",
            "ff",
            "log",
            "renamelimit",
            "renames",
            "renormalize",
            "stat",
            "suppressdest",
            "verbosity",
        ],
    ),
    (
        "pack",
        &[
            "compression",
            "deltacachelimit",
            "deltacachesize",
            "depth",
            "indexversion",
            "packsizelimit",
            "threads",
            "usebitmaps",
            "usepathwalk",
            "usesparse",
            "window",
            "windowmemory",
            "writebitmaphashcache",
            "writebitmaps",
            "writereverseindex",
        ],
    ),
    ("pull", &["autostash", "ff", "rebase"]),
    ("push", &["autosetupremote", "default", "followtags", "gpgsign", "useforceifincludes"]),
    (
        "rebase",
        &[
            "abbreviatecommands",
            "autosquash",
            "autostash",
            "backend",
            "forkpoint",
            "maxlabellength",
            "missingcommitscheck",
            "rebasemerges",
            "reschedulefailedexec",
            "stat",
            "updaterefs",
        ],
    ),
    ("rerere", &["autoupdate", "enabled"]),
    ("stash", &["showincludeuntracked", "showpatch", "showstat"]),
    (
        "status",
        &[
            "aheadbehind",
            "branch",
            "displaycommentprefix",
            "relativepaths",
            "renamelimit",
            "renames",
            "short",
            "showstash",
            "showuntrackedfiles",
            "submodulesummary",
        ],
    ),
    ("tag", &["forcesignannotated", "gpgsign", "sort"]),
    ("user", &["email", "name", "useconfigonly"]),
    ("versionsort", &["suffix"]),
    ("worktree", &["guessremote"]),
];

/// Sections with any subsection, and their harmless names.
const WITH_SUBSECTION: &[(&str, &[&str])] = &[
    ("branch", &["description", "merge", "rebase"]),
    ("color", &["*"]),
    ("gc", &["reflogexpire", "reflogexpireunreachable"]),
    ("maintenance", &["auto", "enabled", "schedule"]),
    (
        "remote",
        &["fetch", "followremotehead", "prune", "prunetags", "skipdefaultupdate", "skipfetchall", "tagopt"],
    ),
];

/// In `.gitmodules`, of which Git uses only a few keys.
const MODULES: &[&str] = &["branch", "fetchrecursesubmodules", "ignore", "path", "shallow"];

/// Which file a setting stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfigKind {
    /// The config of a repository, or one that is included by it.
    Repository,
    /// `.gitmodules`.
    Modules,
}

/// Keys that can run a program or lead Git elsewhere, and that are not the same before and after. `None` if a text
/// cannot be read as Git would read it.
pub(super) fn changed_keys(before: &[u8], after: &[u8], kind: ConfigKind) -> Option<Vec<String>> {
    let power = |text: &[u8]| {
        let settings = git_config::parse(text)?;
        let remotes: BTreeSet<Vec<u8>> = settings.iter().filter_map(configured_remote).collect();
        let counts = |setting: &Setting| !is_harmless(setting, kind, &remotes);
        Some(settings.into_iter().filter(counts).collect::<Vec<_>>())
    };
    let after = power(after)?;
    // What Git does not read sets nothing.
    let before = power(before).unwrap_or_default();
    if before == after {
        return Some(Vec::new());
    }
    let of = |settings: &[Setting], key: &[u8]| {
        settings.iter().filter(|one| one.key == key).map(|one| one.value.clone()).collect::<Vec<_>>()
    };
    let all: BTreeSet<&[u8]> = before.iter().chain(&after).map(|one| one.key.as_slice()).collect();
    let differ: Vec<&[u8]> = all.iter().copied().filter(|key| of(&before, key) != of(&after, key)).collect();
    // The order alone can matter: what stands last wins, also over what is included.
    let named = if differ.is_empty() { all.into_iter().collect() } else { differ };
    Some(named.into_iter().map(shown).collect())
}

/// The remote that a setting gives an address.
fn configured_remote(setting: &Setting) -> Option<Vec<u8>> {
    match setting.parts() {
        (b"remote", Some(name), b"url") => Some(name.to_vec()),
        _ => None,
    }
}

fn is_harmless(setting: &Setting, kind: ConfigKind, remotes: &BTreeSet<Vec<u8>>) -> bool {
    let (section, subsection, name) = setting.parts();
    let (Ok(section), Ok(name)) = (std::str::from_utf8(section), std::str::from_utf8(name)) else {
        return false;
    };
    let value = setting.value.as_deref();
    if kind == ConfigKind::Modules {
        return is_harmless_of_modules(section, subsection, name, value.unwrap_or_default());
    }
    match (section, subsection, name) {
        ("branch", Some(_), "remote" | "pushremote") | ("remote", None, "pushdefault") => {
            // Any other name is a folder, or stands in a file of its own.
            is_remote_name(value) && value.is_some_and(|name| name == b"." || remotes.contains(name))
        }
        // A program, or whether to use the usual one.
        ("pager", None, _) => is_bool(value),
        ("core", None, "repositoryformatversion") => matches!(value, Some(b"0" | b"1")),
        (_, None, _) => is_listed(PLAIN, section, name),
        (_, Some(_), _) => is_listed(WITH_SUBSECTION, section, name),
    }
}

fn is_listed(list: &[(&str, &[&str])], section: &str, name: &str) -> bool {
    let names = list.iter().find_map(|(known, names)| (*known == section).then_some(*names));
    names.is_some_and(|names| names.iter().any(|known| *known == "*" || *known == name))
}

fn is_harmless_of_modules(section: &str, subsection: Option<&[u8]>, name: &str, value: &[u8]) -> bool {
    let is_in_place = |path: &[u8]| {
        !path.starts_with(b"-")
            && !path.starts_with(b"/")
            && !path.split(|byte| *byte == b'/').any(|part| part == b"..")
    };
    match (section, subsection, name) {
        ("fetch", None, "recursesubmodules") | ("submodule", None, "fetchjobs") => true,
        ("submodule", Some(module), _) if !is_in_place(module) => false,
        ("submodule", Some(_), "update") => matches!(value, b"checkout" | b"rebase" | b"merge" | b"none"),
        // `ext::command` and the like, and what would be taken for an option.
        ("submodule", Some(_), "url") => {
            !value.starts_with(b"-") && !value.windows(2).any(|two| two == b"::")
        }
        ("submodule", Some(_), "path") => is_in_place(value),
        ("submodule", Some(_), name) => MODULES.contains(&name),
        _ => false,
    }
}

/// The name of a remote, and not an address, which may stand in its place.
fn is_remote_name(value: Option<&[u8]>) -> bool {
    let Some(value) = value else { return false };
    value == b"."
        || (!value.starts_with(b"-")
            && !value.starts_with(b"/")
            && !value.starts_with(b".")
            && !value.contains(&b':'))
}

fn is_bool(value: Option<&[u8]>) -> bool {
    let Some(value) = value else { return true };
    ["true", "false", "yes", "no", "on", "off", "1", "0"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// A key for people. A subsection can hold an address with a password in it: only a plain name is shown.
fn shown(key: &[u8]) -> String {
    let setting = Setting { key: key.to_vec(), value: None };
    let (section, subsection, name) = setting.parts();
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let is_plain = |bytes: &[u8]| {
        bytes.len() <= 40 && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_/. ".contains(byte))
    };
    match subsection {
        _ if section.is_empty() => words(name),
        None => format!("{}.{}", words(section), words(name)),
        Some(part) if is_plain(part) => format!("{}.{}.{}", words(section), words(part), words(name)),
        Some(_) => format!("{}.*.{}", words(section), words(name)),
    }
}

#[cfg(test)]
mod tests;
