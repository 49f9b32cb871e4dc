//! Whose browser it is: what one person keeps is not another's, and one that somebody has open stays theirs.

use std::{path::Path, sync::Arc, time::Duration};

use deskhand_browser::{Browsers, Config, launch::Window, page::Page};
use deskhand_core::{Desktop, Permission, Plan, Request, Status};
use deskhand_testkit::until;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    attach::{Other, evaluate, shop_at, tab_at},
    fixture::{LIMIT, Server},
    persons::Persons,
    tools::Shop,
};

async fn plan(shop: &Shop, tool: &str, arguments: Value) -> Plan {
    shop.gate.explain(Request::new(tool, arguments), &shop.session).await.unwrap().plan.unwrap()
}

/// It is refused to somebody who does not sit here.
async fn is_away(shop: &Shop, tool: &str, arguments: Value) {
    let outcome = shop.try_call(tool, arguments).await;
    assert_eq!(outcome.status, Status::Blocked, "{tool}: {}", outcome.text);
    assert!(outcome.text.contains("desktop:away"), "{tool}: {}", outcome.text);
}

/// The folders in a folder.
fn folders(of: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn a_kept_profile_is_its_owners_and_asked_about() {
    let mut shop = Shop::new().await;
    let mine = json!({"profile": "mine"});
    assert_eq!(shop.permission("browser_launch", json!({})).await, Permission::Moderate);
    let asked = plan(&shop, "browser_launch", mine.clone()).await;
    assert_eq!((asked.permission, asked.rule.as_str()), (Permission::Sensitive, "browser:profile"));
    let profiles = shop.data.join("browser/profiles");
    shop.call("browser_launch", mine.clone()).await;
    shop.go("plain.html").await;
    shop.script("localStorage.kept = 'the owner\\'s'").await;
    shop.browsers.close_all().await;
    shop.session.owner = Some("ann".to_owned());
    shop.call("browser_launch", mine.clone()).await;
    shop.go("plain.html").await;
    assert_eq!(shop.script("localStorage.kept ?? null").await, Value::Null);
    shop.browsers.close_all().await;
    assert_eq!(folders(&profiles).len(), 2, "{:?}", folders(&profiles));
    shop.session.owner = None;
    shop.call("browser_launch", mine).await;
    shop.go("plain.html").await;
    assert_eq!(shop.script("localStorage.kept").await, "the owner's");
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn one_that_somebody_has_open_is_the_owners_alone() {
    let persons = Persons::start(&["about:blank"]).await;
    let mut shop = shop_at(&persons).await;
    shop.session.owner = Some("ann".to_owned());
    for (tool, arguments) in [
        ("browser_snapshot", json!({})),
        ("browser_get_state", json!({})),
        ("browser_launch", json!({})),
        ("browser_tabs", json!({})),
        ("browser_downloads", json!({})),
        ("browser_click", json!({"selector": "a"})),
        ("browser_press_key", json!({"key": "a"})),
        ("browser_reload", json!({})),
        ("browser_evaluate", json!({"script": "1"})),
        ("browser_navigate", json!({"url": shop.server.url("plain.html")})),
        ("browser_screenshot", json!({})),
        ("screenshot", json!({"target": "web"})),
        ("screenshot", json!({"target": "web", "url": shop.server.url("plain.html")})),
    ] {
        let outcome = shop.fails(tool, arguments, "browser:others").await;
        assert_eq!(outcome.status, Status::Blocked, "{tool}");
    }
    assert!(shop.browsers.running("test").is_none());
    shop.session.owner = None;
    shop.call("browser_snapshot", json!({})).await;
    shop.browsers.close_all().await;
    persons.end().await;
}

#[tokio::test]
async fn what_is_launched_is_what_was_shown() {
    let mut shop = Shop::new().await;
    let size = |width: u32| json!({"viewport": {"width": width, "height": 600}});
    let usual = plan(&shop, "browser_launch", json!({})).await;
    assert!(usual.summary.contains("without a window, 1280×800") && usual.notes.is_empty(), "{usual:?}");
    assert!(!usual.effects.desktop);
    shop.call("browser_launch", size(900)).await;
    shop.go("plain.html").await;
    let same = plan(&shop, "browser_launch", size(900)).await;
    assert!(same.notes[0].contains("it stays"), "{:?}", same.notes);
    let other = plan(&shop, "browser_launch", size(700)).await;
    assert!(
        other.summary.contains("700×600") && other.notes[0].contains("is ended, with its tabs (1)"),
        "{other:?}"
    );
    shop.call("browser_launch", size(700)).await;
    assert_eq!(shop.script("innerWidth").await, 700);
    // A window opens on a desktop, which not everybody sits at.
    let visible = plan(&shop, "browser_launch", json!({"headless": false})).await;
    assert!(visible.effects.desktop && visible.summary.contains("with a window"), "{visible:?}");
    shop.session.desktop = Desktop::Away { reason: "They are elsewhere.".to_owned() };
    is_away(&shop, "browser_launch", json!({"headless": false})).await;
    assert_eq!(shop.script("innerWidth").await, 700, "the one that runs is as it was");
    shop.browsers.close_all().await;
}

/// Also where nobody says so but the settings, and whichever call it is that starts it.
#[tokio::test]
async fn the_window_of_the_settings_is_one_on_the_desktop_too() {
    let mut shop = Shop::with(|config| config.options.window = Window::Visible).await;
    assert!(plan(&shop, "browser_launch", json!({})).await.effects.desktop);
    assert!(!plan(&shop, "browser_launch", json!({"headless": true})).await.effects.desktop);
    shop.session.desktop = Desktop::Away { reason: "They are elsewhere.".to_owned() };
    let url = shop.server.url("plain.html");
    for (tool, arguments) in [
        ("browser_launch", json!({})),
        ("browser_navigate", json!({"url": url})),
        ("browser_snapshot", json!({})),
        ("screenshot", json!({"target": "web", "url": url})),
    ] {
        is_away(&shop, tool, arguments).await;
    }
    assert!(shop.browsers.running("test").is_none());
    // In one without a window, nothing is on the desktop.
    shop.call("browser_launch", json!({"headless": true})).await;
    shop.go("plain.html").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn nothing_is_asked_of_one_that_runs() {
    let persons = Persons::start(&["about:blank"]).await;
    let shop = shop_at(&persons).await;
    for asked in [
        json!({"headless": true}),
        json!({"viewport": {"width": 800, "height": 600}}),
        json!({"profile": "x"}),
    ] {
        shop.fails("browser_launch", asked, "attached").await;
    }
    let shown = plan(&shop, "browser_launch", json!({})).await;
    assert!(shown.summary.starts_with("Attach to ") && shown.programs.is_empty(), "{shown:?}");
    let launched = shop.call("browser_launch", json!({})).await;
    assert!(
        launched.data.get("headless").is_none() && launched.text.contains("ran already"),
        "{}",
        launched.text
    );
    shop.browsers.close_all().await;
    persons.end().await;
}

/// Where a person's downloads go is theirs to say, also while Deskhand uses their browser.
#[tokio::test]
async fn what_a_person_downloads_goes_where_they_have_it() {
    let server = Server::start().await;
    let persons = Persons::start(&[&server.url("plain.html")]).await;
    let shop = shop_at(&persons).await;
    shop.call("browser_snapshot", json!({})).await;
    let other = Other::at(&persons).await;
    let theirs = other.opens(&server.url("second.html")).await;
    theirs.call("Page.navigate", json!({"url": server.url("download")})).await.unwrap();
    let there = persons.home().join("Downloads/notes.txt");
    until("it is in their folder", async || there.exists()).await;
    let listed = shop.call("browser_downloads", json!({})).await;
    assert!(
        !listed.text.contains("notes.txt") && listed.text.contains("where that browser"),
        "{}",
        listed.text
    );
    shop.browsers.close_all().await;
    persons.end().await;
}

/// What pages were given, and what they gave, goes with the browser.
#[tokio::test]
async fn no_file_outlives_its_browser() {
    let persons = Persons::start(&["about:blank"]).await;
    let kept = |_: &mut Config| {};
    let attached = shop_at(&persons).await;
    for (shop, launch) in [(Shop::with(kept).await, json!({"profile": "mine"})), (attached, json!({}))] {
        shop.call("browser_launch", launch).await;
        std::fs::write(shop.workspace.join("a.txt"), "given").unwrap();
        shop.go("plain.html").await;
        shop.script("document.body.insertAdjacentHTML('afterbegin', '<input type=file id=one>'); 1").await;
        shop.call("browser_select_file", json!({"selector": "#one", "paths": ["a.txt"]})).await;
        let browser = shop.browsers.running("test").unwrap();
        let uploads = browser.uploads();
        assert!(uploads.is_dir());
        std::fs::create_dir_all(browser.downloads()).unwrap();
        std::fs::write(browser.downloads().join("x"), "got").unwrap();
        shop.browsers.close_all().await;
        assert!(!uploads.exists() && !browser.downloads().exists());
    }
    persons.end().await;
}

#[tokio::test]
async fn looking_at_a_persons_page_is_asked_about_and_planning_changes_nothing() {
    let server = Server::start().await;
    let own = Shop::new().await;
    assert_eq!(own.permission("browser_snapshot", json!({})).await, Permission::Public);
    let first = server.url("plain.html");
    let persons = Persons::start(&[&first]).await;
    let other = Other::at(&persons).await;
    let second = other.opens(&server.url("second.html")).await;
    evaluate(&second, "document.hasFocus = () => { window.asked = true; return true }").await;
    let shop = shop_at(&persons).await;
    for (tool, arguments) in [
        ("browser_snapshot", json!({})),
        ("browser_get_state", json!({})),
        ("browser_get_dom", json!({})),
        ("browser_tabs", json!({})),
        ("browser_downloads", json!({})),
    ] {
        assert_eq!(shop.permission(tool, arguments).await, Permission::Moderate, "{tool}");
    }
    let browser = shop.browsers.open("test").await.unwrap().browser;
    assert_eq!(
        evaluate(&second, "window.asked ?? null").await,
        Value::Null,
        "it is asked where no page hears it"
    );
    let number = browser.targets().look().tabs.iter().find(|tab| tab.url() == first).unwrap().number;
    assert!(browser.targets().change(|state| state.select(number)));
    second.call("Page.bringToFront", json!({})).await.unwrap();
    for (tool, arguments) in [
        ("browser_click", json!({"selector": "#button"})),
        ("browser_press_key", json!({"key": "Enter"})),
        ("browser_reload", json!({})),
    ] {
        shop.permission(tool, arguments).await;
        assert!(browser.targets().look().tabs.iter().all(|tab| !tab.used), "{tool}");
        assert_eq!(evaluate(&second, "document.visibilityState").await, "visible", "{tool}");
    }
    shop.call("browser_click", json!({"selector": "#button"})).await;
    assert_eq!(tab_at(&shop, &first).await, u64::from(number));
    assert!(browser.targets().look().current().unwrap().used);
    shop.browsers.close_all().await;
    persons.end().await;
}

#[tokio::test]
async fn one_that_is_not_used_is_put_away_with_all_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::new(folder.path().to_path_buf());
    config.idle = Duration::from_millis(60);
    let browsers = Browsers::new(config);
    let browser = browsers.open("one").await.unwrap().browser;
    let (left, proxy) = (Arc::downgrade(&browser), browser.proxy().unwrap().address());
    // A call that has it for long has used it to the end.
    let begun = std::time::Instant::now();
    let turn = browser.turn().await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert!(browsers.running("one").is_some());
    drop(turn);
    assert!(browser.turn_if_idle(begun.elapsed()).is_none());
    drop(browser);
    until("nobody holds it", async || left.upgrade().is_none()).await;
    assert!(tokio::net::TcpStream::connect(proxy).await.is_err());
    let again = browsers.open("one").await.unwrap();
    assert!(again.notice.unwrap().contains("nobody used it"));
    // One that was ended by name is told of by nobody.
    let proxy = again.browser.proxy().unwrap().address();
    browsers.close("one").await;
    assert!(browsers.running("one").is_none() && tokio::net::TcpStream::connect(proxy).await.is_err());
    browsers.close_all().await;
}

/// Whoever waits for a browser that is ended meanwhile gets the next one.
#[tokio::test]
async fn no_call_gets_a_browser_that_is_being_ended() {
    let shop = Shop::new().await;
    shop.call("browser_launch", json!({})).await;
    let browser = shop.browsers.running("test").unwrap();
    let held = Page::take(Arc::clone(&browser), CancellationToken::new()).await.unwrap();
    let call = shop.call("browser_get_state", json!({}));
    let ends = async {
        // The call has it in its hands, and waits.
        until("the call waits for its turn", async || Arc::strong_count(&browser) > 3).await;
        shop.browsers.close("test").await;
    };
    let (state, ()) = tokio::join!(tokio::time::timeout(LIMIT, call), ends);
    assert_eq!(state.unwrap().status, Status::Success);
    drop(held);
    shop.browsers.close_all().await;
}
