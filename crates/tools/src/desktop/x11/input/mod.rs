//! Mouse and keyboard, by the extension that X servers have for tests.

mod keys;

use std::{thread::sleep, time::Duration};

use deskhand_core::ToolError;
use x11rb::{
    connection::RequestConnection,
    protocol::{
        xproto::{self, ConnectionExt},
        xtest::{self, ConnectionExt as _},
    },
};

use super::{X, trouble::Xr};
use crate::desktop::hands::{Button, Stroke};

/// Long enough for programs to tell two clicks from one, short enough for them to be a double-click.
const PAUSE: Duration = Duration::from_millis(60);

impl X {
    fn can_press(&self) -> Xr<()> {
        if self.connection.extension_information(xtest::X11_EXTENSION_NAME)?.is_some() {
            return Ok(());
        }
        Err(ToolError::new("display_cannot", "The display lets no program press keys or buttons (no XTEST).")
            .into())
    }

    fn press(&self, kind: u8, detail: u8, x: i16, y: i16) -> Xr<()> {
        self.connection.xtest_fake_input(kind, detail, x11rb::CURRENT_TIME, self.root, x, y, 0)?.check()?;
        Ok(())
    }

    /// Does all of it; what is pressed is let go, also where something fails in between.
    pub fn mouse(&self, strokes: &[Stroke]) -> Xr<()> {
        self.can_press()?;
        let mut held = Vec::new();
        let done = strokes.iter().try_for_each(|stroke| self.stroke(*stroke, &mut held));
        if !held.is_empty() {
            let released = |x: &Self| held.iter().try_for_each(|button| x.release_button(*button));
            self.put_right(released)?;
        }
        done
    }

    fn release_button(&self, button: u8) -> Xr<()> {
        self.press(xproto::BUTTON_RELEASE_EVENT, button, 0, 0)
    }

    /// From here on it counts as held, until it was surely let go.
    fn press_button(&self, button: u8, held: &mut Vec<u8>) -> Xr<()> {
        held.push(button);
        self.press(xproto::BUTTON_PRESS_EVENT, button, 0, 0)
    }

    fn let_go_of_button(&self, button: u8, held: &mut Vec<u8>) -> Xr<()> {
        self.release_button(button)?;
        held.retain(|other| *other != button);
        Ok(())
    }

    fn stroke(&self, stroke: Stroke, held: &mut Vec<u8>) -> Xr<()> {
        match stroke {
            Stroke::MoveTo(x, y) => {
                let at = |n: i32| i16::try_from(n).unwrap_or(i16::MAX);
                self.press(xproto::MOTION_NOTIFY_EVENT, 0, at(x), at(y))?;
            }
            Stroke::Press(button) => self.press_button(number(button), held)?,
            Stroke::Release(button) => self.let_go_of_button(number(button), held)?,
            Stroke::Scroll { right, down } => {
                // The wheel is buttons 4 to 7: up, down, left, right.
                for (amount, less, more) in [(down, 4, 5), (right, 6, 7)] {
                    let button = if amount < 0 { less } else { more };
                    for _ in 0..amount.unsigned_abs() {
                        self.press_button(button, held)?;
                        self.let_go_of_button(button, held)?;
                    }
                }
            }
            Stroke::Pause => sleep(PAUSE),
        }
        Ok(())
    }

    /// Whether a lock of capitals is on.
    fn has_caps_lock(&self) -> Xr<bool> {
        let mask = self.connection.query_pointer(self.root)?.reply()?.mask;
        Ok(u16::from(mask) & u16::from(xproto::ModMask::LOCK) != 0)
    }
}

fn number(button: Button) -> u8 {
    match button {
        Button::Left => 1,
        Button::Middle => 2,
        Button::Right => 3,
    }
}
