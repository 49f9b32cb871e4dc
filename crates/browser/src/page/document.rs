//! The document that a script may start in.
//!
//! A command reaches whichever document the tab has when it arrives, and a page may leave after the last look at it. The
//! browser gives out ids that bind a command to one document only after `Runtime.enable`, which is never sent. The numbers
//! of contexts, which are known without it, start again in each process. So each script begins with a check of where it is.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError};

/// A document of the tab's own frame.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// Our functions in it. Another document has other ones.
    kit: String,
    origin: String,
}

impl Document {
    /// A script that does `code` in a page of this origin. In any other page none of `code` runs, and the result is
    /// `otherwise`. (Names that `code` declares with `var` or `function` may exist there afterwards, without a value.)
    ///
    /// No page can change its `location.origin`. Nothing is thrown, because pages see errors.
    pub fn only_here(&self, code: &str, otherwise: &str) -> String {
        format!("if (location.origin !== {}) {otherwise}; else {{\n{code}\n}}", json!(self.origin))
    }
}

impl Page {
    pub(super) async fn own_document(&self, limit: Duration) -> Result<Document, PageError> {
        let (world, origin) = self.ask_world(limit, &self.target, "origin", &Value::Null).await?;
        Ok(Document { kit: world.kit, origin: origin.as_str().unwrap_or_default().to_owned() })
    }

    /// Whether the tab still has this document, as far as is known.
    pub(super) fn has(&self, document: &Document) -> Result<bool, PageError> {
        self.tab(|tab| {
            let world = tab.frames.get(&self.target).and_then(|frame| frame.world.as_ref());
            world.is_some_and(|world| world.kit == document.kit)
        })
    }
}
