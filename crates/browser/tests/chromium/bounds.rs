//! How much a page may cause: bytes on the disk, words in results, pixels in pictures.

use deskhand_browser::tab::{DownloadLimits, DownloadState};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{fixture::LIMIT, tools::Shop};

/// Waits until so many downloads are over, and says how each ended.
async fn ended(shop: &Shop, many: usize) -> Vec<DownloadState> {
    let browser = shop.browsers.running("test").unwrap();
    let never = CancellationToken::new();
    let over = browser.targets().wait_for(browser.connection(), LIMIT, &never, |state| {
        let states: Vec<_> = state.downloads.all.iter().map(|download| download.state).collect();
        let ended = states.iter().filter(|state| **state != DownloadState::InProgress).count();
        (ended == many).then_some(states)
    });
    over.await.unwrap()
}

#[tokio::test]
async fn no_page_fills_the_disk() {
    let limits = DownloadLimits { file: 1_000_000, total: 1_500_000 };
    let shop = Shop::with(|config| config.options.downloads = limits).await;
    shop.go("plain.html").await;
    let (done, not_done) = (DownloadState::Completed, DownloadState::Cancelled);
    let mut expected = Vec::new();
    for (name, state, words) in [
        ("bytes?900000", done, "was downloaded (900000 bytes), as download 1"),
        ("bytes?3000000", not_done, "was not downloaded: it is larger than 1000000 bytes"),
        ("endless", not_done, "was not downloaded: "),
        ("bytes?800000", not_done, "was not downloaded: with those that are there"),
        ("bytes?500000", done, "was downloaded (500000 bytes), as download 5"),
    ] {
        let begun = shop.call("browser_navigate", json!({"url": shop.server.url(name)})).await;
        expected.push(state);
        assert_eq!(ended(&shop, expected.len()).await, expected, "{name}");
        let told = begun.text + &shop.call("browser_get_state", json!({})).await.text;
        assert!(told.contains(words), "{name}: {told}");
    }
    shop.fails("browser_downloads", json!({"download": 2, "path": "x"}), "not_complete").await;
    let browser = shop.browsers.running("test").unwrap();
    let there =
        || std::fs::read_dir(browser.downloads()).unwrap().flatten().map(|e| e.metadata().unwrap().len());
    for _ in 0..500 {
        if there().sum::<u64>() == 1_400_000 {
            shop.browsers.close_all().await;
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{:?}", there().collect::<Vec<_>>())
}

/// A page may want as many hosts as it likes.
#[tokio::test]
async fn refusals_do_not_flood_a_result() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let wants = "Promise.all(Array.from({length: 40}, (_, n) => fetch(`http://127.0.3.${n + 1}:8099/`).catch(() => 0)))";
    let wanted = shop.call("browser_evaluate", json!({"script": format!("{wants}.then(() => 1)")})).await;
    let told = wanted.text.matches("The page wanted more").count();
    assert!(told == 11 && wanted.text.contains("30 other hosts"), "{}", wanted.text);
    let after = shop.call("browser_get_state", json!({})).await;
    assert!(!after.text.contains("The page wanted more"), "once: {}", after.text);
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn a_picture_that_is_cut_off_says_so() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let whole = shop.call("browser_screenshot", json!({"full_page": true})).await;
    assert!(!whole.text.contains("cut off"), "{}", whole.text);
    shop.script("document.body.style.height = '20000px'; document.body.style.margin = 0; 1").await;
    let cut = shop.call("browser_screenshot", json!({"full_page": true})).await;
    assert_eq!(cut.data["height"], 16_384);
    assert!(cut.text.contains("cut off") && cut.text.contains("×20"), "{}", cut.text);
    shop.browsers.close_all().await;
}
