//! A dialect over HTTP: what it lists, what a call would do, and the result in its shape.

use serde_json::{Value, json};

use crate::harness::{House, Who};

async fn execute(house: &House, tool: &str, parameters: Value, dialect: Option<&str>) -> Value {
    let body = json!({"tool_name": tool, "parameters": parameters, "dialect": dialect});
    let (status, answer) = house.post(Who::Owner, "/api/v1/tools/execute", body).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

#[tokio::test]
async fn the_list_has_every_tool_of_that_system_and_marks_what_is_not_built() {
    let house = House::start().await;
    // What omni has is built, and its windows are not available: there is no desktop here.
    for (name, count, built, missing, is_built) in [
        ("omni", 24, "get_file_info", "list_windows", true),
        ("countbot", 14, "read_file", "web_fetch", false),
        ("skillmint", 37, "glob", "web_search", false),
        ("ops", 5, "sys_monitor", "semantic_search", false),
    ] {
        let (status, list) = house.get(Who::Owner, &format!("/api/v1/tools?dialect={name}")).await;
        assert_eq!(status, 200, "{list}");
        let tools = list["tools"].as_array().unwrap();
        assert_eq!(tools.len(), count, "{name}");
        let find = |wanted: &str| tools.iter().find(|tool| tool["name"] == wanted).unwrap();
        assert_eq!((&find(built)["built"], &find(built)["available"]), (&json!(true), &json!(true)));
        assert_eq!((&find(missing)["built"], &find(missing)["available"]), (&json!(is_built), &json!(false)));
        assert!(tools.iter().all(|tool| tool["input_schema"]["properties"].is_object()), "{name}");
        let is_described = |tool: &Value| tool["description"].as_str().is_some_and(|text| !text.is_empty());
        assert!(tools.iter().all(is_described), "{name}");
    }
    let (_, countbot) = house.get(Who::Owner, "/api/v1/tools?dialect=countbot").await;
    let search =
        countbot["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "file_search").unwrap();
    assert_eq!(search["input_schema"]["properties"]["limit"]["maximum"], 100, "its own bounds");
    let (status, error) = house.get(Who::Owner, "/api/v1/tools?dialect=nobody").await;
    assert_eq!(status, 404);
    assert!(error["error"]["message"].as_str().unwrap().contains("skillmint"), "{error}");
    let (status, _) = house.get(Who::Owner, "/api/v1/tools?dialect=omni&toolset=files").await;
    assert_eq!(status, 400, "one of them");
}

#[tokio::test]
async fn a_result_has_the_shape_of_the_dialect_that_was_asked_for() {
    let house = House::start().await;
    std::fs::write(house.workspace.join("a.txt"), "one\ntwo\n").unwrap();
    let part = json!({"path": "a.txt", "start_line": 2, "end_line": 2});
    let countbot = execute(&house, "read_file", part.clone(), Some("countbot")).await;
    assert_eq!((&countbot["success"], &countbot["result"]), (&json!(true), &json!("two\n")));
    let ours = execute(&house, "read_file", part, None).await;
    assert_eq!(ours["result"]["content"], "two\n");
    let skillmint = execute(&house, "glob", json!({"pattern": "*.txt"}), Some("skillmint")).await;
    assert_eq!(skillmint["result"], "a.txt");
    let ops = execute(&house, "sys_monitor", json!({"metric": "memory"}), Some("ops")).await;
    let output: Value = serde_json::from_str(ops["result"]["output"].as_str().unwrap()).unwrap();
    assert!(output["memory"]["total"].as_str().unwrap().ends_with("GB"), "{output}");
    // It is omni's API: its names need no dialect, also where they are ours, too. Ours are asked for by name.
    for dialect in [None, Some("omni")] {
        let omni = execute(&house, "get_file_info", json!({"path": "a.txt"}), dialect).await;
        assert_eq!((&omni["result"]["success"], &omni["result"]["data"]["size"]), (&json!(true), &json!(8)));
        let omni = execute(&house, "list_processes", json!({}), dialect).await;
        let processes = omni["result"]["data"]["processes"].as_array().unwrap();
        assert_eq!(
            Some(processes.len() as u64),
            omni["result"]["data"]["total"].as_u64().map(|n| n.min(500))
        );
    }
    let ours = execute(&house, "list_processes", json!({"limit": 1}), Some("deskhand")).await;
    assert_eq!(ours["result"]["processes"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn its_bounds_hold_and_what_is_not_built_says_so() {
    let house = House::start().await;
    let many = json!({"path": ".", "limit": 500});
    let refused = execute(&house, "file_search", many.clone(), Some("countbot")).await;
    assert_eq!((&refused["status"], &refused["success"]), (&json!("invalid_arguments"), &json!(false)));
    assert!(refused["result"].is_string(), "an error is a string there: {refused}");
    assert_eq!(execute(&house, "file_search", many, None).await["success"], true, "they are not ours");
    let missing = execute(&house, "file_download", json!({}), Some("ops")).await;
    assert_eq!(missing["status"], "not_found");
    assert_eq!(missing["result"]["error"], "file_download of ops is not built yet.");
    let absent = execute(&house, "list_windows", json!({}), Some("omni")).await;
    assert_eq!(absent["status"], "not_found");
    let message = absent["result"]["message"].as_str().unwrap();
    assert!(message.starts_with("list_windows is not offered here"), "{message}");
    let nobody = execute(&house, "read_file", json!({"path": "a.txt"}), Some("nobody")).await;
    assert_eq!(nobody["status"], "not_found");
}

#[tokio::test]
async fn a_change_is_shown_first_and_explained_under_any_name() {
    let house = House::start().await;
    let parameters = json!({"path": "n.txt", "content": "x"});
    let asked = json!({"tool_name": "write_file", "parameters": parameters, "dialect": "skillmint"});
    let (_, explained) = house.post(Who::Owner, "/api/v1/tools/explain", asked.clone()).await;
    assert_eq!(explained["explanation"]["decision"], "ask", "{explained}");
    let (_, shown) = house.post(Who::Owner, "/api/v1/tools/execute", asked.clone()).await;
    assert_eq!(shown["need_confirmation"], true);
    let mut yes = asked;
    yes["plan_id"] = shown["plan_id"].clone();
    let (_, done) = house.post(Who::Owner, "/api/v1/tools/execute", yes).await;
    assert!(done["result"].as_str().unwrap().contains("1 byte"), "{done}");
    let wrong = json!({"tool_name": "spawn", "parameters": {"task": "x"}, "dialect": "countbot"});
    let (_, explained) = house.post(Who::Owner, "/api/v1/tools/explain", wrong).await;
    let message = explained["error"]["message"].as_str().unwrap();
    assert_eq!(message, "spawn of countbot is not built yet: its tool here will be task.");
}
