//! The clipboard of the desktop, where a browser is on one: keys that copy, cut and paste.

use deskhand_core::{Cx, Effects, Permission, Plan, ToolResult};

use super::hands;
use crate::{
    launch::Window,
    page::{Key, Modifiers},
};

/// The plan of pressing a key. What a person has copied may be anything, and a page that gets it pasted has it. A browser
/// without a window has a clipboard of its own.
pub fn settle(cx: &Cx, plan: Plan, key: &Key, held: Modifiers) -> ToolResult<Plan> {
    let Some(does) = used(key, held) else { return Ok(plan) };
    let browser = hands::browsers(cx)?.running(cx.session_id());
    let is_on_desktop =
        |browser: &crate::Browser| browser.is_attached() || browser.options().window == Window::Visible;
    if !browser.is_some_and(|browser| is_on_desktop(&browser)) {
        return Ok(plan);
    }
    let why = format!("It {does} the clipboard of the desktop.");
    let mut plan = plan.at_least(Permission::Sensitive, "browser:clipboard", why);
    plan.effects = plan.effects.and(Effects::DESKTOP);
    Ok(plan)
}

/// What a key does to the clipboard, in any of the ways that browsers know.
fn used(key: &Key, held: Modifiers) -> Option<&'static str> {
    let main = held.has(Modifiers::CONTROL | Modifiers::META);
    match key.code.as_str() {
        "KeyV" if main => Some("pastes"),
        "KeyC" | "KeyX" | "Insert" if main => Some("changes"),
        "Insert" if held.has(Modifiers::SHIFT) => Some("pastes"),
        "Delete" if held.has(Modifiers::SHIFT) => Some("changes"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::chord;

    #[test]
    fn every_way_to_the_clipboard_is_known() {
        for (name, does) in [
            ("Control+v", Some("pastes")),
            ("Control+Shift+V", Some("pastes")),
            ("Meta+v", Some("pastes")),
            ("Shift+Insert", Some("pastes")),
            ("Control+c", Some("changes")),
            ("Control+x", Some("changes")),
            ("Control+Insert", Some("changes")),
            ("Shift+Delete", Some("changes")),
            ("v", None),
            ("Control+a", None),
            ("Delete", None),
            ("Insert", None),
            ("Enter", None),
        ] {
            let (key, held) = chord(name, Modifiers::NONE).unwrap();
            assert_eq!(used(&key, held), does, "{name}");
        }
    }
}
