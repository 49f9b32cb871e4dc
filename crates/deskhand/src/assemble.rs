//! The one place where everything is put together.

use std::{
    env,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use deskhand_browser::Browsers;
use deskhand_core::{
    Approver, EventSink, Gate, GateSettings, Mode, PageCamera, Registry, Services, SessionCx, SessionEnd,
    UndoJournal,
    id::new_id,
    session::{SessionError, SessionStore},
};
use deskhand_guard::{NewFiles, Paths, PathsConfig, Rules, SecretScreener};
#[cfg(unix)]
use deskhand_guard::{
    sandbox::{Sandbox, SandboxConfig, layer::LayerPlaces},
    shell::Shell,
};
use deskhand_serve::{
    http::About,
    mcp::client::{self, Places, ServerConfig, Servers, sign_in::Keeper},
};
use deskhand_store::{DataFolder, Store, Trust};
use deskhand_tools::{desktop::Seat, files::JournalledFiles};
use serde_json::Value;

use crate::{
    cli::Shared,
    language::Language,
    places,
    servers::{self, Configured},
    settings::{self, Settings},
};

/// The program, put together for one data folder and one workspace.
pub struct App {
    pub settings: Settings,
    pub mode: Mode,
    pub language: Language,
    pub data_dir: PathBuf,
    /// Where the config, the keys and the rules for programs lie; `None` where there is no home.
    pub config_dir: Option<PathBuf>,
    pub store: Store,
    pub gate: Gate,
    pub paths: Paths,
    /// The browsers of the sessions.
    pub browsers: Browsers,
    paths_config: PathsConfig,
    #[cfg(unix)]
    pub sandbox: Sandbox,
    #[cfg(unix)]
    pub shell: Shell,
    pub seat: Seat,
    /// The session that was named for this run.
    pub named_session: Option<String>,
    services: Services,
    session_id: String,
    /// Other MCP servers, once they are begun.
    servers: OnceLock<Servers>,
}

/// Whom a session can ask, and who watches it.
pub struct Surfaces {
    pub approvers: Vec<Arc<dyn Approver>>,
    pub wait_for_others: bool,
    pub events: Arc<dyn EventSink>,
}

impl App {
    pub fn open(shared: &Shared) -> Result<Self> {
        let data_dir = places::data_dir(shared.data_dir.as_deref())?;
        let workspaces = workspaces(shared)?;
        let data = DataFolder::open(&data_dir)?;
        let mut registry = registry();
        let mut settings = load_settings(shared, &workspaces, data.trust(), &registry)?;
        settings.configure_dialects(&mut registry);
        let config_dir = config_dir(shared, &workspaces);
        settings.warnings.extend(not_read(shared, config_dir.as_deref()));
        let store = data.store(&settings.store());
        let paths_config = paths_config(shared, &mut settings, &data_dir, workspaces);
        let paths = Paths::open(paths_config.clone()).context("the workspace cannot be opened")?;
        let undo: Arc<dyn UndoJournal> = store.undo();
        // One for all that goes out: what browsers may reach, any other tool may, and nothing else.
        let browsers = Browsers::new(settings.browsers(&data_dir, settings.outbound()));
        let seat = seat()?;
        let services = Services::default().with(paths.clone()).with(undo).with(seat.clone());
        let services = with_browsers(services, &browsers);
        #[cfg(unix)]
        let sandbox = sandbox(&settings, &paths, &data_dir)?;
        #[cfg(unix)]
        finish_layers(&sandbox, store.undo().as_ref());
        #[cfg(unix)]
        let shell = own_programs(config_dir.as_deref());
        #[cfg(unix)]
        let services = with_shell(services, &settings, &data_dir).with(shell.clone()).with(sandbox.clone());
        registry.probe(&services)?;
        let gate = gate(registry, &store, settings.gate());
        let session = shared.session.clone().or_else(|| env::var("DESKHAND_SESSION").ok());
        let session = session.filter(|id| !id.is_empty()).map(|id| whole_id(&store, id)).transpose()?;
        Ok(Self {
            mode: settings.mode()?,
            language: Language::choose(settings.language()),
            settings,
            data_dir,
            config_dir,
            store,
            gate,
            paths,
            browsers,
            paths_config,
            #[cfg(unix)]
            sandbox,
            #[cfg(unix)]
            shell,
            services,
            seat,
            session_id: session.clone().unwrap_or_else(new_id),
            named_session: session,
            servers: OnceLock::new(),
        })
    }

    /// The other MCP servers. The first time, they are begun, in the background.
    pub fn servers(&self) -> &Servers {
        self.servers_of(|_| true)
    }

    /// For one command: where `tool` is of another server, that one is begun, and waited for.
    pub async fn servers_for(&self, tool: &str) {
        const WAITS: Duration = Duration::from_secs(30);
        if tool.starts_with("mcp_") && self.gate.registry.get(tool).is_none() {
            let servers = self.servers_of(|name| tool.starts_with(&client::prefix(name)));
            servers.settled(WAITS).await;
        }
    }

    /// Those of these names, where none have been begun yet.
    fn servers_of(&self, wanted: impl Fn(&str) -> bool) -> &Servers {
        self.servers.get_or_init(|| {
            let Configured { mut servers, problems, .. } =
                servers::configured(&self.settings, self.config_dir.as_deref());
            for problem in problems {
                tracing::warn!("{problem}");
            }
            servers.retain(|name, _| wanted(name));
            Servers::start(&self.gate.registry, servers, &self.server_places())
        })
    }

    /// What other MCP servers are told, and where the tokens for them are kept.
    pub fn server_places(&self) -> Places {
        let workspaces = self.paths.workspaces().map(Path::to_path_buf).collect();
        Places {
            keeper: self.config_dir.as_deref().map(servers::keeper),
            ..Places::here(workspaces, Arc::clone(&self.gate.screener))
        }
    }

    /// What somebody signs in to, and where the tokens for it are kept.
    pub fn to_sign_in(
        &self,
        name: &str,
        config: &ServerConfig,
    ) -> Result<(client::sign_in::Server, Arc<dyn Keeper>)> {
        let places = self.server_places();
        let server = client::server_to_sign_in(name, config, &places).map_err(anyhow::Error::msg)?;
        Ok((server, places.keeper.context("there is no config folder: name one with --config")?))
    }

    /// Ends what was begun beside this program.
    pub async fn close(&self) {
        self.browsers.close_all().await;
        if let Some(servers) = self.servers.get() {
            servers.shutdown().await;
        }
    }

    /// The settings as they are now, read anew from all their layers.
    pub fn settings_now(&self, shared: &Shared) -> Result<Settings> {
        let workspaces: Vec<PathBuf> = self.paths.workspaces().map(Path::to_path_buf).collect();
        load_settings(shared, &workspaces, &self.store.trust(), &self.gate.registry)
    }

    /// What it is, with the settings in force and the usual model.
    pub fn about(&self, settings: &Settings, model: Option<String>) -> About {
        About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workspaces: self.paths.workspaces().map(|path| path.display().to_string()).collect(),
            mode: settings.mode().unwrap_or(self.mode),
            language: Language::choose(settings.language()).code().to_owned(),
            model,
        }
    }

    /// The folder of the skills, a folder each.
    pub fn skills(&self) -> PathBuf {
        self.data_dir.join("skills")
    }

    /// The schema of a tool's arguments; `null` where there is no such tool.
    pub fn schema_of(&self, tool: &str, dialect: Option<&str>) -> Value {
        let found = self.gate.registry.find(tool, dialect);
        found.map_or(Value::Null, |found| found.entry.input_schema().clone())
    }

    pub fn session(&self, caller: &str, surfaces: Surfaces) -> SessionCx {
        let workspace = self.paths.workspace().to_path_buf();
        SessionCx::new(&*self.session_id, caller, workspace, self.services.clone())
            .in_mode(self.mode)
            .asking(surfaces.approvers, surfaces.wait_for_others)
            .watched_by(surfaces.events)
    }

    /// The services for one session alone: of all uploads it sees its own, and the skills where it is the session of
    /// the installation's owner (`None`), whose they are. Its relative paths start at `workspace`, which is one more root
    /// where it was added since the start.
    pub fn services_of(&self, session_id: &str, owner: Option<&str>, workspace: &Path) -> Result<Services> {
        let mut read_only = vec![self.data_dir.join("uploads").join(session_id)];
        if owner.is_none() {
            read_only.push(self.skills());
        }
        let mut config = PathsConfig { read_only, ..self.paths_config.clone() };
        if !config.workspaces.iter().any(|folder| folder == workspace) {
            config.workspaces.push(workspace.to_path_buf());
        }
        config.workspaces.sort_by_key(|folder| folder != workspace);
        let paths = Paths::open(config).context("the workspace cannot be opened")?;
        #[cfg(unix)]
        let services = self.services.clone().with(sandbox(&self.settings, &paths, &self.data_dir)?);
        #[cfg(not(unix))]
        let services = self.services.clone();
        Ok(services.with(paths))
    }
}

