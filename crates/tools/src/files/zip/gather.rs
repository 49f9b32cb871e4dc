//! What goes into an archive: files, folders with all that is in them, and links that stay among them.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
    time::SystemTime,
};

use cap_std::fs::{Dir, Metadata};
use deskhand_core::{Cx, ToolError, ToolResult};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, Tree, paths::show_name};

use super::{
    super::change::{entry_of, os, tree},
    limits, names,
};

/// A file or folder that was asked for.
pub struct Source {
    pub place: Place,
    /// For a folder.
    pub tree: Option<Tree>,
}

/// Something that goes into the archive.
pub struct Item {
    /// Which of the sources it belongs to.
    pub source: usize,
    /// Absolute, without links.
    pub path: PathBuf,
    /// Its name in the archive; that of a folder ends in a slash.
    pub name: Vec<u8>,
    pub what: What,
    pub mode: Option<u32>,
    pub modified: Option<SystemTime>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    File,
    Folder,
    /// With where it leads.
    Link(String),
}

#[derive(Default)]
pub struct Gathered {
    pub sources: Vec<Source>,
    pub items: Vec<Item>,
    /// Of all files.
    pub bytes: u64,
    /// What is left out, with the reason.
    pub skipped: Vec<String>,
    /// Sensitive places below the folders that were asked for.
    pub private: Vec<PathBuf>,
}

impl Gathered {
    /// Finds everything. `output` is not put into itself.
    pub fn find(files: &[PathArg], output: &Place, cx: &Cx) -> ToolResult<Self> {
        let sources = sources(files, output, cx)?;
        let mut gathered = Self { sources, ..Self::default() };
        let top = common_folder(gathered.sources.iter().map(|source| source.place.path()));
        let places: Vec<Place> = gathered.sources.iter().map(|source| source.place.clone()).collect();
        let roots: Vec<&Path> = places.iter().map(|place| relative(place.path(), &top)).collect();
        for (source, place) in places.iter().enumerate() {
            let mut finder =
                Finder { gathered: &mut gathered, source, top: &top, output: output.path(), roots: &roots };
            let (parent, name) = entry_of(place)?;
            finder.see(place.path(), &parent, name, &place.metadata()?)?;
            if place.kind() == Kind::Folder {
                tree::walk(&place.folder()?, place.path(), cx, &mut |path, parent, name, meta| {
                    finder.see(path, parent, name, meta)
                })?;
            }
        }
        gathered.items.sort_by(|a, b| a.name.cmp(&b.name));
        if gathered.items.is_empty() {
            let error = ToolError::new(
                "nothing_to_compress",
                "Nothing of what was asked for can be put into an archive.",
            );
            return Err(match gathered.skipped.first() {
                Some(skipped) => error.hint(format!("{skipped}.")),
                None => error,
            });
        }
        Ok(gathered)
    }

    pub fn how_many(&self, what: fn(&What) -> bool) -> usize {
        self.items.iter().filter(|item| what(&item.what)).count()
    }
}

fn sources(files: &[PathArg], output: &Place, cx: &Cx) -> ToolResult<Vec<Source>> {
    if files.is_empty() {
        return Err(ToolError::invalid("nothing_to_compress", "The list of files is empty.")
            .hint("Name at least one file or folder."));
    }
    let paths = cx.paths()?;
    let mut sources: Vec<Source> = Vec::new();
    for file in files {
        let place = paths.readable(file)?;
        if place.path() == output.path() {
            let message = format!("{} is to be compressed, and to be the archive.", place.shown());
            return Err(ToolError::invalid("output_is_input", message).hint("Give the archive another name."));
        }
        if let Some(other) = sources.iter().find(|other| holds(&other.place, &place)) {
            let message = format!(
                "{} would be in the archive twice: it is, or is in, {}.",
                place.shown(),
                other.place.shown()
            );
            return Err(ToolError::invalid("listed_twice", message).hint("Name each file or folder once."));
        }
        let tree = if place.kind() == Kind::Folder { Some(paths.tree(&place)?) } else { None };
        sources.push(Source { place, tree });
    }
    Ok(sources)
}

/// Whether one of the two is the other, or is in it.
fn holds(a: &Place, b: &Place) -> bool {
    a.path().starts_with(b.path()) || b.path().starts_with(a.path())
}

/// The innermost folder that everything is in.
fn common_folder<'a>(mut paths: impl Iterator<Item = &'a Path>) -> PathBuf {
    let parent = |path: &'a Path| path.parent().unwrap_or(path);
    let first = paths.next().map_or(Path::new(""), parent);
    let folder = paths.fold(first, |common, path| {
        common.ancestors().find(|folder| parent(path).starts_with(folder)).unwrap_or(common)
    });
    folder.to_path_buf()
}

fn relative<'a>(path: &'a Path, top: &Path) -> &'a Path {
    path.strip_prefix(top).unwrap_or(path)
}

