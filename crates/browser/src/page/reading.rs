//! How a script is to be read: as a script, as what is written into a console, or as the body of a function. That is found
//! out without running any of it. (`Runtime.compileScript` would tell, but wants `Runtime.enable`, which pages notice.)

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError, document::Document};

/// What a script is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    AsScript,
    /// With `await` outside of any function.
    InTheConsole,
    /// With a `return` of its own.
    AsBody,
    /// What is wrong with it.
    NotAtAll(String),
}

/// Whether it reads as a script, and as the body of a function. What is thrown before it, nothing in it comes after; what it
/// declares is declared in this function. Nothing that a page can change is used: it is asked in our own world.
const READS: &str = r#"(function () {
    const body = (async () => {}).constructor;
    const reads = [false, false, ""];
    try { eval("throw null;\n" + arguments[0]); } catch (thrown) { reads[0] = thrown === null; reads[2] = String(thrown); }
    try { body(arguments[0]); reads[1] = true; } catch { /* It does not. */ }
    return reads;
})"#;

impl Page {
    /// Asked in this document; a page of another origin does not see the script.
    pub(super) async fn reads(
        &self,
        script: &str,
        document: &Document,
        limit: Duration,
    ) -> Result<Reads, PageError> {
        let asked = document.only_here(&format!("{READS}({})", json!(script)), "null");
        let answer = self.read_apart(&asked, false, limit).await?;
        let reads = &answer["result"]["value"];
        match (reads[0].as_bool(), reads[1].as_bool()) {
            (Some(true), _) => return Ok(Reads::AsScript),
            (Some(false), Some(true)) => {}
            (Some(false), _) => return Ok(Reads::NotAtAll(reads[2].as_str().unwrap_or_default().to_owned())),
            (None, _) => return Err(PageError::Left),
        }
        // It has `await` or `return`, or both: the console takes only the first.
        let asked = document.only_here(&format!("throw null;\n{{\n{script}\n}}"), "0");
        let answer = self.read_apart(&asked, true, limit).await?;
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
