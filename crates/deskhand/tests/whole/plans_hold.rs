//! A plan survives its own confirmation: in an unchanged world the same call has the same plan, under whatever call id
//! and at whatever time. For every tool that there is; one without an example fails here.

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::TcpListener,
    process::{Child, Command},
    sync::{Arc, Mutex},
    time::Duration,
};

use deskhand_agent::{chain::Language, desk::TurnDesk, tools::CHAT};
use deskhand_core::{ApprovalRequest, Approver, Plan, Request, Time, approval::AnyAnswer};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::{
    desktop::{Display, desk, gives},
    support::{Desk, no, plan_of},
};

const PAGE: &str = "<!doctype html><title>Shop</title><body><a href='/other'>Other</a>\
    <form action='/send' method='post'><input id='name'><input id='file' type='file'><button id='go'>Go</button></form>";

/// What the examples are about.
struct World {
    display: Display,
    desk: Desk,
    page: String,
    window: u64,
    process: String,
    sleeper: Child,
}

impl World {
    async fn new() -> Self {
        let display = Display::new();
        let (window, _) = display.window("Notes", "300x200+100+100", "#336699");
        display.until("it is active", || display.active() == Some(window));
        let mut desk = desk(&display);
        let turn = TurnDesk::new(Arc::clone(&desk.gate.registry), CHAT, Language::English);
        desk.session.services = desk.session.services.clone().with(turn);
        desk.write("notes.txt", "milk\n");
        desk.write("folder/a.txt", "TODO\n");
        gives(&desk, "compress_files", json!({"files": ["folder"], "output": "old.zip"})).await;
        gives(&desk, "write_file", json!({"path": "written.txt", "content": "one\n"})).await;
        let started = gives(&desk, "bash", json!({"command": "cat", "background": true})).await;
        let process = started.data["process_id"].as_str().unwrap().to_owned();
        let page = serve_page();
        gives(&desk, "browser_navigate", json!({"url": page})).await;
        let sleeper = Command::new("sleep").arg("600").spawn().unwrap();
        Self { display, desk, page, window, process, sleeper }
    }

    /// At least one valid call of every tool.
    fn examples(&self) -> Vec<(&'static str, Value)> {
        let Self { page, window, process, .. } = self;
        let pid = self.sleeper.id();
        vec![
            ("read_file", json!({"path": "notes.txt"})),
            ("read_file", json!({"paths": ["notes.txt", "folder/a.txt"]})),
            ("read_file", json!({"path": "/etc/hostname"})),
            ("write_file", json!({"path": "new/file.txt", "content": "x\n"})),
            ("write_file", json!({"path": "notes.txt", "content": "y\n"})),
            ("write_file", json!({"path": "notes.txt", "content": "more\n", "mode": "append"})),
            ("edit_file", json!({"path": "notes.txt", "old_text": "milk", "new_text": "oat milk"})),
            ("list_dir", json!({"path": "."})),
            ("file_search", json!({"pattern": "*.txt"})),
            ("grep", json!({"pattern": "TODO", "path": "folder"})),
            ("file_stat", json!({"path": "notes.txt"})),
            ("create_directory", json!({"path": "a/b"})),
            ("file_copy", json!({"source": "folder", "destination": "copy"})),
            ("file_move", json!({"source": "notes.txt", "destination": "moved.txt"})),
            ("file_delete", json!({"path": "folder", "recursive": true})),
            ("compress_files", json!({"files": ["folder", "notes.txt"], "output": "new.zip"})),
            ("decompress_file", json!({"file": "old.zip"})),
            ("undo", json!({})),
            ("system_info", json!({})),
            ("list_processes", json!({})),
            ("get_process_info", json!({"pid": pid})),
            ("kill_process", json!({"pid": pid})),
            ("list_windows", json!({})),
            ("get_active_window", json!({})),
            ("switch_window", json!({"window_id": window})),
            ("close_window", json!({"window_id": window, "force": true})),
            ("screenshot", json!({})),
            ("screenshot", json!({"path": "folder"})),
            ("screenshot", json!({"path": "shot.png"})),
            ("screenshot", json!({"folder": "temporary"})),
            ("screenshot", json!({"window_id": window})),
            ("screenshot", json!({"target": "web", "full_page": true})),
            ("clipboard_read", json!({"save_image": "clip.png"})),
            ("clipboard_write", json!({"text": "你好"})),
            ("clipboard_clear", json!({})),
            ("open_in_folder", json!({"path": "notes.txt"})),
            ("mouse", json!({"action": "click", "x": 150, "y": 150})),
            ("keyboard", json!({"text": "a", "window_id": window})),
            ("bash", json!({"command": "date > now.txt; mktemp; echo $RANDOM"})),
            ("bash", json!({"command": "sleep 5", "background": true})),
            ("bash_output", json!({"process_id": process})),
            ("bash_input", json!({"process_id": process, "text": "hello"})),
            ("bash_kill", json!({"process_id": process})),
            ("find_tools", json!({"query": "archive"})),
            ("compact", json!({})),
            ("browser_launch", json!({"headless": true})),
            ("browser_navigate", json!({"url": format!("{page}other")})),
            ("browser_snapshot", json!({})),
            ("browser_get_dom", json!({})),
            ("browser_get_state", json!({})),
            ("browser_click", json!({"selector": "#go"})),
            ("browser_hover", json!({"selector": "a"})),
            ("browser_type", json!({"selector": "#name", "text": "Ada"})),
            ("browser_press_key", json!({"key": "Tab"})),
            ("browser_scroll", json!({"direction": "down"})),
            ("browser_select_file", json!({"selector": "#file", "paths": ["notes.txt"]})),
            ("browser_evaluate", json!({"script": "Math.random()"})),
            ("browser_wait_for", json!({"selector": "a"})),
            ("browser_wait_for", json!({"condition": "true"})),
            ("browser_go_back", json!({})),
            ("browser_go_forward", json!({})),
            ("browser_reload", json!({})),
            ("browser_tabs", json!({"action": "close"})),
            ("browser_screenshot", json!({"path": "page.png"})),
            ("browser_downloads", json!({})),
        ]
    }

