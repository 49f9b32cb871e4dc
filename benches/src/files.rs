//! Searching and reading, beside the programs that people use for it.

use std::{
    fs,
    io::{BufWriter, Write},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use serde_json::json;

use crate::{
    desk::Desk,
    report::{Report, in_turns, median},
};

pub const FILES: usize = 20_000;
const TIMES: usize = 15;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let desk = Desk::new(deskhand_tools::registry())?;
    make_tree(&desk.workspace.join("tree"))?;
    let call = |tool: &str, arguments| runtime.block_on(desk.call(tool, arguments));

    if has("rg") {
        for (what, pattern) in
            [("a rare word", "needle_in_the_hay"), ("a regular expression", r"function_7_\d*77\(")]
        {
            let (ours, theirs) = in_turns(
                TIMES,
                || drop(call("grep", json!({"pattern": pattern, "path": "tree", "limit": 2000}))),
                || run(&desk.workspace, "rg", &["-n", pattern, "tree"]),
            );
            report.ratio(&format!("grep for {what} in {FILES} files"), ours, "rg", theirs, 1.2);
        }
    } else {
        println!("rg is not installed: grep is not compared (`make setup` installs it)");
    }
    match ["fdfind", "fd"].into_iter().find(|name| has(name)) {
        Some(fd) => {
            let (ours, theirs) = in_turns(
                TIMES,
                || drop(call("file_search", json!({"pattern": "*_77*.rs", "path": "tree", "limit": 1000}))),
                || run(&desk.workspace, fd, &["--glob", "*_77*.rs", "tree"]),
            );
            report.ratio(&format!("file_search in {FILES} files"), ours, fd, theirs, 1.2);
        }
        None => println!("fd is not installed: file_search is not compared (`make setup` installs it)"),
    }
    large_file(report, &desk, &call)
}

fn large_file(
    report: &mut Report,
    desk: &Desk,
    call: &dyn Fn(&str, serde_json::Value) -> deskhand_core::Outcome,
) -> anyhow::Result<()> {
    const LINES: u64 = 13_000_000;
    let path = desk.workspace.join("large.log");
    let mut file = BufWriter::with_capacity(1 << 20, fs::File::create(&path)?);
    for n in 0..LINES {
        writeln!(file, "{n:010} a line of a log that is as long as lines of logs are, more or less")?;
    }
    file.flush()?;
    let size = fs::metadata(&path)?.len();
    let before = peak_memory();
    let (from, to) = (LINES / 2, LINES / 2 + 19);
    let range = format!("{from},{to}p;{to}q");
    let (ours, theirs) = in_turns(
        7,
        || drop(call("read_file", json!({"path": "large.log", "start_line": from, "end_line": to}))),
        || run(&desk.workspace, "sed", &["-n", &range, "large.log"]),
    );
    let gb = size as f64 / 1e9;
    report.ratio(&format!("read_file of 20 lines in the middle of {gb:.2} GB"), ours, "sed -n", theirs, 1.2);
    let grown = peak_memory().saturating_sub(before);
    report.row(
        "memory that took",
        format!("{:.1} MiB more at its peak", grown as f64 / 1_024.0),
        "constant (under 4 MiB)",
        grown < 4_096,
    );
    let timed = (0..50).map(|n| {
        let started = Instant::now();
        call("read_file", json!({"path": "large.log", "offset": size / 2 + n, "limit": 2_000}));
        started.elapsed()
    });
    let millis = median(timed.collect()).as_secs_f64() * 1e3;
    report.row("read_file by byte offset in it", format!("{millis:.3} ms"), "under 5 ms", millis < 5.0);
    Ok(())
}

/// Folders of source files, some of them ignored, one word in twenty of them.
pub fn make_tree(root: &Path) -> anyhow::Result<()> {
    for n in 0..FILES {
        let folder = root.join(format!("part{}/module{}", n / 1_000, n / 50 % 20));
        if n % 50 == 0 {
            fs::create_dir_all(&folder)?;
        }
        let mut text = String::new();
        for line in 0..60 {
            text.push_str(&format!("fn function_{line}_{n}(value: u32) -> u32 {{ value * {line} + {n} }}\n"));
        }
        if n % 1_000 == 17 {
            text.push_str("// needle_in_the_hay\n");
        }
        fs::write(folder.join(format!("file_{n}.rs")), text)?;
    }
    fs::create_dir_all(root.join(".git"))?;
    Ok(fs::write(root.join(".gitignore"), "*.tmp\npart19/module3/\n")?)
}

pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

pub fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect("it runs");
    assert!(!output.stdout.is_empty(), "{program} found nothing");
}

/// The most memory that this process has had, in KiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}
