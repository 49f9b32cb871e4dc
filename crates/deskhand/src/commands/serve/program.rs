//! What the server asks of the program around it.

mod demos;
mod models;
mod servers;
mod settings;
mod workspaces;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use deskhand_agent::Agent;
use deskhand_core::{SessionCx, event::NoEvents};
use deskhand_serve::http::{
    About, ApiError, DemoDesk, ModeInForce, ModelDesk, Program, ServerDesk, SettingsDesk,
};

use self::{demos::Demos, servers::ManagedServers, settings::LiveSettings, workspaces::AddedWorkspaces};
use super::{super::mcp, session_services::SessionServices};
use crate::{
    assemble::{App, Surfaces},
    cli::Shared,
    models::ConfiguredModels,
    recently_used::KeptOpen,
    settings::Settings,
};

/// The program, as its server sees it.
pub struct ServedProgram {
    app: Arc<App>,
    shared: Shared,
    models: Arc<ConfiguredModels>,
    settings: Arc<LiveSettings>,
    servers: Arc<ManagedServers>,
    /// The program on other folders, those of sessions that were begun elsewhere, with the settings of that time.
    elsewhere: KeptOpen<PathBuf, Elsewhere>,
    services: SessionServices,
    added: AddedWorkspaces,
    /// The address of the page, once it is bound.
    page: OnceLock<String>,
}

/// On how many other folders it is kept.
const MOST_ELSEWHERE: usize = 20;

#[derive(Clone)]
struct Elsewhere {
    set: Arc<Settings>,
    app: Arc<App>,
}

impl ServedProgram {
    pub fn new(app: Arc<App>, shared: Shared, models: Arc<ConfiguredModels>, agent: Agent) -> Self {
        let settings = LiveSettings::new(Arc::clone(&app), shared.clone(), Arc::clone(&models), agent);
        let servers = ManagedServers::new(Arc::clone(&app), shared.clone());
        Self {
            servers: Arc::new(servers),
            app,
            shared,
            models,
            settings: Arc::new(settings),
            elsewhere: KeptOpen::at_most(MOST_ELSEWHERE),
            services: SessionServices::default(),
            added: AddedWorkspaces::default(),
            page: OnceLock::new(),
        }
    }

    /// Where its page is: known once the port is bound.
    pub fn page_is_at(&self, url: String) {
        let _ = self.page.set(url);
    }

    /// The program on the folder of a session, or on the first of the workspaces.
    fn of(&self, workspace: Option<&Path>) -> Result<Arc<App>, ApiError> {
        workspace.map_or_else(|| Ok(Arc::clone(&self.app)), |folder| self.on(folder))
    }

    /// The mode in force there: of another folder, its own config has a say.
    fn mode_of(&self, app: &Arc<App>) -> ModeInForce {
        let settings = self.settings.now();
        let in_force: &Settings = if Arc::ptr_eq(app, &self.app) { &settings } else { &app.settings };
        ModeInForce { mode: in_force.mode().unwrap_or(app.mode), is_fixed: in_force.mode_is_fixed() }
    }

    /// The program on the folder of a session.
    fn on(&self, workspace: &Path) -> Result<Arc<App>, ApiError> {
        if self.app.paths.workspaces().any(|ours| ours == workspace) || self.added.has(workspace) {
            return Ok(Arc::clone(&self.app));
        }
        let settings = self.settings.now();
        self.elsewhere.retain(|folder, _| folder.is_dir());
        let open = || {
            let shared = Shared { workspace: vec![workspace.to_path_buf()], ..self.shared.clone() };
            let app = App::open(&shared).map_err(|error| {
                ApiError::conflict(
                    "no_workspace",
                    format!("this session works in {}: {error:#}", workspace.display()),
                )
                .hint("Bring the folder back, or go on in a new session; of a demo, begin a new one.")
            })?;
            Ok(Elsewhere { set: Arc::clone(&settings), app: Arc::new(app) })
        };
        let is_set_so = |there: &Elsewhere| Arc::ptr_eq(&there.set, &settings);
        self.elsewhere.get_or_open(&workspace.to_path_buf(), is_set_so, open).map(|there| there.app)
    }
}

impl Program for ServedProgram {
    fn about(&self) -> About {
        let settings = self.settings.now();
        self.app.about(&settings, self.models.usual_so_far())
    }

    fn surroundings(
        &self,
        session_id: &str,
        owner: Option<&str>,
        workspace: Option<&Path>,
    ) -> Result<SessionCx, ApiError> {
        let app = self.of(workspace)?;
        let folder = workspace.unwrap_or(app.paths.workspace());
        let surfaces = Surfaces { approvers: Vec::new(), wait_for_others: true, events: Arc::new(NoEvents) };
        let services = self.services.of(&app, session_id, owner, folder)?;
        let usual = app.session("http", surfaces).with_id(session_id).in_workspace(folder);
        Ok(usual.in_mode(self.mode_of(&app).mode).with_services(services))
    }

    fn where_to_answer(&self) -> String {
        mcp::where_to_answer(self.page.get().map(String::as_str))
    }

    fn skills(&self) -> PathBuf {
        self.app.skills()
    }

    fn mode_in(&self, workspace: Option<&Path>) -> Result<ModeInForce, ApiError> {
        Ok(self.mode_of(&self.of(workspace)?))
    }

    fn added_workspaces(&self) -> Vec<PathBuf> {
        self.added.all()
    }

    fn add_workspace(&self, folder: &str) -> Result<PathBuf, ApiError> {
        self.added.add(folder, &self.app)
    }

    fn settings(&self) -> Option<Arc<dyn SettingsDesk>> {
        Some(self.settings.clone())
    }

    fn models(&self) -> Option<Arc<dyn ModelDesk>> {
        Some(self.models.clone())
    }

    fn servers(&self) -> Option<Arc<dyn ServerDesk>> {
        Some(self.servers.clone())
    }

    fn demos(&self) -> Option<Arc<dyn DemoDesk>> {
        Some(Arc::new(Demos))
    }
}
