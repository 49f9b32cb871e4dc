//! No desktop: nothing is offered, and everything says why.

use deskhand_core::{Absent, ToolResult};

use super::{
    backend::{Clip, Closing, Copied, Desktop, Faculty, Monitor, Selection, Wait, refuses},
    hands::{Stroke, Typing},
    picture::Picture,
    window::{Rect, Window},
};

/// Where there is none.
pub(super) struct NoDesktop(Absent);

impl NoDesktop {
    /// Nothing in the environment names one.
    pub fn unnamed() -> Self {
        let why = "there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
        Self(Absent::new(why, "Start Deskhand in a graphical session, or set DISPLAY to one (`DISPLAY=:0`)."))
    }

    fn no<T>(&self) -> ToolResult<T> {
        Err(refuses(self.0.clone()))
    }
}

impl Desktop for NoDesktop {
    fn can(&self, _: Faculty) -> Result<(), Absent> {
        Err(self.0.clone())
    }

    fn about(&self) -> Result<String, Absent> {
        Err(self.0.clone())
    }

    fn windows(&self, _: &Wait) -> ToolResult<Vec<Window>> {
        self.no()
    }

    fn activate(&self, _: u64, _: &Wait) -> ToolResult<()> {
        self.no()
    }

    fn close(&self, _: u64, _: Closing, _: &Wait) -> ToolResult<bool> {
        self.no()
    }

    fn monitors(&self, _: &Wait) -> ToolResult<Vec<Monitor>> {
        self.no()
    }

    fn capture(&self, _: Rect, _: &Wait) -> ToolResult<Picture> {
        self.no()
    }

    fn read_clipboard(&self, _: Selection, _: &Wait) -> ToolResult<Clip> {
        self.no()
    }

    fn write_clipboard(&self, _: Selection, _: Copied, _: &Wait) -> ToolResult<()> {
        self.no()
    }

    fn mouse(&self, _: &[Stroke], _: &Wait) -> ToolResult<()> {
        self.no()
    }

    fn keyboard(&self, _: &Typing, _: &Wait) -> ToolResult<()> {
        self.no()
    }

    fn manager_pid(&self, _: &Wait) -> ToolResult<Option<u32>> {
        self.no()
    }
}
