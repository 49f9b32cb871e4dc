//! Text into the field that was prepared for it: at once, or a key at a time. A page moves the focus as it likes, so where
//! it is, and what a key would send there, is looked at right before each of them.

use std::time::Duration;

use deskhand_core::{Cx, ToolError, ToolResult};

use super::sending;
use crate::page::{Found, Key, Modifiers, Page, PageError};

/// Whether a new line in the text would be Enter. In a field of several lines it is a character like others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NewLine {
    IsText,
    IsEnter,
}

/// The keyboard, for one field.
pub struct Strokes<'a> {
    cx: &'a Cx,
    page: &'a Page,
    field: &'a Found,
}

impl<'a> Strokes<'a> {
    pub fn new(cx: &'a Cx, page: &'a Page, field: &'a Found) -> Self {
        Self { cx, page, field }
    }

    /// Types it.
    pub async fn type_text(&self, text: &str, new_line: NewLine, delay: Option<Duration>) -> ToolResult<()> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if let Some(delay) = delay.filter(|delay| !delay.is_zero()) {
            for character in text.chars() {
                self.one(character, new_line).await?;
                self.page.pause(delay).await?;
            }
            return Ok(());
        }
        if new_line == NewLine::IsText {
            return self.insert(&text).await;
        }
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.press(&Key::typing('\n'), Modifiers::NONE).await?;
            }
            if !line.is_empty() {
                self.insert(line).await?;
            }
        }
        Ok(())
    }

    async fn one(&self, character: char, new_line: NewLine) -> ToolResult<()> {
        let key = Key::typing(character);
        // No key of this layout types it, and an input method would put it there like this. A tab would go on to another
        // field, which nobody named.
        let is_text =
            key.code.is_empty() || character == '\t' || (character == '\n' && new_line == NewLine::IsText);
        if is_text {
            return self.insert(&character.to_string()).await;
        }
        self.press(&key, if key.shifted { Modifiers::SHIFT } else { Modifiers::NONE }).await
    }

    /// One key, if what it would send now is what was approved. By then the field has some of the text already: to plan it
    /// anew would type that again.
    pub async fn press(&self, key: &Key, held: Modifiers) -> ToolResult<()> {
        self.has_focus().await?;
        if matches!(key.code.as_str(), "Enter" | "Space") {
            let (sends, _) = sending::by_key(self.page, key, held).await?;
            sends.was_approved(self.cx).map_err(|error| moved(&error.message))?;
        }
        Ok(self.page.stroke(key, held).await?)
    }

    async fn insert(&self, text: &str) -> ToolResult<()> {
        self.has_focus().await?;
        Ok(self.page.insert_text(text).await?)
    }

    /// What is typed goes to whatever has the focus, in whichever frame: that is to be this field.
    async fn has_focus(&self) -> ToolResult<()> {
        match self.page.has_focus(self.field).await {
            Ok(true) => Ok(()),
            // The field is gone, or its frame.
            Ok(false) | Err(PageError::Element { .. } | PageError::Refused(_)) => {
                Err(moved("The field does not have it any more."))
            }
            Err(error) => Err(error.into()),
        }
    }
}

fn moved(why: &str) -> ToolError {
    ToolError::new("focus_moved", format!("The page has moved the focus while it was typed. {why}"))
        .hint("Nothing more was typed. Look at the page, and type or press the key there.")
}
