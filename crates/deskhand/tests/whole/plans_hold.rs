//! A plan survives its own confirmation: in an unchanged world the same call has the same plan, under whatever call id
//! and at whatever time, and a yes to it is asked for once. For every tool that there is, with the optional parameters of
//! its schema, and under the names of every dialect; a tool without an example fails here.

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::TcpListener,
    process::{Child, Command},
    sync::Arc,
    time::Duration,
};

use deskhand_agent::{chain::Language, desk::TurnDesk, tools::CHAT};
use deskhand_core::{
    DialectEntry, Explanation, Plan, Request, Time, ToolError, approval::Subject, dialect::Becomes,
};
use serde_json::{Map, Value, json};

use crate::{
    desktop::{Display, desk, gives},
    support::{Desk, Person, no, plan_of, until},
};

/// How long a call may run here.
const RUNS: Duration = Duration::from_secs(2);

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
        deskhand_testkit::block_until("it is active", || display.active() == Some(window));
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
        let sleeper = sleeper();
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
            ("file_search", json!({"pattern": "*.txt", "path": "folder"})),
            ("grep", json!({"pattern": "TODO", "path": "folder"})),
            ("file_stat", json!({"path": "notes.txt"})),
            ("create_directory", json!({"path": "a/b"})),
            ("file_copy", json!({"source": "folder", "destination": "copy"})),
            ("file_move", json!({"source": "notes.txt", "destination": "moved.txt"})),
            ("file_delete", json!({"path": "folder", "recursive": true})),
            ("file_delete", json!({"path": "notes.txt"})),
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
            ("screenshot", json!({"region": {"x": 10, "y": 10, "width": 100, "height": 80}})),
            ("screenshot", json!({"target": "web", "full_page": true})),
            ("clipboard_read", json!({})),
            ("clipboard_read", json!({"save_image": "clip.png"})),
            ("clipboard_write", json!({"text": "你好"})),
            ("clipboard_clear", json!({})),
            ("open_in_folder", json!({"path": "notes.txt"})),
            ("mouse", json!({"action": "click", "x": 150, "y": 150})),
            ("keyboard", json!({"text": "a", "window_id": window})),
            ("bash", json!({"command": "date > now.txt; mktemp; echo $RANDOM"})),
            ("bash", json!({"command": "sleep 600", "background": true})),
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
            ("browser_screenshot", json!({})),
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

/// A call under one of its names.
#[derive(Clone, Debug)]
struct Call {
    name: &'static str,
    dialect: Option<&'static str>,
    arguments: Value,
}

impl Call {
    fn request(&self) -> Request {
        Request::new(self.name, self.arguments.clone()).in_dialect(self.dialect.map(str::to_owned))
    }
}

impl World {
    /// Makes again what earlier calls used up: files, the window, the processes, the page.
    async fn refresh(&mut self, call: &Call) {
        self.desk.session.approvers = vec![Person::agreeable()];
        for made in ["new", "a", "copy", "old"] {
            let _ = std::fs::remove_dir_all(self.desk.path(made));
        }
        for made in ["moved.txt", "new.zip", "shot.png", "page.png", "clip.png"] {
            let _ = std::fs::remove_file(self.desk.path(made));
        }
        self.desk.write("notes.txt", "milk\n");
        self.desk.write("folder/a.txt", "TODO\n");
        let is_shown =
            self.desk.gate.registry.find(call.name, call.dialect).unwrap().entry.spec().effects.desktop;
        if is_shown && self.display.ids().is_empty() {
            (self.window, _) = self.display.window("Notes", "300x200+100+100", "#336699");
        }
        if self.sleeper.try_wait().unwrap().is_some() {
            self.sleeper = sleeper();
        }
        if call.arguments.get("process_id").is_some() && !self.has_process().await {
            let started = gives(&self.desk, "bash", json!({"command": "cat", "background": true})).await;
            started.data["process_id"].as_str().unwrap().clone_into(&mut self.process);
        }
        if call.name.starts_with("browser_") || call.arguments["target"] == "web" {
            // A form that an earlier call sent may still be on its way, and then takes the place of this page.
            until("the page", async || {
                self.desk.call("browser_navigate", json!({"url": self.page})).await.is_success()
            })
            .await;
        }
    }

