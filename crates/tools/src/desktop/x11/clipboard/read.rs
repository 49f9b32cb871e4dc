//! Asking the program that copied for what it has.

use std::time::Duration;

use deskhand_core::{ToolError, ToolResult};
use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            Atom, AtomEnum, ConnectionExt, CreateWindowAux, EventMask, GetPropertyReply, Property,
            Window as Id, WindowClass,
        },
    },
};

use super::{
    super::{
        X,
        trouble::{Trouble, Xr, if_there},
    },
    ClipAtoms,
};
use crate::desktop::backend::{Clip, Selection, Wait};

/// How long the program that copied may take for each piece.
const PATIENCE: Duration = Duration::from_secs(2);
/// More than this is not taken from a clipboard.
const MOST: usize = 32 << 20;

impl X {
    pub fn read_selection(&self, selection: Selection, wait: &Wait) -> Xr<Clip> {
        let atoms = ClipAtoms::new(&self.connection)?.reply()?;
        let which = atoms.of(selection);
        if self.connection.get_selection_owner(which)?.reply()?.owner == x11rb::NONE {
            return Ok(Clip::Empty);
        }
        let window = self.connection.generate_id()?;
        let events = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let kind = WindowClass::INPUT_ONLY;
        self.connection.create_window(
            0,
            window,
            self.root,
            0,
            0,
            1,
            1,
            0,
            kind,
            x11rb::COPY_FROM_PARENT,
            &events,
        )?;
        let reading = Reading { x: self, atoms: &atoms, which, window, wait };
        let clip = reading.read();
        self.connection.destroy_window(window)?;
        clip
    }
}

struct Reading<'a> {
    x: &'a X,
    atoms: &'a ClipAtoms,
    which: Atom,
    /// Ours, where the answers are put.
    window: Id,
    wait: &'a Wait,
}

impl Reading<'_> {
    fn read(&self) -> Xr<Clip> {
        let atoms = self.atoms;
        let offered: Vec<u32> = match self.get(atoms.TARGETS)? {
            Some(answer) => answer
                .value
                .chunks_exact(4)
                .filter_map(|b| Some(u32::from_ne_bytes(b.try_into().ok()?)))
                .collect(),
            // Very old programs offer nothing but text.
            None => vec![atoms.UTF8_STRING, AtomEnum::STRING.into()],
        };
        for target in [atoms.UTF8_STRING, atoms.text_plain_utf8, AtomEnum::STRING.into(), atoms.text_plain] {
            if !offered.contains(&target) {
                continue;
            }
            if let Some(answer) = self.get(target)? {
                let is_latin = answer.kind == u32::from(AtomEnum::STRING);
                return Ok(Clip::Text(if is_latin {
                    answer.value.iter().map(|byte| char::from(*byte)).collect()
                } else {
                    String::from_utf8_lossy(&answer.value).into_owned()
                }));
            }
        }
        if offered.contains(&atoms.image_png)
            && let Some(answer) = self.get(atoms.image_png)?
        {
            return Ok(Clip::Png(answer.value));
        }
        let mut names = Vec::new();
        for target in offered.into_iter().take(50) {
            // Programs offer numbers that are no names, too.
            let known = if_there(self.x.connection.get_atom_name(target)?.reply())?;
            names.extend(known.map(|known| String::from_utf8_lossy(&known.name).into_owned()));
        }
        Ok(Clip::Other(names))
    }

    /// What the program has in this form; `None` where it has not.
    fn get(&self, target: Atom) -> Xr<Option<Answer>> {
        let (c, place) = (&self.x.connection, self.atoms.DESKHAND_CLIP);
        c.delete_property(self.window, place)?;
        c.convert_selection(self.window, self.which, target, place, x11rb::CURRENT_TIME)?.check()?;
        let came = self.next(|event| match event {
            Event::SelectionNotify(notify) if notify.requestor == self.window && notify.target == target => {
                Some(notify.property != x11rb::NONE)
            }
            _ => None,
        })?;
        if !came {
            return Ok(None);
        }
        let first = self.take()?;
        if first.type_ != self.atoms.INCR {
            return Ok(Some(Answer { kind: first.type_, value: first.value }));
        }
        self.in_pieces().map(Some)
    }

    /// What is long comes in pieces: each is put there when the one before has been taken away.
    fn in_pieces(&self) -> Xr<Answer> {
        let mut answer = Answer { kind: x11rb::NONE, value: Vec::new() };
        loop {
            self.next(|event| match event {
                Event::PropertyNotify(notify) => (notify.window == self.window
                    && notify.atom == self.atoms.DESKHAND_CLIP
                    && notify.state == Property::NEW_VALUE)
                    .then_some(()),
                _ => None,
            })?;
            let piece = self.take()?;
            if piece.value.is_empty() {
                return Ok(answer);
            }
            answer.kind = piece.type_;
            answer.value.extend(piece.value);
            if answer.value.len() > MOST {
                return Err(too_much());
            }
        }
    }

    /// What was put there, which is taken away by that.
    fn take(&self) -> Xr<GetPropertyReply> {
        let most = u32::try_from(MOST / 4).unwrap_or(u32::MAX);
        let (c, place) = (&self.x.connection, self.atoms.DESKHAND_CLIP);
        let reply = c.get_property(true, self.window, place, AtomEnum::ANY, 0, most)?.reply()?;
        if reply.bytes_after > 0 { Err(too_much()) } else { Ok(reply) }
    }

    /// The next event that is wanted. A program that does not answer is not waited for.
    fn next<T>(&self, mut wanted: impl FnMut(Event) -> Option<T>) -> Xr<T> {
        let mut found = None;
        let mut look = || -> ToolResult<bool> {
            while let Some(event) = self.x.connection.poll_for_event().map_err(Trouble::from)? {
                found = wanted(event);
                if found.is_some() {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        self.x.connection.flush()?;
        self.wait.within(PATIENCE).until(&mut look)?;
        found.ok_or_else(|| {
            ToolError::new("clipboard_silent", "The program that copied does not answer.")
                .hint("It hangs, or has ended in the middle. Copy again, or clear the clipboard.")
                .into()
        })
    }
}

struct Answer {
    kind: Atom,
    value: Vec<u8>,
}

fn too_much() -> Trouble {
    let message = format!("The clipboard holds more than {} MiB.", MOST >> 20);
    Trouble(ToolError::new("clipboard_too_large", message).hint("Copy less, or save it to a file instead."))
}
