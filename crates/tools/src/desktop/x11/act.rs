//! Raising and closing windows.

use std::time::Duration;

use deskhand_core::{ToolError, ToolResult};
use x11rb::{
    connection::Connection,
    protocol::xproto::{
        AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, InputFocus, StackMode,
        Window as Id,
    },
};

use super::{
    X,
    trouble::{Xr, if_there},
};
use crate::desktop::backend::{Closing, Wait};

/// Who asks, in the words of EWMH: not a program for itself, but a person, by a pager.
const BY_A_PERSON: u32 = 2;
/// How long a window manager may take to do what it was asked.
const PATIENCE: Duration = Duration::from_secs(2);

impl X {
    pub fn activate(&self, window: Id, wait: &Wait) -> Xr<()> {
        if self.is_supported(self.atoms._NET_ACTIVE_WINDOW)? {
            let data = [BY_A_PERSON, x11rb::CURRENT_TIME, 0, 0, 0];
            self.ask_manager(ClientMessageEvent::new(32, window, self.atoms._NET_ACTIVE_WINDOW, data))?;
        } else {
            self.connection.map_window(window)?.check()?;
            let top = ConfigureWindowAux::new().stack_mode(StackMode::ABOVE);
            self.connection.configure_window(window, &top)?.check()?;
            // Until it is shown it cannot have the keyboard.
            self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?.check()?;
        }
        let came = wait.within(PATIENCE).until(|| Ok(self.active()? == Some(window)))?;
        if came {
            return Ok(());
        }
        Err(ToolError::new("not_switched", "The window manager was asked, and did not give it the keyboard.")
            .hint("It may keep a window that somebody types into in front, or the window takes no keys.")
            .into())
    }

    /// Whether it is gone.
    pub fn close(&self, window: Id, how: Closing, wait: &Wait) -> Xr<bool> {
        match how {
            Closing::Forced => self.connection.kill_client(window)?.check()?,
            Closing::Asked if self.is_supported(self.atoms._NET_CLOSE_WINDOW)? => {
                let data = [x11rb::CURRENT_TIME, BY_A_PERSON, 0, 0, 0];
                self.ask_manager(ClientMessageEvent::new(32, window, self.atoms._NET_CLOSE_WINDOW, data))?;
            }
            Closing::Asked => self.ask_window_to_close(window)?,
        }
        Ok(wait.within(PATIENCE).until(|| self.is_gone(window))?)
    }

    fn is_gone(&self, window: Id) -> ToolResult<bool> {
        let attributes =
            self.connection.get_window_attributes(window).map_err(super::trouble::Trouble::from)?;
        Ok(if_there(attributes.reply())?.is_none())
    }

    /// Where there is no window manager, the window itself is asked, if it takes that.
    fn ask_window_to_close(&self, window: Id) -> Xr<()> {
        let protocols = self.numbers(window, self.atoms.WM_PROTOCOLS, AtomEnum::ATOM)?.unwrap_or_default();
        if !protocols.contains(&self.atoms.WM_DELETE_WINDOW) {
            return Err(ToolError::new("cannot_be_asked", "The window does not take requests to close.")
                .hint("With force its program is cut off from the desktop, and loses what it has not saved.")
                .into());
        }
        let data = [self.atoms.WM_DELETE_WINDOW, x11rb::CURRENT_TIME, 0, 0, 0];
        let message = ClientMessageEvent::new(32, window, self.atoms.WM_PROTOCOLS, data);
        self.connection.send_event(false, window, EventMask::NO_EVENT, message)?.check()?;
        Ok(())
    }

    fn ask_manager(&self, message: ClientMessageEvent) -> Xr<()> {
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.connection.send_event(false, self.root, mask, message)?.check()?;
        self.connection.flush()?;
        Ok(())
    }
}
