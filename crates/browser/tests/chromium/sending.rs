//! Sending a form is asked about, in whichever way it is sent, and what is sent is what was asked about.

use std::sync::{Arc, Mutex};

use deskhand_browser::page::{Page, PageError, Target};
use deskhand_core::{
    Answer, ApprovalRequest, Approver, EventSink, Permission, ResultAnswer, Status,
    approval::{AnyAnswer, Subject},
    event::EventBody,
};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{fixture::LIMIT, tools::Shop};

/// Says no to every question, and remembers what was asked.
#[derive(Default)]
pub struct No(pub Mutex<Vec<String>>);

impl Approver for No {
    fn name(&self) -> &'static str {
        "test"
    }

    fn ask<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Option<AnyAnswer>> {
        let answer = match &request.subject {
            Subject::Execution { plan } => {
                self.0.lock().unwrap().push(format!("{}: {}", plan.summary, plan.notes.join(" ")));
                AnyAnswer::Execution(Answer::No { reason: None, remember: None })
            }
            Subject::Result { .. } => AnyAnswer::Result(ResultAnswer::Pass),
        };
        Box::pin(async move { Some(answer) })
    }
}

/// A script in the page, past the gate, which would ask about it.
pub async fn quietly(shop: &Shop, script: &str) -> Value {
    let browser = shop.browsers.running("test").unwrap();
    let page = Page::take(browser, CancellationToken::new());
    page.await.unwrap().evaluate(script, LIMIT).await.unwrap()
}

/// From here on every question gets a no.
pub fn refusing(shop: &mut Shop) -> Arc<No> {
    let no = Arc::new(No::default());
    shop.session.approvers = vec![no.clone()];
    // What a page says would have everything asked about; this is about what the plan says.
    shop.session.outside.clear();
    shop.session.outside.user_said("127.0.0.1 localhost");
    no
}

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
    assert!(no.0.lock().unwrap()[0].contains("It sends a form (POST http://127.0.0.1"), "{:?}", no.0);
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

/// Runs a script in the page right after a call was planned, and before it is done; once.
pub struct Between {
    pub browsers: deskhand_browser::Browsers,
    pub script: Mutex<Option<String>>,
}

impl EventSink for Between {
    fn emit(&self, body: EventBody) {
        let EventBody::CallPlanned { .. } = body else { return };
        let Some(script) = self.script.lock().unwrap().take() else { return };
        let browser = self.browsers.running("test").unwrap();
        let run = async move {
            let page = Page::take(browser, CancellationToken::new()).await.unwrap();
            match page.evaluate(&script, LIMIT).await {
                // The page was left, as the script wanted.
                Ok(_) | Err(PageError::Refused(_)) => {}
                Err(error) => panic!("{script}: {error}"),
            }
        };
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(run));
    }
}

pub fn between(shop: &mut Shop, script: &str) {
    let script = Mutex::new(Some(script.to_owned()));
    shop.session.events = Arc::new(Between { browsers: shop.browsers.clone(), script });
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
        shop.session.approvers = vec![Arc::new(crate::tools::Yes)];
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
        let asked = no.0.lock().unwrap().concat();
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

#[tokio::test]
async fn forms_in_frames_are_seen_through_their_frames() {
    let mut shop = Shop::new().await;
    for inner in [shop.server.url("sending.html"), shop.server.elsewhere("sending.html")] {
        shop.session.approvers = vec![Arc::new(crate::tools::Yes)];
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
            no.0.lock().unwrap().iter().all(|asked| asked.contains("It sends a form (POST")),
            "{:?}",
            no.0
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
    shop.call("browser_wait_for", json!({"condition": "document.title === 'Second page'"})).await;
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
