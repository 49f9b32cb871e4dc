//! Windows, by Win32.
//!
//! Every function first tells the system that this thread counts real pixels: otherwise places would be scaled for
//! programs that know nothing of dense screens.

mod clipboard;
mod input;
mod list;
mod process;
mod raise;
mod screen;

pub use self::{
    clipboard::{clear_clipboard, read_clipboard, write_picture, write_text},
    input::{button, chord, move_to, type_char, wheel},
    list::{is_there, own_terminal, shell_pid, windows},
    raise::{ask_to_close, cut_off, raise},
    screen::{capture, screens},
};

use std::ffi::c_void;

use windows_sys::Win32::{
    System::StationsAndDesktops::{
        GetProcessWindowStation, GetUserObjectInformationW, UOI_FLAGS, USEROBJECTFLAGS,
    },
    UI::HiDpi::{DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, SetThreadDpiAwarenessContext},
};

use crate::{Permission, Result, Trouble};

/// What it is, in words.
pub fn about() -> Result<String> {
    let shows = is_interactive();
    if !shows {
        return Err(Trouble::NoDesktop);
    }
    let screens = screens()?;
    let words: Vec<String> =
        screens.iter().map(|screen| format!("{}×{}", screen.place.width, screen.place.height)).collect();
    match words.as_slice() {
        [] => Err(Trouble::NoDesktop),
        words => Ok(format!("Windows ({})", words.join(", "))),
    }
}

/// Windows asks nobody.
pub fn has(_: Permission) -> bool {
    true
}

/// A service runs where nobody sees its windows, and it sees nobody's.
#[allow(unsafe_code)]
fn is_interactive() -> bool {
    const VISIBLE: u32 = 1;
    let mut flags = USEROBJECTFLAGS::default();
    let size = u32::try_from(size_of::<USEROBJECTFLAGS>()).unwrap_or_default();
    let place: *mut c_void = (&raw mut flags).cast();
    // SAFETY: the station is this process's own and stays; `place` has room for the `size` bytes that are written.
    let told = unsafe {
        GetUserObjectInformationW(GetProcessWindowStation(), UOI_FLAGS, place, size, std::ptr::null_mut())
    };
    told != 0 && flags.dwFlags & VISIBLE != 0
}

#[allow(unsafe_code)]
fn count_real_pixels() {
    // SAFETY: it takes one of the system's own constants, and changes nothing but how this thread sees places.
    unsafe { SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2) };
}

/// Text that a call wrote into a buffer.
fn text(buffer: &[u16], length: usize) -> String {
    String::from_utf16_lossy(&buffer[..length.min(buffer.len())])
}