/// The id of a conversation that is named by the beginning or end of it, as listings show it. Any other name is one
/// that the caller made up.
fn whole_id(store: &Store, named: String) -> Result<String> {
    const WHOLE: usize = 36;
    let is_part =
        named.len() < WHOLE && named.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-'));
    // What is too short for a part is a name, too.
    if !is_part || named.len() < 6 {
        return Ok(named);
    }
    match store.sessions().find_session(&named) {
        Ok(session) => Ok(session.id),
        Err(SessionError::NoSuchSession(_)) => Ok(named),
        Err(error) => Err(error.into()),
    }
}

/// What commands need beside the reading of them and their confinement: the lists, and where things are kept.
#[cfg(unix)]
fn with_shell(services: Services, settings: &Settings, data_dir: &Path) -> Services {
    services
        .with(settings.shell())
        .with(
            deskhand_tools::shell::ShellPlaces::new(data_dir, places::home())
                .with_layer_limits(settings.most_layer_bytes(), settings.journal_budget()),
        )
        .with(deskhand_tools::shell::ProcessTable::waiting(data_dir, settings.longest_wait()))
}

/// What lies beside the config and is read from there.
const BESIDE_CONFIG: [&str; 4] = ["mcp.json", "mcp-tokens", "programs.toml", "keys.toml"];

