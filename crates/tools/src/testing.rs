//! A desk to test tools at, without a gate: the fixture that all tests share, and calls of one tool on it.

// A tool is a unit struct, which reads better given than lent; and the cancel token's type is not ours to name.
#![allow(clippy::needless_pass_by_value, clippy::default_trait_access)]

use std::{fs, ops::Deref, path::Path, sync::Arc, time::SystemTime};

use deskhand_core::{
    CallId, Cx, Plan, Services, Status, Tool, ToolError, ToolResult, UndoJournal, arguments,
    cx::CxParts,
    event::{EventSink, NoEvents},
    schema,
    undo::UndoEntry,
};
use deskhand_guard::PathsConfig;
use deskhand_store::StoreOptions;
#[cfg(target_os = "linux")]
pub use deskhand_testkit::SmallDisk;
use deskhand_testkit::{Fixture, NothingSecret};
use serde_json::Value;

/// The fixture, and what a file tool needs beside it.
pub struct Desk {
    fixture: Fixture,
    pub journal: Arc<dyn UndoJournal>,
    pub services: Services,
}

impl Deref for Desk {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
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

impl Desk {
    pub fn new() -> Self {
        Self::with(&StoreOptions::default(), |_| {})
    }

    /// A desk whose undo journal keeps at most `bytes` for one call.
    pub fn keeping_at_most(bytes: u64) -> Self {
        Self::with(&StoreOptions { undo_max_bytes: bytes * 4, ..StoreOptions::default() }, |_| {})
    }

    pub fn with(options: &StoreOptions, change: impl FnOnce(&mut PathsConfig)) -> Self {
        let fixture = Fixture::with(options, change);
        let (journal, services) = (fixture.store.undo(), fixture.services.clone());
        Self { fixture, journal, services }
    }

    /// A desk with its workspace elsewhere: on another file system, say.
    pub fn in_workspace(workspace: &Path) -> Self {
        let workspace = workspace.canonicalize().unwrap();
        Self::with(&StoreOptions::default(), |paths| paths.workspaces = vec![workspace])
    }

    /// A desk whose journal is elsewhere: on a small disk, say.
    pub fn with_data_in(data: &Path) -> Self {
        let data = data.canonicalize().unwrap();
        Self::with(&StoreOptions::default(), |paths| paths.own = vec![data])
    }

    /// The same workspace with another journal.
    pub fn with_journal(mut self, journal: Arc<dyn UndoJournal>) -> Self {
        self.services = self.services.with(Arc::clone(&journal));
        self.journal = journal;
        self
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
