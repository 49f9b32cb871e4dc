//! Giving files to a page: into a field that takes them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Page, PageError, Target};
use crate::cdp::Connection;

impl Page {
    /// Chooses files in a file field, as a person would in the browser's dialog. What was chosen before is replaced.
    pub async fn select_files(&self, target: &Target, files: &[PathBuf]) -> Result<Value, PageError> {
        let found = self.ask_about(target, "describe", &Value::Null, Connection::USUAL).await?;
        let gone = || PageError::Element {
            code: "not_found",
            message: "the field is gone".to_owned(),
            hint: "Take a new snapshot.".to_owned(),
        };
        // The very element: a selector might find another by now, in another document.
        let element = json!(Target::of(&found.answer));
        let given = self.object(&found.frame, "element", &element).await?;
        let (session, object) = given.ok_or_else(gone)?;
        let params = json!({"objectId": object, "files": files});
        match self.call_on(&session, Connection::USUAL, "DOM.setFileInputFiles", params).await {
            Ok(_) => Ok(found.answer),
            Err(PageError::Refused(why)) => Err(PageError::Element {
                code: "no_file_field",
                message: format!("that element takes no files ({why})"),
                hint: "Name the <input type=file>, or one with `multiple` for several files.".to_owned(),
            }),
            Err(other) => Err(other),
        }
    }
}
