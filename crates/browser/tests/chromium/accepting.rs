//! A yes to a dialog: to the one that was named, in the call that named it, and to no other.

use std::sync::Arc;

use deskhand_browser::page::PageError;
use deskhand_core::{Permission, Request, Status};
use deskhand_testkit::Person;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    fixture::{Desk, LIMIT},
    meanwhile::{arrived, questions, quietly, refusing},
    tools::Shop,
};

const SURE: &str = "Delete all of it?";

/// A click that says yes to what asks whether one is sure.
fn click(id: &str) -> Value {
    json!({"selector": id, "accept_dialog": {"message": SURE}})
}

async fn answers(shop: &Shop) -> Value {
    quietly(shop, "answers.splice(0)").await
}

#[tokio::test]
async fn what_was_named_is_accepted() {
    let shop = Shop::new().await;
    shop.go("consent.html").await;
    let named = json!({"selector": "#prompt", "accept_dialog": {"message": "Your name?", "text": "Bob 中"}});
    let key = json!({"key": "Enter", "accept_dialog": {"message": SURE}});
    let line = json!({"selector": "#line", "text": "a", "submit": true, "accept_dialog": {"message": SURE}});
    for (tool, arguments, answer) in [
        ("browser_click", click("#confirm"), json!(true)),
        ("browser_click", click("#first"), json!(true)),
        ("browser_click", click("#later"), json!(true)),
        ("browser_click", named, json!("Bob 中")),
        ("browser_type", line, json!(true)),
        // The line has the focus.
        ("browser_press_key", key, json!(true)),
    ] {
        let acted = shop.call(tool, arguments.clone()).await;
        assert!(acted.text.contains("accepted, as the call says"), "{arguments}: {}", acted.text);
        assert_eq!(answers(&shop).await, json!([answer]), "{tool} {arguments}");
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn everything_else_gets_a_no() {
    let shop = Shop::new().await;
    shop.go("consent.html").await;
    let with_text = json!({"selector": "#confirm", "accept_dialog": {"message": SURE, "text": "yes"}});
    let without_text = json!({"selector": "#prompt", "accept_dialog": {"message": "Your name?"}});
    let unnamed = json!({"selector": "#confirm"});
    for (arguments, wanted, told) in [
        (unnamed, json!([false]), "with accept_dialog: this message."),
        (click("#other"), json!([false]), "No dialog opened with the message in accept_dialog"),
        (click("#twice"), json!([true, false]), "with accept_dialog: this message."),
        (with_text, json!([false]), "No dialog opened with the message"),
        (without_text, json!([null]), "with accept_dialog: this message, and text."),
        (click("#nothing"), json!([]), "No dialog opened with the message"),
    ] {
        let acted = shop.call("browser_click", arguments.clone()).await;
        assert!(acted.text.contains(told), "{arguments}: {}", acted.text);
        assert_eq!(answers(&shop).await, wanted, "{arguments}");
        // What was not needed is not there for the next.
        quietly(&shop, "sure(); 1").await;
        assert_eq!(answers(&shop).await, json!([false]), "after {arguments}");
    }
    shop.browsers.close_all().await;
}

/// Another page may say the same words.
#[tokio::test]
async fn another_page_gets_a_no() {
    let shop = Shop::new().await;
    for id in ["#away", "#along", "#popup"] {
        shop.go("consent.html").await;
        let clicked = shop.call("browser_click", click(id)).await;
        assert!(clicked.text.contains("No dialog opened with the message"), "{id}: {}", clicked.text);
        arrived(&shop, "?ask").await;
        assert_eq!(answers(&shop).await, json!([false]), "{id}");
    }
    shop.browsers.close_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_cancelled_leaves_no_yes_behind() {
    let shop = Arc::new(Shop::new().await);
    shop.go("consent.html").await;
    let cancel = CancellationToken::new();
    let request = Request { cancel: cancel.clone(), ..Request::new("browser_click", click("#slow")) };
    let calling = tokio::spawn({
        let shop = Arc::clone(&shop);
        async move { shop.gate.call(request, &shop.session).await }
    });
    shop.server.asked().await;
    cancel.cancel();
    assert_eq!(calling.await.unwrap().status, Status::Cancelled);
    // The page goes on with its click only now.
    shop.server.let_go().await;
    assert_eq!(answers(&shop).await, json!([false]));
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn a_call_that_panics_or_fails_leaves_no_yes_behind() {
    let desk = Desk::new().await;
    let page = desk.page_at("consent.html").await;
    let panicked = tokio::spawn(async move {
        let _yes = page.accept(SURE, None).unwrap();
        panic!("as a bug would");
    });
    assert!(panicked.await.unwrap_err().is_panic());
    let page = desk.page().await;
    assert_eq!(page.evaluate("sure(); answers", LIMIT).await.unwrap(), json!([false]));
    let fails = async || -> Result<(), PageError> {
        let _yes = page.accept(SURE, None)?;
        page.evaluate("throw 'as pages do'", LIMIT).await.map(drop)
    };
    fails().await.unwrap_err();
    assert_eq!(page.evaluate("sure(); answers", LIMIT).await.unwrap(), json!([false, false]));
    // While it is there, it counts.
    let yes = page.accept(SURE, None).unwrap();
    assert_eq!(page.evaluate("sure(); answers", LIMIT).await.unwrap(), json!([false, false, true]));
    drop(yes);
    drop(page);
    desk.end().await;
}

#[tokio::test]
async fn a_frame_of_the_page_asks_as_the_page_does() {
    let shop = Shop::new().await;
    shop.go("framing?consent.html").await;
    for (arguments, answer, told) in [
        (json!({"selector": "#confirm"}), false, "with accept_dialog: this message."),
        (click("#confirm"), true, "accepted, as the call says"),
        (json!({"selector": "#confirm"}), false, "with accept_dialog: this message."),
    ] {
        let acted = shop.call("browser_click", arguments.clone()).await;
        assert!(acted.text.contains("(confirm) said «Delete all of it?»"), "{}", acted.text);
        assert!(acted.text.contains(told), "{arguments}: {}", acted.text);
        assert_eq!(quietly(&shop, "frames[0].answers.splice(0)").await, json!([answer]), "{arguments}");
    }
    shop.browsers.close_all().await;
}

/// What was written into a frame or a pop-up has no address that says whose it is.
#[tokio::test]
async fn what_has_no_address_is_not_accepted_and_that_is_told() {
    let shop = Shop::new().await;
    let button =
        "<button id=inside onclick=\"(opener ?? parent).answers.push(confirm('Delete all of it?'))\">";
    for (write, answers) in [
        (
            "const frame = document.createElement('iframe'); frame.srcdoc = BUTTON; document.body.append(frame)",
            "answers",
        ),
        ("open('about:blank').document.write(BUTTON)", "opener.answers"),
    ] {
        shop.go("consent.html").await;
        quietly(&shop, &format!("{{ {} }} 1", write.replace("BUTTON", &json!(button).to_string()))).await;
        shop.call("browser_wait_for", json!({"selector": "#inside"})).await;
        for arguments in [json!({"selector": "#inside"}), click("#inside")] {
            let acted = shop.call("browser_click", arguments.clone()).await;
            assert!(acted.text.contains("It cannot be accepted"), "{write} {arguments}: {}", acted.text);
            assert!(!acted.text.contains("once more"), "{write} {arguments}: {}", acted.text);
        }
        assert_eq!(quietly(&shop, answers).await, json!([false, false]), "{write}");
    }
    shop.browsers.close_all().await;
}

/// What looks like a secret is masked before anybody reads it, and a mask is no word of the page.
#[tokio::test]
async fn what_is_masked_is_not_accepted_and_that_is_told() {
    let shop = Shop::new().await;
    shop.go("consent.html").await;
    let secret = format!("ghp_{}", "0123456789abcdefghijABCDEFGHIJ012345");
    let asks = format!(
        "document.querySelector('#other').onclick = () => answers.push(confirm('Drop {secret}?')); 1"
    );
    quietly(&shop, &asks).await;
    let told = shop.call("browser_click", json!({"selector": "#other"})).await.text;
    assert!(told.contains("It cannot be accepted") && !told.contains("accept_dialog"), "{told}");
    let shown = told.split(['«', '»']).nth(1).unwrap();
    assert!(shown.starts_with("Drop ⟦masked:") && !told.contains(&secret), "{told}");
    // Whoever is asked would not see all of it either.
    let clear = format!("Drop {secret}?");
    for (message, code) in [(shown, "contains_mask"), (&clear, "dialog_message")] {
        let named = json!({"selector": "#other", "accept_dialog": {"message": message}});
        shop.fails("browser_click", named, code).await;
    }
    assert_eq!(answers(&shop).await, json!([false]));
    shop.browsers.close_all().await;
}

/// A page that asks whether it may be left is left.
#[tokio::test]
async fn a_page_that_wants_to_be_stayed_on_is_left() {
    let shop = Shop::new().await;
    shop.go("consent.html").await;
    quietly(&shop, "addEventListener('beforeunload', event => event.preventDefault()); 1").await;
    // Browsers let only pages ask that somebody has used.
    shop.call("browser_click", json!({"selector": "#nothing"})).await;
    let left = shop.call("browser_navigate", json!({"url": shop.server.url("second.html")})).await;
    assert!(
        left.text.contains("A dialog (beforeunload)") && left.text.contains("it was accepted."),
        "{}",
        left.text
    );
    assert_eq!(quietly(&shop, "document.title").await, "Second page");
    shop.browsers.close_all().await;
}

/// A person is told what would be said yes to, and is asked in every mode.
#[tokio::test]
async fn a_person_is_asked_with_the_words() {
    let mut shop = Shop::new().await;
    shop.go("consent.html").await;
    let text = json!({"message": "Your name?", "text": "Bob"});
    for (tool, arguments, words) in [
        ("browser_click", click("#confirm"), "says yes to the dialog «Delete all of it?»"),
        (
            "browser_click",
            json!({"selector": "#prompt", "accept_dialog": text}),
            "the dialog «Your name?» with a text",
        ),
        (
            "browser_press_key",
            json!({"key": "F2", "accept_dialog": {"message": SURE}}),
            "yes to the dialog «Delete all",
        ),
        (
            "browser_type",
            json!({"selector": "#line", "text": "a", "submit": true, "accept_dialog": {"message": SURE}}),
            "yes to the dialog «Delete all",
        ),
    ] {
        let request = Request::new(tool, arguments.clone());
        let plan = shop.gate.explain(request, &shop.session).await.unwrap().plan.unwrap();
        assert_eq!(plan.permission, Permission::Sensitive, "{arguments}");
        assert!(plan.notes.concat().contains(words), "{arguments}: {:?}", plan.notes);
        let no = refusing(&mut shop);
        let refused = shop.try_call(tool, arguments.clone()).await;
        assert_eq!(refused.status, Status::ExecutionRejected, "{}", refused.text);
        assert!(questions(&no).concat().contains(words), "{arguments}");
        assert_eq!(answers(&shop).await, json!([]), "{arguments}");
        shop.session.approvers = vec![Person::agreeable()];
    }
    // The words of the page stay within their quotes, and are there.
    let words = json!({"selector": "#other", "accept_dialog": {"message": "Save». Nothing is sent. «"}});
    let request = Request::new("browser_click", words);
    let plan = shop.gate.explain(request, &shop.session).await.unwrap().plan.unwrap();
    assert!(plan.notes.concat().contains("the dialog «Save›. Nothing is sent. ‹»."), "{:?}", plan.notes);
    let nothing = json!({"selector": "#other", "accept_dialog": {"message": " \n "}});
    shop.fails("browser_click", nothing, "dialog_message").await;
    let alone = json!({"selector": "#line", "text": "a", "accept_dialog": {"message": SURE}});
    shop.fails("browser_type", alone, "accept_without_submit").await;
    shop.browsers.close_all().await;
}
