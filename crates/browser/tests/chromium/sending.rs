//! Sending a form is asked about, in whichever way it is sent, and what is sent is what was asked about.

use std::{fs, sync::Arc};

use deskhand_browser::page::{Page, Target};
use deskhand_core::{Permission, Status};
use deskhand_testkit::Person;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    meanwhile::{agreeing_once, arrived, at_last, between, questions, quietly, refusing},
    tools::Shop,
};

const SENSITIVE: Permission = Permission::Sensitive;
const MODERATE: Permission = Permission::Moderate;

#[tokio::test]
async fn every_way_to_send_a_form_is_asked_about_and_nothing_else_is() {
    let mut shop = Shop::new().await;
    shop.go("sending.html").await;
    let no = refusing(&mut shop);
    let (key, typed, click) = (
        |key: &str| ("browser_press_key", json!({"key": key})),
        |field: &str, text: &str| ("browser_type", json!({"selector": field, "text": text})),
        |selector: &str| ("browser_click", json!({"selector": selector})),
    );
    for (focus, (tool, arguments), permission) in [
        ("line", key("Enter"), SENSITIVE),
        ("line", key("Shift+Enter"), SENSITIVE),
        ("line", key("Control+Enter"), SENSITIVE),
        ("line", key("\n"), SENSITIVE),
        ("line", key("return"), SENSITIVE),
        ("line", key("Space"), MODERATE),
        ("line", key("a"), MODERATE),
        ("note", key("Enter"), SENSITIVE),
        ("tick", key("Enter"), SENSITIVE),
        ("tick", key("Space"), MODERATE),
        ("list", key("Enter"), SENSITIVE),
        ("button", key("Enter"), SENSITIVE),
        ("button", key("Space"), SENSITIVE),
        ("button", key("Shift+Space"), SENSITIVE),
        ("outside", key(" "), SENSITIVE),
        ("harmless", key("Space"), MODERATE),
        ("alone", key("Enter"), SENSITIVE),
        ("rich", key("Enter"), SENSITIVE),
        ("lines", key("Enter"), MODERATE),
        ("lines", key("Control+Enter"), SENSITIVE),
        ("", key("Enter"), MODERATE),
        ("", key("Alt+s"), MODERATE),
        ("", typed("#line", "a\nb"), SENSITIVE),
        ("", typed("#line", "a\r"), SENSITIVE),
        ("", typed("#line", "a b"), MODERATE),
        ("", typed("#note", "a\nb"), MODERATE),
        ("", typed("#rich", "a\nb"), SENSITIVE),
        ("", typed("#alone", "a\nb"), SENSITIVE),
        ("", typed("#list", "b"), MODERATE),
        ("", ("browser_type", json!({"selector": "#line", "text": "a", "submit": true})), SENSITIVE),
        ("", ("browser_type", json!({"selector": "#alone", "text": "a", "submit": true})), SENSITIVE),
        ("", ("browser_type", json!({"selector": "#button", "text": " ", "delay": 1})), SENSITIVE),
        ("", click("#button"), SENSITIVE),
        ("", click("#child"), SENSITIVE),
        ("", click("#label"), SENSITIVE),
        ("", click("#image"), SENSITIVE),
        ("", click("#outside"), SENSITIVE),
        ("", click("#around"), SENSITIVE),
        ("", click("#deep-button"), SENSITIVE),
        ("", click("#closed"), SENSITIVE),
        ("", click("#order"), MODERATE),
        ("", click("#harmless"), MODERATE),
        ("", click("#link"), MODERATE),
    ] {
        let focus = format!("document.activeElement.blur(); document.getElementById('{focus}')?.focus(); 1");
        quietly(&shop, &focus).await;
        assert_eq!(shop.permission(tool, arguments.clone()).await, permission, "{focus} {tool} {arguments}");
        let outcome = shop.try_call(tool, arguments.clone()).await;
        let wanted = if permission == SENSITIVE { Status::ExecutionRejected } else { Status::Success };
        assert_eq!(outcome.status, wanted, "{focus} {tool} {arguments}: {}", outcome.text);
    }
    assert_eq!(quietly(&shop, "sent").await, json!([]), "nobody said yes");
    assert!(questions(&no)[0].contains("It sends a form (POST http://127.0.0.1"), "{:?}", questions(&no));
    shop.browsers.close_all().await;
}

