//! A desk to test tools at: a workspace in a temporary folder, the path policy, and a real undo journal.

// A tool is a unit struct, which reads better given than lent; and the cancel token's type is not ours to name.
#![allow(clippy::needless_pass_by_value, clippy::default_trait_access)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use deskhand_core::{
    CallId, Cx, Masked, Plan, Screener, Services, Status, Tool, ToolError, ToolResult, UndoJournal,
    arguments,
    cx::CxParts,
    event::{EventSink, NoEvents},
    schema,
    undo::UndoEntry,
};
use deskhand_guard::{Paths, PathsConfig};
use deskhand_store::{Store, StoreOptions};
use serde_json::Value;

/// A workspace and everything a file tool needs. All of it goes away with it.
pub struct Desk {
    folder: tempfile::TempDir,
    workspace: PathBuf,
    pub journal: Arc<dyn UndoJournal>,
    pub services: Services,
}

/// What a call that worked came to.
#[derive(Debug)]
pub struct Called {
    pub id: CallId,
    pub plan: Plan,
    /// What the model reads.
    pub text: String,
    /// What programs get.
    pub data: Value,
}

struct NothingSecret;

impl Screener for NothingSecret {
    fn mask_text(&self, text: &str) -> Masked {
        Masked::assume(text)
    }

    fn mask_value(&self, value: &Value) -> Value {
        value.clone()
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::with(&StoreOptions::default(), |_| {})
    }

    /// A desk whose undo journal keeps at most `bytes` for one call.
    pub fn keeping_at_most(bytes: u64) -> Self {
        Self::with(&StoreOptions { undo_max_bytes: bytes * 4, ..StoreOptions::default() }, |_| {})
    }

    pub fn with(options: &StoreOptions, config: impl FnOnce(&mut PathsConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        let (workspace, data) = (at.join("work"), at.join("data"));
        fs::create_dir(&workspace).unwrap();
        Self::at(folder, workspace, &data, options, config)
    }

    /// A desk with its workspace elsewhere: on another file system, say.
    pub fn in_workspace(workspace: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().canonicalize().unwrap().join("data");
        Self::at(folder, workspace.canonicalize().unwrap(), &data, &StoreOptions::default(), |_| {})
    }

    /// A desk whose journal is elsewhere: on a small disk, say.
    pub fn with_data_in(data: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("work");
        fs::create_dir(&workspace).unwrap();
        Self::at(folder, workspace, &data.canonicalize().unwrap(), &StoreOptions::default(), |_| {})
    }

    fn at(
        folder: tempfile::TempDir,
        workspace: PathBuf,
        data: &Path,
        options: &StoreOptions,
        config: impl FnOnce(&mut PathsConfig),
    ) -> Self {
        let journal: Arc<dyn UndoJournal> = Store::open(data, options).unwrap().undo();
        let mut paths = PathsConfig {
            workspaces: vec![workspace.clone()],
            own: vec![data.to_path_buf()],
            outputs: data.join("outputs"),
            home: Some(folder.path().to_path_buf()),
            ..PathsConfig::default()
        };
        config(&mut paths);
        let services = Services::default().with(Paths::open(paths).unwrap()).with(Arc::clone(&journal));
        Self { folder, workspace, journal, services }
    }

    /// The same workspace with another journal.
    pub fn with_journal(mut self, journal: Arc<dyn UndoJournal>) -> Self {
        self.services = self.services.with(Arc::clone(&journal));
        self.journal = journal;
        self
    }

    /// A path in the workspace.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.workspace.join(relative)
    }

