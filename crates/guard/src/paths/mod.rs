//! The path policy: what may be read and written, decided on what a path really is.
//!
//! A caller's string is a [`PathArg`]. Only [`BoundPaths`] turns it into a [`Place`], which is the only thing
//! that can be opened: links are resolved, components compared with the roots and the sensitive places, and
//! what is opened later is opened without following any link, so that nothing gets out unnoticed in between.

mod arg;
pub(crate) mod classify;
mod in_memory;
mod open;
mod place;
mod resolve;
pub(crate) mod runs_later;
pub(crate) mod sensitive;
#[cfg(test)]
mod tests;
mod tree;

use std::{
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cap_std::{
    ambient_authority,
    fs::{Dir, Metadata},
};
use deskhand_core::{Access, Cx, Permission, Plan, ToolError, ToolResult, Waiting, output};

pub use self::{
    arg::{PathArg, show_name},
    open::folder as open_without_links,
    place::{Kind, Place},
    resolve::LinkRule,
    tree::Tree,
};
use self::{classify::Class, resolve::Resolved};

/// What a caller may do below a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// Read freely; written after a question.
    Workspace,
    /// Uploads, skills.
    ReadOnly,
    /// A further folder that the setting `read_only_roots` names: read freely, written as what is outside.
    Further,
}

/// A folder in which calls work.
#[derive(Debug)]
pub struct Root {
    /// Absolute, links resolved.
    pub path: PathBuf,
    pub kind: RootKind,
    /// Pins the folder, whatever happens to its name.
    dir: Dir,
}

/// Where calls may work, and where not. Put into [`Services`](deskhand_core::Services).
#[derive(Clone, Debug)]
pub struct Paths(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    roots: Vec<Root>,
    file_system: Dir,
    home: Option<PathBuf>,
    /// Deskhand's own data and config.
    own: Vec<PathBuf>,
    outputs: PathBuf,
    restrict_to_workspace: bool,
}

/// What [`Paths`] is made of.
#[derive(Clone, Debug, Default)]
pub struct PathsConfig {
    /// The first is where relative paths start.
    pub workspaces: Vec<PathBuf>,
    pub read_only: Vec<PathBuf>,
    /// Further folders to read in. One that lies in a workspace is nothing more.
    pub further: Vec<PathBuf>,
    pub own: Vec<PathBuf>,
    /// The folder of kept outputs: `out:CALL_ID` is a file in it.
    pub outputs: PathBuf,
    pub home: Option<PathBuf>,
    pub restrict_to_workspace: bool,
}

