//! The labelled commands: every one must come out as its label says, or as one of the others that its row accepts.
//!
//! `CORPUS=FILE cargo test -p deskhand-guard --test corpus -- --nocapture` shows what is wrong with another file.

// Helpers of a test are tests too; clippy's own exemption stops at `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::{collections::BTreeMap, fs, path::Path};

use deskhand_core::Permission;
use deskhand_guard::shell::{Setting, Shell};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    id: String,
    command: String,
    label: String,
    category: String,
    #[serde(default)]
    also_ok: Vec<String>,
}

fn rows() -> Vec<Row> {
    let mut files: Vec<_> = if let Some(file) = std::env::var_os("CORPUS") {
        vec![file.into()]
    } else {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    texts.iter().flat_map(|text| text.lines()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn answer(permission: Permission) -> &'static str {
    match permission {
        Permission::Public => "allow",
        Permission::Moderate | Permission::Sensitive => "ask",
        Permission::Forbidden => "deny",
    }
}

#[test]
fn every_labelled_command_comes_out_right() {
    let shell = Shell::default();
    let workspace = Path::new("/home/alice/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/alice")), workspaces: &[workspace] };
    let rows = rows();
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in &rows {
        let found = shell.analyze(&row.command, &setting);
        let said = answer(found.permission);
        if said != row.label && !row.also_ok.iter().any(|ok| ok == said) {
            let line =
                format!("{:<10} {:?}\n             {} | {}", row.id, row.command, found.rule, found.why);
            wrong.entry(format!("{} → {said} ({})", row.label, row.category)).or_default().push(line);
        }
    }
    let count: usize = wrong.values().map(Vec::len).sum();
    for (kind, lines) in &wrong {
        println!("\n== {kind}: {}", lines.len());
        for line in lines {
            println!("  {line}");
        }
    }
    println!("\n{count} of {} wrong", rows.len());
    assert_eq!(count, 0, "{count} of {} labelled commands come out wrong", rows.len());
}
