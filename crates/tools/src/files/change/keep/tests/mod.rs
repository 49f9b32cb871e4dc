//! Layers without a sandbox: what the overlay would hold is made from the tree that a command would have left.

mod conflicts;
mod crashes;
mod random;
mod whole;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{FileTypeExt, MetadataExt, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use deskhand_core::{CallId, ToolResult};
use deskhand_guard::sandbox::layer::{ACCEPTED, Layer, LayerPlaces, RootChanges};
use deskhand_testkit::skip;
use serde_json::json;

use super::{fault, finish, keep};
use crate::{
    files::undo::Undo,
    testing::{Called, Desk, set_mode},
};

/// What an entry is: kind, mode, the time of a file, content or target.
type Entry = (char, u32, Option<SystemTime>, Vec<u8>);
type Tree = BTreeMap<PathBuf, Entry>;

/// Everything in a folder, and its own mode.
fn tree(folder: &Path) -> Tree {
    let mut all = Tree::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        let meta = path.symlink_metadata().unwrap();
        let mode = meta.mode() & 0o7777;
        let entry = match meta.file_type() {
            kind if kind.is_dir() => {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                ('d', mode, None, Vec::new())
            }
            kind if kind.is_symlink() => {
                ('l', 0, None, fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes())
            }
            kind if kind.is_fifo() => ('p', mode, None, Vec::new()),
            _ => ('f', mode, meta.modified().ok(), fs::read(&path).unwrap()),
        };
        all.insert(path.strip_prefix(folder).unwrap().to_path_buf(), entry);
    }
    all
}

fn make_pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
}

/// What stands in an upper folder for something that was deleted. `false` where this user may not make it.
fn make_whiteout(path: &Path) -> bool {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    mknodat(CWD, path, FileType::CharacterDevice, Mode::empty(), makedev(0, 0)).is_ok()
}

fn can_make_whiteouts() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let can = make_whiteout(&folder.path().join("w"));
    if !can {
        skip("this user may not make whiteouts");
    }
    can
}

/// Makes in `upper` what an overlay over `real` would hold if a command had left `want`, which is used up.
fn fill_upper(upper: &Path, real: &Path, want: &Path) {
    let names = |folder: &Path| -> Vec<_> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    for name in names(want) {
        let (wanted, was) = (want.join(&name), real.join(&name));
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        let inner = upper.join(&name);
        let mode = wanted.symlink_metadata().unwrap().mode() & 0o7777;
        if is_folder(&wanted) {
            // Its owner may be forbidden to write in it.
            set_mode(&wanted, 0o700);
        }
        if is_folder(&wanted) && is_folder(&was) {
            fs::create_dir(&inner).unwrap();
            fill_upper(&inner, &was, &wanted);
        } else {
            fs::rename(&wanted, &inner).unwrap();
        }
        if is_folder(&inner) {
            set_mode(&inner, mode);
        }
    }
    for name in names(real) {
        if want.join(&name).symlink_metadata().is_err() && upper.join(&name).symlink_metadata().is_err() {
            assert!(make_whiteout(&upper.join(&name)));
        }
    }
}

struct Bench {
    desk: Desk,
    /// Where what a command would leave is made.
    other: tempfile::TempDir,
}

/// What a command left, waiting to be kept.
struct Left {
    layer: Layer,
    roots: Vec<RootChanges>,
    before: Tree,
    after: Tree,
}

impl Bench {
    fn new() -> Self {
        Self::at(Desk::new())
    }

    fn at(desk: Desk) -> Self {
        let other = tempfile::tempdir_in(desk.root()).unwrap();
        Self { desk, other }
    }

    fn places(&self) -> LayerPlaces {
        LayerPlaces::new(&self.desk.data)
    }

    fn begin(&self) -> Layer {
        let folder = self.desk.data.join("layers");
        if !folder.exists() {
            fs::create_dir(&folder).unwrap();
            set_mode(&folder, 0o700);
        }
        let folder = folder.join(CallId::new().to_string());
        Layer::begin(&folder, [self.desk.workspace.as_path()].into_iter(), std::iter::empty()).unwrap()
    }

    /// As if a command had run on a layer that did this to the workspace.
    fn run(&self, command: impl FnOnce(&Path)) -> Left {
        let layer = self.begin();
        let want = self.other.path().join("want");
        let copied = Command::new("cp").arg("-a").arg(&self.desk.workspace).arg(&want).status().unwrap();
        assert!(copied.success());
        command(&want);
        let (before, mut after) = (tree(&self.desk.workspace), tree(&want));
        // Written again with the same content is no change.
        for (path, (kind, _, time, content)) in &mut after {
            if let Some((was, _, old, same)) = before.get(path)
                && (was, same) == (&*kind, &*content)
            {
                *time = *old;
            }
        }
        let root = &layer.roots()[0];
        fill_upper(&root.upper, &root.path, &want);
        set_mode(&root.upper, want.metadata().unwrap().mode() & 0o7777);
        remove_tree(&want);
        let roots = read(&layer);
        Left { layer, roots, before, after }
    }

