//! Files into a page and out of it: only by a call whose plan names them.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_browser::{cdp::Session, tab::DownloadState};
use deskhand_core::{
    Permission, Request, ResultAnswer, Status, UndoJournal, UndoStep, Undoable,
    approval::{AnyAnswer, Subject},
    undo::PathState,
};
use deskhand_testkit::{Person, yes};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{fixture::LIMIT, tools::Shop};

#[tokio::test]
async fn a_download_gets_into_the_workspace_only_by_a_call_that_says_so() {
    let shop = Shop::new().await;
    let path = |name: &str| shop.workspace.join(name);
    assert!(shop.call("browser_downloads", json!({})).await.text.contains("Nothing was downloaded"));
    assert!(shop.browsers.running("test").is_none(), "none is started for that");
    shop.go("plain.html").await;
    shop.call("browser_navigate", json!({"url": shop.server.url("download")})).await;
    let browser = shop.browsers.running("test").unwrap();
    let never = CancellationToken::new();
    let done = browser.targets().wait_for(browser.connection(), LIMIT, &never, |state| {
        state.downloads.all.iter().any(|download| download.state == DownloadState::Completed).then_some(())
    });
    done.await.unwrap();
    assert!(!path("notes.txt").exists());
    let listed = shop.call("browser_downloads", json!({})).await;
    assert!(listed.text.contains("1 «notes.txt» (10 bytes)"), "{}", listed.text);
    assert_eq!(listed.outside.as_deref(), Some("127.0.0.1"));
    let save = |path: &str| json!({"download": 1, "path": path});
    let explained =
        shop.gate.explain(Request::new("browser_downloads", save("notes.txt")), &shop.session).await;
    let plan = explained.unwrap().plan.unwrap();
    assert_eq!((plan.permission, plan.touches.len()), (Permission::Moderate, 1));
    assert_eq!(plan.undo, Undoable::Yes);
    shop.call("browser_downloads", save("notes.txt")).await;
    assert_eq!(fs::read(path("notes.txt")).unwrap(), b"downloaded");
    for (arguments, status, code) in [
        (save("notes.txt"), Status::InvalidArguments, "already_exists"),
        (save("../data/grants"), Status::Blocked, "path:own-data-write"),
        (json!({"download": 7, "path": "x"}), Status::InvalidArguments, "no_such_download"),
        (json!({"download": 1}), Status::InvalidArguments, "no_path"),
    ] {
        let outcome = shop.try_call("browser_downloads", arguments.clone()).await;
        assert_eq!((outcome.status, outcome.error.unwrap().code.as_str()), (status, code), "{arguments}");
    }
    assert_eq!(shop.permission("browser_downloads", save("/etc/notes.txt")).await, Permission::Sensitive);
    // It is taken back as whatever a file tool wrote.
    let undone = shop.call("undo", json!({})).await;
    assert!(!path("notes.txt").exists() && undone.text.contains("notes.txt"), "{}", undone.text);
    shop.call("browser_downloads", save("notes.txt")).await;
    assert_eq!(fs::read(path("notes.txt")).unwrap(), b"downloaded");
    shop.browsers.close_all().await;
}

/// Copying a large file takes its time, and the page may have put another field in the place of the one that was approved.
#[tokio::test(flavor = "multi_thread")]
async fn no_other_field_gets_the_files() {
    let shop = Shop::new().await;
    let large = fs::File::create(shop.workspace.join("large")).unwrap();
    shop.go("plain.html").await;
    let browser = shop.browsers.running("test").unwrap();
    let mut was_in_time = false;
    // A copy that is done before the page has changed shows nothing; then a larger one is made.
    for size in [32_u64 << 20, 128 << 20, 500 << 20] {
        large.set_len(size).unwrap();
        let fields = "<input type=file id=one><input type=file id=other>";
        shop.script(&format!("document.body.innerHTML = '{fields}'; 1")).await;
        // Not by a page of our own: the call has that.
        let session = browser.targets().look().current().unwrap().session.clone();
        let session = Session::of(browser.connection().clone(), session);
        let uploads = browser.uploads();
        let swap = tokio::spawn(async move {
            while !uploads.exists() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            let script = "window.fields = [one, other]; one.id = 'x'; other.id = 'one'; 1";
            session.call("Runtime.evaluate", json!({"expression": script})).await.unwrap();
            bytes_in(&uploads) < size
        });
        shop.call("browser_select_file", json!({"selector": "#one", "paths": ["large"]})).await;
        was_in_time = swap.await.unwrap();
        assert_eq!(shop.script("fields.map(field => field.files.length)").await, json!([1, 0]));
        fs::remove_dir_all(browser.uploads()).unwrap();
        if was_in_time {
            break;
        }
    }
    assert!(was_in_time, "the page never changed while a file was copied");
    shop.browsers.close_all().await;
}

/// How much is in the files of a folder, and of those in it.
fn bytes_in(folder: &Path) -> u64 {
    let size = |entry: fs::DirEntry| match entry.metadata().unwrap() {
        of if of.is_dir() => bytes_in(&entry.path()),
        of => of.len(),
    };
    fs::read_dir(folder).unwrap().map(|entry| size(entry.unwrap())).sum()
}

