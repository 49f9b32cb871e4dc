//! Hands on the desktop: windows, pictures of the screen, the clipboard, mouse and keyboard.
//!
//! The tools know only the trait [`Desktop`]; how a desktop is reached is in one folder for each kind: `x11/`,
//! `wayland.rs`, `native.rs` (Windows and macOS), `absent.rs`. Which one it is, is found out once, by [`Seat::here`].

#[cfg(all(unix, not(target_os = "macos")))]
mod absent;
mod backend;
mod clipboard;
mod file_manager;
mod hands;
mod key_names;
#[cfg(any(windows, target_os = "macos"))]
pub mod native;
mod picture;
mod picture_file;
mod protected;
mod seat;
#[cfg(all(unix, not(target_os = "macos")))]
mod wayland;
mod which;
mod window;
#[cfg(all(unix, not(target_os = "macos")))]
pub mod x11;

pub use self::{
    backend::{Closing, Desktop, Faculty, Monitor, Wait},
    clipboard::{Clip, Copied, Selection},
    hands::{Button, Key, Stroke, Typing},
    picture::Picture,
    seat::Seat,
    window::{Rect, Window, WindowKind},
};

/// Does what this program was begun for, where that is to hold the clipboard.
pub fn run_if_asked(arguments: &[std::ffi::OsString]) -> Option<std::process::ExitCode> {
    #[cfg(all(unix, not(target_os = "macos")))]
    return x11::clipboard::hold::run_if_asked(arguments);
    // The other systems keep what was copied.
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    {
        let _ = arguments;
        None
    }
}

crate::family::family! {
    list_windows: ListWindows;
    get_active_window: GetActiveWindow;
    switch_window: SwitchWindow;
    close_window: CloseWindow;
    screenshot: Screenshot;
    clipboard_read: ClipboardRead;
    clipboard_write: ClipboardWrite;
    clipboard_clear: ClipboardClear;
    open_in_folder: OpenInFolder;
    mouse: Mouse;
    keyboard: Keyboard;
}
