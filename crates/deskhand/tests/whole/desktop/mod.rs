//! The tools of the desktop, on a real X server with a real window manager and real windows, through the gate; what they
//! claim is confirmed by other programs: xdotool, xprop, xclip, import.

mod clipboard;
pub mod display;
mod input;
mod screenshot;
mod windows;

use deskhand_core::{Mode, Outcome, Status};
use serde_json::Value;

pub use self::display::Display;
use crate::support::{Agreeable, Desk};

/// A desk at this display, with somebody who says yes.
pub fn desk(display: &Display) -> Desk {
    let mut desk = Desk::seated(Some(&display.name), |_| {}).mode(Mode::Ask);
    desk.session.approvers = vec![std::sync::Arc::new(Agreeable)];
    desk
}

/// It succeeds.
pub async fn gives(desk: &Desk, tool: &str, arguments: Value) -> Outcome {
    let outcome = desk.call(tool, arguments.clone()).await;
    assert_eq!(outcome.status, Status::Success, "{tool} {arguments}: {}", outcome.text);
    outcome
}

/// It fails, with this code.
pub async fn fails(desk: &Desk, tool: &str, arguments: Value, code: &str) -> Outcome {
    let outcome = desk.call(tool, arguments.clone()).await;
    let found = outcome.error.as_ref().map_or("success", |error| error.code.as_str());
    assert_eq!(found, code, "{tool} {arguments}: {}", outcome.text);
    outcome
}
