//! JavaScript in the page's own world.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError};

impl Page {
    /// Evaluates a script as a person would in the console of the browser: an expression, statements with `await`, a
    /// function, which is called, or the body of one with `return`. Promises are waited for.
    pub async fn evaluate(&self, script: &str, limit: Duration) -> Result<Value, PageError> {
        match self.evaluate_once(script, How::Plainly, limit).await {
            Err(Failed::IsABody) => {
                let body = format!("(async () => {{\n{script}\n}})()");
                self.evaluate_once(&body, How::Plainly, limit).await.map_err(Failed::into_error)
            }
            Err(Failed::IsAFunction) => {
                let called = format!("(\n{}\n)()", script.trim().trim_end_matches(';'));
                self.evaluate_once(&called, How::Plainly, limit).await.map_err(Failed::into_error)
            }
            // `await` outside of a function, and `let` of a name that an earlier script had.
            Err(Failed::IsNoScript) => {
                self.evaluate_once(script, How::AsInTheConsole, limit).await.map_err(Failed::into_error)
            }
            done => done.map_err(Failed::into_error),
        }
    }

    async fn evaluate_once(&self, expression: &str, how: How, limit: Duration) -> Result<Value, Failed> {
        let params = json!({
            "expression": expression,
            "awaitPromise": true,
            "returnByValue": true,
            "replMode": how == How::AsInTheConsole,
            "userGesture": true,
            "allowUnsafeEvalBlockedByCSP": true,
        });
        let answer = self.call_within(limit, "Runtime.evaluate", params).await;
        let answer = answer.map_err(|error| {
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
        })?;
        if let Some(exception) = answer.get("exceptionDetails") {
            let words = exception_words(exception);
            let is_no_script = exception["exception"]["className"] == "SyntaxError" && how == How::Plainly;
            return Err(match is_no_script {
                true if words.contains("return statement") => Failed::IsABody,
                true => Failed::IsNoScript,
                false => Failed::Error(PageError::Script(words)),
            });
        }
        let result = &answer["result"];
        if result["type"] == "function" {
            return Err(Failed::IsAFunction);
        }
        Ok(by_value(result))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Plainly,
    /// A promise that it results in is not waited for.
    AsInTheConsole,
}

enum Failed {
    IsNoScript,
    /// It has a `return` of its own.
    IsABody,
    IsAFunction,
    Error(PageError),
}

impl Failed {
    fn into_error(self) -> PageError {
        match self {
            Self::Error(error) => error,
            Self::IsNoScript => PageError::Script("it cannot be read".to_owned()),
            Self::IsABody => PageError::Script("it returns where nothing can be returned".to_owned()),
            Self::IsAFunction => PageError::Script("its result is a function".to_owned()),
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
