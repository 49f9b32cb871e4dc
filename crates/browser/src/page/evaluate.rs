//! JavaScript in the page's own world.

use std::{
    hash::{BuildHasher as _, RandomState},
    time::Duration,
};

use serde_json::{Value, json};

use super::{Page, PageError, document::Document, reading::Reads};

/// What results are kept under until they are read.
const RESULTS: &str = "results";

/// How often a script is tried where the page leaves each time before it runs.
const MOST_TRIES: usize = 5;

impl Page {
    /// Evaluates a script as a person would in the console of the browser: an expression, statements with `await`, a
    /// function, which is called, or the body of one with `return`. Promises are waited for. Which of them it is, is known
    /// before it runs, and it runs once. What it declares with `let`, `const` or `class` is gone afterwards.
    pub async fn evaluate(&self, script: &str, limit: Duration) -> Result<Value, PageError> {
        self.evaluate_if(script, limit, || Ok(())).await
    }

    /// The same, if `is_there` allows it for the document that is known to be there, after all earlier events of the page.
    /// If the page leaves after that, the script does not run in a page of another origin: `is_there` is asked again.
    pub async fn evaluate_if<E: From<PageError>>(
        &self,
        script: &str,
        limit: Duration,
        is_there: impl Fn() -> Result<(), E>,
    ) -> Result<Value, E> {
        for _ in 0..MOST_TRIES {
            // The document comes first: `is_there` then speaks of this one, or of one that came after it.
            let document = self.own_document(limit).await?;
            let reads = match tokio::try_join!(self.reads(script, &document, limit), self.catch_up()) {
                Ok((reads, ())) => reads,
                Err(PageError::Left) => continue,
                Err(error) => return Err(error.into()),
            };
            is_there()?;
            if !self.has(&document)? {
                continue;
            }
            match self.evaluate_as(reads, script, &document, limit).await {
                Err(PageError::Left) => {}
                done => return Ok(done?),
            }
        }
        Err(PageError::Left.into())
    }

    async fn evaluate_as(
        &self,
        reads: Reads,
        script: &str,
        document: &Document,
        limit: Duration,
    ) -> Result<Value, PageError> {
        match reads {
            Reads::AsScript => self.evaluate_once(script, How::Plainly, document, limit).await,
            Reads::InTheConsole => self.evaluate_once(script, How::AsInTheConsole, document, limit).await,
            Reads::AsBody => {
                let body = format!("(async () => {{\n{script}\n}})()");
                self.evaluate_once(&body, How::Plainly, document, limit).await
            }
            Reads::NotAtAll(why) => Err(PageError::NoScript(why)),
        }
    }

    /// Which document is there.
    pub fn document(&self) -> Result<Option<String>, PageError> {
        self.tab(|tab| tab.main_frame().map(|frame| frame.loader.clone()))
    }

    async fn evaluate_once(
        &self,
        code: &str,
        how: How,
        document: &Document,
        limit: Duration,
    ) -> Result<Value, PageError> {
        // Random, so that no result of a script is mistaken for it.
        let left = format!("left-{:016x}", RandomState::new().hash_one(0u8));
        let params = json!({
            "expression": document.only_here(code, &json!(left).to_string()),
            "awaitPromise": true,
            "replMode": how == How::AsInTheConsole,
            "userGesture": true,
            "allowUnsafeEvalBlockedByCSP": true,
            "objectGroup": RESULTS,
        });
        let answer = self.ended("Runtime.evaluate", params, limit).await?;
        let result = &answer["result"];
        if result["value"] == left {
            return Err(PageError::Left);
        }
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
