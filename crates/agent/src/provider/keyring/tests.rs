//! Against a real keyring: gnome-keyring, on a bus of its own and in a home of its own.
//!
//! The address of the bus is a variable of the process, so each test is a process that [`child`] runs in.

#![allow(clippy::print_stderr)] // a test that is skipped says so

use std::{
    env,
    os::unix::net::UnixListener,
    path::Path,
    process::{Command, Output},
    sync::Arc,
};

use secret_service::{EncryptionType, SecretService};

use super::*;
use crate::provider::{KeyPlace, KeySource, KeyStore, presets::presets};

/// What tells a child what to do.
const CHILD: &str = "DESKHAND_KEYRING_TEST";

const TEST: &str = "provider::keyring::tests::child";

#[test]
#[ignore = "run by other tests, in a process of its own"]
fn child() {
    match env::var(CHILD).unwrap().as_str() {
        "keep" => keep_and_forget(),
        "order" => keys_are_looked_for_in_order(),
        "lock" => locked(),
        "absent" => {
            let error = patient().check().unwrap_err();
            assert!(matches!(error, KeyringError::Absent(_)), "{error}");
        }
        "hang" => {
            let keyring = Keyring::default();
            let late = || Err(KeyringError::Late);
            assert_eq!(keyring.check(), late());
            // It rests now; nobody waits again.
            assert!(keyring.state().late.is_some());
            assert_eq!(keyring.get("openai").map(drop), late());
        }
        other => panic!("{other}"),
    }
}

/// A busy machine is no keyring that hangs.
fn patient() -> Keyring {
    Keyring { limit: Duration::from_mins(1), ..Keyring::default() }
}

fn keep_and_forget() {
    let keyring = patient();
    keyring.check().unwrap();
    assert_eq!(keyring.get("openai").unwrap(), None);
    assert!(keyring.providers().unwrap().is_empty());
    for key in ["sk-one", "sk-two 键"] {
        keyring.set("openai", &Key::new(key)).unwrap();
        assert_eq!(keyring.get("openai").unwrap(), Some(Key::new(key)));
    }
    keyring.set("zhipu", &Key::new("three")).unwrap();
    assert_eq!(keyring.providers().unwrap(), ["openai".to_owned(), "zhipu".to_owned()].into());
    // Another process sees it, too.
    assert_eq!(patient().get("zhipu").unwrap(), Some(Key::new("three")));
    assert!(keyring.delete("openai").unwrap());
    assert!(!keyring.delete("openai").unwrap());
    assert_eq!(keyring.get("openai").unwrap(), None);
    assert_eq!(keyring.providers().unwrap(), ["zhipu".to_owned()].into());
}

/// The keys of openai that would be used, and where they come from.
fn found(store: &KeyStore, env: &dyn Fn(&str) -> Option<String>) -> (Option<KeySource>, Vec<Key>) {
    let preset = presets().providers.iter().find(|preset| preset.name == "openai").unwrap();
    (store.source(preset, env), store.find(preset, env).unwrap().keys)
}

fn keys_are_looked_for_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    let store = KeyStore::new(Some(Arc::new(patient())), Some(file.clone()));
    let nothing = |_: &str| None;
    let set = |name: &str| (name == "OPENAI_API_KEY").then(|| "from-env".to_owned());
    assert_eq!(found(&store, &nothing), (None, vec![]));
    store.keep("openai", &Key::new("from-file"), Some(KeyPlace::File), None).unwrap();
    assert_eq!(found(&store, &nothing), (Some(KeySource::File), vec![Key::new("from-file")]));
    // Without a place, the keyring; and no copy in the file.
    assert_eq!(store.keep("openai", &Key::new("from-ring"), None, None).unwrap(), KeySource::Keyring);
    assert!(!std::fs::read_to_string(&file).unwrap().contains("from-ring"));
    assert_eq!(found(&store, &nothing), (Some(KeySource::Keyring), vec![Key::new("from-ring")]));
    assert_eq!(found(&store, &set), (Some(KeySource::Environment), vec![Key::new("from-env")]));
    // Where the key belongs stands in the file: one that cannot be read must not set the key free.
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, "broken").unwrap();
    let preset = presets().provider("openai").unwrap();
    assert!(store.find(preset, &nothing).is_err(), "the key of the keyring is held back");
    std::fs::write(&file, whole).unwrap();
    assert!(store.forget("openai").unwrap());
    assert_eq!(found(&store, &nothing), (None, vec![]), "from both");
}