    /// The plan of a call, and whether a person is asked about it.
    async fn plan(&self, tool: &str, arguments: &Value) -> (Plan, bool) {
        let explained =
            self.desk.gate.explain(Request::new(tool, arguments.clone()), &self.desk.session).await;
        let explained = explained.unwrap_or_else(|error| panic!("{tool} {arguments}: {}", error.message));
        let is_asked = explained.decision == "ask";
        (explained.plan.unwrap_or_else(|| panic!("{tool} {arguments}: {}", explained.why)), is_asked)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.sleeper.kill();
        let _ = self.sleeper.wait();
    }
}

/// The same page for every request. The thread ends with the test.
fn serve_page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length:";
            let _ = write!(stream, "{head} {}\r\n\r\n{PAGE}", PAGE.len());
        }
    });
    url
}

/// What is asked about, while nothing runs: everything is refused.
#[derive(Default)]
struct Refuses(Mutex<Vec<Plan>>);

impl Approver for Refuses {
    fn name(&self) -> &'static str {
        "person:test"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        self.0.lock().unwrap().push(plan_of(request).clone());
        Box::pin(async { Some(no("only looked at")) })
    }
}

/// What differs, in words.
fn difference(tool: &str, arguments: &Value, first: &Plan, second: &Plan) -> String {
    let [first, second] = [first, second].map(|plan| serde_json::to_string_pretty(plan).unwrap());
    format!("{tool} {arguments} is planned as\n{first}\nand then as\n{second}")
}

#[tokio::test]
async fn every_plan_survives_its_own_confirmation() {
    let mut world = World::new().await;
    let examples = world.examples();
    let shown: BTreeSet<&str> = examples.iter().map(|(tool, _)| *tool).collect();
    let registry = deskhand::assemble::registry();
    let all: BTreeSet<&str> = registry.own().map(|entry| entry.spec().name).collect();
    assert_eq!(shown, all, "every tool has an example here, and nothing else does");

    let second = || Time::now().to_string().split('.').next().map(str::to_owned);
    let begun = second();
    let mut plans = Vec::new();
    for (tool, arguments) in &examples {
        plans.push(world.plan(tool, arguments).await);
    }
    // A time in a plan may be told in whole seconds.
    while second() == begun {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for ((tool, arguments), (first, is_asked)) in examples.iter().zip(&plans) {
        let (again, _) = world.plan(tool, arguments).await;
        assert!(first.still_holds(&again), "{}", difference(tool, arguments, first, &again));
        if *is_asked {
            // What a call asks about is what was shown before.
            let refuses = Arc::new(Refuses::default());
            world.desk.session.approvers = vec![refuses.clone()];
            world.desk.call(tool, arguments.clone()).await;
            let asked = refuses.0.lock().unwrap();
            assert_eq!(asked.len(), 1, "{tool} {arguments}");
            assert!(first.still_holds(&asked[0]), "{}", difference(tool, arguments, first, &asked[0]));
        }
    }
    assert_eq!(world.display.ids(), [world.window], "nothing has run");
}
