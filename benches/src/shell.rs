//! What reading a command costs: verdicts a second over the labelled commands, on one core.

use std::{
    fs,
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;
use deskhand_guard::shell::{Setting, Shell};

use crate::report::{Report, median};

/// The least verdicts a second.
const WANTED: f64 = 20_000.0;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let commands = corpus()?;
    let workspace = Path::new("/home/ada/project");
    let setting = Setting { cwd: workspace, home: Some(Path::new("/home/ada")), workspaces: &[workspace] };
    let shell = Shell::default();
    let mut rounds = Vec::new();
    let mut slowest = Duration::ZERO;
    // The first round reads the knowledge files, entry by entry.
    for round in 0..8 {
        let started = Instant::now();
        for command in &commands {
            let one = Instant::now();
            black_box(shell.analyze(black_box(command), &setting));
            if round > 0 {
                slowest = slowest.max(one.elapsed());
            }
        }
        rounds.push(started.elapsed());
    }
    let first = rounds.remove(0);
    let a_second = commands.len() as f64 / median(rounds).as_secs_f64();
    report.row(
        &format!("verdicts on {} labelled commands, one core", commands.len()),
        format!("{a_second:.0} a second"),
        &format!("at least {WANTED}"),
        a_second >= WANTED,
    );
    report.fact("the slowest of them", format!("{:.2} ms", slowest.as_secs_f64() * 1_000.0));
    report.fact(
        "the first round, which reads the knowledge",
        format!("{:.0} ms", first.as_secs_f64() * 1_000.0),
    );
    Ok(())
}

fn corpus() -> anyhow::Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/guard/corpus");
    let mut commands = Vec::new();
    for entry in fs::read_dir(folder)? {
        for line in fs::read_to_string(entry?.path())?.lines() {
            let row: serde_json::Value = serde_json::from_str(line)?;
            commands.push(row["command"].as_str().context("a row without a command")?.to_owned());
        }
    }
    Ok(commands)
}
