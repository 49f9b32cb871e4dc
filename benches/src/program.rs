//! The binary as it starts, and as it waits.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::report::{Report, median, millis};

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let binary = std::env::current_exe()?.with_file_name("deskhand");
    anyhow::ensure!(binary.exists(), "{} is not built: use `make bench`", binary.display());
    let folder = tempfile::tempdir()?;
    let mut timed = Vec::new();
    for _ in 0..40 {
        let started = Instant::now();
        let output = Command::new(&binary).args(["tools", "--json"]).current_dir(folder.path()).output()?;
        timed.push(started.elapsed());
        anyhow::ensure!(output.status.success());
    }
    let took = millis(median(timed));
    report.row("deskhand tools --json, whole process", format!("{took:.1} ms"), "under 30 ms", took < 30.0);

    let mut child = Command::new(&binary)
        .arg("console")
        .arg("--data-dir")
        .arg(folder.path().join("data"))
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    let mut input = child.stdin.take().context("it has an input")?;
    input.write_all(b"list_dir {}\n")?;
    std::thread::sleep(Duration::from_millis(700));
    let status = fs::read_to_string(format!("/proc/{}/status", child.id()))?;
    drop(input);
    child.wait()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("it has a size")?;
    let kib: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
    let mib = kib / 1_024.0;
    report.row(
        "idle console after a call, resident",
        format!("{mib:.1} MiB"),
        "under 25 MB",
        kib * 1_024.0 < 25e6,
    );
    Ok(())
}
