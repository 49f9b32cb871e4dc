//! What the mouse meets at a place, by the server's own word: it knows what is in front of what, and what is not shown.

use x11rb::protocol::xproto::{ConnectionExt, Window as Id};

use super::{
    X,
    trouble::{Xr, if_there},
};
use crate::desktop::window::{Window, WindowKind};

/// So deep and so many windows of a frame are looked at.
const DEEPEST: usize = 32;
const MOST: usize = 500;

impl X {
    /// The window at a place: one of those that are known, also where its frame is met, or else one that nobody looks
    /// after, as menus are. `None` where there is nothing but the desktop's ground.
    pub fn at(&self, (x, y): (i32, i32), known: &[Window]) -> Xr<Option<Window>> {
        let is_known = |id: Id| known.iter().find(|window| window.id == u64::from(id));
        let Some(top) = self.child_at(self.root, x, y)? else { return Ok(None) };
        let mut at = top;
        for _ in 0..DEEPEST {
            if let Some(window) = is_known(at) {
                return Ok(Some(window.clone()));
            }
            let Some(child) = self.child_at(at, x, y)? else { break };
            at = child;
        }
        if let Some(window) = self.below(top)?.into_iter().find_map(is_known) {
            return Ok(Some(window.clone()));
        }
        let met = self.window(top, None)?;
        Ok(met.map(|window| Window {
            kind: WindowKind::Other,
            // Menus say nothing of themselves.
            app: window.app.clone().or_else(|| program(window.pid?)),
            ..window
        }))
    }

    /// The child of a window that a place on the screen is in.
    fn child_at(&self, window: Id, x: i32, y: i32) -> Xr<Option<Id>> {
        let on_screen = |n: i32| i16::try_from(n).unwrap_or(i16::MAX);
        let asked = self.connection.translate_coordinates(self.root, window, on_screen(x), on_screen(y))?;
        Ok(if_there(asked.reply())?.map(|found| found.child).filter(|child| *child != x11rb::NONE))
    }

    /// All windows in this one, the nearest first.
    fn below(&self, window: Id) -> Xr<Vec<Id>> {
        let mut all = vec![window];
        let mut looked_at = 0;
        while looked_at < all.len() && all.len() < MOST {
            let tree = if_there(self.connection.query_tree(all[looked_at])?.reply())?;
            all.extend(tree.map(|tree| tree.children).unwrap_or_default());
            looked_at += 1;
        }
        Ok(all)
    }
}

/// The name of a process.
fn program(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
