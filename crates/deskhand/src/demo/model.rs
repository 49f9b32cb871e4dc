//! The script as a model: each turn of a session plays the next turn of the script, whatever was said.

use std::sync::atomic::{AtomicBool, Ordering};

use deskhand_agent::provider::{
    Capabilities, Delta, ErrorClass, ModelRequest, Provider, ProviderError, Reply, scripted::Scripted,
};
use deskhand_core::session::Session;
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::Script;
use crate::language::Language;

/// What stands before the slash: `demo/en`, `demo/zh`.
const PROVIDER: &str = "demo/";

/// The name of the scripted model in a language.
pub fn name(language: Language) -> String {
    format!("{PROVIDER}{}", language.code())
}

/// The language of a scripted model; `None` where the name is another model's.
pub fn language_of(name: &str) -> Option<Language> {
    let code = name.strip_prefix(PROVIDER)?;
    [Language::English, Language::Chinese].into_iter().find(|language| language.code() == code)
}

/// One turn of the script.
pub struct DemoModel {
    name: String,
    replies: Scripted,
    narration: Option<String>,
    was_told: AtomicBool,
}

impl DemoModel {
    fn new(script: &Script, language: Language, turn: usize) -> Self {
        Self {
            name: name(language),
            replies: Scripted::new("demo", script.replies_of(turn)),
            narration: script.turns.get(turn).map(|turn| turn.narration.clone()),
            was_told: AtomicBool::new(false),
        }
    }

    /// The next turn of a demo's session. What was said so far stands in the store, so it goes on after a restart.
    pub fn of(session: &Session, language: Language) -> Result<Self, ProviderError> {
        let script = Script::of(language)
            .map_err(|error| ProviderError::new(ErrorClass::NoSuchModel, format!("{error:#}.")))?;
        // A turn is a message of the person and its answer.
        let turn = usize::try_from(session.message_count / 2).unwrap_or(usize::MAX);
        Ok(Self::new(&script, language, turn))
    }

    /// Without the words for the person: the terminal shows them in its own way.
    #[must_use]
    pub fn without_narration(self) -> Self {
        Self { narration: None, ..self }
    }
}

impl Provider for DemoModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        self.replies.capabilities()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        if let Some(narration) = &self.narration
            && !self.was_told.swap(true, Ordering::Relaxed)
        {
            on(Delta::Notice(narration.clone()));
        }
        self.replies.complete(request, on, cancel)
    }
}
