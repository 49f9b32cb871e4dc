//! Git for calls that nobody was asked about: a repository's own config runs nothing.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use deskhand_guard::sandbox::{Job, View};

use super::{BOTH, Bench};

fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// A repository in which looking would run a program: it says so on stderr and in the temporary folder.
fn trap(bench: &Bench) {
    let folder = &bench.workspace;
    git(folder, &["init", "-q"]);
    git(folder, &["add", "readme"]);
    git(folder, &["commit", "-qm", "one"]);
    fs::write(folder.join("readme"), "changed").unwrap();
    let program = folder.join("trap.sh");
    fs::write(&program, "#!/bin/sh\necho trapped >&2\necho trapped > \"${TMPDIR:-/tmp}/trapped\"\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    fs::write(folder.join(".gitattributes"), "readme diff=own filter=own\n").unwrap();
    for key in [
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "core.sshCommand",
        "diff.own.command",
        "diff.own.textconv",
        "filter.own.clean",
    ] {
        git(folder, &["config", key, program]);
    }
    fs::create_dir_all(folder.join(".git/hooks")).unwrap();
    for hook in ["post-index-change", "pre-commit", "reference-transaction"] {
        fs::copy(program, folder.join(".git/hooks").join(hook)).unwrap();
    }
}

#[test]
fn looking_at_a_repository_runs_nothing_of_it() {
    if Command::new("git").arg("--version").output().is_err() {
        deskhand_testkit::skip("there is no git");
        return;
    }
    for kind in BOTH {
        let bench = Bench::new(kind);
        trap(&bench);
        for (args, expected) in
            [(&["status", "--short"][..], " M readme"), (&["diff"], "+changed"), (&["log", "-p"], "+hello")]
        {
            let argv: Vec<&str> = std::iter::once("git").chain(args.iter().copied()).collect();
            let job = Job { ..bench.job(View::Look, &argv) };
            let ran = bench.run(&job);
            assert!(
                !ran.err.contains("trapped") && !bench.path("temporary/trapped").exists(),
                "{args:?} {ran:?}"
            );
            assert!(ran.out.contains(expected), "{kind:?} {args:?} {ran:?}");
        }
        // The trap works where nothing is hardened.
        let ran = bench.run(&bench.job(View::Work, &["git", "status"]));
        assert!(ran.err.contains("trapped") || bench.path("temporary/trapped").exists(), "{ran:?}");
    }
}
