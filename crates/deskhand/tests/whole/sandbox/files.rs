//! Files: what a confined program reads and writes.

use std::fs;

use deskhand_guard::sandbox::{Kind, View};

use super::{Bench, SECRET, kinds};

#[test]
fn work_writes_in_the_workspace_and_in_its_own_temporary_folder() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        bench.shell(View::Work, "echo a > new && mkdir d && mv new d/ && echo b > \"$TMPDIR/x\"").good();
        assert_eq!(fs::read_to_string(bench.workspace.join("d/new")).unwrap(), "a\n");
        assert_eq!(fs::read_to_string(bench.path("temporary/x")).unwrap(), "b\n");
    }
}

#[test]
fn nothing_is_written_outside() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        let name = format!("deskhand-test-{}-{}", std::process::id(), kind.name());
        let mut places: Vec<_> =
            ["home", "data", ""].iter().map(|place| bench.path(place).join(&name)).collect();
        places.extend(
            ["/etc", "/usr", "/", "/tmp", "/var/tmp", "/dev/shm", "/var/lib"]
                .map(|p| format!("{p}/{name}").into()),
        );
        for place in places {
            for view in [View::Look, View::Work] {
                let script = format!("echo x > '{}'", place.display());
                let ran = bench.shell(view, &script);
                let written = fs::remove_file(&place).is_ok();
                assert!(!written, "{kind:?} {view:?} {}", place.display());
                // In a world of its own, the last ones are other places than the machine's.
                if kind == Kind::Landlock
                    || !place.starts_with("/tmp")
                        && !place.starts_with("/var/tmp")
                        && !place.starts_with("/dev")
                {
                    ran.refused();
                }
            }
        }
        let notes = bench.path("home/notes");
        bench.shell(
            View::Work,
            &format!(": > '{0}'; rm -f '{0}'; mv '{0}' .; chmod 777 '{0}'; ln '{0}' l", notes.display()),
        );
        assert_eq!(fs::read_to_string(&notes).unwrap(), "private", "{kind:?}");
    }
}

#[test]
fn a_look_writes_nothing_at_all() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        for script in [
            "echo x > new",
            "echo x >> readme",
            "rm readme",
            "mkdir d",
            "mv readme other",
            "ln -s a b",
            "chmod 777 readme",
            "touch -d 2001-01-01 readme",
        ] {
            bench.shell(View::Look, script).refused();
        }
        assert_eq!(fs::read_to_string(bench.workspace.join("readme")).unwrap(), "hello");
        assert_eq!(bench.shell(View::Look, "cat readme").good(), "hello");
        assert_eq!(
            bench.shell(View::Look, &format!("cat '{}'", bench.path("data/uploads/given").display())).good(),
            "given"
        );
    }
}

#[test]
fn secrets_are_not_there() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        for view in [View::Look, View::Work] {
            for secret in [
                "home/.ssh/id_ed25519",
                "home/.config/gh/hosts.yml",
                "home/.bash_history",
                "home/.cargo/credentials.toml",
                "data/deskhand.db",
                "home/project/.env",
                "home/project/deep/er/server.key",
            ] {
                // What Landlock cannot do, and says.
                if kind == Kind::Landlock && view == View::Work && secret.starts_with("home/project") {
                    continue;
                }
                let path = bench.path(secret);
                assert!(fs::read_to_string(&path).unwrap().contains(SECRET));
                bench.shell(view, &format!("cat '{}'", path.display())).refused();
                bench
                    .shell(view, &format!("cp '{}' \"$TMPDIR/copy\" && cat \"$TMPDIR/copy\"", path.display()))
                    .refused();
            }
            let listed = bench.shell(view, &format!("ls '{}'", bench.path("home/.ssh").display()));
            assert!(!listed.out.contains("id_ed25519"), "{kind:?} {view:?} {listed:?}");
            for private in ["/etc/shadow", "/etc/gshadow"] {
                bench.shell(view, &format!("cat {private}")).refused();
            }
            bench.shell(view, "cat /etc/passwd").good();
        }
    }
}

#[test]
fn work_sees_the_rest_of_the_machine_and_a_look_does_not() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        let notes = format!("cat '{}'", bench.path("home/notes").display());
        assert_eq!(bench.shell(View::Work, &notes).good(), "private");
        bench.shell(View::Look, &notes).refused();
        let tool = format!("cat '{}'", bench.path("home/.cargo/bin/tool").display());
        assert_eq!(bench.shell(View::Work, &tool).good(), "harmless");
        bench.shell(View::Look, &tool).refused();
        let mut look = bench.job(View::Look, &["sh", "-c", &tool]);
        let path = format!("{}:/usr/bin:/bin", bench.path("home/.cargo/bin").display());
        look.env.push(("PATH".into(), path.into()));
        assert_eq!(bench.run(&look).good(), "harmless", "folders of programs are there");

        let restricted = Bench::restricted(kind);
        restricted.shell(View::Work, &format!("cat '{}'", restricted.path("home/notes").display())).refused();
        restricted.shell(View::Work, "echo x > new").good();
    }
}

#[test]
fn what_a_person_said_yes_to_is_there_and_is_only_read() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        for view in [View::Look, View::Work] {
            let key = bench.path("home/.ssh/id_ed25519");
            let mut job = bench.job(view, &["cat", key.to_str().unwrap()]);
            job.revealed = vec![key.clone()];
            assert_eq!(bench.run(&job).good(), SECRET);
            job.argv = ["sh", "-c", &format!("echo x > '{}'", key.display())].map(Into::into).to_vec();
            bench.run(&job).refused();
            // Deskhand's own data is never revealed.
            let own = bench.path("data/deskhand.db");
            job.argv = vec!["cat".into(), own.clone().into()];
            job.revealed = vec![own, bench.path("data")];
            bench.run(&job).refused();
        }
        assert_eq!(fs::read_to_string(bench.path("home/.ssh/id_ed25519")).unwrap(), SECRET);
    }
}