    fn keep(&self, left: Left) -> ToolResult<(CallId, Vec<String>)> {
        self.keep_but(left, &|_| false)
    }

    fn keep_but(&self, left: Left, unjournaled: &dyn Fn(&Path) -> bool) -> ToolResult<(CallId, Vec<String>)> {
        let cx = self.desk.cx("bash");
        let notes = keep(left.layer, left.roots, "Ran a command".to_owned(), unjournaled, &cx)?;
        Ok((cx.call_id(), notes))
    }

    fn undo(&self, call: CallId) -> ToolResult<Called> {
        self.desk.call(Undo, json!({"call_id": call.to_string()}))
    }

    fn now(&self) -> Tree {
        tree(&self.desk.workspace)
    }

    /// What a start of the program does about layers of killed processes.
    fn sweep(&self) -> ToolResult<()> {
        let workspaces = || [self.desk.workspace.as_path()].into_iter();
        for folder in self.places().sweep(workspaces()).accepted {
            finish(&folder, self.desk.journal.as_ref())?;
        }
        self.places().sweep(workspaces());
        Ok(())
    }

    /// How many layers there are.
    fn layers(&self) -> usize {
        fs::read_dir(self.desk.data.join("layers")).unwrap().count()
    }
}

fn read(layer: &Layer) -> Vec<RootChanges> {
    layer.roots().iter().map(|root| RootChanges::read(root, &|| Ok(())).unwrap()).collect()
}

impl Drop for Bench {
    fn drop(&mut self) {
        open_up(&self.desk.root());
        open_up(&self.desk.workspace);
    }
}

/// Lets the owner into every folder.
fn open_up(folder: &Path) {
    Command::new("chmod").args(["-Rf", "u+rwX"]).arg(folder).status().unwrap();
}

fn remove_tree(folder: &Path) {
    open_up(folder);
    fs::remove_dir_all(folder).unwrap();
}

/// Works in a folder that its owner may not write.
fn in_closed(folder: &Path, work: impl FnOnce(&Path)) {
    let mode = folder.metadata().unwrap().mode() & 0o7777;
    set_mode(folder, 0o700);
    work(folder);
    set_mode(folder, mode);
}

/// A workspace with some of everything.
fn fill(desk: &Desk) {
    for (path, content) in [
        ("changed", "old"),
        ("deleted", "going"),
        ("mode", "x"),
        ("file-to-folder", "file"),
        ("folder-to-file/a/b", "1"),
        ("file-to-link", "file"),
        ("same/stays", "x"),
        ("same/changed", "y"),
        ("tree/deep/er/f", "1"),
        ("tree/g", "2"),
        ("closed/f", "1"),
        ("private/f", "1"),
        ("target/debug/out", "built"),
        ("target/debug/stale", "built"),
        ("keeps/target/out", "built"),
        (".git/index", "index"),
        (".git/HEAD", "ref"),
    ] {
        desk.write(path, content);
    }
    fs::create_dir(desk.path("empty")).unwrap();
    fs::hard_link(desk.path("same/stays"), desk.path("second-name")).unwrap();
    symlink("changed", desk.path("link")).unwrap();
    symlink("nowhere", desk.path("dead-link")).unwrap();
    make_pipe(&desk.path("pipe"));
    set_mode(&desk.path("closed"), 0o555);
    set_mode(&desk.path("tree/deep"), 0o500);
}

/// Changes some of everything.
fn change(want: &Path) {
    let write = |path: &str, content: &str| {
        let path = want.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let remove = |path: &str| fs::remove_file(want.join(path)).unwrap();
    let remove_tree = |path: &str| remove_tree(&want.join(path));
    write("changed", "new and longer");
    remove("deleted");
    set_mode(&want.join("mode"), 0o755);
    remove("file-to-folder");
    write("file-to-folder/in/it", "new");
    remove_tree("folder-to-file");
    write("folder-to-file", "new");
    remove("file-to-link");
    symlink("changed", want.join("file-to-link")).unwrap();
    write("same/changed", "z");
    write("same/created", "c");
    remove_tree("tree");
    in_closed(&want.join("closed"), |closed| {
        fs::remove_file(closed.join("f")).unwrap();
        fs::write(closed.join("g"), "new").unwrap();
    });
    set_mode(&want.join("private"), 0o700);
    write("target/debug/out", "built again");
    remove("target/debug/stale");
    remove_tree("keeps");
    write(".git/index", "index 2");
    write(".git/objects/ab/cdef", "object");
    fs::remove_dir(want.join("empty")).unwrap();
    remove("second-name");
    write("second-name", "alone");
    remove("link");
    symlink("same", want.join("link")).unwrap();
    remove("dead-link");
    remove("pipe");
    write("new/tree/of/files", "n");
    make_pipe(&want.join("new/pipe"));
    symlink("of", want.join("new/tree/link")).unwrap();
    fs::create_dir(want.join("new-empty")).unwrap();
    set_mode(&want.join("new/tree"), 0o555);
    set_mode(want, 0o750);
}

/// What git ignores in [`fill`]'s workspace.
fn is_output(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "target")
}

fn accepted(left: &Path) -> bool {
    left.join(ACCEPTED).exists()
}
