//! A workspace, a data folder and a store.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_core::{Gate, GateSettings, Masked, Registry, Screener, Services, SessionCx, UndoJournal};
use deskhand_guard::{Paths, PathsConfig, Rules, SecretScreener};
use deskhand_store::{Store, StoreOptions};
use serde_json::Value;
use tempfile::TempDir;

/// Somewhere to work. All of it goes away with it.
pub struct Fixture {
    folder: TempDir,
    pub workspace: PathBuf,
    pub data: PathBuf,
    pub store: Arc<Store>,
    pub paths: Paths,
    /// The paths and the undo journal.
    pub services: Services,
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

impl Fixture {
    pub fn new() -> Self {
        Self::with(&StoreOptions::default(), |_| {})
    }

    /// With other limits of the store, or another path policy. A workspace or a data folder that is changed here is
    /// the one of the fixture, too: on another file system, say.
    pub fn with(options: &StoreOptions, change: impl FnOnce(&mut PathsConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (workspace, data) = (root.join("workspace"), root.join("data"));
        fs::create_dir(&workspace).unwrap();
        let mut config = PathsConfig {
            workspaces: vec![workspace],
            own: vec![data.clone()],
            outputs: data.join("outputs"),
            home: Some(root.join("home")),
            ..PathsConfig::default()
        };
        change(&mut config);
        let (workspace, data) = (config.workspaces[0].clone(), config.own[0].clone());
        let store = Arc::new(Store::open(&data, options).unwrap());
        let paths = Paths::open(config).unwrap();
        let undo: Arc<dyn UndoJournal> = store.undo();
        let services = Services::default().with(paths.clone()).with(undo);
        Self { folder, workspace, data, store, paths, services }
    }

    /// A gate before these tools, of which those are offered whose services are in `services`.
    ///
    /// # Panics
    /// Where two of them have one name.
    pub fn gate(&self, mut registry: Registry, services: &Services, settings: GateSettings) -> Gate {
        registry.probe(services).unwrap();
        in_gate(registry, &self.store, settings)
    }

    pub fn session(&self, services: Services) -> SessionCx {
        SessionCx::new("session-1", "test", self.workspace.clone(), services)
    }

    /// The folder that has the workspace, the data folder and the home in it.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// A path in the workspace.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.workspace.join(relative)
    }

    /// A folder beside the workspace, and not in it.
    pub fn outside(&self) -> PathBuf {
        let path = self.root().join("outside");
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file in the workspace, and the folders it needs.
    pub fn write(&self, relative: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn read(&self, relative: &str) -> Vec<u8> {
        fs::read(self.path(relative)).unwrap()
    }

    pub fn text(&self, relative: &str) -> String {
        String::from_utf8(self.read(relative)).unwrap()
    }

    pub fn has(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// Every path in the workspace, sorted; folders end in `/`.
    pub fn listing(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.workspace.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&self.workspace).unwrap().display().to_string();
                if path.symlink_metadata().unwrap().is_dir() {
                    found.push(format!("{name}/"));
                    folders.push(path);
                } else {
                    found.push(name);
                }
            }
        }
        found.sort();
        found
    }
}

/// The gate of the program, before these tools.
pub fn in_gate(registry: Registry, store: &Store, settings: GateSettings) -> Gate {
    Gate {
        registry: Arc::new(registry),
        policy: Arc::new(Rules::new(store.grants())),
        screener: Arc::new(SecretScreener),
        audit: store.audit(),
        approvals: store.approvals(),
        grants: store.grants(),
        outputs: store.outputs(),
        settings,
    }
}

/// Masks nothing.
pub struct NothingSecret;

impl Screener for NothingSecret {
    fn mask_text(&self, text: &str) -> Masked {
        Masked::assume(text)
    }

    fn mask_value(&self, value: &Value) -> Value {
        value.clone()
    }
}
