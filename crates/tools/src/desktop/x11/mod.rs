//! A desktop on an X server, by its protocol and what window managers agreed on (EWMH).
//!
//! Every call makes a connection of its own: it costs less than a millisecond, and a display may come and go while a
//! server runs.

mod act;
mod capture;
pub mod clipboard;
mod compound;
mod input;
mod met;
mod stream;
mod trouble;
mod windows;

use std::{path::PathBuf, sync::OnceLock, time::Duration};

use deskhand_core::{Absent, ToolResult};
use x11rb::{
    connection::Connection,
    protocol::xproto::{Atom, AtomEnum, ConnectionExt, Window as Id},
    rust_connection::RustConnection,
};

use self::{
    stream::Patient,
    trouble::{Xr, if_there},
};
use super::{
    backend::{Clip, Closing, Copied, Desktop, Faculty, Monitor, Selection, Wait},
    hands::{Stroke, Typing},
    picture::Picture,
    window::{Rect, Window},
};

/// How long it may take to find out whether there is a display at all: every start of the program waits for it.
const PROBE: Duration = Duration::from_millis(500);

x11rb::atom_manager! {
    pub(super) Atoms: AtomsCookie {
        UTF8_STRING,
        WM_DELETE_WINDOW,
        WM_PROTOCOLS,
        WM_STATE,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CLIENT_LIST_STACKING,
        _NET_CLOSE_WINDOW,
        _NET_SUPPORTED,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_STATE,
        _NET_WM_STATE_ABOVE,
        _NET_WM_STATE_BELOW,
        _NET_WM_STATE_DEMANDS_ATTENTION,
        _NET_WM_STATE_FULLSCREEN,
        _NET_WM_STATE_HIDDEN,
        _NET_WM_STATE_MAXIMIZED_HORZ,
        _NET_WM_STATE_MAXIMIZED_VERT,
        _NET_WM_STATE_MODAL,
        _NET_WM_STATE_STICKY,
        _NET_WM_WINDOW_TYPE,
        _NET_WM_WINDOW_TYPE_DESKTOP,
        _NET_WM_WINDOW_TYPE_DIALOG,
        _NET_WM_WINDOW_TYPE_DOCK,
        _NET_WM_WINDOW_TYPE_NORMAL,
    }
}

/// An X display.
pub struct X11 {
    display: String,
    /// Deskhand itself, which holds what is copied.
    program: PathBuf,
    probed: OnceLock<Result<String, Absent>>,
}

/// How long it may take to let go of what is still held down when a call ends early.
const PUT_RIGHT: Duration = Duration::from_secs(2);

/// A connection to it, for one call.
struct X {
    display: String,
    connection: RustConnection<Patient>,
    root: Id,
    atoms: Atoms,
}

impl X {
    fn open(display: &str, wait: &Wait) -> Xr<Self> {
        let (connection, screen) = stream::open(display, wait)?;
        let atoms = Atoms::new(&connection)?.reply()?;
        let root = connection.setup().roots[screen].root;
        Ok(Self { display: display.to_owned(), connection, root, atoms })
    }

    /// Puts right what a call leaves behind that did not come to its end. Its own connection carries nothing more once it is
    /// cancelled or its time is up: this one is new, and has a little time of its own.
    fn put_right(&self, work: impl FnOnce(&Self) -> Xr<()>) -> Xr<()> {
        work(&Self::open(&self.display, &Wait::at_most(PUT_RIGHT))?)
    }

    /// A property as whole numbers; empty where the window has none, `None` where there is no window.
    fn numbers(&self, window: Id, property: Atom, kind: impl Into<Atom>) -> Xr<Option<Vec<u32>>> {
        const MOST: u32 = 4096;
        let cookie = self.connection.get_property(false, window, property, kind, 0, MOST)?;
        Ok(if_there(cookie.reply())?.map(|reply| reply.value32().map(Iterator::collect).unwrap_or_default()))
    }

    /// The window in a property that names one.
    fn window_in(&self, window: Id, property: Atom) -> Xr<Option<Id>> {
        let found = self.numbers(window, property, AtomEnum::WINDOW)?;
        Ok(found.and_then(|found| found.first().copied()).filter(|id| *id != x11rb::NONE))
    }

    /// The window by which a manager of windows says that it is there. What it left behind when it ended does not count.
    fn manager(&self) -> Xr<Option<Id>> {
        let check = self.atoms._NET_SUPPORTING_WM_CHECK;
        let Some(window) = self.window_in(self.root, check)? else { return Ok(None) };
        Ok(self.window_in(window, check)?.filter(|itself| *itself == window))
    }

