//! What windows there are, and what they say of themselves.

use deskhand_core::{ToolError, ToolResult};
use x11rb::{
    connection::{Connection, RequestConnection},
    protocol::{
        res::{self, ClientIdMask, ClientIdSpec, ConnectionExt as _},
        xproto::{AtomEnum, ConnectionExt, GetPropertyReply, MapState, Window as Id, WindowClass},
    },
};

use super::{
    X, compound,
    trouble::{Xr, if_there},
};
use crate::desktop::window::{Rect, Window, WindowKind};

/// Of a title, in words of four bytes.
const TITLE: u32 = 1024;
/// The workspace number that stands for all of them.
const ON_ALL: u32 = u32::MAX;
/// The state of a window that is shown as an icon (ICCCM).
const ICONIC: u32 = 3;

/// An X id; those of other systems may be longer.
pub(super) fn id(id: u64) -> ToolResult<Id> {
    Id::try_from(id).map_err(|_| ToolError::new("no_such_window", format!("There is no window {id}.")))
}

impl X {
    /// From the lowest to the topmost.
    pub fn windows(&self) -> Xr<Vec<Window>> {
        let active = self.active()?;
        let mut windows = Vec::new();
        for id in self.ids()? {
            windows.extend(self.window(id, active)?);
        }
        Ok(windows)
    }

    /// Those that the window manager looks after. Where there is none, those that a person would call windows.
    fn ids(&self) -> Xr<Vec<Id>> {
        if self.manager()?.is_some() {
            for list in [self.atoms._NET_CLIENT_LIST_STACKING, self.atoms._NET_CLIENT_LIST] {
                let ids = self.numbers(self.root, list, AtomEnum::WINDOW)?.unwrap_or_default();
                if !ids.is_empty() {
                    return Ok(ids);
                }
            }
            return Ok(Vec::new());
        }
        let mut ids = Vec::new();
        for id in self.connection.query_tree(self.root)?.reply()?.children {
            let attributes = if_there(self.connection.get_window_attributes(id)?.reply())?;
            let shows = |a: &x11rb::protocol::xproto::GetWindowAttributesReply| {
                a.map_state == MapState::VIEWABLE
                    && !a.override_redirect
                    && a.class == WindowClass::INPUT_OUTPUT
            };
            if attributes.as_ref().is_some_and(shows) {
                ids.push(id);
            }
        }
        Ok(ids)
    }

    /// The window that has the keyboard: by the window manager's word, or else by the server's.
    pub fn active(&self) -> Xr<Option<Id>> {
        if self.manager()?.is_some() {
            return self.window_in(self.root, self.atoms._NET_ACTIVE_WINDOW);
        }
        let focus = self.connection.get_input_focus()?.reply()?.focus;
        self.top_level(focus)
    }

    /// The window right below the root that this one is in.
    pub fn top_level(&self, window: Id) -> Xr<Option<Id>> {
        // 0 is nothing, 1 stands for whatever the pointer is in.
        let mut at = window;
        while at > 1 && at != self.root {
            let Some(tree) = if_there(self.connection.query_tree(at)?.reply())? else { return Ok(None) };
            if tree.parent == self.root {
                return Ok(Some(at));
            }
            at = tree.parent;
        }
        Ok(None)
    }

    /// One window; `None` where it is gone. All is asked for at once, and then read.
    pub fn window(&self, id: Id, active: Option<Id>) -> Xr<Option<Window>> {
        let (c, atoms) = (&self.connection, &self.atoms);
        let geometry = c.get_geometry(id)?;
        let corner = c.translate_coordinates(id, self.root, 0, 0)?;
        let class = c.get_property(false, id, AtomEnum::WM_CLASS, AtomEnum::STRING, 0, TITLE)?;
        let states = c.get_property(false, id, atoms._NET_WM_STATE, AtomEnum::ATOM, 0, 64)?;
        let icon = c.get_property(false, id, atoms.WM_STATE, atoms.WM_STATE, 0, 2)?;
        let kind = c.get_property(false, id, atoms._NET_WM_WINDOW_TYPE, AtomEnum::ATOM, 0, 16)?;
        let desktop = c.get_property(false, id, atoms._NET_WM_DESKTOP, AtomEnum::CARDINAL, 0, 1)?;
        let title = self.title(id)?;
        let pid = self.pid(id)?;
        let (Some(geometry), Some(corner), Some(title)) =
            (if_there(geometry.reply())?, if_there(corner.reply())?, title)
        else {
            return Ok(None);
        };
        let first = |reply: &Option<GetPropertyReply>| reply.as_ref()?.value32()?.next();
        let all = |reply: Option<GetPropertyReply>| -> Vec<u32> {
            reply.and_then(|reply| reply.value32().map(Iterator::collect)).unwrap_or_default()
        };
        let is_icon = first(&if_there(icon.reply())?) == Some(ICONIC);
        let rect = Rect {
            x: corner.dst_x.into(),
            y: corner.dst_y.into(),
            width: geometry.width.into(),
            height: geometry.height.into(),
        };
        Ok(Some(Window {
            id: id.into(),
            title,
            app: if_there(class.reply())?.and_then(|reply| app(&reply.value)),
            pid,
            geometry: rect,
            kind: self.kind(&all(if_there(kind.reply())?)),
            state: self.states(&all(if_there(states.reply())?), is_icon),
            desktop: first(&if_there(desktop.reply())?).filter(|desktop| *desktop != ON_ALL),
            active: active == Some(id),
        }))
    }

