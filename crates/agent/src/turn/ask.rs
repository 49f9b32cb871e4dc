//! One request to the model: what arrives is passed on, and what a call in it looks like is found out.

use deskhand_core::{EventBody, Time};

use super::{Broken, Protocol, Turn, room::Compacted, spoken::Spoken};
use crate::{
    chain::{
        constraint, recover,
        text_protocol::{self, Form},
    },
    context::{
        history,
        prompt::{Surroundings, system_prompt},
    },
    provider::{Arguments, ChatMessage, Constrains, Delta, ErrorClass, ModelRequest, ProviderError, Reply},
};

/// How often an answer that broke off in the middle is asked for again.
const MOST_BROKEN_OFF: u32 = 2;

/// What became of a request.
pub(super) enum Asked {
    Reply(Reply),
    /// What had been said by then.
    Cancelled {
        said: String,
    },
    Failed {
        error: ProviderError,
        said: String,
    },
}

impl Turn {
    /// Asks the model for its next step.
    pub(super) async fn ask(&mut self) -> Result<Asked, Broken> {
        let mut broken_off = 0;
        let mut made_room = false;
        // The most that was said before an answer broke off.
        let mut said = String::new();
        loop {
            let request = self.request();
            let (answered, spoken) = self.ask_once(&request).await;
            if answered.is_err() && spoken.shown.len() >= said.len() {
                said.clone_from(&spoken.shown);
            }
            let error = match answered {
                Ok(reply) => return Ok(Asked::Reply(self.understood(reply, spoken))),
                Err(error) => error,
            };
            match error.class {
                ErrorClass::Cancelled => return Ok(Asked::Cancelled { said }),
                ErrorClass::NoTools if self.protocol == Protocol::Native => {
                    self.notice("The model takes no tools; it is asked to write its calls as text.");
                    self.protocol = Protocol::Text;
                }
                ErrorClass::TooLong if !made_room => {
                    made_room = true;
                    self.notice("The conversation is longer than the model takes.");
                    if self.compact(None).await? == Compacted::Nothing {
                        return Ok(Asked::Failed { error, said });
                    }
                }
                class if class.is_retried() && error.partly_answered && broken_off < MOST_BROKEN_OFF => {
                    broken_off += 1;
                    self.notice(&format!("The answer broke off ({error}); it is asked for again."));
                }
                _ => return Ok(Asked::Failed { error, said }),
            }
        }
    }

    async fn ask_once(&mut self, request: &ModelRequest) -> (Result<Reply, ProviderError>, Spoken) {
        let mut spoken = Spoken::new(self.protocol == Protocol::Text, request.constraint.is_some());
        let events = std::sync::Arc::clone(&self.surroundings.events);
        let mut pass_on = |delta: Delta| match delta {
            Delta::Text(text) => {
                if let Some(text) = spoken.hear(&text) {
                    events.emit(EventBody::Text { text });
                }
            }
            Delta::Thought(text) => events.emit(EventBody::Thought { text }),
            Delta::Notice(text) => events.emit(EventBody::Notice { text }),
            Delta::Call { .. } => {}
        };
        let answered = self.provider.complete(request, &mut pass_on, self.handle.token()).await;
        if let Ok(Reply { usage: Some(usage), .. }) = &answered {
            self.usage += *usage;
            self.calibrate(request, usage);
            self.emit(EventBody::Usage(*usage));
        }
        (answered, spoken)
    }

    /// What a reply means: calls written as text are calls, and what is left is what is said.
    fn understood(&self, mut reply: Reply, mut spoken: Spoken) -> Reply {
        if reply.calls.is_empty() {
            let registry = &self.agent.parts.gate.registry;
            let is_tool = |name: &str| registry.find(name, None).is_ok();
            let thoughts: String = reply.thoughts.iter().map(|thought| thought.text.as_str()).collect();
            let found = recover::recover(&reply.text, &thoughts, &is_tool);
            reply.calls = found.calls;
            reply.text = found.text;
            // Arguments that were written as text have no types.
            for call in &mut reply.calls {
                if let (Arguments::Given(arguments), Ok(found)) =
                    (&mut call.arguments, registry.find(&call.name, None))
                {
                    recover::fit_to_schema(arguments, found.entry.input_schema());
                }
            }
        }
        // What was held back because it might have been a call, and was none.
        if let Some(rest) = spoken.rest(&reply.text) {
            self.emit(EventBody::Text { text: rest });
        }
        reply
    }

    /// The whole request, as this model wants it.
    pub(super) fn request(&mut self) -> ModelRequest {
        let tools = self.desk.offered();
        let mut messages = self.told();
        let mut system = self.system();
        let capabilities = self.provider.capabilities();
        let mut request = ModelRequest::default();
        match self.protocol {
            Protocol::Native => request.tools = tools,
            Protocol::Text => {
                let is_forced = capabilities.constrains == Constrains::JsonSchema;
                let form = if is_forced { Form::Json } else { Form::Lines };
                request.constraint = is_forced.then(|| constraint::constraint(&tools));
                system = format!("{system}\n\n{}", text_protocol::prompt_as(&tools, self.language(), form));
                messages = text_protocol::render_as(&messages, form);
            }
        }
        ModelRequest { system, messages, ..request }
    }

    pub(super) fn system(&self) -> String {
        system_prompt(&Surroundings {
            workspace: &self.surroundings.workspace,
            mode: self.surroundings.mode,
            now: Time::now(),
            servers: &self.agent.parts.gate.registry.hosts(),
            instructions: self.set.instructions.as_deref(),
            client_wish: self.client_wish.as_deref(),
        })
    }

    /// The conversation, with older results shrunk where room is wanted.
    pub(super) fn told(&mut self) -> Vec<ChatMessage> {
        let mut told = history::told(&self.messages, &self.attached);
        self.shrink(&mut told);
        told
    }

    /// The last request of a turn that a guard ended. No tools are offered: what would be a call is only text.
    pub(super) async fn last_words(&mut self, why: &str) -> String {
        let mut messages = text_protocol::render(&self.told());
        messages.push(ChatMessage::User {
            text: format!(
                "[Deskhand ends this turn here: {why} Do not call tools any more. Tell the user briefly what was done, what \
                 was found out, and what is missing.]"
            ),
            images: Vec::new(),
        });
        let request = ModelRequest { system: self.system(), messages, ..ModelRequest::default() };
        let events = std::sync::Arc::clone(&self.surroundings.events);
        let mut said = String::new();
        let mut pass_on = |delta: Delta| {
            if let Delta::Text(text) = delta {
                said.push_str(&text);
                events.emit(EventBody::Text { text });
            }
        };
        let answered = self.provider.complete(&request, &mut pass_on, self.handle.token()).await;
        match answered {
            Ok(reply) => {
                if let Some(usage) = reply.usage {
                    self.usage += usage;
                    self.emit(EventBody::Usage(usage));
                }
                reply.text
            }
            Err(error) => {
                if error.class != ErrorClass::Cancelled {
                    self.notice(&format!("The model could not sum up: {error}"));
                }
                said
            }
        }
    }
}
