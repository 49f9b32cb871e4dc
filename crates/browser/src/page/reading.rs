//! How a script is to be read: as a script, as what is written into a console, or as the body of a function. That is found
//! out without running any of it. (`Runtime.compileScript` would tell, but wants `Runtime.enable`, which pages notice.)

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError};

/// What a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    AsScript,
    /// With `await` outside of any function.
    InTheConsole,
    /// With a `return` of its own.
    AsBody,
    NotAtAll,
}

/// Whether it reads as a script, and as the body of a function. What is thrown before it, nothing in it comes after; what it
/// declares is declared in this function. Nothing that a page can change is used: it is asked in our own world.
const READS: &str = r#"(function () {
    const body = (async () => {}).constructor;
    const reads = [false, false];
    try { eval("throw null;\n" + arguments[0]); } catch (thrown) { reads[0] = thrown === null; }
    try { body(arguments[0]); reads[1] = true; } catch { /* It does not. */ }
    return reads;
})"#;

impl Page {
    pub(super) async fn reads(&self, script: &str, limit: Duration) -> Result<Reads, PageError> {
        let answer = self.read_apart(&format!("{READS}({})", json!(script)), false, limit).await?;
        let reads = &answer["result"]["value"];
        if reads[0] == true || reads[1] != true {
            return Ok(if reads[0] == true { Reads::AsScript } else { Reads::NotAtAll });
        }
        // It has `await` or `return`, or both: the console takes only the first.
        let answer = self.read_apart(&format!("throw null;\n{{\n{script}\n}}"), true, limit).await?;
        let exception = &answer["exceptionDetails"]["exception"];
        let was_read = exception.get("value").is_some_and(Value::is_null);
        Ok(if was_read { Reads::InTheConsole } else { Reads::AsBody })
    }

    /// Evaluates something in our own world of the tab.
    async fn read_apart(
        &self,
        expression: &str,
        repl_mode: bool,
        limit: Duration,
    ) -> Result<Value, PageError> {
        let mut fresh = false;
        loop {
            let (_, world, is_new) = self.world(&self.target, fresh, limit).await?;
            let params = json!({
                "expression": expression,
                "contextId": world.context,
                "replMode": repl_mode,
                "returnByValue": true,
                "allowUnsafeEvalBlockedByCSP": true,
            });
            match self.ended("Runtime.evaluate", params, limit).await {
                // The document went away since.
                Err(PageError::Refused(_)) if !is_new => fresh = true,
                answer => return answer,
            }
        }
    }
}