fn locked() {
    let folder = tempfile::tempdir().unwrap();
    let keyring = patient();
    keyring.set("openai", &Key::new("from-ring")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let service = SecretService::connect(EncryptionType::Dh).await.unwrap();
        service.get_default_collection().await.unwrap().lock().await.unwrap();
    });
    assert_eq!(keyring.check(), Err(KeyringError::Locked));
    assert_eq!(keyring.get("openai"), Err(KeyringError::Locked));
    assert_eq!(keyring.set("openai", &Key::new("x")), Err(KeyringError::Locked));
    assert_eq!(keyring.delete("openai"), Err(KeyringError::Locked));
    let store = KeyStore::new(Some(Arc::new(keyring)), Some(folder.path().join("keys.toml")));
    assert_eq!(store.keep("openai", &Key::new("from-file"), None, None).unwrap(), KeySource::File);
    assert_eq!(found(&store, &|_| None), (Some(KeySource::File), vec![Key::new("from-file")]));
    let error = store.keep("openai", &Key::new("x"), Some(KeyPlace::Keyring), None).unwrap_err();
    assert!(error.to_string().contains("locked"), "{error}");
    // Where nothing else has a key, it is said that one may be there.
    let alone = KeyStore::new(Some(Arc::new(patient())), None);
    let preset = presets().providers.iter().find(|preset| preset.name == "openai").unwrap();
    assert_eq!(alone.find(preset, &|_| None).unwrap().trouble, Some(KeyringError::Locked));
}

fn passed(output: &Output) {
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success() && shown(&output.stdout).contains("1 passed"),
        "{}\n{}",
        shown(&output.stdout),
        shown(&output.stderr)
    );
}

fn run(task: &str, bus: &str) -> Output {
    Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", TEST])
        .env(CHILD, task)
        .env("DBUS_SESSION_BUS_ADDRESS", bus)
        .output()
        .unwrap()
}

fn is_there(program: &str) -> bool {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(program).is_file())
}

fn with_a_real_keyring(task: &str) {
    if !is_there("dbus-run-session") || !is_there("gnome-keyring-daemon") {
        deskhand_testkit::skip("the Debian packages dbus and gnome-keyring are not here");
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let script =
        "printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec \"$@\"";
    let output = Command::new("dbus-run-session")
        .args(["--", "sh", "-c", script, "sh"])
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", TEST])
        .env(CHILD, task)
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env_remove("XDG_DATA_HOME")
        .output()
        .unwrap();
    passed(&output);
}

#[test]
fn keys_are_kept_and_forgotten() {
    with_a_real_keyring("keep");
}

#[test]
fn the_environment_comes_first_then_the_keyring_then_the_file() {
    with_a_real_keyring("order");
}

#[test]
fn a_locked_keyring_is_left_alone() {
    with_a_real_keyring("lock");
}

#[test]
fn where_there_is_no_bus_there_is_no_keyring() {
    passed(&run("absent", "unix:path=/nonexistent/bus"));
}

#[test]
fn a_bus_without_a_keyring_says_so() {
    if !is_there("dbus-daemon") {
        deskhand_testkit::skip("the Debian package dbus is not here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // One on which nothing can be started.
    let config = folder.path().join("bus.conf");
    let text = format!(
        "<busconfig><type>session</type><listen>unix:dir={}</listen><policy context=\"default\">\
         <allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>",
        folder.path().display()
    );
    std::fs::write(&config, text).unwrap();
    let output = Command::new("dbus-run-session")
        .args(["--config-file".as_ref(), config.as_os_str(), "--".as_ref()])
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", TEST])
        .env(CHILD, "absent")
        .output()
        .unwrap();
    passed(&output);
}

#[test]
fn a_keyring_that_hangs_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("bus");
    // Takes the connection, and says nothing.
    let _listener = UnixListener::bind(&socket).unwrap();
    passed(&run("hang", &address(&socket)));
}

fn address(socket: &Path) -> String {
    format!("unix:path={}", socket.display())
}
