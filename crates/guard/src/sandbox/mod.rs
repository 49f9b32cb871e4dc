//! Confinement: what a program that a call starts can reach.
//!
//! [`Sandbox`] turns a [`Job`] into a [`Launch`]: this very program, started as its own launcher, which shuts
//! itself in before it starts what was asked for. Nothing is started here, and nothing is started bare: where the
//! configured confinement cannot be had, there is no [`Launch`].

mod environment;
mod git;
mod hidden;
pub mod launcher;
pub mod layer;
mod policy;
mod probe;
mod shown;

use std::{
    ffi::OsString,
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use deskhand_core::{Runs, ToolError, ToolResult};
use rustix::io::{FdFlags, fcntl_setfd};

use self::{
    layer::{Layer, LayerPlaces, Sweep},
    policy::{Policy, Shown, Text},
    probe::Refusal,
};
pub use self::{
    policy::{Kind, Limits},
    probe::{ALLOW_LANDLOCK, ALLOW_NAMESPACES, Findings, Found},
};
use crate::paths::{Paths, RootKind};

/// How much of the machine a job sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// For what runs unasked: the roots and the system's public files, all of it read-only; nothing else is there.
    Look,
    /// For what a person said yes to: the workspace is writable, the rest of the machine is read-only, secrets
    /// are not there.
    Work,
}

/// Something to run.
#[derive(Clone, Debug)]
pub struct Job {
    pub argv: Vec<OsString>,
    /// Absolute and real, inside a root.
    pub cwd: PathBuf,
    pub view: View,
    pub network: bool,
    /// Where what it writes goes to. `None`: into the workspace itself, or nowhere, as its view says.
    pub layer: Option<Arc<Layer>>,
    /// What decides what the person's own git runs later (`.git/hooks`, `.git/config`) stays as it is.
    pub protects_git: bool,
    /// Secret places that the plan named and a person said yes to: they are there, read-only.
    pub revealed: Vec<PathBuf>,
    /// The folder that is its `/tmp`.
    pub temporary: PathBuf,
    /// Its whole environment is a clean one, and these.
    pub env: Vec<(OsString, OsString)>,
}

/// What to start for a job. Dropping `life` ends everything that the job started.
#[derive(Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The job lives as long as this is open; the system closes it when this process ends, however it ends.
    pub life: OwnedFd,
    /// The launcher's side of it: inherited by the launcher, to be dropped once that has started.
    pub inherited: OwnedFd,
}

/// Which confinement is in force, for plans, `doctor` and the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    /// `namespaces` or `landlock`.
    pub kind: &'static str,
    /// In words: all that holds.
    pub words: String,
    /// Why not a stronger one, where there is one.
    pub weaker_because: Option<String>,
}

impl InForce {
    /// In words, for a job that runs like this, and gets the network or not.
    pub fn words_for(&self, runs: Runs, network: bool) -> String {
        let mut words = self.words.clone();
        let writable = "writable: the workspace and a private";
        match runs {
            Runs::Direct => {}
            Runs::ReadOnly => words = words.replace(writable, "writable: a private"),
            Runs::Layer => {
                words = words.replace(writable, "writable: a layer over the workspace and a private");
            }
        }
        if network {
            words =
                words.replace("PID, network, IPC", "PID, IPC").replace("(no sockets)", "(no Unix sockets)");
            words = words.replace("; no network", "; with the network");
        }
        words
    }
}

/// Which confinement is wanted. There is no "none".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// The strongest that works here.
    #[default]
    Auto,
    /// That kind or nothing.
    Only(Kind),
}

/// What a [`Sandbox`] is made of.
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    pub paths: Paths,
    /// The program that calls [`launcher::run_if_asked`] first thing: Deskhand itself.
    pub launcher: PathBuf,
    pub wanted: Wanted,
    pub limits: Limits,
    pub layers: LayerPlaces,
}

/// Puts jobs into confinement. Put into [`Services`](deskhand_core::Services).
#[derive(Clone, Debug)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: SandboxConfig,
    found: OnceLock<Findings>,
    in_force: OnceLock<Result<(Kind, InForce), Refusal>>,
    /// Why there are no layers here, where there are none.
    no_layer: OnceLock<Option<String>>,
    private_system_files: OnceLock<Vec<PathBuf>>,
    finds_all_secrets: OnceLock<bool>,
}

impl Sandbox {
    pub fn new(config: SandboxConfig) -> Self {
        Self(Arc::new(Inner {
            config,
            found: OnceLock::new(),
            in_force: OnceLock::new(),
            no_layer: OnceLock::new(),
            private_system_files: OnceLock::new(),
            finds_all_secrets: OnceLock::new(),
        }))
    }

    /// What is in force here, or the refusal with its remedy. Found out once, by trying.
    pub fn in_force(&self) -> ToolResult<&InForce> {
        self.decided().map(|(_, in_force)| in_force)
    }

    /// Why commands cannot run on a layer here; `None` if they can. Found out once, by mounting one.
    pub fn no_layer(&self) -> Option<&str> {
        self.0.no_layer.get_or_init(|| probe::try_layer(self).err()).as_deref()
    }