/// Tests and many people work below /tmp.
#[test]
fn a_workspace_below_tmp_is_where_it_was() {
    for &kind in kinds() {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("w");
        fs::create_dir(&workspace).unwrap();
        let beside = folder.path().join("beside");
        fs::write(&beside, SECRET).unwrap();
        let bench = Bench::with(kind, |config| {
            config.paths = deskhand_guard::Paths::open(deskhand_guard::PathsConfig {
                workspaces: vec![workspace.clone()],
                ..Default::default()
            })
            .unwrap();
        });
        let mut job =
            bench.job(View::Work, &["sh", "-c", &format!("echo x > here; pwd; cat '{}'", beside.display())]);
        job.cwd = workspace.clone();
        let ran = bench.run(&job);
        assert_eq!(ran.out.trim(), workspace.to_str().unwrap(), "{ran:?}");
        ran.refused();
        assert!(workspace.join("here").exists());
    }
}

/// A further folder is read in every view, without its secrets, and written in none.
#[test]
fn read_only_roots_are_shown_and_never_writable() {
    for &kind in kinds() {
        let bench = Bench::with(kind, |config| {
            let home = config.paths.home().unwrap().to_path_buf();
            let further = home.join("reference");
            std::fs::create_dir_all(&further).unwrap();
            std::fs::write(further.join("guide"), "guide").unwrap();
            std::fs::write(further.join(".env"), SECRET).unwrap();
            config.paths = deskhand_guard::Paths::open(deskhand_guard::PathsConfig {
                workspaces: vec![home.join("project")],
                further: vec![further],
                home: Some(home),
                ..deskhand_guard::PathsConfig::default()
            })
            .unwrap();
        });
        let at = bench.path("home/reference");
        for view in [View::Look, View::Work] {
            let read = bench.shell(view, &format!("cat '{}/guide'", at.display()));
            assert_eq!(read.out, "guide", "{kind:?} {view:?}: {read:?}");
            bench.shell(view, &format!("cat '{}/.env'", at.display())).refused();
            bench.shell(view, &format!("echo x > '{}/new'", at.display())).refused();
        }
        assert!(!at.join("new").exists());
    }
}

#[test]
fn a_link_leads_nowhere() {
    for &kind in kinds() {
        let bench = Bench::new(kind);
        std::os::unix::fs::symlink(bench.path("home/.ssh"), bench.workspace.join("keys")).unwrap();
        std::os::unix::fs::symlink(bench.path("home"), bench.workspace.join("up")).unwrap();
        bench.shell(View::Work, "cat keys/id_ed25519").refused();
        bench.shell(View::Work, "echo x > up/new").refused();
    }
}

/// Own data in the workspace: hidden where there are mounts, a refusal where there are none; and what is not there yet
/// cannot be made.
#[test]
fn own_data_in_the_workspace_is_kept_apart() {
    for &kind in super::kinds() {
        let bench = Bench::with(kind, |config| {
            let home = config.paths.home().unwrap().to_path_buf();
            let own = vec![home.join("project/own"), home.join("project/config-to-be")];
            std::fs::create_dir_all(&own[0]).unwrap();
            config.paths = deskhand_guard::Paths::open(deskhand_guard::PathsConfig {
                workspaces: vec![home.join("project")],
                own,
                home: Some(home),
                ..deskhand_guard::PathsConfig::default()
            })
            .unwrap();
        });
        let job = bench
            .job(View::Work, &["sh", "-c", "echo x > own/x; mkdir -p config-to-be; echo x > config-to-be/x"]);
        if let Err(error) = bench.sandbox.launch(&job) {
            assert_eq!((kind, error.code), (Kind::Landlock, "no_sandbox"));
            continue;
        }
        assert_eq!(kind, Kind::Namespaces);
        bench.run(&job).refused();
        for name in ["own/x", "config-to-be/x"] {
            assert!(!bench.workspace.join(name).exists(), "{name}");
        }
    }
}

/// What the person's own git runs later stays as it is, unless git itself is what runs.
#[test]
fn hooks_and_settings_of_git_are_kept() {
    let bench = Bench::new(Kind::Namespaces);
    std::fs::create_dir_all(bench.workspace.join(".git/hooks")).unwrap();
    std::fs::write(bench.workspace.join(".git/config"), "[core]\n").unwrap();
    let script = "echo x > .git/hooks/pre-commit; echo x >> .git/config; echo x > .git/other";
    bench.shell(View::Work, script);
    assert!(!bench.workspace.join(".git/hooks/pre-commit").exists());
    assert_eq!(std::fs::read_to_string(bench.workspace.join(".git/config")).unwrap(), "[core]\n");
    assert!(bench.workspace.join(".git/other").exists());
    let mut job = bench.job(View::Work, &["sh", "-c", script]);
    job.protects_git = false;
    bench.run(&job).good();
    assert!(bench.workspace.join(".git/hooks/pre-commit").exists());
}

/// The devices are the machine's own: who owns them could change their modes for everybody.
#[test]
fn modes_of_devices_stay_as_they_are() {
    let bench = Bench::new(Kind::Namespaces);
    for view in [View::Look, View::Work] {
        // The mode that they have: if the call gets through, nothing is lost.
        bench.shell(view, "chmod 666 /dev/full").refused();
        bench
            .shell(view, "echo x > /dev/null && head -c 1 /dev/zero && ! echo x 2>/dev/null > /dev/full")
            .good();
    }
}
