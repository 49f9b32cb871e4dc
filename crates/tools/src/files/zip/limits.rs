//! How much an archive may come to: in its directory, where it says so itself, and once more while it is
//! unpacked, since it may lie.

use cap_std::fs::Dir;
use deskhand_core::{Cx, ToolError, ToolResult};

use super::names;

/// Files and folders, those included that only stand in names of others.
pub const MOST_ENTRIES: usize = 100_000;
/// Bytes of everything unpacked.
pub const MOST_BYTES: u64 = 10 * 1024 * 1024 * 1024;
/// Bytes that are read to find and read the directory of an archive.
pub const MOST_DIRECTORY: u64 = 32 * 1024 * 1024;
/// More than this for one is no text and no picture, but a bomb; the best that the method can do is 1032.
const MOST_RATIO: u64 = 200;
/// What comes to no more than this does no harm, whatever its ratio.
const HARMLESS: u64 = 10 * 1024 * 1024;
/// How much is done between two words about how far it is.
const STEP: u64 = 8 * 1024 * 1024;

pub fn too_many_entries() -> ToolError {
    ToolError::new("too_many_entries", format!("The archive has more than {MOST_ENTRIES} files and folders."))
        .hint("Such an archive is unpacked by hand, by someone who knows where it comes from.")
}

/// `what` is an entry, or the archive.
pub fn check_ratio(what: &str, size: u64, packed: u64) -> ToolResult<()> {
    if size <= HARMLESS || size / MOST_RATIO <= packed {
        return Ok(());
    }
    let message = format!(
        "{} would become {size} bytes from {packed}: more than {MOST_RATIO} for one, as in an archive made to fill the disk.",
        names::shown(what)
    );
    Err(ToolError::new("compression_bomb", message)
        .hint("Unpack it by hand if you know where it comes from."))
}

/// How many bytes may be unpacked into a folder.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    most: u64,
    free: Option<u64>,
}

impl Room {
    pub fn of(folder: &Dir) -> Self {
        let free = free_space(folder);
        Self { most: free.unwrap_or(u64::MAX).min(MOST_BYTES), free }
    }

    pub fn check(self, bytes: u64) -> ToolResult<()> {
        match self.free {
            _ if bytes <= self.most => Ok(()),
            Some(free) if free < MOST_BYTES => {
                let message = format!("The archive comes to {bytes} bytes, and {free} are free on the disk.");
                Err(ToolError::new("disk_full", message).hint("Free some space, then try again."))
            }
            _ => {
                let message = format!("The archive comes to {bytes} bytes; {MOST_BYTES} is the most.");
                Err(ToolError::new("too_large", message).hint("Unpack it by hand."))
            }
        }
    }
}

#[cfg(unix)]
fn free_space(folder: &Dir) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_space(_: &Dir) -> Option<u64> {
    None
}

/// Counts what is done, tells how far it is, and stops when it should.
pub struct Meter<'a> {
    cx: &'a Cx,
    doing: &'static str,
    done: u64,
    told: u64,
    total: u64,
    room: Option<Room>,
}

impl<'a> Meter<'a> {
    /// `doing` reads like "Extracting".
    pub fn new(cx: &'a Cx, doing: &'static str, total: u64) -> Self {
        Self { cx, doing, done: 0, told: 0, total, room: None }
    }

    pub fn within(self, room: Room) -> Self {
        Self { room: Some(room), ..self }
    }

    /// So many bytes more were done, of the entry `what`.
    pub fn add(&mut self, bytes: usize, what: &str) -> ToolResult<()> {
        self.cx.check()?;
        self.done += bytes as u64;
        if let Some(room) = self.room {
            room.check(self.done)?;
        }
        if self.done - self.told >= STEP {
            self.told = self.done;
            self.cx.progress(&format!("{} {what}", self.doing), Some(self.done), Some(self.total));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios() {
        assert!(check_ratio("x", HARMLESS, 1).is_ok());
        assert!(check_ratio("x", HARMLESS + 1, 1).is_err());
        assert!(check_ratio("x", 200 * HARMLESS, HARMLESS).is_ok());
        assert!(check_ratio("x", 201 * HARMLESS, HARMLESS).is_err());
        assert!(check_ratio("x", u64::MAX, 0).is_err());
    }

    #[test]
    fn a_meter_stops_at_the_limit_and_when_cancelled() {
        let cx = crate::testing::Desk::new().cx("x");
        let mut meter = Meter::new(&cx, "Unpacking", 5).within(Room { most: 5, free: Some(5) });
        assert!(meter.add(5, "x").is_ok());
        assert_eq!(meter.add(1, "x").unwrap_err().code, "disk_full");
        cx.cancel_token().cancel();
        assert_eq!(meter.add(0, "x").unwrap_err().code, "cancelled");
    }

    #[test]
    fn room() {
        let wide = Room { most: MOST_BYTES, free: Some(u64::MAX) };
        assert!(wide.check(MOST_BYTES).is_ok());
        assert_eq!(wide.check(MOST_BYTES + 1).unwrap_err().code, "too_large");
        let narrow = Room { most: 5, free: Some(5) };
        assert!(narrow.check(5).is_ok());
        assert_eq!(narrow.check(6).unwrap_err().code, "disk_full");
    }
}
