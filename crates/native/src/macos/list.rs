//! Which windows there are.

use objc2_core_foundation::{
    CFArray, CFDictionary, CFNumber, CFRetained, CFString, CFType, CGPoint, CGRect, CGSize,
};
use objc2_core_graphics::{CGWindowListCopyWindowInfo, CGWindowListOption, kCGNullWindowID};

use super::{raise, screen};
use crate::{Place, Result, Role, Screen, Seen, Trouble, roles};

/// What the window server tells of one window.
type Told = CFDictionary<CFString, CFType>;

/// All that are shown, from the lowest to the topmost, after those that are not: minimized, hidden or on another
/// workspace, which the window server does not tell apart. Titles are given only to who may read the screen.
pub fn windows() -> Result<Vec<Seen>> {
    let screens = screen::screens()?;
    let shown = told(CGWindowListOption::OptionOnScreenOnly, kCGNullWindowID)?;
    // It begins with the topmost.
    let mut shown: Vec<Seen> = shown
        .iter()
        .rev()
        .filter_map(|told| seen(told))
        .filter(|window| !is_overlay(window, &screens))
        .collect();
    let front = raise::focused_pid();
    let active = shown
        .iter_mut()
        .rev()
        .find(|window| window.role == Role::Normal && front.is_none_or(|front| window.pid == Some(front)));
    if let Some(active) = active {
        active.active = true;
    }
    let known: Vec<u64> = shown.iter().map(|window| window.id).collect();
    let all = CGWindowListOption::OptionAll | CGWindowListOption::ExcludeDesktopElements;
    let hidden = told(all, kCGNullWindowID)?;
    let mut windows: Vec<Seen> = hidden
        .iter()
        .filter_map(|told| seen(told))
        .filter(|window| {
            !known.contains(&window.id) && window.role == Role::Normal && !window.title.is_empty()
        })
        .map(|window| Seen { state: vec!["minimized"], ..window })
        .collect();
    windows.append(&mut shown);
    Ok(windows)
}

/// Whether it is on the screen; one that was closed may be kept by its program, out of sight.
pub(super) fn is_shown(id: u64) -> bool {
    let shown = told(CGWindowListOption::OptionOnScreenOnly, kCGNullWindowID).unwrap_or_default();
    shown.iter().any(|told| number(told, "kCGWindowNumber").and_then(|n| u64::try_from(n).ok()) == Some(id))
}

/// Which window of a terminal is ours cannot be told here: all of its program are kept from harm instead.
pub fn own_terminal() -> Option<u64> {
    None
}

/// What shows the desktop is known by its layers.
pub fn shell_pid() -> Option<u32> {
    None
}

#[allow(unsafe_code)]
fn told(option: CGWindowListOption, relative_to: u32) -> Result<Vec<CFRetained<Told>>> {
    let list = CGWindowListCopyWindowInfo(option, relative_to).ok_or(Trouble::Refused("list the windows"))?;
    // SAFETY: by its documentation it is an array of dictionaries with strings as keys; values are looked at before use.
    let list = unsafe { CFRetained::cast_unchecked::<CFArray<Told>>(list) };
    Ok(list.iter().collect())
}

fn value(told: &Told, key: &'static str) -> Option<CFRetained<CFType>> {
    told.get(&CFString::from_static_str(key))
}

fn number(told: &Told, key: &'static str) -> Option<i64> {
    value(told, key)?.downcast::<CFNumber>().ok()?.as_i64()
}

fn text(told: &Told, key: &'static str) -> Option<String> {
    Some(value(told, key)?.downcast::<CFString>().ok()?.to_string())
}

#[allow(unsafe_code)]
fn place(told: &Told) -> Option<Place> {
    let bounds = value(told, "kCGWindowBounds")?.downcast::<CFDictionary>().ok()?;
    // SAFETY: by its documentation its keys are strings; values are looked at before use.
    let bounds = unsafe { CFRetained::cast_unchecked::<Told>(bounds) };
    let at = |key| value(&bounds, key)?.downcast::<CFNumber>().ok()?.as_f64();
    let (x, y, width, height) = (at("X")?, at("Y")?, at("Width")?, at("Height")?);
    Some(screen::place(CGRect { origin: CGPoint { x, y }, size: CGSize { width, height } }))
}

fn seen(told: &Told) -> Option<Seen> {
    // The pointer of the mouse is a window, too.
    const POINTER: i64 = 2_000_000_000;
    let layer = number(told, "kCGWindowLayer")?;
    let place = place(told)?;
    let alpha = value(told, "kCGWindowAlpha")
        .and_then(|alpha| alpha.downcast::<CFNumber>().ok()?.as_f64())
        .unwrap_or(1.0);
    if layer >= POINTER || alpha <= 0.0 || place.width <= 1 || place.height <= 1 {
        return None;
    }
    let app = text(told, "kCGWindowOwnerName");
    let role = roles::on_macos(layer, app.as_deref().unwrap_or_default());
    let title = text(told, "kCGWindowName").unwrap_or_default();
    if role == Role::Other && title.is_empty() {
        return None;
    }
    let pid = number(told, "kCGWindowOwnerPID").and_then(|pid| u32::try_from(pid).ok());
    let id = u64::try_from(number(told, "kCGWindowNumber")?).ok()?;
    Some(Seen { id, title, app, pid, place, role, state: Vec::new(), active: false })
}

/// The dock and the notifications have a window that covers a whole screen, and lets everything through.
fn is_overlay(window: &Seen, screens: &[Screen]) -> bool {
    let covers = |screen: &Screen| {
        let (width, height) = (window.place.width, window.place.height);
        width >= screen.place.width && height >= screen.place.height
    };
    matches!(window.role, Role::Panel | Role::Other) && screens.iter().any(covers)
}
