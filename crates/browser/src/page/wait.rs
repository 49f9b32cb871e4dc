//! Waiting for an element or for a condition, over navigations.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Page, PageError, Target, element, unless_cancelled};

/// How long the page is left to wait by itself before frames and the clock are looked at again.
const SLICE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(50);

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

impl Page {
    /// Waits until an element is in a state; what is said of it.
    pub async fn wait_for_element(
        &self,
        target: &Target,
        state: ElementState,
        limit: Duration,
    ) -> Result<Value, PageError> {
        let begun = Instant::now();
        let mut last = None;
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            for answer in self.states_of(target, state, left.min(SLICE)).await? {
                match element::refusal(&answer) {
                    None => return Ok(answer),
                    Some((_, "timeout")) => last = Some(answer),
                    Some((no, _)) => return Err(no),
                }
            }
            if begun.elapsed() >= limit {
                let why = last.as_ref().and_then(|last| last["message"].as_str()).unwrap_or_default();
                return Err(PageError::TimedOut { doing: format!("waiting ({why})"), limit });
            }
            unless_cancelled(&self.cancel, tokio::time::sleep(PAUSE)).await?;
        }
    }

    /// What each frame says, the tab's own first, which gets the time. For what is to be gone only that one counts.
    async fn states_of(
        &self,
        target: &Target,
        state: ElementState,
        time: Duration,
    ) -> Result<Vec<Value>, PageError> {
        let goes = matches!(state, ElementState::Hidden | ElementState::Detached);
        let mut answers = Vec::new();
        for (number, frame) in self.frames_for(target)?.into_iter().enumerate() {
            if number > 0 && goes {
                break;
            }
            let wait = if number == 0 { time } else { Duration::ZERO };
            let mut argument = json!(target);
            argument["state"] = json!(state);
            argument["timeout_ms"] = json!(wait.as_millis());
            match self.ask_within(wait + Duration::from_secs(5), Some(&frame), "wait_state", &argument).await
            {
                Ok(answer) => answers.push(answer),
                // The document went away meanwhile: the next round asks the new one.
                Err(PageError::Refused(_) | PageError::Element { .. } | PageError::Script(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(answers)
    }

    /// Waits until a script says something that counts as true; what it said.
    pub async fn wait_for_condition(&self, script: &str, limit: Duration) -> Result<Value, PageError> {
        let begun = Instant::now();
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            let said = self.evaluate(script, left.max(PAUSE)).await;
            match said {
                Ok(value) if is_true(&value) => return Ok(value),
                Err(PageError::Script(why)) if why.starts_with("SyntaxError") => {
                    return Err(PageError::Script(why));
                }
                // While a page loads, what the condition speaks of may not be there yet.
                Ok(_) | Err(PageError::Refused(_) | PageError::Script(_)) => {}
                Err(PageError::TimedOut { .. }) if begun.elapsed() >= limit => {}
                Err(error) => return Err(error),
            }
            if begun.elapsed() >= limit {
                return Err(PageError::TimedOut { doing: "waiting for the condition".to_owned(), limit });
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
