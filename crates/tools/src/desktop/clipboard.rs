//! What the clipboard tools have in common.

use deskhand_core::{ToolError, ToolResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which of the places that hold what was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Selection {
    /// What Ctrl+C and «Copy» fill.
    #[default]
    Clipboard,
    /// On X11, what was last marked with the mouse.
    Primary,
}

impl Selection {
    pub fn name(self) -> &'static str {
        match self {
            Self::Clipboard => "clipboard",
            Self::Primary => "primary",
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Clipboard => "the clipboard",
            Self::Primary => "the marked text (primary selection)",
        }
    }
}

/// What a clipboard holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clip {
    Empty,
    Text(String),
    /// A PNG file.
    Png(Vec<u8>),
    /// Something else, in these forms.
    Other(Vec<String>),
}

/// What is put on it.
#[derive(Clone, Debug)]
pub enum Copied {
    Nothing,
    Text(String),
    /// A PNG file.
    Png(Vec<u8>),
}

/// The first bytes of every PNG file.
pub(super) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

pub(super) fn must_be_png(file: &[u8], shown: &str) -> ToolResult<()> {
    if file.starts_with(PNG) {
        return Ok(());
    }
    Err(ToolError::invalid("not_a_png", format!("{shown} is no PNG picture.")).hint("Save it as PNG first."))
}
