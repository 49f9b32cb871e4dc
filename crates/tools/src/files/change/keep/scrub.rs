//! What never lands: the overlay's own marks, whiteouts, devices, sockets, and bits that lend rights. They are taken
//! away in the upper folder, which nobody else sees, before anything is accepted.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileTypeExt, Metadata, MetadataExt};
use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::paths::show_name;

use super::{
    super::{
        os,
        tree::{self, Amount, Listing},
    },
    action::Identity,
    handles::look_at,
};

/// The bits that let a program run as its owner or group.
pub const LENT_RIGHTS: u32 = 0o6000;
/// The bits that let the owner of a folder work in it.
pub const OWNER: u32 = 0o700;
/// As deep as a layer is read.
const MOST_LEVELS: usize = 500;
/// How many of one kind are named.
const MOST_NAMED: usize = 3;

/// Takes away what must not land, and remembers what it was.
pub struct Scrubber<'a> {
    cx: &'a Cx,
    sockets: Vec<PathBuf>,
    devices: Vec<PathBuf>,
    lent_rights: Vec<PathBuf>,
    /// Room for the names of attributes.
    names: Vec<u8>,
}

/// Something that may land.
pub struct Scrubbed {
    pub meta: Metadata,
    /// Everything below a folder.
    pub listing: Listing,
    /// All of it, itself included.
    pub amount: Amount,
}

/// Where an entry is: its folder and its name there, its path in the upper folder, and where it will land.
pub struct Spot<'s> {
    pub folder: &'s Dir,
    pub name: &'s OsStr,
    pub upper: PathBuf,
    pub shown: PathBuf,
}

impl Spot<'_> {
    fn failed(&self, error: &io::Error) -> ToolError {
        ToolError::io("look at", &self.shown, error)
    }
}

impl<'a> Scrubber<'a> {
    pub fn new(cx: &'a Cx) -> Self {
        Self { cx, sockets: Vec::new(), devices: Vec::new(), lent_rights: Vec::new(), names: vec![0; 4096] }
    }

    /// Scrubs an entry with everything below it. `None` if it does not land at all.
    pub fn scrub(&mut self, spot: &Spot<'_>) -> ToolResult<Option<Scrubbed>> {
        let Some(meta) = self.entry(spot)? else { return Ok(None) };
        let mut scrubbed = Scrubbed { listing: Listing::new(), amount: Amount::default(), meta };
        scrubbed.amount.add(&scrubbed.meta);
        if scrubbed.meta.is_dir() {
            let mode = scrubbed.meta.mode();
            self.below(spot, mode, Path::new(""), 1, &mut scrubbed)?;
        }
        Ok(Some(scrubbed))
    }

    fn below(
        &mut self,
        spot: &Spot<'_>,
        mode: u32,
        at: &Path,
        level: usize,
        found: &mut Scrubbed,
    ) -> ToolResult<()> {
        if level > MOST_LEVELS {
            let shown: String = show_name(spot.shown.as_os_str()).chars().take(200).collect();
            let message =
                format!("The command made folders more than {MOST_LEVELS} levels deep, below {shown}…");
            return Err(ToolError::new("too_deep", message));
        }
        let failed = |error: io::Error| spot.failed(&error);
        opened_up(spot, mode).map_err(failed)?;
        let folder = spot.folder.open_dir_nofollow(spot.name).map_err(failed)?;
        let names =
            || folder.entries()?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<OsString>>>();
        for name in names().map_err(failed)? {
            self.cx.check()?;
            let inner = Spot {
                folder: &folder,
                name: &name,
                upper: spot.upper.join(&name),
                shown: spot.shown.join(&name),
            };
            let Some(meta) = self.entry(&inner)? else { continue };
            let path = at.join(&name);
            found.amount.add(&meta);
            found.listing.insert(show_name(path.as_os_str()), tree::listed(&folder, &name, &meta));
            if meta.is_dir() {
                self.below(&inner, meta.mode(), &path, level + 1, found)?;
            }
        }
        closed_again(spot, mode).map_err(failed)
    }