    /// What stands in its title bar; `None` where there is no such window.
    pub fn title(&self, window: Id) -> Xr<Option<String>> {
        let (c, atoms) = (&self.connection, &self.atoms);
        let new = c.get_property(false, window, atoms._NET_WM_NAME, atoms.UTF8_STRING, 0, TITLE)?;
        let old = c.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, TITLE)?;
        let (Some(new), Some(old)) = (if_there(new.reply())?, if_there(old.reply())?) else {
            return Ok(None);
        };
        if !new.value.is_empty() {
            return Ok(Some(String::from_utf8_lossy(&new.value).into_owned()));
        }
        let is_utf8 = old.type_ == atoms.UTF8_STRING;
        Ok(Some(if is_utf8 {
            String::from_utf8_lossy(&old.value).into_owned()
        } else {
            compound::decode(&old.value)
        }))
    }

    /// The process that the window belongs to: by the server's own knowledge, which nobody can feign, or else by the
    /// window's word.
    pub fn pid(&self, window: Id) -> Xr<Option<u32>> {
        if self.connection.extension_information(res::X11_EXTENSION_NAME)?.is_some() {
            let spec = ClientIdSpec { client: window, mask: ClientIdMask::LOCAL_CLIENT_PID };
            let reply = if_there(self.connection.res_query_client_ids(&[spec])?.reply())?;
            let ids = reply.map(|reply| reply.ids).unwrap_or_default();
            if let Some(pid) = ids.iter().find_map(|id| id.value.first()).filter(|pid| **pid > 0) {
                return Ok(Some(*pid));
            }
        }
        let said = self.numbers(window, self.atoms._NET_WM_PID, AtomEnum::CARDINAL)?;
        Ok(said.and_then(|said| said.first().copied()).filter(|pid| *pid > 0))
    }

    fn kind(&self, kinds: &[u32]) -> WindowKind {
        let atoms = &self.atoms;
        for kind in kinds {
            match *kind {
                k if k == atoms._NET_WM_WINDOW_TYPE_NORMAL => return WindowKind::Normal,
                k if k == atoms._NET_WM_WINDOW_TYPE_DIALOG => return WindowKind::Dialog,
                k if k == atoms._NET_WM_WINDOW_TYPE_DOCK => return WindowKind::Dock,
                k if k == atoms._NET_WM_WINDOW_TYPE_DESKTOP => return WindowKind::Desktop,
                _ => {}
            }
        }
        if kinds.is_empty() { WindowKind::Normal } else { WindowKind::Other }
    }

    fn states(&self, states: &[u32], is_icon: bool) -> Vec<&'static str> {
        let atoms = &self.atoms;
        let has = |atom: u32| states.contains(&atom);
        [
            (is_icon || has(atoms._NET_WM_STATE_HIDDEN), "minimized"),
            (has(atoms._NET_WM_STATE_MAXIMIZED_HORZ) && has(atoms._NET_WM_STATE_MAXIMIZED_VERT), "maximized"),
            (has(atoms._NET_WM_STATE_FULLSCREEN), "fullscreen"),
            (has(atoms._NET_WM_STATE_ABOVE), "above"),
            (has(atoms._NET_WM_STATE_BELOW), "below"),
            (has(atoms._NET_WM_STATE_STICKY), "sticky"),
            (has(atoms._NET_WM_STATE_MODAL), "modal"),
            (has(atoms._NET_WM_STATE_DEMANDS_ATTENTION), "demands_attention"),
        ]
        .into_iter()
        .filter_map(|(is, name)| is.then_some(name))
        .collect()
    }

    /// The screen as a whole, all monitors together.
    pub fn screen(&self) -> Rect {
        let setup = self.connection.setup();
        let screen = setup.roots.iter().find(|screen| screen.root == self.root);
        let (width, height) = screen.map_or((1, 1), |s| (s.width_in_pixels, s.height_in_pixels));
        Rect { x: 0, y: 0, width: width.into(), height: height.into() }
    }
}

/// `WM_CLASS` is two names: of this run of the program, and of the program.
fn app(class: &[u8]) -> Option<String> {
    let mut names = class.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.next_back().map(|name| String::from_utf8_lossy(name).into_owned())
}