impl Paths {
    /// Opens the roots. A workspace that is not there is an error; a read-only root that is not there is none.
    pub fn open(config: PathsConfig) -> io::Result<Self> {
        let PathsConfig { workspaces, read_only, further, own, outputs, home, restrict_to_workspace } =
            config;
        let mut roots = Vec::new();
        for path in workspaces {
            roots.push(open_root(&path, RootKind::Workspace)?);
        }
        if roots.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no workspace"));
        }
        for path in read_only {
            if let Ok(root) = open_root(&path, RootKind::ReadOnly) {
                roots.push(root);
            }
        }
        for path in further {
            if let Ok(root) = open_root(&path, RootKind::Further)
                && !roots.iter().any(|other| root.path.starts_with(&other.path))
            {
                roots.push(root);
            }
        }
        let file_system = Dir::open_ambient_dir(file_system_root(&roots[0].path), ambient_authority())?;
        // What is not there yet has a real path, too: a home behind a link, a config that will be made.
        let real =
            |path: PathBuf| resolve::resolve(&path, LinkRule::Follow).map_or(path, |resolved| resolved.path);
        Ok(Self(Arc::new(Inner {
            roots,
            file_system,
            home: home.map(real),
            own: own.into_iter().map(real).collect(),
            outputs: real(outputs),
            restrict_to_workspace,
        })))
    }

    /// Where relative paths start.
    pub fn workspace(&self) -> &Path {
        &self.0.roots[0].path
    }

    /// All folders to work in.
    pub fn workspaces(&self) -> impl Iterator<Item = &Path> {
        let ours = self.0.roots.iter().filter(|root| root.kind == RootKind::Workspace);
        ours.map(|root| root.path.as_path())
    }

    /// Further folders that are read without a question.
    pub fn further(&self) -> impl Iterator<Item = &Path> {
        self.0.roots.iter().filter(|root| root.kind == RootKind::Further).map(|root| root.path.as_path())
    }

    pub fn roots(&self) -> &[Root] {
        &self.0.roots
    }

    /// The home folder; real.
    pub fn home(&self) -> Option<&Path> {
        self.0.home.as_deref()
    }

    /// Deskhand's own data and config; real.
    pub fn own(&self) -> &[PathBuf] {
        &self.0.own
    }

    pub fn restrict_to_workspace(&self) -> bool {
        self.0.restrict_to_workspace
    }

    /// Something that may be read without a question, for whoever reads it outside of a call: by a person's click, not
    /// by a plan that somebody saw. Deskhand's own data never is.
    pub fn readable_unasked(&self, arg: &PathArg) -> ToolResult<Place> {
        let bound = BoundPaths { paths: self, plan: None, is_users: false, waiting: Waiting::Allowed };
        let place = bound.place(arg, Access::Read, LinkRule::Follow)?;
        // Of what may not be read, it is not even told whether it is there.
        if place.permission() != Permission::Public {
            let message = format!("Reading {} needs a question: {}", place.shown(), place.why());
            return Err(ToolError::blocked(place.rule(), message));
        }
        if self.own().iter().any(|own| place.path().starts_with(own)) {
            let message = format!("{} is Deskhand's own data.", place.shown());
            return Err(ToolError::blocked("path:own-data", message));
        }
        if place.exists() { Ok(place) } else { Err(BoundPaths::no_such_file(arg, &place)) }
    }

    /// The innermost root that holds a path.
    fn root_of(&self, real: &Path) -> Option<&Root> {
        self.0
            .roots
            .iter()
            .filter(|root| real.starts_with(&root.path))
            .max_by_key(|root| root.path.components().count())
    }

    /// The handle to open a path from, and the path from there.
    fn base_of<'a>(&'a self, real: &'a Path) -> (&'a Dir, &'a Path) {
        if let Some(root) = self.root_of(real)
            && let Ok(rest) = real.strip_prefix(&root.path)
        {
            return (&root.dir, rest);
        }
        (&self.0.file_system, real.strip_prefix(file_system_root(real)).unwrap_or(real))
    }
}

fn open_root(path: &Path, kind: RootKind) -> io::Result<Root> {
    let path = path.canonicalize()?;
    let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
    Ok(Root { path, kind, dir })
}

/// `/`, or the drive.
fn file_system_root(path: &Path) -> &Path {
    path.ancestors().last().unwrap_or(path)
}

/// Whether the system itself refuses links when a path is opened (openat2); otherwise each part of a path is
/// opened by itself, which is slower and as strict.
pub fn opens_without_links() -> bool {
    open::by_the_system()
}

/// How a tool gets at paths: `cx.paths()?`.
pub trait PathsOf {
    fn paths(&self) -> ToolResult<BoundPaths<'_>>;
}

impl PathsOf for Cx {
    fn paths(&self) -> ToolResult<BoundPaths<'_>> {
        Ok(BoundPaths {
            paths: self.service::<Paths>()?,
            plan: self.plan(),
            is_users: self.owner().is_some(),
            waiting: self.waiting(),
        })
    }
}

/// The paths of one call. While it is planned, everything can be looked up; when it runs, only what its plan
/// named, and what needs no question.
#[derive(Clone, Copy)]
pub struct BoundPaths<'a> {
    paths: &'a Paths,
    plan: Option<&'a Plan>,
    /// Whether the call is made for one of the server's users, and not for the owner of this installation.
    is_users: bool,
    waiting: Waiting,
}

