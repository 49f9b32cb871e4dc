//! What the tools want of a desktop, whichever it is.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use deskhand_core::{Absent, Cx, ToolError, ToolResult};

pub use super::clipboard::{Clip, Copied, Selection};
use super::{
    file_manager,
    hands::{Stroke, Typing},
    picture::Picture,
    window::{Rect, Window},
};

/// A group of things that a desktop lets programs do, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faculty {
    Windows,
    Capture,
    Clipboard,
    Input,
    FileManager,
}

/// How a window is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Its program is asked, and may ask back.
    Asked,
    /// Its program is cut off from the desktop.
    Forced,
}

/// One of the screens that make up the desktop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    pub name: String,
    pub primary: bool,
    pub place: Rect,
}

/// How long something may take, and who may end it sooner.
#[derive(Clone)]
pub struct Wait {
    cx: Option<Cx>,
    until: Instant,
}

impl Wait {
    /// A desktop that does not answer for so long is stuck.
    const USUAL: Duration = Duration::from_secs(5);

    /// For a call.
    pub fn of(cx: &Cx) -> Self {
        Self { cx: Some(cx.clone()), until: Instant::now() + Self::USUAL }
    }

    /// For what is not part of a call.
    pub fn at_most(limit: Duration) -> Self {
        Self { cx: None, until: Instant::now() + limit }
    }

    /// The same call, with another limit.
    #[must_use]
    pub fn within(&self, limit: Duration) -> Self {
        Self { cx: self.cx.clone(), until: Instant::now() + limit }
    }

    /// For something that moves much: a clipboard of megabytes comes in many pieces, each with a limit of its own.
    #[must_use]
    pub fn long(&self) -> Self {
        self.within(Self::USUAL * 6)
    }

    /// What is left of the time.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// An error if the call was cancelled.
    pub fn check(&self) -> ToolResult<()> {
        self.cx.as_ref().map_or(Ok(()), Cx::check)
    }

    /// Waits for something that comes about by itself. Whether it did in time.
    pub fn until(&self, mut came: impl FnMut() -> ToolResult<bool>) -> ToolResult<bool> {
        const PAUSE: Duration = Duration::from_millis(10);
        loop {
            if came()? {
                return Ok(true);
            }
            self.check()?;
            if self.left().is_zero() {
                return Ok(false);
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// A desktop. Everything in it may block for as long as its [`Wait`] says, and no longer.
pub trait Desktop: Send + Sync {
    /// Whether it lets programs do this, and if not why, and what would help.
    fn can(&self, faculty: Faculty) -> Result<(), Absent>;

    /// What it is, for `doctor`.
    fn about(&self) -> Result<String, Absent>;

    /// All windows, from the lowest to the topmost.
    fn windows(&self, wait: &Wait) -> ToolResult<Vec<Window>>;

    /// One window, if it is there.
    fn window(&self, id: u64, wait: &Wait) -> ToolResult<Option<Window>> {
        Ok(self.windows(wait)?.into_iter().find(|window| window.id == id))
    }

    /// The window that has the keyboard.
    fn active_window(&self, wait: &Wait) -> ToolResult<Option<Window>> {
        Ok(self.windows(wait)?.into_iter().find(|window| window.active))
    }

    /// Brings a window to the front and gives it the keyboard.
    fn activate(&self, id: u64, wait: &Wait) -> ToolResult<()>;

    /// Whether the window is gone afterwards.
    fn close(&self, id: u64, how: Closing, wait: &Wait) -> ToolResult<bool>;

    /// The screens that make it up.
    fn monitors(&self, wait: &Wait) -> ToolResult<Vec<Monitor>>;

    /// The pixels of a part of it, all of which is on it.
    fn capture(&self, part: Rect, wait: &Wait) -> ToolResult<Picture>;

    fn read_clipboard(&self, selection: Selection, wait: &Wait) -> ToolResult<Clip>;

    /// In place of what is there. It stays when this program ends.
    fn write_clipboard(&self, selection: Selection, copied: Copied, wait: &Wait) -> ToolResult<()>;

    fn mouse(&self, strokes: &[Stroke], wait: &Wait) -> ToolResult<()>;

    fn keyboard(&self, typing: &Typing, wait: &Wait) -> ToolResult<()>;

    /// What the mouse would meet at a place: one of the windows that are `known`, or another that is in front of them.
    fn at(&self, (x, y): (i32, i32), known: &[Window], _: &Wait) -> ToolResult<Option<Window>> {
        let there = |window: &&Window| !window.is_minimized() && window.geometry.has(x, y);
        Ok(known.iter().rev().find(there).cloned())
    }

    /// Whether the one goes when the other's program is cut off.
    fn is_of_one_program(&self, one: &Window, other: &Window) -> bool {
        one.is_of_process_of(other)
    }

    /// The file manager shows this file.
    fn show_file(&self, path: &Path, wait: &Wait) -> ToolResult<()> {
        file_manager::show(path, wait)
    }

    /// The window of the terminal that Deskhand runs in, where it is known: terminals for X tell it in the environment.
    fn terminal(&self) -> Option<u64> {
        std::env::var("WINDOWID").ok().and_then(|id| id.parse().ok())
    }

    /// The process of what manages the windows, where it is known.
    fn manager_pid(&self, wait: &Wait) -> ToolResult<Option<u32>>;
}

/// The error of a desktop that does not let programs do something.
pub(super) fn refuses(absent: Absent) -> ToolError {
    ToolError::new("desktop_refuses", format!("{}.", absent.why)).hint(absent.remedy)
}
