//! Which tab is meant, and what is in it, is part of the plan.

use deskhand_core::{Permission, Plan, Request};
use serde_json::{Value, json};

use crate::{
    attach::{shop_at, tab_at},
    fixture::Server,
    meanwhile::arrived,
    persons::Persons,
    tools::Shop,
};

async fn plan(shop: &Shop, arguments: Value) -> Plan {
    shop.gate.explain(Request::new("browser_tabs", arguments), &shop.session).await.unwrap().plan.unwrap()
}

#[tokio::test]
async fn a_plan_shows_which_tab_it_is_about() {
    let shop = Shop::new().await;
    shop.fails("browser_tabs", json!({"action": "close"}), "no_such_tab").await;
    assert!(shop.browsers.running("test").is_none(), "none is started for that");
    shop.go("plain.html").await;
    shop.call("browser_tabs", json!({"action": "new"})).await;
    shop.call("browser_navigate", json!({"url": shop.server.elsewhere("second.html")})).await;
    let listed = shop.call("browser_tabs", json!({})).await;
    assert!(listed.text.contains("> 2 http://localhost:"), "{}", listed.text);
    let (first, second) = (shop.server.url("plain.html"), shop.server.elsewhere("second.html"));
    for (arguments, words, host) in [
        (json!({"action": "select", "tab": 1}), format!("Work in tab 1, {first} «Plain page»"), "127.0.0.1"),
        (json!({"action": "close", "tab": 1}), format!("Close tab 1, {first} «Plain page»"), "127.0.0.1"),
        (json!({"action": "close", "tab": 2}), format!("Close tab 2, {second} «Second page»"), "localhost"),
        (json!({"action": "close"}), format!("Close tab 2, {second} «Second page»"), "localhost"),
    ] {
        let plan = plan(&shop, arguments.clone()).await;
        assert!(plan.summary.starts_with(&words), "{arguments}: {}", plan.summary);
        assert_eq!(
            (plan.hosts, plan.permission),
            (vec![host.to_owned()], Permission::Moderate),
            "{arguments}"
        );
    }
    shop.fails("browser_tabs", json!({"action": "select", "tab": 7}), "no_such_tab").await;
    shop.call("browser_tabs", json!({"action": "select", "tab": 1})).await;
    assert_eq!(shop.script("document.title").await, "Plain page");
    shop.call("browser_tabs", json!({"action": "close"})).await;
    assert_eq!(shop.script("document.title").await, "Second page");
    shop.browsers.close_all().await;
}

/// A tab that a click opens is told of, and is the one that is worked in next.
#[tokio::test]
async fn what_a_click_opens_is_worked_in() {
    let shop = Shop::new().await;
    shop.go("dialogs.html").await;
    let clicked = shop.call("browser_click", json!({"selector": "#popup"})).await;
    assert!(clicked.text.contains("The page opened a new tab, number 2"), "{}", clicked.text);
    arrived(&shop, "form.html").await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn to_close_a_tab_of_the_persons_is_asked_about() {
    let server = Server::start().await;
    let (first, second) = (server.url("plain.html"), server.url("second.html"));
    let persons = Persons::start(&[&first, &second]).await;
    let shop = shop_at(&persons).await;
    let theirs = tab_at(&shop, &first).await;
    let asked = plan(&shop, json!({"action": "close", "tab": theirs})).await;
    assert_eq!((asked.permission, asked.rule.as_str()), (Permission::Sensitive, "browser:persons-tab"));
    assert_eq!(
        plan(&shop, json!({"action": "select", "tab": theirs})).await.permission,
        Permission::Moderate
    );
    shop.call("browser_tabs", json!({"action": "new"})).await;
    assert_eq!(
        plan(&shop, json!({"action": "close"})).await.permission,
        Permission::Moderate,
        "that is ours"
    );
    shop.call("browser_tabs", json!({"action": "close"})).await;
    shop.call("browser_tabs", json!({"action": "close", "tab": theirs})).await;
    assert_eq!(persons.urls().await, [second]);
    shop.browsers.close_all().await;
    persons.end().await;
}

/// The clipboard of a browser without a window is its own; another's is the person's.
#[tokio::test]
async fn the_persons_clipboard_is_asked_about() {
    let persons = Persons::start(&["about:blank"]).await;
    let (own, theirs) = (Shop::new().await, shop_at(&persons).await);
    for shop in [&own, &theirs] {
        shop.go("plain.html").await;
        shop.call("browser_click", json!({"selector": "#field"})).await;
    }
    for key in ["Control+v", "Control+c", "Control+x", "Shift+Insert", "Control+Shift+V"] {
        let explain = async |shop: &Shop| {
            let request = Request::new("browser_press_key", json!({"key": key}));
            shop.gate.explain(request, &shop.session).await.unwrap().plan.unwrap()
        };
        assert_eq!(explain(&own).await.permission, Permission::Moderate, "{key}");
        let asked = explain(&theirs).await;
        assert_eq!((asked.permission, asked.effects.desktop), (Permission::Sensitive, true), "{key}");
        assert_eq!(asked.rule, "browser:clipboard", "{key}");
    }
    assert_eq!(theirs.permission("browser_press_key", json!({"key": "v"})).await, Permission::Moderate);
    own.browsers.close_all().await;
    theirs.browsers.close_all().await;
    persons.end().await;
}
