//! What a command changed, through `POST /api/v1/tools/execute`: the second request keeps that very layer.

use std::fs;

use serde_json::{Value, json};

use super::{Around, Served};

/// Each run leaves another content, and a line in a place that is not on the layer.
const COMMAND: &str = "date +%s%N > when.txt; rm old.txt; echo run >> /tmp/runs; cat /tmp/runs";

fn served(config: &'static str) -> Option<Served> {
    let served = Served::around("", Around { config, ..Around::default() });
    fs::write(served.workspace().join("old.txt"), "old\n").unwrap();
    let doctor = served.command(&["doctor", "--json"]).output().unwrap();
    if String::from_utf8_lossy(&doctor.stdout).contains("commands run on a copy-on-write layer") {
        return Some(served);
    }
    deskhand_testkit::skip("no layer can be mounted here");
    None
}

fn body() -> Value {
    json!({"tool_name": "bash", "parameters": {"command": COMMAND}})
}

fn execute(served: &Served, body: &Value) -> Value {
    served.post("/api/v1/tools/execute", body.clone())
}

/// Runs it; the changes are shown and wait.
fn asked(served: &Served) -> Value {
    let shown = execute(served, &body());
    assert_eq!(
        (&shown["status"], &shown["need_confirmation"], &shown["success"]),
        (&json!("need_changes_approval"), &json!(true), &json!(false)),
        "{shown}"
    );
    assert_eq!(shown["question"]["id"], shown["approval_id"], "{shown}");
    let changes = &shown["plan"]["changes"];
    assert_eq!((&changes["created"], &changes["deleted"]), (&json!(1), &json!(1)), "{shown}");
    assert_eq!(shown["question"]["subject"]["plan"]["changes"], *changes, "{shown}");
    assert!(shown.get("outcome").is_none() && shown["confirmation_message"] != "", "{shown}");
    assert!(served.workspace().join("old.txt").exists() && !served.workspace().join("when.txt").exists());
    shown
}

/// The content that the change list promises.
fn promised(shown: &Value) -> String {
    let diff = shown["plan"]["preview"].to_string();
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let (_, line) = diff.split_once("\\n+1").unwrap_or_else(|| panic!("{diff}"));
    format!("1{}\n", digits(line))
}

#[test]
fn second_request_keeps_that_layer_and_runs_nothing_again() {
    let Some(served) = served("") else { return };
    for by_id in [true, false] {
        let shown = asked(&served);
        let promised = promised(&shown);
        let mut yes = body();
        if by_id {
            yes["approval_id"] = shown["approval_id"].clone();
        } else {
            yes["require_confirmation"] = json!(true);
        }
        let done = execute(&served, &yes);
        assert_eq!((&done["success"], &done["outcome"]["kept"]), (&json!(true), &json!(true)), "{done}");
        assert_eq!(fs::read_to_string(served.workspace().join("when.txt")).unwrap(), promised);
        assert!(!served.workspace().join("old.txt").exists(), "{done}");
        // The first run of the second round finds the line of the first: the session has one /tmp.
        let runs = done["outcome"]["data"]["stdout"].as_str().unwrap().lines().count();
        assert_eq!(runs, if by_id { 1 } else { 2 }, "{done}");
        let again = served.ask(
            "POST",
            "/api/v1/tools/execute",
            Some({
                let mut again = body();
                again["approval_id"] = shown["approval_id"].clone();
                again
            }),
        );
        assert_eq!((again.status, &again.json()["error"]["code"]), (409, &json!("no_such_question")));
        let undone = served.command(&["undo"]).output().unwrap();
        assert!(undone.status.success(), "{undone:?}");
        assert!(served.workspace().join("old.txt").exists() && !served.workspace().join("when.txt").exists());
    }
}

#[test]
fn result_is_a_further_question_after_the_changes() {
    let Some(served) = served("[tools.bash]\nrequires_result_approval = true\n") else { return };
    let shown = asked(&served);
    let mut yes = body();
    yes["approval_id"] = shown["approval_id"].clone();
    let result = execute(&served, &yes);
    assert_eq!(
        (&result["status"], &result["need_confirmation"]),
        (&json!("need_result_approval"), &json!(true)),
        "{result}"
    );
    assert_ne!(result["approval_id"], shown["approval_id"]);
    assert!(!served.workspace().join("old.txt").exists(), "the changes are kept by now");
    yes["approval_id"] = result["approval_id"].clone();
    let done = execute(&served, &yes);
    assert_eq!((&done["success"], &done["outcome"]["kept"]), (&json!(true), &json!(true)), "{done}");
    assert_eq!(done["outcome"]["data"]["stdout"], "run\n", "it ran once: {done}");
}

#[test]
fn no_to_the_question_discards_the_changes() {
    let Some(served) = served("") else { return };
    let shown = asked(&served);
    let question = format!("/api/v1/approvals/{}", shown["approval_id"].as_str().unwrap());
    let said = served.post(&question, json!({"answer": "no", "reason": "not that file"}));
    assert_eq!(said["accepted"], true, "{said}");
    let mut late = body();
    late["approval_id"] = shown["approval_id"].clone();
    let ended = execute(&served, &late);
    assert_eq!(
        (&ended["status"], &ended["outcome"]["kept"]),
        (&json!("execution_rejected"), &json!(false)),
        "a yes that comes later changes nothing: {ended}"
    );
    assert!(ended["message"].as_str().unwrap().contains("not that file"), "{ended}");
    assert!(served.workspace().join("old.txt").exists() && !served.workspace().join("when.txt").exists());
    let left = fs::read_dir(served.root().join("data/layers")).unwrap().count();
    assert_eq!(left, 0, "nothing of the layer is left");
}
