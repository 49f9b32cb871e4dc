//! Layers: what a copy-on-write layer costs beside the same command that runs directly in the same confinement, and what
//! keeping costs.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};

use deskhand_core::Mode;
use deskhand_guard::sandbox::{
    Job, View,
    layer::{Layer, RootChanges},
};
use serde_json::json;

use crate::{
    desk::Desk,
    report::{Report, in_turns, median, millis},
};

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let desk = Desk::new(deskhand_tools::registry())?;
    if let Some(why) = desk.sandbox.no_layer() {
        report.fact("layers", format!("not measured: {why}"));
        return Ok(());
    }
    smallest(report, &desk);
    creating(report, &desk);
    kept(report)?;
    git_status(report)?;
    formatter(report)?;
    cargo(report)
}

/// Runs a script on a layer of its own, from the making of the layer until its changes are read; or directly.
fn run(desk: &Desk, script: &str, on_layer: bool) {
    let layer =
        on_layer.then(|| Arc::new(desk.sandbox.layer(&deskhand_core::id::new_id()).expect("a layer")));
    let job = Job {
        argv: ["bash", "-c", script].map(Into::into).to_vec(),
        cwd: desk.workspace.clone(),
        view: View::Work,
        network: false,
        layer: layer.clone(),
        protects_git: false,
        revealed: Vec::new(),
        temporary: desk.data.clone(),
        env: Vec::new(),
    };
    let launch = desk.sandbox.launch(&job).expect("a job");
    let mut child = Command::new(&launch.program)
        .args(&launch.args)
        .env_clear()
        .envs(launch.env)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("a launcher");
    drop(launch.inherited);
    assert!(child.wait().expect("an end").success(), "{script}");
    drop(job);
    if let Some(layer) = layer.and_then(Arc::into_inner) {
        read(&layer);
    }
}

fn read(layer: &Layer) {
    for root in layer.roots().iter().filter(|root| !root.is_scratch) {
        RootChanges::read(root, &|| Ok(())).expect("the changes");
    }
}

fn smallest(report: &mut Report, desk: &Desk) {
    let (layered, direct) = in_turns(100, || run(desk, "true", true), || run(desk, "true", false));
    let more = millis(layered) - millis(direct);
    report.row(
        "`true` on a layer, over the same confined without one",
        format!("{more:.2} ms more ({:.1} ms, {:.1} ms)", millis(layered), millis(direct)),
        "at most 2 ms",
        more <= 2.0,
    );
}

fn creating(report: &mut Report, desk: &Desk) {
    let clear = || {
        let _ = fs::remove_dir_all(desk.path("made"));
    };
    let script = "mkdir made; for n in {1..5000}; do echo $n > made/$n; done";
    let (layered, direct) = in_turns(
        5,
        || run(desk, script, true),
        || {
            run(desk, script, false);
            clear();
        },
    );
    report.ratio("creating 5,000 files on a layer", layered, "direct", direct, 1.8);
}

/// The whole call, less what the same command takes without keeping.
fn kept(report: &mut Report) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let script = "mkdir made; for n in {1..10000}; do echo $n > made/$n; done";
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let desk = Desk::new(deskhand_tools::registry())?;
        for (mode, times) in [(Mode::ReadOnly, &mut without), (Mode::Auto, &mut with)] {
            let session = desk.session.clone().in_mode(mode);
            let request = deskhand_core::Request::new("bash", json!({"command": script}));
            let begun = Instant::now();
            let outcome = runtime.block_on(desk.gate.call(request, &session));
            times.push(begun.elapsed());
            anyhow::ensure!(outcome.is_success(), "{}", outcome.text);
        }
        anyhow::ensure!(desk.path("made/10000").exists());
    }
    let (with, without) = (median(with), median(without));
    let keeping = with.saturating_sub(without);
    report.row(
        "keeping 10,000 created files",
        format!(
            "{:.2} s (the call {:.2} s, discarded {:.2} s)",
            keeping.as_secs_f64(),
            with.as_secs_f64(),
            without.as_secs_f64()
        ),
        "under 0.5 s",
        keeping.as_secs_f64() < 0.5,
    );
    Ok(())
}

fn git_status(report: &mut Report) -> anyhow::Result<()> {
    let desk = Desk::new(deskhand_tools::registry())?;
    for n in 0..20_000 {
        desk.write(format!("src/{}/{n}.txt", n % 400), format!("{n}\n"));
    }
    git(&desk.workspace, &["init", "-q"])?;
    git(&desk.workspace, &["add", "-A"])?;
    git(&desk.workspace, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"])?;
    let script = "git status --short";
    let (layered, direct) = in_turns(9, || run(&desk, script, true), || run(&desk, script, false));
    report.ratio("git status in 20,000 files on a layer", layered, "direct", direct, 2.5);
    Ok(())
}

fn git(folder: &Path, args: &[&str]) -> anyhow::Result<()> {
    anyhow::ensure!(Command::new("git").args(args).current_dir(folder).status()?.success(), "git {args:?}");
    Ok(())
}

fn formatter(report: &mut Report) -> anyhow::Result<()> {
    let desk = Desk::new(deskhand_tools::registry())?;
    for n in 0..3_000 {
        desk.write(format!("src/{}/{n}.txt", n % 60), "a line\n".repeat(100));
    }
    let script =
        "find src -type f -exec sed -i s/line/LINE/ {} +; find src -type f -exec sed -i s/LINE/line/ {} +";
    let (layered, direct) = in_turns(3, || run(&desk, script, true), || run(&desk, script, false));
    report.fact(
        "a formatter over 3,000 existing files on a layer",
        format!(
            "{:.2} s, direct {:.2} s: {:.2} ×",
            layered.as_secs_f64(),
            direct.as_secs_f64(),
            layered.as_secs_f64() / direct.as_secs_f64()
        ),
    );
    Ok(())
}

/// A project of one crate with a hundred modules: built from nothing, and again after one line has changed.
fn cargo(report: &mut Report) -> anyhow::Result<()> {
    let desk = Desk::new(deskhand_tools::registry())?;
    desk.write("Cargo.toml", "[package]\nname = \"many\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let modules = (0..100).map(|n| format!("pub mod m{n};\n")).collect::<Vec<_>>().concat();
    desk.write("src/lib.rs", modules);
    for n in 0..100 {
        let functions = (0..60)
            .map(|f| format!("pub fn f{f}(x: &str) -> Vec<String> {{ x.split({f}u8 as char).map(|p| format!(\"{n}{{p}}\")).collect() }}\n"))
            .collect::<Vec<_>>()
            .concat();
        desk.write(format!("src/m{n}.rs"), functions);
    }
    let build = "cargo build --offline -q";
    let (layered, direct) = in_turns(
        3,
        || run(&desk, build, true),
        || {
            run(&desk, build, false);
            let _ = fs::remove_dir_all(desk.path("target"));
        },
    );
    report.ratio("a cold cargo build on a layer", layered, "direct", direct, 1.15);
    run(&desk, build, false);
    let again = "echo '// more' >> src/m1.rs; cargo build --offline -q";
    let (layered, direct) = in_turns(5, || run(&desk, again, true), || run(&desk, again, false));
    report.ratio("an incremental cargo build on a layer", layered, "direct", direct, 1.5);
    Ok(())
}
