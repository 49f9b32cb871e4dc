//! `deskhand mcp` as the program that a client starts: nothing but messages on stdout, and nothing left behind.

use std::process::Stdio;

use deskhand_core::schema;
use serde_json::json;

use crate::{
    command::Shop,
    mcp_by_hand::Client,
    support::{is_gone, is_running, mark},
};

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
    assert_eq!(client.call("read_file", &json!({"path": "a.txt"}))["content"][0]["text"], "words\n");
    client.call("bash", &json!({"command": "echo out; echo err >&2"}));
    assert_eq!(client.ask("tools/call", &json!({"name": "none"}))["error"]["code"], -32602);
    assert_eq!(client.ask("no/such", &json!({}))["error"]["code"], -32601);
    client.hang_up();
}

#[test]
fn the_output_of_a_command_fits_what_was_listed() {
    let shop = Shop::new();
    let mut client = Client::start(&shop, &["mcp", "--toolset", "shell", "--full-schemas"]);
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let bash = tools.iter().find(|tool| tool["name"] == "bash").unwrap();
    let validator = schema::compile(&bash["outputSchema"]).unwrap();
    let result = client.call("bash", &json!({"command": "echo out"}));
    assert!(validator.is_valid(&result["structuredContent"]), "{result}");
    assert_eq!(result["structuredContent"]["stdout"], "out\n");
    let failed = client.call("bash", &json!({"command": "echo out; ls none"}));
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
    let id = client.begin("tools/call", &command);
    until_running(&mark);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert!(is_gone(&mark));
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    client.hang_up();
}

#[test]
fn the_end_of_the_pipe_ends_the_command_and_the_program() {
    let shop = Shop::new();
    let mark = mark();
    let mut client = Client::start(&shop, &["mcp"]);
    client.begin("tools/call", &json!({"name": "bash", "arguments": {"command": format!("sleep {mark}")}}));
    until_running(&mark);
    client.hang_up();
    assert!(is_gone(&mark));
}
