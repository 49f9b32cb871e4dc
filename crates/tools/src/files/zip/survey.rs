//! What unpacking an archive would do to the folder it is unpacked into.

use std::path::{Path, PathBuf};

use deskhand_core::{Access, Cx, Plan, Preview, ToolError, ToolResult};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn, paths::show_name};

use super::{
    super::{change, counted::counted},
    archive::Archive,
    contents::{Contents, Entry, What},
    first_lines,
    limits::Room,
};

/// Places below the destination that need more than it does, named in the plan one by one.
const MOST_NAMED: usize = 20;
/// What the undo journal writes down of each file or folder that is made, about.
const RECORD: u64 = 200;

/// Whether files that are there already may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    Refuse,
    Replace,
}

/// An archive, a destination, and how they meet.
pub struct Survey<'a> {
    pub from: Place,
    pub to: Place,
    pub archive: Archive<'a>,
    pub contents: Contents,
    pub room: Room,
    /// The files that would be replaced.
    pub replaced: Vec<PathBuf>,
    replaced_bytes: u64,
    /// Those for which more must be asked than for the destination itself.
    private: Vec<Place>,
}

impl<'a> Survey<'a> {
    pub fn make(
        file: &PathArg,
        destination: Option<&PathArg>,
        existing: Existing,
        cx: &'a Cx,
    ) -> ToolResult<Self> {
        let paths = cx.paths()?;
        let from = paths.readable(file)?;
        let to = match destination {
            Some(destination) => paths.writable(destination)?,
            None => paths.recorded(&usual_destination(from.path()), Access::Modify)?,
        };
        if to.exists() && to.kind() != Kind::Folder {
            let message = format!("{} exists already, and is not a folder.", to.shown());
            return Err(ToolError::new("not_a_directory", message).hint("Give another destination."));
        }
        let archive = Archive::open(&from, cx)?;
        let contents = Contents::read(&archive, cx)?;
        let room = room_at(&to)?;
        room.check(contents.bytes)?;
        let mut survey = Self {
            from,
            to,
            archive,
            contents,
            room,
            replaced: Vec::new(),
            replaced_bytes: 0,
            private: Vec::new(),
        };
        survey.meet(cx)?;
        if existing == Existing::Refuse && !survey.replaced.is_empty() {
            return Err(survey.in_the_way());
        }
        Ok(survey)
    }

    /// Looks at what is where the entries would be.
    fn meet(&mut self, cx: &Cx) -> ToolResult<()> {
        let paths = cx.paths()?;
        for (n, (path, entry)) in self.contents.made().enumerate() {
            if n % 256 == 0 {
                cx.check()?;
            }
            let place = paths.below(&self.to, path, Access::Modify)?;
            if place.through_link() {
                return Err(through_a_link(&self.to, path));
            }
            if place.permission() > self.to.permission() && self.private.len() < MOST_NAMED {
                self.private.push(place.clone());
            }
            if place.exists() && meets(&place, entry)? {
                self.replaced_bytes += place.metadata()?.len();
                self.replaced.push(path.to_path_buf());
            }
        }
        Ok(())
    }

    fn in_the_way(&self) -> ToolError {
        const MOST: usize = 10;
        let shown: Vec<String> =
            self.replaced.iter().take(MOST).map(|path| show_name(path.as_os_str())).collect();
        let more = if self.replaced.len() > MOST { ", …" } else { "" };
        let message = format!(
            "{} of the archive exist already in {}: {}{more}. Nothing was unpacked.",
            counted(self.replaced.len(), "file"),
            self.to.shown(),
            shown.join(", "),
        );
        ToolError::new("already_exists", message)
            .hint("Give another destination, or overwrite: true to replace them.")
    }

