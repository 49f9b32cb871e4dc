//! Keeping the request within what the model takes: older results shrink first, then what is older is summarised.

use std::collections::HashSet;

use deskhand_core::{
    CallId, EventBody, Masked,
    output::handle,
    session::{Message, Role, Usage},
};

use super::{Broken, Turn};
use crate::{
    compaction::{Compacting, Covered, WantedBy},
    context::{compact, history, shrink, tokens::Encoding},
    provider::{ChatMessage, ModelRequest},
};

/// Above these parts of the limit results shrink, and the conversation is summarised.
const SHRINKS_ABOVE: f64 = 0.7;
const COMPACTS_ABOVE: f64 = 0.85;
/// What shrinking aims at.
const SHRINKS_TO: f64 = 0.55;
/// What is left for an answer.
const ANSWER: u64 = 4_096;
/// Rounds of the running turn that stay as they are.
const ROUNDS_KEPT: u32 = 2;
/// A token has about so many characters, for guesses in between.
const CHARACTERS: usize = 3;
/// What a picture counts for, in bytes of text.
const IMAGE: usize = 4_000;

/// What is known of the room that there is.
#[derive(Default)]
pub(super) struct Room {
    /// How many characters of older results are to go.
    to_save: usize,
    /// The calls whose results were kept whole.
    kept: HashSet<CallId>,
    /// A compaction that did not help is not tried again in the same turn.
    is_given_up: bool,
}

/// Whether a compaction made room.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compacted {
    Something,
    Nothing,
}

impl Turn {
    fn limit(&self) -> u64 {
        let context = self.provider.capabilities().context_tokens;
        context.saturating_sub(ANSWER.min(context / 4))
    }

    /// Sees to it that the next request fits.
    pub(super) async fn make_room(&mut self) -> Result<(), Broken> {
        if let Some(wish) = self.desk.take_compaction_wish() {
            self.compact(wish.focus.as_deref()).await?;
        }
        let limit = self.limit();
        let mut now = self.size();
        if above(now, limit, SHRINKS_ABOVE) {
            let too_many = now.saturating_sub(part(limit, SHRINKS_TO));
            self.room.to_save = usize::try_from(too_many).unwrap_or(usize::MAX).saturating_mul(CHARACTERS);
            now = self.size();
        }
        if above(now, limit, COMPACTS_ABOVE) && !self.room.is_given_up {
            self.compact(None).await?;
            self.room.is_given_up = above(self.size(), limit, COMPACTS_ABOVE);
        }
        Ok(())
    }

    /// How many tokens the next request has, about.
    fn size(&mut self) -> u64 {
        let request = self.request();
        // Counting takes time, and a token has about three bytes, seldom two: what is short by that needs no better count.
        let guessed = bytes(&request) / 2;
        if guessed < part(self.limit(), SHRINKS_ABOVE) {
            return guessed;
        }
        self.agent.calibrated(self.provider.name()).apply(self.counted(&request))
    }

    fn counted(&self, request: &ModelRequest) -> u64 {
        let encoding = Encoding::of_model(self.provider.name());
        encoding.count_request(&request.system, &request.messages, &request.tools)
    }

    /// Learns from what the server counted, for this turn and all that follow.
    pub(super) fn calibrate(&self, request: &ModelRequest, usage: &Usage) {
        self.agent.calibrate(self.provider.name(), self.counted(request), usage.input_tokens);
    }

    /// Shrinks older results by as much as is wanted.
    pub(super) fn shrink(&mut self, told: &mut [ChatMessage]) {
        if self.room.to_save == 0 {
            return;
        }
        let outputs = &self.agent.parts.gate.outputs;
        let kept = &mut self.room.kept;
        shrink::shrink(told, self.room.to_save, &mut |result| {
            let id = result.call?;
            if !kept.contains(&id) && outputs.path(id).is_none() {
                // First: no text from outside lies there for a moment as if it were not.
                if history::is_fenced(&result.text) {
                    outputs.mark_outside(id, "an older result").ok()?;
                }
                // It was masked when it came through the gate.
                outputs.keep(id, &Masked::assume(result.text.clone())).ok()?;
            }
            kept.insert(id);
            Some(handle(id))
        });
    }

