//! A window, as every desktop can tell of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rectangle of the screen, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rect {
    pub x: i32,
    pub y: i32,
    #[schemars(range(min = 1))]
    pub width: u32,
    #[schemars(range(min = 1))]
    pub height: u32,
}

impl Rect {
    /// The part that both have.
    pub fn within(self, other: Self) -> Option<Self> {
        let end = |at: i32, length: u32| i64::from(at) + i64::from(length);
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = end(self.x, self.width).min(end(other.x, other.width));
        let bottom = end(self.y, self.height).min(end(other.y, other.height));
        let width = u32::try_from(right - i64::from(x)).ok().filter(|width| *width > 0)?;
        let height = u32::try_from(bottom - i64::from(y)).ok().filter(|height| *height > 0)?;
        Some(Self { x, y, width, height })
    }

    pub fn has(self, x: i32, y: i32) -> bool {
        self.within(Self { x, y, width: 1, height: 1 }).is_some()
    }
}

impl std::fmt::Display for Rect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}×{} at ({}, {})", self.width, self.height, self.x, self.y)
    }
}

/// What a window is for, by its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WindowKind {
    Normal,
    Dialog,
    /// A panel, a dock, a taskbar.
    Dock,
    /// The desktop itself, with its icons.
    Desktop,
    /// A menu, a tool bar, a splash screen, a notification.
    Other,
}

/// One window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Window {
    /// What other tools take as `window_id`.
    pub id: u64,
    pub title: String,
    /// The program, by the name that it gives its windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// On X11 without its frame.
    pub geometry: Rect,
    pub kind: WindowKind,
    /// `minimized`, `maximized`, `fullscreen`, `above`, `sticky`, …
    pub state: Vec<&'static str>,
    /// The workspace of the desktop that it is on, from 0; left out where it is on all, or there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desktop: Option<u32>,
    /// Whether it has the keyboard.
    pub active: bool,
}

impl Window {
    pub fn is_minimized(&self) -> bool {
        self.state.contains(&"minimized")
    }

    /// Whether one process shows both.
    pub fn is_of_process_of(&self, other: &Self) -> bool {
        self.pid.is_some() && self.pid == other.pid
    }

    /// What tells it from others without its title. An error that is no result of a call is read as our own words, and
    /// a title is whatever a page or a message wants it to be.
    pub fn untitled(&self) -> String {
        let app = self.app.as_deref().map_or_else(String::new, |app| format!(" of {}", one_line(app)));
        let pid = self.pid.map_or_else(String::new, |pid| format!(" (pid {pid})"));
        format!("window {}{app}{pid}", self.id)
    }

    /// One line that tells it from others. A title is somebody else's text: it stays on its line, and is bounded.
    pub fn words(&self) -> String {
        let app = self.app.as_deref().map_or_else(String::new, |app| format!(" of {}", one_line(app)));
        let pid = self.pid.map_or_else(String::new, |pid| format!(", pid {pid}"));
        format!("«{}»{app} (window {}{pid})", one_line(&self.title), self.id)
    }
}

/// Text of another program on one line, without what would move a cursor or hide other text.
pub(super) fn one_line(text: &str) -> String {
    const MOST: usize = 200;
    let hides = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let line: String = text.chars().take(MOST).map(|c| if hides(c) { '·' } else { c }).collect();
    if text.chars().nth(MOST).is_some() { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_meet() {
        let at = |x, y, width, height| Rect { x, y, width, height };
        let screen = at(0, 0, 100, 80);
        for (rect, wanted) in [
            (at(10, 10, 20, 20), Some(at(10, 10, 20, 20))),
            (at(-10, 70, 20, 20), Some(at(0, 70, 10, 10))),
            (at(100, 0, 1, 1), None),
            (at(0, -5, 5, 5), None),
            (at(i32::MAX, i32::MAX, u32::MAX, u32::MAX), None),
            (at(i32::MIN, 0, u32::MAX, 80), Some(screen)),
        ] {
            assert_eq!(rect.within(screen), wanted, "{rect}");
        }
        assert!(screen.has(99, 79) && !screen.has(100, 79) && !screen.has(0, -1));
    }

    #[test]
    fn a_title_stays_on_its_line() {
        assert_eq!(one_line("a\nb\u{202e}c\u{1b}[2J"), "a·b·c·[2J");
        assert_eq!(one_line(&"x".repeat(500)).chars().count(), 201);
    }
}
