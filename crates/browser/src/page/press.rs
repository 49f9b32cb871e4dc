//! The keyboard: single keys with others held, and text.

use std::time::Duration;

use serde_json::json;

use super::{Key, Modifiers, Page, PageError, keys, unless_cancelled};

/// A key by its name (`Enter`, `a`, `Control+Shift+K`), and what is held with it.
pub fn chord(name: &str, held: Modifiers) -> Result<(Key, Modifiers), PageError> {
    // It is not repeated: whoever takes this for a way to type may have given a password.
    let unknown = || PageError::Invalid {
        code: "unknown_key",
        message: "there is no such key: it would be Enter, Tab, Escape, ArrowDown, F5, a, Control+a, …"
            .to_owned(),
    };
    let (key, more) = keys::combination(name).ok_or_else(unknown)?;
    let held = held | more;
    Ok((if held.has(Modifiers::SHIFT) { key.with_shift() } else { key }, held))
}

impl Page {
    /// Presses a key while `held` are down.
    pub async fn press(&self, key: &Key, held: Modifiers) -> Result<(), PageError> {
        let mut down = Modifiers::NONE;
        for (one, modifier) in held.keys() {
            down = down | one;
            self.key("rawKeyDown", &modifier, down).await?;
        }
        let pressed = self.stroke(key, held).await;
        // They come up again whatever became of the key.
        for (one, modifier) in held.keys() {
            down = Modifiers::NONE | held_without(down, one);
            self.key("keyUp", &modifier, down).await?;
        }
        pressed
    }

    /// Puts text into what has the focus, as an input method does: without keys.
    pub async fn insert_text(&self, text: &str) -> Result<(), PageError> {
        self.call("Input.insertText", json!({"text": text})).await.map(drop)
    }

    /// Waits a little, unless the call is cancelled.
    pub async fn pause(&self, time: Duration) -> Result<(), PageError> {
        unless_cancelled(&self.cancel, tokio::time::sleep(time)).await
    }

    /// One key, down and up.
    pub async fn stroke(&self, key: &Key, held: Modifiers) -> Result<(), PageError> {
        self.key(if key.types(held) { "keyDown" } else { "rawKeyDown" }, key, held).await?;
        self.key("keyUp", key, held).await
    }

    async fn key(&self, kind: &str, key: &Key, held: Modifiers) -> Result<(), PageError> {
        let mut params = json!({
            "type": kind,
            "key": key.key,
            "code": key.code,
            "windowsVirtualKeyCode": key.number,
            "nativeVirtualKeyCode": key.number,
            "location": key.location,
            "modifiers": held.bits(),
        });
        if let (Some(text), "keyDown") = (&key.text, kind) {
            params["text"] = text.as_str().into();
            params["unmodifiedText"] = text.as_str().into();
        }
        // Without its command, what a person calls an edit does not happen: the page gets the key and no more.
        if let Some(command) = command_of(key, held).filter(|_| kind == "rawKeyDown") {
            params["commands"] = json!([command]);
        }
        self.call("Input.dispatchKeyEvent", params).await.map(drop)
    }
}

fn held_without(all: Modifiers, one: Modifiers) -> Modifiers {
    let each = [Modifiers::ALT, Modifiers::CONTROL, Modifiers::META, Modifiers::SHIFT];
    each.into_iter().filter(|m| all.has(*m) && *m != one).fold(Modifiers::NONE, |sum, m| sum | m)
}

/// What the usual shortcuts of editing do.
fn command_of(key: &Key, held: Modifiers) -> Option<&'static str> {
    let main = if cfg!(target_os = "macos") { Modifiers::META } else { Modifiers::CONTROL };
    if !held.has(main) || held.has(Modifiers::ALT) {
        return None;
    }
    match (key.code.as_str(), held.has(Modifiers::SHIFT)) {
        ("KeyA", false) => Some("selectAll"),
        ("KeyC", false) => Some("copy"),
        ("KeyX", false) => Some("cut"),
        ("KeyV", _) => Some("paste"),
        ("KeyZ", false) => Some("undo"),
        ("KeyZ", true) | ("KeyY", false) => Some("redo"),
        _ => None,
    }
}
