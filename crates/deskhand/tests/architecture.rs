//! The shape of the house, as tests: who may depend on whom, what core may not touch, where the heavy crates
//! live, how long a file may get, and that every dependency is accounted for.
//!
//! A rule that gets in the way is changed here, in the open, with its reason; there is no way around it.

// Helpers of a test are tests too; clippy's own exemption stops at `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "architecture/sleeps.rs"]
mod sleeps;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Each crate of ours, and those of ours it may build on. Dependencies for tests are free.
const MAY_USE: &[(&str, &[&str])] = &[
    ("deskhand-core", &[]),
    ("deskhand-guard", &["deskhand-core"]),
    ("deskhand-store", &["deskhand-core"]),
    ("deskhand-channels", &["deskhand-core"]),
    ("deskhand-native", &[]),
    ("deskhand-tools", &["deskhand-core", "deskhand-guard", "deskhand-native"]),
    ("deskhand-browser", &["deskhand-core", "deskhand-guard"]),
    ("deskhand-knowledge", &["deskhand-core", "deskhand-guard"]),
    (
        "deskhand-agent",
        &["deskhand-core", "deskhand-guard", "deskhand-tools", "deskhand-browser", "deskhand-knowledge"],
    ),
    (
        "deskhand-serve",
        &[
            "deskhand-core",
            "deskhand-guard",
            "deskhand-tools",
            "deskhand-browser",
            "deskhand-knowledge",
            "deskhand-agent",
        ],
    ),
    ("deskhand", EVERYTHING),
    ("deskhand-benches", FOR_BENCHES),
    // For tests and benches alone.
    ("deskhand-testkit", &["deskhand-core", "deskhand-guard", "deskhand-store"]),
];

const EVERYTHING: &[&str] = &[
    "deskhand-core",
    "deskhand-guard",
    "deskhand-store",
    "deskhand-channels",
    "deskhand-native",
    "deskhand-tools",
    "deskhand-browser",
    "deskhand-knowledge",
    "deskhand-agent",
    "deskhand-serve",
];

const FOR_BENCHES: &[&str] = &[
    "deskhand",
    "deskhand-agent",
    "deskhand-core",
    "deskhand-guard",
    "deskhand-store",
    "deskhand-testkit",
    "deskhand-tools",
];

/// Edges that break the rule above and are put up with: crate, what it uses, why. It is empty, and stays so.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Crates that cost build time or reach the outside world, and the only ones of ours that may name them.
const BEHIND: &[(&str, &[&str])] = &[
    ("rusqlite", &["deskhand-store"]),
    ("zip", &["deskhand-tools"]),
    ("x11rb", &["deskhand-tools"]),
    ("zbus", &["deskhand-tools"]),
    ("png", &["deskhand-tools"]),
    // The calls of Windows and macOS.
    ("windows-sys", &["deskhand-native"]),
    ("clipboard-win", &["deskhand-native"]),
    ("objc2", &["deskhand-native"]),
    ("objc2-app-kit", &["deskhand-native"]),
    ("objc2-application-services", &["deskhand-native"]),
    ("objc2-core-foundation", &["deskhand-native"]),
    ("objc2-core-graphics", &["deskhand-native"]),
    ("objc2-foundation", &["deskhand-native"]),
    ("sysinfo", &["deskhand-tools"]),
    ("ignore", &["deskhand-guard", "deskhand-tools"]),
    ("grep-regex", &["deskhand-tools"]),
    ("grep-searcher", &["deskhand-tools"]),
    ("jsonschema", &["deskhand-core"]),
    // The second reader of commands.
    ("tree-sitter", &["deskhand-guard"]),
    ("tree-sitter-bash", &["deskhand-guard"]),
    // The agent asks model servers, the MCP client other servers.
    ("reqwest", &["deskhand-agent", "deskhand-serve"]),
    ("sse-stream", &["deskhand-serve"]),
    // The agent asks over TLS, the server answers over it.
    ("rustls", &["deskhand-agent", "deskhand-serve"]),
    // The browser over its debugger.
    ("tokio-tungstenite", &["deskhand-browser"]),
    ("axum", &["deskhand-serve"]),
    ("axum-server", &["deskhand-serve"]),
    ("aide", &["deskhand-serve"]),
    ("rmcp", &["deskhand-serve"]),
    ("secret-service", &["deskhand-agent"]),
    ("clap", &["deskhand"]),
    ("rustyline", &["deskhand"]),
    // The policy opens the roots; the tools work on the handles that it hands out.
    ("cap-std", &["deskhand-guard", "deskhand-tools"]),
    ("cap-fs-ext", &["deskhand-guard", "deskhand-tools"]),
];

