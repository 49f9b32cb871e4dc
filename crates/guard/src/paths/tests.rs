//! The policy as a table, and the ways out that must not work.

#![cfg(target_os = "linux")]

use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink, path::PathBuf, sync::Arc};

use deskhand_core::{
    Access, Cx, Fingerprint, Permission, Plan, Screener, Services, Status, cx::CxParts, event::NoEvents,
    screener::Masked,
};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;

struct Plain;

impl Screener for Plain {
    fn mask_text(&self, text: &str) -> Masked {
        Masked::assume(text)
    }
    fn mask_value(&self, value: &serde_json::Value) -> serde_json::Value {
        value.clone()
    }
}

/// `root/{workspace,home,data/outputs,elsewhere}`
struct Desk {
    _folder: TempDir,
    root: PathBuf,
    cx: Cx,
}

fn desk(restrict_to_workspace: bool) -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["workspace/.git/hooks", "home/.ssh", "data/outputs", "elsewhere", "workspace_private"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in [
        "workspace/a.txt",
        "workspace/.env",
        "elsewhere/b.txt",
        "home/.ssh/id",
        "data/deskhand.db",
        "workspace_private/c",
    ] {
        fs::write(root.join(name), "x").unwrap();
    }
    let paths = Paths::open(PathsConfig {
        workspaces: vec![root.join("workspace")],
        own: vec![root.join("data")],
        outputs: root.join("data/outputs"),
        home: Some(root.join("home")),
        restrict_to_workspace,
        ..PathsConfig::default()
    })
    .unwrap();
    Desk { _folder: folder, root, cx: cx(paths) }
}

fn cx(paths: Paths) -> Cx {
    Cx::new(CxParts {
        call: deskhand_core::CallId::new(),
        tool: "test".into(),
        session_id: String::new(),
        owner: None,
        services: Services::default().with(paths),
        cancel: CancellationToken::new(),
        events: Arc::new(NoEvents),
        screener: Arc::new(Plain),
    })
}

impl Desk {
    fn arg(&self, path: &str) -> PathArg {
        match path.strip_prefix("@") {
            Some(rest) => PathArg::new(self.root.join(rest).to_str().unwrap()),
            None => PathArg::new(path),
        }
    }

    /// Permission and rule for reading, writing or removing a path; `@` stands for the temporary root.
    fn ask(&self, access: Access, path: &str) -> (Permission, &'static str) {
        let paths = self.cx.paths().unwrap();
        let arg = self.arg(path);
        let place = match access {
            Access::Read => paths.readable(&arg),
            Access::Create | Access::Modify => paths.writable(&arg),
            Access::Delete => paths.removable(&arg),
        };
        match place {
            Ok(place) => (place.permission(), place.rule()),
            Err(error) if error.status == Status::Blocked => (Permission::Forbidden, error.code),
            Err(error) => panic!("{path}: {} {}", error.code, error.message),
        }
    }
}

#[test]
fn the_policy_as_a_table() {
    use Access::{Delete, Modify, Read};
    use Permission::{Forbidden, Moderate, Public, Sensitive};
    let desk = desk(false);
    let table = [
        (Read, "a.txt", Public, "path:workspace-read"),
        (Read, "@workspace/a.txt", Public, "path:workspace-read"),
        (Read, ".env", Sensitive, "path:sensitive"),
        (Read, "@elsewhere/b.txt", Moderate, "path:outside-read"),
        (Read, "../elsewhere/b.txt", Moderate, "path:outside-read"),
        (Read, "@workspace_private/c", Moderate, "path:outside-read"),
        (Read, "~/.ssh/id", Sensitive, "path:sensitive"),
        (Read, "@data/deskhand.db", Sensitive, "path:own-data"),
        (Read, "/etc/passwd", Public, "path:system-read"),
        (Read, "/etc/shadow", Sensitive, "path:system-private"),
        (Read, "/proc/self/environ", Sensitive, "path:system-private"),
        (Read, "/proc/cpuinfo", Public, "path:system-read"),
        (Modify, "a.txt", Moderate, "path:workspace-write"),
        (Modify, "new/deep/file", Moderate, "path:workspace-write"),
        (Modify, ".env.local", Sensitive, "path:sensitive"),
        (Modify, ".git/hooks/pre-commit", Sensitive, "path:runs-later"),
        (Modify, ".deskhand/config.toml", Sensitive, "path:runs-later"),
        (Modify, "@elsewhere/b.txt", Sensitive, "path:outside-write"),
        (Modify, "../workspace_private/c", Sensitive, "path:outside-write"),
        (Modify, "@data/deskhand.db", Forbidden, "path:own-data-write"),
        (Modify, "@data/outputs/x.txt", Forbidden, "path:own-data-write"),
        (Delete, "a.txt", Moderate, "path:workspace-write"),
        (Delete, ".", Forbidden, "path:holds-everything"),
        (Delete, "@workspace/..", Forbidden, "path:holds-everything"),
        (Delete, "~", Forbidden, "path:holds-everything"),
        (Delete, "/", Forbidden, "path:holds-everything"),
        (Delete, "/etc", Forbidden, "path:holds-everything"),
        (Delete, "/usr", Forbidden, "path:holds-everything"),
        (Delete, "@elsewhere", Sensitive, "path:outside-write"),
    ];
    for (access, path, permission, rule) in table {
        assert_eq!(desk.ask(access, path), (permission, rule), "{access} {path}");
    }
}