/// The config file that was named. Absolute: who names one means it from where the program was started, and a path that
/// says less would keep nobody from it.
fn named_config(shared: &Shared) -> Option<PathBuf> {
    let named = shared.config.clone().or_else(|| places::variable("DESKHAND_CONFIG"))?;
    Some(std::path::absolute(&named).unwrap_or(named))
}

/// The person's config file, named or usual; `None` where there is no home.
pub fn config_file(shared: &Shared) -> Option<PathBuf> {
    named_config(shared).or_else(|| places::config_dir().map(|dir| dir.join("config.toml")))
}

/// The folder of the config that was named, with its links followed.
fn named_dir(shared: &Shared) -> Option<PathBuf> {
    let folder = named_config(shared)?.parent()?.to_path_buf();
    Some(folder.canonicalize().unwrap_or(folder))
}

/// The folder of the config, named or usual. A workspace is none: what starts programs and what says which of them are
/// harmless must not lie where tools write, and where whoever made the folder has put it.
fn config_dir(shared: &Shared, workspaces: &[PathBuf]) -> Option<PathBuf> {
    let named = named_dir(shared).filter(|folder| !workspaces.iter().any(|root| folder.starts_with(root)));
    named.or_else(places::config_dir)
}

/// What lies beside the named config and is not read, in words.
fn not_read(shared: &Shared, config_dir: Option<&Path>) -> Vec<String> {
    let Some(folder) = named_dir(shared).filter(|folder| Some(folder.as_path()) != config_dir) else {
        return Vec::new();
    };
    let there = BESIDE_CONFIG.iter().map(|name| folder.join(name)).filter(|path| path.exists());
    let words = |path: PathBuf| {
        format!("{} is not read, since it lies in the workspace: move the config out of it", path.display())
    };
    there.map(words).collect()
}

/// The reading of commands, with a person's own rules for programs. Where those cannot be read, no command runs.
#[cfg(unix)]
fn own_programs(config_dir: Option<&Path>) -> Shell {
    let Some(folder) = config_dir else { return Shell::default() };
    let file = folder.join("programs.toml");
    let broken = |why: String| Shell::broken(&format!("{}: {why}", file.display()));
    match std::fs::read_to_string(&file) {
        Ok(text) => Shell::with_entries(&text).unwrap_or_else(broken),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Shell::default(),
        Err(error) => broken(error.to_string()),
    }
}

/// Every tool that there is.
pub fn registry() -> Registry {
    let mut registry = deskhand_tools::registry();
    deskhand_agent::tools::register(&mut registry);
    deskhand_browser::tools::register(&mut registry);
    registry
}