/// The only crate with `unsafe`: calls of Windows and macOS are. Its lints are those of the workspace but for this one.
const HAS_UNSAFE: &str = "deskhand-native";

/// What core may not name, since it does no I/O of its own.
const NOT_IN_CORE: &[&str] = &["rusqlite", "cap-std", "cap-fs-ext", "rustix", "tempfile", "ignore", "zip"];
const NOT_IN_CORES_TOKIO: &[&str] = &["fs", "net", "process", "signal", "io-std", "full"];
const NOT_IN_CORES_SOURCE: &[&str] = &["fs", "net", "process", "env"];

/// A file has one subject. Past this many lines it must be named below.
const LINES: usize = 500;
/// Path from the project's folder, and why it may be longer.
const LONG_FILES: &[(&str, &str)] = &[];

/// A member of the workspace, as `cargo metadata` tells of it.
struct Member {
    name: String,
    manifest: PathBuf,
    dependencies: Vec<Dependency>,
}

struct Dependency {
    name: String,
    features: Vec<String>,
    for_tests: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn members() -> Vec<Member> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo can be started");
    assert!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let members: Vec<_> = metadata["packages"].as_array().unwrap().iter().map(member).collect();
    assert!(members.len() >= 6, "cargo metadata knows only {} of our crates", members.len());
    members
}

fn member(package: &Value) -> Member {
    Member {
        name: text(&package["name"]),
        manifest: text(&package["manifest_path"]).into(),
        dependencies: package["dependencies"].as_array().unwrap().iter().map(dependency).collect(),
    }
}

fn dependency(value: &Value) -> Dependency {
    Dependency {
        name: text(&value["name"]),
        features: value["features"].as_array().unwrap().iter().map(text).collect(),
        for_tests: value["kind"] == "dev",
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

impl Member {
    fn is_a_bench(&self) -> bool {
        self.name == "deskhand-benches"
    }

    /// What ends up in the program: dependencies of the code and of build scripts.
    fn shipped(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|d| !d.for_tests)
    }
}

fn is_ours(name: &str) -> bool {
    name == "deskhand" || name.starts_with("deskhand-")
}

/// What is wrong with `from` depending on `to`, if anything is.
fn wrong_edge(from: &str, to: &str) -> Option<String> {
    if EXCEPTIONS.iter().any(|(a, b, _)| (*a, *b) == (from, to)) {
        return None;
    }
    let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == from) else {
        return Some(format!("{from} is new: give it a line in MAY_USE and in docs/architecture.md"));
    };
    (!allowed.contains(&to)).then(|| format!("{from} may not depend on {to}"))
}

fn report(rule: &str, wrong: &[String]) {
    assert!(wrong.is_empty(), "{rule}:\n  {}", wrong.join("\n  "));
}

#[test]
fn dependencies_between_our_crates_point_one_way() {
    let mut wrong = Vec::new();
    for member in members() {
        let ours = member.shipped().filter(|d| is_ours(&d.name));
        wrong.extend(ours.filter_map(|d| wrong_edge(&member.name, &d.name)));
        if !MAY_USE.iter().any(|(name, _)| *name == member.name) {
            wrong.push(format!(
                "{} is new: give it a line in MAY_USE and in docs/architecture.md",
                member.name
            ));
        }
    }
    report("core ← guard ← {tools, browser, knowledge} ← agent ← serve ← deskhand", &wrong);
}

