//! Looking through a tree before a call copies, moves or removes it: how much it is, and what in it wants more
//! of a permission than its top.

use std::path::Path;

use cap_std::{ambient_authority, fs::Dir};
use deskhand_core::{Access, Cx, Permission, Plan, ToolError, ToolResult};
use deskhand_guard::{PathsOf, Place, paths::show_name};

use super::{
    change::{
        os,
        tree::{self, Amount},
    },
    counted::counted,
};

/// A tree with more entries than this is not looked through to its end.
const MOST_ENTRIES: u64 = if cfg!(test) { 2_000 } else { 200_000 };
/// How many of the entries that want more are named.
const MOST_NAMED: usize = 5;

/// What was found.
#[derive(Default)]
pub struct Scan {
    pub amount: Amount,
    /// The first pipe, socket or device.
    pub special: Option<String>,
    strictest: Option<(Permission, &'static str, String)>,
    named: Vec<String>,
    is_cut: bool,
}

impl Scan {
    /// Looks at a place and everything below it. `uses` are the tops of the tree, where it is and where it
    /// will be, with what is done to it there. What is forbidden in it, or is mounted in it, is an error.
    pub fn of(place: &Place, uses: &[(&Path, Access)], cx: &Cx) -> ToolResult<Self> {
        let mut scan = Self::default();
        let meta = place.metadata()?;
        scan.amount.add(&meta);
        if !meta.is_dir() {
            if !meta.is_file() && !meta.is_symlink() {
                scan.special = Some(place.shown());
            }
            return Ok(scan);
        }
        scan.look_through(&place.folder()?, place.path(), os::device_of(&meta), uses, cx)?;
        Ok(scan)
    }

    /// As [`Self::of`], for what the undo journal keeps of a tree that will be elsewhere again.
    pub fn of_kept(path: &Path, uses: &[(&Path, Access)], cx: &Cx) -> ToolResult<Self> {
        let mut scan = Self::default();
        let failed = |error: std::io::Error| ToolError::io("look at", path, &error);
        if !path.symlink_metadata().map_err(failed)?.is_dir() {
            return Ok(scan);
        }
        let folder = Dir::open_ambient_dir(path, ambient_authority()).map_err(failed)?;
        let meta = folder.dir_metadata().map_err(failed)?;
        scan.amount.add(&meta);
        scan.look_through(&folder, path, os::device_of(&meta), uses, cx)?;
        Ok(scan)
    }

    fn look_through(
        &mut self,
        folder: &Dir,
        at: &Path,
        device: u64,
        uses: &[(&Path, Access)],
        cx: &Cx,
    ) -> ToolResult<()> {
        let walked = tree::walk(folder, at, cx, &mut |path, _, _, meta| {
            if self.amount.files + self.amount.folders + self.amount.links >= MOST_ENTRIES {
                self.is_cut = true;
                return Err(enough());
            }
            self.amount.add(meta);
            if os::device_of(meta) != device {
                return Err(mounted(path));
            }
            if !meta.is_dir() && !meta.is_file() && !meta.is_symlink() {
                self.special.get_or_insert_with(|| show_name(path.as_os_str()));
            }
            let inner = path.strip_prefix(at).unwrap_or(path);
            uses.iter().try_for_each(|(top, access)| self.judge(&top.join(inner), *access, cx))
        });
        match walked {
            Err(error) if !self.is_cut => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether there is more than what was counted.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether it is a folder with something in it.
    pub fn is_filled(&self) -> bool {
        let Amount { files, folders, links, .. } = self.amount;
        folders > 0 && files + folders + links > 1
    }

    fn judge(&mut self, path: &Path, access: Access, cx: &Cx) -> ToolResult<()> {
        let (permission, rule, why) = cx.paths()?.verdict(path, access)?;
        if permission == Permission::Sensitive && self.named.len() < MOST_NAMED {
            self.named.push(format!("{}: {why}", show_name(path.as_os_str())));
        }
        if self.strictest.as_ref().is_none_or(|(most, ..)| permission > *most) {
            self.strictest = Some((permission, rule, format!("{} {why}", show_name(path.as_os_str()))));
        }
        Ok(())
    }

    /// Raises the plan's permission to what the tree wants, and says why.
    pub fn raise(&self, mut plan: Plan) -> Plan {
        if self.is_cut {
            let why =
                format!("There are more than {MOST_ENTRIES} entries in it, and not all were looked at.");
            plan = plan.at_least(Permission::Sensitive, "tree:too-large", &why).note(why);
        }
        if let Some((permission, rule, why)) = &self.strictest {
            plan = plan.at_least(*permission, *rule, why);
        }
        self.named.iter().fold(plan, Plan::note)
    }

    /// As [`Self::raise`], for a tree that goes away with everything in it.
    pub fn raise_removal(&self, plan: Plan) -> Plan {
        let why = format!("It removes a folder with everything in it: {}.", self.words());
        self.raise(plan).at_least(Permission::Sensitive, "delete:recursive", &why).note(why)
    }

    /// An error if there is something in it that cannot be copied.
    pub fn can_be_copied(&self) -> ToolResult<()> {
        match &self.special {
            None => Ok(()),
            Some(path) => {
                let message = format!("{path} is a pipe, a socket or a device, which is not copied.");
                Err(ToolError::new("not_a_file", message))
            }
        }
    }

    /// As in "3 files, 2 folders, 120 bytes".
    pub fn words(&self) -> String {
        let more = if self.is_cut { "more than " } else { "" };
        format!("{more}{}", amount_words(&self.amount))
    }
}

pub fn amount_words(amount: &Amount) -> String {
    let many = |n: u64, word: &str| (n > 0).then(|| counted(n, word));
    let Amount { files, folders, links, bytes } = *amount;
    let parts = [many(files, "file"), many(folders, "folder"), many(links, "link"), many(bytes, "byte")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if bytes == 0 { format!("{}, 0 bytes", parts.join(", ")) } else { parts.join(", ") }
}

/// Ends a walk that has seen enough; nobody gets to see it.
fn enough() -> ToolError {
    ToolError::new("enough", "")
}

fn mounted(path: &Path) -> ToolError {
    let message = format!("Another file system is mounted at {}.", show_name(path.as_os_str()));
    ToolError::new("other_file_system", message).hint("Unmount it, or name what is meant more narrowly.")
}
