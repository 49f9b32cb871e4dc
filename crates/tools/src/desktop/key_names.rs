//! What keys are called.

use deskhand_core::{ToolError, ToolResult};

use super::hands::Key;

/// Other names that people give them, in lower case, with ours.
const NAMES: &[(&[&str], &str)] = &[
    (&["ctrl", "control"], "Control_L"),
    (&["alt", "option"], "Alt_L"),
    (&["shift"], "Shift_L"),
    (&["super", "meta", "win", "windows", "cmd", "command"], "Super_L"),
    (&["altgr"], "ISO_Level3_Shift"),
    (&["enter", "return"], "Return"),
    (&["tab"], "Tab"),
    (&["esc", "escape"], "Escape"),
    (&["backspace"], "BackSpace"),
    (&["del", "delete"], "Delete"),
    (&["ins", "insert"], "Insert"),
    (&["space", "spacebar"], "space"),
    (&["home"], "Home"),
    (&["end"], "End"),
    (&["pageup", "page_up", "pgup"], "Prior"),
    (&["pagedown", "page_down", "pgdn"], "Next"),
    (&["up", "arrowup"], "Up"),
    (&["down", "arrowdown"], "Down"),
    (&["left", "arrowleft"], "Left"),
    (&["right", "arrowright"], "Right"),
    (&["menu", "contextmenu"], "Menu"),
    (&["print", "printscreen"], "Print"),
    (&["pause"], "Pause"),
    (&["capslock"], "Caps_Lock"),
    (&["plus"], "plus"),
    (&["f1"], "F1"),
    (&["f2"], "F2"),
    (&["f3"], "F3"),
    (&["f4"], "F4"),
    (&["f5"], "F5"),
    (&["f6"], "F6"),
    (&["f7"], "F7"),
    (&["f8"], "F8"),
    (&["f9"], "F9"),
    (&["f10"], "F10"),
    (&["f11"], "F11"),
    (&["f12"], "F12"),
];

/// `ctrl+shift+t`, `Enter`, `é`.
pub(super) fn chord(words: &str) -> ToolResult<Vec<Key>> {
    const MOST: usize = 5;
    // A plus alone, or at the end, is the key.
    let (words, plus) = match words.strip_suffix("++") {
        Some(rest) => (rest, true),
        None if words == "+" => ("", true),
        None => (words, false),
    };
    let parts = words.split('+').filter(|_| !words.is_empty());
    let mut keys = parts.map(key).collect::<ToolResult<Vec<Key>>>()?;
    if plus {
        keys.push(Key::Char('+'));
    }
    if keys.is_empty() || keys.len() > MOST {
        return Err(unknown());
    }
    Ok(keys)
}

/// Whether a chord only types a character: alone, or with shift.
pub(super) fn types_a_character(chord: &[Key]) -> bool {
    let is_level = |key: &Key| matches!(key, Key::Named("Shift_L" | "ISO_Level3_Shift"));
    matches!(chord, [levels @ .., Key::Char(_) | Key::Named("space" | "plus")] if levels.iter().all(is_level))
}

fn key(word: &str) -> ToolResult<Key> {
    let trimmed = word.trim();
    let mut chars = trimmed.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && !c.is_control()
    {
        return Ok(Key::Char(c));
    }
    let lower = trimmed.to_lowercase();
    let found =
        NAMES.iter().find(|(names, ours)| names.contains(&lower.as_str()) || ours.to_lowercase() == lower);
    found.map(|(_, ours)| Key::Named(ours)).ok_or_else(unknown)
}

/// It is not repeated: it may be a secret that was meant to be typed.
fn unknown() -> ToolError {
    ToolError::invalid("unknown_key", "There is no such key.").hint(
        "Keys are single characters, Enter, Tab, Escape, Backspace, Delete, Home, End, PageUp, PageDown, Up, Down, Left, \
         Right, F1 to F12, and with + before them ctrl, alt, shift, super.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read() {
        use Key::{Char, Named};
        for (words, wanted) in [
            ("ctrl+s", vec![Named("Control_L"), Char('s')]),
            ("Ctrl+Shift+T", vec![Named("Control_L"), Named("Shift_L"), Char('T')]),
            ("Enter", vec![Named("Return")]),
            ("Return", vec![Named("Return")]),
            ("é", vec![Char('é')]),
            ("+", vec![Char('+')]),
            ("ctrl++", vec![Named("Control_L"), Char('+')]),
            ("alt+F4", vec![Named("Alt_L"), Named("F4")]),
        ] {
            assert_eq!(chord(words).unwrap(), wanted, "{words}");
        }
        for (words, types) in [
            ("a", true),
            ("shift+H", true),
            ("space", true),
            ("ctrl+a", false),
            ("Enter", false),
            ("alt+F4", false),
        ] {
            assert_eq!(types_a_character(&chord(words).unwrap()), types, "{words}");
        }
        for words in ["", "nokey", "ctrl+", "a+b+c+d+e+f", "\n"] {
            assert_eq!(chord(words).unwrap_err().code, "unknown_key", "{words:?}");
        }
    }
}
