//! macOS, by Core Graphics, Accessibility and the pasteboard.
//!
//! Compiled and looked over, and never run so far: what is pure in it is tested everywhere, in `keys` and `roles`.

mod clipboard;
mod input;
mod list;
mod raise;
mod screen;

pub use self::{
    clipboard::{clear_clipboard, read_clipboard, write_picture, write_text},
    input::{button, chord, move_to, type_char, wheel},
    list::{own_terminal, shell_pid, windows},
    raise::{ask_to_close, cut_off, is_there, raise},
    screen::{capture, screens},
};

use objc2_application_services::AXIsProcessTrusted;
use objc2_core_graphics::{CGPreflightScreenCaptureAccess, CGSessionCopyCurrentDictionary};

use crate::{Permission, Result, Trouble};

/// What it is, in words, and what it does not let this program do.
pub fn about() -> Result<String> {
    if CGSessionCopyCurrentDictionary().is_none() {
        return Err(Trouble::NoDesktop);
    }
    let screens = screens()?;
    let words: Vec<String> =
        screens.iter().map(|screen| format!("{}×{}", screen.place.width, screen.place.height)).collect();
    let missing: Vec<&str> = [Permission::ScreenRecording, Permission::Accessibility]
        .into_iter()
        .filter(|permission| !has(*permission))
        .map(Permission::name)
        .collect();
    let missing = if missing.is_empty() {
        String::new()
    } else {
        format!("; not permitted in System Settings → Privacy & Security: {}", missing.join(", "))
    };
    match words.as_slice() {
        [] => Err(Trouble::NoDesktop),
        words => Ok(format!("macOS ({}{missing})", words.join(", "))),
    }
}

/// Whether it was given.
pub fn has(permission: Permission) -> bool {
    match permission {
        Permission::ScreenRecording => CGPreflightScreenCaptureAccess(),
        Permission::Accessibility => is_trusted(),
    }
}

#[allow(unsafe_code)]
fn is_trusted() -> bool {
    // SAFETY: it takes nothing, and only looks.
    unsafe { AXIsProcessTrusted() }
}

/// Without it events are dropped, and nobody is told.
fn must_have(permission: Permission) -> Result<()> {
    if has(permission) { Ok(()) } else { Err(Trouble::Missing(permission)) }
}