/// Looks at what a walk meets.
struct Finder<'a> {
    gathered: &'a mut Gathered,
    source: usize,
    top: &'a Path,
    output: &'a Path,
    /// The names of all sources in the archive.
    roots: &'a [&'a Path],
}

impl Finder<'_> {
    fn see(&mut self, path: &Path, parent: &Dir, name: &OsStr, meta: &Metadata) -> ToolResult<()> {
        if path == self.output {
            return Ok(());
        }
        let tree = self.gathered.sources.get(self.source).and_then(|source| source.tree.as_ref());
        if tree.is_some_and(|tree| path != tree.root() && !tree.admits(path)) {
            self.gathered.private.push(path.to_path_buf());
        }
        let inside = relative(path, self.top);
        let what = match self.what(inside, parent, name, meta) {
            Ok(what) => what,
            Err(why) => {
                self.skip(inside, why);
                return Ok(());
            }
        };
        let mut stored = stored_name(inside);
        if let Err(why) = names::path_of_raw(&stored) {
            self.skip(inside, &format!("its name cannot be stored: {why}"));
            return Ok(());
        }
        if what == What::Folder {
            stored.push(b'/');
        }
        let known = os::meta_of(meta);
        if what == What::File {
            self.gathered.bytes += meta.len();
        }
        self.gathered.items.push(Item {
            source: self.source,
            path: path.to_path_buf(),
            name: stored,
            what,
            mode: known.mode,
            modified: known.modified,
        });
        if self.gathered.items.len() > limits::MOST_ENTRIES {
            let message =
                format!("More than {} files and folders are too many for one archive.", limits::MOST_ENTRIES);
            return Err(
                ToolError::new("too_many_entries", message).hint("Compress the folders in it one by one.")
            );
        }
        Ok(())
    }

    fn skip(&mut self, inside: &Path, why: &str) {
        self.gathered.skipped.push(format!("{}: {why}", names::shown(&show_name(inside.as_os_str()))));
    }

    fn what(&self, inside: &Path, parent: &Dir, name: &OsStr, meta: &Metadata) -> Result<What, &'static str> {
        if meta.is_dir() {
            return Ok(What::Folder);
        }
        if meta.is_file() {
            return Ok(What::File);
        }
        if !meta.is_symlink() {
            return Err("it is a pipe, a socket or a device");
        }
        let target = parent.read_link_contents(name).map_err(|_| "it is a link that cannot be read")?;
        match target.to_str() {
            Some(text) if stays_inside(inside, &target, self.roots) => Ok(What::Link(text.to_owned())),
            _ => Err("it is a link that leads out of what is compressed"),
        }
    }
}

/// Whether a link, wherever the archive is unpacked, leads to something of the archive. A `..` after a name
/// is not looked at: that name could be a link, too, and `..` then lead anywhere.
fn stays_inside(link: &Path, target: &Path, roots: &[&Path]) -> bool {
    let mut at = link.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut seen_name = false;
    for part in target.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if seen_name => return false,
            Component::ParentDir => {
                if !at.pop() {
                    return false;
                }
            }
            Component::Normal(name) => {
                seen_name = true;
                at.push(name);
            }
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    roots.iter().any(|root| at.starts_with(root))
}

/// With slashes between the parts. Names that are not UTF-8 are stored as they are.
fn stored_name(inside: &Path) -> Vec<u8> {
    let parts: Vec<&[u8]> = inside.iter().map(OsStr::as_encoded_bytes).collect();
    parts.join(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_common_folder() {
        for (paths, folder) in [
            (vec!["/w/a"], "/w"),
            (vec!["/w/a", "/w/b"], "/w"),
            (vec!["/w/a/x", "/w/b/y"], "/w"),
            (vec!["/w/a/x", "/w/a/b/y"], "/w/a"),
            (vec!["/w/a", "/v/a"], "/"),
            (vec!["/w/ab/x", "/w/a/x"], "/w"),
        ] {
            assert_eq!(common_folder(paths.iter().map(Path::new)), Path::new(folder), "{paths:?}");
        }
    }

    #[test]
    fn links_that_stay() {
        let roots = [Path::new("a"), Path::new("d/b")];
        for (link, target, stays) in [
            ("a/l", "x", true),
            ("a/l", "./s/x", true),
            ("a/s/l", "../x", true),
            ("a/l", "../d/b/x", true),
            ("a/l", "../d/x", false),
            ("a/l", "../x", false),
            ("a/l", "..", false),
            ("a/l", "../../a/x", false),
            ("a/l", "/etc/passwd", false),
            ("a/l", "s/../x", false),
            ("a/l", "s/../../../x", false),
            ("a/l", "../ab/x", false),
        ] {
            assert_eq!(stays_inside(Path::new(link), Path::new(target), &roots), stays, "{link} → {target}");
        }
    }
}