    /// A folder beside the workspace, and not in it.
    pub fn outside(&self) -> PathBuf {
        let path = self.folder.path().canonicalize().unwrap().join("outside");
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file in the workspace, and the folders it needs.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
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

    pub fn cx(&self, tool: &str) -> Cx {
        self.cx_heard_by(tool, Arc::new(NoEvents))
    }

    /// As [`Self::cx`]; what is told on the way goes to `events`.
    pub fn cx_heard_by(&self, tool: &str, events: Arc<dyn EventSink>) -> Cx {
        Cx::new(CxParts {
            call: CallId::new(),
            tool: tool.to_owned(),
            session_id: "test".to_owned(),
            owner: None,
            services: self.services.clone(),
            cancel: Default::default(),
            events,
            screener: Arc::new(NothingSecret),
        })
    }

    /// What the call would do.
    pub fn plan<T: Tool>(&self, tool: T, arguments: Value) -> ToolResult<Plan> {
        let arguments = valid::<T>(arguments)?;
        block_on(async { Tool::plan(&tool, &input::<T>(&arguments)?, &self.cx(T::SPEC.name)).await })
    }

    /// Validates by the schema, plans, and runs what was planned.
    pub fn call<T: Tool>(&self, tool: T, arguments: Value) -> ToolResult<Called> {
        self.call_after(tool, arguments, |_, _| {})
    }

    /// As [`Self::call`]; `between` happens after the plan was made and before it is run. Cancelling the
    /// context it is given cancels the run.
    pub fn call_after<T: Tool>(
        &self,
        tool: T,
        arguments: Value,
        between: impl FnOnce(&Plan, &Cx),
    ) -> ToolResult<Called> {
        let arguments = valid::<T>(arguments)?;
        let cx = self.cx(T::SPEC.name);
        block_on(async {
            let plan = Tool::plan(&tool, &input::<T>(&arguments)?, &cx).await?;
            let running = cx.approved(Arc::new(plan.clone()), Default::default());
            between(&plan, &running);
            let output = Tool::run(&tool, input::<T>(&arguments)?, &running).await?;
            let text = T::render(&output).text;
            let data = serde_json::to_value(&output).unwrap();
            let answer = schema::compile(&schema::of::<T::Output>()).unwrap();
            assert!(answer.is_valid(&data), "the output does not fit its own schema: {data}");
            Ok(Called { id: cx.call_id(), plan, text, data })
        })
    }

    /// What the journal has of a call.
    pub fn entry(&self, call: CallId) -> Option<UndoEntry> {
        self.journal.load(call).unwrap()
    }

    /// What every tool must withstand: arguments that are no arguments, and paths that are no paths. `field`
    /// is its path parameter, `good` arguments that would work but for the path.
    pub fn withstands_bad_input<T: Tool>(&self, tool: fn() -> T, field: &str, good: &Value) {
        let before = self.listing();
        let with = |field: &str, value: Value| {
            let mut arguments = good.clone();
            arguments[field] = value;
            arguments
        };
        let mut missing = good.clone();
        missing.as_object_mut().unwrap().remove(field);
        let invalid = [
            missing,
            with("no_such_parameter", Value::Null.to_string().into()),
            with(field, 5.into()),
            with(field, vec!["a"].into()),
            with(field, true.into()),
            with(field, "".into()),
            with(field, "a\0b".into()),
            with(field, "x".repeat(1_000_000).into()),
            with(field, format!("{}f", "d/".repeat(2100)).into()),
            Value::Null,
            "text".into(),
        ];
        for arguments in invalid {
            let error = self.call(tool(), arguments).expect_err("bad arguments are refused");
            assert_eq!(error.status, Status::InvalidArguments, "{error:?}");
            assert!(error.message.len() < 3000, "{} bytes of message", error.message.len());
        }
        for path in ["a".repeat(300), "loop/x".to_owned(), "file/x".to_owned()] {
            let error = self.call(tool(), with(field, path.into())).expect_err("bad paths are refused");
            assert!(
                ["name_too_long", "link_loop", "not_a_directory", "no_such_file"].contains(&error.code),
                "{error:?}"
            );
        }
        assert_eq!(self.listing(), before, "nothing was changed");
    }

    /// A workspace with one of each: a file, a folder, a link that leads in a circle.
    pub fn with_oddities() -> Self {
        let desk = Self::new();
        desk.write("file", "content\n");
        fs::create_dir(desk.path("folder")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("loop", desk.path("loop")).unwrap();
        desk
    }
}

fn valid<T: Tool>(mut arguments: Value) -> ToolResult<Value> {
    let schema = schema::of::<T::Input>();
    arguments::normalise(&mut arguments, &schema);
    let validator = schema::compile(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&arguments)
        .map(|error| error.to_string().chars().take(200).collect())
        .collect();
    if errors.is_empty() {
        return Ok(arguments);
    }
    Err(ToolError::invalid("invalid_arguments", errors.join("; ")))
}

fn input<T: Tool>(arguments: &Value) -> ToolResult<T::Input> {
    serde_json::from_value(arguments.clone())
        .map_err(|e| ToolError::invalid("invalid_arguments", e.to_string()))
}

pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// Mode and time of the last change of a path, itself.
pub fn look(path: &Path) -> (u32, SystemTime) {
    let meta = path.symlink_metadata().unwrap();
    #[cfg(unix)]
    let mode = std::os::unix::fs::MetadataExt::mode(&meta) & 0o7777;
    #[cfg(not(unix))]
    let mode = 0;
    (mode, meta.modified().unwrap())
}

#[cfg(unix)]
pub fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A file system of a given size of its own, where this user may mount one.
#[cfg(target_os = "linux")]
pub struct SmallDisk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// `None`, with the reason printed, where it cannot be had.
    pub fn mount(options: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "deskhand-test"])
            .arg(folder.path())
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(folder)),
            other => {
                let why = other.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
                std::eprintln!("skipped: no file system can be mounted here: {why:?}");
                None
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn make_read_only(&self) {
        let done = std::process::Command::new("mount").args(["-o", "remount,ro"]).arg(self.path()).status();
        assert!(done.unwrap().success());
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").args(["-l"]).arg(self.path()).status();
    }
}
