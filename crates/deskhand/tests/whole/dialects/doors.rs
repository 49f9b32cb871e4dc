//! The same answer over every door: `deskhand call --dialect` and `deskhand mcp --dialect`, for every tool that is
//! built. (HTTP has its own tests, in `crates/serve/tests/http/dialects.rs`.)

use serde_json::{Value, json};

use crate::{command::Shop, mcp_by_hand::Client};

/// What a caller of that system gets: the object, or the text.
fn shaped(client: &mut Client, tool: &str) -> Value {
    let result = client.call(tool, &json!({}));
    assert!(result["content"].is_array(), "{tool}: {result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let object = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    object.unwrap_or_else(|| json!(text))
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
    let absent = shop.run(&["doctor", "--json"]).json()["absent_tools"].clone();
    let is_absent = |name: &Value| absent.as_array().unwrap().iter().any(|tool| tool["name"] == *name);
    // What belongs to a conversation of ours is nothing for clients, and there is no desktop here.
    let is_for_clients =
        |tool: &&Value| tool["built"] == true && tool["tool"] != "compact" && !is_absent(&tool["tool"]);
    let built: Vec<&Value> = listed["tools"].as_array().unwrap().iter().filter(is_for_clients).collect();
    let mut client = Client::start(&shop, &["mcp", "--mode", "auto", "--dialect", dialect]);
    let offered = client.ask("tools/list", &json!({}));
    let names = |tools: &[&Value]| -> Vec<String> {
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let offered: Vec<&Value> = offered["result"]["tools"].as_array().unwrap().iter().collect();
    assert_eq!(names(&offered), names(&built), "{dialect}");
    for tool in built {
        let name = tool["name"].as_str().unwrap();
        // What needs arguments is called without, and says which; the rest succeeds. Nothing is asked: one door would
        // wait for an answer, and the other has nobody.
        let here = shop.run(&["call", "--json", "--mode", "auto", "--dialect", dialect, name, "{}"]).json();
        let there = shaped(&mut client, name);
        if name == "browser_screenshot" {
            // Over MCP the picture is an image, which its text does not repeat.
            assert!(there.as_str().unwrap().starts_with("A picture of"), "{dialect} {name}");
            continue;
        }
        assert_eq!(without_moments(there), without_moments(here), "{dialect} {name}");
    }
    let unknown = client.ask("tools/call", &json!({"name": "surely_not", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.hang_up();
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