    /// An empty layer over the workspaces, for one job.
    pub fn layer(&self, name: &str) -> ToolResult<Layer> {
        let SandboxConfig { layers, paths, .. } = &self.0.config;
        let roots = self.layered_roots();
        let is_apart =
            |cache: &&PathBuf| !roots.iter().any(|root| touches(root, cache)) && !self.is_own(cache);
        let caches = if paths.restrict_to_workspace() { Vec::new() } else { shown::caches(paths) };
        let scratch = caches.iter().filter(is_apart).map(PathBuf::as_path);
        let place = layers.folder_for(paths.workspace()).map(|place| place.join(name));
        let layer = place.and_then(|place| Layer::begin(&place, roots.iter().map(PathBuf::as_path), scratch));
        layer.map_err(|error| ToolError::new("no_layer", format!("Cannot make a layer to run on: {error}.")))
    }

    /// What commands may change: the workspaces, and the Git folders outside that belong to them.
    fn layered_roots(&self) -> Vec<PathBuf> {
        let paths = &self.0.config.paths;
        let mut roots: Vec<PathBuf> = paths.workspaces().map(Path::to_path_buf).collect();
        roots.extend(git::folders_outside(&roots).own.into_iter().filter(|folder| !self.is_own(folder)));
        // A root in another one is part of its layer.
        let all = roots.clone();
        roots.retain(|root| !all.iter().any(|other| other != root && root.starts_with(other)));
        roots.dedup();
        roots
    }

    /// Removes the layers that killed processes left, and names those whose changes were accepted.
    pub fn sweep_layers(&self) -> Sweep {
        self.0.config.layers.sweep(self.0.config.paths.workspaces())
    }

    fn is_own(&self, path: &Path) -> bool {
        self.0.config.paths.own().iter().any(|own| path.starts_with(own))
    }

    /// What this machine has of each kind, found out by trying: for `doctor`.
    pub fn findings(&self) -> &Findings {
        self.0.found.get_or_init(|| probe::try_all(self))
    }

    /// Whether all of the workspaces is looked through for secrets. Found out once: large ones are not.
    pub fn finds_all_secrets(&self) -> bool {
        *self.0.finds_all_secrets.get_or_init(|| hidden::looks_everywhere(&self.0.config.paths))
    }

    /// What to start for `job`.
    pub fn launch(&self, job: &Job) -> ToolResult<Launch> {
        let (kind, _) = self.decided()?;
        let [first, ..] = job.argv.as_slice() else {
            return Err(ToolError::invalid("empty_command", "There is no program to run."));
        };
        let nul = |text: &OsString| text.as_encoded_bytes().contains(&0);
        if job.argv.iter().any(nul) || job.env.iter().any(|(name, value)| nul(name) || nul(value)) {
            let message = format!("The arguments or variables of {} hold a NUL byte.", first.display());
            return Err(ToolError::invalid("nul_byte", message));
        }
        self.keep_own_apart(*kind, job)?;
        let temporary = job
            .temporary
            .canonicalize()
            .map_err(|e| ToolError::io("use the temporary folder", &job.temporary, &e))?;
        self.prepare(*kind, launcher::RUN, &job.argv, |life| self.policy(*kind, job, &temporary, life))
    }

    /// Deskhand's own data and config must not be written, wherever they lie. What is not there yet could be made by the
    /// job, so it is made first; where only Landlock stands, a part of a writable folder cannot be kept apart.
    fn keep_own_apart(&self, kind: Kind, job: &Job) -> ToolResult<()> {
        let paths = &self.0.config.paths;
        let writable = |own: &Path| {
            job.view == View::Work
                && job.layer.is_none()
                && paths
                    .roots()
                    .iter()
                    .any(|root| root.kind == RootKind::Workspace && own.starts_with(&root.path))
        };
        for own in paths.own().iter().filter(|own| writable(own)) {
            if kind == Kind::Landlock {
                let message = format!(
                    "{} lies in the workspace, and Landlock alone cannot keep it from a program that may write there.",
                    own.display()
                );
                let error = ToolError::new("no_sandbox", message);
                return Err(error
                    .hint("Choose a workspace that does not hold it (--workspace), or allow namespaces."));
            }
            if !own.exists() && own.extension().is_none() {
                std::fs::create_dir_all(own).map_err(|e| ToolError::io("create the folder", own, &e))?;
            }
        }
        Ok(())
    }

    fn decided(&self) -> ToolResult<&(Kind, InForce)> {
        let decided = self.0.in_force.get_or_init(|| probe::decide(self.0.config.wanted, self));
        decided.as_ref().map_err(Refusal::to_error)
    }

