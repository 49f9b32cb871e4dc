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
        thread::sleep(Duration::from_secs(2));
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
