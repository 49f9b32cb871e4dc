//! Demos on the web page: a folder each, and the script as its model.

use deskhand_core::session::Session;
use deskhand_serve::http::{ApiError, DemoDesk, DemoLanguage, DemoScene};

use crate::{
    demo::{
        Script,
        folder::{self, Folder},
        model,
    },
    language::Language,
};

/// Sets demos up.
pub struct Demos;

impl DemoDesk for Demos {
    fn set_up(&self, language: DemoLanguage) -> Result<DemoScene, ApiError> {
        let language = match language {
            DemoLanguage::En => Language::English,
            DemoLanguage::Zh => Language::Chinese,
        };
        let broken = |error: anyhow::Error| ApiError::broken(format!("the demo cannot begin: {error:#}"));
        let script = Script::of(language).map_err(broken)?;
        let folder = Folder::make().map_err(broken)?;
        script.lay_out(&folder.workspace()).map_err(broken)?;
        Ok(DemoScene {
            title: script.title.clone(),
            model: model::name(language),
            suggested: script.turns.iter().map(|turn| turn.message.clone()).collect(),
            workspace: folder.keep(),
        })
    }

    fn clear_away(&self, session: &Session) {
        // A fork plays in the folder of its original, and does not take it away.
        if session.metadata.forked_from.is_none()
            && let Some(workspace) = &session.metadata.workspace
        {
            folder::clear_away(workspace);
        }
    }
}