    /// A launcher and its life line.
    fn prepare(
        &self,
        kind: Kind,
        task: &str,
        argv: &[OsString],
        policy: impl FnOnce(i32) -> Policy,
    ) -> ToolResult<Launch> {
        let failed = |what: &str| {
            ToolError::new(
                "no_sandbox",
                format!("The launcher ({}) cannot be prepared: {what}.", kind.name()),
            )
        };
        // Nobody else may hold the writing side, or the job would outlive us.
        let (inherited, life) = std::io::pipe().map_err(|e| failed(&e.to_string()))?;
        let (inherited, life) = (OwnedFd::from(inherited), OwnedFd::from(life));
        fcntl_setfd(&inherited, FdFlags::empty()).map_err(|e| failed(&e.to_string()))?;
        let policy = policy(inherited.as_raw_fd());
        let mut env = policy.to_environment().map_err(|e| failed(&e.to_string()))?;
        env.extend(std::env::var_os(launcher::WITHOUT).map(|value| (launcher::WITHOUT.into(), value)));
        let args = std::iter::once(task.into()).chain(argv.iter().cloned()).collect();
        Ok(Launch { program: self.0.config.launcher.clone(), args, env, life, inherited })
    }

    fn policy(&self, kind: Kind, job: &Job, temporary: &Path, life: i32) -> Policy {
        let paths = &self.0.config.paths;
        let whole_machine = job.view == View::Work && !paths.restrict_to_workspace();
        // In the machine's own world, /tmp is everybody's.
        let shown_temporary = if kind == Kind::Namespaces { Path::new("/tmp") } else { temporary };
        // What runs on a layer changes nothing, whatever it runs; with the network it could send what it reads.
        let only_looks = job.view == View::Look && (job.layer.is_none() || job.network);
        let git = only_looks.then(|| git::hardened(paths, &job.cwd));
        let mut env = environment::clean(std::env::vars_os(), paths.home(), shown_temporary, &job.env, git);
        if only_looks {
            environment::only_programs_of_the_machine(&mut env, paths);
        }
        let (hidden, revealed) = self.hidden(kind, &job.revealed);
        let mut shown: Vec<Shown> = revealed.into_iter().map(Shown::read_only).collect();
        if !whole_machine {
            let search_path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.as_os_str());
            shown.extend(shown::places(paths, search_path).into_iter().map(Shown::read_only));
            if job.layer.is_some() && !paths.restrict_to_workspace() {
                shown.extend(shown::tool_settings(paths).into_iter().map(Shown::read_only));
            }
        }
        let layered = job.layer.as_deref().map_or(&[][..], Layer::roots);
        let is_layered = |path: &Path| layered.iter().any(|root| path.starts_with(&root.path));
        shown.extend(paths.roots().iter().filter(|root| !is_layered(&root.path)).map(|root| {
            let writes_directly = job.view == View::Work && job.layer.is_none();
            if writes_directly && root.kind == RootKind::Workspace {
                Shown::writable(&root.path)
            } else {
                Shown::read_only(&root.path)
            }
        }));
        shown.extend(layered.iter().map(Shown::on_layer));
        if job.layer.is_some() && !paths.restrict_to_workspace() {
            let workspaces: Vec<PathBuf> = paths.workspaces().map(Path::to_path_buf).collect();
            let borrowed = git::folders_outside(&workspaces).borrowed;
            shown.extend(borrowed.iter().filter(|folder| !self.is_own(folder)).map(Shown::read_only));
        }
        if job.protects_git && job.view == View::Work && job.layer.is_none() {
            let kept =
                |root: &crate::paths::Root| [".git/hooks", ".git/config"].map(|part| root.path.join(part));
            shown.extend(
                paths.roots().iter().flat_map(kept).filter(|path| path.exists()).map(Shown::read_only),
            );
        }
        if job.network {
            // Often a link into /run, which is empty otherwise.
            shown.extend(Path::new("/etc/resolv.conf").canonicalize().ok().map(Shown::read_only));
        }
        Policy {
            kind,
            whole_machine,
            shown,
            hidden: hidden.into_iter().map(Text::of).collect(),
            temporary: Text::of(temporary),
            cwd: Text::of(&job.cwd),
            network: job.network,
            limits: self.0.config.limits,
            env: env.into_iter().map(|(name, value)| (Text(name), Text(value))).collect(),
            life,
        }
    }

    /// What is hidden from a job, and what it sees although it would be.
    fn hidden(&self, kind: Kind, revealed: &[PathBuf]) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let paths = &self.0.config.paths;
        let system = self.0.private_system_files.get_or_init(hidden::private_system_files);
        let mut all = hidden::all(paths, system);
        if kind == Kind::Namespaces {
            // Otherwise seccomp refuses all sockets of that kind.
            all.extend(hidden::sockets(paths));
        }
        let is_own = |path: &Path| paths.own().iter().any(|own| path.starts_with(own));
        let revealed: Vec<PathBuf> = revealed
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| !is_own(path) && all.iter().any(|hidden| touches(hidden, path)))
            .collect();
        all.retain(|hidden| !revealed.iter().any(|path| hidden.starts_with(path)));
        // Read-only roots (uploads, skills) lie in our own data and are shown; nothing else of it ever is.
        all.extend(hidden::own(paths).map(Path::to_path_buf));
        // What other commands write is none of this one's business.
        let layers = self.0.config.layers.all(paths.workspaces());
        all.extend(layers.into_iter().filter(|folder| folder.exists()));
        (all.into_iter().collect(), revealed)
    }
}

/// Whether one of two places lies in the other.
fn touches(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
