//! The assembled tools behind a gate, on the fixture that all tests share.

use std::{
    fs,
    ops::Deref,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_browser::Browsers;
use deskhand_core::{Gate, GateSettings, Mode, Outcome, Request, SessionCx, approval::AnyAnswer};
use deskhand_guard::{
    Outbound, Paths,
    outbound::{Addresses, Resolve},
    sandbox::{Limits, Sandbox, SandboxConfig, Wanted, layer::LayerPlaces},
};
pub use deskhand_testkit::{
    Events, Fixture, Person, is_gone, is_running, mark, no, pass, plan_of, until, yes,
};
use deskhand_tools::shell::ShellPlaces;
use serde_json::Value;

/// A desk: somewhere to work, and the gate to it.
pub struct Desk {
    fixture: Fixture,
    pub gate: Gate,
    pub session: SessionCx,
    pub events: Arc<Events>,
}

impl Deref for Desk {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
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
        let fixture = Fixture::new();
        let home = fixture.root().join("home");
        let outbound = nowhere_else();
        let browsers = Browsers::new(deskhand_browser::Config {
            outbound: outbound.clone(),
            ..deskhand_browser::Config::new(fixture.data.join("browser"))
        });
        let services = deskhand::assemble::with_browsers(fixture.services.clone().with(outbound), &browsers);
        let services = services
            .with(deskhand_guard::shell::Shell::default())
            .with(sandbox(&fixture.paths, &fixture.data, env!("CARGO_BIN_EXE_deskhand")))
            .with(deskhand_tools::shell::ShellLists::default())
            .with(ShellPlaces::new(&fixture.data, Some(home)))
            .with(deskhand_tools::shell::ProcessTable::new(&fixture.data));
        let services = match display {
            Some(name) => {
                services.with(deskhand_tools::desktop::Seat::at(name, env!("CARGO_BIN_EXE_deskhand").into()))
            }
            None => services,
        };
        let mut registry = deskhand::assemble::registry();
        super::probes::register(&mut registry);
        let mut settings = GateSettings::default();
        set(&mut settings);
        let gate = fixture.gate(registry, &services, settings);
        let events = Arc::new(Events::default());
        let session = fixture.session(services).watched_by(events.clone());
        Self { fixture, gate, session, events }
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

    /// The same for a desk in use. Returns who is asked.
    pub fn answer(&mut self, answers: impl IntoIterator<Item = AnyAnswer>) -> Arc<Person> {
        let person = Person::answering(answers);
        self.session.approvers = vec![person.clone()];
        person
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let limit = Duration::from_mins(1);
        let call = self.gate.call(Request::new(tool, arguments), &self.session);
        tokio::time::timeout(limit, call).await.expect("the call ends")
    }

    /// What is `/tmp` for the commands of its session: they and a test can see each other's files there at once.
    pub fn temporary(&self) -> PathBuf {
        self.session.services.get::<ShellPlaces>().unwrap().temporary(&self.session.id).unwrap()
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
pub fn sandbox(paths: &Paths, data: &Path, launcher: &str) -> Sandbox {
    Sandbox::new(SandboxConfig {
        paths: paths.clone(),
        launcher: launcher.into(),
        wanted: Wanted::Auto,
        limits: Limits::default(),
        layers: LayerPlaces::new(data),
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
