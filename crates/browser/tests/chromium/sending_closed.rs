//! A button that nobody sees, in a closed shadow root around what is clicked, sends its form as any other does. So what is in
//! such a root is asked about, and nothing else is.

use deskhand_core::{Permission, Status};
use deskhand_testkit::Person;
use serde_json::{Value, json};

use crate::{
    fixture::Server,
    meanwhile::{questions, quietly, refusing},
    persons::Persons,
    tools::Shop,
    wire::{Meddles, Wire},
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
    shop.session.approvers = vec![Person::agreeable()];
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
    shop.session.approvers = vec![Person::agreeable()];
    for (focus, tool, arguments) in presses {
        quietly(&shop, &format!("sent.length = 0; document.activeElement.blur(); {focus}; 1")).await;
        shop.call(tool, arguments).await;
        let sent = if focus.contains("nested") { "seen" } else { "closed" };
        assert_eq!(quietly(&shop, "sent").await, json!([sent]), "{focus}");
    }
    shop.browsers.close_all().await;
}

/// A browser that does not tell of closed roots: an older one does not know that it is asked, another may refuse.
#[derive(Clone, Copy, Debug)]
enum Older {
    DoesNotKnow,
    Refuses,
}

impl Meddles for Older {
    fn commands(&mut self, mut command: Value) -> Value {
        let params = command["params"].as_object_mut();
        if params.is_some_and(|params| params.remove("serializationOptions").is_some())
            && matches!(self, Self::Refuses)
        {
            command["method"] = "Runtime.isNotThere".into();
        }
        command
    }
}

/// Then it may be a button anywhere. Whoever is asked is told why, and with a yes everything goes on as ever.
#[tokio::test]
async fn a_browser_that_does_not_tell_of_them_is_asked_about_everywhere() {
    let server = Server::start().await;
    let untold = "It may send a form: this browser does not tell what may be hidden there, as newer ones do.";
    for (older, at, around) in [
        (Older::DoesNotKnow, untold, untold),
        (
            Older::Refuses,
            "It may send a form: what lies there cannot be looked into.",
            "It may send a form: what is around the focus cannot be looked into.",
        ),
    ] {
        let persons = Persons::start(&[&server.url("closed.html")]).await;
        let wire = Wire::to(&persons, older).await;
        let mut shop = Shop::with(|config| config.attach = Some(wire.address.clone())).await;
        shop.call("browser_tabs", json!({})).await;
        let click = json!({"selector": "#plain-button"});
        let press = json!({"key": "Space"});
        let focus = "document.querySelector('#plain-field').focus()";
        let asked = refusing(&mut shop);
        refused(&shop, "1", "browser_click", click.clone(), SENSITIVE).await;
        refused(&shop, focus, "browser_press_key", press.clone(), SENSITIVE).await;
        let asked = questions(&asked);
        assert!(asked[0].contains(at) && asked[1].contains(around), "{older:?}: {asked:?}");
        shop.session.approvers = vec![Person::agreeable()];
        shop.call("browser_click", click).await;
        quietly(&shop, &format!("{focus}; 1")).await;
        shop.call("browser_press_key", press).await;
        shop.browsers.close_all().await;
        persons.end().await;
    }
}
