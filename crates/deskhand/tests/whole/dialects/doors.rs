//! The same answer over every door: `deskhand call --dialect` and `deskhand mcp --dialect`, for every tool that is
//! built. (HTTP has its own tests, in `crates/serve/tests/http/dialects.rs`.)

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::command::Shop;

/// An MCP client on stdio.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn new(shop: &Shop, arguments: &[&str]) -> Self {
        let mut child = shop.command(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, last: 0 };
        let who = json!({"name": "doors", "version": "1"});
        client.ask(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has gone");
            // Nothing but messages is ever printed there.
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// What a caller of that system gets: the object, or the text.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert!(result["content"].is_array(), "{tool}: {answer}");
        match &result["structuredContent"] {
            Value::Null => result["content"][0]["text"].clone(),
            shaped => {
                let text = result["content"][0]["text"].as_str().unwrap();
                assert_eq!(
                    serde_json::from_str::<Value>(text).unwrap(),
                    *shaped,
                    "{tool}: both say the same"
                );
                shaped.clone()
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.wait();
    }
}

/// What differs from one run to the next: times, and figures of the machine.
fn without_moments(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        for moment in ["execution_time", "duration", "message", "output", "data"] {
            if let Some(field) = fields.get_mut(moment) {
                *field = json!(kind(field));
            }
        }
    }
    value
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

fn over_both_doors(dialect: &str) {
    let shop = Shop::new();
    shop.write("a.txt", "one\n");
    let listed = shop.run(&["tools", "--dialect", dialect, "--json"]).json();
    // A client's own conversation is not ours to compact.
    let is_for_clients = |tool: &&Value| tool["built"] == true && tool["name"] != "compact";
    let built: Vec<&Value> = listed["tools"].as_array().unwrap().iter().filter(is_for_clients).collect();
    let mut client = Client::new(&shop, &["mcp", "--dialect", dialect]);
    let offered = client.ask("tools/list", json!({}));
    let names = |tools: &[&Value]| -> Vec<String> {
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let offered: Vec<&Value> = offered["result"]["tools"].as_array().unwrap().iter().collect();
    assert_eq!(names(&offered), names(&built), "{dialect}");
    for tool in built {
        let name = tool["name"].as_str().unwrap();
        // What needs arguments is called without, and says which; the rest succeeds.
        let here = shop.run(&["call", "--json", "--dialect", dialect, name, "{}"]).json();
        let there = client.call(name, &json!({}));
        assert_eq!(without_moments(there), without_moments(here), "{dialect} {name}");
    }
    let unknown = client.ask("tools/call", json!({"name": "surely_not", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn omni_answers_alike_over_mcp() {
    over_both_doors("omni");
}

#[test]
fn countbot_answers_alike_over_mcp() {
    over_both_doors("countbot");
}

#[test]
fn skillmint_answers_alike_over_mcp() {
    over_both_doors("skillmint");
}

#[test]
fn ops_answers_alike_over_mcp() {
    over_both_doors("ops");
}
