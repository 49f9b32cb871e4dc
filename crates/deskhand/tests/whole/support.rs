//! A gate on a temporary data folder and workspace, and approvers that answer from a list.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use deskhand_browser::Browsers;
use deskhand_core::{
    Answer, ApprovalRequest, Approver, Caller, Desktop, EventBody, EventSink, Gate, GateSettings, Mode,
    Outcome, Request, ResultAnswer, Services, SessionCx, UndoJournal,
    approval::{AnyAnswer, Subject},
};
use deskhand_guard::{
    Outbound, Paths, PathsConfig,
    outbound::{Addresses, Resolve},
    sandbox::{Limits, Sandbox, SandboxConfig, Wanted},
};
use deskhand_store::{Store, StoreOptions};
use futures_util::future::BoxFuture;
use serde_json::Value;
use tempfile::TempDir;

/// A desk: somewhere to work, and the gate to it.
pub struct Desk {
    _folder: TempDir,
    pub workspace: PathBuf,
    pub data: PathBuf,
    pub store: Store,
    pub gate: Gate,
    pub session: SessionCx,
    pub events: Arc<Seen>,
}

impl Desk {
    /// With the real tools and the probes.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same, with other settings of the gate.
    pub fn with(set: impl FnOnce(&mut GateSettings)) -> Self {
        Self::seated(None, set)
    }

    /// The same, at the X display of this name. Where there is none, the tools of the desktop are not offered.
    pub fn seated(display: Option<&str>, set: impl FnOnce(&mut GateSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (workspace, data) = (root.join("workspace"), root.join("data"));
        fs::create_dir(&workspace).unwrap();
        let store = Store::open(&data, &StoreOptions::default()).unwrap();
        let paths = Paths::open(PathsConfig {
            workspaces: vec![workspace.clone()],
            own: vec![data.clone()],
            outputs: data.join("outputs"),
            home: Some(root.join("home")),
            ..PathsConfig::default()
        })
        .unwrap();
        let undo: Arc<dyn UndoJournal> = store.undo();
        let sandbox = sandbox(&paths, env!("CARGO_BIN_EXE_deskhand"));
        let outbound = nowhere_else();
        let config = deskhand_browser::Config {
            outbound: outbound.clone(),
            ..deskhand_browser::Config::new(data.join("browser"))
        };
        let browsers = Browsers::new(config);
        let services = Services::default().with(paths).with(undo).with(outbound);
        let services = deskhand::assemble::with_browsers(services, &browsers);
        let services = services
            .with(deskhand_guard::shell::Shell::default())
            .with(sandbox)
            .with(deskhand_tools::shell::ShellLists::default())
            .with(deskhand_tools::shell::ShellPlaces::new(&data, Some(root.join("home"))))
            .with(deskhand_tools::shell::ProcessTable::new(&data));
        let services = match display {
            Some(name) => {
                services.with(deskhand_tools::desktop::Seat::at(name, env!("CARGO_BIN_EXE_deskhand").into()))
            }
            None => services,
        };
        let mut registry = deskhand::assemble::registry();
        super::probes::register(&mut registry);
        registry.probe(&services);
        let mut settings = GateSettings::default();
        set(&mut settings);
        let gate = deskhand::assemble::gate(registry, &store, settings);
        let events = Arc::new(Seen::default());
        let session =
            SessionCx::new("session-1", "test", workspace.clone(), services).watched_by(events.clone());
        Self { _folder: folder, workspace, data, store, gate, session, events }
    }

    pub fn mode(mut self, mode: Mode) -> Self {
        self.session.mode = mode;
        self
    }

    /// Answers the questions to come, in this order.
    pub fn answering(mut self, answers: impl IntoIterator<Item = AnyAnswer>) -> Self {
        self.answer(answers);
        self
    }

    /// The same for a desk in use. Returns what was asked.
    pub fn answer(&mut self, answers: impl IntoIterator<Item = AnyAnswer>) -> Arc<Scripted> {
        let scripted =
            Arc::new(Scripted { answers: Mutex::new(answers.into_iter().collect()), ..Scripted::default() });
        self.session.approvers = vec![scripted.clone()];
        scripted
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let limit = Duration::from_mins(1);
        let call = self.gate.call(Request::new(tool, arguments), &self.session);
        tokio::time::timeout(limit, call).await.expect("the call ends")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.workspace.join(name)
    }

    pub fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The audit log as it stands on disk.
    pub fn audit_text(&self) -> String {
        read_all(&self.data.join("audit"))
    }
}

/// A way out on which no name leads anywhere but here: what tests call an address is asked for nowhere.
fn nowhere_else() -> Outbound {
    struct NoNames;

    impl Resolve for NoNames {
        fn resolve<'a>(&'a self, host: &'a str) -> Addresses<'a> {
            let found = (host == "localhost").then_some(std::net::Ipv4Addr::LOCALHOST.into());
            let none = || std::io::Error::new(std::io::ErrorKind::NotFound, "no such host");
            Box::pin(async move { found.map(|address| vec![address]).ok_or_else(none) })
        }
    }

    Outbound::with_resolver(Vec::new(), Vec::new(), NoNames)
}

/// Confinement by this launcher.
pub fn sandbox(paths: &Paths, launcher: &str) -> Sandbox {
    Sandbox::new(SandboxConfig {
        paths: paths.clone(),
        launcher: launcher.into(),
        wanted: Wanted::Auto,
        limits: Limits::default(),
    })
}

pub fn read_all(folder: &Path) -> String {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// A file of a folder, at whatever depth, in which these bytes stand and stay; what is taken out of the database is out of
/// its log a little later.
pub fn stays_in_a_file(folder: &Path, text: &str) -> Option<PathBuf> {
    let mut found = is_in_a_file(folder, text);
    for _ in 0..300 {
        found.as_ref()?;
        std::thread::sleep(Duration::from_millis(10));
        found = is_in_a_file(folder, text);
    }
    found
}

fn is_in_a_file(folder: &Path, text: &str) -> Option<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.is_file()
            && fs::read(&path).unwrap_or_default().windows(text.len()).any(|part| part == text.as_bytes())
        {
            return Some(path);
        }
    }
    None
}