    /// Replaces what is older by a summary. What is covered is kept whole in a file first.
    pub(super) async fn compact(&mut self, focus: Option<&str>) -> Result<Compacted, Broken> {
        let before = self.size();
        let Some(covered) = self.coverable() else {
            self.notice("There is nothing older to summarise.");
            return Ok(Compacted::Nothing);
        };
        let messages = covered.messages.len() as u64;
        let compacting = Compacting {
            agent: &self.agent,
            provider: self.provider.as_ref(),
            session_id: &self.turn.session_id,
            turn_id: Some(&self.turn.id),
            events: self.surroundings.events.as_ref(),
            cancel: self.handle.token(),
        };
        let Some((message, usage)) = compacting.compact(covered, focus).await? else {
            return Err(super::Cancelled.into());
        };
        self.usage += usage;
        let transcript = message.metadata.compaction.as_ref().map(|made| made.transcript.clone());
        self.messages.push(message);
        self.room.to_save = 0;
        history::mark_outside(&self.messages, &self.surroundings.outside);
        let tokens_after = self.size();
        self.emit(EventBody::Compacted {
            messages,
            tokens_before: before,
            tokens_after,
            transcript: transcript.unwrap_or_default(),
        });
        Ok(Compacted::Something)
    }

    /// What a compaction would cover now: everything before this turn, or, if that is not enough or covered already, the
    /// older rounds of this turn, too.
    fn coverable(&self) -> Option<Covered> {
        let last = self.messages.iter().rev().find_map(|message| message.metadata.compaction.as_ref());
        let answer = &self.messages[self.answer];
        let covered_steps = last
            .filter(|last| last.until_message == answer.id)
            .and_then(|last| last.until_step)
            .unwrap_or_default();
        let steps = compact::coverable(self.steps(), ROUNDS_KEPT).max(covered_steps);
        let mut messages = compact::uncovered(&self.messages);
        messages.retain(|message| message.role == Role::System || message.id < answer.id);
        if steps > covered_steps {
            let steps_covered = self.steps()[covered_steps..steps].to_vec();
            messages.push(Message { execution_steps: Some(steps_covered), ..answer.clone() });
            let until_step = Some(steps);
            return Some(Covered { messages, until_message: answer.id, until_step, by: WantedBy::Turn });
        }
        // The request of this turn stays as it is where nothing of its answer is covered.
        messages.retain(|message| message.role == Role::System || message.id < self.turn.user_message);
        let until_message = messages.iter().rfind(|message| message.role != Role::System)?.id;
        Some(Covered { messages, until_message, until_step: None, by: WantedBy::Turn })
    }
}

/// The bytes of the texts in a request.
fn bytes(request: &ModelRequest) -> u64 {
    let of_message = |message: &ChatMessage| match message {
        ChatMessage::User { text, images } => text.len() + images.len() * IMAGE,
        ChatMessage::Assistant { thoughts, text, calls } => {
            let thoughts: usize = thoughts.iter().map(|thought| thought.text.len()).sum();
            let calls: usize = calls.iter().map(|call| format!("{:?}", call.arguments).len()).sum();
            thoughts + text.len() + calls
        }
        ChatMessage::Results { results } => {
            results.iter().map(|result| result.text.len() + result.images.len() * IMAGE).sum()
        }
    };
    let messages: usize = request.messages.iter().map(of_message).sum();
    let tools: usize = request.tools.iter().map(|tool| tool.parameters.to_string().len()).sum();
    (request.system.len() + messages + tools) as u64
}

fn part(limit: u64, part: f64) -> u64 {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // a limit of tokens is far from where precision ends
    let part = (limit as f64 * part) as u64;
    part
}

fn above(now: u64, limit: u64, share: f64) -> bool {
    now > part(limit, share)
}