#[test]
fn an_edge_that_points_the_wrong_way_is_found() {
    let bad = [
        ("deskhand-core", "deskhand-guard"),
        ("deskhand-guard", "deskhand-store"),
        ("deskhand-guard", "deskhand-tools"),
        ("deskhand-store", "deskhand-guard"),
        ("deskhand-tools", "deskhand-store"),
        ("deskhand-channels", "deskhand-guard"),
        ("deskhand-agent", "deskhand-serve"),
        ("deskhand-serve", "deskhand"),
        ("deskhand", "deskhand-benches"),
        ("deskhand-brand-new", "deskhand-core"),
    ];
    for (from, to) in bad {
        assert!(wrong_edge(from, to).is_some(), "{from} → {to} was let through");
    }
    assert_eq!(wrong_edge("deskhand-tools", "deskhand-guard"), None);
    assert_eq!(wrong_edge("deskhand", "deskhand-store"), None);
}

#[test]
fn core_does_no_io_of_its_own() {
    let members = members();
    let core = members.iter().find(|m| m.name == "deskhand-core").unwrap();
    let mut wrong = Vec::new();
    for dependency in core.shipped() {
        if NOT_IN_CORE.contains(&dependency.name.as_str()) {
            wrong.push(format!("it depends on {}", dependency.name));
        }
        if dependency.name == "tokio" || dependency.name == "tokio-util" {
            let bad = dependency.features.iter().filter(|f| NOT_IN_CORES_TOKIO.contains(&f.as_str()));
            wrong.extend(bad.map(|f| format!("it switches on {}'s feature {f}", dependency.name)));
        }
    }
    for file in rust_files(&core.manifest.with_file_name("src")).iter().filter(|file| !is_a_test(file)) {
        let used = std_modules(&code_outside_tests(&fs::read_to_string(file).unwrap()));
        let bad = NOT_IN_CORES_SOURCE.iter().filter(|module| used.contains(**module));
        wrong.extend(bad.map(|module| format!("{} uses std::{module}", shown(file))));
    }
    report("core does no I/O of its own", &wrong);
}

#[test]
fn heavy_crates_stay_behind_one_of_ours() {
    let mut wrong = Vec::new();
    for member in members().iter().filter(|m| !m.is_a_bench()) {
        for dependency in member.shipped() {
            let home = BEHIND.iter().find(|(name, _)| *name == dependency.name);
            if let Some((name, homes)) = home.filter(|(_, homes)| !homes.contains(&member.name.as_str())) {
                wrong.push(format!("{} names {name}, which belongs to {}", member.name, homes.join(" and ")));
            }
        }
    }
    report("a heavy crate is named where it lives, and nowhere else", &wrong);
}

#[test]
fn every_crate_takes_lints_and_versions_from_the_workspace() {
    let mut wrong = Vec::new();
    for member in members() {
        let manifest = manifest(&member.manifest);
        let inherits =
            |table: &toml::Value| table.get("workspace").and_then(toml::Value::as_bool) == Some(true);
        if member.name == HAS_UNSAFE {
            wrong.extend(other_lints(&manifest));
        } else if !manifest.get("lints").is_some_and(inherits) {
            wrong.push(format!("{}: no `[lints] workspace = true`", member.name));
        }
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let Some(table) = manifest.get(kind).and_then(toml::Value::as_table) else { continue };
            let own = table.iter().filter(|(_, value)| !inherits(value));
            wrong.extend(own.map(|(name, _)| format!("{}: {name} is not `workspace = true`", member.name)));
        }
    }
    report("lints and versions are said once, in the workspace's Cargo.toml", &wrong);
}

/// Where the lints of the crate with `unsafe` differ from the workspace's in more than that. `deny` is what a module of
/// its own has to lift in the open.
fn other_lints(manifest: &toml::Value) -> Option<String> {
    let mut wanted = self::manifest(&root().join("Cargo.toml"))["workspace"]["lints"].clone();
    assert_eq!(wanted["rust"]["unsafe_code"].as_str(), Some("forbid"));
    wanted["rust"]["unsafe_code"] = "deny".into();
    (manifest.get("lints") != Some(&wanted))
        .then(|| format!("{HAS_UNSAFE}: its lints are not the workspace's"))
}

#[test]
fn nothing_is_left_to_do_in_shipped_code() {
    let mut wrong = Vec::new();
    for file in shipped_files().iter().filter(|file| !is_a_test(file)) {
        let code = code_outside_tests(&fs::read_to_string(file).unwrap());
        let found = ["todo!", "unimplemented!"].into_iter().filter(|unfinished| code.contains(unfinished));
        wrong.extend(found.map(|unfinished| format!("{}: {unfinished}", shown(file))));
    }
    report("shipped code is finished", &wrong);
}

