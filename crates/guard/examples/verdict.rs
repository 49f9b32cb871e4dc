//! Says what the analysis makes of commands: one command a line on the input, one line of JSON each on the output.
//!
//! `cargo run -q -p deskhand-guard --example verdict [ENTRIES.toml] < commands.txt`; the entries are a user's own, in the
//! form of `knowledge/README.md`. Nothing is run.

// This is a program for the command line: printing is what it is for.
#![allow(clippy::print_stdout)]

use std::{error::Error, fs, io, path::Path};

use deskhand_guard::shell::{Setting, Shell};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let shell = match std::env::args_os().nth(1) {
        Some(file) => Shell::with_entries(&fs::read_to_string(file)?)?,
        None => Shell::default(),
    };
    let workspace = Path::new("/home/alice/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/alice")), workspaces: &[workspace] };
    for line in io::stdin().lines() {
        let line = line?;
        let command = line.trim();
        if command.is_empty() || command.starts_with('#') {
            continue;
        }
        let found = shell.analyze(command, &setting);
        let verdict = json!({
            "permission": found.permission,
            "rule": found.rule,
            "command": command,
            "why": found.why,
        });
        println!("{verdict}");
    }
    Ok(())
}
