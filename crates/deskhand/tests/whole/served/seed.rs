//! What seeds/000 asks of the API, by the numbers of its list.

use serde_json::{Value, json};

use super::Served;

#[test]
fn ac008_a_session_is_created_and_its_id_returned() {
    let served = Served::new();
    let made = served.post("/api/v1/sessions", json!({}));
    assert_eq!(made["title"], "新会话");
    assert!(made["session_id"].is_string() && made["created_at"].is_string(), "{made}");
    assert_eq!(made["id"], made["session_id"]);
    let named = served.post("/api/v1/sessions", json!({"title": "项目需求分析"}));
    assert_eq!(named["title"], "项目需求分析");
}

#[test]
fn ac009_sessions_are_listed_by_page() {
    let served = Served::new();
    for n in 0..25 {
        served.post("/api/v1/sessions", json!({"title": format!("第 {n} 个")}));
    }
    let first = served.get("/api/v1/sessions?page=1&page_size=20");
    assert_eq!((first["total"].as_u64(), first["sessions"].as_array().unwrap().len()), (Some(25), 20));
    assert_eq!(first["sessions"][0]["title"], "第 24 个", "the newest first");
    for field in ["id", "session_id", "title", "created_at", "updated_at", "message_count"] {
        assert!(!first["sessions"][0][field].is_null(), "{field}");
    }
    let second = served.get("/api/v1/sessions?page=2&page_size=20");
    assert_eq!(second["sessions"].as_array().unwrap().len(), 5);
    assert_eq!(served.get("/api/v1/sessions")["sessions"].as_array().unwrap().len(), 20, "the usual page");
    for bad in ["page=0", "page=x", "page_size=0", "page_size=1001", "page=-1"] {
        let answer = served.ask("GET", &format!("/api/v1/sessions?{bad}"), None);
        assert_eq!(answer.status, 400, "{bad}: {answer:?}");
    }
}

#[test]
fn ac010_and_ac011_messages_are_kept_and_all_of_them_returned() {
    let served = Served::scripted("[[replies]]\ntext = \"早上好。\"\n[[replies]]\ntext = \"再见。\"\n");
    let session = served.new_session();
    served.turn(&session, "你好");
    served.turn(&session, "再会");
    let all = served.get(&format!("/api/v1/sessions/{session}/messages"));
    assert_eq!(all["session_id"], session.as_str());
    let told: Vec<_> = all["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [("user", "你好"), ("assistant", "早上好。"), ("user", "再会"), ("assistant", "再见。")]
    );
    assert!(all["messages"][0]["id"].is_i64() && all["messages"][0]["timestamp"].is_string());
    let last = served.get(&format!("/api/v1/sessions/{session}/messages?last=1"));
    assert_eq!(last["messages"][0]["content"], "再见。");
    let page = served.get(&format!("/api/v1/sessions/{session}/messages?page=2&page_size=3"));
    assert_eq!((page["messages"].as_array().unwrap().len(), page["total"].as_u64()), (1, Some(4)));
    let listed = served.get("/api/v1/sessions");
    assert_eq!(listed["sessions"][0]["message_count"], 4);
    assert_eq!(listed["sessions"][0]["title"], "你好", "the first words are its title");
}

#[test]
fn ac012_a_session_is_deleted_with_all_its_messages() {
    let served = Served::scripted("[[replies]]\ntext = \"Yes.\"\n");
    let session = served.new_session();
    served.turn(&session, "a secret plan");
    let path = format!("/api/v1/sessions/{session}");
    let deleted = served.ask("DELETE", &path, None);
    assert_eq!((deleted.status, deleted.json()), (200, json!({"success": true})));
    for gone in [path.clone(), format!("{path}/messages"), format!("{path}/events")] {
        assert_eq!(served.ask("GET", &gone, None).status, 404, "{gone}");
    }
    let found = served.get("/api/v1/sessions/search?q=secret");
    assert_eq!(found["items"], json!([]));
    assert_eq!(
        served.ask("POST", &format!("{path}/restore"), Some(json!({}))).status,
        404,
        "hard by default"
    );

    let soft = served.new_session();
    let path = format!("/api/v1/sessions/{soft}");
    assert_eq!(served.ask("DELETE", &format!("{path}?soft=true"), None).status, 200);
    assert_eq!(served.ask("GET", &path, None).status, 404);
    assert_eq!(served.post(&format!("{path}/restore"), json!({}))["id"], soft.as_str());
    assert_eq!(served.get(&path)["id"], soft.as_str());
}

