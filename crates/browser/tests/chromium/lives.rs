//! How browsers begin and end, and that nothing is left of them.

use std::{path::Path, sync::Arc, time::Duration};

use deskhand_browser::{
    Browser, Browsers, Config, Options,
    launch::{Found, Kept},
    page::PageError,
};
use deskhand_guard::Outbound;
use deskhand_testkit::until;

use crate::fixture::{Desk, LIMIT, chromium, options};

/// The processes whose command line names this folder.
fn processes_of(folder: &Path) -> Vec<u32> {
    let folder = folder.display().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&folder)
    })
    .collect()
}

async fn until_none_is_left(folder: &Path) {
    until("no process is left", async || processes_of(folder).is_empty()).await;
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let desk = Desk::new().await;
    let browser = desk.browser().await;
    assert!(processes_of(desk.folder.path()).len() > 2);
    browser.close().await;
    until_none_is_left(desk.folder.path()).await;
    assert!(is_empty(&desk.folder.path().join("browser/profiles")));
    // Nor where it is only dropped.
    let again =
        Browser::launch(&chromium(), desk.folder.path(), options(), Outbound::default()).await.unwrap();
    drop(again);
    until_none_is_left(desk.folder.path()).await;
}

#[tokio::test]
async fn a_browser_that_dies_is_noticed_and_the_next_call_has_a_new_one() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    let pid = page.browser().pid().unwrap();
    let waiting = page.evaluate("new Promise(() => {})", LIMIT);
    let kill = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    };
    let (ended, ()) = tokio::join!(waiting, kill);
    assert!(matches!(ended, Err(PageError::BrowserGone(_))), "{ended:?}");
    drop(page);
    assert!(desk.browsers.running("test").is_none());
    let opened = desk.browsers.open("test").await.unwrap();
    assert!(opened.notice.unwrap().contains("is gone"));
    assert_ne!(opened.browser.pid(), Some(pid));
    assert!(desk.browsers.open("test").await.unwrap().notice.is_none(), "it is told once");
    desk.end().await;
}

#[tokio::test]
async fn each_session_has_its_own_and_one_that_is_not_used_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::new(folder.path().to_path_buf());
    config.idle = Duration::from_millis(300);
    let browsers = Browsers::new(config);
    let (one, two, same) = tokio::join!(browsers.open("one"), browsers.open("two"), browsers.open("one"));
    let (one, two, same) = (one.unwrap().browser, two.unwrap().browser, same.unwrap().browser);
    assert!(one.pid() != two.pid() && Arc::ptr_eq(&one, &same));
    drop((one, two, same));
    until_none_is_left(folder.path()).await;
    browsers.close_all().await;
}

/// Only what is in the pipes holds it: whoever held them is killed, and it ends by itself.
#[tokio::test]
async fn it_ends_when_deskhand_is_killed() {
    const PROGRAM: &str = "DESKHAND_BROWSER_TEST_CHILD";
    let folder = match std::env::var_os(PROGRAM) {
        Some(folder) => {
            let browser = Browser::launch(&chromium(), Path::new(&folder), options(), Outbound::default())
                .await
                .unwrap();
            std::fs::write(Path::new(&folder).join("ready"), browser.pid().unwrap().to_string()).unwrap();
            std::future::pending::<()>().await;
            return;
        }
        None => tempfile::tempdir().unwrap(),
    };
    let this = std::env::current_exe().unwrap();
    let mut child = tokio::process::Command::new(this)
        .args(["--exact", "lives::it_ends_when_deskhand_is_killed"])
        .env(PROGRAM, folder.path())
        .stdout(std::process::Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    until("it is ready", async || folder.path().join("ready").exists()).await;
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    assert!(processes_of(folder.path()).len() > 2);
    child.kill().await.unwrap();
    until_none_is_left(folder.path()).await;
    // What it left on the disk goes with the next start.
    assert!(!is_empty(&folder.path().join("profiles")));
    let next = Browser::launch(&chromium(), folder.path(), options(), Outbound::default()).await.unwrap();
    assert_eq!(
        std::fs::read_dir(folder.path().join("profiles")).unwrap().count(),
        2,
        "its own folder and lock"
    );
    next.close().await;
}

#[tokio::test]
async fn what_does_not_start_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("browser.sh");
    std::fs::write(&path, "#!/bin/sh\necho 'cannot open display' >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = Found { path, name: "Broken".into() };
    let error = Browser::launch(&found, folder.path(), options(), Outbound::default()).await.err().unwrap();
    assert!(error.to_string().contains("cannot open display"), "{error}");
}

/// A second program cannot have the same profile; and one that is kept is there again.
#[tokio::test]
async fn a_profile_is_one_browsers() {
    let desk = Desk::new().await;
    let mut kept = options();
    kept.profile = Some(Kept { owner: None, name: "mine".into() });
    let folder = desk.folder.path().join("kept");
    let first = Browser::launch(&chromium(), &folder, kept.clone(), Outbound::default()).await.unwrap();
    let second =
        Browser::launch(&chromium(), &folder, kept.clone(), Outbound::default()).await.err().unwrap();
    assert!(second.to_string().contains("in use"), "{second}");
    first.close().await;
    let kept_ones = || {
        std::fs::read_dir(folder.join("profiles"))
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .count()
    };
    assert_eq!(kept_ones(), 1);
    // Under the same name another person has another one.
    let hers =
        Options { profile: Some(Kept { owner: Some("ann".into()), name: "mine".into() }), ..kept.clone() };
    Browser::launch(&chromium(), &folder, hers, Outbound::default()).await.unwrap().close().await;
    assert_eq!(kept_ones(), 2);
    Browser::launch(&chromium(), &folder, kept, Outbound::default()).await.unwrap().close().await;
    desk.end().await;
}
