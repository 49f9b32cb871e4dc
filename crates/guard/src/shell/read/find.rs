//! `find`: where it looks, and what it does with what it finds.

use deskhand_core::Permission;

use super::Reading;
use crate::shell::{
    judge::{Class, Reach, Writing},
    text::{HOLE, STAR, is_known},
};

/// Tests that let everything, or nearly everything, through.
const WIDE: &[&str] = &[
    "-type",
    "-maxdepth",
    "-mindepth",
    "-xdev",
    "-mount",
    "-depth",
    "-d",
    "-print",
    "-print0",
    "-writable",
    "-readable",
    "-user",
    "-perm",
    "-follow",
    "-L",
    "-H",
    "-P",
    "-noleaf",
    "-ignore_readdir_race",
    "-regextype",
    "-true",
    "-o",
    "-a",
    "(",
    ")",
    "-executable",
];

/// Programs that are everyday on what find finds, and only read it.
const READERS: &[&str] = &[
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "zgrep",
    "cat",
    "zcat",
    "head",
    "tail",
    "wc",
    "ls",
    "stat",
    "file",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "b2sum",
    "cksum",
    "echo",
    "printf",
    "du",
    "basename",
    "dirname",
    "readlink",
    "realpath",
    "jq",
    "awk",
    "sed",
    "xxd",
    "od",
    "strings",
    "diff",
    "cmp",
    "sort",
    "nl",
    "identify",
    "test",
    "[",
    "cut",
    "tr",
    "hexdump",
    "getfacl",
    "lsattr",
    "namei",
    "objdump",
    "readelf",
    "nm",
    "xmllint",
    "ffprobe",
    "pdfinfo",
    "git",
];

/// Tests that take a value.
const VALUED: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-newer",
    "-anewer",
    "-cnewer",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-perm",
    "-maxdepth",
    "-mindepth",
    "-links",
    "-inum",
    "-samefile",
    "-fstype",
    "-regextype",
    "-printf",
    "-used",
    "-context",
];

/// For how many starting points a command is read.
const MOST_STARTS: usize = 8;

impl Reading<'_> {
    pub fn find_files(&mut self, words: &[String]) -> String {
        self.step("find looks for files.".to_owned());
        let mut starts: Vec<String> = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            match word.as_str() {
                "-H" | "-L" | "-P" => {}
                "-D" | "-f" => at += 1,
                word if word.starts_with("-O") => {}
                word if word.starts_with(['-', '(', '!']) || word == ")" => break,
                word if word.starts_with(HOLE) && !starts.is_empty() => {
                    self.unresolved("What find does with what it finds cannot be told.");
                }
                word => starts.push(word.to_owned()),
            }
            at += 1;
        }
        if starts.is_empty() {
            starts.push(".".to_owned());
        }
        let tests = &words[at.min(words.len())..];
        let mut deletes = false;
        for start in &starts {
            self.reads(start, Reach::Tree);
        }
        let everything =
            is_wide(tests) || starts.iter().any(|start| self.lets_through_too_much(start, tests));
        let name = tests
            .windows(2)
            .find(|pair| matches!(pair[0].as_str(), "-name" | "-iname"))
            .map(|pair| pair[1].replace('*', &STAR.to_string()));
        let found: Vec<String> =
            starts.iter().map(|start| found_below(start, everything, name.as_deref())).collect();
        let mut at = 0;
        while let Some(word) = tests.get(at) {
            at += 1;
            match word.as_str() {
                "-delete" => deletes = true,
                word if VALUED.contains(&word) => at += 1,
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    let end = tests[at..]
                        .iter()
                        .position(|word| word == ";" || word == "+")
                        .map_or(tests.len(), |end| at + end);
                    if word.starts_with("-ok") {
                        self.find(
                            Permission::Moderate,
                            "program:find -ok",
                            "find asks before it runs a command.",
                        );
                    }
                    self.run_on_found(&tests[at..end], &found, everything);
                    at = end + 1;
                }
                "-fprint" | "-fprint0" | "-fls" => {
                    if let Some(path) = tests.get(at).cloned() {
                        self.writes(&path, Writing::Whole);
                    }
                    at += 1;
                }
                "-fprintf" => {
                    if let Some(path) = tests.get(at).cloned() {
                        self.writes(&path, Writing::Whole);
                    }
                    at += 2;
                }
                "-files0-from" => {
                    if let Some(path) = tests.get(at).cloned() {
                        self.reads(&path, Reach::One);
                    }
                    at += 1;
                }
                word if !is_known(word) && word.starts_with(HOLE) => {
                    self.unresolved("What find does with what it finds cannot be told.");
                }
                _ => {}
            }
        }
        if deletes {
            self.find(Permission::Sensitive, "program:find -delete", "find deletes what it finds.");
            for path in &found {
                self.removes(path, if everything { Reach::Tree } else { Reach::One });
            }
        }
        found.join("\n") + "\n"
    }

    /// Whether, of a place that is needed as a whole, too much is found.
    fn lets_through_too_much(&self, start: &str, tests: &[String]) -> bool {
        match self.class_of(start) {
            Class::Root | Class::Home => is_loose(tests),
            Class::System => !by_age(tests),
            _ => false,
        }
    }

    pub fn run_on_found(&mut self, command: &[String], found: &[String], everything: bool) {
        self.reads_only_some(found.len(), MOST_STARTS);
        for path in found.iter().take(MOST_STARTS) {
            let words: Vec<String> = command.iter().map(|word| word.replace("{}", path)).collect();
            let reads = words.first().is_some_and(|name| READERS.contains(&super::commands::base_name(name)));
            if !reads {
                let name = words.first().map_or("something", String::as_str);
                self.find(
                    Permission::Moderate,
                    "program:find -exec",
                    format!("find runs {name} on what it finds."),
                );
            }
            let removes = words.first().is_some_and(|name| {
                matches!(super::commands::base_name(name), "rm" | "unlink" | "shred" | "srm")
            });
            if removes && everything && words.iter().any(|word| word == path) {
                // File by file it is the whole tree.
                self.removes(path, Reach::Tree);
            }
            self.argv(&words, false, None);
        }
    }
}

