//! The desktop through `POST /api/v1/tools/execute`: a plan is confirmed once, a result that a person has to see comes as
//! a second question, and every name of the omni system answers in its shape.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Display;
use crate::served::{Around, Served};

/// A server at a display, with a folder for temporary files of its own.
fn serve(display: &Display) -> (Served, TempDir) {
    let temporary = tempfile::tempdir().unwrap();
    let environment = vec![
        ("DISPLAY", display.name.clone()),
        ("TMPDIR", temporary.path().canonicalize().unwrap().to_str().unwrap().to_owned()),
    ];
    (Served::around("", Around { environment, ..Around::default() }), temporary)
}

fn execute(served: &Served, body: &Value) -> Value {
    served.post("/api/v1/tools/execute", body.clone())
}

/// Says yes to whatever is asked, as callers of the omni system do. How it ended, and the states on the way.
fn agree(served: &Served, tool: &str, parameters: &Value) -> (Value, Vec<String>) {
    let mut body = json!({"tool_name": tool, "parameters": parameters});
    let mut states = Vec::new();
    loop {
        let answer = execute(served, &body);
        states.push(answer["status"].as_str().unwrap().to_owned());
        if answer["need_confirmation"] != true || states.len() > 3 {
            return (answer, states);
        }
        body["require_confirmation"] = json!(true);
    }
}

#[test]
fn a_screenshot_is_confirmed_once_and_then_looked_at() {
    let display = Display::bare();
    let (served, temporary) = serve(&display);
    for number in 1..=2 {
        let name = format!("screenshots/screenshot_{number}.png");
        let file = served.workspace().join(&name);
        let mut body = json!({"tool_name": "screenshot", "parameters": {}});
        let shown = execute(&served, &body);
        assert_eq!(shown["status"], "need_confirmation", "{shown}");
        assert!(shown["plan"]["summary"].as_str().unwrap().contains(&name), "{shown}");
        body["plan_id"] = shown["plan_id"].clone();
        let ran = execute(&served, &body);
        assert_eq!(
            (&ran["status"], &ran["need_confirmation"]),
            (&json!("need_result_approval"), &json!(true)),
            "one confirmation is enough: {ran}"
        );
        let picture = &ran["question"]["subject"]["images"][0]["base64"];
        assert!(picture.as_str().unwrap().starts_with("iVBORw0KGgo"));
        assert!(ran.get("outcome").is_none() && !file.exists(), "nothing is handed over yet");
        body["plan_id"] = Value::Null;
        body["approval_id"] = ran["approval_id"].clone();
        let done = execute(&served, &body);
        assert_eq!(
            (&done["success"], done["result"]["path"].as_str()),
            (&json!(true), file.to_str()),
            "{done}"
        );
        assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"));
    }
    // As callers of omni say yes; its pictures go to the folder for temporary files, for their owner alone.
    let (done, states) = agree(&served, "screenshot_full", &json!({}));
    assert_eq!(states, ["need_confirmation", "need_result_approval", "success"], "{done}");
    let path = std::path::Path::new(done["result"]["data"]["path"].as_str().unwrap());
    assert_eq!(path.parent(), Some(temporary.path().canonicalize().unwrap().as_path()), "{path:?}");
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_result_waits_for_its_own_caller() {
    let display = Display::bare();
    display.copies(&["-selection", "clipboard"], b"a secret");
    let (served, _temporary) = serve(&display);
    let mut body = json!({"tool_name": "clipboard_read", "parameters": {}});
    let mut run = || {
        let shown = execute(&served, &json!({"tool_name": "clipboard_read", "parameters": {}}));
        body["plan_id"] = shown["plan_id"].clone();
        let ran = execute(&served, &body);
        assert_eq!(ran["status"], "need_result_approval", "{ran}");
        assert_eq!(ran["question"]["subject"]["text"], "a secret");
        assert_eq!(ran["question"]["session_id"], "web-console", "it is of no conversation");
        json!({"tool_name": "clipboard_read", "parameters": {}, "approval_id": ran["approval_id"]})
    };
    let yes = run();
    let mut other = yes.clone();
    other["parameters"] = json!({"selection": "primary"});
    let refused = |body: &Value| {
        let answer = served.ask("POST", "/api/v1/tools/execute", Some(body.clone()));
        (answer.status, answer.json()["error"]["code"].clone())
    };
    assert_eq!(refused(&other), (409, json!("no_such_question")), "it is no yes to another call");
    let done = execute(&served, &yes);
    assert_eq!(
        (&done["success"], &done["result"]["data"]["text"]),
        (&json!(true), &json!("a secret")),
        "{done}"
    );
    assert_eq!(
        refused(&yes),
        (409, json!("no_such_question")),
        "a yes is used once, and the call is not made again"
    );
    // Kept back on the page: the yes that comes afterwards changes nothing.
    let yes = run();
    let question = format!("/api/v1/approvals/{}", yes["approval_id"].as_str().unwrap());
    assert_eq!(served.post(&question, json!({"answer": "withhold"}))["accepted"], true);
    let kept = execute(&served, &yes);
    assert_eq!(kept["status"], "result_rejected", "{kept}");
    assert!(!kept.to_string().contains("a secret"), "{kept}");
    // A caller that wants to wait for the page gets no question.
    let mut waiting = json!({"tool_name": "clipboard_read", "parameters": {}, "wait": true});
    waiting["plan_id"] = execute(&served, &waiting)["plan_id"].clone();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| execute(&served, &waiting));
        let path = format!("/api/v1/approvals/{}", served.question()["id"].as_str().unwrap());
        served.post(&path, json!({"answer": "pass"}));
        assert_eq!(waits.join().unwrap()["result"]["data"]["text"], "a secret");
    });
}

