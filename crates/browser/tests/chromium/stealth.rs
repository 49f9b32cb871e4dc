//! The checks that ordinary desktop browsers pass, each by its name, with stealth and without; and what it must not break.

use deskhand_browser::{
    Browser, Options,
    cdp::Session,
    launch::{Found, Viewport},
    page::{Page, Point, WaitUntil, What},
    stealth::{Graphics, Identity, Kind, Maker, Stealth},
};
use deskhand_guard::Outbound;
use serde_json::{Map, Value, json};

use crate::fixture::{Desk, LIMIT, chromium, options};

async fn click(page: &Page, x: f64, y: f64) {
    page.click_at(Point { x, y }).await.unwrap();
}

/// No tool does this: it opens a menu, which is not the page's.
async fn right_click(page: &Page, x: f64, y: f64) {
    for (kind, held) in [("mousePressed", 2), ("mouseReleased", 0)] {
        let params =
            json!({"type": kind, "x": x, "y": y, "button": "right", "clickCount": 1, "buttons": held});
        page.call("Input.dispatchMouseEvent", params).await.unwrap();
    }
}

/// All checks, with what each found: `true`, or what is wrong.
async fn checks(stealth: Stealth) -> Map<String, Value> {
    let desk = Desk::with(Options { stealth, ..options() }).await;
    let page = desk.page_at("checks.html").await;
    let found = page.evaluate("checked()", LIMIT * 3).await.unwrap();
    let mut found = found.as_object().unwrap().clone();
    click(&page, 100.0, 80.0).await;
    page.evaluate("frameElsewhere(300, 400)", LIMIT).await.unwrap();
    click(&page, 350.0, 450.0).await;
    let clicked = page.evaluate("clicked()", LIMIT).await.unwrap();
    found.extend(clicked.as_object().unwrap().clone());
    assert!(found.len() > 130, "{}", found.len());
    let sizes = page.evaluate("[innerWidth, innerHeight]", LIMIT).await.unwrap();
    assert_eq!(sizes, json!([Viewport::USUAL.width, Viewport::USUAL.height]));
    drop(page);
    desk.end().await;
    found
}

#[tokio::test]
async fn every_check_is_passed() {
    let found = checks(Stealth::On).await;
    let failed: Vec<_> = found.iter().filter(|(_, found)| **found != true).collect();
    assert!(failed.is_empty(), "{} of {} failed: {failed:#?}", failed.len(), found.len());
}

/// What each thing that is done is for: without it, these fail.
#[tokio::test]
async fn without_it_the_browser_shows_what_it_is() {
    let found = checks(Stealth::Off).await;
    for name in [
        "webdriver is false",
        "the user agent is not headless",
        "the user agent has the usual form",
        "there is a mouse",
        "scroll bars have a width",
        "the screen is a usual one",
        "the screen has room for the window",
        "the desktop has a bar",
    ] {
        assert_ne!(found[name], true, "{name}: it would not have to be done");
    }
    if Graphics::here() == Graphics::Mesa {
        assert_ne!(found["the graphics card is not software"], true);
    }
}

/// A new window, and code that a tool evaluates, are no way around it.
#[tokio::test]
async fn a_window_that_a_page_opens_is_the_same() {
    let desk = Desk::new().await;
    let page = desk.page_at("window.html").await;
    let opened = "const opened = window.open('checks/frame.html', '', 'width=400,height=300'); \
        await new Promise(yes => opened.onload = yes); \
        [opened.navigator.userAgent === navigator.userAgent, opened.navigator.webdriver, \
         JSON.stringify(opened.navigator.userAgentData) === JSON.stringify(navigator.userAgentData), \
         opened.screen.width, opened.matchMedia('(hover: hover)').matches, opened.document.hasFocus()]";
    let seen = page.evaluate(opened, LIMIT).await.unwrap();
    assert_eq!(seen, json!([true, false, true, 1920, true, true]));
    let stack = page.evaluate("window.seen = () => new Error().stack; seen()", LIMIT).await.unwrap();
    let stack = stack.as_str().unwrap().to_lowercase();
    for name in ["deskhand", "evaluate", "kit", "inject"] {
        assert!(!stack.contains(name), "{stack}");
    }
    drop(page);
    desk.end().await;
}

/// On systems where only the headless mode is without a window, it is called as it would be with one: the hints are
/// complete, and the very ones that the browser itself gives.
#[tokio::test]
async fn a_headless_browser_keeps_its_own_hints_under_its_right_name() {
    const HINTS: &str = "navigator.userAgentData.getHighEntropyValues(['architecture', 'bitness', 'formFactors', \
        'fullVersionList', 'model', 'platformVersion', 'uaFullVersion', 'wow64'])";
    let desk = Desk::with(Options { stealth: Stealth::Off, ..options() }).await;
    let page = desk.page_at("plain.html").await;
    let own = page.evaluate(HINTS, LIMIT).await.unwrap();
    assert_eq!(own["brands"].as_array().unwrap().len(), own["fullVersionList"].as_array().unwrap().len());
    let browser = desk.browser().await;
    let version = browser.session().call("Browser.getVersion", json!({})).await.unwrap();
    let identity = Identity::of(&version, Maker::Chromium).expect("it says that it has no window");
    let session = page.tab(|tab| Session::of(browser.connection().clone(), tab.session.clone())).unwrap();
    Stealth::On.prepare(&session, Kind::Page, Some(&identity));
    page.navigate(&desk.server.url("second.html"), WaitUntil::Load, LIMIT).await.unwrap();
    assert_eq!(page.evaluate(HINTS, LIMIT).await.unwrap(), own);
    let agent = page.evaluate("navigator.userAgent", LIMIT).await.unwrap();
    assert_eq!(agent, identity.user_agent);
    assert!(!agent.as_str().unwrap().contains("Headless"));
    drop(page);
    desk.end().await;
}

