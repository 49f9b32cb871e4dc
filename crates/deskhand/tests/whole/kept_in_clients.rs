//! What a command changed, as MCP clients are asked about it.

use std::{fs, io::BufRead};

use serde_json::{Value, json};

use crate::{command::Shop, mcp_by_hand::Client, try_command::layered};

const COMMAND: &str = "rm b.txt; echo line >> a.txt; echo made > new.txt";

/// Calls `bash` as a client that shows forms, and answers the one it is shown. The form's text, and the result.
fn answering(client: &mut Client, answer: &Value) -> (String, Value) {
    let id = client.begin("tools/call", &json!({"name": "bash", "arguments": {"command": COMMAND}}));
    let mut shown = Vec::new();
    loop {
        let mut line = String::new();
        assert!(client.output.read_line(&mut line).unwrap() > 0, "the server has ended");
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["method"] == "elicitation/create" {
            shown.push(message["params"]["message"].as_str().unwrap().to_owned());
            client.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
        } else if message["id"] == id && message.get("method").is_none() {
            assert_eq!(shown.len(), 1, "one question: {shown:?}, {message}");
            return (shown.remove(0), message["result"].clone());
        }
    }
}

fn is_as_before(shop: &Shop) -> bool {
    shop.read("a.txt") == "before\n" && shop.path("b.txt").exists() && !shop.path("new.txt").exists()
}

#[test]
fn form_lists_the_changes_and_only_a_yes_keeps_them() {
    let Some(shop) = layered() else { return };
    let mut client = Client::start_with(&shop, &["mcp"], &json!({"elicitation": {}}));
    for (answer, status) in [
        (json!({"action": "decline"}), "execution_rejected"),
        (json!({"action": "accept", "content": {"decision": "no", "reason": "not b"}}), "execution_rejected"),
        (json!({"action": "accept", "content": {"decision": "once"}}), "success"),
    ] {
        assert!(is_as_before(&shop), "nothing is kept without a yes");
        let (text, result) = answering(&mut client, &answer);
        for words in ["The command has run. Keep its changes?", "D b.txt", "M a.txt", "A new.txt", "+line"] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert_eq!(result["_meta"]["status"], status, "{result}");
    }
    assert!(shop.read("a.txt").ends_with("line\n") && !shop.path("b.txt").exists());
    assert_eq!(shop.read("new.txt"), "made\n");
    client.hang_up();
    assert_eq!(fs::read_dir(shop.root.join("data/layers")).unwrap().count(), 0);
}

#[test]
fn without_forms_or_an_answer_from_elsewhere_nothing_is_kept() {
    let Some(shop) = layered() else { return };
    let config = shop.root.join("config.toml");
    fs::write(&config, "approval_timeout_s = 1\n").unwrap();
    let mut client = Client::start(&shop, &["mcp", "--config", config.to_str().unwrap()]);
    let result = client.call("bash", &json!({"command": COMMAND}));
    assert_eq!(result["_meta"]["status"], "expired", "{result}");
    assert!(result["content"][0]["text"].as_str().unwrap().contains("D b.txt"), "{result}");
    assert!(is_as_before(&shop));
    client.hang_up();
}
