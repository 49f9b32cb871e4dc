//! Where a copied or moved thing goes: what `file_copy` and `file_move` have in common.

use std::path::Path;

use deskhand_core::{Access, Cx, Plan, ToolError, ToolResult};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn, paths::show_name};

use super::change::{self, os};

/// From where to where.
pub struct Transfer {
    pub source: Place,
    pub target: Place,
    /// The existing folder that the target is in, where the caller named that.
    folder: Option<Place>,
    /// What there is at the target, and must make way.
    pub replaces: Kind,
}

impl Transfer {
    /// `source` is the entry itself; a link is not followed.
    pub fn find(source: Place, destination: &PathArg, overwrite: bool, cx: &Cx) -> ToolResult<Self> {
        let (folder, target) = target_of(&source, destination, cx)?;
        let transfer = Self { replaces: target.kind(), source, target, folder };
        transfer.check(overwrite)?;
        Ok(transfer)
    }

    fn check(&self, overwrite: bool) -> ToolResult<()> {
        let (source, target) = (&self.source, &self.target);
        let (from, to) = (source.shown(), target.shown());
        if target.path() == source.path() {
            return Err(ToolError::invalid(
                "same_file",
                format!("Source and destination are the same: {from}."),
            ));
        }
        if source.kind() == Kind::Folder && target.path().starts_with(source.path()) {
            return Err(ToolError::invalid("into_itself", format!("{to} is inside of {from} itself.")));
        }
        if self.replaces == Kind::Absent || self.changes_case() {
            return Ok(());
        }
        let exists = |hint: &str| {
            Err(ToolError::new("already_exists", format!("{to} exists already.")).hint(hint.to_owned()))
        };
        if self.is_same_file() {
            let message = format!("{from} and {to} are two names of the same file.");
            return Err(ToolError::new("same_file", message));
        }
        if self.replaces == Kind::Folder || source.kind() == Kind::Folder {
            return exists(
                "A folder is neither replaced nor replaces something: choose another name, or remove it first.",
            );
        }
        if self.replaces == Kind::Special {
            return exists("It is a pipe, a socket or a device, which is not replaced.");
        }
        if overwrite { Ok(()) } else { exists("Set overwrite to replace it.") }
    }

    fn is_same_file(&self) -> bool {
        match (self.source.metadata(), self.target.metadata()) {
            (Ok(a), Ok(b)) => os::identity_of(&a) == os::identity_of(&b),
            _ => false,
        }
    }

    /// Whether only the case of the name changes, on a file system where that makes no other name.
    fn changes_case(&self) -> bool {
        let fold = |place: &Place| place.path().to_string_lossy().to_lowercase();
        fold(&self.source) == fold(&self.target) && self.is_same_file()
    }

    /// Whether something at the target is lost.
    pub fn overwrites(&self) -> bool {
        self.replaces != Kind::Absent && !self.changes_case()
    }

    /// How much is lost at the target.
    pub fn bytes_lost(&self) -> u64 {
        let file = self.target.metadata().ok().filter(|meta| meta.is_file() && self.overwrites());
        file.map_or(0, |meta| meta.len())
    }

    /// Says in the plan, and asks, where a file is replaced by one that is much smaller.
    pub fn say_if_it_shrinks(&self, plan: Plan) -> Plan {
        match self.source.metadata() {
            Ok(meta) if meta.is_file() => change::say_if_it_shrinks(plan, self.bytes_lost(), meta.len()),
            _ => plan,
        }
    }

    /// Puts both ends into the plan.
    pub fn on(&self, plan: Plan) -> Plan {
        let is_tree = self.source.kind() == Kind::Folder;
        let put = |plan: Plan, place: &Place| if is_tree { plan.on_tree(place) } else { plan.on(place) };
        let plan = put(put(plan, &self.source), &self.target);
        let plan = self.folder.iter().fold(plan, Plan::on);
        let missing = self.target.missing_folders();
        missing.iter().fold(plan, |plan, folder| plan.note(format!("Creates the folder {}.", folder.shown())))
    }
}

/// The folder, where the destination is one that exists, and the target itself.
fn target_of(source: &Place, destination: &PathArg, cx: &Cx) -> ToolResult<(Option<Place>, Place)> {
    let paths = cx.paths()?;
    let name = source.name().unwrap_or_default();
    let folder = match paths.readable(destination) {
        Ok(place) if place.kind() == Kind::Folder => Some(place),
        Err(error) if error.code != "no_such_file" => return Err(error),
        _ => None,
    };
    if let Some(folder) = folder {
        if names_it_anew(source, &folder, &paths.readable_entry(destination)?) {
            return Ok((None, paths.writable_entry(destination)?));
        }
        let target = paths.below(&folder, Path::new(name), Access::Modify)?;
        return Ok((Some(folder), target));
    }
    let inside = PathArg::new(format!("{}{}", destination.as_str(), show_name(name)));
    let is_new_folder = destination.as_str().ends_with('/');
    Ok((None, paths.writable_entry(if is_new_folder { &inside } else { destination })?))
}

/// Whether the destination is the source itself under a name that differs in case alone: a new name for it, not
/// a folder to go into.
fn names_it_anew(source: &Place, folder: &Place, entry: &Place) -> bool {
    let is_same = match (source.metadata(), folder.metadata()) {
        (Ok(a), Ok(b)) => os::identity_of(&a) == os::identity_of(&b),
        _ => false,
    };
    is_same && entry.path() != source.path() && entry.path().parent() == source.path().parent()
}