#[test]
fn restricted_means_nothing_outside_the_roots() {
    let desk = desk(true);
    for path in ["@elsewhere/b.txt", "/etc/passwd", "~/.ssh/id", "../workspace_private/c"] {
        assert_eq!(
            desk.ask(Access::Read, path),
            (Permission::Forbidden, "path:restrict_to_workspace"),
            "{path}"
        );
    }
    assert_eq!(desk.ask(Access::Modify, "@elsewhere/b.txt").0, Permission::Forbidden);
    assert_eq!(desk.ask(Access::Read, "a.txt").0, Permission::Public);
}

#[test]
fn a_link_is_judged_by_where_it_leads() {
    let desk = desk(false);
    symlink(desk.root.join("elsewhere"), desk.root.join("workspace/out")).unwrap();
    symlink(desk.root.join("home/.ssh/id"), desk.root.join("workspace/innocent")).unwrap();
    symlink("a.txt", desk.root.join("workspace/inside")).unwrap();
    symlink(desk.root.join("data"), desk.root.join("workspace/d")).unwrap();
    assert_eq!(desk.ask(Access::Read, "out/b.txt").1, "path:outside-read");
    assert_eq!(desk.ask(Access::Modify, "out/new.txt").1, "path:outside-write");
    assert_eq!(desk.ask(Access::Read, "innocent").1, "path:sensitive");
    assert_eq!(desk.ask(Access::Read, "inside").1, "path:workspace-read");
    assert_eq!(desk.ask(Access::Modify, "d/deskhand.db").1, "path:own-data-write");
    // Removing the link removes the link, in the workspace.
    assert_eq!(desk.ask(Access::Delete, "out").1, "path:workspace-write");
}

#[test]
fn a_link_swapped_in_after_the_look_is_noticed() {
    let desk = desk(false);
    fs::create_dir(desk.root.join("workspace/sub")).unwrap();
    fs::write(desk.root.join("workspace/sub/f"), "mine").unwrap();
    fs::write(desk.root.join("elsewhere/f"), "theirs").unwrap();
    let paths = desk.cx.paths().unwrap();
    let file = paths.readable(&PathArg::new("sub/f")).unwrap();
    let new = paths.writable(&PathArg::new("sub/new")).unwrap();
    assert!(file.open().is_ok());
    fs::remove_dir_all(desk.root.join("workspace/sub")).unwrap();
    symlink(desk.root.join("elsewhere"), desk.root.join("workspace/sub")).unwrap();
    assert_eq!(file.open().unwrap_err().code, "plan_changed");
    assert_eq!(new.parent().unwrap_err().code, "plan_changed");
    // The last part, too.
    let last = paths.readable(&PathArg::new("a.txt")).unwrap();
    fs::remove_file(desk.root.join("workspace/a.txt")).unwrap();
    symlink(desk.root.join("home/.ssh/id"), desk.root.join("workspace/a.txt")).unwrap();
    assert_eq!(last.open().unwrap_err().code, "plan_changed");
}

