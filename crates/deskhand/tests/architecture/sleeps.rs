//! Tests wait for what happens. A fixed sleep is at most 200 ms long, and one whose length cannot be read here is taken
//! for a long one.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{is_a_test, report, root, shown};

const LONGEST_MS: f64 = 200.0;

/// A command that sleeps this long or longer stands for one that never ends, and nobody waits for it.
const FOREVER_MS: f64 = 20_000.0;

/// Files with a longer sleep, or one of a length that is computed, and why.
const LONG_SLEEPS: &[(&str, &str)] = &[
    ("crates/agent/tests/providers/mock.rs", "sends a stream in pieces that a test times, 1 to 50 ms apart"),
    ("crates/deskhand/tests/architecture/sleeps.rs", "has examples of them"),
    (
        "crates/deskhand/tests/whole/kept_kills.rs",
        "kills at random moments of a call that takes less than a second",
    ),
    ("crates/deskhand/tests/whole/processes.rs", "kills at random moments within 200 ms"),
    ("crates/deskhand/tests/whole/talk/after_a_crash.rs", "kills at random moments within 100 ms"),
    ("crates/serve/tests/mcp_client/fixture.rs", "hangs until it is cancelled"),
    (
        "crates/serve/tests/mcp_server/tester.rs",
        "plays a person who reads: no answer within half a second counts",
    ),
    ("tests/mcp/python_sdk.py", "plays a person who reads, and cancels after more than half a second"),
    ("web/e2e/measure.spec.ts", "measures frames over time"),
    ("web/e2e/screenshots.spec.ts", "takes the pictures of the docs, when nothing moves"),
];

#[test]
fn no_test_sleeps_for_long() {
    let mut wrong = Vec::new();
    let mut long = BTreeSet::new();
    for file in test_files() {
        let source = fs::read_to_string(&file).unwrap();
        let name = shown(&file);
        let found: Vec<String> = sleeps(Path::new(&name), &source)
            .into_iter()
            .filter(|sleep| !sleep.is_short())
            .map(|s| s.text)
            .collect();
        if !found.is_empty() {
            if !LONG_SLEEPS.iter().any(|(path, _)| *path == name) {
                wrong.push(format!("{name}: {}", found.join("; ")));
            }
            long.insert(name);
        }
    }
    let stale = LONG_SLEEPS.iter().filter(|(path, _)| !long.contains(*path));
    wrong.extend(
        stale.map(|(path, _)| format!("{path} has no long sleep (any more): take it out of LONG_SLEEPS")),
    );
    report("tests wait for what happens, and sleep for at most 200 ms at a time", &wrong);
}

