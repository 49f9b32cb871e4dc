//! The script as a model: a message of the script plays its turn; any other is answered without a tool.

use std::sync::OnceLock;

use deskhand_agent::provider::{
    Capabilities, ChatMessage, Delta, ErrorClass, ModelRequest, Provider, ProviderError, Reply,
    scripted::{self, Scripted},
};
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

/// The script in one turn of a session.
pub struct DemoModel {
    name: String,
    script: Script,
    /// The replies of this turn, chosen when it begins.
    replies: OnceLock<Scripted>,
    narrates: bool,
}

impl DemoModel {
    pub fn new(language: Language) -> Result<Self, ProviderError> {
        let script = Script::of(language)
            .map_err(|error| ProviderError::new(ErrorClass::NoSuchModel, format!("{error:#}.")))?;
        Ok(Self { name: name(language), script, replies: OnceLock::new(), narrates: true })
    }

    /// Without the words for the person: the terminal shows them in its own way.
    #[must_use]
    pub fn without_narration(self) -> Self {
        Self { narrates: false, ..self }
    }
}

impl Provider for DemoModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn capabilities(&self) -> Capabilities {
        Scripted::new("demo", scripted::Script::default()).capabilities()
    }

    fn complete<'a>(
        &'a self,
        request: &'a ModelRequest,
        on: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Reply, ProviderError>> {
        let replies = self.replies.get_or_init(|| {
            let said: Vec<&str> = request.messages.iter().filter_map(said_by_user).collect();
            let turn = said.last().and_then(|message| self.script.turn_of(message));
            if let Some(turn) = turn.filter(|_| self.narrates) {
                on(Delta::Notice(turn.narration.clone()));
            }
            Scripted::new("demo", self.script.replies_to(&said))
        });
        replies.complete(request, on, cancel)
    }
}

fn said_by_user(message: &ChatMessage) -> Option<&str> {
    match message {
        ChatMessage::User { text, .. } => Some(text),
        _ => None,
    }
}
