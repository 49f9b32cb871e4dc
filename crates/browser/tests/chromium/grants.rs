//! A yes that is remembered for a host: on it, and on no other.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use deskhand_core::{
    Answer, Mode, Remember, Shape,
    approval::{AnyAnswer, RememberScope, Subject},
};
use deskhand_testkit::{Person, pass};
use serde_json::json;

use crate::{
    meanwhile::{between, quietly},
    tools::Shop,
};

/// Says yes, and has it remembered for the host wherever that is offered.
struct ForTheHost(Arc<Person>, AtomicUsize);

impl ForTheHost {
    fn new() -> Self {
        let person = Person::deciding(|request| {
            let Subject::Execution { plan } = &request.subject else { return Some(pass()) };
            let shape = plan.shapes.iter().find(|shape| matches!(shape, Shape::Host { .. })).cloned();
            let remember = shape.map(|shape| Remember { scope: RememberScope::Always, shape, until: None });
            Some(AnyAnswer::Execution(Answer::Yes { remember }))
        });
        Self(person, AtomicUsize::new(0))
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<(String, bool)> {
        let all = self.0.asked();
        let before = self.1.swap(all.len(), Ordering::SeqCst);
        let plans = all[before..].iter().filter_map(|request| match &request.subject {
            Subject::Execution { plan } => {
                Some((format!("{} {}", request.tool, plan.hosts.join(" ")), request.may_remember))
            }
            Subject::Result { .. } => None,
        });
        plans.collect()
    }
}

/// A person who is asked, and who has named both hosts: what a page says is then no reason to ask about them.
async fn asked_shop() -> (Shop, ForTheHost) {
    let mut shop = Shop::new().await;
    let person = ForTheHost::new();
    shop.session.approvers = vec![person.0.clone()];
    shop.session.mode = Mode::Ask;
    shop.session.outside.user_said("127.0.0.1 and localhost");
    (shop, person)
}

fn once(what: &str) -> Vec<(String, bool)> {
    vec![(what.to_owned(), true)]
}

#[tokio::test]
async fn a_yes_for_a_host_is_asked_for_once_and_again_on_another() {
    let (shop, person) = asked_shop().await;
    let [here, there] = [shop.server.url("plain.html"), shop.server.elsewhere("plain.html")];
    for (url, host) in [(here, "127.0.0.1"), (there, "localhost")] {
        for tool in
            ["browser_navigate", "browser_click", "browser_type", "browser_press_key", "browser_hover"]
        {
            let calls = match tool {
                "browser_navigate" => [json!({"url": url}), json!({"url": format!("{url}?2")})],
                "browser_type" => {
                    [("#field", "a"), ("#area", "b")].map(|(f, t)| json!({"selector": f, "text": t}))
                }
                "browser_press_key" => ["a", "b"].map(|key| json!({"key": key})),
                _ => ["#field", "#heading"].map(|selector| json!({"selector": selector})),
            };
            for (number, arguments) in calls.into_iter().enumerate() {
                shop.call(tool, arguments.clone()).await;
                let wanted = if number == 0 { once(&format!("{tool} {host}")) } else { Vec::new() };
                assert_eq!(person.asked(), wanted, "{tool} {arguments}");
            }
        }
    }
    shop.browsers.close_all().await;
}

/// Neither a redirect nor a script takes the yes along to another host, whenever it leads there.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_leads_elsewhere_does_not_take_the_yes_along() {
    let (mut shop, person) = asked_shop().await;
    let there = shop.server.elsewhere("plain.html");
    shop.call("browser_navigate", json!({"url": shop.server.url("plain.html")})).await;
    let field = json!({"selector": "#field"});
    shop.call("browser_click", field.clone()).await;
    person.asked();
    shop.call("browser_navigate", json!({"url": shop.server.url(&format!("redirect?{there}"))})).await;
    assert_eq!(person.asked(), [], "to that host it was allowed");
    shop.call("browser_click", field.clone()).await;
    assert_eq!(person.asked(), once("browser_click localhost"), "where it led is another one");
    // Between the plan and the act.
    shop.call("browser_navigate", json!({"url": shop.server.url("plain.html")})).await;
    shop.call("browser_type", json!({"selector": "#field", "text": "a"})).await;
    person.asked();
    let leave = format!("new Promise(() => location = '{there}')");
    between(&mut shop, &leave);
    let typed = shop.call("browser_type", json!({"selector": "#field", "text": "b"})).await;
    assert_eq!(person.asked(), once("browser_type localhost"));
    assert_eq!(typed.data["url"], there);
    shop.session.events = Arc::new(deskhand_core::event::NoEvents);
    shop.browsers.close_all().await;
}

