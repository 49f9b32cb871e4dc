//! `/mcp` beside the page: what is set on the page holds for MCP clients, too.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};

use serde_json::{Value, json};

use super::{Around, Served};

/// A call of the protocol without sessions, of a client that can show forms.
fn call(served: &Served, tool: &str, arguments: &Value) -> Value {
    call_as(served, &served.token, tool, arguments)
}

fn call_as(served: &Served, token: &str, tool: &str, arguments: &Value) -> Value {
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
        token,
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

#[test]
fn the_token_for_clients_opens_nothing_but_mcp_and_acts_as_its_user() {
    let served = Served::around("", Around { users: &["bob"], ..Around::default() });
    fs::write(served.workspace().join("a.txt"), "words\n").unwrap();
    for (token, user) in served.mcp_tokens.iter().zip([json!(null), json!("bob")]) {
        let read = call_as(&served, token, "read_file", &json!({"path": "a.txt"}));
        assert_eq!(read["result"]["_meta"]["status"], "success", "{read}");
        for (method, path) in [
            ("GET", "/api/v1/about"),
            ("GET", "/api/v1/approvals"),
            ("PUT", "/api/v1/settings"),
            ("POST", "/api/v1/tools/execute"),
            ("GET", "/api/openapi.json"),
            ("GET", "/v1/models"),
            ("GET", "/metrics"),
            ("GET", &format!("/?token={token}")),
        ] {
            let refused = served.ask_as(token, method, path, (method != "GET").then(|| json!({})));
            assert_eq!(refused.status, 403, "{user} {method} {path}: {refused:?}");
            assert!(refused.body.contains("opens /mcp alone"), "{user} {method} {path}: {refused:?}");
            assert_eq!(refused.header("set-cookie"), None, "{path}");
        }
    }
    // What was called is on record as that user's: Bob sees the call of his client, and no other.
    let records = served.ask_as(&served.users[0], "GET", "/api/v1/audit", None).json();
    let of_clients =
        |record: &&Value| record["caller"] == "mcp:by-hand" && record["tool_name"] == "read_file";
    let calls: BTreeSet<&str> = records["records"]
        .as_array()
        .unwrap()
        .iter()
        .filter(of_clients)
        .filter_map(|record| record["call_id"].as_str())
        .collect();
    assert_eq!(calls.len(), 1, "{records}");
}

#[test]
fn a_port_for_clients_alone_has_the_same_token() {
    let served = Served::new();
    let mut command = served.command(&["mcp", "--json", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("it says {line:?}"));
    assert_eq!(ready["mcp_token"], json!(served.mcp_tokens[0]));
    assert!(!line.contains(&served.token), "the page's token is nobody's business here: {line}");
}

#[test]
fn a_users_client_reads_nothing_of_the_owners_skills() {
    let served = Served::around("", Around { users: &["bob"], ..Around::default() });
    let skill = served.root().join("data/skills/greet/SKILL.md");
    fs::create_dir_all(skill.parent().unwrap()).unwrap();
    fs::write(&skill, "Say hello to Ada.\n").unwrap();
    for (token, status) in served.mcp_tokens.iter().zip(["success", "blocked"]) {
        let read = call_as(&served, token, "read_file", &json!({"path": skill}));
        assert_eq!(read["result"]["_meta"]["status"], status, "{read}");
    }
}