#[test]
fn every_omni_name_answers_in_its_own_shape() {
    let display = Display::new();
    let (window, _) = display.window("Notes", "300x200+100+100", "#336699");
    let (served, _temporary) = serve(&display);
    std::fs::write(served.workspace().join("a.txt"), "one\n").unwrap();
    let mut sleeper = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let pid = sleeper.id();
    let region = json!({"x": 0, "y": 0, "width": 5, "height": 5});
    let calls = [
        ("list_windows", json!({}), "windows"),
        ("get_active_window", json!({}), "handle"),
        ("switch_window", json!({"window_id": window}), "handle"),
        ("screenshot_full", json!({}), "path"),
        ("screenshot_window", json!({"window_id": window}), "path"),
        ("screenshot_region", region, "path"),
        ("run_shell", json!({"command": "pwd"}), ""),
        ("create_directory", json!({"path": "new"}), "path"),
        ("copy_file", json!({"source": "a.txt", "destination": "b.txt"}), "destination"),
        ("get_file_info", json!({"path": "a.txt"}), "permissions"),
        ("compress_files", json!({"files": ["a.txt"], "output": "a.zip"}), "output"),
        ("decompress_file", json!({"file": "a.zip"}), "destination"),
        ("clipboard_write", json!({"text": "复制"}), ""),
        ("clipboard_read", json!({}), "text"),
        ("clipboard_clear", json!({}), ""),
        ("get_system_info", json!({}), "os"),
        ("get_cpu_info", json!({}), "cores"),
        ("get_memory_info", json!({}), "total"),
        ("get_disk_info", json!({}), "partitions"),
        ("get_network_info", json!({}), "interfaces"),
        ("list_processes", json!({}), "processes"),
        ("get_process_info", json!({"pid": pid}), "pid"),
        ("kill_process", json!({"pid": pid}), "pid"),
        ("close_window", json!({"window_id": window}), "handle"),
    ];
    let listed = served.get("/api/v1/tools?dialect=omni");
    let mut names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut called: Vec<&str> = calls.iter().map(|(tool, ..)| *tool).collect();
    names.sort_unstable();
    called.sort_unstable();
    assert_eq!(called, names, "all of them");
    for (tool, parameters, field) in calls {
        let (answer, _) = agree(&served, tool, &parameters);
        assert_eq!(answer["success"], true, "{tool}: {answer}");
        let result = answer["result"].as_object().unwrap();
        let mut fields: Vec<&str> = result.keys().map(String::as_str).collect();
        fields.sort_unstable();
        if tool == "run_shell" {
            assert_eq!(fields, ["execution_time", "exit_code", "stderr", "stdout", "success"], "{tool}");
            continue;
        }
        assert_eq!(fields, ["data", "message", "success"], "{tool}: {answer}");
        assert!(field.is_empty() || result["data"].get(field).is_some(), "{tool} has no {field}: {answer}");
        if tool.ends_with("_window") && !tool.starts_with("screenshot") {
            assert_eq!(result["data"]["handle"], window, "{tool}: {answer}");
        }
    }
    sleeper.wait().unwrap();
    // Ours are there for callers who ask for them.
    let ours = json!({"tool_name": "list_processes", "parameters": {"limit": 1}, "dialect": "deskhand"});
    let ours = execute(&served, &ours);
    assert_eq!(ours["result"]["processes"].as_array().unwrap().len(), 1, "{ours}");
}
