//! Commands: what a call of `bash` costs beside its confinement, and what much output costs.

use std::{
    fs,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::Context;
use deskhand_guard::sandbox::{Job, View};
use serde_json::json;

use crate::{
    desk::Desk,
    report::{Report, median, millis},
};

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    const CALLS: usize = 200;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let desk = Desk::new(deskhand_tools::registry())?;
    let temporary = tempfile::tempdir()?;
    let (mut ours, mut bare, mut unconfined) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..CALLS + 5 {
        let started = Instant::now();
        runtime.block_on(desk.call("bash", json!({"command": "true"})));
        let call = started.elapsed();
        let started = Instant::now();
        confined_true(&desk, temporary.path())?;
        let launch = started.elapsed();
        let started = Instant::now();
        anyhow::ensure!(Command::new("sh").args(["-c", "true"]).status()?.success());
        if n >= 5 {
            ours.push(call);
            bare.push(launch);
            unconfined.push(started.elapsed());
        }
    }
    let (ours, bare) = (median(ours), median(bare));
    report.ratio("bash with `true`, through the gate", ours, "sh -c true in the same sandbox", bare, 1.5);
    report.fact("sh -c true without a sandbox", format!("{:.1} ms", millis(median(unconfined))));

    let before = peak()?;
    let started = Instant::now();
    let outcome = runtime.block_on(desk.call("bash", json!({"command": "head -c 1000000000 /dev/zero"})));
    let took = started.elapsed().as_secs_f64();
    anyhow::ensure!(outcome.data["stdout_bytes"] == 1_000_000_000_u64, "{}", outcome.data["stdout_bytes"]);
    let grown = (peak()? - before) / 1_024.0;
    report.row(
        "bash, 1 GB of output: memory beside it",
        format!("{grown:.1} MiB more at the peak, {took:.1} s"),
        "bounded: under 50 MiB",
        grown < 50.0,
    );
    Ok(())
}

/// The same confinement, started by hand and waited for.
fn confined_true(desk: &Desk, temporary: &std::path::Path) -> anyhow::Result<()> {
    let launch = desk.sandbox.launch(&Job {
        argv: ["sh", "-c", "true"].map(Into::into).to_vec(),
        cwd: desk.workspace.clone(),
        view: View::Look,
        network: false,
        layer: None,
        protects_git: true,
        revealed: Vec::new(),
        temporary: temporary.to_path_buf(),
        env: Vec::new(),
    })?;
    let mut child = Command::new(&launch.program)
        .args(&launch.args)
        .env_clear()
        .envs(launch.env)
        .stdin(Stdio::null())
        .spawn()?;
    drop(launch.inherited);
    anyhow::ensure!(child.wait()?.success());
    Ok(())
}

/// The most memory that this process ever had, in KiB.
fn peak() -> anyhow::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("it has a peak")?;
    Ok(line.split_whitespace().nth(1).context("a number")?.parse()?)
}
