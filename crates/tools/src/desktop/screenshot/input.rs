//! What a caller says of the picture that it wants.

use deskhand_core::{PageShot, ToolError, ToolResult};
use deskhand_guard::PathArg;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::desktop::{which::WindowArg, window::Rect};

/// What is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Desktop,
    Window,
    Region,
    Web,
}

/// A part of the screen.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Region {
    /// Pixels, from the upper left corner of the desktop.
    Part(Rect),
    /// All of it.
    Whole(Whole),
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Whole {
    Full,
}

/// Where a picture goes that is given no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Folder {
    /// screenshots/ in the workspace.
    Workspace,
    /// The system's folder for temporary files; only you can read the picture there.
    Temporary,
}

/// One of several displays.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum DisplayArg {
    /// Its number, from 0.
    Number(#[schemars(range(max = 63))] u32),
    /// Its name, such as `HDMI-1`.
    Name(#[schemars(length(min = 1, max = 100))] String),
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is to be seen; by default what the other arguments say, or else the desktop.
    pub target: Option<Target>,
    /// The window: its id from list_windows, or its title where no other window has it.
    pub window_id: Option<WindowArg>,
    /// The part of the screen: an object, or "full".
    pub region: Option<Region>,
    /// Only this display, by number from 0 or by name; by default all of them.
    pub display: Option<DisplayArg>,
    /// For the target web: the page, which is opened in the browser's current tab; left out, the one that is open there.
    #[schemars(length(min = 1, max = 8000))]
    pub url: Option<String>,
    /// For the target web: all of the page, not only what is in view.
    #[serde(default)]
    pub full_page: bool,
    /// The file, ending in .png, or a folder for it; relative paths start at the workspace.
    pub path: Option<PathArg>,
    /// Where it goes without a path: by default the workspace.
    pub folder: Option<Folder>,
}

impl Input {
    /// The page, where one is wanted.
    pub fn page(&self) -> ToolResult<Option<PageShot>> {
        let is_web = self.target == Some(Target::Web) || (self.target.is_none() && self.url.is_some());
        if !is_web {
            if self.url.is_some() || self.full_page {
                return Err(unfit("url and full_page are for the target web"));
            }
            return Ok(None);
        }
        if self.window_id.is_some() || matches!(self.region, Some(Region::Part(_))) || self.display.is_some()
        {
            return Err(unfit("window_id, region and display are for the desktop, not for a web page"));
        }
        Ok(Some(PageShot { url: self.url.clone(), full_page: self.full_page }))
    }

    /// What of the screen is wanted. Arguments that do not go together are an error: one of them would be ignored.
    pub fn subject(&self) -> ToolResult<Subject<'_>> {
        let part = match &self.region {
            Some(Region::Part(part)) => Some(*part),
            _ => None,
        };
        match (self.target, &self.window_id, part, &self.display) {
            (Some(Target::Window), None, ..) => Err(unfit("the target window takes window_id")),
            (Some(Target::Region), _, None, _) => {
                Err(unfit("the target region takes region with x, y, width and height"))
            }
            (Some(Target::Desktop), Some(_), ..) => Err(unfit("window_id is for the target window")),
            (Some(Target::Web), ..) => Err(unfit("a web page is not on the screen")),
            (_, Some(_), Some(_), _) | (_, Some(_), _, Some(_)) => {
                Err(unfit("a window is shown whole: leave region and display out"))
            }
            (_, Some(window), None, None) => Ok(Subject::Window(window)),
            (_, None, Some(part), display) => Ok(Subject::Part(part, display.as_ref())),
            (_, None, None, Some(display)) => Ok(Subject::Display(display)),
            (_, None, None, None) => Ok(Subject::Desktop),
        }
    }
}

pub enum Subject<'a> {
    Desktop,
    Display(&'a DisplayArg),
    Window(&'a WindowArg),
    /// Of the desktop, or of one display.
    Part(Rect, Option<&'a DisplayArg>),
}

fn unfit(why: &str) -> ToolError {
    ToolError::invalid("arguments_do_not_fit", format!("These arguments do not go together: {why}."))
}