    /// Scrubs one entry. `None` if it does not land.
    fn entry(&mut self, spot: &Spot<'_>) -> ToolResult<Option<Metadata>> {
        let failed = |error: io::Error| spot.failed(&error);
        let Some(meta) = look_at(spot.folder, spot.name).map_err(failed)? else { return Ok(None) };
        let kind = meta.file_type();
        if kind.is_char_device() || kind.is_block_device() || kind.is_socket() {
            let is_whiteout = kind.is_char_device() && meta.rdev() == 0;
            if kind.is_socket() {
                self.sockets.push(spot.shown.clone());
            } else if !is_whiteout {
                self.devices.push(spot.shown.clone());
            }
            spot.folder.remove_file(spot.name).map_err(failed)?;
            return Ok(None);
        }
        let mut is_same = true;
        if meta.is_file() && meta.mode() & LENT_RIGHTS != 0 {
            let mode = meta.mode() & 0o7777 & !LENT_RIGHTS;
            os::set_mode_at(spot.folder, spot.name, os::identity_of(&meta), mode).map_err(failed)?;
            self.lent_rights.push(spot.shown.clone());
            is_same = false;
        }
        // Links and pipes have no attributes that anyone could set.
        if meta.is_file() || meta.is_dir() {
            self.attributes(spot, &meta).map_err(failed)?;
        }
        if is_same { Ok(Some(meta)) } else { look_at(spot.folder, spot.name).map_err(failed) }
    }

    fn attributes(&mut self, spot: &Spot<'_>, meta: &Metadata) -> io::Result<()> {
        let length = loop {
            match rustix::fs::llistxattr(&spot.upper, &mut self.names[..]) {
                Ok(length) => break length,
                Err(rustix::io::Errno::RANGE) => self.names.resize(self.names.len() * 4, 0),
                Err(rustix::io::Errno::NOTSUP) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        };
        let listed = self.names[..length].split(|byte| *byte == 0);
        let marks: Vec<&[u8]> = listed.filter(|name| is_mark(name)).collect();
        if marks.is_empty() {
            return Ok(());
        }
        let mode = meta.mode() & 0o7777;
        let identity = Identity::of(meta).pair();
        // Who may not write a file may not change its attributes either.
        os::set_mode_at(spot.folder, spot.name, identity, mode & !LENT_RIGHTS | 0o200)?;
        for name in marks {
            match rustix::fs::lremovexattr(&spot.upper, name) {
                Ok(()) | Err(rustix::io::Errno::NODATA) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let lent = if meta.is_file() { LENT_RIGHTS } else { 0 };
        os::set_mode_at(spot.folder, spot.name, identity, mode & !lent)
    }

    /// A bit that lends rights is not given to this file.
    pub fn lends_no_rights(&mut self, path: PathBuf) {
        self.lent_rights.push(path);
    }

    /// What was taken away, in words.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let mut say = |paths: &[PathBuf], one: &str, many: &str| {
            if !paths.is_empty() {
                let named: Vec<String> =
                    paths.iter().take(MOST_NAMED).map(|path| show_name(path.as_os_str())).collect();
                let more = if paths.len() > MOST_NAMED { ", …" } else { "" };
                let what = if paths.len() == 1 { one.to_owned() } else { format!("{} {many}", paths.len()) };
                notes.push(format!("{what} not kept: {}{more}", named.join(", ")));
            }
        };
        say(&self.sockets, "A socket was", "sockets were");
        say(&self.devices, "A device was", "devices were");
        say(&self.lent_rights, "A setuid or setgid bit was", "setuid or setgid bits were");
        notes
    }
}

/// Attributes that overlays set for themselves, and the one that lends rights to a program.
fn is_mark(name: &[u8]) -> bool {
    name.starts_with(b"user.overlay.") || name == b"security.capability"
}

/// Lets the owner into a folder that is to be looked into.
fn opened_up(spot: &Spot<'_>, mode: u32) -> io::Result<()> {
    set_owner_bits(spot, mode, OWNER)
}

fn closed_again(spot: &Spot<'_>, mode: u32) -> io::Result<()> {
    set_owner_bits(spot, mode, 0)
}

fn set_owner_bits(spot: &Spot<'_>, mode: u32, more: u32) -> io::Result<()> {
    let mode = mode & 0o7777;
    if mode & OWNER == OWNER {
        return Ok(());
    }
    let meta = spot.folder.symlink_metadata(spot.name)?;
    os::set_mode_at(spot.folder, spot.name, os::identity_of(&meta), mode | more)
}
