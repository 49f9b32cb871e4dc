//! Layers, by running on them: the real folder stays as it is, and the change list is exact.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    sync::Arc,
};

use deskhand_guard::sandbox::{
    Kind, View,
    layer::{Difference, Layer, LayerPlaces, RootChanges},
};

use super::{Bench, Ran};

/// A command that ran on a layer.
struct Tried {
    ran: Ran,
    layer: Layer,
}

impl Tried {
    /// What it changed in the workspace: `C path`, `M path`, `D path`, `mode path`.
    fn changes(&self) -> Vec<String> {
        let root = RootChanges::read(&self.layer.roots()[0], &|| Ok(())).unwrap();
        let shown = root.changes.iter().map(|change| {
            let what = match change.difference {
                Difference::Created => "C",
                Difference::Modified => "M",
                Difference::Mode => "mode",
                Difference::Deleted => "D",
            };
            format!("{what} {}", change.path.display())
        });
        shown.collect()
    }
}

impl Bench {
    fn try_out(&self, script: &str) -> Tried {
        self.try_in(View::Look, script)
    }

    fn try_in(&self, view: View, script: &str) -> Tried {
        let layer = Arc::new(self.sandbox.layer("test").unwrap());
        let mut job = self.job(view, &["bash", "-c", script]);
        job.layer = Some(Arc::clone(&layer));
        let ran = self.run(&job);
        drop(job);
        Tried { ran, layer: Arc::into_inner(layer).unwrap() }
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.workspace.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// Every entry below a folder with its content and mode.
fn snapshot(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
            let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            all.push(format!("{} {:o} {} {content:?}", path.display(), meta.mode(), meta.mtime_nsec()));
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    all.sort();
    all
}

#[test]
fn layer_takes_all_writes_and_workspace_stays() {
    let bench = Bench::new(Kind::Namespaces);
    assert_eq!(bench.sandbox.no_layer(), None);
    for (name, content) in
        [("a/one", "1"), ("a/two", "2"), ("b/three", "3"), ("same", "same"), ("run.sh", "x")]
    {
        bench.write(name, content);
    }
    let before = snapshot(&bench.workspace);
    for view in [View::Look, View::Work] {
        let tried = bench.try_in(
            view,
            "echo new > new && mkdir d && echo x > d/x && echo more >> readme && rm -r b && mv a/one a/1 \
             && chmod 755 run.sh && touch same && echo same | tr -d '\\n' > same && ln -s readme link",
        );
        let changes = tried.changes();
        tried.ran.good();
        assert_eq!(
            changes,
            [
                "C a/1",
                "D a/one",
                "D b",
                "D b/three",
                "C d",
                "C d/x",
                "C link",
                "C new",
                "M readme",
                "mode run.sh"
            ],
            "{view:?}"
        );
        assert_eq!(snapshot(&bench.workspace), before);
    }
}

#[test]
fn replaced_folders_show_what_is_gone() {
    let bench = Bench::new(Kind::Namespaces);
    for name in ["d/keep", "d/gone", "d/sub/deep", "f"] {
        bench.write(name, name);
    }
    let tried = bench.try_out(
        "rm -r d && mkdir -p d/sub && printf d/keep > d/keep && echo new > d/sub/other && rm f && mkdir f && echo x > f/x",
    );
    let changes = tried.changes();
    tried.ran.good();
    assert_eq!(changes, ["D d/gone", "D d/sub/deep", "C d/sub/other", "M f", "C f/x"]);
}

#[test]
fn reading_and_locking_changes_nothing() {
    let bench = Bench::new(Kind::Namespaces);
    bench.write("data", "content");
    let tried = bench.try_out("cat data readme; exec 3>>data; flock 3; touch data; cp data copy; rm copy");
    assert_eq!(tried.changes(), [""; 0]);
    tried.ran.good();
}

#[test]
fn layer_hides_other_layers_and_secrets() {
    let bench = Bench::new(Kind::Namespaces);
    let other = bench.sandbox.layer("other").unwrap();
    fs::write(other.roots()[0].upper.join("theirs"), super::SECRET).unwrap();
    let script = format!(
        "cat .env deep/er/server.key '{}/theirs' '{}/data/deskhand.db'; ls -R /proc/1/root{}",
        other.roots()[0].upper.display(),
        bench.top.display(),
        bench.top.join("data").display(),
    );
    for view in [View::Look, View::Work] {
        let tried = bench.try_in(view, &script);
        assert!(!tried.ran.out.contains(super::SECRET), "{:?}", tried.ran);
        assert!(!tried.ran.out.contains("theirs"), "{:?}", tried.ran);
        assert_eq!(tried.changes(), [""; 0]);
    }
}

#[test]
fn names_with_colons_commas_and_blanks_are_names() {
    let bench = Bench::new(Kind::Namespaces);
    for name in ["a:b", "a,b", "a b", "ü文", "back\\slash", "-n"] {
        bench.write(&format!("{name}/file"), "x");
    }
    let tried = bench.try_out("for d in */; do echo y > \"./$d/file\"; done; rm -r ./deep");
    assert_eq!(
        tried.changes().iter().filter(|change| change.starts_with('M')).count(),
        6,
        "{:?}",
        tried.changes()
    );
    // And the workspace itself may have such a name.
    let odd = bench.workspace.join("w:1,2 \\3");
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("file"), "x").unwrap();
    let folder = bench.path("temporary/layer");
    let layer = Layer::begin(&folder, [odd.as_path()].into_iter(), std::iter::empty()).unwrap();
    let layer = Arc::new(layer);
    let mut job = bench.job(View::Look, &["sh", "-c", "echo z > file; echo new > new"]);
    job.layer = Some(Arc::clone(&layer));
    job.cwd = odd.clone();
    bench.run(&job).good();
    let changes = RootChanges::read(&layer.roots()[0], &|| Ok(())).unwrap();
    assert_eq!(changes.changes.len(), 2, "{changes:?}");
    assert_eq!(fs::read_to_string(odd.join("file")).unwrap(), "x");
}

#[test]
fn processes_left_behind_have_ended_before_layer_is_read() {
    let bench = Bench::new(Kind::Namespaces);
    let tried =
        bench.try_out("(trap '' TERM HUP; while :; do echo x >> grows; done) >/dev/null 2>&1 & sleep 0.05");
    let size = || fs::metadata(tried.layer.roots()[0].upper.join("grows")).unwrap().len();
    let first = size();
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(size(), first);
}

#[test]
fn dropped_layer_leaves_nothing_whatever_its_modes() {
    let bench = Bench::new(Kind::Namespaces);
    let tried = bench.try_out("mkdir -p x/y && echo 1 > x/y/z && chmod 000 x/y && chmod 000 x");
    let folder = tried.layer.folder().to_path_buf();
    assert!(folder.exists());
    drop(tried);
    assert!(!folder.exists());
}

#[test]
fn sweep_removes_layers_of_dead_processes_and_names_accepted_ones() {
    let bench = Bench::new(Kind::Namespaces);
    let places = LayerPlaces::new(&bench.path("data"));
    let (live, dead, accepted) =
        (bench.sandbox.layer("live").unwrap(), bench.sandbox.layer("dead"), bench.sandbox.layer("accepted"));
    let dead = dead.unwrap().leave();
    let accepted = accepted.unwrap().leave();
    fs::write(accepted.join(deskhand_guard::sandbox::layer::ACCEPTED), "{}").unwrap();
    fs::set_permissions(dead.join("0/work"), fs::Permissions::from_mode(0o000)).unwrap();
    let sweep = places.sweep([bench.workspace.as_path()].into_iter());
    assert_eq!((sweep.removed, sweep.accepted), (1, vec![accepted.clone()]));
    assert!(live.folder().exists() && !dead.exists() && accepted.exists());
}

#[test]
fn mount_below_workspace_means_no_layer() {
    let bench = Bench::new(Kind::Namespaces);
    let inner = bench.workspace.join("inner");
    fs::create_dir(&inner).unwrap();
    let mounted = std::process::Command::new("mount").args(["-t", "tmpfs", "none"]).arg(&inner).status();
    if !mounted.is_ok_and(|status| status.success()) {
        deskhand_testkit::skip("mounting takes root");
        return;
    }
    let why = bench.sandbox.no_layer().map(str::to_owned);
    std::process::Command::new("umount").arg(&inner).status().unwrap();
    assert!(why.is_some_and(|why| why.contains("layer")));
}

#[test]
fn worktree_reaches_its_repository_and_nobody_elses() {
    let bench = Bench::new(Kind::Namespaces);
    let git = |folder: &Path, args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
        let output = command.args(args).current_dir(folder).env("HOME", bench.path("home")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let (repository, other) = (bench.path("repository"), bench.path("other"));
    for folder in [&repository, &other] {
        fs::create_dir(folder).unwrap();
        git(folder, &["init", "-q"]);
        git(folder, &["commit", "-q", "--allow-empty", "-m", "first"]);
    }
    fs::remove_dir_all(&bench.workspace).unwrap();
    git(&repository, &["worktree", "add", "-q", bench.workspace.to_str().unwrap(), "-b", "work"]);
    let bench = bench.reopened(Kind::Namespaces);
    let tried = bench.try_out(
        "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second && git log --oneline | wc -l",
    );
    assert_eq!(tried.layer.roots().iter().filter(|root| !root.is_scratch).count(), 2, "{:?}", tried.layer);
    assert_eq!(tried.ran.good().trim(), "2");
    // A .git file that a command could have written leads nowhere else.
    fs::write(bench.workspace.join(".git"), format!("gitdir: {}\n", other.join(".git").display())).unwrap();
    let layer = bench.sandbox.layer("hostile").unwrap();
    assert!(layer.roots().iter().all(|root| !root.path.starts_with(&other)), "{layer:?}");
}
