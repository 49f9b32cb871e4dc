//! `deskhand mcp` beside the official filesystem server, and its search beside rg: from the start of the process to
//! the list of tools, memory, time and processor time of a call.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    files::{FILES, has, make_tree, run},
    mcp_client::{Client, Kind},
    report::{Report, in_turns, median, millis},
};

const FILESYSTEM_SERVER: &str = "filesystem server";
const STARTS: usize = 15;
const CALLS: usize = 2_000;
const SEARCHES: usize = 15;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let workspace = folder.path().join("workspace");
    fs::create_dir(&workspace)?;
    fs::write(workspace.join("four.txt"), "a line of text, neither short nor long\n".repeat(105))?;
    let ours = Kind::ours(folder.path(), &workspace, &[])?;
    let peer = filesystem_server(&workspace);
    if peer.is_none() {
        println!("the filesystem server is not installed: no peer (`make test` installs it)");
    }
    starts(report, &ours, peer.as_ref())?;
    calls(report, &ours, peer.as_ref(), &workspace)?;
    listings(report, &ours)?;
    searches(report, &ours, &workspace)
}

/// What each calls reading a file of 4 KB, and the file as each names it.
fn reading(kind: &Kind, workspace: &Path) -> (&'static str, Value) {
    match kind.name {
        FILESYSTEM_SERVER => ("read_text_file", json!({"path": workspace.join("four.txt")})),
        _ => ("read_file", json!({"path": "four.txt"})),
    }
}

/// Where the tests with official parts have put it.
fn filesystem_server(workspace: &Path) -> Option<Kind> {
    let script = Path::new("tests/mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    (script.exists() && has("node")).then(|| Kind {
        name: FILESYSTEM_SERVER,
        program: "node".into(),
        arguments: vec![script.display().to_string(), workspace.display().to_string()],
    })
}

/// From the start of the process to the list of its tools, and what it then takes of memory.
fn starts(report: &mut Report, ours: &Kind, peer: Option<&Kind>) -> anyhow::Result<()> {
    let mut seen = Vec::new();
    for kind in [Some(ours), peer].into_iter().flatten() {
        let (mut timed, mut sizes) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let started = Instant::now();
            let mut client = kind.start()?;
            client.ask("tools/list", &json!({}))?;
            timed.push(started.elapsed());
            sizes.push(client.resident()?);
        }
        sizes.sort_by(f64::total_cmp);
        seen.push((millis(median(timed)), sizes[sizes.len() / 2] / 1e6));
    }
    let beside = |of: fn(&(f64, f64)) -> f64, unit: &str| match (seen.get(1), peer) {
        (Some(theirs), Some(peer)) => format!(", {} {:.0} {unit}", peer.name, of(theirs)),
        _ => String::new(),
    };
    let (took, size) = seen[0];
    let measured = format!("{took:.1} ms{}", beside(|seen| seen.0, "ms"));
    report.row("deskhand mcp, process start to tool list, median", measured, "under 50 ms", took < 50.0);
    let measured = format!("{size:.1} MB{}", beside(|seen| seen.1, "MB"));
    report.row("deskhand mcp after the list, resident", measured, "under 25 MB", size < 25.0);
    Ok(())
}

/// One call at a time, in turns, so that the noise of the machine meets both alike.
fn calls(report: &mut Report, ours: &Kind, peer: Option<&Kind>, workspace: &Path) -> anyhow::Result<()> {
    let mut ours_runs = Running::warm(ours, workspace)?;
    let mut peer_runs = peer.map(|peer| Running::warm(peer, workspace)).transpose()?;
    for _ in 0..CALLS {
        ours_runs.call()?;
        if let Some(peer) = &mut peer_runs {
            peer.call()?;
        }
    }
    let (took, used) = ours_runs.end()?;
    let theirs = peer_runs.map(Running::end).transpose()?;
    let beside = |theirs: Option<f64>| {
        theirs.map_or_else(String::new, |theirs| format!(", filesystem server {theirs:.2} ms"))
    };
    let measured = format!("{took:.3} ms{}", beside(theirs.map(|(took, _)| took)));
    report.row("read_file of 4 KB over stdio, median", measured, "under 0.25 ms", took < 0.25);
    let measured = format!("{used:.3} ms{}", beside(theirs.map(|(_, used)| used)));
    match theirs {
        Some((_, used_there)) => report.row(
            "processor time of that call",
            measured,
            "a third of the filesystem server's",
            used <= used_there / 3.0,
        ),
        None => report.fact("processor time of that call", measured),
    }
    Ok(())
}

struct Running {
    read: (&'static str, Value),
    client: Client,
    timed: Vec<Duration>,
    computed_before: Duration,
}

impl Running {
    fn warm(kind: &Kind, workspace: &Path) -> anyhow::Result<Self> {
        let mut client = kind.start()?;
        let read = reading(kind, workspace);
        for _ in 0..200 {
            client.call(read.0, &read.1)?;
        }
        let computed_before = client.computed()?;
        Ok(Self { read, client, timed: Vec::new(), computed_before })
    }

    fn call(&mut self) -> anyhow::Result<()> {
        let started = Instant::now();
        self.client.call(self.read.0, &self.read.1)?;
        self.timed.push(started.elapsed());
        Ok(())
    }

    /// The median of a call, and the processor time of one, in milliseconds.
    fn end(self) -> anyhow::Result<(f64, f64)> {
        let used = self.client.computed()?.saturating_sub(self.computed_before);
        let calls = self.timed.len() as f64;
        Ok((millis(median(self.timed)), millis(used) / calls))
    }
}

fn listings(report: &mut Report, ours: &Kind) -> anyhow::Result<()> {
    let (_, bytes) = ours.start()?.ask("tools/list", &json!({}))?;
    report.row("the usual listing of tools", format!("{bytes} bytes"), "under 6 KB", bytes < 6_000);
    Ok(())
}

/// The search as a client has it, with the way there and back.
fn searches(report: &mut Report, ours: &Kind, workspace: &Path) -> anyhow::Result<()> {
    if !has("rg") {
        println!("rg is not installed: the search is not compared (`make setup` installs it)");
        return Ok(());
    }
    make_tree(&workspace.join("tree"))?;
    let mut client = ours.start()?;
    let arguments = json!({"pattern": "needle_in_the_hay", "path": "tree", "limit": 2000});
    client.call("grep", &arguments)?;
    let (took, theirs) = in_turns(
        SEARCHES,
        || drop(client.call("grep", &arguments).expect("the search")),
        || run(workspace, "rg", &["-n", "needle_in_the_hay", "tree"]),
    );
    report.ratio(&format!("grep over MCP in {FILES} files"), took, "rg", theirs, 1.2);
    Ok(())
}
