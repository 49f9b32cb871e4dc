//! `deskhand mcp` as the program that a client starts: nothing but messages on stdout, and nothing left behind.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use deskhand_core::schema;
use serde_json::{Value, json};

use crate::{
    command::Shop,
    support::{is_gone, is_running, mark},
};

/// A client, by hand: it sees every byte.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(shop: &Shop, arguments: &[&str]) -> Self {
        let mut command = shop.command(arguments);
        // Whatever is logged must not get in between.
        command.env("DESKHAND_LOG", "trace");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "by hand", "version": "1"},
        });
        let answer = client.ask("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "deskhand", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer. Every line on the way is a message.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// Closes the pipe; what is still said must be messages, too.
    fn hang_up(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        for line in rest.lines() {
            assert!(
                serde_json::from_str::<Value>(line).is_ok_and(|message| message["jsonrpc"] == "2.0"),
                "{line:?}"
            );
        }
        assert!(self.child.wait().unwrap().success());
    }
}

fn until_running(mark: &str) {
    for _ in 0..1_000 {
        if is_running(mark) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the command does not start");
}

#[test]
fn what_cannot_be_meant_is_refused_at_the_start() {
    let shop = Shop::new();
    for (arguments, words) in [
        (["--toolset", "files,nonsense"], ["«nonsense»", "shell"]),
        (["--dialect", "nonsense"], ["«nonsense»", "omni"]),
        (["--session", "x"], ["--session", "its own"]),
    ] {
        let refused = shop.command(&["mcp"]).args(arguments).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{arguments:?}: {said}");
    }
}

#[test]
fn nothing_but_messages_is_on_stdout() {
    let shop = Shop::new();
    shop.write("a.txt", "words\n");
    let mut client = Client::start(&shop, &["mcp", "--mode", "auto"]);
    assert_eq!(client.call("read_file", json!({"path": "a.txt"}))["content"][0]["text"], "words\n");
    client.call("bash", json!({"command": "echo out; echo err >&2"}));
    assert_eq!(client.ask("tools/call", json!({"name": "none"}))["error"]["code"], -32602);
    assert_eq!(client.ask("no/such", json!({}))["error"]["code"], -32601);
    client.hang_up();
}

#[test]
fn the_output_of_a_command_fits_what_was_listed() {
    let shop = Shop::new();
    let mut client = Client::start(&shop, &["mcp", "--toolset", "shell", "--full-schemas"]);
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let bash = tools.iter().find(|tool| tool["name"] == "bash").unwrap();
    let validator = schema::compile(&bash["outputSchema"]).unwrap();
    let result = client.call("bash", json!({"command": "echo out"}));
    assert!(validator.is_valid(&result["structuredContent"]), "{result}");
    assert_eq!(result["structuredContent"]["stdout"], "out\n");
    let failed = client.call("bash", json!({"command": "echo out; ls none"}));
    assert_eq!(failed["isError"], true, "{failed}");
    let told = failed["content"][0]["text"].as_str().unwrap();
    assert!(told.starts_with("[exit_nonzero]") && told.contains("out"), "{told}");
    client.hang_up();
}

#[test]
fn a_cancelled_request_ends_the_command() {
    let shop = Shop::new();
    let mark = mark();
    let mut client = Client::start(&shop, &["mcp"]);
    let command = json!({"name": "bash", "arguments": {"command": format!("sleep {mark}")}});
    let id = client.begin("tools/call", command);
    until_running(&mark);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert!(is_gone(&mark));
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    client.hang_up();
}

#[test]
fn the_end_of_the_pipe_ends_the_command_and_the_program() {
    let shop = Shop::new();
    let mark = mark();
    let mut client = Client::start(&shop, &["mcp"]);
    client.begin("tools/call", json!({"name": "bash", "arguments": {"command": format!("sleep {mark}")}}));
    until_running(&mark);
    client.hang_up();
    assert!(is_gone(&mark));
}