#[test]
fn long_sleeps_are_seen_however_they_are_written() {
    let long = |name: &str, source: &str| {
        let found = sleeps(Path::new(name), source).into_iter().filter(|sleep| !sleep.is_short());
        found.map(|sleep| sleep.text).collect::<Vec<_>>()
    };
    for (name, source, wanted) in [
        ("crates/a/tests/a.rs", "thread::sleep(Duration::from_millis(2_100));", 1),
        ("crates/a/tests/a.rs", "sleep(\n std::time::Duration::from_secs(1)).await", 1),
        ("crates/a/tests/a.rs", "sleep(Duration::from_mins(1))", 1),
        ("crates/a/tests/a.rs", "const LONG: Duration = Duration::from_millis(600);\nsleep(LONG)", 1),
        ("crates/a/tests/a.rs", "let long = Duration::from_secs(1); sleep(long)", 1),
        ("crates/a/tests/a.rs", "sleep(moment.then)", 1),
        ("crates/a/tests/a.rs", "sleep(Duration::from_millis(30 + dice()))", 1),
        ("crates/a/tests/a.rs", r#"json!({"command": "echo; sleep 2; sleep 0.3"})"#, 2),
        ("crates/a/tests/a.rs", r#"json!({"command": "sleep 600; sleep 0.02; sleep {mark}"})"#, 0),
        (
            "crates/a/tests/a.rs",
            "const EVERY: Duration = Duration::from_millis(50);\nsleep(EVERY); fn sleep() {}; Running::sleep()",
            0,
        ),
        (
            "crates/a/src/a.rs",
            "fn a() { sleep(LONG) }\n#[cfg(test)]\nmod tests { fn b() { sleep(Duration::from_secs(1)) } }",
            1,
        ),
        ("crates/a/src/a.rs", "fn a() { sleep(LONG) }", 0),
        ("web/e2e/a.spec.ts", "await page.waitForTimeout(1_000)", 1),
        ("web/e2e/a.spec.ts", "new Promise((resolve) => setTimeout(resolve, 300))", 1),
        (
            "web/e2e/a.spec.ts",
            "page.waitForTimeout(16); setTimeout(resolve, 50); setTimeout(() => reject(late), LIMIT)",
            0,
        ),
        ("tests/mcp/a.py", "time.sleep(1); asyncio.sleep(pause)", 2),
        ("tests/mcp/a.py", "await asyncio.sleep(0.05)", 0),
    ] {
        assert_eq!(long(name, source).len(), wanted, "{name}: {source}: {:?}", long(name, source));
    }
}

struct Sleep {
    text: String,
    /// `None` where it cannot be read here.
    ms: Option<f64>,
}

impl Sleep {
    fn is_short(&self) -> bool {
        self.ms.is_some_and(|ms| ms <= LONGEST_MS)
    }
}

/// All sleeps in the tests of a file, and in the commands that they run.
fn sleeps(file: &Path, source: &str) -> Vec<Sleep> {
    let is_rust = file.extension().is_some_and(|extension| extension == "rs");
    let in_src = file.components().any(|part| part.as_os_str() == "src");
    let (tests, calls): (&str, &[&str]) = match (is_rust, file.extension().and_then(|e| e.to_str())) {
        // The test module stands last in a file of ours.
        (true, _) if in_src && !is_test_file(file) => {
            (source.split_once("\nmod tests {").map_or("", |(_, tests)| tests), &["sleep("])
        }
        (true, _) | (_, Some("py")) => (source, &["sleep("]),
        _ => (source, &["waitForTimeout(", "setTimeout(resolve,"]),
    };
    let mut found = Vec::new();
    for call in calls {
        for (at, _) in tests.match_indices(call) {
            let before = &tests[..at];
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') || before.ends_with("fn ") {
                continue;
            }
            let argument = argument(&tests[at + call.len()..]);
            // Something else of that name.
            if argument.is_empty() {
                continue;
            }
            let ms = match file.extension().and_then(|e| e.to_str()) {
                Some("rs") => duration(argument, source),
                Some("py") => number(argument).map(|seconds| seconds * 1000.0),
                _ => number(argument),
            };
            found.push(Sleep { text: format!("{call}{argument})"), ms });
        }
    }
    // What shipped code says in its unit tests is text, and runs nowhere.
    if !in_src {
        found.extend(commands(tests));
    }
    found
}

/// `sleep 2` in a command.
fn commands(source: &str) -> impl Iterator<Item = Sleep> {
    let after = source.match_indices("sleep ").map(|(at, call)| &source[at + call.len()..]);
    after.filter_map(|rest| {
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())];
        let ms = number(digits)? * 1000.0;
        (ms < FOREVER_MS).then(|| Sleep { text: format!("sleep {digits}"), ms: Some(ms) })
    })
}

/// Up to the parenthesis that closes the call.
fn argument(rest: &str) -> &str {
    let mut depth = 0;
    for (at, character) in rest.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return rest[..at].trim(),
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest
}

/// A `Duration::from_…(literal)`, or the name of one in the same file.
fn duration(argument: &str, source: &str) -> Option<f64> {
    let named = [format!("const {argument}: Duration = "), format!("let {argument} = ")];
    let definition = named.iter().find_map(|start| source.split_once(start.as_str()));
    let text = definition.map_or(argument, |(_, rest)| rest.split(';').next().unwrap_or_default());
    let (unit, amount) = text.split_once("Duration::from_")?.1.split_once('(')?;
    let factor = match unit {
        "micros" => 0.001,
        "millis" => 1.0,
        "secs" => 1_000.0,
        _ => return None,
    };
    number(amount.strip_suffix(')')?).map(|amount| amount * factor)
}

fn number(text: &str) -> Option<f64> {
    text.trim().replace('_', "").parse().ok()
}

fn is_test_file(file: &Path) -> bool {
    is_a_test(file) || file.components().any(|part| part.as_os_str() == "tests")
}

/// Rust everywhere, and the scripts of tests: of the page, of MCP clients, and of servers that tests talk to.
fn test_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["crates", "tests", "web/e2e", "web/src"] {
        collect(&root().join(folder), &mut found);
    }
    // The commands in there are read and never run.
    found.retain(|file| !file.starts_with(root().join("crates/guard/tests")));
    assert!(found.len() > 100, "found no tests");
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_page = path.starts_with(root().join("web/src"));
        if path.is_dir() && name != "node_modules" && name != "target" {
            collect(&path, found);
        } else if path
            .extension()
            .is_some_and(|e| ["rs", "py", "js", "mjs", "ts", "tsx"].iter().any(|one| e == *one))
            && (!is_page || name.contains(".test."))
        {
            found.push(path);
        }
    }
}
