//! Waits that end when it is so: not before, and not never.

use std::time::Duration;

use deskhand_browser::{
    cdp::Session,
    page::{PageError, WaitUntil},
};
use deskhand_core::{Permission, Status};
use deskhand_testkit::{Person, until};
use serde_json::json;

use crate::{
    fixture::{Desk, LIMIT},
    meanwhile::{agreeing_once, arrived, questions, quietly},
    tools::{Shop, ref_in},
};

const SHORT: Duration = Duration::from_millis(600);

/// Each page is held where the wait of the row would end, and is there for the one before.
#[tokio::test]
async fn a_navigation_waits_for_what_it_says() {
    let desk = Desk::new().await;
    let page = desk.page().await;
    let ready = "[document.readyState, document.title]";
    for (name, before, until, words) in [
        ("slow/script", WaitUntil::Commit, WaitUntil::Dom, "its document"),
        ("slow/image", WaitUntil::Dom, WaitUntil::Load, "load"),
        ("slow/fetch", WaitUntil::Load, WaitUntil::NetworkIdle, "a quiet network"),
    ] {
        desk.server.hold();
        let url = desk.server.url(name);
        let there = page.navigate(&url, before, LIMIT).await.unwrap();
        assert_eq!(there.url, url, "{before:?}");
        let error = page.navigate(&url, until, SHORT).await.unwrap_err();
        assert!(
            matches!(&error, PageError::TimedOut { doing, limit } if *limit == SHORT && doing.contains(words) && doing.contains(&url)),
            "{until:?}: {error}"
        );
        desk.server.hold();
        let (there, ()) = tokio::join!(page.navigate(&url, until, LIMIT), desk.server.let_go());
        there.unwrap();
        let seen = page.evaluate(ready, LIMIT).await.unwrap();
        let least = if until == WaitUntil::Dom { ["interactive", "complete"] } else { ["complete"; 2] };
        assert!(least.contains(&seen[0].as_str().unwrap()), "{until:?}: {seen}");
    }
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn a_page_that_never_loads_ends_with_the_timeout_that_was_asked_for() {
    let shop = Shop::new().await;
    for (name, wait_until, words) in [
        ("never", "load", "waiting for load"),
        ("never", "dom", "waiting for its document"),
        ("silence", "commit", "waiting for its first bytes"),
        ("slow/fetch", "network_idle", "waiting for a quiet network"),
    ] {
        let url = shop.server.url(name);
        let arguments = json!({"url": url, "wait_until": wait_until, "timeout": 400});
        let outcome = shop.fails("browser_navigate", arguments, "timed_out").await;
        assert_eq!(outcome.status, Status::TimedOut);
        for said in [url.as_str(), words, "400 ms"] {
            assert!(outcome.text.contains(said), "{name}: {}", outcome.text);
        }
    }
    // What there is of it can be looked at, and the next page loads.
    shop.call("browser_navigate", json!({"url": shop.server.url("never"), "wait_until": "commit"})).await;
    assert!(shop.call("browser_snapshot", json!({})).await.text.contains("half"));
    shop.go("plain.html").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn an_element_is_waited_for_until_the_server_gives_it() {
    let shop = Shop::new().await;
    shop.go("slow/fetch").await;
    let late = shop.try_call("browser_wait_for", json!({"selector": "#came", "timeout": 300})).await;
    assert!(late.text.contains("300 ms") && late.text.contains("#came"), "{}", late.text);
    let waits = shop.call("browser_wait_for", json!({"selector": "#came"}));
    let (came, ()) = tokio::join!(waits, shop.server.let_go());
    assert!(came.data["element"].as_str().unwrap().contains("came"), "{}", came.data);
    shop.browsers.close_all().await;
}

/// What is in some frame is there, and what is to be gone is gone from all of them.
#[tokio::test]
async fn what_is_to_be_gone_is_gone_from_every_frame() {
    let shop = Shop::new().await;
    let wait = |state: &str, timeout: u64| json!({"selector": "#button", "state": state, "timeout": timeout});
    for inner in [shop.server.url("plain.html"), shop.server.elsewhere("plain.html")] {
        shop.go(&format!("framing?{inner}")).await;
        for state in ["visible", "attached"] {
            shop.call("browser_wait_for", wait(state, 10_000)).await;
        }
        for state in ["hidden", "detached"] {
            let outcome = shop.try_call("browser_wait_for", wait(state, 300)).await;
            assert_eq!(outcome.status, Status::TimedOut, "{inner} {state}: {}", outcome.text);
            assert!(outcome.text.contains("1 element there, visible"), "{}", outcome.text);
        }
    }
    // The frame goes, and the button with it.
    shop.script("setTimeout(() => document.querySelector('iframe').remove(), 200); 1").await;
    shop.call("browser_wait_for", wait("detached", 10_000)).await;
    // It is hidden, then gone, in a frame that stays.
    shop.go(&format!("framing?{}", shop.server.url("plain.html"))).await;
    let button = "document.querySelector('iframe').contentDocument.querySelector('#button')";
    shop.script(&format!("setTimeout(() => {button}.style.display = 'none', 200); 1")).await;
    shop.call("browser_wait_for", wait("hidden", 10_000)).await;
    assert_eq!(shop.try_call("browser_wait_for", wait("detached", 300)).await.status, Status::TimedOut);
    shop.script(&format!("setTimeout(() => {button}.remove(), 200); 1")).await;
    shop.call("browser_wait_for", wait("detached", 10_000)).await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn a_ref_of_a_page_that_was_left_is_gone() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let seen = shop.call("browser_snapshot", json!({})).await.text;
    let button = ref_in(&seen, "Press");
    shop.call("browser_wait_for", json!({"ref": button, "state": "visible"})).await;
    shop.go("second.html").await;
    for state in ["detached", "hidden"] {
        shop.call("browser_wait_for", json!({"ref": button, "state": state, "timeout": 1000})).await;
        let nonsense = json!({"ref": "nonsense", "state": state, "timeout": 1000});
        shop.fails("browser_wait_for", nonsense, "stale_ref").await;
    }
    shop.fails("browser_wait_for", json!({"ref": button, "state": "visible"}), "stale_ref").await;
    shop.browsers.close_all().await;
}

/// Where an element is named, `condition` may be its state; that is no script, and nobody is asked.
#[tokio::test]
async fn a_condition_may_be_the_state_of_an_element() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    for (condition, hidden) in [("visible", false), ("attached", true), ("hidden", true), (" Hidden ", true)]
    {
        shop.script(&format!("button.style.display = {hidden} ? 'none' : ''; 1")).await;
        let arguments = json!({"selector": "#button", "condition": condition, "timeout": 5000});
        assert_eq!(
            shop.permission("browser_wait_for", arguments.clone()).await,
            Permission::Public,
            "{condition}"
        );
        shop.call("browser_wait_for", arguments).await;
    }
    let gone = json!({"selector": "#button", "condition": "detached", "timeout": 300});
    assert_eq!(shop.try_call("browser_wait_for", gone.clone()).await.status, Status::TimedOut);
    shop.script("button.remove(); 1").await;
    shop.call("browser_wait_for", gone).await;
    // Without an element it is a script, as every other text is.
    for arguments in [json!({"condition": "hidden"}), json!({"selector": "h1", "condition": "!hidden"})] {
        assert_eq!(shop.permission("browser_wait_for", arguments).await, Permission::Sensitive);
    }
    let both = json!({"selector": "h1", "state": "visible", "condition": "hidden"});
    shop.fails("browser_wait_for", both, "two_states").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn what_went_wrong_with_a_condition_is_told() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let outcome =
        shop.try_call("browser_wait_for", json!({"condition": "nothing.here", "timeout": 300})).await;
    assert_eq!(outcome.status, Status::TimedOut);
    assert!(outcome.text.contains("nothing is not defined"), "{}", outcome.text);
    // What cannot be read yet is not what cannot be read as a script.
    shop.script("setTimeout(() => document.title = '{\"done\": true}', 300); 1").await;
    shop.call("browser_wait_for", json!({"condition": "JSON.parse(document.title).done"})).await;
    shop.browsers.close_all().await;
}

/// The tab that was there first, past the gate and past whoever has it.
fn first_tab(shop: &Shop) -> Session {
    let browser = shop.browsers.running("test").unwrap();
    let session = browser.targets().look().tabs[0].session.clone();
    Session::of(browser.connection().clone(), session)
}

/// A pop-up of the same host does not stand for the tab that has the condition, and was left.
#[tokio::test]
async fn a_pop_up_is_not_the_page_that_a_condition_was_approved_for() {
    let mut shop = Shop::new().await;
    shop.go("plain.html").await;
    let script = "document.title === 'Second page' && (document.title = 'ran')";
    let person = Person::agreeable();
    shop.session.approvers = vec![person.clone()];
    let leave = async {
        until("a question", async || !person.asked().is_empty()).await;
        // By then the condition is evaluated.
        tokio::time::sleep(Duration::from_millis(200)).await;
        let open = json!({"expression": "open('plain.html'); 1", "userGesture": true});
        first_tab(&shop).call("Runtime.evaluate", open).await.unwrap();
        arrived(&shop, "plain.html").await;
        let away = json!({"url": shop.server.elsewhere("second.html")});
        first_tab(&shop).call("Page.navigate", away).await.unwrap();
    };
    let waits = shop.try_call("browser_wait_for", json!({"condition": script, "timeout": 3000}));
    let (outcome, ()) = tokio::join!(waits, leave);
    assert_eq!(outcome.status, Status::TimedOut, "{}", outcome.text);
    assert_eq!(shop.browsers.running("test").unwrap().targets().look().tabs.len(), 2);
    let title = json!({"expression": "document.title"});
    let title = first_tab(&shop).call("Runtime.evaluate", title).await.unwrap();
    assert_eq!(title["result"]["value"], "Second page", "it did not run there");
    shop.browsers.close_all().await;
}

/// A condition is approved for the page that is there: on the next one it does not run, unless that is of the same host.
#[tokio::test]
async fn a_condition_that_was_approved_for_one_page_is_not_evaluated_on_another() {
    let mut shop = Shop::new().await;
    let script = "(document.body.dataset.looked = 'yes') && document.title === 'Second page' \
                  && (document.title = 'ran')";
    let alone = json!({"condition": script, "timeout": 20_000});
    let with_element =
        json!({"selector": "#button", "state": "detached", "condition": script, "timeout": 20_000});
    let (here, elsewhere) = (shop.server.url("second.html"), shop.server.elsewhere("second.html"));
    for (arguments, to, title) in [
        (&alone, &elsewhere, "Second page"),
        (&with_element, &elsewhere, "Second page"),
        (&alone, &here, "ran"),
        (&with_element, &here, "ran"),
    ] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("plain.html").await;
        let asks = agreeing_once();
        shop.session.approvers = vec![asks.clone()];
        let leave = async {
            until("a question", async || !asks.asked().is_empty()).await;
            if *arguments == alone {
                let looked = json!({"expression": "document.body.dataset.looked"});
                until("the condition to be evaluated", async || {
                    let answer = first_tab(&shop).call("Runtime.evaluate", looked.clone()).await.unwrap();
                    answer["result"]["value"] == "yes"
                })
                .await;
            } else {
                // By then the element is waited for.
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            first_tab(&shop).call("Page.navigate", json!({"url": to})).await.unwrap();
        };
        let (outcome, ()) = tokio::join!(shop.try_call("browser_wait_for", arguments.clone()), leave);
        let case = format!("{arguments} {to}: {}", outcome.text);
        let asked = questions(&asks);
        assert!(asked[0].contains("(127.0.0.1)"), "{asked:?}");
        if title == "ran" {
            assert_eq!((outcome.status, asked.len()), (Status::Success, 1), "{case}");
        } else {
            assert_eq!(outcome.status, Status::ExecutionRejected, "{case}");
            assert!(asked[1].contains("(localhost)"), "{asked:?}");
        }
        assert_eq!(quietly(&shop, "document.title").await, title, "{case}");
    }
    shop.browsers.close_all().await;
}

/// The rest of the page is there all the same.
#[tokio::test]
async fn a_frame_that_does_not_answer_holds_nothing_up() {
    let shop = Shop::new().await;
    shop.go(&format!("framing?{}", shop.server.elsewhere("busy"))).await;
    shop.script("document.body.insertAdjacentHTML('afterbegin', '<button id=mine>Mine</button>'); 1").await;
    shop.call("browser_wait_for", json!({"selector": "#mine"})).await;
    let late = "setTimeout(() => document.body.insertAdjacentHTML('afterbegin', '<p id=late>late'), 3000); 1";
    shop.script(late).await;
    shop.call("browser_wait_for", json!({"selector": "#late"})).await;
    for state in ["visible", "hidden"] {
        let never = json!({"selector": "#mine-not", "state": state, "timeout": 300});
        let outcome = shop.try_call("browser_wait_for", never).await;
        assert_eq!(outcome.status, Status::TimedOut, "{}", outcome.text);
        assert!(outcome.text.contains("300 ms"), "as long as was said: {}", outcome.text);
    }
    let seen = shop.call("browser_snapshot", json!({})).await.text;
    assert!(seen.contains("Mine") && seen.contains("this frame does not answer"), "{seen}");
    shop.call("browser_click", json!({"selector": "#mine"})).await;
    let missing = shop.fails("browser_click", json!({"selector": "#nothing"}), "not_found").await;
    assert!(missing.text.contains("/busy"), "it is named: {}", missing.text);
    shop.browsers.close_all().await;
}
