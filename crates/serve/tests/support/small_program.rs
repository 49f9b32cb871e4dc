//! What only an assembled program knows, as little of it as works.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread::{self, ThreadId},
};

use deskhand_core::{Mode, Services, SessionCx};
use deskhand_serve::http::{About, ApiError, Program};

pub struct SmallProgram {
    pub workspace: PathBuf,
    pub skills: PathBuf,
    pub services: Services,
    /// As somebody may set it while the server runs.
    pub mode: Arc<Mutex<Mode>>,
    /// The threads on which it was asked for surroundings.
    pub surrounded_on: Arc<Mutex<Vec<ThreadId>>>,
}

impl Program for SmallProgram {
    fn about(&self) -> About {
        About {
            version: "0".into(),
            workspaces: vec![self.workspace.display().to_string()],
            mode: *self.mode.lock().unwrap(),
            language: "en".into(),
            model: None,
        }
    }

    fn surroundings(
        &self,
        session_id: &str,
        _: Option<&str>,
        _: Option<&Path>,
    ) -> Result<SessionCx, ApiError> {
        self.surrounded_on.lock().unwrap().push(thread::current().id());
        Ok(SessionCx::new(session_id, "test", self.workspace.clone(), self.services.clone())
            .in_mode(*self.mode.lock().unwrap())
            .asking(Vec::new(), true))
    }

    fn where_to_answer(&self) -> String {
        "the test".to_owned()
    }

    fn skills(&self) -> PathBuf {
        self.skills.clone()
    }
}
