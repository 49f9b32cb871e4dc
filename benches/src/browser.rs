//! The browser tools beside `@playwright/mcp`: both as MCP servers over stdio, with the same Chromium, on the same pages,
//! in turns. Its wait for things to settle after each action is set to none; ours has none of that kind.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{
    files::has,
    mcp_client::{Client, Kind, text},
    report::{Report, median, millis},
};

const PEER: &str = "playwright mcp";
const STARTS: usize = 10;
/// How often each thing is done, after it was done a few times unmeasured.
const TIMES: usize = 30;
const WARM: usize = 3;
const PAGES: &str = "tests/pages";

pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let workspace = folder.path().join("workspace");
    fs::create_dir(&workspace)?;
    let ours = Kind::ours(folder.path(), &workspace, &["--mode", "auto", "--toolset", "browser"])?;
    let Some(chromium) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(program)
    else {
        println!("there is no Chromium: the browser is not measured");
        return Ok(());
    };
    let peer = playwright(folder.path(), &chromium)?;
    if peer.is_none() {
        println!("playwright's server is not installed: no peer (`scripts/setup.sh bench` installs it)");
    }
    let base = serve_pages()?;
    starts(report, &ours, peer.as_ref())?;
    let mut ours = ours.start()?;
    let mut peer = peer.map(|peer| peer.start()).transpose()?;
    for action in actions(&base) {
        action.measure(report, &mut ours, peer.as_mut())?;
    }
    memory(report, "browser: the same after all that, its Chromium not counted", &ours, peer.as_ref())?;
    many_nodes(report, &mut ours, &base)
}

fn program(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.exists())?;
    found.to_str().map(str::to_owned)
}

