//! Confinement, by trying: what a confined program can reach, in each kind of it.

#![allow(clippy::print_stderr)] // a test that is skipped says so

mod ends;
mod files;
mod git;
mod kinds;
mod layers;
mod reach;

use std::{
    ffi::OsString,
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use deskhand_guard::{
    Paths, PathsConfig,
    sandbox::{Job, Kind, Launch, Limits, Sandbox, SandboxConfig, View, Wanted, layer::LayerPlaces},
};
use tempfile::TempDir;

pub const LAUNCHER: &str = env!("CARGO_BIN_EXE_deskhand");
pub const BOTH: [Kind; 2] = [Kind::Namespaces, Kind::Landlock];
pub const SECRET: &str = "the-very-secret";

/// Both kinds; where the tests run as if there were no Landlock, the one that does without.
pub fn kinds() -> &'static [Kind] {
    if std::env::var_os("DESKHAND_TEST_WITHOUT").is_some() { &BOTH[..1] } else { &BOTH }
}

/// A machine in a folder: a home with secrets, Deskhand's own data, a workspace, and a neighbour of it.
pub struct Bench {
    _folder: TempDir,
    pub top: PathBuf,
    pub workspace: PathBuf,
    pub sandbox: Sandbox,
}

impl Bench {
    pub fn new(kind: Kind) -> Self {
        Self::with(kind, |_| {})
    }

    pub fn with(kind: Kind, change: impl FnOnce(&mut SandboxConfig)) -> Self {
        Self::of(kind, false, change)
    }

    pub fn restricted(kind: Kind) -> Self {
        Self::of(kind, true, |_| {})
    }

    fn of(kind: Kind, restrict_to_workspace: bool, change: impl FnOnce(&mut SandboxConfig)) -> Self {
        let folder = deskhand_testkit::folder_in_sight(env!("CARGO_TARGET_TMPDIR"));
        Self::in_folder(folder, kind, restrict_to_workspace, change)
    }

    /// Where every user can reach it.
    pub fn for_everyone(kind: Kind) -> Self {
        let folder = deskhand_testkit::folder_for_everyone();
        let launcher = folder.path().join("launcher");
        fs::copy(LAUNCHER, &launcher).unwrap();
        Self::in_folder(folder, kind, false, |config| config.launcher = launcher)
    }

    fn in_folder(
        folder: TempDir,
        kind: Kind,
        restrict_to_workspace: bool,
        change: impl FnOnce(&mut SandboxConfig),
    ) -> Self {
        let top = folder.path().canonicalize().unwrap();
        let workspace = top.join("home/project");
        for (path, content) in [
            ("home/project/readme", "hello"),
            ("home/project/.env", SECRET),
            ("home/project/deep/er/server.key", SECRET),
            ("home/.ssh/id_ed25519", SECRET),
            ("home/.config/gh/hosts.yml", SECRET),
            ("home/.config/app/settings", "harmless"),
            ("home/.bash_history", SECRET),
            ("home/.cargo/credentials.toml", SECRET),
            ("home/.cargo/bin/tool", "harmless"),
            ("home/notes", "private"),
            ("data/deskhand.db", SECRET),
            ("data/uploads/given", "given"),
            ("temporary/.keep", ""),
        ] {
            let path = top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let mut config = config(&top, kind, restrict_to_workspace);
        change(&mut config);
        Self { _folder: folder, top, workspace, sandbox: Sandbox::new(config) }
    }

    /// The same machine, after its workspace was made again.
    pub fn reopened(mut self, kind: Kind) -> Self {
        self.sandbox = Sandbox::new(config(&self.top, kind, false));
        self
    }

    pub fn job(&self, view: View, argv: &[&str]) -> Job {
        Job {
            argv: argv.iter().map(OsString::from).collect(),
            cwd: self.workspace.clone(),
            view,
            network: false,
            layer: None,
            protects_git: true,
            revealed: Vec::new(),
            temporary: self.top.join("temporary"),
            env: Vec::new(),
        }
    }

    pub fn shell(&self, view: View, script: &str) -> Ran {
        self.run(&self.job(view, &["sh", "-c", script]))
    }

    pub fn run(&self, job: &Job) -> Ran {
        let Launch { program, args, env, life, inherited } = self.sandbox.launch(job).unwrap();
        let child = started(&program, &args, env);
        drop(inherited);
        let output = child.wait_with_output().unwrap();
        drop(life);
        Ran::of(&output)
    }

    /// Starts a script and hands over what keeps it alive.
    pub fn start(&self, script: &str) -> (Child, std::os::fd::OwnedFd) {
        let launch = self.sandbox.launch(&self.job(View::Work, &["sh", "-c", script])).unwrap();
        (started(&launch.program, &launch.args, launch.env), launch.life)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }
}

fn config(top: &Path, kind: Kind, restrict_to_workspace: bool) -> SandboxConfig {
    let paths = Paths::open(PathsConfig {
        workspaces: vec![top.join("home/project")],
        read_only: vec![top.join("data/uploads")],
        further: Vec::new(),
        own: vec![top.join("data")],
        outputs: top.join("data/outputs"),
        home: Some(top.join("home")),
        restrict_to_workspace,
    })
    .unwrap();
    SandboxConfig {
        paths,
        launcher: LAUNCHER.into(),
        wanted: Wanted::Only(kind),
        limits: Limits::default(),
        layers: LayerPlaces::new(&top.join("data")),
    }
}

fn started(program: &Path, args: &[OsString], env: Vec<(OsString, OsString)>) -> Child {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// How a job ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().or_else(|| output.status.signal().map(|s| -s)).unwrap(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// It ran, to a good end.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// The job itself ran and failed; it is not that the walls did not stand.
    #[track_caller]
    pub fn refused(self) {
        assert!(self.code != 0 && self.code != 125, "{self:?}");
        assert!(!self.out.contains(SECRET), "{self:?}");
    }
}
