//! Which windows there are.
#![allow(unsafe_code)] // the calls of the system

use std::{collections::HashMap, ffi::c_void};

use windows_sys::{
    Win32::{
        Foundation::{HWND, LPARAM, RECT},
        Graphics::Dwm::{DWMWA_CLOAKED, DWMWA_EXTENDED_FRAME_BOUNDS, DwmGetWindowAttribute},
        System::Console::GetConsoleWindow,
        UI::WindowsAndMessaging::{
            EnumWindows, GA_ROOTOWNER, GW_OWNER, GWL_EXSTYLE, GetAncestor, GetClassNameW,
            GetForegroundWindow, GetShellWindow, GetWindow, GetWindowLongW, GetWindowPlacement,
            GetWindowRect, GetWindowThreadProcessId, InternalGetWindowText, IsIconic, IsWindow,
            IsWindowVisible, IsZoomed, WINDOWPLACEMENT, WS_EX_APPWINDOW, WS_EX_TOOLWINDOW, WS_EX_TOPMOST,
        },
    },
    core::BOOL,
};

use super::{count_real_pixels, process, text};
use crate::{
    Place, Result, Role, Seen, Trouble,
    roles::{self, Marks},
};

/// All that are shown or minimized, from the lowest to the topmost.
pub fn windows() -> Result<Vec<Seen>> {
    count_real_pixels();
    let mut handles: Vec<HWND> = Vec::new();
    let place = (&raw mut handles) as LPARAM;
    // SAFETY: `add` is called only until this returns, with `place`, which is `handles`, and no other use is made of it.
    if unsafe { EnumWindows(Some(add), place) } == 0 {
        return Err(Trouble::Refused("list the windows"));
    }
    // It begins with the topmost.
    handles.reverse();
    let mut programs = HashMap::new();
    Ok(handles.into_iter().filter_map(|window| seen(window, &mut programs)).collect())
}

/// Called for every window.
unsafe extern "system" fn add(window: HWND, place: LPARAM) -> BOOL {
    // SAFETY: `place` is the list that `windows` passed, which waits until the last call is over.
    let handles = unsafe { &mut *(place as *mut Vec<HWND>) };
    handles.push(window);
    1
}

/// The number that others know it by. Only the lower half counts, on every Windows.
pub(super) fn id(window: HWND) -> u64 {
    window as usize as u64 & u64::from(u32::MAX)
}

/// The window of a number, if there is one.
pub(super) fn of(id: u64) -> Result<HWND> {
    let number = u32::try_from(id).map_err(|_| Trouble::Gone)?;
    let window = number.cast_signed() as isize as HWND;
    // SAFETY: it takes any number, and says whether it is a window's.
    if number == 0 || unsafe { IsWindow(window) } == 0 { Err(Trouble::Gone) } else { Ok(window) }
}

pub fn is_there(id: u64) -> bool {
    of(id).is_ok()
}

/// The window of the terminal that this program runs in.
pub fn own_terminal() -> Option<u64> {
    // SAFETY: none of these takes more than the number of a window, and a window that is gone gives none. A terminal
    // that shows the console elsewhere is the owner of a hidden one.
    let window = unsafe { GetAncestor(GetConsoleWindow(), GA_ROOTOWNER) };
    (!window.is_null()).then(|| id(window))
}

/// The process that shows the desktop and its panels.
pub fn shell_pid() -> Option<u32> {
    // SAFETY: it takes nothing.
    pid(unsafe { GetShellWindow() })
}

pub(super) fn pid(window: HWND) -> Option<u32> {
    let mut pid = 0;
    // SAFETY: `pid` has room for what is written; a window that is gone writes nothing.
    unsafe { GetWindowThreadProcessId(window, &raw mut pid) };
    (pid != 0).then_some(pid)
}

