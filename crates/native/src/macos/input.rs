//! Mouse and keyboard.

use objc2_core_foundation::{CFRetained, CGPoint};
use objc2_core_graphics::{
    CGEvent, CGEventField, CGEventFlags, CGEventTapLocation, CGEventType, CGMouseButton, CGScrollEventUnit,
};

use super::must_have;
use crate::{Button, Key, Permission, Result, Trouble, Way, keys};

/// Lines that a notch of the wheel moves, as it does elsewhere.
const LINES: i32 = 3;

fn post(event: Option<&CGEvent>) -> Result<()> {
    if event.is_none() {
        return Err(Trouble::Refused("press keys or move the mouse now"));
    }
    CGEvent::post(CGEventTapLocation::HIDEventTap, event);
    Ok(())
}

fn number(button: Button) -> CGMouseButton {
    match button {
        Button::Left => CGMouseButton::Left,
        Button::Middle => CGMouseButton::Center,
        Button::Right => CGMouseButton::Right,
    }
}

/// `held` is the button that is down meanwhile: then it is a drag.
pub fn move_to(x: i32, y: i32, held: Option<Button>) -> Result<()> {
    must_have(Permission::Accessibility)?;
    let kind = match held {
        None => CGEventType::MouseMoved,
        Some(Button::Left) => CGEventType::LeftMouseDragged,
        Some(Button::Right) => CGEventType::RightMouseDragged,
        Some(Button::Middle) => CGEventType::OtherMouseDragged,
    };
    let at = CGPoint { x: x.into(), y: y.into() };
    post(CGEvent::new_mouse_event(None, kind, at, number(held.unwrap_or(Button::Left))).as_deref())
}

/// `clicks` is 2 for the second click of a double-click.
pub fn button(button: Button, way: Way, clicks: u8) -> Result<()> {
    must_have(Permission::Accessibility)?;
    let kind = match (button, way) {
        (Button::Left, Way::Down) => CGEventType::LeftMouseDown,
        (Button::Left, Way::Up) => CGEventType::LeftMouseUp,
        (Button::Right, Way::Down) => CGEventType::RightMouseDown,
        (Button::Right, Way::Up) => CGEventType::RightMouseUp,
        (Button::Middle, Way::Down) => CGEventType::OtherMouseDown,
        (Button::Middle, Way::Up) => CGEventType::OtherMouseUp,
    };
    let here = CGEvent::location(CGEvent::new(None).as_deref());
    let event = CGEvent::new_mouse_event(None, kind, here, number(button));
    CGEvent::set_integer_value_field(event.as_deref(), CGEventField::MouseEventClickState, clicks.into());
    post(event.as_deref())
}

/// Notches: right and down are positive.
pub fn wheel(right: i32, down: i32) -> Result<()> {
    must_have(Permission::Accessibility)?;
    // Here up and left are positive.
    let lines = |notches: i32| notches.saturating_mul(-LINES);
    let (up, left) = (lines(down), lines(right));
    post(CGEvent::new_scroll_wheel_event2(None, CGScrollEventUnit::Line, 2, up, left, 0).as_deref())
}

/// A key that goes down or up: its number, what it adds while it is held, and the character that goes along.
struct Stroke {
    number: u16,
    adds: CGEventFlags,
    character: Option<char>,
}

impl Stroke {
    fn of(key: Key<'_>) -> Result<Self> {
        let none = CGEventFlags::empty();
        match key {
            Key::Char(c) => {
                let number = keys::place_on_macos(c).ok_or(Trouble::NoKey(c))?;
                Ok(Self { number, adds: none, character: Some(c) })
            }
            Key::Named(name) => {
                let number = keys::on_macos(name)
                    .ok_or(Trouble::Refused("press a key that its keyboards do not have"))?;
                let adds = match name {
                    "Control_L" => CGEventFlags::MaskControl,
                    "Alt_L" | "ISO_Level3_Shift" => CGEventFlags::MaskAlternate,
                    "Shift_L" => CGEventFlags::MaskShift,
                    "Super_L" => CGEventFlags::MaskCommand,
                    _ => none,
                };
                Ok(Self { number, adds, character: None })
            }
        }
    }

    fn go(&self, way: Way, held: CGEventFlags) -> Result<()> {
        let event = CGEvent::new_keyboard_event(None, self.number, way == Way::Down);
        CGEvent::set_flags(event.as_deref(), held);
        if let Some(c) = self.character {
            say(event.as_ref(), c);
        }
        post(event.as_deref())
    }
}

/// The character that an event stands for, whatever the keyboard has.
#[allow(unsafe_code)]
fn say(event: Option<&CFRetained<CGEvent>>, c: char) {
    let mut units = [0; 2];
    let units = c.encode_utf16(&mut units);
    let length = units.len().try_into().unwrap_or_default();
    // SAFETY: there are as many units as are said.
    unsafe { CGEvent::keyboard_set_unicode_string(event.map(|event| &**event), length, units.as_ptr()) };
}

/// Presses them in this order, and lets go in the other; also where something fails in between.
pub fn chord(keys: &[Key<'_>]) -> Result<()> {
    must_have(Permission::Accessibility)?;
    let strokes = keys.iter().map(|key| Stroke::of(*key)).collect::<Result<Vec<_>>>()?;
    let mut held = CGEventFlags::empty();
    let mut down = Vec::new();
    let mut pressed = Ok(());
    for stroke in &strokes {
        held |= stroke.adds;
        pressed = stroke.go(Way::Down, held);
        if pressed.is_err() {
            break;
        }
        down.push(stroke);
    }
    for stroke in down.into_iter().rev() {
        held.remove(stroke.adds);
        stroke.go(Way::Up, held)?;
    }
    pressed
}

/// Types a character, whatever the keyboard has.
pub fn type_char(c: char) -> Result<()> {
    must_have(Permission::Accessibility)?;
    let stroke = Stroke { number: 0, adds: CGEventFlags::empty(), character: Some(c) };
    stroke.go(Way::Down, CGEventFlags::empty())?;
    stroke.go(Way::Up, CGEventFlags::empty())
}