#[test]
fn a_run_is_held_to_its_plan() {
    let desk = desk(false);
    let paths = desk.cx.paths().unwrap();
    let planned = paths.writable(&PathArg::new("a.txt")).unwrap();
    let plan = Plan::new("write").on(&planned);
    let running = desk.cx.approved(Arc::new(plan), CancellationToken::new());
    let paths = running.paths().unwrap();
    assert!(paths.writable(&PathArg::new("a.txt")).is_ok());
    assert!(paths.readable(&PathArg::new("a.txt")).is_ok());
    for other in ["b.txt", "../elsewhere/b.txt", ".env"] {
        assert_eq!(paths.writable(&PathArg::new(other)).unwrap_err().code, "plan_changed", "{other}");
    }
    // What needs no question needs no plan either; what does, does.
    assert_eq!(paths.readable(&PathArg::new(".env")).unwrap_err().code, "plan_changed");
    assert_eq!(paths.readable(&desk.arg("@elsewhere/b.txt")).unwrap_err().code, "plan_changed");
    assert!(paths.readable(&PathArg::new("/etc/passwd")).is_ok());
}

#[test]
fn what_cannot_be_opened_is_said() {
    let desk = desk(false);
    let paths = desk.cx.paths().unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        desk.root.join("workspace/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    symlink("loop", desk.root.join("workspace/loop")).unwrap();
    let open = |path: &str| paths.readable(&PathArg::new(path)).and_then(|place| place.open()).unwrap_err();
    assert_eq!(open("pipe").code, "not_a_file");
    assert_eq!(open("loop").code, "link_loop");
    assert_eq!(open("a.txt/x").code, "not_a_directory");
    assert_eq!(open(".git").code, "is_a_directory");
    assert_eq!(open(&"n".repeat(300)).code, "name_too_long");
    let near = open("A.TXT");
    assert_eq!(near.code, "no_such_file");
    assert!(near.hint.unwrap().contains("a.txt"));
}

#[test]
fn kept_outputs_are_read_by_their_handle_only() {
    let desk = desk(false);
    let call = deskhand_core::CallId::new();
    fs::write(desk.root.join(format!("data/outputs/{call}.txt")), "whole").unwrap();
    let paths = desk.cx.paths().unwrap();
    let place = paths.readable(&PathArg::new(format!("out:{call}"))).unwrap();
    assert_eq!((place.permission(), place.rule()), (Permission::Public, "path:session-files"));
    for bad in ["out:", "out:../deskhand.db", "out:nonsense"] {
        assert_eq!(paths.readable(&PathArg::new(bad)).unwrap_err().code, "invalid_path", "{bad}");
    }
    assert_eq!(paths.writable(&PathArg::new(format!("out:{call}"))).unwrap_err().status, Status::Blocked);
}

#[test]
fn names_in_other_spelling_are_still_sensitive() {
    let desk = desk(false);
    for name in [".ENV", ".Env.Local", "．env", "Server.KEY"] {
        fs::write(desk.root.join("workspace").join(name), "x").unwrap();
        assert_eq!(desk.ask(Access::Read, name).1, "path:sensitive", "{name}");
    }
}

#[test]
fn fingerprints_tell_what_changed() {
    let desk = desk(false);
    let paths = desk.cx.paths().unwrap();
    let read = || paths.readable(&PathArg::new("a.txt")).unwrap().fingerprint();
    let write = || paths.writable(&PathArg::new("a.txt")).unwrap().fingerprint();
    let (read_before, write_before) = (read(), write());
    std::thread::sleep(std::time::Duration::from_millis(20));
    fs::write(desk.root.join("workspace/a.txt"), "longer").unwrap();
    // A file that is only read may grow; one that is to be changed may not.
    assert_eq!(read(), read_before);
    assert_ne!(write(), write_before);
    fs::set_permissions(desk.root.join("workspace/a.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::remove_file(desk.root.join("workspace/a.txt")).unwrap();
    assert_eq!(write(), Fingerprint::Absent);
}

#[test]
fn what_a_click_may_read_is_what_needs_no_question() {
    let desk = desk(false);
    let paths = desk.cx.service::<Paths>().unwrap();
    fs::write(desk.root.join("data/outputs/01932c5e-6f1c-7d2a-9b57-0c2f6f2d8a11.txt"), "x").unwrap();
    fs::create_dir_all(desk.root.join("workspace/.ssh")).unwrap();
    for (path, wanted) in [
        ("a.txt", Ok("path:workspace-read")),
        ("/etc/passwd", Ok("path:system-read")),
        (".env", Err("path:sensitive")),
        (".ssh/no-such-key", Err("path:sensitive")),
        ("@elsewhere/b.txt", Err("path:outside-read")),
        ("@elsewhere/nothing", Err("path:outside-read")),
        ("@data/deskhand.db", Err("path:own-data")),
        ("out:01932c5e-6f1c-7d2a-9b57-0c2f6f2d8a11", Err("path:own-data")),
        ("nothing", Err("no_such_file")),
    ] {
        let found = paths.readable_unasked(&desk.arg(path));
        let found = found.map(|place| place.rule()).map_err(|error| error.code);
        assert_eq!(found, wanted, "{path}");
    }
}

#[test]
fn uploads_are_readable_by_calls_and_not_by_path_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("data/uploads/s")).unwrap();
    fs::create_dir_all(root.join("workspace")).unwrap();
    fs::write(root.join("data/uploads/s/f"), "x").unwrap();
    let paths = Paths::open(PathsConfig {
        workspaces: vec![root.join("workspace")],
        read_only: vec![root.join("data/uploads")],
        own: vec![root.join("data")],
        outputs: root.join("data/outputs"),
        ..PathsConfig::default()
    })
    .unwrap();
    let arg = PathArg::new(root.join("data/uploads/s/f").to_str().unwrap());
    assert_eq!(paths.readable_unasked(&arg).unwrap_err().code, "path:own-data");
}

#[test]
fn read_only_roots_are_read_unasked_and_written_as_outside() {
    use Access::{Delete, Modify, Read};
    use Permission::{Forbidden, Moderate, Public, Sensitive};
    for restrict in [false, true] {
        let desk = further(restrict);
        let outside = if restrict {
            (Forbidden, "path:restrict_to_workspace")
        } else {
            (Sensitive, "path:outside-write")
        };
        let elsewhere = if restrict { outside } else { (Moderate, "path:outside-read") };
        for (access, path, wanted) in [
            (Read, "@reference/guide.txt", (Public, "path:read_only_roots")),
            (Read, "@reference", (Public, "path:read_only_roots")),
            (Read, "@reference/.env", (Sensitive, "path:sensitive")),
            (Read, "@reference/data/deskhand.db", (Sensitive, "path:own-data")),
            (Read, "@reference_private/x", elsewhere),
            (Read, "@workspace/a.txt", (Public, "path:workspace-read")),
            (Read, "@workspace/docs/b.txt", (Public, "path:workspace-read")),
            (Modify, "@reference/guide.txt", outside),
            (Modify, "@reference/new.txt", outside),
            (Delete, "@reference/guide.txt", outside),
            (Delete, "@reference", (Forbidden, "path:holds-everything")),
            (Modify, "@reference/data/x", (Forbidden, "path:own-data-write")),
            // A folder in the workspace stays what it is.
            (Modify, "@workspace/docs/b.txt", (Moderate, "path:workspace-write")),
        ] {
            assert_eq!(desk.ask(access, path), wanted, "{access:?} {path}, restricted: {restrict}");
        }
    }
}

/// A link in such a folder leads no further than it would by itself.
#[test]
fn links_in_read_only_roots_are_judged_by_where_they_lead() {
    let desk = further(false);
    symlink(desk.root.join("reference_private/x"), desk.root.join("reference/link")).unwrap();
    assert_eq!(desk.ask(Access::Read, "@reference/link"), (Permission::Moderate, "path:outside-read"));
}

/// What the system keeps from others stays so, also where somebody named the whole machine.
#[test]
fn read_only_root_around_the_system_opens_none_of_its_private_files() {
    let root = tempfile::tempdir().unwrap();
    let paths = Paths::open(PathsConfig {
        workspaces: vec![root.path().to_path_buf()],
        further: vec!["/".into()],
        ..PathsConfig::default()
    })
    .unwrap();
    let rule = |path: &str| paths.classify(path.as_ref(), path.as_ref(), Access::Read).rule;
    assert_eq!(rule("/etc/passwd"), "path:system-read");
    if cfg!(target_os = "linux") {
        assert_eq!(rule("/etc/shadow"), "path:system-private");
        assert!(paths.is_private_system_child("/etc/shadow".as_ref()));
    }
    assert_eq!(rule("/srv/anything"), "path:read_only_roots");
}

/// A workspace, and beside it a folder that is only read; Deskhand's data lies in that.
fn further(restrict_to_workspace: bool) -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for file in [
        "workspace/a.txt",
        "workspace/docs/b.txt",
        "reference/guide.txt",
        "reference/.env",
        "reference/data/deskhand.db",
        "reference_private/x",
    ] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "x").unwrap();
    }
    let paths = Paths::open(PathsConfig {
        workspaces: vec![root.join("workspace")],
        further: vec![root.join("reference"), root.join("workspace/docs"), root.join("not there")],
        own: vec![root.join("reference/data")],
        outputs: root.join("reference/data/outputs"),
        restrict_to_workspace,
        ..PathsConfig::default()
    })
    .unwrap();
    assert_eq!(paths.further().collect::<Vec<_>>(), [root.join("reference")]);
    Desk { cx: cx(paths), _folder: folder, root }
}

