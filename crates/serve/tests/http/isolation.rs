//! Sessions of one user are invisible to another, on every route. What the owner has bears a mark; another user asks
//! every route of the document for it, by the owner's own ids, and never gets to see the mark.
//!
//! A route that is not in the table below fails the test: whoever adds one says here what a stranger gets of it.

use std::{collections::HashMap, fs, time::Duration};

use deskhand_agent::provider::scripted::ScriptedReply;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    doors::operations,
    grants,
    harness::{House, Who, answer, json_body, read_until, text},
    processes,
};

/// Stands in everything that is the owner's.
const MARK: &str = "xyzzy";
const PROCESS: &str = "p-0000000f";

/// What a stranger gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gets {
    /// It does not exist, or is forbidden: 404 or 403.
    Nothing,
    /// An answer, with nothing of the owner's in it.
    TheirOwn,
}

use Gets::{Nothing, TheirOwn};

/// Method, path, the rest of the address, the body, what a stranger gets, and whether the owner sees the mark there.
type Row = (&'static str, &'static str, &'static str, Value, Gets, bool);

/// The browser's routes, each asked for the browser of the owner's session.
const BROWSER: &[&str] = &[
    "/api/browser/launch",
    "/api/browser/navigate",
    "/api/browser/click",
    "/api/browser/type",
    "/api/browser/scroll",
    "/api/browser/hover",
    "/api/browser/press_key",
    "/api/browser/screenshot",
    "/api/browser/get_dom",
    "/api/browser/evaluate",
    "/api/browser/wait_for",
    "/api/browser/go_back",
    "/api/browser/go_forward",
    "/api/browser/reload",
    "/api/browser/get_state",
];

fn table() -> Vec<Row> {
    let browser = BROWSER.iter().map(|path| ("POST", *path, "", json!({}), Nothing, false));
    others().into_iter().chain(browser).collect()
}

#[allow(clippy::too_many_lines)] // a table
fn others() -> Vec<Row> {
    let none = || Value::Null;
    vec![
        ("GET", "/healthz", "", none(), TheirOwn, false),
        ("GET", "/metrics", "", none(), Nothing, false),
        ("GET", "/api/v1/about", "", none(), TheirOwn, false),
        ("POST", "/api/v1/workspaces", "", json!({"path": "/tmp"}), Nothing, false),
        ("GET", "/api/v1/sessions", "", none(), TheirOwn, true),
        ("POST", "/api/v1/sessions", "", json!({}), TheirOwn, false),
        ("GET", "/api/v1/sessions/search", "?q=xyzzy", none(), TheirOwn, true),
        ("POST", "/api/v1/sessions/import", "", json!({"nonsense": true}), TheirOwn, false),
        ("GET", "/api/v1/sessions/{session_id}", "", none(), Nothing, true),
        ("PUT", "/api/v1/sessions/{session_id}", "", json!({"title": "mine now"}), Nothing, false),
        ("DELETE", "/api/v1/sessions/{session_id}", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/restore", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/archive", "", json!({"archived": true}), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/fork", "", json!({}), Nothing, false),
        ("GET", "/api/v1/sessions/{session_id}/export", "", none(), Nothing, true),
        ("GET", "/api/v1/sessions/{session_id}/messages", "", none(), Nothing, true),
        ("POST", "/api/v1/sessions/{session_id}/messages", "", json!({"content": "hi"}), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/retry", "", json!({}), Nothing, false),
        ("GET", "/api/v1/sessions/{session_id}/calls", "", none(), Nothing, true),
        ("POST", "/api/v1/sessions/{session_id}/calls/{call_id}/again", "", json!({}), Nothing, false),
        ("GET", "/api/v1/sessions/{session_id}/changes", "", none(), Nothing, true),
        ("POST", "/api/v1/sessions/{session_id}/queue", "", json!({"content": "hi"}), Nothing, false),
        (
            "PUT",
            "/api/v1/sessions/{session_id}/queue/{queued_id}",
            "",
            json!({"content": "hi"}),
            Nothing,
            false,
        ),
        ("DELETE", "/api/v1/sessions/{session_id}/queue/{queued_id}", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/queue/{queued_id}/send", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/cancel", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/pause", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/resume", "", none(), Nothing, false),
        ("POST", "/api/v1/sessions/{session_id}/compact", "", json!({}), Nothing, false),
        ("GET", "/api/v1/sessions/{session_id}/events", "", none(), Nothing, true),
        ("GET", "/api/v1/sessions/{session_id}/ws", "", none(), Nothing, false),
        ("GET", "/api/v1/notices", "", none(), TheirOwn, true),
        ("GET", "/api/v1/tools", "", none(), TheirOwn, false),
        ("GET", "/api/v1/tools/{name}", "", none(), TheirOwn, false),
        (
            "POST",
            "/api/v1/tools/explain",
            "",
            json!({"tool_name": "undo", "session_id": "{session_id}"}),
            Nothing,
            false,
        ),
        (
            "POST",
            "/api/v1/tools/execute",
            "",
            json!({"tool_name": "undo", "session_id": "{session_id}"}),
            Nothing,
            false,
        ),
        ("GET", "/api/v1/approvals", "", none(), TheirOwn, true),
        ("GET", "/api/v1/approvals/{approval_id}", "", none(), Nothing, true),
        ("POST", "/api/v1/approvals/{approval_id}", "", json!({"answer": "yes"}), Nothing, false),
        ("GET", "/api/v1/sessions/{session_id}/uploads", "", none(), Nothing, true),
        (
            "POST",
            "/api/v1/sessions/{session_id}/uploads",
            "",
            json!({"name": "a", "size": 1}),
            Nothing,
            false,
        ),
        (
            "POST",
            "/api/v1/sessions/{session_id}/uploads/copy",
            "",
            json!({"upload_id": "{kept_id}"}),
            Nothing,
            false,
        ),
        ("POST", "/api/v1/sessions/{session_id}/files", "", none(), Nothing, false),
        ("GET", "/api/v1/uploads/{upload_id}", "", none(), Nothing, false),
        ("PATCH", "/api/v1/uploads/{upload_id}", "", none(), Nothing, false),
        ("DELETE", "/api/v1/uploads/{upload_id}", "", none(), Nothing, false),
        ("POST", "/api/v1/downloads", "", json!({"upload_id": "{kept_id}"}), Nothing, false),
        // The link is the permission; of one that nobody gave away there is nothing to see.
        ("GET", "/api/files/download/{download_id}", "", none(), Nothing, false),
        ("GET", "/api/v1/grants", "", none(), TheirOwn, true),
        ("DELETE", "/api/v1/grants/{grant_id}", "", none(), Nothing, false),
        ("GET", "/api/v1/undo", "", none(), TheirOwn, true),
        ("POST", "/api/v1/undo/{call_id}", "", none(), Nothing, false),
        ("POST", "/api/v1/undo/turns/{turn_id}", "", none(), Nothing, false),
        ("GET", "/api/v1/audit", "?page_size=1000", none(), TheirOwn, true),
        ("GET", "/api/v1/audit/verify", "", none(), TheirOwn, false),
        ("GET", "/api/v1/vitals", "", none(), TheirOwn, false),
        ("GET", "/api/v1/vitals/events", "", none(), TheirOwn, false),
        ("GET", "/api/v1/processes", "", none(), TheirOwn, true),
        ("GET", "/api/v1/processes/{process_id}/output", "", none(), Nothing, true),
        ("POST", "/api/v1/processes/{process_id}/kill", "", none(), Nothing, false),
        ("GET", "/api/v1/servers", "", none(), Nothing, false),
        (
            "POST",
            "/api/v1/servers",
            "",
            json!({"name": "s", "entry": {"url": "http://127.0.0.1:1"}}),
            Nothing,
            false,
        ),
        ("POST", "/api/v1/servers/import", "", json!({"json": "{}"}), Nothing, false),
        ("PATCH", "/api/v1/servers/{name}", "", json!({"disabled": true}), Nothing, false),
        ("DELETE", "/api/v1/servers/{name}", "", none(), Nothing, false),
        ("GET", "/api/v1/servers/{name}/log", "", none(), Nothing, false),
        ("POST", "/api/v1/servers/{name}/restart", "", none(), Nothing, false),
        ("POST", "/api/v1/servers/{name}/sign-in", "", none(), Nothing, false),
        ("DELETE", "/api/v1/servers/{name}/sign-in", "", none(), Nothing, false),
        ("GET", "/api/v1/settings", "", none(), TheirOwn, false),
        ("PUT", "/api/v1/settings", "", json!({"mode": "auto"}), Nothing, false),
        ("GET", "/api/v1/models", "", none(), TheirOwn, false),
        ("POST", "/api/v1/models/keys", "", json!({"provider": "openai", "key": "k"}), Nothing, false),
        ("DELETE", "/api/v1/models/keys/{provider}", "", none(), Nothing, false),
        ("POST", "/api/v1/models/available", "", json!({"provider": "ollama"}), Nothing, false),
        ("POST", "/api/v1/models/setup", "", json!({"provider": "ollama", "model": "m"}), Nothing, false),
        ("POST", "/api/v1/models/test", "", json!({"model": "a/b"}), TheirOwn, false),
        ("POST", "/api/v1/demo", "", json!({"language": "en"}), TheirOwn, false),
        ("GET", "/v1/models", "", none(), TheirOwn, false),
        (
            "POST",
            "/v1/chat/completions",
            "",
            json!({"metadata": {"session_id": "{session_id}"}, "messages": [{"role": "user", "content": "hi"}]}),
            Nothing,
            false,
        ),
    ]
}

#[test]
fn the_table_has_every_route() {
    let mut known: Vec<String> =
        table().iter().map(|(method, path, ..)| format!("{method} {path}")).collect();
    let mut there: Vec<String> =
        operations().iter().map(|(method, path)| format!("{method} {path}")).collect();
    known.sort();
    there.sort();
    assert_eq!(known, there, "say in the table what a stranger gets of each route");
}

/// Everything that somebody can have, all of it with the mark.
struct Belongings {
    house: House,
    ids: HashMap<&'static str, String>,
    _runs: fs::File,
}

async fn move_in() -> Belongings {
    let write = |path: &str| ScriptedReply::call("write_file", json!({"path": path, "content": "x"}));
    let replies = vec![write("xyzzy-1.txt"), ScriptedReply::text("xyzzy done"), write("xyzzy-2.txt")];
    let house = House::with_model(replies).await;
    let session = house.session(Who::Owner, "xyzzy title").await;
    let turn = house.turn(Who::Owner, &session, "xyzzy message").await;
    let (_, calls) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}/calls")).await;
    let request = house.ask(Who::Owner, Method::POST, &format!("/api/v1/sessions/{session}/files"));
    let (status, kept) = answer(form(request)).await;
    assert_eq!(status, 200, "{kept}");
    let path = format!("/api/v1/sessions/{session}/uploads");
    let (_, upload) = house.post(Who::Owner, &path, json!({"name": "xyzzy", "size": 5})).await;
    let grant = grants::remember(&house, None, "xyzzy reason");
    let runs = processes::keep(&house, PROCESS, None, &session, "running", "echo xyzzy");
    fs::write(house.data.join("processes").join(PROCESS).join("stdout.log"), "xyzzy printed\n").unwrap();
    // Another turn, which waits for an answer.
    let path = format!("/api/v1/sessions/{session}/messages");
    assert_eq!(house.post(Who::Owner, &path, json!({"content": "again"})).await.0, 202);
    let mut approval = Value::Null;
    while approval.is_null() {
        tokio::time::sleep(Duration::from_millis(50)).await;
        approval = house.get(Who::Owner, "/api/v1/approvals").await.1["approvals"][0]["id"].clone();
    }
    // A message that waits for the end of that turn.
    let path = format!("/api/v1/sessions/{session}/queue");
    let (status, queued) = house.post(Who::Owner, &path, json!({"content": "xyzzy next"})).await;
    assert_eq!(status, 200, "{queued}");
    let ids = HashMap::from([
        ("{queued_id}", queued["id"].to_string()),
        ("{session_id}", session),
        ("{turn_id}", turn),
        ("{call_id}", text(&calls["calls"][0]["call_id"])),
        ("{kept_id}", text(&kept["id"])),
        ("{upload_id}", text(&upload["upload_id"])),
        ("{grant_id}", grant),
        ("{process_id}", PROCESS.to_owned()),
        ("{approval_id}", text(&approval)),
        ("{download_id}", "guessed".to_owned()),
        ("{name}", "read_file".to_owned()),
        ("{provider}", "openai".to_owned()),
    ]);
    Belongings { house, ids, _runs: runs }
}

fn form(request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
    let form = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"xyzzy.txt\"\r\n\r\nxyzzy\r\n--X--\r\n";
    request.header("content-type", "multipart/form-data; boundary=X").body(form)
}

impl Belongings {
    fn fill(&self, text: &str) -> String {
        self.ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(name, id))
    }

    /// Asks a route; streams are heard for a moment.
    async fn ask(&self, who: Who, (method, path, query, body, ..): &Row) -> (u16, String) {
        let address = format!("{}{query}", self.fill(path));
        let request = self.house.ask(who, method.parse().unwrap(), &address);
        let request = match *path {
            "/api/v1/sessions/{session_id}/files" => form(request),
            "/api/v1/uploads/{upload_id}" if *method == "PATCH" => {
                request.header("upload-offset", 0).body("stolen")
            }
            path if BROWSER.contains(&path) => {
                request.header("x-deskhand-session", self.fill("{session_id}"))
            }
            "/api/v1/sessions/{session_id}/ws" => [
                ("connection", "upgrade"),
                ("upgrade", "websocket"),
                ("sec-websocket-version", "13"),
                ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ]
            .into_iter()
            .fold(request, |request, (name, value)| request.header(name, value)),
            _ if body.is_null() => request,
            _ => json_body(request, &serde_json::from_str(&self.fill(&body.to_string())).unwrap()),
        };
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, read_until(response, Duration::from_millis(1500), |seen| seen.contains(MARK)).await)
    }

    /// That everything is still as it was.
    async fn is_untouched(&self) {
        for row in table() {
            if row.5 {
                let (status, seen) = self.ask(Who::Owner, &row).await;
                assert!(status == 200 && seen.contains(MARK), "{} {}: {status} {seen}", row.0, row.1);
            }
        }
        let (_, upload) = self.house.get(Who::Owner, &self.fill("/api/v1/uploads/{upload_id}")).await;
        assert_eq!(upload["offset"], 0, "{upload}");
        let (_, asked) = self.house.get(Who::Owner, &self.fill("/api/v1/approvals/{approval_id}")).await;
        assert_eq!(asked["settled"], Value::Null, "{asked}");
        let (_, session) = self.house.get(Who::Owner, &self.fill("/api/v1/sessions/{session_id}")).await;
        assert_eq!((&session["title"], &session["is_archived"]), (&json!("xyzzy title"), &json!(false)));
        assert_eq!(session["turn"]["state"], "running", "{session}");
        assert!(
            self.house.workspace.join("xyzzy-1.txt").exists()
                && !self.house.workspace.join("xyzzy-2.txt").exists()
        );
    }
}

