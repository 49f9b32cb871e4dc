//! Doing the accepted actions, and taking them back.
//!
//! Each looks first at how far it got already, and goes on from there: after a crash all of them are done again from
//! the first. Nothing is overwritten or removed on the way: what goes is renamed, so each can be undone until the
//! last is done.

use std::io;

use cap_std::fs::Metadata;
use deskhand_core::{ToolError, ToolResult};

use super::{
    super::os,
    accepted::Accepted,
    action::{Action, Arrival, Departure, Identity, Keeping, Work},
    fault,
    places::{Places, Spot},
    scrub::OWNER,
};

/// Does all actions, or fails with some of them done.
pub fn forward(accepted: &Accepted, places: &Places) -> ToolResult<()> {
    accepted.actions.iter().try_for_each(|action| Step { action, places }.forward())
}

/// Takes back what was done of all actions.
pub fn back(accepted: &Accepted, places: &Places) -> ToolResult<()> {
    accepted.actions.iter().rev().try_for_each(|action| Step { action, places }.back())
}

/// Whether any of the actions was begun, but for modes of folders.
pub fn is_begun(accepted: &Accepted, places: &Places) -> bool {
    let first = accepted.actions.iter().find(|action| !matches!(action.work, Work::Mode { .. }));
    first.is_some_and(|action| Step { action, places }.is_begun().unwrap_or(true))
}

struct Step<'a> {
    action: &'a Action,
    places: &'a Places,
}

impl<'a> Step<'a> {
    fn forward(&self) -> ToolResult<()> {
        match &self.action.work {
            Work::Mode { entry, mode, .. } => self.set_mode(*entry, *mode),
            Work::Create { new } => self.create(new),
            Work::Replace { new, old } => self.replace(new, old),
            Work::Delete { old } => self.delete(old),
        }
    }

    fn back(&self) -> ToolResult<()> {
        match &self.action.work {
            Work::Mode { entry, was, mode } => self.set_mode_back(*entry, *was, *mode),
            Work::Create { new } => self.uncreate(new),
            Work::Replace { new, old } => self.unreplace(new, old),
            Work::Delete { old } => self.undelete(old),
        }
    }

    fn is_begun(&self) -> ToolResult<bool> {
        Ok(match &self.action.work {
            Work::Mode { .. } => false,
            Work::Create { new } => self.real_now()?.is_some_and(|now| Identity::of(&now) == new.entry),
            Work::Replace { old, .. } | Work::Delete { old } => {
                !self.real_now()?.is_some_and(|now| old.is(&now))
            }
        })
    }

    fn set_mode(&self, entry: Identity, mode: u32) -> ToolResult<()> {
        let real = self.real()?;
        if !self.look(&real)?.is_some_and(|now| Identity::of(&now) == entry) {
            return Err(self.changed());
        }
        self.give_mode(&real, entry, Some(mode))
    }

    fn set_mode_back(&self, entry: Identity, was: u32, mode: u32) -> ToolResult<()> {
        let Some(real) = self.real_spot()? else { return Ok(()) };
        let is_set = |now: Metadata| Identity::of(&now) == entry && os::mode_of(&now) == Some(mode);
        if self.look(&real)?.is_some_and(is_set) { self.give_mode(&real, entry, Some(was)) } else { Ok(()) }
    }

    fn create(&self, new: &Arrival) -> ToolResult<()> {
        let real = self.real()?;
        match self.look(&real)? {
            Some(now) if Identity::of(&now) == new.entry => {}
            Some(_) => return Err(self.changed()),
            None => self.arrive(new, &real)?,
        }
        self.give_mode(&real, new.entry, new.mode)
    }

    fn uncreate(&self, new: &Arrival) -> ToolResult<()> {
        let Some(real) = self.real_spot()? else { return Ok(()) };
        match self.look(&real)? {
            Some(now) if new.is(&now) => {
                let source = self.source(new)?;
                self.rename(&real, &source, new.entry, new.mode)?;
                self.give_mode(&source, new.entry, new.mode)
            }
            Some(now) if Identity::of(&now) == new.entry => Err(self.changed()),
            // It never came.
            _ => Ok(()),
        }
    }

    fn replace(&self, new: &Arrival, old: &Departure) -> ToolResult<()> {
        let (real, source) = (self.real()?, self.source(new)?);
        match self.look(&real)? {
            Some(now) if Identity::of(&now) == new.entry => {}
            Some(now) if old.is(&now) => {
                self.is_whole(new, &source)?;
                self.open(&source, new.entry, new.mode)?;
                self.open(&real, old.entry, old.mode)?;
                if self.exchange(&source, &real)? {
                    // What is there now may be something that came in the last moment.
                    if !self.look(&source)?.is_some_and(|now| old.is(&now)) {
                        self.exchange(&source, &real)?;
                        return Err(self.changed());
                    }
                } else {
                    self.rename(&real, &self.away(old)?, old.entry, None)?;
                    self.rename(&source, &real, new.entry, None)?;
                }
            }
            None if self.is_at(&self.away(old)?, old)? => self.arrive(new, &real)?,
            _ => return Err(self.changed()),
        }
        self.give_mode(&real, new.entry, new.mode)?;
        if matches!(old.kept, Keeping::Moved(_)) {
            let away = self.away(old)?;
            if self.is_at(&source, old)? {
                self.rename(&source, &away, old.entry, old.mode)?;
            }
            self.give_mode(&away, old.entry, old.mode)?;
        }
        Ok(())
    }