/// The other half of the table above: with a yes, each of them does send it.
#[tokio::test]
async fn with_a_yes_they_do_send_it() {
    let shop = Shop::new().await;
    shop.go("sending.html").await;
    for (focus, tool, arguments, sent) in [
        ("line", "browser_press_key", json!({"key": "Enter"}), "order"),
        ("button", "browser_press_key", json!({"key": "Space"}), "order"),
        ("", "browser_type", json!({"selector": "#line", "text": "a\n"}), "order"),
        ("", "browser_type", json!({"selector": "#second", "text": "a\n", "delay": 1}), "order"),
        ("", "browser_type", json!({"selector": "#line", "text": "a", "submit": true}), "order"),
        ("", "browser_type", json!({"selector": "#deep", "text": "a", "submit": true}), "open"),
        ("", "browser_click", json!({"selector": "#child"}), "order"),
        ("", "browser_click", json!({"selector": "#label"}), "order"),
        ("", "browser_click", json!({"selector": "#outside"}), "order"),
        ("", "browser_click", json!({"selector": "#around"}), "order"),
    ] {
        let focus = format!(
            "sent.length = 0; document.activeElement.blur(); document.getElementById('{focus}')?.focus(); 1"
        );
        quietly(&shop, &focus).await;
        shop.call(tool, arguments.clone()).await;
        assert_eq!(quietly(&shop, "sent").await, json!([sent]), "{focus} {tool} {arguments}");
    }
    shop.browsers.close_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_turns_into_sending_after_the_plan_is_asked_about() {
    let mut shop = Shop::new().await;
    let press = |key: &str| ("browser_press_key", json!({"key": key}));
    for (before, meanwhile, (tool, arguments)) in [
        // The focus goes elsewhere.
        ("1", "line.focus()", press("Enter")),
        ("lines.focus()", "note.focus()", press("Enter")),
        ("1", "document.querySelector('#shadow').shadowRoot.querySelector('#deep').focus()", press("Enter")),
        ("tick.focus()", "document.querySelector('#button').focus()", press("Space")),
        (
            "1",
            "document.querySelector('#closed').inside.querySelector('#deep-button').focus()",
            press("Space"),
        ),
        // The element becomes another.
        ("1", "harmless.type = 'submit'", ("browser_click", json!({"selector": "#harmless"}))),
        (
            "harmless.onmouseover = () => { harmless.type = 'submit'; }",
            "1",
            ("browser_click", json!({"selector": "#harmless"})),
        ),
        (
            "harmless.id = 'x'",
            "document.querySelector('#button').id = 'harmless'",
            ("browser_click", json!({"selector": "#harmless"})),
        ),
        // It comes late.
        (
            "1",
            "setTimeout(() => outside.insertAdjacentHTML('afterend', '<button id=late form=order>Late</button>'), 300)",
            ("browser_click", json!({"selector": "#late"})),
        ),
        (
            "1",
            "setTimeout(() => outside.insertAdjacentHTML('afterend', '<input id=late form=order>'), 300)",
            ("browser_type", json!({"selector": "#late", "text": "a\n"})),
        ),
        // Out of view, until it is clicked.
        ("around.style.marginTop = '5000px'", "1", ("browser_click", json!({"selector": "#around"}))),
        (
            "1",
            "alone.setAttribute('form', 'order')",
            ("browser_type", json!({"selector": "#alone", "text": "a", "submit": true})),
        ),
    ] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("sending.html").await;
        let no = refusing(&mut shop);
        quietly(&shop, &format!("{before}; 1")).await;
        between(&mut shop, &format!("{meanwhile}; 1"));
        let outcome = shop.try_call(tool, arguments.clone()).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        assert_eq!(
            outcome.status,
            Status::ExecutionRejected,
            "{before} {meanwhile} {arguments}: {}",
            outcome.text
        );
        assert_eq!(quietly(&shop, "sent").await, json!([]), "{before} {meanwhile} {arguments}");
        let asked = questions(&no).concat();
        assert!(asked.contains("send a form") || asked.contains("sends a form"), "{asked}");
    }
    shop.browsers.close_all().await;
}

/// A yes to Enter in one field is none to Enter in another, and typing is no pressing of buttons.
#[tokio::test]
async fn when_the_page_moves_the_focus_nothing_more_is_typed() {
    let shop = Shop::new().await;
    shop.go("sending.html").await;
    for (to, arguments) in [
        ("line", json!({"selector": "#alone", "text": "a\nb"})),
        ("line", json!({"selector": "#alone", "text": "a", "submit": true})),
        ("button", json!({"selector": "#alone", "text": "a b", "delay": 1})),
    ] {
        quietly(&shop, &format!("alone.oninput = () => document.getElementById('{to}').focus(); 1")).await;
        let outcome = shop.try_call("browser_type", arguments.clone()).await;
        assert_eq!(outcome.error.unwrap().code, "focus_moved", "{arguments}");
        assert_eq!(quietly(&shop, "sent").await, json!([]), "{arguments}");
    }
    shop.browsers.close_all().await;
}

