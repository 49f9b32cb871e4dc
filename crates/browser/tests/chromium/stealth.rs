//! The checks that ordinary desktop browsers pass, each by its name, with stealth and without.

use deskhand_browser::{Options, page::{Modifiers, Point}, stealth::Stealth};
use serde_json::{Map, Value};

use crate::fixture::{Desk, LIMIT, options};

async fn checks(stealth: Stealth) -> Map<String, Value> {
    let desk = Desk::with(Options { stealth, ..options() }).await;
    let page = desk.page_at("checks.html").await;
    let found = page.evaluate("checked()", LIMIT * 3).await.unwrap();
    let mut found = found.as_object().unwrap().clone();
    page.click_at(Point { x: 100.0, y: 80.0 }, "left", 1, Modifiers::NONE).await.unwrap();
    let clicked = page.evaluate("clicked()", LIMIT).await.unwrap();
    found.extend(clicked.as_object().unwrap().clone());
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

#[tokio::test]
async fn off() {
    let found = checks(Stealth::Off).await;
    let failed: Vec<_> = found.iter().filter(|(_, found)| **found != true).collect();
    assert!(failed.is_empty(), "{} of {} failed: {failed:#?}", failed.len(), found.len());
}
