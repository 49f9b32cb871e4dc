//! Waiting for an element or for a condition, over navigations.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Page, PageError, Target, element, unless_cancelled};

/// How long the page is left to wait by itself before frames and the clock are looked at again.
const SLICE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(50);
/// How much longer than it waits a page may take to answer.
const ANSWERING: Duration = element::OF_A_FRAME;

/// What is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ElementState {
    /// It can be seen.
    #[default]
    Visible,
    /// It is there, seen or not.
    Attached,
    /// It cannot be seen, or is not there.
    Hidden,
    /// It is not there.
    Detached,
}

impl ElementState {
    /// By its name; `None` where it is none.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "visible" => Self::Visible,
            "attached" => Self::Attached,
            "hidden" => Self::Hidden,
            "detached" => Self::Detached,
            _ => return None,
        })
    }
}

/// What came of asking once.
enum Round {
    /// It is so; what is said of the element.
    Reached(Value),
    /// It is not; in words, what is there.
    NotYet(String),
}

/// Why a condition said nothing.
enum NotSaid<E> {
    Here(PageError),
    /// Another page is there.
    Elsewhere(E),
}

impl<E> From<PageError> for NotSaid<E> {
    fn from(error: PageError) -> Self {
        Self::Here(error)
    }
}

impl Round {
    fn is_reached(&self) -> bool {
        matches!(self, Self::Reached(_))
    }
}

impl Page {
    /// Waits until an element is in a state; what is said of it.
    pub async fn wait_for_element(
        &self,
        target: &Target,
        state: ElementState,
        limit: Duration,
    ) -> Result<Value, PageError> {
        let begun = Instant::now();
        let comes = matches!(state, ElementState::Visible | ElementState::Attached);
        if comes && self.is_empty()? && !self.comes(target, state, Duration::ZERO).await?.is_reached() {
            return Err(element::nothing_open());
        }
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let round = if comes {
                self.comes(target, state, left.min(SLICE)).await?
            } else {
                self.goes(target, state, left.min(SLICE)).await?
            };
            let why = match round {
                Round::Reached(answer) => return Ok(answer),
                Round::NotYet(why) => why,
            };
            if begun.elapsed() >= limit {
                return Err(PageError::TimedOut { doing: format!("waiting ({why})"), limit });
            }
            unless_cancelled(&self.cancel, tokio::time::sleep(PAUSE)).await?;
        }
    }

    /// Whether some frame has it. The tab's own gets the time.
    async fn comes(&self, target: &Target, state: ElementState, time: Duration) -> Result<Round, PageError> {
        let mut last = String::new();
        for (number, frame) in self.frames_for(target)?.into_iter().enumerate() {
            let wait = if number == 0 { time } else { Duration::ZERO };
            match self.state_in(&frame, target, state, wait).await? {
                Some(Round::NotYet(why)) => last = why,
                Some(reached) => return Ok(reached),
                None => {}
            }
        }
        Ok(Round::NotYet(last))
    }

    /// Whether no frame has it, all of them asked once over. The first that has it gets the time.
    async fn goes(&self, target: &Target, state: ElementState, time: Duration) -> Result<Round, PageError> {
        let frames = match self.frames_for(target) {
            // With its document, the element is gone.
            Err(PageError::Element { code: "stale_ref", .. }) if target.is_well_formed_ref() => {
                return Ok(Round::Reached(json!({"reached": true})));
            }
            frames => frames?,
        };
        let mut reached = None;
        for frame in frames {
            match self.state_in(&frame, target, state, Duration::ZERO).await? {
                Some(Round::NotYet(_)) => {
                    let waited = self.state_in(&frame, target, state, time).await?;
                    // Meanwhile it may have come in another: the next round asks all again.
                    let why = match waited {
                        Some(Round::NotYet(why)) => why,
                        _ => "it was there a moment ago".to_owned(),
                    };
                    return Ok(Round::NotYet(why));
                }
                Some(Round::Reached(answer)) => reached = reached.or(Some(answer)),
                None => {}
            }
        }
        Ok(reached.map_or_else(|| Round::NotYet("the page is changing".to_owned()), Round::Reached))
    }

    /// What a frame says; `None`: its document went away meanwhile.
    async fn state_in(
        &self,
        frame: &str,
        target: &Target,
        state: ElementState,
        wait: Duration,
    ) -> Result<Option<Round>, PageError> {
        let mut argument = json!(target);
        argument["state"] = json!(state);
        argument["timeout_ms"] = json!(wait.as_millis());
        let asked = self.ask_within(wait + ANSWERING, Some(frame), "wait_state", &argument).await;
        let answer = match asked {
            Ok(answer) => answer,
            // It is busy, and another one may have what is waited for.
            Err(PageError::TimedOut { .. }) => {
                return Ok(Some(Round::NotYet("a frame of the page does not answer".to_owned())));
            }
            Err(PageError::Refused(_) | PageError::Element { .. } | PageError::Script(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        match element::refusal(&answer) {
            None => Ok(Some(Round::Reached(answer))),
            Some((_, "timeout")) => {
                Ok(Some(Round::NotYet(answer["message"].as_str().unwrap_or_default().to_owned())))
            }
            Some((no, _)) => Err(no),
        }
    }

    /// Waits until a script says something that counts as true; what it said. Before each time that it runs `is_there` says
    /// whether the page is still one that it may run in.
    pub async fn wait_for_condition<E: From<PageError>>(
        &self,
        script: &str,
        limit: Duration,
        is_there: impl Fn() -> Result<(), E>,
    ) -> Result<Value, E> {
        let begun = Instant::now();
        let mut wrong = String::new();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let is_there = || is_there().map_err(NotSaid::Elsewhere);
            let said = match self.evaluate_if(script, left.max(PAUSE), is_there).await {
                Err(NotSaid::Elsewhere(error)) => return Err(error),
                Err(NotSaid::Here(error)) => Err(error),
                Ok(value) => Ok(value),
            };
            match said {
                Ok(value) if is_true(&value) => return Ok(value),
                Ok(_) => wrong.clear(),
                // While a page loads, what the condition speaks of may not be there yet.
                Err(PageError::Script(why)) => wrong = format!(" ({why})"),
                Err(PageError::Refused(_) | PageError::Element { .. } | PageError::Left) => {}
                Err(PageError::TimedOut { .. }) if begun.elapsed() >= limit => {}
                Err(error) => return Err(error.into()),
            }
            if begun.elapsed() >= limit {
                let doing = format!("waiting for the condition{wrong}");
                return Err(PageError::TimedOut { doing, limit }.into());
            }
            unless_cancelled(&self.cancel, tokio::time::sleep(PAUSE)).await?;
        }
    }
}

/// As JavaScript sees it.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty() && text != "NaN",
        Value::Array(_) | Value::Object(_) => true,
    }
}