/// What was meant for one field is not typed into another, nor into a frame, between two characters or before the first.
#[tokio::test]
async fn text_goes_into_the_field_that_was_named_and_nowhere_else() {
    let shop = Shop::new().await;
    let steal = "document.querySelector('iframe').contentDocument.querySelector('#field').focus()";
    for (handler, arguments, typed) in [
        ("oninput", json!({"selector": "#mine", "text": "secret", "delay": 1}), "s"),
        ("onkeyup", json!({"selector": "#mine", "text": "secret", "delay": 1}), "s"),
        // Right after the field got the focus.
        ("onfocus", json!({"selector": "#mine", "text": "secret"}), ""),
        ("onfocus", json!({"selector": "#mine", "text": ""}), ""),
        // Of what is no key of the keyboard, too.
        ("oninput", json!({"selector": "#mine", "text": "中文", "delay": 1}), "中"),
        ("oninput", json!({"selector": "#mine", "text": "a", "submit": true}), "a"),
    ] {
        shop.go(&format!("framing?{}", shop.server.url("plain.html"))).await;
        quietly(
            &shop,
            &format!(
                "document.body.insertAdjacentHTML('beforeend', '<input id=mine>'); \
                 mine.{handler} = () => Promise.resolve().then(() => {steal}); 1"
            ),
        )
        .await;
        shop.fails("browser_type", arguments.clone(), "focus_moved").await;
        let values = quietly(
            &shop,
            "[mine.value, document.querySelector('iframe').contentDocument.querySelector('#field').value]",
        );
        assert_eq!(values.await, json!([typed, ""]), "{handler} {arguments}");
    }
    // And in a frame of another site, into which nothing else is to get.
    shop.go(&format!("framing?{}", shop.server.elsewhere("plain.html"))).await;
    shop.call("browser_type", json!({"selector": "#field", "text": "ab", "delay": 1})).await;
    quietly(
        &shop,
        "document.body.insertAdjacentHTML('beforeend', '<input id=mine>'); setInterval(() => mine.focus(), 20); 1",
    )
    .await;
    let slowly = json!({"selector": "#field", "text": "abcdefgh", "delay": 50});
    shop.fails("browser_type", slowly, "focus_moved").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn forms_in_frames_are_seen_through_their_frames() {
    let mut shop = Shop::new().await;
    for inner in [shop.server.url("sending.html"), shop.server.elsewhere("sending.html")] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go(&format!("framing?{inner}")).await;
        let browser = shop.browsers.running("test").unwrap();
        let page = Page::take(browser, CancellationToken::new()).await.unwrap();
        let at = async |selector: &str| {
            let target = Target { selector: Some(selector.to_owned()), ..Target::default() };
            page.action_point(&target, "click").await.unwrap().0
        };
        let button = at("#button").await;
        drop(page);
        let no = refusing(&mut shop);
        let point = json!({"x": button.x, "y": button.y});
        for (tool, arguments, permission) in [
            ("browser_click", point, SENSITIVE),
            ("browser_click", json!({"selector": "#button"}), SENSITIVE),
            ("browser_type", json!({"selector": "#line", "text": "a\n"}), SENSITIVE),
            ("browser_click", json!({"selector": "#line"}), MODERATE),
            // The click has left the focus there.
            ("browser_press_key", json!({"key": "Enter"}), SENSITIVE),
            ("browser_press_key", json!({"key": "a"}), MODERATE),
            ("browser_click", json!({"selector": "#lines"}), MODERATE),
            ("browser_press_key", json!({"key": "Enter"}), MODERATE),
        ] {
            assert_eq!(shop.permission(tool, arguments.clone()).await, permission, "{tool} {arguments}");
            let outcome = shop.try_call(tool, arguments.clone()).await;
            let wanted = if permission == SENSITIVE { Status::ExecutionRejected } else { Status::Success };
            assert_eq!(outcome.status, wanted, "{tool} {arguments}: {}", outcome.text);
        }
        assert!(
            questions(&no).iter().all(|asked| asked.contains("It sends a form (POST")),
            "{:?}",
            questions(&no)
        );
    }
    shop.browsers.close_all().await;
}