#[test]
fn a_file_has_one_subject() {
    let mut wrong = Vec::new();
    let mut long = BTreeSet::new();
    for file in shipped_files() {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        if lines > LINES {
            let name = shown(&file);
            if !LONG_FILES.iter().any(|(path, _)| *path == name) {
                wrong.push(format!(
                    "{name} has {lines} lines: split it, or name it in LONG_FILES with the reason"
                ));
            }
            long.insert(name);
        }
    }
    let stale = LONG_FILES.iter().filter(|(path, _)| !long.contains(*path));
    wrong.extend(
        stale.map(|(path, _)| format!("{path} is not that long (any more): take it out of LONG_FILES")),
    );
    report(&format!("no file is longer than {LINES} lines without a reason"), &wrong);
}

#[test]
fn every_dependency_is_used_and_accounted_for() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let declared: BTreeSet<String> = workspace["workspace"]["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .filter(|name| !is_ours(name))
        .cloned()
        .collect();
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for member in members() {
        for dependency in member.dependencies {
            users.entry(dependency.name).or_default().push(member.name.clone());
        }
    }
    let page = fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let documented: BTreeSet<String> = page.lines().filter_map(row_subject).map(str::to_owned).collect();

    let mut wrong = Vec::new();
    wrong.extend(
        declared.difference(&documented).map(|name| format!("{name} has no row in docs/dependencies.md")),
    );
    wrong.extend(
        documented
            .difference(&declared)
            .map(|name| format!("docs/dependencies.md tells of {name}, which is gone")),
    );
    let unused = declared.iter().filter(|name| !users.contains_key(*name));
    wrong.extend(unused.map(|name| format!("{name} is in Cargo.toml and no crate uses it")));
    report("dependencies are chosen, not collected", &wrong);
}

/// The crate that a row of a Markdown table is about: its first cell, if that is one word in backquotes.
fn row_subject(line: &str) -> Option<&str> {
    let cell = line.strip_prefix('|')?.split('|').next()?.trim();
    cell.strip_prefix('`')?.strip_suffix('`')
}

fn manifest(path: &Path) -> toml::Value {
    toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn shown(file: &Path) -> String {
    file.strip_prefix(root()).unwrap_or(file).display().to_string()
}

/// The Rust files in `crates/*/src`.
fn shipped_files() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let files: Vec<_> = crates.flat_map(|src| rust_files(&src)).collect();
    assert!(!files.is_empty(), "found no source");
    files
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Whether the file is a test module of its own (`mod tests;`, `mod decide_tests;`).
fn is_a_test(file: &Path) -> bool {
    file.file_stem().is_some_and(|name| name.to_string_lossy().ends_with("tests"))
}

/// The source without line comments and without its test module, which stands last in a file of ours.
fn code_outside_tests(source: &str) -> String {
    let shipped = source.split("\nmod tests {").next().unwrap_or_default();
    shipped.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The modules of `std` that a source names, by path (`std::fs::read`) or in a group (`use std::{fs, io}`).
fn std_modules(code: &str) -> BTreeSet<String> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let mut modules = BTreeSet::new();
    for (at, _) in code.match_indices("std::") {
        let rest = &code[at + "std::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            modules.extend(top_level_names(group));
        } else {
            modules.insert(first_word(rest));
        }
    }
    modules
}

/// The first word of each item of a group, up to the brace that closes it.
fn top_level_names(group: &str) -> Vec<String> {
    let mut names = vec![first_word(group)];
    let mut depth = 0;
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(first_word(&group[at + 1..])),
            _ => {}
        }
    }
    names
}

fn first_word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn modules_of_std_are_seen_however_they_are_named() {
    let seen = std_modules("use std::{any::{Any, TypeId},\n fs, io};\nlet x = std::net::ip();");
    let expected = ["any", "fs", "io", "net"].map(str::to_owned);
    assert_eq!(seen, BTreeSet::from(expected));
    assert_eq!(code_outside_tests("a // std::fs\n#[cfg(test)]\nmod tests { std::fs }"), "a \n#[cfg(test)]");
}