/// Where `scripts/setup.sh bench` has put it.
fn playwright(folder: &Path, chromium: &str) -> anyhow::Result<Option<Kind>> {
    let script = Path::new("benches/peers/node_modules/@playwright/mcp/cli.js");
    if !script.exists() || !has("node") {
        return Ok(None);
    }
    let output = folder.join("peer");
    let mut arguments = vec![text(script)?, "--headless", "--isolated", "--timeout-settle", "0"];
    // Chromium's own sandbox does not start for root; ours leaves it out there, too.
    arguments.extend(is_root().then_some("--no-sandbox"));
    arguments.extend([
        "--executable-path",
        chromium,
        "--viewport-size",
        "1280x800",
        "--output-dir",
        text(&output)?,
    ]);
    let arguments = arguments.into_iter().map(str::to_owned).collect();
    Ok(Some(Kind { name: PEER, program: "node".into(), arguments }))
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// From the start of the process to the list of its tools, and what it then takes of memory.
fn starts(report: &mut Report, ours: &Kind, peer: Option<&Kind>) -> anyhow::Result<()> {
    let start = |kind: &Kind| -> anyhow::Result<(Duration, Client)> {
        let started = Instant::now();
        let mut client = kind.start()?;
        client.ask("tools/list", &json!({}))?;
        Ok((started.elapsed(), client))
    };
    let (mut timed, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        timed.push(start(ours)?.0);
        if let Some(peer) = peer {
            theirs.push(start(peer)?.0);
        }
    }
    compared(report, "browser: process start to the list of tools", timed, theirs, 0.1);
    let peer = peer.map(start).transpose()?.map(|(_, client)| client);
    memory(report, "browser: memory of the process after the list", &start(ours)?.1, peer.as_ref())
}

fn compared(report: &mut Report, what: &str, ours: Vec<Duration>, theirs: Vec<Duration>, most: f64) {
    let ours = median(ours);
    if theirs.is_empty() {
        report.fact(what, format!("{:.1} ms", millis(ours)));
    } else {
        report.ratio(what, ours, PEER, median(theirs), most);
    }
}

/// One thing that both can do, in the words of each.
struct Action {
    what: &'static str,
    /// The page that it is done on.
    page: String,
    ours: (&'static str, Value),
    theirs: (&'static str, Value),
    most: f64,
}

fn actions(base: &str) -> Vec<Action> {
    let (form, table) = (format!("{base}/form.html"), format!("{base}/table.html"));
    let on_form = |what, ours, theirs, most| Action { what, page: form.clone(), ours, theirs, most };
    let go = json!({"url": form});
    vec![
        on_form("navigate", ("browser_navigate", go.clone()), ("browser_navigate", go.clone()), 0.8),
        on_form(
            "click",
            ("browser_click", json!({"selector": "#calc"})),
            ("browser_click", json!({"target": "#calc"})),
            0.5,
        ),
        on_form(
            "type",
            ("browser_type", json!({"selector": "#name", "text": "Ada Lovelace"})),
            ("browser_type", json!({"target": "#name", "text": "Ada Lovelace"})),
            0.8,
        ),
        on_form(
            "evaluate",
            ("browser_evaluate", json!({"script": "document.title"})),
            ("browser_evaluate", json!({"function": "() => document.title"})),
            0.5,
        ),
        on_form("snapshot of a form", ("browser_snapshot", json!({})), ("browser_snapshot", json!({})), 0.5),
        on_form("screenshot", ("browser_screenshot", json!({})), ("browser_take_screenshot", json!({})), 0.8),
        Action {
            what: "snapshot of a table of 1,000 rows",
            page: table,
            ours: ("browser_snapshot", json!({})),
            theirs: ("browser_snapshot", json!({})),
            most: 0.5,
        },
    ]
}

impl Action {
    fn measure(
        &self,
        report: &mut Report,
        ours: &mut Client,
        mut peer: Option<&mut Client>,
    ) -> anyhow::Result<()> {
        let go = json!({"url": self.page});
        ours.call("browser_navigate", &go)?;
        if let Some(peer) = &mut peer {
            peer.call("browser_navigate", &go)?;
        }
        let (mut timed, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..WARM + TIMES {
            timed.push(took(ours, &self.ours)?);
            if let Some(peer) = &mut peer {
                theirs.push(took(peer, &self.theirs)?);
            }
        }
        let after_warming = |all: Vec<Duration>| all.into_iter().skip(WARM).collect();
        compared(
            report,
            &format!("browser: {}", self.what),
            after_warming(timed),
            after_warming(theirs),
            self.most,
        );
        Ok(())
    }
}

fn took(client: &mut Client, (tool, arguments): &(&str, Value)) -> anyhow::Result<Duration> {
    let started = Instant::now();
    client.call(tool, arguments)?;
    Ok(started.elapsed())
}

/// Of the process that speaks MCP; its Chromium is another.
fn memory(report: &mut Report, what: &str, ours: &Client, peer: Option<&Client>) -> anyhow::Result<()> {
    let ours = ours.resident()? / 1e6;
    match peer {
        None => report.fact(what, format!("{ours:.1} MB")),
        Some(peer) => {
            let theirs = peer.resident()? / 1e6;
            let ratio = ours / theirs;
            let measured = format!("{ours:.1} MB, {PEER} {theirs:.0} MB: {ratio:.2} ×");
            report.row(what, measured, "at most 0.2 ×", ratio <= 0.2);
        }
    }
    Ok(())
}

fn many_nodes(report: &mut Report, ours: &mut Client, base: &str) -> anyhow::Result<()> {
    ours.call("browser_navigate", &json!({"url": format!("{base}/many-nodes.html")}))?;
    let ask = ("browser_snapshot", json!({}));
    let timed: Vec<Duration> = (0..WARM + TIMES).map(|_| took(ours, &ask)).collect::<Result<_, _>>()?;
    let took = millis(median(timed.into_iter().skip(WARM).collect()));
    let measured = format!("{took:.1} ms");
    report.row("browser: snapshot of 10,000 nodes", measured, "under 150 ms", took < 150.0);
    let told = ours.call(ask.0, &ask.1)?;
    let bytes = told["content"][0]["text"].as_str().context("a text")?.len();
    report.row("browser: what the model gets of it", format!("{bytes} bytes"), "under 20 KB", bytes < 20_000);
    Ok(())
}

/// Serves the pages of the tests, a thread for each request, for as long as this process lives.
fn serve_pages() -> anyhow::Result<String> {
    ensure!(Path::new(PAGES).exists(), "{PAGES} is not here: start this in the folder of the project");
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let base = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    Ok(base)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = [0; 8_192];
    let read = stream.read(&mut request)?;
    let request = String::from_utf8_lossy(&request[..read]).into_owned();
    let name = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/');
    let page = fs::read(Path::new(PAGES).join(name)).ok();
    let status = if page.is_some() { "200 OK" } else { "404 Not Found" };
    let page = page.unwrap_or_default();
    let length = page.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), &page].concat())
}