    async fn has_process(&self) -> bool {
        let looked = self.desk.call("bash_output", json!({"process_id": self.process})).await;
        looked.data["status"] == "running"
    }

    async fn explain(&self, call: &Call) -> Result<Explanation, ToolError> {
        self.desk.gate.explain(call.request(), &self.desk.session).await
    }

    /// Makes a call to which a person says yes: they are asked once, about what was shown before, or not at all. An
    /// error where it cannot be planned.
    async fn confirm(&mut self, call: &Call) -> Result<(), ToolError> {
        let explained = self.explain(call).await;
        let person = Person::agreeable();
        self.desk.session.approvers = vec![person.clone()];
        let request = call.request();
        let cancel = request.cancel.clone();
        let mut calling = std::pin::pin!(self.desk.gate.call(request, &self.desk.session));
        // One that waits for something is cancelled: what it asks, it asks before it runs. It is not dropped, since then
        // it might still write into the world of the next call.
        if tokio::time::timeout(RUNS, &mut calling).await.is_err() {
            cancel.cancel();
            calling.await;
        }
        let asked = person.asked();
        // Whether changes are kept is asked once the call has run, about what it did.
        let asked: Vec<&Plan> = asked
            .iter()
            .filter(|one| matches!(one.subject, Subject::Execution { .. }))
            .map(plan_of)
            .filter(|plan| plan.changes.is_none())
            .collect();
        let wanted = explained.as_ref().is_ok_and(|explained| explained.decision == "ask");
        assert_eq!(asked.len(), usize::from(wanted), "{call:?}: {asked:?}");
        let first = explained?.plan;
        if let Some((asked, first)) = asked.first().zip(first.as_ref()) {
            assert!(first.still_holds(asked), "{}", difference(call.name, &call.arguments, first, asked));
        }
        Ok(())
    }
}

/// Numbers that are random enough to choose parameters, and the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    /// A value of this schema, where one can be made up.
    fn value(&mut self, schema: &Value, whole: &Value) -> Option<Value> {
        if let Some(name) = schema["$ref"].as_str() {
            return self.value(whole.pointer(name.strip_prefix('#')?)?, whole);
        }
        for choice in ["enum", "anyOf", "oneOf"] {
            if let Some(choices) = schema[choice].as_array() {
                let chosen = &choices[self.roll(choices.len())];
                return if choice == "enum" { Some(chosen.clone()) } else { self.value(chosen, whole) };
            }
        }
        if let Some(constant) = schema.get("const") {
            return Some(constant.clone());
        }
        let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str())?;
        let least = schema["minimum"].as_u64().unwrap_or_default();
        let most = schema["maximum"].as_u64().unwrap_or(u64::MAX).min(least + 10);
        match kind {
            "boolean" => Some(Value::Bool(self.roll(2) == 0)),
            "integer" | "number" => {
                Some((least + self.roll(usize::try_from(most - least).unwrap() + 1) as u64).into())
            }
            _ => None,
        }
    }

    /// The same call with about half of the optional parameters that can be made up.
    fn vary(&mut self, call: &Call, schema: &Value) -> Call {
        let mut varied = call.clone();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_free = varied.arguments.get(name).is_none() && self.roll(2) == 0;
            if let Some(value) = self.value(property, schema).filter(|_| is_free) {
                varied.arguments[name] = value;
            }
        }
        varied
    }
}

