//! What stops a turn that gets nowhere or goes too far: the same call again and again, answers made only of
//! reasoning, denials, and the limits of [`ToolChainOptions`].
//!
//! The loop tells what happens and is told whether to go on. Whoever stops is named by a stable code ([`Guard`]).

mod options;
mod words;

pub use options::ToolChainOptions;

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    fmt,
    hash::{Hash, Hasher},
    time::Duration,
};

use deskhand_core::{arguments, session::Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Language;

/// The same call this many times in a row stops the turn; the ones from the second on are warned about.
pub const SAME_CALLS: u32 = 5;
/// Rounds made only of reasoning that stop the turn.
pub const REASONING_ROUNDS: u32 = 3;
/// Denials of one kind that stop the turn.
pub const DENIALS: u32 = 3;

/// Who stopped a turn. The names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guard {
    RepeatedCall,
    OnlyReasoning,
    DeniedThreeTimes,
    MaxRounds,
    MaxCalls,
    MaxTokens,
    MaxTime,
    MaxCost,
}

impl Guard {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RepeatedCall => "repeated_call",
            Self::OnlyReasoning => "only_reasoning",
            Self::DeniedThreeTimes => "denied_three_times",
            Self::MaxRounds => "max_rounds",
            Self::MaxCalls => "max_calls",
            Self::MaxTokens => "max_tokens",
            Self::MaxTime => "max_time",
            Self::MaxCost => "max_cost",
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A guard says that the turn ends here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    pub guard: Guard,
    /// What it was about: the tool, the kind of denial, the limit. Empty where the code says it all.
    pub about: String,
}

/// Whether a call is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeat {
    Fine,
    /// Make it, and put this text before its result.
    Warn {
        text: String,
    },
    /// Do not make it: end the turn.
    Stop(Stop),
}

/// Whether there is another round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Round {
    Fine,
    /// Ask again, with this text in the user's place.
    Nudge {
        text: String,
    },
    Stop(Stop),
}

/// Whether a call that ended left anything different behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Nothing,
    /// Files, processes, …: other calls may now have another result, so their repetition counts anew.
    Something,
}

/// How often one very call was made.
#[derive(Default)]
struct Seen {
    /// Calls in a row whose result was the same.
    same: u32,
    /// Calls that were begun and have not ended.
    pending: u32,
    last_result: Option<u64>,
    /// Its result has changed before: it is being watched, which may take a while.
    watched: bool,
}

/// The state of the guards over one turn.
pub struct Guards {
    options: ToolChainOptions,
    language: Language,
    seen: HashMap<String, Seen>,
    denials: HashMap<String, u32>,
    reasoning_rounds: u32,
    rounds: u32,
    calls: u32,
}

impl Guards {
    pub fn new(options: ToolChainOptions, language: Language) -> Self {
        Self {
            options,
            language,
            seen: HashMap::new(),
            denials: HashMap::new(),
            reasoning_rounds: 0,
            rounds: 0,
            calls: 0,
        }
    }

    pub fn options(&self) -> &ToolChainOptions {
        &self.options
    }

    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    pub fn calls(&self) -> u32 {
        self.calls
    }

    /// A call is about to be made. `name` is the canonical name of the tool, `call_arguments` are normalised; the
    /// order of keys does not matter. Every call that is not stopped must be followed by [`Self::after_call`].
    ///
    /// A call whose result changes from one time to the next (a process that is being watched) is no repetition.
    pub fn before_call(&mut self, name: &str, call_arguments: &Value) -> Repeat {
        let seen = self.seen.entry(key(name, call_arguments)).or_default();
        let time = seen.same + seen.pending + 1;
        if time >= SAME_CALLS {
            return Repeat::Stop(Stop { guard: Guard::RepeatedCall, about: name.to_owned() });
        }
        seen.pending += 1;
        self.calls += 1;
        if time == 1 || (time == 2 && seen.watched) {
            return Repeat::Fine;
        }
        Repeat::Warn { text: words::repeated(self.language, name, time) }
    }

    /// The call has ended, with this text for the model.
    pub fn after_call(&mut self, name: &str, call_arguments: &Value, result: &str, changed: Changed) {
        let key = key(name, call_arguments);
        if changed == Changed::Something {
            self.seen.retain(|other, seen| *other == key || seen.pending > 0);
            for (_, seen) in self.seen.iter_mut().filter(|(other, _)| **other != key) {
                seen.same = 0;
            }
        }
        let seen = self.seen.entry(key).or_default();
        seen.pending = seen.pending.saturating_sub(1);
        let result = hash(result);
        match seen.last_result.replace(result) {
            Some(last) if last != result => {
                seen.watched = true;
                seen.same = 1;
            }
            _ => seen.same += 1,
        }
    }

    /// A request to the model is about to be made.
    pub fn before_round(&mut self) {
        self.rounds += 1;
    }

    /// A reply has arrived. `only_reasoning`: it neither says nor calls anything.
    pub fn after_round(&mut self, only_reasoning: bool) -> Round {
        if !only_reasoning {
            self.reasoning_rounds = 0;
            return Round::Fine;
        }
        self.reasoning_rounds += 1;
        if self.reasoning_rounds >= REASONING_ROUNDS {
            return Round::Stop(Stop { guard: Guard::OnlyReasoning, about: String::new() });
        }
        Round::Nudge { text: words::nudge(self.language).to_owned() }
    }

    /// A call was denied. `kind` names the tool and what it was denied for: `bash shell:recursive-delete`.
    pub fn denied(&mut self, kind: &str) -> Option<Stop> {
        let times = self.denials.entry(kind.to_owned()).or_default();
        *times += 1;
        (*times >= DENIALS).then(|| Stop { guard: Guard::DeniedThreeTimes, about: kind.to_owned() })
    }

    /// The limit that is reached: no further request is made then. `elapsed` is the time since the turn began, less
    /// the time that a person took to answer.
    pub fn over_limit(&self, elapsed: Duration, usage: &Usage) -> Option<Stop> {
        let options = &self.options;
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        let stop = |guard, about: String| Some(Stop { guard, about });
        if self.rounds >= options.max_rounds {
            return stop(Guard::MaxRounds, options.max_rounds.to_string());
        }
        if self.calls >= options.max_calls {
            return stop(Guard::MaxCalls, options.max_calls.to_string());
        }
        match options.max_tokens {
            Some(most) if tokens >= most => return stop(Guard::MaxTokens, most.to_string()),
            _ => {}
        }
        match options.max_time_s {
            Some(most) if elapsed >= Duration::from_secs(most) => {
                return stop(Guard::MaxTime, most.to_string());
            }
            _ => {}
        }
        match (options.max_cost, usage.cost) {
            (Some(most), Some(cost)) if cost >= most => stop(Guard::MaxCost, format!("{most:.2}")),
            _ => None,
        }
    }

    /// How many calls of the next reply may still be made.
    pub fn calls_left(&self) -> u32 {
        self.options.max_calls.saturating_sub(self.calls)
    }
}

fn key(name: &str, call_arguments: &Value) -> String {
    format!("{name} {}", arguments::sha256(call_arguments))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
