//! The knowledge files: they can be read, each program stands once, and every example comes out as its rule says.

// Helpers of a test are tests too; clippy's own exemption stops at `#[test]` functions.
#![allow(clippy::unwrap_used)]

use std::{collections::BTreeMap, fs, path::Path};

use deskhand_core::Permission;
use deskhand_guard::shell::{
    Setting, Shell,
    knowledge::{Entry, Examples, FILES, Knowledge, read},
};

fn entries() -> Vec<(&'static str, Entry)> {
    let read = |(file, text): &(&'static str, &'static str)| {
        let entries = read(text).unwrap_or_else(|error| panic!("{file}.toml cannot be read:\n{error}"));
        entries.into_iter().map(|entry| (*file, entry)).collect::<Vec<_>>()
    };
    FILES.iter().flat_map(read).collect()
}

fn permission(shell: &Shell, command: &str) -> Permission {
    let workspace = Path::new("/home/alice/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/alice")), workspaces: &[workspace] };
    shell.analyze(command, &setting).permission
}

fn levels(examples: &Examples) -> [(Permission, &[String]); 4] {
    [
        (Permission::Public, &examples.public),
        (Permission::Moderate, &examples.moderate),
        (Permission::Sensitive, &examples.sensitive),
        (Permission::Forbidden, &examples.forbidden),
    ]
}

/// The examples of an entry and of its cases.
fn examples(entry: &Entry) -> impl Iterator<Item = (Permission, &str)> {
    let all = std::iter::once(&entry.examples).chain(entry.case.iter().map(|case| &case.examples));
    all.flat_map(levels)
        .flat_map(|(level, commands)| commands.iter().map(move |command| (level, command.as_str())))
}

#[test]
fn every_file_of_the_folder_is_known_to_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("knowledge");
    let mut there: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .collect();
    there.sort();
    let mut listed: Vec<&str> = FILES.iter().map(|(file, _)| *file).collect();
    listed.sort_unstable();
    assert_eq!(there, listed);
}

#[test]
fn every_file_is_read_and_short_enough_to_be_looked_over() {
    for (file, text) in FILES {
        let entries = read(text).unwrap_or_else(|error| panic!("{file}.toml cannot be read:\n{error}"));
        assert!(!entries.is_empty(), "{file}.toml has no program");
        assert!(text.starts_with("about = "), "{file}.toml does not say what its programs have in common");
        let lines = text.lines().count();
        assert!(lines <= 700 || entries.len() == 1, "{file}.toml has {lines} lines; split it by subject");
    }
}

#[test]
fn each_program_stands_once() {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (file, entry) in entries() {
        for name in entry.names {
            places.entry(name).or_default().push(file);
        }
    }
    let twice: Vec<_> = places.into_iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(twice.is_empty(), "named more than once: {twice:#?}");
}

#[test]
fn each_program_is_found_by_its_name() {
    let known = Knowledge::built_in();
    for (file, entry) in entries() {
        for name in &entry.names {
            let word = name.strip_suffix('*').map_or(name.clone(), |start| format!("{start}zz9"));
            let found = known.find(&word).unwrap_or_else(|| panic!("{file}.toml: {word} is not found"));
            assert_eq!(
                (&found.names, &found.does),
                (&entry.names, &entry.does),
                "{file}.toml: {word} is another entry"
            );
        }
    }
}

#[test]
fn each_entry_has_an_example() {
    let bare: Vec<_> = entries()
        .into_iter()
        .filter(|(_, entry)| examples(entry).next().is_none())
        .map(|(file, entry)| format!("{file}.toml: {}", entry.names.join(" ")))
        .collect();
    assert!(bare.is_empty(), "without an example: {bare:#?}");
}

#[test]
fn examples_show_their_own_program() {
    let shows = |entry: &Entry, command: &str| {
        let mut words = command.split(|c: char| c.is_whitespace() || c == '|');
        words.any(|word| {
            entry
                .names
                .iter()
                .any(|name| name.strip_suffix('*').map_or(name == word, |start| word.starts_with(start)))
        })
    };
    let mut strange = Vec::new();
    for (file, entry) in entries() {
        let others = examples(&entry).filter(|(_, command)| !shows(&entry, command));
        strange.extend(
            others.map(|(_, command)| format!("{file}.toml: {command:?} under {}", entry.names.join(" "))),
        );
    }
    assert!(strange.is_empty(), "examples of another program: {strange:#?}");
}

#[test]
fn every_example_comes_out_as_it_says() {
    let shell = Shell::default();
    let mut wrong = Vec::new();
    for (file, entry) in entries() {
        for (level, command) in examples(&entry) {
            let found = permission(&shell, command);
            if found != level {
                wrong.push(format!("{file}.toml: {command:?} is {found:?}, and should be {level:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples come out wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_users_entry_wins_over_the_one_that_comes_with_the_program() {
    let commands = ["ls", "mkfs.ext4 /dev/sdb1", "frobnicate --all"];
    let built_in = Shell::default();
    let before = commands.map(|command| permission(&built_in, command));
    assert_eq!(before, [Permission::Public, Permission::Forbidden, Permission::Moderate]);
    let own = r#"
        about = "What this team says."

        [[program]]
        names = 'ls'
        does = "is watched here"
        is = "system"

        [[ program ]]
        names = "mkfs.*"
        does = "makes test images here"
        is = "write"
        operands = "text*"

        [[program]]
        does = "lists frobs"
        is = "read"
        names = "frobnicate"
    "#;
    let shell = Shell::with_entries(own).unwrap();
    let after = commands.map(|command| permission(&shell, command));
    assert_eq!(after, [Permission::Sensitive, Permission::Moderate, Permission::Public]);
    assert_eq!(
        permission(&shell, "cat a.txt"),
        Permission::Public,
        "what the user says nothing of stays as it is"
    );
}

#[test]
fn a_users_broken_file_is_named_by_line_and_key() {
    let head = "[[program]]\nnames = \"x\"\ndoes = \"does x\"\n";
    let table = [
        ("is = \"reads\"\n", "line 4", "reads"),
        ("colour = \"red\"\n", "line 4", "colour"),
        ("operands = \"text papers*\"\n", "line 4", "papers"),
        ("operands = \"read* write*\"\n", "line 4", "only one role"),
        ("flags = [{ names = \"-x\", take = \"text\" }]\n", "line 4", "take"),
        ("[program.examples]\nnever = [\"x\"]\n", "line 5", "never"),
        ("is = \n", "line 4", "is ="),
    ];
    for (line, place, key) in table {
        let error = Shell::with_entries(&format!("{head}{line}")).unwrap_err();
        assert!(
            error.contains(place) && error.contains(key),
            "{line:?} gives an error without {place}, {key}:\n{error}"
        );
    }
    let error = Shell::with_entries("[[program]]\nis = \"read\"\n").unwrap_err();
    assert!(error.contains("line 1") && error.contains("names"), "{error}");
}