    fn unreplace(&self, new: &Arrival, old: &Departure) -> ToolResult<()> {
        let Some(real) = self.real_spot()? else { return Ok(()) };
        let (source, away) = (self.source(new)?, self.away(old)?);
        let was = if self.is_at(&source, old)? { &source } else { &away };
        let has_gone = self.is_at(was, old)?;
        match self.look(&real)? {
            Some(now) if Identity::of(&now) == old.entry => {}
            Some(now) if has_gone && new.is(&now) => {
                self.open(was, old.entry, old.mode)?;
                self.open(&real, new.entry, new.mode)?;
                if !self.exchange(was, &real)? {
                    self.rename(&real, &source, new.entry, None)?;
                    self.rename(was, &real, old.entry, None)?;
                }
            }
            None if has_gone => self.rename(was, &real, old.entry, old.mode)?,
            _ if has_gone => return Err(self.changed()),
            // It never went.
            _ => return Ok(()),
        }
        self.give_mode(&real, old.entry, old.mode)
    }

    fn delete(&self, old: &Departure) -> ToolResult<()> {
        let away = self.away(old)?;
        if !self.is_at(&away, old)? {
            let real = self.real()?;
            if !self.look(&real)?.is_some_and(|now| old.is(&now)) {
                return Err(self.changed());
            }
            self.rename(&real, &away, old.entry, old.mode)?;
            if !self.look(&away)?.is_some_and(|now| old.is(&now)) {
                // Something that came in the last moment.
                let _ = os::rename_new(&away.folder, away.name, &real.folder, real.name);
                return Err(self.changed());
            }
        }
        self.give_mode(&away, old.entry, old.mode)
    }

    fn undelete(&self, old: &Departure) -> ToolResult<()> {
        let away = self.away(old)?;
        if self.is_at(&away, old)? {
            let real = self.real()?;
            if self.look(&real)?.is_some() {
                return Err(self.changed());
            }
            self.rename(&away, &real, old.entry, old.mode)?;
        }
        match self.real_spot()? {
            Some(real) if self.is_at(&real, old)? => self.give_mode(&real, old.entry, old.mode),
            _ => Ok(()),
        }
    }

    /// Brings something to where nothing is.
    fn arrive(&self, new: &Arrival, real: &Spot<'_>) -> ToolResult<()> {
        let source = self.source(new)?;
        self.is_whole(new, &source)?;
        self.rename(&source, real, new.entry, new.mode)
    }

    fn is_whole(&self, new: &Arrival, source: &Spot<'_>) -> ToolResult<()> {
        if self.look(source)?.is_some_and(|meta| new.is(&meta)) {
            return Ok(());
        }
        let message =
            format!("Nothing was kept: what the command wrote to {} is gone.", self.shown().display());
        Err(ToolError::new("changed_since", message).hint("Run the command again."))
    }

    /// Renames to where nothing is. `mode` is that of a folder which its owner may not write: it stays open.
    fn rename(&self, from: &Spot<'_>, to: &Spot<'_>, entry: Identity, mode: Option<u32>) -> ToolResult<()> {
        self.open(from, entry, mode)?;
        fault::step()?;
        os::rename_new(&from.folder, from.name, &to.folder, to.name)
            .map_err(|error| self.failed("move", &error))
    }

    fn exchange(&self, one: &Spot<'_>, other: &Spot<'_>) -> ToolResult<bool> {
        fault::step()?;
        os::exchange(&one.folder, one.name, &other.folder, other.name)
            .map_err(|error| self.failed("replace", &error))
    }

    /// A folder that its owner may not write cannot be moved.
    fn open(&self, spot: &Spot<'_>, entry: Identity, mode: Option<u32>) -> ToolResult<()> {
        self.give_mode(spot, entry, mode.map(|mode| mode | OWNER))
    }

    fn give_mode(&self, spot: &Spot<'_>, entry: Identity, mode: Option<u32>) -> ToolResult<()> {
        let Some(mode) = mode else { return Ok(()) };
        fault::step()?;
        os::set_mode_at(&spot.folder, spot.name, entry.pair(), mode)
            .map_err(|error| self.failed("set the mode of", &error))
    }

    fn is_at(&self, spot: &Spot<'_>, old: &Departure) -> ToolResult<bool> {
        Ok(self.look(spot)?.is_some_and(|meta| Identity::of(&meta) == old.entry))
    }

    fn real_spot(&self) -> ToolResult<Option<Spot<'a>>> {
        self.places.real(self.action).map_err(|error| self.failed("look at", &error))
    }

    fn real(&self) -> ToolResult<Spot<'a>> {
        self.real_spot()?.ok_or_else(|| self.changed())
    }

    fn real_now(&self) -> ToolResult<Option<Metadata>> {
        match self.real_spot()? {
            Some(real) => self.look(&real),
            None => Ok(None),
        }
    }

    fn source(&self, new: &'a Arrival) -> ToolResult<Spot<'a>> {
        self.places.source(self.action, new).map_err(|error| self.failed("look at", &error))
    }

    fn away(&self, old: &'a Departure) -> ToolResult<Spot<'a>> {
        self.places.away(self.action, old).map_err(|error| self.failed("look at", &error))
    }

    fn look(&self, spot: &Spot<'_>) -> ToolResult<Option<Metadata>> {
        spot.look().map_err(|error| self.failed("look at", &error))
    }

    fn shown(&self) -> std::path::PathBuf {
        self.places.shown(self.action.root, &self.action.path)
    }

    fn failed(&self, doing: &str, error: &io::Error) -> ToolError {
        ToolError::io(doing, &self.shown(), error)
    }

    fn changed(&self) -> ToolError {
        let message = format!("Nothing was kept: {} was changed since.", self.shown().display());
        ToolError::new("changed_since", message).hint("Run the command again.")
    }
}
