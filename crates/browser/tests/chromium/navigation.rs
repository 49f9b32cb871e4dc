//! Going somewhere, and knowing when it is there.

use std::time::Duration;

use deskhand_browser::{
    page::{PageError, Step, WaitUntil, What},
    tab::DownloadState,
};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Desk, LIMIT};

#[tokio::test]
async fn a_page_is_there_when_it_is_said_to_be() {
    let desk = Desk::new().await;
    let page = desk.page().await;
    let url = desk.server.url("plain.html");
    for until in [WaitUntil::Load, WaitUntil::Dom, WaitUntil::NetworkIdle, WaitUntil::Commit] {
        let there = page.navigate(&url, until, LIMIT).await.unwrap();
        assert_eq!((there.url.as_str(), there.status), (url.as_str(), Some(200)), "{until:?}");
    }
    let missing = page.navigate(&desk.server.url("missing"), WaitUntil::Load, LIMIT).await.unwrap();
    assert_eq!((missing.status, missing.title.as_str()), (Some(404), "Not here"));
    let second = desk.server.url("second.html");
    let redirected =
        page.navigate(&desk.server.url(&format!("redirect?{second}")), WaitUntil::Load, LIMIT).await;
    let redirected = redirected.unwrap();
    assert_eq!((redirected.url, redirected.title.as_str()), (second, "Second page"));
    // Within one document there is nothing to wait for.
    page.navigate(&url, WaitUntil::Load, LIMIT).await.unwrap();
    let same = page.navigate(&format!("{url}#heading"), WaitUntil::NetworkIdle, LIMIT).await.unwrap();
    assert_eq!(same.url, format!("{url}#heading"));
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn what_does_not_load_is_said_to_have_not() {
    let desk = Desk::new().await;
    let page = desk.page().await;
    let short = Duration::from_millis(700);
    for name in ["never", "silence"] {
        let error = page.navigate(&desk.server.url(name), WaitUntil::Load, short).await.unwrap_err();
        assert!(matches!(&error, PageError::TimedOut { doing, .. } if doing.contains(name)), "{error}");
    }
    for (url, why) in [
        ("http://no-such-host.invalid/", "no host of that name"),
        ("http://127.0.0.1:1/", "ERR_UNSAFE_PORT"),
        ("http://127.0.0.1:19999/", "nothing answers"),
    ] {
        let error = page.navigate(url, WaitUntil::Load, LIMIT).await.unwrap_err();
        assert!(matches!(&error, PageError::NotLoaded { .. }) && error.to_string().contains(why), "{error}");
    }
    // After all that, the tab still works.
    let there = page.navigate(&desk.server.url("plain.html"), WaitUntil::Load, LIMIT).await.unwrap();
    assert_eq!(there.title, "Plain page");
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn back_forward_and_again() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    page.navigate(&desk.server.url("second.html"), WaitUntil::Load, LIMIT).await.unwrap();
    let go = async |step| page.step(step, WaitUntil::Load, LIMIT).await;
    assert_eq!(go(Step::Back).await.unwrap().title, "Plain page");
    assert_eq!(go(Step::Forward).await.unwrap().title, "Second page");
    assert!(matches!(go(Step::Forward).await, Err(PageError::Element { code: "no_page_after", .. })));
    page.evaluate("window.mark = 1", LIMIT).await.unwrap();
    assert_eq!(page.reload(WaitUntil::Load, LIMIT).await.unwrap().title, "Second page");
    assert!(page.evaluate("window.mark ?? null", LIMIT).await.unwrap().is_null());
    let state = page.state().await.unwrap();
    assert_eq!((state.ready.as_str(), state.history.len(), state.at, state.tabs), ("complete", 3, 2, 1));
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn pictures_have_the_size_of_what_they_show() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    let seen = page
        .evaluate("[innerWidth, innerHeight, document.documentElement.scrollHeight]", LIMIT)
        .await
        .unwrap();
    let side = |at: usize| u32::try_from(seen[at].as_u64().unwrap()).unwrap();
    assert_eq!((side(0), side(1)), (1280, 800), "the viewport is as asked for");
    let viewport = page.screenshot(What::Viewport).await.unwrap();
    assert_eq!((viewport.width, viewport.height), (side(0), side(1)));
    let whole = page.screenshot(What::FullPage).await.unwrap();
    assert!(
        whole.png.starts_with(b"\x89PNG") && whole.height >= 3000 && whole.height == side(2),
        "{}",
        whole.height
    );
    let part = page.screenshot(What::Part { x: 0.0, y: 0.0, width: 100.0, height: 50.0 }).await.unwrap();
    assert_eq!((part.width, part.height), (100, 50));
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn a_download_leaves_the_page_and_is_told_of() {
    let desk = Desk::new().await;
    let page = desk.page_at("plain.html").await;
    let begun = page.navigate(&desk.server.url("download"), WaitUntil::Load, LIMIT).await.unwrap();
    assert!(begun.download && begun.title == "Plain page", "{begun:?}");
    let (browser, never) = (desk.browser().await, CancellationToken::new());
    let done = browser.targets().wait_for(browser.connection(), LIMIT, &never, |state| {
        state
            .downloads
            .all
            .iter()
            .find(|d| d.state == DownloadState::Completed)
            .map(|d| (d.guid.clone(), d.suggested_name.clone()))
    });
    let (guid, name) = done.await.unwrap();
    assert_eq!(name, "notes.txt");
    assert_eq!(std::fs::read(browser.downloads().join(guid)).unwrap(), b"downloaded");
    drop(page);
    desk.end().await;
}