#[test]
fn a_title_is_updated_a_session_archived_forked_exported_and_found() {
    let served = Served::scripted("[[replies]]\ntext = \"代码重构方案在这里。\"\n");
    let session = served.new_session();
    served.turn(&session, "重构");
    let path = format!("/api/v1/sessions/{session}");
    let renamed = served.ask("PUT", &path, Some(json!({"title": "Python学习笔记"}))).json();
    assert_eq!((&renamed["title"], &renamed["title_locked"]), (&json!("Python学习笔记"), &json!(true)));
    served.post(&format!("{path}/archive"), json!({"archived": true}));
    assert_eq!(served.get("/api/v1/sessions?archived=true")["total"], 1);
    assert_eq!(served.get("/api/v1/sessions?archived=false")["total"], 0);
    let found = served.get("/api/v1/sessions/search?q=%E6%96%B9%E6%A1%88");
    assert_eq!(found["items"][0]["session_id"], session.as_str());
    assert!(found["items"][0]["snippet"].as_str().unwrap().contains("⟪方案⟫"), "{found}");
    let fork = served.post(&format!("{path}/fork"), json!({}));
    assert_eq!(
        (&fork["message_count"], &fork["metadata"]["forked_from"]["session_id"]),
        (&json!(2), &json!(session))
    );
    let markdown = served.ask("GET", &format!("{path}/export?format=markdown"), None);
    assert!(markdown.body.contains("代码重构方案"), "{markdown:?}");
    assert!(markdown.header("content-disposition").unwrap().starts_with("attachment"));
    let exported = served.ask("GET", &format!("{path}/export"), None).json();
    let imported = served.post("/api/v1/sessions/import", exported);
    assert_eq!(imported["message_count"], 2);
}

/// Runs a tool by the API of the omni system.
fn execute(served: &Served, body: Value) -> Value {
    served.post("/api/v1/tools/execute", body)
}

#[test]
fn a_tool_is_executed_and_every_outcome_is_a_200() {
    let served = Served::new();
    let info = execute(&served, json!({"tool_name": "get_system_info", "parameters": {}}));
    assert_eq!(
        (&info["success"], &info["status"], &info["need_confirmation"]),
        (&json!(true), &json!("success"), &json!(false))
    );
    assert!(info["result"]["data"].is_object(), "the shape of that system: {info}");
    let shell = execute(&served, json!({"tool_name": "run_shell", "parameters": {"command": "pwd"}}));
    assert_eq!(shell["result"]["stdout"].as_str().unwrap().trim(), served.workspace().to_str().unwrap());
    assert_eq!(shell["result"]["exit_code"], 0);
    for (tool, parameters, status) in [
        ("no_such_tool", json!({}), "not_found"),
        ("read_file", json!({}), "invalid_arguments"),
        ("read_file", json!({"path": "missing.txt"}), "error"),
        // §5.3: what is on the black list never runs.
        ("run_shell", json!({"command": "rm -rf /"}), "blocked"),
        ("run_shell", json!({"command": "mkfs.ext4 /dev/sda"}), "blocked"),
    ] {
        let outcome = execute(&served, json!({"tool_name": tool, "parameters": parameters}));
        assert_eq!(
            (&outcome["success"], outcome["status"].as_str()),
            (&json!(false), Some(status)),
            "{tool}: {outcome}"
        );
    }
    for malformed in
        [json!({}), json!([]), json!({"tool_name": 5}), json!({"tool_name": "x", "parameters": "y"})]
    {
        let answer = served.ask("POST", "/api/v1/tools/execute", Some(malformed));
        assert_eq!(answer.status, 400, "{answer:?}");
    }
}

