//! A gate on a temporary data folder.

use std::{path::PathBuf, sync::Arc};

use deskhand_core::{
    Caller, Desktop, Gate, GateSettings, Mode, Outcome, Registry, Request, Services, SessionCx, UndoJournal,
    event::NoEvents,
};
use deskhand_guard::{
    Paths, PathsConfig,
    sandbox::{Limits, Sandbox, SandboxConfig, Wanted},
    shell::Shell,
};
use deskhand_store::{Store, StoreOptions};
use deskhand_tools::shell::{ProcessTable, ShellLists, ShellPlaces};
use serde_json::Value;
use tempfile::TempDir;

pub struct Desk {
    _folder: TempDir,
    pub workspace: PathBuf,
    pub sandbox: Sandbox,
    pub gate: Gate,
    pub session: SessionCx,
    pub store: Store,
}

impl Desk {
    pub fn new(registry: Registry) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let (workspace, data) = (root.join("workspace"), root.join("data"));
        std::fs::create_dir(&workspace)?;
        let store = Store::open(&data, &StoreOptions::default())?;
        let paths = Paths::open(PathsConfig {
            workspaces: vec![workspace.clone()],
            own: vec![data.clone()],
            outputs: data.join("outputs"),
            ..PathsConfig::default()
        })?;
        let undo: Arc<dyn UndoJournal> = store.undo();
        let sandbox = Sandbox::new(SandboxConfig {
            paths: paths.clone(),
            launcher: std::env::current_exe()?.with_file_name("deskhand"),
            wanted: Wanted::Auto,
            limits: Limits::default(),
        });
        let services = Services::default()
            .with(paths)
            .with(undo)
            .with(Shell::default())
            .with(sandbox.clone())
            .with(ShellLists::default())
            .with(ShellPlaces::new(&data, None))
            .with(ProcessTable::new(&data));
        let gate = deskhand::assemble::gate(registry, &store, GateSettings::default());
        let session = SessionCx::new("bench", "bench", workspace.clone(), services).in_mode(Mode::Auto);
        Ok(Self { _folder: folder, workspace, sandbox, gate, session, store })
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let outcome = self.gate.call(Request::new(tool, arguments), &self.session).await;
        assert!(outcome.is_success(), "{}", outcome.text);
        outcome
    }
}
