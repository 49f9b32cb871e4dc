//! A button that nobody sees, in a closed shadow root around what is clicked, sends its form as any other does. So what is in
//! such a root is asked about, and nothing else is.

use std::sync::Arc;

use deskhand_core::{Permission, Status};
use serde_json::{Value, json};

use crate::{
    meanwhile::{quietly, refusing},
    tools::{Shop, Yes},
};

const SENSITIVE: Permission = Permission::Sensitive;
const MODERATE: Permission = Permission::Moderate;

/// What is in a closed root's button, or has one around the field of its label; the last one in a button that is seen.
const IN_A_BUTTON: [&str; 11] =
    ["bold", "span", "icon", "drawing", "far-inside", "field", "own", "area", "in-link", "label", "nested"];

/// Puts the focus there, and says what a call is planned as and what comes of it where everybody says no.
async fn refused(shop: &Shop, focus: &str, tool: &str, arguments: Value, permission: Permission) {
    quietly(shop, &format!("document.activeElement.blur(); {focus}; 1")).await;
    assert_eq!(shop.permission(tool, arguments.clone()).await, permission, "{focus} {tool} {arguments}");
    let outcome = shop.try_call(tool, arguments.clone()).await;
    let wanted = if permission == SENSITIVE { Status::ExecutionRejected } else { Status::Success };
    assert_eq!(outcome.status, wanted, "{focus} {tool} {arguments}: {}", outcome.text);
    assert_eq!(quietly(shop, "sent").await, json!([]), "{focus} {tool} {arguments}");
}

#[tokio::test]
async fn a_click_into_a_button_that_nobody_sees_is_asked_about() {
    let mut shop = Shop::new().await;
    shop.go("closed.html").await;
    refusing(&mut shop);
    let click = |id: &str| json!({"selector": format!("#{id}")});
    for id in IN_A_BUTTON {
        refused(&shop, "1", "browser_click", click(id), SENSITIVE).await;
    }
    // The root itself; and more elements around it than are asked about.
    for id in ["host", "far-down"] {
        refused(&shop, "1", "browser_click", click(id), SENSITIVE).await;
    }
    for id in ["plain", "plain-span", "plain-em", "plain-field", "plain-button", "custom", "in-open"] {
        refused(&shop, "1", "browser_click", click(id), MODERATE).await;
    }
    // With a yes each of them does send it: a control does not keep a click to itself.
    shop.session.approvers = vec![Arc::new(Yes)];
    for id in IN_A_BUTTON {
        quietly(&shop, "sent.length = 0; 1").await;
        shop.call("browser_click", click(id)).await;
        let sent = if id == "nested" { "seen" } else { "closed" };
        assert_eq!(quietly(&shop, "sent").await, json!([sent]), "{id}");
    }
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn so_is_a_key_that_presses_one() {
    let mut shop = Shop::new().await;
    shop.go("closed.html").await;
    refusing(&mut shop);
    let inside = "document.querySelector('#host').inside.querySelector('button').focus()";
    let on = |id: &str| format!("document.querySelector('#{id}').focus()");
    let space = |focus: String| (focus, "browser_press_key", json!({"key": "Space"}));
    let presses =
        [space(on("field")), space(on("own")), space(on("area")), space(on("nested")), space(inside.into())];
    let slowly = |id: &str| {
        ("1".to_owned(), "browser_type", json!({"selector": format!("#{id}"), "text": "a b", "delay": 1}))
    };
    for (focus, tool, arguments) in presses.iter().cloned().chain([slowly("field"), slowly("nested")]) {
        refused(&shop, &focus, tool, arguments, SENSITIVE).await;
    }
    for (focus, tool, arguments) in [
        space(on("plain-field")),
        space(on("plain-button")),
        slowly("plain-field"),
        // It types a letter, into a field that is seen.
        (on("field"), "browser_press_key", json!({"key": "a"})),
    ] {
        refused(&shop, &focus, tool, arguments, MODERATE).await;
    }
    shop.session.approvers = vec![Arc::new(Yes)];
    for (focus, tool, arguments) in presses {
        quietly(&shop, &format!("sent.length = 0; document.activeElement.blur(); {focus}; 1")).await;
        shop.call(tool, arguments).await;
        let sent = if focus.contains("nested") { "seen" } else { "closed" };
        assert_eq!(quietly(&shop, "sent").await, json!([sent]), "{focus}");
    }
    shop.browsers.close_all().await;
}
