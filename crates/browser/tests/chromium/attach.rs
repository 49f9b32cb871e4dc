//! A browser that a person has open: what is in it is seen at once, nobody else is disturbed, and it goes on after us.

use std::{sync::Arc, time::Duration};

use deskhand_browser::{
    cdp::{Connection, Ears, Event, Session},
    launch::reach,
};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    fixture::{LIMIT, Server},
    persons::Persons,
    tools::{Shop, ref_in},
};

/// Another program at the same browser.
pub struct Other {
    connection: Connection,
    dialogs: watch::Receiver<usize>,
    _stop: DropGuard,
}

struct CountsDialogs(watch::Sender<usize>);

impl Ears for CountsDialogs {
    fn hear(&self, event: &Event, _: &Connection) {
        if event.method == "Page.javascriptDialogOpening" {
            self.0.send_modify(|count| *count += 1);
        }
    }
}

impl Other {
    pub async fn at(persons: &Persons) -> Self {
        let (sender, dialogs) = watch::channel(0);
        let stop = CancellationToken::new();
        let transport = reach(&persons.address()).await.unwrap();
        let connection = Connection::start(transport, Arc::new(CountsDialogs(sender)), stop.clone());
        Self { connection, dialogs, _stop: stop.drop_guard() }
    }

    /// A tab of its own.
    pub async fn opens(&self, url: &str) -> Session {
        let browser = Session::browser(self.connection.clone());
        let made = browser.call("Target.createTarget", json!({"url": url})).await.unwrap();
        let params = json!({"targetId": made["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", params).await.unwrap();
        Session::of(self.connection.clone(), attached["sessionId"].as_str().unwrap())
    }
}

pub async fn evaluate(tab: &Session, script: &str) -> Value {
    let params = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
    tab.call("Runtime.evaluate", params).await.unwrap()["result"]["value"].clone()
}

pub async fn shop_at(persons: &Persons) -> Shop {
    Shop::with(|config| config.attach = Some(persons.address())).await
}

/// The number of the tab at this address.
pub async fn tab_at(shop: &Shop, url: &str) -> u64 {
    let listed = shop.call("browser_tabs", json!({})).await;
    let tabs = listed.data["tabs"].as_array().unwrap();
    let tab = tabs.iter().find(|tab| tab["url"] == url).unwrap_or_else(|| panic!("no {url} in {tabs:?}"));
    tab["tab"].as_u64().unwrap()
}

#[tokio::test]
async fn the_tabs_that_are_there_are_read_with_their_frames() {
    let server = Server::start().await;
    // A frame of the same process and, in it, one of another.
    let innermost = server.elsewhere("plain.html");
    let framing = server.url(&format!("framing?{}", server.url(&format!("framing?{innermost}"))));
    let second = server.url("second.html");
    let persons = Persons::start(&[&framing, &second]).await;
    let shop = shop_at(&persons).await;
    // Nothing was opened or loaded anew for it.
    let number = tab_at(&shop, &framing).await;
    tab_at(&shop, &second).await;
    shop.call("browser_tabs", json!({"action": "select", "tab": number})).await;
    let seen = shop.call("browser_snapshot", json!({})).await.text;
    let button = ref_in(&seen, "Press");
    shop.call("browser_click", json!({"ref": button})).await;
    let browser = shop.browsers.running("test").unwrap();
    let urls: Vec<_> =
        browser.targets().look().current().unwrap().frames.iter().map(|f| f.url.clone()).collect();
    assert_eq!(urls.len(), 3, "{urls:?}");
    shop.call("browser_type", json!({"selector": "#field", "text": "by selector"})).await;
    let seen = shop.call("browser_snapshot", json!({})).await.text;
    assert!(seen.contains("by selector"), "{seen}");
    shop.browsers.close_all().await;
    assert_eq!(persons.urls().await, {
        let mut both = vec![framing, second];
        both.sort();
        both
    });
    persons.end().await;
}

/// What a person or another program does in the same browser is theirs: their new tab is not taken, their dialog is not
/// answered; and when we go, all of it goes on.
#[tokio::test]
async fn others_at_the_same_browser_are_not_disturbed() {
    let server = Server::start().await;
    let plain = server.url("plain.html");
    let mut persons = Persons::start(&[&plain]).await;
    let (shop, mut other) = (shop_at(&persons).await, Other::at(&persons).await);
    shop.call("browser_click", json!({"selector": "#button"})).await;
    let theirs = other.opens(&server.url("second.html")).await;
    theirs.call("Page.enable", json!({})).await.unwrap();
    let browser = shop.browsers.running("test").unwrap();
    let never = CancellationToken::new();
    let both = browser
        .targets()
        .wait_for(browser.connection(), LIMIT, &never, |state| (state.tabs.len() == 2).then_some(()));
    both.await.unwrap();
    assert_eq!(shop.script("document.title").await, "clicked", "calls stay where they were");
    let asks = evaluate(&theirs, "prompt('whose?')");
    let answers = async {
        other.dialogs.wait_for(|count| *count > 0).await.unwrap();
        // Whoever answered by themselves would have by now: a call of ours comes and goes in between.
        shop.call("browser_get_state", json!({})).await;
        let params = json!({"accept": true, "promptText": "mine"});
        theirs.call("Page.handleJavaScriptDialog", params).await.unwrap();
    };
    assert_eq!(tokio::join!(asks, answers).0, "mine");
    // In the tab that calls use, nothing hangs on one.
    assert_eq!(shop.script("prompt('whose?')").await, Value::Null);
    // A tab of ours is closed by us, and no other.
    shop.call("browser_tabs", json!({"action": "new"})).await;
    shop.go("form.html").await;
    shop.call("browser_tabs", json!({"action": "close"})).await;
    shop.browsers.close_all().await;
    assert!(persons.runs());
    assert_eq!(evaluate(&theirs, "document.title").await, "Second page");
    assert_eq!(persons.urls().await, [plain, server.url("second.html")]);
    // Another of ours, after the first has gone, and two at once.
    let (again, beside) = (shop_at(&persons).await, shop_at(&persons).await);
    for shop in [&again, &beside] {
        tab_at(shop, &server.url("second.html")).await;
    }
    drop((again, beside));
    assert_eq!(evaluate(&theirs, "1 + 1").await, 2);
    assert!(persons.runs());
    persons.end().await;
}

#[tokio::test]
async fn one_that_is_not_used_is_left_and_found_again() {
    let mut persons = Persons::start(&["about:blank"]).await;
    let shop = Shop::with(|config| {
        config.attach = Some(persons.address());
        config.idle = Duration::from_secs(3);
    })
    .await;
    // Held from before: by the time that the call has ended, it may be let go already.
    let browser = shop.browsers.open("test").await.unwrap().browser;
    shop.go("plain.html").await;
    browser.connection().until_ended().await;
    assert!(shop.browsers.running("test").is_none() && persons.runs());
    let listed = shop.call("browser_tabs", json!({})).await;
    assert!(listed.text.contains("plain.html"), "its tabs are still there: {}", listed.text);
    shop.browsers.close_all().await;
    persons.end().await;
}

#[tokio::test]
async fn a_browser_that_is_not_there_is_said_not_to_be() {
    let shop = Shop::with(|config| config.attach = Some("http://127.0.0.1:1".to_owned())).await;
    let outcome = shop.fails("browser_snapshot", json!({}), "browser_not_started").await;
    assert!(outcome.text.contains("127.0.0.1:1") && outcome.error.unwrap().hint.is_some());
}