    pub fn plan(&self, cx: &Cx) -> ToolResult<Plan> {
        let mut plan = Plan::new(self.summary()).on(&self.from).on_tree(&self.to);
        plan = self.private.iter().fold(plan, PlanOn::on);
        if !self.replaced.is_empty() {
            plan = plan.note(format!("{} would be replaced.", counted(self.replaced.len(), "file")));
        }
        if !self.contents.skipped.is_empty() {
            let lines = first_lines(self.contents.skipped.iter().cloned());
            plan = plan.note(format!("Left out:\n{}", lines.trim_end()));
        }
        let records = RECORD * self.contents.entries.len() as u64;
        let plan = change::say_if_too_large(plan, cx, self.replaced_bytes.saturating_add(records))?;
        Ok(plan.preview(Preview::Text(self.preview())))
    }

    fn summary(&self) -> String {
        let Contents { bytes, .. } = self.contents;
        let (files, folders) = (self.contents.how_many(What::File), self.contents.how_many(What::Folder));
        let replacing = match self.replaced.len() {
            0 => String::new(),
            n => format!(", replacing {}", counted(n, "file")),
        };
        format!(
            "Unpack {} into {}: {}, {}, {}{replacing}",
            self.from.shown(),
            self.to.shown(),
            counted(files, "file"),
            counted(folders, "folder"),
            counted(bytes, "byte"),
        )
    }

    fn preview(&self) -> String {
        let made: Vec<_> = self.contents.made().collect();
        first_lines(made.into_iter().map(|(path, entry)| {
            let name = show_name(path.as_os_str());
            let replaces = if self.replaced.binary_search_by(|p| p.as_path().cmp(path)).is_ok() {
                "  (replaces the file that is there)"
            } else {
                ""
            };
            match entry.what {
                What::Folder => format!("{name}/"),
                _ => format!("{name}  {}{replaces}", entry.size),
            }
        }))
    }

    /// That the run finds what the plan had said: the archive may have been replaced since.
    pub fn holds(&self, cx: &Cx) -> ToolResult<()> {
        let preview = Preview::Text(self.preview());
        match cx.plan() {
            Some(plan) if plan.summary != self.summary() || plan.preview.as_ref() != Some(&preview) => {
                Err(ToolError::plan_changed(format!("{} is not what it was.", self.from.shown())))
            }
            _ => Ok(()),
        }
    }
}

/// Named like the archive without its ending, beside it.
fn usual_destination(archive: &Path) -> PathBuf {
    let folder = archive.with_extension("");
    if folder == archive {
        let mut name = archive.file_name().unwrap_or_default().to_owned();
        name.push("-files");
        return archive.with_file_name(name);
    }
    folder
}

/// The room on the disk that a place is on, whether it is there already or not.
fn room_at(to: &Place) -> ToolResult<Room> {
    let folder = match to.missing_folders().first() {
        Some(outermost) => outermost.parent()?,
        None if to.exists() => to.folder()?,
        None => to.parent()?,
    };
    Ok(Room::of(&folder))
}

/// Whether an entry replaces the file that is there. An error where something else is in its way.
fn meets(place: &Place, entry: &Entry) -> ToolResult<bool> {
    let what = match (entry.what, place.kind()) {
        (What::File, Kind::File) => return Ok(true),
        (What::Folder, Kind::Folder) | (_, Kind::Absent) => return Ok(false),
        (_, Kind::Link) => "a link, which is not written through",
        (_, Kind::Folder) => "a folder, and should be a file",
        (_, Kind::File) => "a file, and should be a folder",
        (_, Kind::Special) => "a pipe, a socket or a device",
    };
    let message = format!("{} exists already and is {what}. Nothing was unpacked.", place.shown());
    Err(ToolError::new("already_exists", message).hint("Give another destination."))
}

fn through_a_link(to: &Place, path: &Path) -> ToolError {
    let message = format!(
        "{} in {} leads through a link that is there, out of the destination. Nothing was unpacked.",
        show_name(path.as_os_str()),
        to.shown()
    );
    ToolError::new("already_exists", message).hint("Give another destination.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_destination() {
        for (archive, folder) in [
            ("/a/b.zip", "/a/b"),
            ("/a/b.tar.zip", "/a/b.tar"),
            ("/a/b", "/a/b-files"),
            ("/a/.zip", "/a/.zip-files"),
        ] {
            assert_eq!(usual_destination(Path::new(archive)), Path::new(folder), "{archive}");
        }
    }
}
