//! Raising and closing windows, as programs for people who cannot see do.

use std::{ffi::c_void, ptr::NonNull};

use objc2::rc::autoreleasepool;
use objc2_app_kit::NSRunningApplication;
use objc2_application_services::{AXError, AXUIElement, AXValue, AXValueType};
use objc2_core_foundation::{
    CFArray, CFBoolean, CFRetained, CFString, CFType, CGPoint, CGRect, CGSize, ConcreteType,
};

use super::{list, must_have, screen};
use crate::{Permission, Place, Result, Seen, Trouble};

/// How long another program may take to answer.
const PATIENCE_S: f32 = 1.0;

/// Asks for it to be in front, with the keyboard. Whether it is there by now is for the caller to look.
pub fn raise(id: u64) -> Result<()> {
    must_have(Permission::Accessibility)?;
    let found = find(id)?;
    set(&found.window, "AXMinimized", CFBoolean::new(false));
    act(&found.window, "AXRaise", "raise that window")?;
    set(&found.window, "AXMain", CFBoolean::new(true));
    if set(&found.program, "AXFrontmost", CFBoolean::new(true)) {
        Ok(())
    } else {
        Err(Trouble::Refused("put that program in front"))
    }
}

/// By its close button.
pub fn ask_to_close(id: u64) -> Result<()> {
    must_have(Permission::Accessibility)?;
    let found = find(id)?;
    let button = get::<AXUIElement>(&found.window, "AXCloseButton")
        .ok_or(Trouble::Refused("close a window that has no close button"))?;
    act(&button, "AXPress", "press the close button of that window")
}

/// Ends its program.
pub fn cut_off(id: u64) -> Result<()> {
    let window = seen(id)?;
    let pid = window.pid.and_then(|pid| i32::try_from(pid).ok()).ok_or(Trouble::Gone)?;
    let refused = Trouble::Refused("end that program");
    autoreleasepool(|_| match NSRunningApplication::runningApplicationWithProcessIdentifier(pid) {
        Some(program) if program.forceTerminate() => Ok(()),
        _ => Err(refused),
    })
}

/// A window that is out of sight counts only while its program still tells of it.
pub fn is_there(id: u64) -> bool {
    list::is_shown(id) || find(id).is_ok()
}

/// The process that has the keyboard, where this program may know.
pub(super) fn focused_pid() -> Option<u32> {
    must_have(Permission::Accessibility).ok()?;
    let everything = system_wide();
    let program = get::<AXUIElement>(&everything, "AXFocusedApplication")?;
    pid(&program)
}

struct Found {
    program: CFRetained<AXUIElement>,
    window: CFRetained<AXUIElement>,
}

fn seen(id: u64) -> Result<Seen> {
    list::windows()?.into_iter().find(|window| window.id == id).ok_or(Trouble::Gone)
}

/// The window server's numbers mean nothing here: it is the one at the same place, and with the same title where that
/// is more than one.
fn find(id: u64) -> Result<Found> {
    let wanted = seen(id)?;
    let pid = wanted.pid.and_then(|pid| i32::try_from(pid).ok()).ok_or(Trouble::Gone)?;
    let program = program(pid);
    let list =
        get::<CFArray>(&program, "AXWindows").ok_or(Trouble::Refused("tell of that program's windows"))?;
    let windows = elements(list);
    let there: Vec<_> = windows
        .iter()
        .filter(|window| place(window).is_some_and(|place| is_near(place, wanted.place)))
        .collect();
    let titled = |window: &&CFRetained<AXUIElement>| {
        !wanted.title.is_empty() && title(window).as_deref() == Some(&*wanted.title)
    };
    let window = match there.as_slice() {
        [window] => Some(*window),
        [] => only(windows.iter().filter(titled)),
        several => only(several.iter().copied().filter(titled)),
    };
    let window = window.cloned().ok_or(Trouble::Refused("tell that window from others"))?;
    Ok(Found { program, window })
}

/// What there is, if it is one.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

