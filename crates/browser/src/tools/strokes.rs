//! Text into the field that has the focus: at once, or a key at a time. What of it is a key that may send something is
//! looked at right before it is pressed, for a page moves the focus as it likes.

use std::time::Duration;

use deskhand_core::{Cx, ToolError, ToolResult};

use super::sending;
use crate::page::{Key, Modifiers, Page};

/// Whether a new line in the text would be Enter. In a field of several lines it is a character like others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NewLine {
    IsText,
    IsEnter,
}

/// Types it.
pub async fn type_text(
    cx: &Cx,
    page: &Page,
    text: &str,
    new_line: NewLine,
    delay: Option<Duration>,
) -> ToolResult<()> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if let Some(delay) = delay.filter(|delay| !delay.is_zero()) {
        for character in text.chars() {
            one(cx, page, character, new_line).await?;
            page.pause(delay).await?;
        }
        return Ok(());
    }
    if new_line == NewLine::IsText {
        return Ok(page.insert_text(&text).await?);
    }
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            press(cx, page, &Key::typing('\n'), Modifiers::NONE).await?;
        }
        if !line.is_empty() {
            page.insert_text(line).await?;
        }
    }
    Ok(())
}

async fn one(cx: &Cx, page: &Page, character: char, new_line: NewLine) -> ToolResult<()> {
    let key = Key::typing(character);
    // No key of this layout types it, and an input method would put it there like this. A tab would go on to another
    // field, which nobody named.
    let is_text =
        key.code.is_empty() || character == '\t' || (character == '\n' && new_line == NewLine::IsText);
    if is_text {
        return Ok(page.insert_text(&character.to_string()).await?);
    }
    press(cx, page, &key, if key.shifted { Modifiers::SHIFT } else { Modifiers::NONE }).await
}

/// One key, if what it would send now is what was approved. By then the field has some of the text already: to plan it anew
/// would type that again.
pub async fn press(cx: &Cx, page: &Page, key: &Key, held: Modifiers) -> ToolResult<()> {
    if matches!(key.code.as_str(), "Enter" | "Space") {
        sending::by_key(page, key, held).await?.0.was_approved(cx).map_err(|error| {
            let message = format!("The page has moved the focus while it was typed. {}", error.message);
            ToolError::new("focus_moved", message)
                .hint("Nothing more was typed. Look at the page, and press the key there.")
        })?;
    }
    Ok(page.stroke(key, held).await?)
}
