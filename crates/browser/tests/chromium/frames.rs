//! Tabs, pop-ups, and frames of other processes.

use deskhand_browser::page::{Page, WaitUntil};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::fixture::{Desk, LIMIT};

#[tokio::test]
async fn frames_of_another_site_are_seen_and_reached() {
    let desk = Desk::new().await;
    let page = desk.page().await;
    let inner = desk.server.elsewhere("second.html");
    page.navigate(&desk.server.url(&format!("framing?{inner}")), WaitUntil::Load, LIMIT).await.unwrap();
    let (id, sessions) = page
        .tab(|tab| {
            let frame = tab.frames.iter().find(|frame| frame.url == inner).unwrap();
            let sessions: std::collections::BTreeSet<_> =
                tab.frames.iter().map(|f| f.session.clone()).collect();
            (frame.id.clone(), sessions.len())
        })
        .unwrap();
    assert_eq!(sessions, 2, "it has a process of its own");
    let facts = page.ask(Some(&id), "page_facts", &Value::Null).await.unwrap();
    assert_eq!(facts["title"], "Second page");
    // Another document, another world: what was there before is not used.
    page.navigate(&desk.server.url("plain.html"), WaitUntil::Load, LIMIT).await.unwrap();
    assert!(page.ask(Some(&id), "page_facts", &Value::Null).await.is_err());
    assert_eq!(page.ask(None, "page_facts", &Value::Null).await.unwrap()["title"], "Plain page");
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn a_pop_up_is_a_tab_and_is_prepared_before_it_runs() {
    let desk = Desk::new().await;
    let page = desk.page_at("popup.html").await;
    page.evaluate("document.querySelector('#open').click()", LIMIT).await.unwrap();
    let (browser, never) = (desk.browser().await, CancellationToken::new());
    let second = desk.server.url("second.html");
    let opened = browser.targets().wait_for(browser.connection(), LIMIT, &never, |state| {
        let tab = state.current().filter(|tab| tab.number == 2 && tab.url() == second)?;
        tab.main_frame()?.reached.load.then_some(())
    });
    opened.await.unwrap();
    assert!(page.notices()[0].contains("new tab, number 2"));
    drop(page);
    let popup = desk.page().await;
    let seen = popup
        .evaluate("[document.title, navigator.webdriver, navigator.userAgent.includes('Headless')]", LIMIT);
    assert_eq!(seen.await.unwrap(), serde_json::json!(["Second page", false, false]));
    popup.call("Page.close", Value::Null).await.unwrap();
    let closed = browser
        .targets()
        .wait_for(browser.connection(), LIMIT, &never, |state| (state.tabs.len() == 1).then_some(()));
    closed.await.unwrap();
    drop(popup);
    assert_eq!(desk.page().await.tab(|tab| tab.number).unwrap(), 1, "back where it came from");
    desk.end().await;
}

#[tokio::test]
async fn calls_take_turns() {
    let desk = Desk::new().await;
    let first = desk.page_at("plain.html").await;
    let cancel = CancellationToken::new();
    let second = tokio::spawn(Page::take(desk.browser().await, cancel.clone()));
    tokio::task::yield_now().await;
    cancel.cancel();
    assert!(second.await.unwrap().is_err(), "whoever waits can be cancelled");
    drop(first);
    desk.page().await;
    desk.end().await;
}