    /// Whether the manager of windows says that it understands this.
    fn is_supported(&self, message: Atom) -> Xr<bool> {
        if self.manager()?.is_none() {
            return Ok(false);
        }
        let supported = self.numbers(self.root, self.atoms._NET_SUPPORTED, AtomEnum::ATOM)?;
        Ok(supported.unwrap_or_default().contains(&message))
    }
}

impl X11 {
    /// `program` is Deskhand itself: it is begun once more to hold what is copied.
    pub fn new(display: &str, program: PathBuf) -> Self {
        Self { display: display.to_owned(), program, probed: OnceLock::new() }
    }

    fn open(&self, wait: &Wait) -> Xr<X> {
        X::open(&self.display, wait)
    }

    /// What is there, in words.
    fn probe(&self) -> Xr<String> {
        let x = self.open(&Wait::at_most(PROBE))?;
        let setup = x.connection.setup();
        let vendor = String::from_utf8_lossy(&setup.vendor);
        let manager = match x.manager()? {
            Some(manager) => {
                x.title(manager)?.filter(|name| !name.is_empty()).unwrap_or("a window manager".into())
            }
            None => "no window manager".to_owned(),
        };
        Ok(format!("X11 at {} ({vendor}; {manager})", self.display))
    }

    fn probed(&self) -> Result<String, Absent> {
        self.probed.get_or_init(|| self.probe().map_err(trouble::Trouble::absent)).clone()
    }
}

impl Desktop for X11 {
    fn can(&self, _: Faculty) -> Result<(), Absent> {
        self.probed().map(|_| ())
    }

    fn about(&self) -> Result<String, Absent> {
        self.probed()
    }

    fn windows(&self, wait: &Wait) -> ToolResult<Vec<Window>> {
        Ok(self.open(wait)?.windows()?)
    }

    fn activate(&self, id: u64, wait: &Wait) -> ToolResult<()> {
        Ok(self.open(wait)?.activate(windows::id(id)?, wait)?)
    }

    fn close(&self, id: u64, how: Closing, wait: &Wait) -> ToolResult<bool> {
        Ok(self.open(wait)?.close(windows::id(id)?, how, wait)?)
    }

    fn monitors(&self, wait: &Wait) -> ToolResult<Vec<Monitor>> {
        Ok(self.open(wait)?.monitors()?)
    }

    fn capture(&self, part: Rect, wait: &Wait) -> ToolResult<Picture> {
        Ok(self.open(wait)?.capture(part)?)
    }

    fn read_clipboard(&self, selection: Selection, wait: &Wait) -> ToolResult<Clip> {
        Ok(self.open(wait)?.read_selection(selection, wait)?)
    }

    fn write_clipboard(&self, selection: Selection, copied: Copied, wait: &Wait) -> ToolResult<()> {
        let (form, content) = match copied {
            Copied::Nothing => return Ok(self.open(wait)?.clear_selection(selection)?),
            Copied::Text(text) => ("text", text.into_bytes()),
            Copied::Png(file) => ("image", file),
        };
        // A display that is stuck is found out here, not by a process that nobody sees.
        self.open(wait)?;
        clipboard::hold_for(&self.program, &self.display, selection, form, &content, wait)
    }

    fn mouse(&self, strokes: &[Stroke], wait: &Wait) -> ToolResult<()> {
        Ok(self.open(wait)?.mouse(strokes)?)
    }

    fn keyboard(&self, typing: &Typing, wait: &Wait) -> ToolResult<()> {
        Ok(self.open(wait)?.keyboard(typing, wait)?)
    }

    fn at(&self, place: (i32, i32), known: &[Window], wait: &Wait) -> ToolResult<Option<Window>> {
        Ok(self.open(wait)?.at(place, known)?)
    }

    fn is_of_one_program(&self, one: &Window, other: &Window) -> bool {
        // The ids that a client gives have their beginning in common.
        const OF_ONE_CLIENT: u64 = 0x1f_ffff;
        one.id | OF_ONE_CLIENT == other.id | OF_ONE_CLIENT || one.is_of_process_of(other)
    }

    fn manager_pid(&self, wait: &Wait) -> ToolResult<Option<u32>> {
        let x = self.open(wait)?;
        Ok(match x.manager()? {
            Some(manager) => x.pid(manager)?,
            None => None,
        })
    }
}