/// An element belongs to the host of its frame, not to that of the page around it; and the frame may lead elsewhere, too.
#[tokio::test(flavor = "multi_thread")]
async fn in_a_frame_the_host_is_that_of_the_frame() {
    let (mut shop, person) = asked_shop().await;
    let inner = shop.server.elsewhere("plain.html");
    shop.call("browser_navigate", json!({"url": shop.server.url("plain.html")})).await;
    let click = json!({"selector": "#field"});
    shop.call("browser_click", click.clone()).await;
    shop.call("browser_press_key", json!({"key": "a"})).await;
    shop.call("browser_navigate", json!({"url": shop.server.url(&format!("framing?{inner}"))})).await;
    person.asked();
    let (tool, host) = ("browser_click", "localhost");
    shop.call(tool, click.clone()).await;
    assert_eq!(person.asked(), once(&format!("{tool} {host}")), "the yes to the page is none to its frame");
    shop.call(tool, click.clone()).await;
    assert_eq!(person.asked(), []);
    // The click has left the focus in the frame.
    shop.call("browser_press_key", json!({"key": "a"})).await;
    assert_eq!(person.asked(), once("browser_press_key localhost"));
    // A frame of this host at the plan, of the other at the act.
    let own = shop.server.url("plain.html");
    shop.call("browser_navigate", json!({"url": shop.server.url(&format!("framing?{own}"))})).await;
    shop.call("browser_hover", click.clone()).await;
    assert_eq!(person.asked(), once("browser_hover 127.0.0.1"));
    let leave = format!(
        "new Promise(done => {{ const f = document.querySelector('iframe'); f.onload = done; f.src = '{inner}'; }})"
    );
    between(&mut shop, &leave);
    shop.call("browser_hover", click).await;
    assert_eq!(person.asked(), once("browser_hover localhost"));
    shop.session.events = Arc::new(deskhand_core::event::NoEvents);
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn what_is_sensitive_is_asked_about_on_that_host_all_the_same() {
    let (shop, person) = asked_shop().await;
    shop.call("browser_navigate", json!({"url": shop.server.url("sending.html")})).await;
    shop.call("browser_click", json!({"selector": "#link"})).await;
    shop.call("browser_type", json!({"selector": "#line", "text": "a"})).await;
    person.asked();
    std::fs::write(shop.workspace.join("a.txt"), "a").unwrap();
    quietly(&shop, "document.body.insertAdjacentHTML('afterbegin', '<input type=file id=file>'); 1").await;
    let file = json!({"selector": "#file", "paths": ["a.txt"]});
    for (tool, arguments) in [
        ("browser_click", json!({"selector": "#button"})),
        ("browser_click", json!({"selector": "#link", "accept_dialog": {"message": "Sure?"}})),
        ("browser_type", json!({"selector": "#line", "text": "a\n"})),
        ("browser_select_file", file.clone()),
        ("browser_select_file", file),
    ] {
        shop.call(tool, arguments.clone()).await;
        let asked = vec![(format!("{tool} 127.0.0.1"), false)];
        assert_eq!(person.asked(), asked, "{tool} {arguments}");
    }
    shop.browsers.close_all().await;
}
