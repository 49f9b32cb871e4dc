//! Mouse and keyboard.
#![allow(unsafe_code)] // the calls of the system

use windows_sys::Win32::UI::{
    Input::KeyboardAndMouse::{
        INPUT, INPUT_0, INPUT_KEYBOARD, INPUT_MOUSE, KEYBDINPUT, KEYEVENTF_EXTENDEDKEY, KEYEVENTF_KEYUP,
        KEYEVENTF_UNICODE, MAPVK_VK_TO_VSC, MOUSE_EVENT_FLAGS, MOUSEEVENTF_HWHEEL, MOUSEEVENTF_LEFTDOWN,
        MOUSEEVENTF_LEFTUP, MOUSEEVENTF_MIDDLEDOWN, MOUSEEVENTF_MIDDLEUP, MOUSEEVENTF_MOVE,
        MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP, MOUSEEVENTF_WHEEL, MOUSEINPUT, MapVirtualKeyW, SendInput,
        VkKeyScanW,
    },
    WindowsAndMessaging::{SetCursorPos, WHEEL_DELTA},
};

use super::count_real_pixels;
use crate::{Button, Key, Result, Trouble, Way, keys};

fn send(input: INPUT) -> Result<()> {
    let size = i32::try_from(size_of::<INPUT>()).unwrap_or_default();
    // SAFETY: it is one input, of this size.
    let sent = unsafe { SendInput(1, &raw const input, size) };
    // The screen is locked, or asks for a password of its own.
    if sent == 1 { Ok(()) } else { Err(Trouble::Refused("press keys or move the mouse now")) }
}

fn send_mouse(flags: MOUSE_EVENT_FLAGS, amount: i32) -> Result<()> {
    let mouse = MOUSEINPUT { dwFlags: flags, mouseData: amount.cast_unsigned(), ..MOUSEINPUT::default() };
    send(INPUT { r#type: INPUT_MOUSE, Anonymous: INPUT_0 { mi: mouse } })
}

/// An input that does nothing, after which this program is the one that the last input came from.
pub(super) fn nothing() -> Result<()> {
    send_mouse(MOUSEEVENTF_MOVE, 0)
}

/// Windows knows by itself which button is held.
pub fn move_to(x: i32, y: i32, _: Option<Button>) -> Result<()> {
    count_real_pixels();
    // SAFETY: it takes two numbers.
    if unsafe { SetCursorPos(x, y) } == 0 {
        return Err(Trouble::Refused("move the mouse"));
    }
    // Programs that listen to the mouse itself hear of it, too.
    nothing()
}

/// Windows counts clicks by itself.
pub fn button(button: Button, way: Way, _: u8) -> Result<()> {
    let flags = match (button, way) {
        (Button::Left, Way::Down) => MOUSEEVENTF_LEFTDOWN,
        (Button::Left, Way::Up) => MOUSEEVENTF_LEFTUP,
        (Button::Middle, Way::Down) => MOUSEEVENTF_MIDDLEDOWN,
        (Button::Middle, Way::Up) => MOUSEEVENTF_MIDDLEUP,
        (Button::Right, Way::Down) => MOUSEEVENTF_RIGHTDOWN,
        (Button::Right, Way::Up) => MOUSEEVENTF_RIGHTUP,
    };
    send_mouse(flags, 0)
}

/// Notches: right and down are positive.
pub fn wheel(right: i32, down: i32) -> Result<()> {
    let notch = WHEEL_DELTA.cast_signed();
    if down != 0 {
        // Here up is positive.
        send_mouse(MOUSEEVENTF_WHEEL, down.saturating_mul(-notch))?;
    }
    if right != 0 {
        send_mouse(MOUSEEVENTF_HWHEEL, right.saturating_mul(notch))?;
    }
    Ok(())
}

/// A key's number, and whether it has to be said to be of the second block.
type Number = (u16, bool);

/// Those to be held for a key, and itself last.
fn numbers(key: Key<'_>) -> Result<Vec<Number>> {
    match key {
        Key::Char(c) => of_char(c),
        Key::Named(name) => keys::on_windows(name)
            .map(|number| vec![number])
            .ok_or(Trouble::Refused("press a key that its keyboards do not have")),
    }
}

fn of_char(c: char) -> Result<Vec<Number>> {
    let mut units = [0; 2];
    let [unit] = c.encode_utf16(&mut units) else { return Err(Trouble::NoKey(c)) };
    // SAFETY: it takes a number.
    let [number, with] = unsafe { VkKeyScanW(*unit) }.to_le_bytes();
    if number == u8::MAX && with == u8::MAX {
        return Err(Trouble::NoKey(c));
    }
    // Shift, Ctrl, Alt.
    let along = [(1, 0x10), (2, 0x11), (4, 0x12)];
    let along = along.into_iter().filter(|(bit, _)| with & bit != 0).map(|(_, key)| key);
    Ok(along.chain([number.into()]).map(|number| (number, false)).collect())
}

/// Presses them in this order, and lets go in the other; also where something fails in between.
pub fn chord(keys: &[Key<'_>]) -> Result<()> {
    let numbers = keys.iter().map(|key| numbers(*key)).collect::<Result<Vec<_>>>()?.concat();
    let mut down = Vec::new();
    let mut pressed = Ok(());
    for number in numbers {
        pressed = go(number, Way::Down);
        if pressed.is_err() {
            break;
        }
        down.push(number);
    }
    for number in down.into_iter().rev() {
        go(number, Way::Up)?;
    }
    pressed
}

fn go((number, second): Number, way: Way) -> Result<()> {
    let mut flags = if second { KEYEVENTF_EXTENDEDKEY } else { 0 };
    if way == Way::Up {
        flags |= KEYEVENTF_KEYUP;
    }
    // SAFETY: it takes two numbers.
    let scan = unsafe { MapVirtualKeyW(number.into(), MAPVK_VK_TO_VSC) };
    let scan = u16::try_from(scan).unwrap_or_default();
    send_key(KEYBDINPUT { wVk: number, wScan: scan, dwFlags: flags, ..KEYBDINPUT::default() })
}

/// Types a character, whatever the keyboard has.
pub fn type_char(c: char) -> Result<()> {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        for flags in [KEYEVENTF_UNICODE, KEYEVENTF_UNICODE | KEYEVENTF_KEYUP] {
            send_key(KEYBDINPUT { wVk: 0, wScan: *unit, dwFlags: flags, ..KEYBDINPUT::default() })?;
        }
    }
    Ok(())
}

fn send_key(key: KEYBDINPUT) -> Result<()> {
    send(INPUT { r#type: INPUT_KEYBOARD, Anonymous: INPUT_0 { ki: key } })
}
