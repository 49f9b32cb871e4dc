//! Wayland: its compositors keep programs from each other, and this says what that leaves.

use deskhand_core::{Absent, ToolResult};

use super::{
    backend::{Clip, Closing, Copied, Desktop, Faculty, Monitor, Selection, Wait, refuses},
    hands::{Stroke, Typing},
    picture::Picture,
    window::{Rect, Window},
};

/// A session whose screen is drawn by a Wayland compositor.
pub(super) struct Wayland {
    name: String,
    /// Programs for X are shown there, too.
    has_x: bool,
}

impl Wayland {
    pub fn new(name: String, display: Option<&str>) -> Self {
        Self { name, has_x: display.is_some() }
    }

    fn why_not(&self, faculty: Faculty) -> Absent {
        let what = match faculty {
            Faculty::Windows => "does not let a program see, raise or close the windows of others",
            Faculty::Capture => "does not let a program read the screen unasked",
            Faculty::Clipboard => "gives the clipboard only to the program that has the keyboard",
            Faculty::FileManager => "has no file manager",
            Faculty::Input => "does not let a program press keys or move the mouse for others",
        };
        let x = if self.has_x {
            " To reach the programs for X in it alone, start Deskhand without WAYLAND_DISPLAY (`env -u \
             WAYLAND_DISPLAY deskhand …`)."
        } else {
            ""
        };
        Absent::new(
            format!("this is a Wayland session ({}), and its compositor {what}", self.name),
            format!("Log in to an X11 session (often «on Xorg» on the login screen).{x}"),
        )
    }

    fn no<T>(&self, faculty: Faculty) -> ToolResult<T> {
        Err(refuses(self.why_not(faculty)))
    }
}

impl Desktop for Wayland {
    fn can(&self, faculty: Faculty) -> Result<(), Absent> {
        match faculty {
            // The file manager shows its own windows.
            Faculty::FileManager => Ok(()),
            other => Err(self.why_not(other)),
        }
    }

    fn about(&self) -> Result<String, Absent> {
        Err(self.why_not(Faculty::Windows))
    }

    fn windows(&self, _: &Wait) -> ToolResult<Vec<Window>> {
        self.no(Faculty::Windows)
    }

    fn activate(&self, _: u64, _: &Wait) -> ToolResult<()> {
        self.no(Faculty::Windows)
    }

    fn close(&self, _: u64, _: Closing, _: &Wait) -> ToolResult<bool> {
        self.no(Faculty::Windows)
    }

    fn monitors(&self, _: &Wait) -> ToolResult<Vec<Monitor>> {
        self.no(Faculty::Capture)
    }

    fn capture(&self, _: Rect, _: &Wait) -> ToolResult<Picture> {
        self.no(Faculty::Capture)
    }

    fn read_clipboard(&self, _: Selection, _: &Wait) -> ToolResult<Clip> {
        self.no(Faculty::Clipboard)
    }

    fn write_clipboard(&self, _: Selection, _: Copied, _: &Wait) -> ToolResult<()> {
        self.no(Faculty::Clipboard)
    }

    fn mouse(&self, _: &[Stroke], _: &Wait) -> ToolResult<()> {
        self.no(Faculty::Input)
    }

    fn keyboard(&self, _: &Typing, _: &Wait) -> ToolResult<()> {
        self.no(Faculty::Input)
    }

    fn manager_pid(&self, _: &Wait) -> ToolResult<Option<u32>> {
        self.no(Faculty::Windows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_is_not_allowed_and_what_would_help() {
        let wayland = Wayland::new("wayland-0".into(), Some(":0"));
        for (faculty, words) in [
            (Faculty::Windows, "see, raise or close"),
            (Faculty::Capture, "read the screen"),
            (Faculty::Clipboard, "clipboard"),
            (Faculty::Input, "press keys"),
        ] {
            let absent = wayland.can(faculty).unwrap_err();
            assert!(absent.why.contains(words) && absent.why.contains("wayland-0"), "{}", absent.why);
            assert!(
                absent.remedy.contains("X11 session") && absent.remedy.contains("env -u"),
                "{}",
                absent.remedy
            );
        }
        assert!(wayland.can(Faculty::FileManager).is_ok());
        let alone = Wayland::new("wayland-0".into(), None);
        assert!(!alone.can(Faculty::Input).unwrap_err().remedy.contains("env -u"));
    }
}