#[test]
fn what_needs_a_person_is_shown_first_and_run_when_it_is_confirmed() {
    let served = Served::new();
    let call = json!({"tool_name": "write_file", "parameters": {"path": "a.txt", "content": "one"}});
    let shown = execute(&served, call.clone());
    assert_eq!((&shown["success"], &shown["need_confirmation"]), (&json!(false), &json!(true)));
    assert!(shown["confirmation_message"].as_str().unwrap().contains("a.txt"), "{shown}");
    assert!(!served.workspace().join("a.txt").exists(), "nothing has run");

    let mut confirmed = call.clone();
    confirmed["plan_id"] = shown["plan_id"].clone();
    assert_eq!(execute(&served, confirmed.clone())["success"], true);
    assert_eq!(std::fs::read_to_string(served.workspace().join("a.txt")).unwrap(), "one");
    assert_eq!(execute(&served, confirmed)["need_confirmation"], true, "a yes is used once");

    // As the seed has it: the same arguments, in whatever order, with a bare yes.
    let bare = json!({"tool_name": "write_file", "parameters": {"content": "two", "path": "b.txt"}, "require_confirmation": true});
    assert_eq!(
        execute(&served, bare.clone())["need_confirmation"],
        true,
        "a yes to what was never shown is none"
    );
    assert_eq!(execute(&served, bare)["success"], true);

    // Another call's plan is no yes to this one.
    let shown =
        execute(&served, json!({"tool_name": "write_file", "parameters": {"path": "c.txt", "content": "x"}}));
    let other = json!({"tool_name": "write_file", "parameters": {"path": "d.txt", "content": "x"}, "plan_id": shown["plan_id"]});
    assert_eq!(execute(&served, other)["need_confirmation"], true);
    assert!(!served.workspace().join("d.txt").exists());
}

#[test]
fn a_plan_that_no_longer_holds_is_shown_anew() {
    let served = Served::new();
    let file = served.workspace().join("a.txt");
    std::fs::write(&file, "old").unwrap();
    let call = json!({"tool_name": "edit_file", "parameters": {"path": "a.txt", "old_text": "old", "new_text": "new"}});
    let shown = execute(&served, call.clone());
    std::fs::write(&file, "old and changed by somebody else").unwrap();
    let mut confirmed = call;
    confirmed["plan_id"] = shown["plan_id"].clone();
    let again = execute(&served, confirmed.clone());
    assert_eq!(again["need_confirmation"], true, "{again}");
    assert_ne!(again["plan_id"], shown["plan_id"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old and changed by somebody else");
    confirmed["plan_id"] = again["plan_id"].clone();
    assert_eq!(execute(&served, confirmed)["success"], true);
}

/// §5.3: ending a process is confirmed first.
#[test]
fn ending_a_process_is_confirmed_first() {
    let served = Served::new();
    let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let call = json!({"tool_name": "kill_process", "parameters": {"pid": sleeper.id()}});
    let shown = execute(&served, call.clone());
    assert_eq!(shown["need_confirmation"], true, "{shown}");
    assert!(sleeper.try_wait().unwrap().is_none(), "it still runs");
    let mut confirmed = call;
    confirmed["plan_id"] = shown["plan_id"].clone();
    let ended = execute(&served, confirmed);
    assert_eq!(ended["success"], true, "{ended}");
    sleeper.wait().unwrap();
}

/// §5.3: the data of a session is seen by its owner alone.
#[test]
fn sessions_of_one_user_are_invisible_to_another() {
    let mut served = Served::scripted("[[replies]]\ntext = \"Yours.\"\n[[replies]]\ntext = \"Mine.\"\n");
    let added = served.command(&["users", "add", "bob", "--json"]).output().unwrap();
    let bob: Value = serde_json::from_slice(&added.stdout).unwrap();
    let bob = bob["token"].as_str().unwrap().to_owned();
    assert_eq!(served.ask_as(&bob, "GET", "/api/v1/sessions", None).status, 401, "from the next start on");
    served.kill_and_restart();

    let mine = served.new_session();
    served.turn(&mine, "my secret");
    let his = served.ask_as(&bob, "POST", "/api/v1/sessions", Some(json!({}))).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (token, own, other) in [(served.token.clone(), &mine, &his), (bob, &his, &mine)] {
        let listed = served.ask_as(&token, "GET", "/api/v1/sessions", None).json();
        assert_eq!(
            (listed["total"].as_u64(), listed["sessions"][0]["id"].as_str()),
            (Some(1), Some(own.as_str()))
        );
        for path in ["", "/messages", "/events", "/export", "/calls"] {
            let answer = served.ask_as(&token, "GET", &format!("/api/v1/sessions/{other}{path}"), None);
            assert_eq!(answer.status, 404, "{path}: {answer:?}");
        }
    }
}
