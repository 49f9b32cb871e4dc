//! What mouse and keyboard can be made to do, and on which window.

use deskhand_core::{Cx, ToolError, ToolResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Closing, Wait},
    protected, seat,
    which::{self, WindowArg},
    window::Window,
};

/// A button of the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    #[default]
    Left,
    Middle,
    Right,
}

impl Button {
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }
}

/// One thing that a mouse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stroke {
    MoveTo(i32, i32),
    Press(Button),
    Release(Button),
    /// Notches of the wheel: down and to the right are positive.
    Scroll {
        right: i32,
        down: i32,
    },
    /// A little while, which programs need to see two clicks as two.
    Pause,
}

/// One thing that a keyboard does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typing {
    Text(String),
    /// Keys that are held down together, and then let go.
    Chord(Vec<Key>),
}

/// A key by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Named(&'static str),
}

/// The windows, and where Deskhand stands among them.
pub(super) struct Scene {
    pub windows: Vec<Window>,
    ourselves: protected::Ourselves,
}

impl Scene {
    pub fn look(cx: &Cx) -> ToolResult<Self> {
        let (desktop, wait) = (seat::desktop(cx)?, Wait::of(cx));
        Ok(Self { windows: desktop.windows(&wait)?, ourselves: protected::Ourselves::look(cx)? })
    }

    pub fn named(&self, arg: &WindowArg) -> ToolResult<&Window> {
        which::find(arg, &self.windows)
    }

    pub fn active(&self) -> Option<&Window> {
        self.windows.iter().find(|window| window.active)
    }

    /// The window that the mouse meets at this place.
    pub fn at(&self, place: (i32, i32), cx: &Cx) -> ToolResult<Option<Window>> {
        seat::desktop(cx)?.at(place, &self.windows, &Wait::of(cx))
    }

    /// Nothing is pressed in the windows that Deskhand is run from: a model would answer its own questions there.
    pub fn must_be_others(&self, window: Option<&Window>) -> ToolResult<()> {
        let Some(window) = window else { return Ok(()) };
        let is_own = |window: &Window| {
            self.ourselves.protect(window, Closing::Asked).filter(|(rule, _)| *rule == "window:own")
        };
        let is_listed = self.windows.iter().any(|known| known.id == window.id);
        // A menu that is no window of its own belongs to one of its program's.
        let belongs_to_own = || {
            let others = self.windows.iter().filter(|known| !is_listed && known.is_of_process_of(window));
            others.into_iter().find_map(is_own)
        };
        match is_own(window).or_else(belongs_to_own) {
            None => Ok(()),
            Some((rule, why)) => {
                let message = format!("Nothing is pressed in {}: {why}.", window.untitled());
                Err(ToolError::blocked(rule, message)
                    .hint("Name another window by window_id: it is brought to the front first."))
            }
        }
    }
}