/// The browser has a window that nobody sees. What it would show there to a person must not stop the page.
#[tokio::test]
async fn what_a_window_would_ask_stops_nothing() {
    let desk = Desk::new().await;
    let page = desk.page_at("window.html").await;
    let goes_on = async |after: &str| {
        let title = page.evaluate("document.title", LIMIT).await;
        assert_eq!(
            title.unwrap_or_else(|error| panic!("{after}: {error}")),
            "What a window would ask",
            "{after}"
        );
        page.screenshot(What::Viewport).await.unwrap_or_else(|error| panic!("{after}: {error}"));
    };
    for (id, button) in [
        ("file", "left"),
        ("choice", "left"),
        ("color", "left"),
        ("date", "left"),
        ("mail", "left"),
        ("mail", "right"),
        ("document.body", "right"),
        ("file", "left"),
    ] {
        let middle =
            format!("(box => [box.x + box.width / 2, box.y + box.height / 2])({id}.getBoundingClientRect())");
        let at = page.evaluate(&middle, LIMIT).await.unwrap();
        let (x, y) = (at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
        match button {
            "right" => right_click(&page, x, y).await,
            _ => click(&page, x, y).await,
        }
        goes_on(id).await;
    }
    for script in [
        "print(); 1",
        "navigator.geolocation.getCurrentPosition(() => {}); 1",
        "Notification.requestPermission(); 1",
        "navigator.mediaDevices.getUserMedia({audio: true}).catch(() => {}); 1",
        "document.documentElement.requestFullscreen().catch(() => {}); 1",
        "document.exitFullscreen().catch(() => {}); 1",
        "navigator.clipboard.readText().catch(() => {}); 1",
        "showOpenFilePicker().catch(() => {}); 1",
        "navigator.usb.requestDevice({filters: []}).catch(() => {}); 1",
        "navigator.credentials.get({publicKey: {challenge: new Uint8Array(16)}}).catch(() => {}); 1",
        "location.href = 'mailto:somebody@example.org'; 1",
    ] {
        assert_eq!(page.evaluate(script, LIMIT).await.unwrap(), 1, "{script}");
        goes_on(script).await;
    }
    let locked = page.navigate(&desk.server.url("locked"), WaitUntil::Load, LIMIT).await;
    assert!(locked.unwrap_err().to_string().contains("AUTH"), "nobody is asked for a password");
    page.navigate(&desk.server.url("second.html"), WaitUntil::Load, LIMIT).await.unwrap();
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn the_tab_that_is_used_is_the_one_that_is_seen() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    page.new_tab().await.unwrap();
    drop(page);
    let page = desk.page_at("second.html").await;
    page.new_tab().await.unwrap();
    drop(page);
    let seen = "new Promise(yes => requestAnimationFrame(() => yes([document.visibilityState, document.hasFocus()])))";
    let page = desk.page_at("plain.html").await;
    assert_eq!(page.evaluate(seen, LIMIT).await.unwrap(), json!(["visible", true]));
    page.select_tab(1).await.unwrap();
    drop(page);
    let page = desk.page().await;
    assert_eq!(page.evaluate(seen, LIMIT).await.unwrap(), json!(["visible", true]), "after choosing another");
    page.close_tab(None).await.unwrap();
    drop(page);
    let page = desk.page().await;
    assert_eq!(page.evaluate(seen, LIMIT).await.unwrap(), json!(["visible", true]), "after closing it");
    page.screenshot(What::Viewport).await.unwrap();
    drop(page);
    desk.end().await;
}

/// The hidden window has no way to a desktop that is there, on which a dialog for files would otherwise come up.
#[cfg(unix)]
#[tokio::test]
async fn a_hidden_window_has_no_way_to_the_desktop() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (program, seen) = (folder.path().join("chromium"), folder.path().join("seen"));
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] || env >'{}'\nexec '{}' \"$@\"\n",
        seen.display(),
        chromium().path.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = Found { path: program, name: "Chromium".into() };
    let browser = Browser::launch(&found, folder.path(), options(), Outbound::default()).await.unwrap();
    let environment = std::fs::read_to_string(seen).unwrap();
    let has = |name: &str| environment.lines().any(|line| line.starts_with(name));
    assert!(!has("DISPLAY=") && !has("WAYLAND_DISPLAY="), "{environment}");
    assert!(has("DBUS_SESSION_BUS_ADDRESS=disabled:"), "{environment}");
    browser.close().await;
}