/// What a call makes of a path: where and what it is, whether it may be read, and what is in it.
fn look_and_read(cx: &Cx, arg: &PathArg) -> ToolResult<(PathBuf, Permission, &'static str, u64, String)> {
    let place = cx.paths()?.readable(arg)?;
    let text = io::read_to_string(place.open()?).map_err(|error| place.io("read", &error))?;
    Ok((place.path().to_path_buf(), place.permission(), place.rule(), place.metadata()?.len(), text))
}

/// Whether this system and this file system can say at all that they would wait; older ones cannot, and are not asked to.
fn tells_of_waiting(folder: &std::path::Path) -> bool {
    use rustix::{
        fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
        io::{ReadWriteFlags, preadv2},
    };
    let path = folder.join("a.txt");
    let file = fs::File::open(&path).unwrap();
    let mut byte = [0];
    let reads = preadv2(&file, &mut [io::IoSliceMut::new(&mut byte)], 0, ReadWriteFlags::NOWAIT).is_ok();
    reads && openat2(CWD, &path, OFlags::PATH, Mode::empty(), ResolveFlags::CACHED).is_ok()
}

#[test]
fn who_may_not_wait_sees_the_same_or_nothing() {
    let desk = desk(false);
    symlink("a.txt", desk.root.join("workspace/link")).unwrap();
    symlink(desk.root.join("elsewhere"), desk.root.join("workspace/out")).unwrap();
    fs::create_dir(desk.root.join("workspace/sub")).unwrap();
    fs::write(desk.root.join("workspace/sub/long"), "y".repeat(200_000)).unwrap();
    let handle = format!("out:{}", deskhand_core::CallId::new());
    fs::write(desk.root.join("workspace").join(&handle), "not a kept output").unwrap();
    let prompt = desk.cx.refusing_to_wait();
    // Whether it is answered at once depends on the system; if so, it is the same answer.
    for plain in
        ["a.txt", "./a.txt", "sub/../a.txt", "@workspace/a.txt", ".env", "link", "out/b.txt", "sub/long"]
    {
        let arg = desk.arg(plain);
        let whole = look_and_read(&desk.cx, &arg).unwrap();
        if let Ok(at_once) = look_and_read(&prompt, &arg) {
            assert_eq!(at_once, whole, "{plain}");
        }
    }
    // Through a link, out of the workspace, by a handle, or much of it: never at once.
    for other in
        ["link", "out/b.txt", "sub/../a.txt", "@elsewhere/b.txt", "sub/long", "missing", "sub", &handle]
    {
        let error = look_and_read(&prompt, &desk.arg(other)).unwrap_err();
        assert_eq!(error.status, Status::Error, "{other}: {}", error.message);
    }
    // And nothing is written like that.
    assert!(prompt.paths().unwrap().writable(&desk.arg("a.txt")).is_err());
    if tells_of_waiting(&desk.root.join("workspace")) {
        assert_eq!(look_and_read(&prompt, &desk.arg("a.txt")).unwrap().4, "x");
        assert_eq!(look_and_read(&prompt, &desk.arg(".env")).unwrap().1, Permission::Sensitive);
    }
}

#[test]
fn who_may_not_wait_is_held_to_the_plan_as_well() {
    let desk = desk(false);
    let plan = Plan::new("Look at nothing");
    let cx = desk.cx.approved(Arc::new(plan), CancellationToken::new()).refusing_to_wait();
    let error = look_and_read(&cx, &desk.arg(".env")).unwrap_err();
    if tells_of_waiting(&desk.root.join("workspace")) {
        assert_eq!(error.code, "plan_changed", "{}", error.message);
    }
}