impl<'a> BoundPaths<'a> {
    /// Something that exists and is to be read. Links are followed.
    pub fn readable(&self, arg: &PathArg) -> ToolResult<Place> {
        let place = self.place(arg, Access::Read, LinkRule::Follow)?;
        if place.exists() { Ok(place) } else { Err(Self::no_such_file(arg, &place)) }
    }

    /// Something that exists, itself: where it is a link, the link.
    pub fn readable_entry(&self, arg: &PathArg) -> ToolResult<Place> {
        let place = self.place(arg, Access::Read, LinkRule::Keep)?;
        if place.exists() { Ok(place) } else { Err(Self::no_such_file(arg, &place)) }
    }

    /// Something that is to be written, existing or not. Links are followed.
    pub fn writable(&self, arg: &PathArg) -> ToolResult<Place> {
        self.place(arg, Access::Modify, LinkRule::Follow)
    }

    /// Something that is to be made, replaced or filled, itself: a link is not followed.
    pub fn writable_entry(&self, arg: &PathArg) -> ToolResult<Place> {
        self.place(arg, Access::Modify, LinkRule::Keep)
    }

    /// Something that exists and is to go away, itself: where it is a link, the link.
    pub fn removable(&self, arg: &PathArg) -> ToolResult<Place> {
        let place = self.place(arg, Access::Delete, LinkRule::Keep)?;
        if place.exists() { Ok(place) } else { Err(Self::no_such_file(arg, &place)) }
    }

    /// A path that the undo journal or a plan of ours wrote down: absolute, itself.
    pub fn recorded(&self, path: &Path, access: Access) -> ToolResult<Place> {
        if self.waiting == Waiting::Refused {
            return self.in_memory(path, access);
        }
        let resolved =
            resolve::resolve(path, LinkRule::Keep).map_err(|e| ToolError::io("look at", path, &e))?;
        self.bind(path, resolved, access)
    }

    /// What is below a place that is already open to this call.
    pub fn below(&self, place: &Place, relative: &Path, access: Access) -> ToolResult<Place> {
        self.recorded(&place.path().join(relative), access)
    }

    /// A folder to walk through: quicker than [`Self::admits`] for each entry, and opens what the walk finds.
    pub fn tree(&self, place: &Place) -> ToolResult<Tree> {
        Tree::new(self, place)
    }

    /// What the policy says of something that a walk found below a place: permission, rule and why. `path` is
    /// real: below a real folder, through no link. What is forbidden is an error.
    pub fn verdict(&self, path: &Path, access: Access) -> ToolResult<(Permission, &'static str, String)> {
        let Class { permission, rule, why } = self.paths.classify(path, path, access);
        if permission == Permission::Forbidden || (self.is_users && rule == classify::OWN_DATA) {
            let shown = show_name(path.as_os_str());
            return Err(ToolError::blocked(rule, format!("{} {shown} is not possible: {why}", verb(access))));
        }
        Ok((permission, rule, why))
    }