/// Places are rounded, each in its way.
fn is_near(one: Place, other: Place) -> bool {
    let near = |a: i64, b: i64| (a - b).abs() <= 2;
    near(one.x.into(), other.x.into())
        && near(one.y.into(), other.y.into())
        && near(one.width.into(), other.width.into())
        && near(one.height.into(), other.height.into())
}

fn title(window: &AXUIElement) -> Option<String> {
    Some(get::<CFString>(window, "AXTitle")?.to_string())
}

fn place(window: &AXUIElement) -> Option<Place> {
    let origin: CGPoint = unpack(&*get::<AXValue>(window, "AXPosition")?, AXValueType::CGPoint)?;
    let size: CGSize = unpack(&*get::<AXValue>(window, "AXSize")?, AXValueType::CGSize)?;
    Some(screen::place(CGRect { origin, size }))
}

#[allow(unsafe_code)]
fn elements(list: CFRetained<CFArray>) -> Vec<CFRetained<AXUIElement>> {
    // SAFETY: whatever it holds is an object, and each is looked at before it is used as more.
    let list = unsafe { CFRetained::cast_unchecked::<CFArray<CFType>>(list) };
    list.iter().filter_map(|one| one.downcast::<AXUIElement>().ok()).collect()
}

#[allow(unsafe_code)]
fn system_wide() -> CFRetained<AXUIElement> {
    // SAFETY: it takes nothing. The limit holds for what is asked of this element.
    let element = unsafe { AXUIElement::new_system_wide() };
    unsafe { element.set_messaging_timeout(PATIENCE_S) };
    element
}

#[allow(unsafe_code)]
fn program(pid: i32) -> CFRetained<AXUIElement> {
    // SAFETY: it takes any number; one of no process gives errors later. The limit holds for what is asked of this
    // element.
    let element = unsafe { AXUIElement::new_application(pid) };
    unsafe { element.set_messaging_timeout(PATIENCE_S) };
    element
}

#[allow(unsafe_code)]
fn pid(element: &AXUIElement) -> Option<u32> {
    let mut pid = 0;
    // SAFETY: there is room for what is written.
    let told = unsafe { element.pid(NonNull::from(&mut pid)) };
    if told == AXError::Success { u32::try_from(pid).ok() } else { None }
}

/// What an element says of itself, if it is of this kind.
#[allow(unsafe_code)]
fn get<T: ConcreteType>(element: &AXUIElement, attribute: &'static str) -> Option<CFRetained<T>> {
    let mut value: *const CFType = std::ptr::null();
    let name = CFString::from_static_str(attribute);
    // SAFETY: there is room for the address that is written, and what is there is ours to let go of.
    let told = unsafe { element.copy_attribute_value(&name, NonNull::from(&mut value)) };
    let value = NonNull::new(value.cast_mut()).filter(|_| told == AXError::Success)?;
    let value = unsafe { CFRetained::from_raw(value) };
    value.downcast::<T>().ok()
}

/// Whether it was taken.
#[allow(unsafe_code)]
fn set(element: &AXUIElement, attribute: &'static str, value: &CFBoolean) -> bool {
    let name = CFString::from_static_str(attribute);
    // SAFETY: the attributes set here are of this kind.
    unsafe { element.set_attribute_value(&name, value) == AXError::Success }
}

#[allow(unsafe_code)]
fn act(element: &AXUIElement, action: &'static str, words: &'static str) -> Result<()> {
    // SAFETY: both are objects that are held meanwhile.
    let done = unsafe { element.perform_action(&CFString::from_static_str(action)) };
    if done == AXError::Success { Ok(()) } else { Err(Trouble::Refused(words)) }
}

/// The numbers in a value, which must be of the kind that it is asked for.
#[allow(unsafe_code)]
fn unpack<T: Default>(value: &AXValue, kind: AXValueType) -> Option<T> {
    let mut numbers = T::default();
    let place: NonNull<c_void> = NonNull::from(&mut numbers).cast();
    // SAFETY: `T` is the struct that `kind` names, at both places where this is used, and says no for another.
    unsafe { value.value(kind, place) }.then_some(numbers)
}