#[tokio::test]
async fn a_page_gets_the_files_that_were_named_as_they_were() {
    let shop = Shop::new().await;
    let path = |name: &str| shop.workspace.join(name);
    fs::write(path("a.txt"), "first").unwrap();
    fs::write(path("b.txt"), "second").unwrap();
    shop.go("plain.html").await;
    shop.script("document.body.insertAdjacentHTML('afterbegin', '<input type=file id=one><input type=file id=many multiple>'); 1").await;
    let give = |field: &str, paths: &[&str]| json!({"selector": field, "paths": paths});
    assert_eq!(shop.permission("browser_select_file", give("#one", &["a.txt"])).await, Permission::Sensitive);
    shop.call("browser_select_file", give("#one", &["a.txt"])).await;
    fs::write(path("a.txt"), "changed since").unwrap();
    let read = "(async () => { const f = one.files[0]; return [f.name, await f.text()]; })()";
    assert_eq!(shop.script(read).await, json!(["a.txt", "first"]));
    shop.call("browser_select_file", give("#many", &["a.txt", "b.txt"])).await;
    assert_eq!(shop.script("[...many.files].map(f => f.name)").await, json!(["a.txt", "b.txt"]));
    for (arguments, status, code) in [
        (give("#field", &["a.txt"]), Status::Error, "no_file_field"),
        (give("#one", &["nothing.txt"]), Status::Error, "no_such_file"),
        (give("#one", &[]), Status::InvalidArguments, "invalid_arguments"),
    ] {
        let outcome = shop.try_call("browser_select_file", arguments.clone()).await;
        let error = outcome.error.unwrap();
        assert_eq!((outcome.status, error.code.as_str()), (status, code), "{arguments}: {}", error.message);
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn a_picture_becomes_a_new_file_that_can_be_taken_back() {
    let mut shop = Shop::new().await;
    let workspace = shop.workspace.clone();
    let path = |name: &str| workspace.join(name);
    shop.go("plain.html").await;
    let shot = |path: &str| json!({"path": path});
    let explained =
        shop.gate.explain(Request::new("browser_screenshot", shot("page.png")), &shop.session).await;
    let plan = explained.unwrap().plan.unwrap();
    assert!(plan.summary.contains(" into ") && plan.summary.contains("page.png"), "{}", plan.summary);
    assert_eq!((plan.touches.len(), &plan.undo), (1, &Undoable::Yes));
    assert!(!path("page.png").exists(), "a plan writes nothing");
    let taken = shop.call("browser_screenshot", shot("page.png")).await;
    assert_eq!(taken.images.len(), 1, "it is shown, too");
    let written = fs::read(path("page.png")).unwrap();
    assert_eq!(taken.data["size"], written.len());
    assert!(written.starts_with(b"\x89PNG") && taken.text.contains("page.png"), "{}", taken.text);
    let undo = taken.undo.expect("it can be undone");
    let journal = shop.session.services.get::<Arc<dyn UndoJournal>>().unwrap().load(undo).unwrap().unwrap();
    let UndoStep::Change { before, after, .. } = &journal.steps[0] else { panic!("{journal:?}") };
    assert_eq!(*before, PathState::Absent);
    assert!(matches!(after, PathState::File { size, .. } if *size == written.len() as u64), "{after:?}");
    for (arguments, status, code) in [
        (shot("page.png"), Status::InvalidArguments, "already_exists"),
        (shot("page.txt"), Status::InvalidArguments, "wrong_ending"),
        (shot("../data/x.png"), Status::Blocked, "path:own-data-write"),
        (shot("nowhere/x.png"), Status::Error, "no_such_file"),
    ] {
        let outcome = shop.try_call("browser_screenshot", arguments.clone()).await;
        let error = outcome.error.unwrap();
        assert_eq!((outcome.status, error.code.as_str()), (status, code), "{arguments}: {}", error.message);
    }
    assert_eq!(fs::read(path("page.png")).unwrap(), written, "nothing is written over");
    assert_eq!(shop.permission("browser_screenshot", shot("/etc/x.png")).await, Permission::Sensitive);
    // What a person keeps from the model is not left for it in the workspace.
    shop.session.check_results = true;
    shop.session.approvers = vec![withholding(path("kept.png"))];
    let withheld = shop.try_call("browser_screenshot", shot("kept.png")).await;
    assert_eq!(withheld.status, Status::ResultRejected);
    assert!(!path("kept.png").exists());
    shop.browsers.close_all().await;
}

/// Lets everything run, and shares nothing, not even a file that is there while it is asked.
fn withholding(file: PathBuf) -> Arc<Person> {
    Person::deciding(move |request| match request.subject {
        Subject::Execution { .. } => Some(yes()),
        Subject::Result { .. } => {
            assert!(!file.exists(), "it is not there before it is passed");
            Some(AnyAnswer::Result(ResultAnswer::Withhold { reason: None }))
        }
    })
}

/// Where nothing is in the tab that is open, the list still tells what is in others.
#[tokio::test]
async fn what_other_tabs_say_is_from_outside_too() {
    let shop = Shop::new().await;
    shop.call("browser_launch", json!({})).await;
    let empty = shop.call("browser_tabs", json!({})).await;
    assert_eq!(empty.outside, None);
    shop.call("browser_tabs", json!({"action": "new"})).await;
    shop.go("plain.html").await;
    shop.call("browser_tabs", json!({"action": "select", "tab": 1})).await;
    let listed = shop.call("browser_tabs", json!({})).await;
    assert!(listed.text.contains("plain.html") && listed.outside.is_some(), "{}", listed.text);
    shop.browsers.close_all().await;
}
