//! Looking through a tree before a call copies, moves or removes it: how much it is, and what in it wants more
//! of a permission than its top.

use std::path::Path;

use deskhand_core::{Access, Cx, Permission, Plan, ToolError, ToolResult};
use deskhand_guard::{PathsOf, Place, paths::show_name};

use super::change::{
    os,
    tree::{self, Amount},
};

/// A tree with more entries than this is not looked through to its end.
const MOST_ENTRIES: u64 = 200_000;
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
        let device = os::device_of(&meta);
        let walked = tree::walk(&place.folder()?, Path::new(""), cx, &mut |path, _, _, meta| {
            if scan.amount.files + scan.amount.folders + scan.amount.links >= MOST_ENTRIES {
                scan.is_cut = true;
                return Err(enough());
            }
            scan.amount.add(meta);
            if os::device_of(meta) != device {
                return Err(mounted(&place.path().join(path)));
            }
            if !meta.is_dir() && !meta.is_file() && !meta.is_symlink() {
                scan.special.get_or_insert_with(|| show_name(place.path().join(path).as_os_str()));
            }
            uses.iter().try_for_each(|(top, access)| scan.judge(&top.join(path), *access, cx))
        });
        match walked {
            Err(error) if !scan.is_cut => Err(error),
            _ => Ok(scan),
        }
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
    let many = |n: u64, word: &str| match n {
        0 => None,
        1 => Some(format!("1 {word}")),
        n => Some(format!("{n} {word}s")),
    };
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
