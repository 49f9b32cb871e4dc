//! The clipboard of X: no place where something lies, but an answer that the program which copied gives whoever pastes.
//!
//! So what Deskhand copies is held by a small process of its own (`hold.rs`), which ends when another program copies.

pub mod hold;
mod read;
mod start;

pub(super) use self::start::hold as hold_for;
use x11rb::protocol::xproto::{ConnectionExt, Window as Id};

use super::{X, trouble::Xr};
use crate::desktop::backend::Selection;

/// Pieces of this size go over the connection at once.
const PIECE: usize = 192 * 1024;

x11rb::atom_manager! {
    pub(super) ClipAtoms: ClipAtomsCookie {
        CLIPBOARD,
        DESKHAND_CLIP,
        INCR,
        TARGETS,
        TEXT,
        TIMESTAMP,
        UTF8_STRING,
        image_png: b"image/png",
        text_plain: b"text/plain",
        text_plain_utf8: b"text/plain;charset=utf-8",
    }
}

impl ClipAtoms {
    pub fn of(&self, selection: Selection) -> u32 {
        match selection {
            Selection::Clipboard => self.CLIPBOARD,
            Selection::Primary => x11rb::protocol::xproto::AtomEnum::PRIMARY.into(),
        }
    }
}

impl X {
    /// Nobody has anything to paste any more.
    pub fn clear_selection(&self, selection: Selection) -> Xr<()> {
        let atoms = ClipAtoms::new(&self.connection)?.reply()?;
        let nobody: Id = x11rb::NONE;
        self.connection.set_selection_owner(nobody, atoms.of(selection), x11rb::CURRENT_TIME)?.check()?;
        Ok(())
    }
}
