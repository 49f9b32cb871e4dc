//! JavaScript in the page's own world.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError, reading::Reads};

/// What results are kept under until they are read.
const RESULTS: &str = "results";

impl Page {
    /// Evaluates a script as a person would in the console of the browser: an expression, statements with `await`, a
    /// function, which is called, or the body of one with `return`. Promises are waited for. Which of them it is, is known
    /// before it runs, and it runs once.
    pub async fn evaluate(&self, script: &str, limit: Duration) -> Result<Value, PageError> {
        let reads = self.reads(script, limit).await?;
        self.evaluate_as(reads, script, limit).await
    }

    /// The same, if `is_there` still says so once the page has told of everything that came before.
    pub async fn evaluate_if<E: From<PageError>>(
        &self,
        script: &str,
        limit: Duration,
        is_there: impl FnOnce() -> Result<(), E>,
    ) -> Result<Value, E> {
        let (reads, ()) = tokio::try_join!(self.reads(script, limit), self.catch_up())?;
        is_there()?;
        Ok(self.evaluate_as(reads, script, limit).await?)
    }

    async fn evaluate_as(&self, reads: Reads, script: &str, limit: Duration) -> Result<Value, PageError> {
        match reads {
            // What the console declares may be declared again; by an ordinary script it may not.
            Reads::AsScript if !declares(script) => self.evaluate_once(script, How::Plainly, limit).await,
            // The browser says what is wrong with it.
            Reads::NotAtAll => self.evaluate_once(script, How::Plainly, limit).await,
            Reads::AsScript | Reads::InTheConsole => {
                self.evaluate_once(script, How::AsInTheConsole, limit).await
            }
            Reads::AsBody => {
                let body = format!("(async () => {{\n{script}\n}})()");
                self.evaluate_once(&body, How::Plainly, limit).await
            }
        }
    }

    /// Which document is there.
    pub fn document(&self) -> Result<Option<String>, PageError> {
        self.tab(|tab| tab.main_frame().map(|frame| frame.loader.clone()))
    }

    async fn evaluate_once(&self, expression: &str, how: How, limit: Duration) -> Result<Value, PageError> {
        let params = json!({
            "expression": expression,
            "awaitPromise": true,
            "replMode": how == How::AsInTheConsole,
            "userGesture": true,
            "allowUnsafeEvalBlockedByCSP": true,
            "objectGroup": RESULTS,
        });
        let answer = self.ended("Runtime.evaluate", params, limit).await?;
        let result = &answer["result"];
        let done = match (answer.get("exceptionDetails"), result["objectId"].as_str()) {
            (Some(exception), _) => Err(PageError::Script(exception_words(exception))),
            (None, None) => return Ok(by_value(result)),
            (None, Some(object)) if matches!(result["type"].as_str(), Some("object" | "function")) => {
                self.value_of(object, result, limit).await
            }
            (None, Some(_)) => Ok(by_value(result)),
        };
        // The page keeps what was thrown or returned until it is told that nobody wants it.
        self.session.post("Runtime.releaseObjectGroup", &json!({"objectGroup": RESULTS}));
        done
    }

    /// What an object in the page is as JSON: of a promise, which a script in the console may come to, once it is kept; of a
    /// function, what it returns.
    async fn value_of(&self, object: &str, kind: &Value, limit: Duration) -> Result<Value, PageError> {
        let answer = if kind["subtype"] == "promise" {
            let params = json!({"promiseObjectId": object, "returnByValue": true});
            self.ended("Runtime.awaitPromise", params, limit).await?
        } else {
            let is_function = kind["type"] == "function";
            let how =
                if is_function { "function () { return this(); }" } else { "function () { return this; }" };
            let params = json!({
                "objectId": object, "functionDeclaration": how, "returnByValue": true, "awaitPromise": is_function,
                "userGesture": true,
            });
            self.ended("Runtime.callFunctionOn", params, limit).await?
        };
        match answer.get("exceptionDetails") {
            Some(exception) => Err(PageError::Script(exception_words(exception))),
            None if answer["result"]["type"] == "function" => {
                Err(PageError::Script("its result is a function".to_owned()))
            }
            None => Ok(by_value(&answer["result"])),
        }
    }

    /// A command that runs code of the page. If that does not end, it is ended.
    pub(super) async fn ended(
        &self,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, PageError> {
        let answer = self.call_within(limit, method, params).await;
        answer.map_err(|error| {
            if let PageError::TimedOut { .. } | PageError::Cancelled = error {
                // A script without end would keep the page from everything that comes after.
                self.session.post("Runtime.terminateExecution", &json!({}));
            }
            match error {
                PageError::TimedOut { limit, .. } => {
                    PageError::TimedOut { doing: "the script".to_owned(), limit }
                }
                other => other,
            }
        })
    }
}

/// Whether names may be declared in it; a word in a text does no harm.
fn declares(script: &str) -> bool {
    script
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
        .any(|word| matches!(word, "const" | "let" | "class"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Plainly,
    AsInTheConsole,
}

/// What a remote object is as JSON. What JSON has no form for (`NaN`, `10n`) is its text.
pub(super) fn by_value(result: &Value) -> Value {
    if let Some(value) = result.get("value") {
        return value.clone();
    }
    let text = result["unserializableValue"].as_str().or_else(|| result["description"].as_str());
    text.map_or(Value::Null, Into::into)
}

/// What was thrown, and the first lines of where.
pub(super) fn exception_words(details: &Value) -> String {
    const LINES: usize = 4;
    let exception = &details["exception"];
    let thrown = exception["description"].as_str().map(str::to_owned);
    let thrown = thrown.or_else(|| exception.get("value").map(Value::to_string));
    let thrown = thrown.unwrap_or_else(|| details["text"].as_str().unwrap_or("unknown").to_owned());
    thrown.lines().take(LINES).map(str::trim_end).collect::<Vec<_>>().join("\n")
}
