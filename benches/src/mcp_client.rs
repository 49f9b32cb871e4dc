//! An MCP server that can be started, and a client that asks it over stdio and says yes to whatever it is asked.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

/// A server that can be started.
pub struct Kind {
    pub name: &'static str,
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

impl Kind {
    /// Ours, on a data folder in this one, with these arguments beside the usual ones.
    pub fn ours(folder: &Path, workspace: &Path, more: &[&str]) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?.with_file_name("deskhand");
        ensure!(program.exists(), "{} is not built: use `make bench`", program.display());
        let data = folder.join("data");
        let usual = ["mcp", "--data-dir", text(&data)?, "--workspace", text(workspace)?];
        let arguments = usual.iter().chain(more).map(|&argument| argument.to_owned()).collect();
        Ok(Self { name: "deskhand", program, arguments })
    }

    pub fn start(&self) -> anyhow::Result<Client> {
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
            &json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
                "clientInfo": {"name": "bench", "version": "1"}}),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }
}

pub fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("a path that is text")
}

pub struct Client {
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

    /// The answer, and how many bytes it had.
    pub fn ask(&mut self, method: &str, parameters: &Value) -> anyhow::Result<(Value, usize)> {
        self.id += 1;
        let id = self.id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.output.read_line(&mut line)? > 0, "the server has gone");
            let answer: Value = serde_json::from_str(&line)?;
            if answer["method"] == "elicitation/create" {
                let yes = json!({"action": "accept", "content": {"decision": "once"}});
                self.send(&json!({"jsonrpc": "2.0", "id": answer["id"], "result": yes}))?;
                continue;
            }
            if answer["id"] != json!(id) || answer.get("method").is_some() {
                continue;
            }
            if let Some(error) = answer.get("error") {
                bail!("{method}: {error}");
            }
            return Ok((answer["result"].clone(), line.len()));
        }
    }

    /// What a tool answers.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let (result, _) = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        ensure!(result["isError"] != json!(true), "{tool}: {result}");
        Ok(result)
    }

    /// In bytes.
    pub fn resident(&self) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("it has a size")?;
        let kib: f64 = line.split_whitespace().nth(1).context("a number")?.parse()?;
        Ok(kib * 1_024.0)
    }

    /// Processor time of all its threads so far, as exact as the kernel tells it.
    pub fn computed(&self) -> anyhow::Result<Duration> {
        let mut total = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let told = fs::read_to_string(task?.path().join("schedstat"))?;
            total += told.split_whitespace().next().context("a number")?.parse::<u64>()?;
        }
        Ok(Duration::from_nanos(total))
    }
}
