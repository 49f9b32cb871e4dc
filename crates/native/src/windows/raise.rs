//! Raising and closing windows.
#![allow(unsafe_code)] // the calls of the system

use windows_sys::Win32::UI::WindowsAndMessaging::{
    GetForegroundWindow, HWND_TOP, IsIconic, PostMessageW, SW_RESTORE, SWP_ASYNCWINDOWPOS, SWP_NOACTIVATE,
    SWP_NOMOVE, SWP_NOSIZE, SetForegroundWindow, SetWindowPos, ShowWindowAsync, WM_CLOSE,
};

use super::{input, list, process};
use crate::{Result, Trouble};

/// Asks for it to be in front, with the keyboard. Whether it is there by now is for the caller to look.
pub fn raise(id: u64) -> Result<()> {
    let window = list::of(id)?;
    // SAFETY, for all calls here: they take the number of a window, and do nothing where there is none (any more). None
    // waits for the other program.
    if unsafe { GetForegroundWindow() } == window {
        return Ok(());
    }
    if unsafe { IsIconic(window) } != 0 {
        unsafe { ShowWindowAsync(window, SW_RESTORE) };
    }
    // In front of the others first: to have the keyboard is not always to be in front.
    let how = SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS;
    unsafe { SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, how) };
    // Only the program that the last input came from may put another in front.
    input::nothing()?;
    unsafe { SetForegroundWindow(window) };
    Ok(())
}

/// As its close button would.
pub fn ask_to_close(id: u64) -> Result<()> {
    let window = list::of(id)?;
    // SAFETY: the message carries no address, and is not waited for.
    if unsafe { PostMessageW(window, WM_CLOSE, 0, 0) } == 0 {
        return Err(Trouble::Refused("ask that window (its program may have more rights than this one)"));
    }
    Ok(())
}

/// Ends its program.
pub fn cut_off(id: u64) -> Result<()> {
    process::end(list::pid(list::of(id)?).ok_or(Trouble::Gone)?)
}
