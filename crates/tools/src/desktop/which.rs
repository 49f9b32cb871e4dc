//! Which window is meant: by its number, or by its title where only one has it.

use deskhand_core::{ToolError, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;

use super::window::{Window, WindowKind, one_line};

/// A window as a caller names it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WindowArg {
    /// Its id, from list_windows.
    Id(u64),
    /// Its title, or a part of it that no other window has; an id as text is understood, too.
    Text(#[schemars(length(min = 1, max = 500))] String),
}

/// How many windows an error lists, and none by its title: see [`Window::untitled`].
const LISTED: usize = 10;

/// The one that is meant, and no other.
pub(super) fn find<'a>(arg: &WindowArg, windows: &'a [Window]) -> ToolResult<&'a Window> {
    let by_id = |id: u64| windows.iter().find(|window| window.id == id);
    let text = match arg {
        WindowArg::Id(id) => return by_id(*id).ok_or_else(|| none_of(&id.to_string(), windows)),
        WindowArg::Text(text) => text.trim(),
    };
    if let Some(window) = number(text).and_then(by_id) {
        return Ok(window);
    }
    if text.is_empty() {
        return Err(ToolError::invalid("invalid_arguments", "window_id is empty: it is an id or a title."));
    }
    let lower = text.to_lowercase();
    let exact: Vec<_> = windows.iter().filter(|window| window.title == text).collect();
    let same: Vec<_> = windows.iter().filter(|window| window.title.to_lowercase() == lower).collect();
    let part: Vec<_> = windows.iter().filter(|window| window.title.to_lowercase().contains(&lower)).collect();
    // A title that is whole is meant before one that only has the text in it.
    match [exact, same, part].into_iter().find(|found| !found.is_empty()).as_deref() {
        None => Err(none_of(&format!("«{}»", one_line(text)), windows)),
        Some([window]) => Ok(window),
        Some(several) => {
            let message =
                format!("{} windows have the title «{}»:{}", several.len(), one_line(text), list(several));
            Err(ToolError::invalid("ambiguous_window", message)
                .hint("Name one of them by its id; list_windows tells their titles."))
        }
    }
}

/// `29360131`, or `0x1c00003` as other programs write it.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn none_of(named: &str, windows: &[Window]) -> ToolError {
    let known: Vec<&Window> = windows
        .iter()
        .filter(|window| matches!(window.kind, WindowKind::Normal | WindowKind::Dialog))
        .collect();
    let there =
        if known.is_empty() { " None is open.".to_owned() } else { format!(" There are:{}", list(&known)) };
    ToolError::new("no_such_window", format!("There is no window {named}.{there}"))
        .hint("list_windows tells the windows that there are now.")
}

fn list(windows: &[&Window]) -> String {
    let mut lines: Vec<String> = windows.iter().take(LISTED).map(|window| window.untitled()).collect();
    if windows.len() > LISTED {
        lines.push(format!("and {} more", windows.len() - LISTED));
    }
    format!("\n- {}", lines.join("\n- "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::window::Rect;

    fn window(id: u64, title: &str) -> Window {
        Window {
            id,
            title: title.to_owned(),
            app: None,
            pid: None,
            geometry: Rect { x: 0, y: 0, width: 1, height: 1 },
            kind: WindowKind::Normal,
            state: Vec::new(),
            desktop: None,
            active: false,
        }
    }

    #[test]
    fn a_window_is_found_only_where_it_is_the_only_one() {
        let windows = [
            window(16, "Notes"),
            window(17, "notes"),
            window(18, "Notes of May"),
            window(19, "Mail"),
            window(20, "21"),
        ];
        for (arg, wanted) in [
            (WindowArg::Id(18), Ok(18)),
            (WindowArg::Id(99), Err("no_such_window")),
            (WindowArg::Text("0x10".into()), Ok(16)),
            (WindowArg::Text("17".into()), Ok(17)),
            (WindowArg::Text("21".into()), Ok(20)),
            (WindowArg::Text("Notes".into()), Ok(16)),
            (WindowArg::Text("NOTES".into()), Err("ambiguous_window")),
            (WindowArg::Text("note".into()), Err("ambiguous_window")),
            (WindowArg::Text("may".into()), Ok(18)),
            (WindowArg::Text("x".into()), Err("no_such_window")),
            (WindowArg::Text(" ".into()), Err("invalid_arguments")),
        ] {
            let found = find(&arg, &windows).map(|window| window.id).map_err(|error| error.code);
            assert_eq!(found, wanted, "{arg:?}");
        }
        let error = find(&WindowArg::Text("note".into()), &windows).unwrap_err();
        assert!(error.message.contains("- window 18") && !error.message.contains("May"), "{}", error.message);
    }
}
