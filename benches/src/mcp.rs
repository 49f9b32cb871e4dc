//! `deskhand mcp` beside the official filesystem server, and its search beside rg: from the start of the process to
//! the list of tools, memory, time and processor time of a call.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use crate::{
    files::{FILES, has, make_tree, run},
    report::{Report, in_turns, median, millis},
};

const STARTS: usize = 15;
const CALLS: usize = 2_000;
const SEARCHES: usize = 15;

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let workspace = folder.path().join("workspace");
    fs::create_dir(&workspace)?;
    fs::write(workspace.join("four.txt"), "a line of text, neither short nor long\n".repeat(105))?;
    let ours = Kind::ours(folder.path(), &workspace)?;
    let peer = Kind::filesystem_server(&workspace);
    if peer.is_none() {
        println!("the filesystem server is not installed: no peer (`make test` installs it)");
    }
    starts(report, &ours, peer.as_ref())?;
    calls(report, &ours, peer.as_ref())?;
    listings(report, &ours)?;
    searches(report, &ours, &workspace)
}

/// A server that can be started.
struct Kind {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<String>,
    /// What it calls reading a file.
    read: (&'static str, Value),
}

impl Kind {
    fn ours(folder: &Path, workspace: &Path) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?.with_file_name("deskhand");
        ensure!(program.exists(), "{} is not built: use `make bench`", program.display());
        let data = folder.join("data");
        let arguments = ["mcp", "--data-dir", text(&data)?, "--workspace", text(workspace)?];
        Ok(Self {
            name: "deskhand",
            program,
            arguments: arguments.map(str::to_owned).to_vec(),
            read: ("read_file", json!({"path": "four.txt"})),
        })
    }

    /// Where the tests with official parts have put it.
    fn filesystem_server(workspace: &Path) -> Option<Self> {
        let script =
            Path::new("tests/mcp/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
        (script.exists() && has("node")).then(|| Self {
            name: "filesystem server",
            program: "node".into(),
            arguments: vec![script.display().to_string(), workspace.display().to_string()],
            read: ("read_text_file", json!({"path": workspace.join("four.txt")})),
        })
    }

    fn start(&self) -> anyhow::Result<Client> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} does not start", self.program.display()))?;
        let input = child.stdin.take().context("an input")?;
        let output = BufReader::new(child.stdout.take().context("an output")?);
        let mut client = Client { child, input: Some(input), output, id: 0 };
        client.ask(
            "initialize",
            &json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("a path that is text")
}

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.wait();
    }
}

impl Client {
    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let input = self.input.as_mut().context("an input")?;
        Ok(input.write_all(format!("{message}\n").as_bytes())?)
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> anyhow::Result<(Value, usize)> {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.output.read_line(&mut line)? > 0, "the server has gone");
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] != json!(id) {
                continue;
            }
            if let Some(error) = answer.get("error") {
                bail!("{method}: {error}");
            }
            return Ok((answer["result"].clone(), line.len()));
        }
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<()> {
        let (result, _) = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        ensure!(result["isError"] != json!(true), "{tool}: {result}");
        Ok(())
    }

    /// In bytes.
    fn resident(&self) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("it has a size")?;
        let kib: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
        Ok(kib * 1_024.0)
    }

    /// Processor time of all its threads so far, as exact as the kernel tells it.
    fn computed(&self) -> anyhow::Result<Duration> {
        let mut total = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let told = fs::read_to_string(task?.path().join("schedstat"))?;
            total += told.split_whitespace().next().context("a number")?.parse::<u64>()?;
        }
        Ok(Duration::from_nanos(total))
    }
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
fn calls(report: &mut Report, ours: &Kind, peer: Option<&Kind>) -> anyhow::Result<()> {
    let mut ours_runs = Running::warm(ours)?;
    let mut peer_runs = peer.map(Running::warm).transpose()?;
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

struct Running<'a> {
    kind: &'a Kind,
    client: Client,
    timed: Vec<Duration>,
    computed_before: Duration,
}

impl<'a> Running<'a> {
    fn warm(kind: &'a Kind) -> anyhow::Result<Self> {
        let mut client = kind.start()?;
        for _ in 0..200 {
            client.call(kind.read.0, &kind.read.1)?;
        }
        let computed_before = client.computed()?;
        Ok(Self { kind, client, timed: Vec::new(), computed_before })
    }

    fn call(&mut self) -> anyhow::Result<()> {
        let started = Instant::now();
        self.client.call(self.kind.read.0, &self.kind.read.1)?;
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
        || client.call("grep", &arguments).expect("the search"),
        || run(workspace, "rg", &["-n", "needle_in_the_hay", "tree"]),
    );
    report.ratio(&format!("grep over MCP in {FILES} files"), took, "rg", theirs, 1.2);
    Ok(())
}
