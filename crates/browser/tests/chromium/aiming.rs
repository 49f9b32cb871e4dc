//! A click goes to what was named and to nothing else, wherever that lies and whatever the page does about it.

use deskhand_browser::page::Page;
use deskhand_core::{Mode, Permission, Status};
use deskhand_testkit::Person;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{
    meanwhile::{agreeing_once, questions, quietly, refusing},
    tools::Shop,
};

/// A form that says so when it is sent; its button is as large as what is to be clicked, and lies there, too.
const TRAP: &str = "document.body.insertAdjacentHTML('afterbegin', `<form action=/order method=post \
    onsubmit=\"event.preventDefault(); document.title = 'sent'\"><button id=trap style='position: fixed; left: 0; top: 0; \
    width: 300px; height: 150px; z-index: 1'>Send</button></form>`);";

const BAIT: &str = "document.body.insertAdjacentHTML('afterbegin', `<button id=bait style='position: fixed; left: 0; \
    top: 0; width: 300px; height: 150px; z-index: 2' onclick=\"document.title = 'clicked'\">Bait</button>`);";

/// The title of the document in the frame that has this address.
async fn title_in(shop: &Shop, url: &str) -> Value {
    let browser = shop.browsers.running("test").unwrap();
    let page = Page::take(browser, CancellationToken::new()).await.unwrap();
    let frame = page.tab(|tab| tab.frames.iter().find(|frame| frame.url == url).unwrap().id.clone()).unwrap();
    page.ask(Some(&frame), "page_facts", &Value::Null).await.unwrap()["title"].clone()
}

/// What is under the mouse by then is held against the plan, not what has gone elsewhere.
#[tokio::test]
async fn an_element_that_gets_out_of_the_way_is_followed_or_left_alone() {
    let mut shop = Shop::new().await;
    for (on_move, code, title) in [
        ("bait.style.left = '400px'", None, "clicked"),
        (
            "bait.style.left = bait.style.left === '400px' ? '0' : '400px'",
            Some("not_actionable"),
            "Plain page",
        ),
        ("bait.remove()", Some("not_found"), "Plain page"),
    ] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("plain.html").await;
        refusing(&mut shop);
        quietly(&shop, &format!("{TRAP} {BAIT} bait.onmousemove = () => {{ {on_move} }}; 1")).await;
        let outcome = shop.try_call("browser_click", json!({"selector": "#bait"})).await;
        let found = outcome.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(found, code, "{on_move}: {}", outcome.text);
        assert_eq!(quietly(&shop, "document.title").await, title, "{on_move}");
    }
    shop.browsers.close_all().await;
}