/// The paths that are found below a start, as one: all of it, or some of it.
fn found_below(start: &str, everything: bool, name: Option<&str>) -> String {
    let start = start.trim_end_matches('/');
    match name {
        _ if everything => format!("{start}/{STAR}"),
        // Its name says whether it is a secret.
        Some(name) => format!("{start}/{HOLE}/{name}"),
        None => format!("{start}/{HOLE}"),
    }
}

/// Whether files are told apart by when they were used, or how large they are.
fn by_age(tests: &[String]) -> bool {
    const TESTS: &[&str] =
        &["-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-size", "-empty", "-samefile", "-inum"];
    tests.iter().any(|word| TESTS.contains(&word.as_str()))
}

/// Tests that leave out little, or let many kinds of files through: `! -name keep`, `-name a -o -name b`, `-newer x`.
fn is_loose(tests: &[String]) -> bool {
    let has = |names: &[&str]| tests.iter().any(|word| names.contains(&word.as_str()));
    let by_name = has(&["-name", "-iname", "-path", "-regex", "-ipath", "-iregex"]);
    has(&["-o", "-or"]) || !by_age(tests) && (!by_name || has(&["!", "-not"]))
}

fn is_wide(tests: &[String]) -> bool {
    let mut at = 0;
    while let Some(word) = tests.get(at) {
        at += 1;
        match word.as_str() {
            "-type" | "-maxdepth" | "-mindepth" | "-user" | "-perm" | "-regextype" | "-group" | "-xtype"
            | "-printf" => at += 1,
            "-name" | "-iname" | "-path" | "-regex" | "-wholename" => {
                let pattern = tests.get(at).map_or("", String::as_str);
                at += 1;
                if !matches!(pattern, "*" | ".*" | "*.*" | "*/*" | "?*" | "/*" | "**") {
                    return false;
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                while tests.get(at).is_some_and(|word| word != ";" && word != "+") {
                    at += 1;
                }
                at += 1;
            }
            "-delete" => {}
            "-size" | "-mtime" | "-atime" | "-ctime" | "-mmin" | "-amin" | "-cmin" => {
                // `-mtime +0`, `-size +0`: nearly all.
                let value = tests.get(at).map_or("", String::as_str);
                at += 1;
                if !matches!(value.trim_start_matches(['+', '-']), "0" | "1" | "0c" | "1c" | "0k")
                    || value.starts_with('-')
                {
                    return false;
                }
            }
            word if WIDE.contains(&word) => {}
            _ => return false,
        }
    }
    true
}