/// What there is to tell of a window that a person could see. Windows come and go meanwhile: then there is nothing.
fn seen(window: HWND, programs: &mut HashMap<u32, Option<String>>) -> Option<Seen> {
    // SAFETY, for all calls here: they take the number of a window, and say no where there is none (any more).
    let is = |call: unsafe extern "system" fn(HWND) -> BOOL| unsafe { call(window) != 0 };
    if !is(IsWindowVisible) || is_cloaked(window) {
        return None;
    }
    let (minimized, maximized) = (is(IsIconic), is(IsZoomed));
    let place = place(window, minimized)?;
    let (class, title) = (written(window, GetClassNameW), written(window, InternalGetWindowText));
    let style = unsafe { GetWindowLongW(window, GWL_EXSTYLE) }.cast_unsigned();
    let marks = Marks {
        is_shell: unsafe { GetShellWindow() } == window,
        is_owned: !unsafe { GetWindow(window, GW_OWNER) }.is_null(),
        is_tool: style & WS_EX_TOOLWINDOW != 0 && style & WS_EX_APPWINDOW == 0,
    };
    let role = roles::on_windows(&class, marks);
    let is_empty = place.width == 0 || place.height == 0;
    if is_empty || (role == Role::Other && title.is_empty()) {
        return None;
    }
    let pid = pid(window);
    let app = pid.and_then(|pid| programs.entry(pid).or_insert_with(|| process::file_name(pid)).clone());
    let state = [(minimized, "minimized"), (maximized, "maximized"), (style & WS_EX_TOPMOST != 0, "above")];
    let state = state.into_iter().filter_map(|(is, name)| is.then_some(name)).collect();
    let active = unsafe { GetForegroundWindow() } == window;
    Some(Seen { id: id(window), title, app, pid, place, role, state, active })
}

/// A name that a call writes into a buffer of this length.
fn written(window: HWND, call: unsafe extern "system" fn(HWND, *mut u16, i32) -> i32) -> String {
    let mut buffer = [0u16; 512];
    let room = i32::try_from(buffer.len()).unwrap_or_default();
    // SAFETY: the call writes at most `room` units.
    let length = unsafe { call(window, buffer.as_mut_ptr(), room) };
    text(&buffer, usize::try_from(length).unwrap_or_default())
}

/// Windows of suspended programs and of other workspaces are visible by the letter, and not to be seen.
fn is_cloaked(window: HWND) -> bool {
    attribute::<u32>(window, DWMWA_CLOAKED).is_some_and(|cloaked| cloaked != 0)
}

/// With its frame, and without the shadow around it. One that is minimized has the place that it will go back to.
fn place(window: HWND, minimized: bool) -> Option<Place> {
    if minimized {
        let mut placement = WINDOWPLACEMENT {
            length: u32::try_from(size_of::<WINDOWPLACEMENT>()).ok()?,
            ..WINDOWPLACEMENT::default()
        };
        // SAFETY: `placement` is as long as it says.
        let told = unsafe { GetWindowPlacement(window, &raw mut placement) };
        return (told != 0).then(|| rect(placement.rcNormalPosition));
    }
    if let Some(bounds) = attribute::<RECT>(window, DWMWA_EXTENDED_FRAME_BOUNDS) {
        return Some(rect(bounds));
    }
    let mut bounds = RECT::default();
    // SAFETY: there is room for what is written.
    let told = unsafe { GetWindowRect(window, &raw mut bounds) };
    (told != 0).then(|| rect(bounds))
}

fn attribute<T: Default>(window: HWND, which: i32) -> Option<T> {
    let mut value = T::default();
    let place: *mut c_void = (&raw mut value).cast();
    let (which, size) = (which.cast_unsigned(), u32::try_from(size_of::<T>()).ok()?);
    // SAFETY: it writes as many bytes as `T` has, and both `T` in use here are plain numbers.
    let result = unsafe { DwmGetWindowAttribute(window, which, place, size) };
    (result == 0).then_some(value)
}

pub(super) fn rect(rect: RECT) -> Place {
    let length = |from: i32, to: i32| u32::try_from(i64::from(to) - i64::from(from)).unwrap_or_default();
    Place {
        x: rect.left,
        y: rect.top,
        width: length(rect.left, rect.right),
        height: length(rect.top, rect.bottom),
    }
}
