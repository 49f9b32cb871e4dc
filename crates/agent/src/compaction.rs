//! Doing a compaction: what is covered is kept whole in a file, summarised, and replaced by a message in the store.

use std::sync::Arc;

use deskhand_core::{
    CallId, EventBody, EventSink, Masked,
    output::handle,
    session::{Compaction, Message, MessageMeta, NewMessage, Role, SessionError, Transcript, Usage},
};
use tokio_util::sync::CancellationToken;

use crate::{
    AgentError,
    agent::Inner,
    context::compact,
    provider::{ErrorClass, Provider},
    uploads::naming_files,
};

/// What a compaction covers.
pub(crate) struct Covered {
    pub messages: Vec<Message>,
    pub until_message: i64,
    /// Of that message, so many steps; `None`: all of it.
    pub until_step: Option<usize>,
    /// Who wanted it: only a person takes the taint of what is covered away.
    pub by: WantedBy,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WantedBy {
    Person,
    /// The model, or the want of room.
    Turn,
}

/// Who compacts, and for whom.
pub(crate) struct Compacting<'a> {
    pub agent: &'a Inner,
    pub provider: &'a dyn Provider,
    pub session_id: &'a str,
    pub turn_id: Option<&'a str>,
    pub events: &'a dyn EventSink,
    pub cancel: &'a CancellationToken,
}

impl Compacting<'_> {
    /// Summarises what is covered. `None` if it was cancelled; nothing has changed then.
    pub async fn compact(
        &self,
        covered: Covered,
        focus: Option<&str>,
    ) -> Result<Option<(Message, Usage)>, AgentError> {
        let store = Arc::clone(&self.agent.parts.store);
        let id = self.session_id.to_owned();
        let (session, uploads) =
            blocking(move || Ok::<_, SessionError>((store.session(&id)?, store.uploads(&id)?))).await??;
        let covered = Covered { messages: naming_files(covered.messages, &uploads), ..covered };
        let screener = &self.agent.parts.gate.screener;
        let text = screener.mask_text(&Transcript::new(session, covered.messages.clone()).to_markdown());
        let sources = compact::sources(&covered.messages);
        let transcript = self.keep(text.clone(), sources.first().cloned()).await?;
        let Some((summary, usage)) = self.summary(&text, focus).await else { return Ok(None) };
        let facts = compact::facts(&covered.messages);
        let message = NewMessage {
            role: Role::System,
            content: compact::replacement(&facts, summary.as_deref(), &transcript),
            metadata: MessageMeta {
                turn_id: self.turn_id.map(str::to_owned),
                compaction: Some(Compaction {
                    until_message: covered.until_message,
                    until_step: covered.until_step,
                    transcript,
                    facts,
                    outside: if covered.by == WantedBy::Person { Vec::new() } else { sources },
                }),
                ..MessageMeta::default()
            },
        };
        let (store, id) = (Arc::clone(&self.agent.parts.store), self.session_id.to_owned());
        let stored = blocking(move || store.append(&id, &message)).await??;
        Ok(Some((stored, usage)))
    }

    /// Keeps the text where `read_file` reads it, and says under which handle.
    async fn keep(&self, text: Masked, outside: Option<String>) -> Result<String, AgentError> {
        let id = CallId::new();
        let outputs = Arc::clone(&self.agent.parts.gate.outputs);
        let keep = move || {
            outside.map_or(Ok(()), |source| outputs.mark_outside(id, &source))?;
            outputs.keep(id, &text)
        };
        blocking(keep).await?.map_err(SessionError::from)?;
        Ok(handle(id))
    }

    /// What the model makes of it, or nothing if it cannot. `None` if it was cancelled.
    async fn summary(&self, text: &str, focus: Option<&str>) -> Option<(Option<String>, Usage)> {
        let context = self.provider.capabilities().context_tokens;
        // Two characters a token is few in any language that we know; what does not fit is cut out of the middle.
        let most = usize::try_from(context.saturating_sub(compact::SUMMARY_TOKENS)).unwrap_or(usize::MAX);
        let request = compact::summary_request(text, focus, most.saturating_mul(2));
        match self.provider.complete(&request, &mut |_| {}, self.cancel).await {
            Ok(reply) => {
                let usage = reply.usage.unwrap_or_default();
                if reply.usage.is_some() {
                    self.events.emit(EventBody::Usage(usage));
                }
                Some((Some(reply.text), usage))
            }
            Err(error) if error.class == ErrorClass::Cancelled => None,
            Err(error) => {
                let text = format!("The model could not summarise ({error}); the bare facts are kept.");
                let text = self.agent.parts.gate.screener.mask_text(&text).into_string();
                self.events.emit(EventBody::Notice { text });
                Some((None, Usage::default()))
            }
        }
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, AgentError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| AgentError::Broken(format!("the store broke down: {error}")))
}