#[tokio::test]
async fn sessions_of_one_user_are_invisible_to_another() {
    let belongings = move_in().await;
    belongings.is_untouched().await;
    for row in table() {
        let (method, path, gets) = (row.0, row.1, row.4);
        let (status, seen) = belongings.ask(Who::Bob, &row).await;
        match gets {
            Nothing => assert!(matches!(status, 403 | 404), "{method} {path}: {status} {seen}"),
            TheirOwn => assert!(status < 500, "{method} {path}: {status} {seen}"),
        }
        assert!(!seen.contains(MARK), "{method} {path} tells a stranger: {seen}");
    }
    belongings.is_untouched().await;
}

/// The same by way of the tools, whose arguments are ids, too.
#[tokio::test]
async fn tools_give_a_stranger_nothing_either() {
    let belongings = move_in().await;
    for (tool, parameters) in [
        ("undo", json!({"call_id": "{call_id}"})),
        ("undo", json!({})),
        ("bash_output", json!({"process_id": PROCESS})),
        ("bash_kill", json!({"process_id": PROCESS})),
    ] {
        let body = json!({"tool_name": tool, "parameters": parameters});
        let body: Value = serde_json::from_str(&belongings.fill(&body.to_string())).unwrap();
        let (status, outcome) = belongings.house.post(Who::Bob, "/api/v1/tools/execute", body).await;
        assert_eq!(
            (status, &outcome["success"], &outcome["need_confirmation"]),
            (200, &json!(false), &json!(false)),
            "{outcome}"
        );
        assert!(!outcome.to_string().contains(MARK), "{tool}: {outcome}");
    }
    belongings.is_untouched().await;
}
