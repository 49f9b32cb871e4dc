//! Which confinement is taken, and that there is none without one.

use std::{fs, os::unix::fs::PermissionsExt};

use assert_cmd::Command;
use deskhand_guard::sandbox::{Kind, View};
use serde_json::Value;

use super::{BOTH, Bench, LAUNCHER};

#[test]
fn what_is_in_force_is_said_in_words() {
    for kind in BOTH {
        let bench = Bench::new(kind);
        let in_force = bench.sandbox.in_force().unwrap();
        assert_eq!(in_force.kind, kind.name());
        for word in ["Landlock ABI", "seccomp", "limits", "writable: the workspace", "no network"] {
            assert!(in_force.words.contains(word), "{in_force:?}");
        }
        assert_eq!(in_force.words.contains("cannot be hidden"), kind == Kind::Landlock);
    }
}

#[test]
fn nothing_to_run_is_an_error() {
    let bench = Bench::new(Kind::Namespaces);
    assert_eq!(bench.sandbox.launch(&bench.job(View::Work, &[])).unwrap_err().code, "empty_command");
    assert_eq!(bench.sandbox.launch(&bench.job(View::Work, &["a\0b"])).unwrap_err().code, "nul_byte");
}

/// `doctor` on a machine without some of it.
fn doctor(without: &str, sandbox: &str) -> Value {
    let data = tempfile::tempdir().unwrap();
    let output = Command::new(LAUNCHER)
        .args(["doctor", "--json", "--data-dir"])
        .arg(data.path().join("data"))
        .env("DESKHAND_TEST_WITHOUT", without)
        .env("DESKHAND_SANDBOX_KIND", sandbox)
        .env("HOME", data.path())
        .current_dir(data.path())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap()
}

#[test]
fn doctor_tells_what_this_machine_has() {
    let all = doctor("", "auto");
    assert!(check(&all, "sandbox")["ok"] == true, "{all}");
    assert!(check(&all, "sandbox")["found"].as_str().unwrap().starts_with("namespaces"), "{all}");
    for name in ["namespaces", "landlock", "seccomp"] {
        assert_eq!(check(&all, name)["ok"], true, "{all}");
    }
}

#[test]
fn doctor_tells_what_is_missing_and_what_to_do() {
    let weaker = doctor("namespaces", "auto");
    assert_eq!(check(&weaker, "sandbox")["ok"], true);
    let found = check(&weaker, "sandbox")["found"].as_str().unwrap();
    assert!(found.contains("Landlock ABI") && found.contains("no namespaces"), "{found}");
    assert_eq!(check(&weaker, "namespaces")["ok"], false);
    assert!(check(&weaker, "namespaces")["remedy"].as_str().unwrap().contains("sysctl"));

    let refused = doctor("namespaces", "namespaces");
    assert_eq!(check(&refused, "sandbox")["ok"], false);
    assert!(check(&refused, "sandbox")["remedy"].as_str().unwrap().contains("landlock"), "{refused}");

    let nothing = doctor("namespaces,landlock", "auto");
    assert_eq!(check(&nothing, "sandbox")["ok"], false, "{nothing}");
    let without_landlock = doctor("landlock", "auto");
    assert_eq!(check(&without_landlock, "landlock")["ok"], false);
    assert!(check(&without_landlock, "sandbox")["found"].as_str().unwrap().contains("no Landlock"));
    assert_eq!(check(&doctor("seccomp", "auto"), "sandbox")["ok"], false);
}

/// Other tests of this process must not see the variable: nextest gives each test a process of its own, and
/// otherwise this one starts itself again.
#[test]
fn without_the_confinement_that_is_wanted_nothing_starts() {
    if std::env::var_os("DESKHAND_TEST_WITHOUT").is_none() {
        let name = "sandbox::kinds::without_the_confinement_that_is_wanted_nothing_starts";
        let again = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env("DESKHAND_TEST_WITHOUT", "namespaces,landlock")
            .output()
            .unwrap();
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
        assert!(String::from_utf8_lossy(&again.stdout).contains("1 passed"));
        return;
    }
    for kind in BOTH {
        let bench = Bench::new(kind);
        let error = bench.sandbox.launch(&bench.job(View::Work, &["true"])).unwrap_err();
        assert_eq!(error.code, "no_sandbox");
        let remedy = error.hint.unwrap();
        assert!(remedy.contains("sandbox.kind = \"") && remedy.contains("andlock"), "{remedy}");
        assert!(bench.sandbox.in_force().is_err());
    }
}

/// Two walls stand in front of the same files. This is the first one alone; the tests of the other kind are the
/// second one alone.
#[test]
fn namespaces_hold_without_landlock() {
    let again = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["sandbox::files", "sandbox::reach"])
        .env("DESKHAND_TEST_WITHOUT", "landlock")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(again.status.success() && !said.contains(" 0 passed"), "{said}");
}

/// Tests may run as root, to whom much is open; this is how most people run it.
#[test]
fn another_user_than_root_is_confined_too() {
    const NOBODY: u32 = 65_534;
    for kind in BOTH {
        let ids = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        let possible = std::process::Command::new("setpriv").args(ids).arg("true").output();
        if !possible.is_ok_and(|output| output.status.success()) {
            deskhand_testkit::skip("only root can run something as somebody else");
            return;
        }
        let bench = Bench::for_everyone(kind);
        fs::set_permissions(&bench.top, fs::Permissions::from_mode(0o755)).unwrap();
        for folder in [&bench.workspace, &bench.path("temporary")] {
            std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let outside = bench.path("home/notes");
        let script = format!(
            "id -u; echo x > new; echo y > \"$TMPDIR/new\"; (echo z > '{0}') 2> /dev/null || echo refused; cat '{0}'",
            outside.display()
        );
        let launch = bench.sandbox.launch(&bench.job(View::Work, &["sh", "-c", &script])).unwrap();
        let mut command = std::process::Command::new("setpriv");
        command.args(ids).arg(&launch.program).args(&launch.args).env_clear().envs(launch.env.clone());
        command.env("PATH", std::env::var_os("PATH").unwrap());
        fs::set_permissions(&outside, fs::Permissions::from_mode(0o666)).unwrap();
        // Whoever starts a launcher made its life line, too.
        std::os::unix::fs::fchown(&launch.inherited, Some(NOBODY), Some(NOBODY)).unwrap();
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "65534\nrefused\nprivate", "{kind:?} {}", String::from_utf8_lossy(&output.stderr));
        assert!(bench.workspace.join("new").exists() && bench.path("temporary/new").exists());
    }
}