/// The browsers, and what connects them with the tools of other crates: `screenshot` takes pictures of their pages, and
/// what they have downloaded is written as the file tools write, and they end with their sessions.
pub fn with_browsers(services: Services, browsers: &Browsers) -> Services {
    let camera: Arc<dyn PageCamera> = Arc::new(browsers.clone());
    let new_files: Arc<dyn NewFiles> = Arc::new(JournalledFiles);
    let session_end: Arc<dyn SessionEnd> = Arc::new(browsers.clone());
    services.with(browsers.clone()).with(camera).with(new_files).with(session_end)
}

/// The gate, on what a store keeps and what the guard knows.
pub fn gate(registry: Registry, store: &Store, settings: GateSettings) -> Gate {
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

/// The desktop, with this very program as what holds the clipboard.
fn seat() -> Result<Seat> {
    Ok(Seat::here(env::current_exe().context("this program does not find itself")?))
}

/// Brings into place what was accepted when a process was killed, and removes the other layers that it left.
#[cfg(unix)]
fn finish_layers(sandbox: &Sandbox, journal: &dyn UndoJournal) {
    for folder in sandbox.sweep_layers().accepted {
        if let Err(error) = deskhand_tools::files::change::keep::finish(&folder, journal) {
            tracing::error!(%error, folder = %folder.display(), "changes that were accepted could not be kept");
        }
    }
}

/// Confinement, with this very program as the launcher.
#[cfg(unix)]
fn sandbox(settings: &Settings, paths: &Paths, data_dir: &Path) -> Result<Sandbox> {
    let launcher = env::current_exe().context("this program does not find itself")?;
    let (wanted, limits) = settings.sandbox();
    let layers = LayerPlaces::new(data_dir);
    Ok(Sandbox::new(SandboxConfig { paths: paths.clone(), launcher, wanted, limits, layers }))
}

fn load_settings(
    shared: &Shared,
    workspaces: &[PathBuf],
    trust: &Trust,
    registry: &Registry,
) -> Result<Settings> {
    let named = named_config(shared);
    let tools: Vec<String> = registry.own().map(|entry| entry.spec().name.to_owned()).collect();
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    settings::load(&settings::Load {
        named_file: named.as_deref(),
        usual_file: places::config_dir().map(|dir| dir.join("config.toml")),
        workspaces,
        trust,
        mode_flag: shared.mode,
        model_flag: shared.model.as_deref(),
        tools: &tools,
        environment: &|name| env::var(name).ok().filter(|value| !value.is_empty()),
    })
}

/// The folders to work in, the first being where relative paths start.
fn workspaces(shared: &Shared) -> Result<Vec<PathBuf>> {
    let mut folders = shared.workspace.clone();
    if folders.is_empty() {
        folders =
            env::var_os("DESKHAND_WORKSPACE").map(|all| env::split_paths(&all).collect()).unwrap_or_default();
    }
    if folders.is_empty() {
        folders.push(env::current_dir().context("the current folder is gone: name one with --workspace")?);
    }
    let mut real = Vec::new();
    for folder in folders {
        let path = folder.canonicalize().with_context(|| format!("the workspace {}", folder.display()))?;
        if !path.is_dir() {
            bail!("the workspace {} is not a folder", path.display());
        }
        real.push(path);
    }
    Ok(real)
}

fn paths_config(
    shared: &Shared,
    settings: &mut Settings,
    data_dir: &Path,
    workspaces: Vec<PathBuf>,
) -> PathsConfig {
    let mut own = vec![data_dir.to_path_buf()];
    // The usual places are ours even where others are used just now.
    own.extend(places::usual_data_dir());
    own.extend(places::config_dir());
    own.extend(named_config(shared));
    // The name before each is written whole under another, and then put in its place.
    let beside = |folder: PathBuf| {
        BESIDE_CONFIG
            .into_iter()
            .flat_map(move |name| [folder.join(name), folder.join(format!("{name}.new"))])
    };
    own.extend(named_dir(shared).into_iter().flat_map(beside));
    let further = settings.read_only_roots(places::home().as_deref());
    let not_there = further.iter().filter(|folder| !folder.is_dir());
    let words = |folder: &PathBuf| format!("read_only_roots: there is no folder {}", folder.display());
    settings.warnings.extend(not_there.map(words));
    PathsConfig {
        workspaces,
        read_only: vec![data_dir.join("uploads"), data_dir.join("skills")],
        further,
        own,
        outputs: data_dir.join("outputs"),
        home: places::home(),
        restrict_to_workspace: settings.restrict_to_workspace(),
    }
}
