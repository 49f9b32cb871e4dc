//! Programs in the background, run by the server itself: watched as they print, and ended by a click.

use std::{thread, time::Duration};

use serde_json::json;

use super::Served;

#[test]
fn what_runs_in_the_background_is_watched_and_ended() {
    let served = Served::new();
    let session = served.new_session();
    let parameters = json!({"command": "echo ready; printf 'name? '; sleep 600", "background": true});
    let mut body = json!({"tool_name": "bash", "parameters": parameters, "session_id": session});
    let mut started = served.post("/api/v1/tools/execute", body.clone());
    if started["need_confirmation"] == true {
        body["plan_id"] = started["plan_id"].clone();
        started = served.post("/api/v1/tools/execute", body);
    }
    let id = started["result"]["process_id"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
    let process = &served.get("/api/v1/processes")["processes"][0];
    assert_eq!((&process["id"], &process["status"]), (&json!(id), &json!("running")));
    assert_eq!(process["session_id"], json!(session));

    // The stream ends by itself, with the process.
    let path = format!("/api/v1/processes/{id}/output");
    let seen = thread::scope(|scope| {
        let watching = scope.spawn(|| served.ask("GET", &path, None));
        // A prompt is shown when it stays.
        served.read_until(&path, "name? ");
        let killed = served.post(&format!("/api/v1/processes/{id}/kill"), json!({}));
        assert_eq!(killed["result"]["status"], "killed", "{killed}");
        watching.join().unwrap()
    });
    assert_eq!(seen.status, 200);
    for part in ["\"text\":\"ready\\n\"", "\"text\":\"name? \"", "event: end", "\"status\":\"killed\""] {
        assert!(seen.body.contains(part), "{part}: {}", seen.body);
    }
    assert_eq!(seen.body.matches("name? ").count(), 1, "{}", seen.body);
    assert!(served.ask("GET", &path, None).body.contains("event: end"), "it can be read afterwards, too");
}

#[test]
fn what_an_mcp_client_left_running_ends_with_it() {
    let served = Served::with("", &["--mode", "auto"]);
    let ask = |method: &str, session: &str, message: &str| {
        served.raw(&format!(
            "{method} /mcp HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{session}\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{message}",
            served.port,
            served.token,
            message.len()
        ))
    };
    let begin = || {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).to_string();
        let id = ask("POST", "", &hello).header("mcp-session-id").unwrap().to_owned();
        let session = format!("Mcp-Session-Id: {id}\r\n");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        ask("POST", &session, &ready);
        let call = json!({"name": "bash", "arguments": {"command": "sleep 600", "background": true}});
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}).to_string();
        let started = ask("POST", &session, &call);
        assert!(started.body.contains("process_id"), "{started:?}");
        session
    };
    let running = || {
        let listed = served.get("/api/v1/processes");
        let all = listed["processes"].as_array().unwrap().iter();
        all.filter(|process| process["status"] == "running").count()
    };
    let (gone, _stays) = (begin(), begin());
    assert_eq!(running(), 2);
    ask("DELETE", &gone, "");
    let begun = std::time::Instant::now();
    while running() == 2 && begun.elapsed() < Duration::from_secs(30) {
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(running(), 1, "the other client's goes on");
}
