//! JavaScript in the page's own world.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError};

/// What results are kept under until they are read.
const RESULTS: &str = "results";

impl Page {
    /// Evaluates a script as a person would in the console of the browser: an expression, statements with `await`, a
    /// function, which is called, or the body of one with `return`. Promises are waited for. Only what cannot be read is
    /// tried in another way: nothing runs twice.
    pub async fn evaluate(&self, script: &str, limit: Duration) -> Result<Value, PageError> {
        // What the console declares may be declared again; by an ordinary script it may not.
        let first = if declares(script) { How::AsInTheConsole } else { How::Plainly };
        let done = match self.evaluate_once(script, first, limit).await {
            Err(Failed::IsABody) => {
                let body = format!("(async () => {{\n{script}\n}})()");
                self.evaluate_once(&body, How::Plainly, limit).await
            }
            // `await` outside of a function.
            Err(Failed::IsNoScript(_)) if first == How::Plainly => {
                self.evaluate_once(script, How::AsInTheConsole, limit).await
            }
            done => done,
        };
        self.session.post("Runtime.releaseObjectGroup", &json!({"objectGroup": RESULTS}));
        done.map_err(Failed::into_error)
    }

    async fn evaluate_once(&self, expression: &str, how: How, limit: Duration) -> Result<Value, Failed> {
        let params = json!({
            "expression": expression,
            "awaitPromise": true,
            "replMode": how == How::AsInTheConsole,
            "userGesture": true,
            "allowUnsafeEvalBlockedByCSP": true,
            "objectGroup": RESULTS,
        });
        let answer = self.ended("Runtime.evaluate", params, limit).await?;
        failure(&answer)?;
        let result = &answer["result"];
        match (result["objectId"].as_str(), result["type"].as_str()) {
            (Some(object), Some("object" | "function")) => self.value_of(object, result, limit).await,
            _ => Ok(by_value(result)),
        }
    }

    /// What an object in the page is as JSON: of a promise, which a script in the console may come to, once it is kept; of a
    /// function, what it returns.
    async fn value_of(&self, object: &str, kind: &Value, limit: Duration) -> Result<Value, Failed> {
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
            Some(exception) => Err(Failed::Error(PageError::Script(exception_words(exception)))),
            None if answer["result"]["type"] == "function" => {
                Err(Failed::Error(PageError::Script("its result is a function".to_owned())))
            }
            None => Ok(by_value(&answer["result"])),
        }
    }

    /// A command that runs code of the page. If that does not end, it is ended.
    async fn ended(&self, method: &str, params: Value, limit: Duration) -> Result<Value, Failed> {
        let answer = self.call_within(limit, method, params).await;
        answer.map_err(|error| {
            if let PageError::TimedOut { .. } | PageError::Cancelled = error {
                // A script without end would keep the page from everything that comes after.
                self.session.post("Runtime.terminateExecution", &json!({}));
            }
            let error = match error {
                PageError::TimedOut { limit, .. } => {
                    PageError::TimedOut { doing: "the script".to_owned(), limit }
                }
                other => other,
            };
            Failed::Error(error)
        })
    }
}

/// What an answer says of code that failed.
fn failure(answer: &Value) -> Result<(), Failed> {
    let Some(exception) = answer.get("exceptionDetails") else { return Ok(()) };
    let words = exception_words(exception);
    // What ran, and then came upon something that cannot be read, tells where that was.
    let is_no_script = exception["exception"]["className"] == "SyntaxError"
        && exception.get("stackTrace").is_none()
        && !words.contains("\n    at ");
    Err(match is_no_script {
        true if words.contains("return statement") => Failed::IsABody,
        true => Failed::IsNoScript(words),
        false => Failed::Error(PageError::Script(words)),
    })
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

enum Failed {
    IsNoScript(String),
    /// It has a `return` of its own.
    IsABody,
    Error(PageError),
}

impl Failed {
    fn into_error(self) -> PageError {
        match self {
            Self::Error(error) => error,
            Self::IsNoScript(words) => PageError::Script(words),
            Self::IsABody => PageError::Script("it returns where nothing can be returned".to_owned()),
        }
    }
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