    pub fn workspace(&self) -> &'a Path {
        self.paths.workspace()
    }

    fn place(&self, arg: &PathArg, access: Access, links: LinkRule) -> ToolResult<Place> {
        if let Some(call) = arg.as_str().strip_prefix(output::HANDLE_PREFIX) {
            return self.kept_output(arg, call, access);
        }
        let asked = arg.to_absolute(self.paths.workspace(), self.paths.0.home.as_deref())?;
        if self.waiting == Waiting::Refused {
            return self.in_memory(&asked, access);
        }
        let resolved = resolve::resolve(&asked, links).map_err(|e| ToolError::io("look at", &asked, &e))?;
        self.bind(&asked, resolved, access)
    }

    /// A place whose path the system has in memory, from a root on and without a link: it is what it is called.
    fn in_memory(&self, asked: &Path, access: Access) -> ToolResult<Place> {
        let is_plain = asked.components().all(|part| !matches!(part, Component::ParentDir));
        let Some(root) = self.paths.root_of(asked).filter(|_| is_plain && !access.writes()) else {
            return Err(would_wait(asked));
        };
        let relative = asked.strip_prefix(&root.path).unwrap_or(asked);
        let seen = in_memory::look(&root.dir, relative).and_then(|handle| Metadata::from_file(&handle));
        let Some(seen) = seen.ok().filter(|seen| !seen.is_symlink()) else {
            return Err(would_wait(asked));
        };
        let path = asked.components().collect();
        let resolved = Resolved { path, exists: true, through_link: false };
        Ok(self.bind(asked, resolved, access)?.seen(seen))
    }

    fn kept_output(&self, arg: &PathArg, call: &str, access: Access) -> ToolResult<Place> {
        let call = deskhand_core::CallId::parse(call).ok_or_else(|| {
            ToolError::invalid("invalid_path", format!("{arg} is no handle of a kept output."))
        })?;
        let path = self.paths.0.outputs.join(format!("{call}.txt"));
        if self.waiting == Waiting::Refused {
            return Err(would_wait(&path));
        }
        if access.writes() {
            let message = format!("{arg} is a kept output, which is only read.");
            return Err(ToolError::blocked("path:own-data-write", message));
        }
        // Whoever has the handle was given the output. The folder it lies in is Deskhand's own.
        let resolved =
            resolve::resolve(&path, LinkRule::Keep).map_err(|e| ToolError::io("look at", &path, &e))?;
        let why = "It is an output of this session.".to_owned();
        Ok(Place::new(self.paths.clone(), resolved, access, Permission::Public, "path:session-files", why))
    }

    /// Classifies a resolved path and, where a plan was approved, holds the call to it.
    fn bind(&self, asked: &Path, resolved: Resolved, access: Access) -> ToolResult<Place> {
        let Class { mut permission, rule, why } = self.paths.classify(asked, &resolved.path, access);
        // The data of the installation is not a user's to look into: everyone's is in it.
        if self.is_users && rule == classify::OWN_DATA {
            permission = Permission::Forbidden;
        }
        let place = Place::new(self.paths.clone(), resolved, access, permission, rule, why);
        if place.permission() == Permission::Forbidden {
            let message = format!("{} {} is not possible: {}", verb(access), place.shown(), place.why());
            return Err(ToolError::blocked(place.rule(), message));
        }
        let free = place.permission() == Permission::Public && access == Access::Read;
        match self.plan {
            Some(plan) if !free && !plan.covers(place.path(), access, place.permission()) => {
                Err(ToolError::plan_changed(format!("{} is not what the plan named.", place.shown())))
            }
            _ => Ok(place),
        }
    }

    /// Says what is missing, and what is there instead that looks like it.
    fn no_such_file(arg: &PathArg, place: &Place) -> ToolError {
        let error = ToolError::new("no_such_file", format!("There is no file or folder {arg}."));
        // Names in a folder that may not be read are not told.
        match Some(place)
            .filter(|place| place.permission() == Permission::Public)
            .and_then(Place::similar_name)
        {
            Some(name) => error.hint(format!("There is {} in the same folder.", show_name(&name))),
            None if place.shown() == arg.to_string() => error,
            None => error.hint(format!("Looked for {}.", place.shown())),
        }
    }
}

/// What whoever may not wait is told; whoever may is told what there really is.
fn would_wait(path: &Path) -> ToolError {
    ToolError::io("look at", path, &io::ErrorKind::WouldBlock.into())
}

fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "Reading",
        Access::Create | Access::Modify => "Writing",
        Access::Delete => "Removing",
    }
}

/// Puts places into plans.
pub trait PlanOn {
    /// The call touches this place.
    #[must_use]
    fn on(self, place: &Place) -> Self;
    /// The call touches this place and everything below it.
    #[must_use]
    fn on_tree(self, place: &Place) -> Self;
}

impl PlanOn for Plan {
    fn on(self, place: &Place) -> Self {
        place.shapes().into_iter().fold(self.touching(place.touch(false), place.why()), Plan::shape)
    }

    fn on_tree(self, place: &Place) -> Self {
        place.shapes().into_iter().fold(self.touching(place.touch(true), place.why()), Plan::shape)
    }
}