/// Every event that was emitted.
#[derive(Default)]
pub struct Seen(pub Mutex<Vec<EventBody>>);

impl EventSink for Seen {
    fn emit(&self, body: EventBody) {
        self.0.lock().unwrap().push(body);
    }
}

impl Seen {
    pub fn json(&self) -> String {
        serde_json::to_string(&*self.0.lock().unwrap()).unwrap()
    }
}

/// Answers from a list; `None` (nobody here) when the list is used up.
#[derive(Default)]
pub struct Scripted {
    pub answers: Mutex<VecDeque<AnyAnswer>>,
    pub asked: Mutex<Vec<ApprovalRequest>>,
}

impl Scripted {
    pub fn asked(&self) -> Vec<ApprovalRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Approver for Scripted {
    fn name(&self) -> &'static str {
        "person:test"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        self.asked.lock().unwrap().push(request.clone());
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move { answer })
    }
}

/// Somebody who says yes to everything, and lets every result pass.
pub struct Agreeable;

impl Approver for Agreeable {
    fn name(&self) -> &'static str {
        "person:test"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        let answer = match request.subject {
            Subject::Execution { .. } => yes(),
            Subject::Result { .. } => pass(),
        };
        Box::pin(async move { Some(answer) })
    }
}

pub fn yes() -> AnyAnswer {
    AnyAnswer::Execution(Answer::Yes { remember: None })
}

pub fn no(reason: &str) -> AnyAnswer {
    AnyAnswer::Execution(Answer::No { reason: Some(reason.into()), remember: None })
}

pub fn pass() -> AnyAnswer {
    AnyAnswer::Result(ResultAnswer::Pass)
}

/// The plan that a question was about.
pub fn plan_of(request: &ApprovalRequest) -> &deskhand_core::Plan {
    match &request.subject {
        Subject::Execution { plan } => plan,
        Subject::Result { .. } => panic!("the question was about a result"),
    }
}

/// A number that no other process has on its command line: `sleep MARK` can be found from outside its own world,
/// where process numbers mean something else.
pub fn mark() -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("7{:07}{next:03}", std::process::id() % 10_000_000)
}

/// Whether a process with this mark is there.
pub fn is_running(mark: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).contains(mark))
}

/// Whether all processes with this mark are gone, or are within a second.
pub fn is_gone(mark: &str) -> bool {
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_secs(1) {
        if !is_running(mark) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
