//! What goes wrong with pages and browsers, as the tools tell of it.

use std::time::Duration;

use deskhand_browser::page::PageError;
use deskhand_core::Status;
use serde_json::{Value, json};

use crate::{
    fixture::{Desk, LIMIT},
    tools::Shop,
};

/// A page that asks without end, from its first line on, by a click, or by the clock: no call hangs on it.
#[tokio::test]
async fn dialogs_for_ever_hang_nothing() {
    let shop = Shop::new().await;
    let asked = shop.call("browser_navigate", json!({"url": shop.server.url("dialogs-for-ever")})).await;
    assert!(asked.text.contains("more than 30 dialogs"), "{}", asked.text);
    shop.call("browser_snapshot", json!({})).await;
    shop.go("asks.html").await;
    shop.call("browser_click", json!({"selector": "#forever"})).await;
    shop.go("plain.html").await;
    shop.browsers.close_all().await;
}

/// A dialog that opens just when the page is left could be answered by nobody.
#[tokio::test]
async fn a_page_that_asks_by_the_clock_is_looked_at_and_left() {
    let shop = Shop::new().await;
    for _ in 0..6 {
        shop.go("asks.html").await;
        shop.script("window.asked = 0; setInterval(() => { alert('again'); asked++ }, 10); 1").await;
        shop.call("browser_wait_for", json!({"condition": "asked > 1"})).await;
        shop.call("browser_snapshot", json!({})).await;
        shop.go("plain.html").await;
        assert_eq!(shop.script("document.title").await, "Plain page");
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn what_cannot_be_acted_on_is_not_and_says_why() {
    let shop = Shop::new().await;
    shop.go("covered.html").await;
    shop.script("window.clicks = 0; addEventListener('click', () => clicks++, true); 1").await;
    for (selector, code, words) in [
        ("#under", "not_actionable", "Veil"),
        ("#disabled", "not_actionable", "Disabled"),
        ("#none", "not_actionable", "None"),
        ("#nowhere", "not_found", "#nowhere"),
        ("button[", "bad_selector", "button["),
    ] {
        let outcome = shop.fails("browser_click", json!({"selector": selector}), code).await;
        assert!(outcome.text.contains(words), "{selector}: {}", outcome.text);
    }
    assert_eq!(shop.script("clicks").await, 0);
    shop.call("browser_click", json!({"selector": "#half"})).await;
    assert_eq!(shop.script("clicks").await, 1, "what is covered in part is clicked where it is not");
    shop.browsers.close_all().await;
}

/// Where nothing was opened, an element is not waited for.
#[tokio::test]
async fn without_a_page_it_is_said_that_there_is_none() {
    let shop = Shop::new().await;
    for (tool, arguments) in [
        ("browser_click", json!({"selector": "button"})),
        ("browser_hover", json!({"selector": "button"})),
        ("browser_type", json!({"selector": "input", "text": "x"})),
        ("browser_wait_for", json!({"selector": "button", "timeout": 600_000})),
    ] {
        let outcome = shop.fails(tool, arguments, "no_page").await;
        assert!(outcome.error.unwrap().hint.unwrap().contains("browser_navigate"), "{tool}");
    }
    shop.call("browser_wait_for", json!({"selector": "button", "state": "hidden"})).await;
    // What a script has put there is found.
    shop.script("document.body.innerHTML = '<button>Made</button>'; 1").await;
    shop.call("browser_wait_for", json!({"selector": "button"})).await;
    shop.call("browser_click", json!({"selector": "button"})).await;
    shop.browsers.close_all().await;
}

/// One that was not there at the start is not offered; one that was taken away since is missed by the call.
#[tokio::test]
async fn without_a_browser_it_is_said_that_there_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("chromium");
    let navigate = |shop: &Shop| json!({"url": shop.server.url("plain.html")});
    let shop = Shop::with(|config| config.path = Some(program.clone())).await;
    let outcome = shop.try_call("browser_navigate", navigate(&shop)).await;
    assert_eq!(outcome.status, Status::NotFound, "{}", outcome.text);
    assert!(outcome.text.contains("browser.path"), "{}", outcome.text);
    std::os::unix::fs::symlink(crate::fixture::chromium().path, &program).unwrap();
    let shop = Shop::with(|config| config.path = Some(program.clone())).await;
    std::fs::remove_file(&program).unwrap();
    for (tool, arguments) in [
        ("browser_navigate", navigate(&shop)),
        ("browser_launch", json!({})),
        ("browser_snapshot", json!({})),
        ("browser_click", json!({"selector": "button"})),
    ] {
        let outcome = shop.fails(tool, arguments, "no_browser").await;
        assert!(outcome.error.unwrap().hint.unwrap().contains("Set browser.path"), "{tool}");
    }
}

#[tokio::test]
async fn a_browser_that_is_killed_under_a_call_fails_that_call_alone() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let pid = shop.browsers.running("test").unwrap().pid().unwrap();
    let waits =
        shop.fails("browser_wait_for", json!({"selector": "#never", "timeout": 60_000}), "browser_gone");
    let kill = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    };
    let (gone, ()) = tokio::join!(waits, kill);
    assert!(gone.error.unwrap().hint.unwrap().contains("starts a new one"));
    let next = shop.call("browser_navigate", json!({"url": shop.server.url("plain.html")})).await;
    assert!(next.text.contains("is gone") && next.text.contains("Plain page"), "{}", next.text);
    shop.browsers.close_all().await;
}