/// The middle of the element may be elsewhere by then: what counts is the point that is clicked.
#[tokio::test]
async fn what_comes_under_the_mouse_inside_of_the_element_is_asked_about() {
    let mut shop = Shop::new().await;
    shop.go("plain.html").await;
    refusing(&mut shop);
    let around = "document.body.insertAdjacentHTML('afterbegin', `<div id=around style='position: fixed; left: 0; top: 0; \
        width: 300px; height: 150px; z-index: 2; background: white'>Around</div>`); \
        around.onmousemove = (event) => { around.style.height = '500px'; around.append(trap.form); \
        trap.style.height = '40px'; trap.style.top = `${event.clientY - 20}px`; };";
    quietly(&shop, &format!("{TRAP} {around} 1")).await;
    let click = json!({"selector": "#around"});
    assert_eq!(shop.permission("browser_click", click.clone()).await, Permission::Moderate);
    let outcome = shop.try_call("browser_click", click).await;
    assert_eq!(outcome.status, Status::ExecutionRejected, "{}", outcome.text);
    assert_eq!(quietly(&shop, "document.title").await, "Plain page");
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn what_lies_over_a_frame_does_not_get_the_click_that_was_for_the_frame() {
    let mut shop = Shop::new().await;
    for inner in [shop.server.url("plain.html"), shop.server.elsewhere("plain.html")] {
        let other = shop.server.elsewhere("second.html");
        let over = format!(
            "document.body.insertAdjacentHTML('beforeend', `<iframe src='{other}' style='position: fixed; left: 0; \
             top: 0; width: 600px; height: 600px; z-index: 1'></iframe>`); 1"
        );
        for over in [format!("{TRAP} trap.style.height = '600px'; trap.style.width = '600px'; 1"), over] {
            shop.session.approvers = vec![Person::agreeable()];
            shop.go(&format!("framing?{inner}")).await;
            refusing(&mut shop);
            quietly(&shop, &over).await;
            let outcome = shop.fails("browser_click", json!({"selector": "#button"}), "not_actionable").await;
            assert!(outcome.text.contains("Press"), "it is named: {}", outcome.text);
            assert_eq!(quietly(&shop, "document.title").await, "Framing", "{inner}");
            assert_eq!(title_in(&shop, &inner).await, "Plain page", "{inner}");
        }
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn what_is_below_the_fold_in_a_frame_is_brought_into_view() {
    let shop = Shop::new().await;
    let (here, there) = (shop.server.url("plain.html"), shop.server.elsewhere("plain.html"));
    let below = "document.body.insertAdjacentHTML('afterbegin', '<div style=\"height: 3000px\"></div>'); scrollTo(0, 0); 1";
    let tall = "const frame = document.querySelector('iframe'); frame.style.height = '5000px'; \
        frame.contentDocument.querySelector('#button').style.marginTop = '4000px'; scrollTo(0, 0); 1";
    // Between them a frame that is scrolled itself.
    let between = shop.server.url(&format!("framing?{there}"));
    let nested = "const inner = document.querySelector('iframe').contentDocument; \
        inner.body.insertAdjacentHTML('afterbegin', '<div style=\"height: 2000px\"></div>'); 1";
    for (outer, inner, script) in [
        (&here, &here, below),
        (&there, &there, below),
        (&here, &here, tall),
        (&between, &there, nested),
        (&between, &there, below),
    ] {
        shop.go(&format!("framing?{outer}")).await;
        quietly(&shop, script).await;
        shop.call("browser_click", json!({"selector": "#button"})).await;
        assert_eq!(title_in(&shop, inner).await, "clicked", "{outer} {script}");
    }
    // A point that nobody sees cannot be clicked.
    for (x, y) in [(50, 90_000), (-5, 5)] {
        shop.fails("browser_click", json!({"x": x, "y": y}), "outside").await;
        shop.fails("browser_hover", json!({"x": x, "y": y}), "outside").await;
    }
    shop.browsers.close_all().await;
}

/// Also where nothing about it is sensitive: a yes is one to what was shown.
#[tokio::test]
async fn what_calls_itself_something_else_under_the_mouse_is_asked_about_anew() {
    let mut shop = Shop::new().await;
    shop.session.mode = Mode::Ask;
    for (script, second) in [
        ("button.onmouseover = () => { button.textContent = 'Delete account'; }", "Delete account"),
        ("button.onmouseover = () => { button.setAttribute('role', 'checkbox'); }", "checkbox"),
        (
            "button.onmouseover = () => { const other = button.cloneNode(true); button.replaceWith(other); \
             other.onmouseover = null; }",
            "Press",
        ),
    ] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("plain.html").await;
        quietly(&shop, &format!("{script}; 1")).await;
        let asks = agreeing_once();
        shop.session.approvers = vec![asks.clone()];
        let outcome = shop.try_call("browser_click", json!({"selector": "#button"})).await;
        assert_eq!(outcome.status, Status::ExecutionRejected, "{script}: {}", outcome.text);
        let asked = questions(&asks);
        assert!(asked.len() == 2 && asked[0].contains("Press") && asked[1].contains(second), "{asked:?}");
        assert_eq!(quietly(&shop, "document.title").await, "Plain page", "{script}");
    }
    shop.browsers.close_all().await;
}

/// To look is not to use: pages may do more once a person has used them.
#[tokio::test]
async fn a_page_that_was_only_looked_at_was_not_used() {
    let shop = Shop::new().await;
    shop.go("untouched.html").await;
    shop.call("browser_snapshot", json!({})).await;
    shop.call("browser_get_dom", json!({})).await;
    shop.call("browser_get_state", json!({})).await;
    for (tool, arguments) in [
        ("browser_click", json!({"selector": "#button"})),
        ("browser_type", json!({"selector": "#field", "text": "a"})),
        ("browser_press_key", json!({"key": "a"})),
    ] {
        shop.permission(tool, arguments).await;
    }
    // It looks every few milliseconds.
    shop.try_call("browser_wait_for", json!({"selector": "#never", "timeout": 500})).await;
    let seen = shop.call("browser_snapshot", json!({})).await.text;
    assert!(seen.contains("nobody was here"), "{seen}");
    shop.call("browser_click", json!({"selector": "#button"})).await;
    shop.call("browser_wait_for", json!({"condition": "told.textContent === 'somebody was here'"})).await;
    shop.browsers.close_all().await;
}