/// A call in another system's words, where its parameters say the same.
fn in_dialect(dialect: &'static str, entry: &DialectEntry, canonical: &Value) -> Option<Call> {
    let mut arguments = Map::new();
    for parameter in entry.parameters {
        let value = match parameter.becomes {
            Becomes::Field(name) => canonical[parameter.is].get(name),
            _ => canonical.get(parameter.is),
        };
        if let Some(value) = value {
            let is_same = matches!(parameter.becomes, Becomes::Itself | Becomes::Field(_));
            let value = Some(value.clone()).filter(|_| is_same && parameter.values.is_empty())?;
            arguments.insert(parameter.name.to_owned(), value);
        }
    }
    // Its command is the first word of ours.
    if entry.name == "command_executor" {
        arguments = Map::from_iter([("command".to_owned(), json!("ls"))]);
    }
    Some(Call { name: entry.name, dialect: Some(dialect), arguments: arguments.into() })
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.sleeper.kill();
        let _ = self.sleeper.wait();
    }
}

fn sleeper() -> Child {
    Command::new("sleep").arg("600").spawn().unwrap()
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
    until("the next second", async || second() != begun).await;
    for ((tool, arguments), (first, is_asked)) in examples.iter().zip(&plans) {
        let (again, _) = world.plan(tool, arguments).await;
        assert!(first.still_holds(&again), "{}", difference(tool, arguments, first, &again));
        if *is_asked {
            // What a call asks about is what was shown before.
            let refuses = Person::deciding(|_| Some(no("only looked at")));
            world.desk.session.approvers = vec![refuses.clone()];
            world.desk.call(tool, arguments.clone()).await;
            let asked = refuses.asked();
            assert_eq!(asked.len(), 1, "{tool} {arguments}");
            let asked = plan_of(&asked[0]);
            assert!(first.still_holds(asked), "{}", difference(tool, arguments, first, asked));
        }
    }
    assert_eq!(world.display.ids(), [world.window], "nothing has run");
}

/// Each call is confirmed twice in the same world, then with other parameters.
#[tokio::test]
async fn a_yes_is_asked_for_once_and_is_enough() {
    const VARIATIONS: usize = 2;
    let mut world = World::new().await;
    let mut dice = Dice(20_261_118);
    let mut planned = 0;
    let mut seen = BTreeSet::new();
    for at in 0..world.examples().len() {
        let (name, arguments) = world.examples()[at].clone();
        let mut call = Call { name, dialect: None, arguments };
        for _ in 0..2 {
            world.refresh(&call).await;
            // What it is about may be another one by now.
            call.arguments = world.examples()[at].1.clone();
            let planned = world.confirm(&call).await;
            planned.unwrap_or_else(|error| panic!("{call:?}: {}", error.message));
        }
        if !seen.insert(name) {
            continue;
        }
        let schema = world.desk.gate.registry.get(name).unwrap().input_schema().clone();
        for _ in 0..VARIATIONS {
            let varied = dice.vary(&call, &schema);
            if varied.arguments != call.arguments {
                world.refresh(&varied).await;
                planned += usize::from(world.confirm(&varied).await.is_ok());
            }
        }
    }
    assert!(planned > 20, "only {planned} variations have a plan");
}

#[tokio::test]
async fn a_yes_is_enough_under_the_names_of_every_dialect() {
    let mut world = World::new().await;
    let registry = Arc::clone(&world.desk.gate.registry);
    let mut missing = Vec::new();
    for dialect in registry.dialects() {
        for entry in dialect.entries.iter().filter(|entry| registry.get(entry.tool).is_some()) {
            let examples = || world.examples().into_iter().filter(|(tool, _)| *tool == entry.tool);
            let calls: Vec<Call> =
                examples().filter_map(|(_, arguments)| in_dialect(dialect.name, entry, &arguments)).collect();
            let mut is_planned = false;
            for call in calls {
                world.refresh(&call).await;
                is_planned = world.confirm(&call).await.is_ok();
                if is_planned {
                    world.refresh(&call).await;
                    let _ = world.confirm(&call).await;
                    break;
                }
            }
            if !is_planned {
                missing.push((dialect.name, entry.name));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?} have no example that says the same");
}
