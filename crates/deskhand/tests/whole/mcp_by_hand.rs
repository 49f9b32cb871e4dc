//! An MCP client by hand, on the pipes of `deskhand mcp`.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::command::Shop;

/// It sees every byte.
pub struct Client {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    pub fn start(shop: &Shop, arguments: &[&str]) -> Self {
        Self::start_with(shop, arguments, &json!({}))
    }

    /// A client that can do these things.
    pub fn start_with(shop: &Shop, arguments: &[&str], capabilities: &Value) -> Self {
        let mut command = shop.command(arguments);
        // Whatever is logged must not get in between.
        command.env("DESKHAND_LOG", "trace");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "by hand", "version": "1"},
        });
        let answer = client.ask("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "deskhand", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }

    pub fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer. Every line on the way is a message.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
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

    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// Closes the pipe; what is still said must be messages, too.
    pub fn hang_up(mut self) {
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