/// What a tab was asked when it was closed is answered by nobody: the call ends with it, not with its deadline.
#[tokio::test]
async fn a_tab_that_is_closed_under_a_call_ends_it() {
    let desk = Desk::new().await;
    desk.page_at("plain.html").await.new_tab().await.unwrap();
    let page = desk.page_at("second.html").await;
    let target = page.tab(|tab| tab.target.clone()).unwrap();
    let browser = desk.browser().await;
    let close = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        browser.session().call("Target.closeTarget", json!({"targetId": target})).await.unwrap();
    };
    let an_hour = Duration::from_hours(1);
    let (ended, ()) = tokio::join!(page.evaluate("new Promise(() => {})", an_hour), close);
    assert_eq!(ended, Err(PageError::TabClosed));
    drop(page);
    assert_eq!(desk.page().await.evaluate("document.title", LIMIT).await.unwrap(), "Plain page");
    desk.end().await;
}

/// Two sessions at once have two browsers: neither waits for the other, nor sees its cookies.
#[tokio::test]
async fn two_sessions_do_not_meet() {
    let (one, mut two) = (Shop::new().await, Shop::new().await);
    // The same browsers, under another session's name.
    two.session.services = one.session.services.clone();
    "other".clone_into(&mut two.session.id);
    let url = one.server.url("plain.html");
    let go = async |shop: &Shop, mark: &str| {
        shop.call("browser_navigate", json!({"url": url})).await;
        shop.script(&format!("document.cookie = '{mark}=1'; localStorage.setItem('{mark}', 1); 1")).await;
    };
    tokio::join!(go(&one, "first"), go(&two, "second"));
    let seen = "[document.cookie, Object.keys(localStorage).join()]";
    let (first, second) = tokio::join!(one.script(seen), two.script(seen));
    assert_eq!((first, second), (json!(["first=1", "first"]), json!(["second=1", "second"])));
    // One is busy; the other goes on.
    let waits = one.try_call("browser_wait_for", json!({"selector": "#never", "timeout": 60_000}));
    tokio::select! {
        outcome = waits => panic!("it ended: {}", outcome.text),
        title = two.script("document.title") => assert_eq!(title, "Plain page"),
    }
    let pids = ["test", "other"].map(|session| one.browsers.running(session).unwrap().pid());
    assert_ne!(pids[0], pids[1]);
    one.browsers.close("other").await;
    assert_eq!(one.script("1 + 1").await, 2);
    one.browsers.close_all().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_leaves_the_browser_to_the_next() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    for (tool, arguments) in [
        ("browser_wait_for", json!({"selector": "#never", "timeout": 60_000})),
        ("browser_navigate", json!({"url": shop.server.url("silence")})),
        ("browser_evaluate", json!({"script": "new Promise(() => {})"})),
    ] {
        let pause = tokio::time::sleep(Duration::from_millis(200));
        tokio::select! {
            outcome = shop.try_call(tool, arguments) => panic!("{tool} ended: {}", outcome.text),
            () = pause => {}
        }
        // The one that was let go has given its turn back.
        assert_eq!(shop.try_call("browser_get_state", json!({})).await.status, Status::Success, "{tool}");
    }
    shop.go("plain.html").await;
    assert_ne!(shop.script("document.title").await, Value::Null);
    shop.browsers.close_all().await;
}