/// The browser would ask a person before it sends a form again; of us it does not ask.
#[tokio::test(flavor = "multi_thread")]
async fn to_load_the_answer_to_a_form_anew_is_to_send_it_again() {
    let mut shop = Shop::new().await;
    shop.go("plain.html").await;
    let reload = ("browser_reload", json!({}));
    for _ in 0..3 {
        assert_eq!(shop.permission(reload.0, reload.1.clone()).await, MODERATE);
        shop.call(reload.0, reload.1.clone()).await;
    }
    let form = "document.body.insertAdjacentHTML('afterbegin', '<form method=post action=second.html><button id=go>Go</button></form>'); 1";
    quietly(&shop, form).await;
    shop.call("browser_click", json!({"selector": "#go"})).await;
    arrived(&shop, "second.html").await;
    // Also once it was loaded anew, and when that was not foreseen.
    for _ in 0..2 {
        assert_eq!(shop.permission(reload.0, reload.1.clone()).await, SENSITIVE);
        shop.call(reload.0, reload.1.clone()).await;
    }
    shop.go("plain.html").await;
    quietly(&shop, form).await;
    refusing(&mut shop);
    between(&mut shop, "new Promise(() => document.forms[0].submit())");
    let outcome = shop.try_call(reload.0, reload.1).await;
    shop.session.events = Arc::new(deskhand_core::event::NoEvents);
    assert_eq!(outcome.status, Status::ExecutionRejected, "{}", outcome.text);
    shop.browsers.close_all().await;
}

/// What a person has said yes to is what is done, also where the page changes after the answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_yes_to_one_thing_is_none_to_another() {
    let mut shop = Shop::new().await;
    let whole = Arc::clone(&shop.gate.audit);
    fs::write(shop.workspace.join("a.txt"), "a").unwrap();
    let upload = "outside.insertAdjacentHTML('afterend', '<input type=file id=file>')";
    for (before, at_the_end, tool, arguments, asked) in [
        (
            "line.focus()",
            "document.querySelector('#shadow').inside.querySelector('#deep').focus()",
            "browser_press_key",
            json!({"key": "Enter"}),
            "/inner",
        ),
        (
            "document.querySelector('#button').focus()",
            "outside.setAttribute('formaction', '/elsewhere'), outside.focus()",
            "browser_press_key",
            json!({"key": "Space"}),
            "/elsewhere",
        ),
        (
            "1",
            "outside.setAttribute('formaction', '/elsewhere')",
            "browser_click",
            json!({"selector": "#outside"}),
            "/elsewhere",
        ),
        (
            "1",
            "order.action = '/elsewhere'",
            "browser_type",
            json!({"selector": "#line", "text": "a", "submit": true}),
            "/elsewhere",
        ),
        (
            upload,
            "file.id = 'x', outside.insertAdjacentHTML('afterend', '<input type=file id=file aria-label=Other>')",
            "browser_select_file",
            json!({"selector": "#file", "paths": ["a.txt"]}),
            "Other",
        ),
    ] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("sending.html").await;
        quietly(&shop, &format!("{before}; 1")).await;
        let asks = agreeing_once();
        shop.session.approvers = vec![asks.clone()];
        at_last(&mut shop, &format!("{at_the_end}; 1"));
        let outcome = shop.try_call(tool, arguments.clone()).await;
        shop.gate.audit = Arc::clone(&whole);
        let questions = questions(&asks);
        assert_eq!(outcome.status, Status::ExecutionRejected, "{tool} {arguments}: {}", outcome.text);
        assert!(
            questions.len() == 2 && questions[1].contains(asked) && !questions[0].contains(asked),
            "{questions:?}"
        );
        assert_eq!(
            quietly(&shop, "[sent, document.querySelector('#file')?.files.length ?? 0]").await,
            json!([[], 0]),
            "{tool} {arguments}"
        );
    }
    shop.browsers.close_all().await;
}

/// A script, or a look, that was approved for one page is none of another.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_approved_for_one_page_is_not_done_on_another() {
    let mut shop = Shop::new().await;
    let whole = Arc::clone(&shop.gate.audit);
    shop.go("plain.html").await;
    let leave = format!("new Promise(() => location = '{}')", shop.server.elsewhere("second.html"));
    let asks = agreeing_once();
    shop.session.approvers = vec![asks.clone()];
    at_last(&mut shop, &leave);
    let outcome = shop.try_call("browser_evaluate", json!({"script": "document.title = 'ran'"})).await;
    shop.gate.audit = whole;
    assert_eq!(outcome.status, Status::ExecutionRejected, "{}", outcome.text);
    let asked = questions(&asks);
    assert!(asked[0].contains("(127.0.0.1)") && asked[1].contains("(localhost)"), "{asked:?}");
    assert_eq!(quietly(&shop, "document.title").await, "Second page", "it did not run");
    shop.browsers.close_all().await;
}
