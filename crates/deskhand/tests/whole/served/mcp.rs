//! `/mcp` beside the page: what is set on the page holds for MCP clients, too.

use serde_json::{Value, json};

use super::{Around, Served};

/// A call of the protocol without sessions, of a client that can show forms.
fn call(served: &Served, tool: &str, arguments: &Value) -> Value {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        "io.modelcontextprotocol/clientInfo": {"name": "by hand", "version": "1"},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let answer = served.raw(&format!(
        "POST /mcp HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
         Mcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
        served.port,
        served.token,
        body.len()
    ));
    let last = answer.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
    serde_json::from_str(last.unwrap_or(&answer.body)).unwrap_or_else(|_| panic!("{answer:?}"))
}

#[test]
fn the_mode_that_is_set_on_the_page_binds_clients_that_are_there_already() {
    let served = Served::around("", Around { config: "mode = \"auto\"\n", ..Around::default() });
    let write = |name: &str| call(&served, "write_file", &json!({"path": name, "content": "x"}));
    let first = write("a.txt");
    assert_eq!(first["result"]["_meta"]["status"], "success", "{first}");
    let set = served.ask("PUT", "/api/v1/settings", Some(json!({"mode": "read-only"})));
    assert_eq!(set.status, 200, "{set:?}");
    let second = write("b.txt");
    assert_eq!(second["result"]["_meta"]["status"], "blocked", "{second}");
    assert!(!served.workspace().join("b.txt").exists());
}

#[test]
fn clients_are_asked_unless_it_is_set_that_only_others_are() {
    let asks = |config: &'static str| {
        let served = Served::around("", Around { config, ..Around::default() });
        call(&served, "write_file", &json!({"path": "a.txt", "content": "x"}))["result"].take()
    };
    let asked = asks("approval_timeout_s = 1\n");
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let elsewhere = asks("approval_timeout_s = 1\n[mcp]\nask_in_client = false\n");
    assert_eq!(elsewhere["_meta"]["status"], "expired", "{elsewhere}");
}
