//! What the server asks of the program around it.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use deskhand_core::{SessionCx, event::NoEvents};
use deskhand_serve::http::{About, ApiError, Program};

use super::session_services::SessionServices;
use crate::{
    assemble::{App, Surfaces},
    cli::Shared,
    language::Language,
    models::ConfiguredModels,
};

/// The program, as its server sees it.
pub struct ServedProgram {
    app: Arc<App>,
    shared: Shared,
    models: Arc<ConfiguredModels>,
    /// The program on other folders: those of sessions that were begun elsewhere.
    elsewhere: Mutex<HashMap<PathBuf, Arc<App>>>,
    services: SessionServices,
}

impl ServedProgram {
    pub fn new(app: Arc<App>, shared: Shared, models: Arc<ConfiguredModels>) -> Self {
        Self { app, shared, models, elsewhere: Mutex::default(), services: SessionServices::default() }
    }

    /// The program on the folder of a session.
    fn on(&self, workspace: &Path) -> Result<Arc<App>, ApiError> {
        if self.app.paths.workspaces().any(|ours| ours == workspace) {
            return Ok(Arc::clone(&self.app));
        }
        let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(app) = elsewhere.get(workspace) {
            return Ok(Arc::clone(app));
        }
        let shared = Shared { workspace: vec![workspace.to_path_buf()], ..self.shared.clone() };
        let app = App::open(&shared).map_err(|error| {
            ApiError::conflict(
                "no_workspace",
                format!("this session works in {}: {error:#}", workspace.display()),
            )
            .hint("Bring the folder back, or go on in a new session.")
        })?;
        let app = Arc::new(app);
        elsewhere.insert(workspace.to_path_buf(), Arc::clone(&app));
        Ok(app)
    }
}

impl Program for ServedProgram {
    fn about(&self) -> About {
        About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workspaces: self.app.paths.workspaces().map(|path| path.display().to_string()).collect(),
            mode: self.app.mode,
            language: match self.app.language {
                Language::English => "en".to_owned(),
                Language::Chinese => "zh".to_owned(),
            },
            model: self.models.configured().map(|chosen| chosen.name().to_owned()),
        }
    }

    fn surroundings(&self, session_id: &str, workspace: Option<&Path>) -> Result<SessionCx, ApiError> {
        let app = match workspace {
            None => Arc::clone(&self.app),
            Some(folder) => self.on(folder)?,
        };
        let surfaces = Surfaces { approvers: Vec::new(), wait_for_others: true, events: Arc::new(NoEvents) };
        let services =
            self.services.of(&app, session_id).map_err(|error| ApiError::broken(format!("{error:#}")))?;
        Ok(SessionCx {
            services,
            workspace: workspace.unwrap_or(app.paths.workspace()).to_path_buf(),
            ..app.session("http", surfaces)
        })
    }
}
