//! `screenshot` of a web page: through the browser of the session, and through the outbound guard.

use std::sync::Arc;

use deskhand_core::{Mode, Permission, Request, Status, event::NoEvents};
use deskhand_testkit::Person;
use deskhand_tools::desktop::Picture;
use serde_json::{Value, json};

use crate::{
    fixture::{Server, config},
    meanwhile::{agreeing_once, at_last, between, questions},
    persons::Persons,
    tools::Shop,
    wire::{Meddles, Wire},
};

fn read(path: &Value) -> Picture {
    Picture::read(&std::fs::read(path.as_str().unwrap()).unwrap()).unwrap()
}

#[tokio::test]
async fn the_page_that_is_open_is_in_the_picture() {
    let shop = Shop::new().await;
    let web = |more: Value| {
        let mut arguments = json!({"target": "web"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    shop.fails("screenshot", web(json!({})), "no_page").await;
    assert!(shop.browsers.running("test").is_none(), "none is started for an empty picture");
    shop.go("plain.html").await;
    shop.script("document.body.innerHTML = '<div style=\"position: fixed; inset: 0; background: rgb(12, 200, 34)\">'; document.body.style.height = '2500px'; 1").await;
    let taken = shop.call("screenshot", web(json!({"path": "page.png"}))).await;
    let picture = read(&taken.data["path"]);
    assert_eq!((picture.width, picture.height), (1280, 800));
    assert_eq!(picture.rgb[..3], [12, 200, 34]);
    assert_eq!((taken.images.len(), taken.outside.as_deref()), (1, Some("127.0.0.1")));
    let whole = shop.call("screenshot", web(json!({"full_page": true}))).await;
    assert!(read(&whole.data["path"]).height >= 2500);
    assert!(!whole.text.contains("cut off") && whole.data.get("notes").is_none(), "{}", whole.text);
    // No more can be drawn at once; that something is missing has to be said.
    shop.script("document.body.style.height = '20000px'; 1").await;
    let whole = shop.call("screenshot", web(json!({"full_page": true}))).await;
    assert_eq!(read(&whole.data["path"]).height, 16_384);
    let note = whole.data["notes"][0].as_str().unwrap();
    assert!(note.starts_with("It is cut off: all of it would be ") && note.contains("×20"), "{note}");
    assert!(whole.text.contains(note), "{}", whole.text);
    // With an address, it is opened first.
    let second = shop.server.url("second.html");
    shop.call("screenshot", web(json!({"url": second}))).await;
    assert_eq!(shop.script("[location.href, document.title]").await, json!([second, "Second page"]));
    shop.fails("screenshot", json!({"url": shop.server.url("download")}), "no_page").await;
    shop.browsers.close_all().await;
}

/// A picture of a page is as much a way there as a navigation.
#[tokio::test]
async fn a_page_is_reached_only_as_the_guard_says() {
    let shop = Shop::with(|given| *given = deskhand_browser::Config::new(given.folder.clone())).await;
    let at = |url: &str| json!({"target": "web", "url": url});
    for (url, permission, rule) in [
        (shop.server.url("plain.html"), Permission::Sensitive, "net:loopback"),
        ("file:///etc/passwd".to_owned(), Permission::Forbidden, "net:scheme"),
        ("http://169.254.169.254:8099/".to_owned(), Permission::Forbidden, "net:metadata"),
    ] {
        let request = Request::new("screenshot", at(&url));
        let plan = shop.gate.explain(request, &shop.session).await.unwrap().plan.unwrap();
        assert_eq!((plan.permission, plan.rule.as_str()), (permission, rule), "{url}");
        assert!(plan.result_approval && !plan.effects.desktop, "{url}");
    }
    // The person says yes to one host; where that leads on, nobody has said so.
    shop.call("screenshot", at(&shop.server.url("plain.html"))).await;
    let led = shop.server.url(&format!("redirect?{}", shop.server.elsewhere("plain.html")));
    for url in [led.as_str(), "file:///etc/passwd"] {
        let outcome = shop.try_call("screenshot", at(url)).await;
        assert_eq!(outcome.status, Status::Blocked, "{url}: {}", outcome.text);
    }
    shop.browsers.close_all().await;
}

/// A plan names one host; where that leads on to another there is no picture of the other.
#[tokio::test]
async fn an_address_that_leads_to_another_host_gives_no_picture() {
    let shop = Shop::new().await;
    let second = shop.server.elsewhere("second.html");
    let led = shop.server.url(&format!("redirect?{second}"));
    let outcome =
        shop.try_call("screenshot", json!({"target": "web", "url": led, "path": "other.png"})).await;
    let error = outcome.error.unwrap();
    assert_eq!((outcome.status, error.code.as_str()), (Status::Error, "redirected"), "{}", error.message);
    assert!(error.message.contains(&second), "{}", error.message);
    assert!(outcome.images.is_empty() && !shop.workspace.join("other.png").exists());
    // Within the host it is the page that was asked for.
    let led = shop.server.url(&format!("redirect?{}", shop.server.url("second.html")));
    let taken = shop.call("screenshot", json!({"target": "web", "url": led})).await;
    assert_eq!((taken.images.len(), taken.outside.as_deref()), (1, Some("127.0.0.1")));
    shop.browsers.close_all().await;
}

/// Has the page run a script right before a picture is taken of it, and the picture wait until all of these have loaded.
struct LeadsOn {
    script: String,
    opens: Vec<String>,
    picture: Option<Value>,
}

impl Meddles for LeadsOn {
    fn commands(&mut self, command: Value) -> Value {
        if command["method"] != "Page.captureScreenshot" {
            return command;
        }
        // With the gesture of a person, without which no page opens another.
        let params = json!({"expression": self.script, "userGesture": true});
        let first = json!({"id": 1_000_000, "sessionId": command["sessionId"], "method": "Runtime.evaluate", "params": params});
        self.picture = Some(command);
        first
    }

    fn hears(&mut self, said: &Value) -> Option<Value> {
        let (method, params) = (said["method"].as_str().unwrap_or_default(), &said["params"]);
        // A document is known by its address, and how far it is by the number of what loaded it.
        match method {
            "Page.frameNavigated" => {
                let frame = &params["frame"];
                if let Some(url) = self.opens.iter_mut().find(|url| frame["url"] == **url) {
                    frame["loaderId"].as_str().unwrap().clone_into(url);
                }
            }
            "Page.lifecycleEvent" if params["name"] == "load" => {
                self.opens.retain(|loader| params["loaderId"] != **loader);
            }
            _ => {}
        }
        self.picture.take_if(|_| self.opens.is_empty())
    }
}

/// The page is where it was asked for when it has loaded, and leads on by itself before the picture is taken.
#[tokio::test]
async fn a_page_that_leads_to_another_host_at_the_last_moment_gives_no_picture() {
    let server = Server::start().await;
    let (plain, second, other) =
        (server.url("plain.html"), server.url("second.html"), server.elsewhere("second.html"));
    for (script, opens) in [
        (format!("location = '{other}'"), vec![other.clone()]),
        // The tab that is in front then is of the host that was asked for; the picture would be of the other one.
        (format!("window.open('{second}'); location = '{other}'"), vec![second.clone(), other.clone()]),
    ] {
        let persons = Persons::start(&["about:blank"]).await;
        let leads_on = LeadsOn { script: script.clone(), opens, picture: None };
        let wire = Wire::to(&persons, leads_on).await;
        let shop = Shop::with(|config| config.attach = Some(wire.address.clone())).await;
        let arguments = json!({"target": "web", "url": plain, "path": "other.png"});
        let outcome = shop.try_call("screenshot", arguments).await;
        let code = outcome.error.map(|error| error.code);
        assert_eq!(
            (outcome.status, code.as_deref()),
            (Status::Error, Some("redirected")),
            "{script}: {}",
            outcome.text
        );
        assert!(outcome.images.is_empty() && !shop.workspace.join("other.png").exists(), "{script}");
        assert!(persons.urls().await.contains(&other), "{script}");
        shop.browsers.close_all().await;
        persons.end().await;
    }
}

/// Whoever has seen the plan is asked anew where the page is another one by then.
#[tokio::test]
async fn a_plan_of_a_picture_holds_for_the_page_that_was_there() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let plan = |shop: &Shop| {
        let request = Request::new("screenshot", json!({"target": "web", "path": "a.png"}));
        let (gate, session) = (shop.gate.clone(), shop.session.clone());
        async move { gate.explain(request, &session).await.unwrap().plan.unwrap() }
    };
    let before = plan(&shop).await;
    assert!(before.summary.contains("127.0.0.1"), "{}", before.summary);
    shop.call("browser_navigate", json!({"url": shop.server.elsewhere("plain.html")})).await;
    let after = plan(&shop).await;
    assert!(!before.still_holds(&after) && after.summary.contains("localhost"), "{}", after.summary);
    shop.browsers.close_all().await;
}

/// Between the question and the picture the page may lead elsewhere: while the person is asked, or at the last moment.
#[tokio::test(flavor = "multi_thread")]
async fn no_picture_is_taken_of_another_page_than_was_asked_about() {
    let mut shop = Shop::new().await;
    let whole = Arc::clone(&shop.gate.audit);
    for moment in [between, at_last] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("plain.html").await;
        let asks = agreeing_once();
        shop.session.approvers = vec![asks.clone()];
        shop.session.mode = Mode::Ask;
        let leave = format!("new Promise(() => location = '{}')", shop.server.elsewhere("second.html"));
        moment(&mut shop, &leave);
        let outcome = shop.try_call("screenshot", json!({"target": "web", "path": "other.png"})).await;
        shop.gate.audit = Arc::clone(&whole);
        shop.session.events = Arc::new(NoEvents);
        let asked = questions(&asks);
        assert!(asked[0].contains("(127.0.0.1)") && asked[1].contains("(localhost)"), "{asked:?}");
        assert_eq!(outcome.status, Status::ExecutionRejected, "{}", outcome.text);
        assert!(outcome.images.is_empty() && !shop.workspace.join("other.png").exists());
    }
    shop.browsers.close_all().await;
}

#[test]
fn without_a_browser_and_a_desktop_it_is_not_offered() {
    use deskhand_core::PageCamera;
    let folder = tempfile::tempdir().unwrap();
    let mut none = config(folder.path().to_path_buf());
    none.path = Some("/no/such/browser".into());
    let absent = deskhand_browser::Browsers::new(none).available().unwrap_err();
    assert!(absent.why.contains("/no/such/browser"), "{}", absent.why);
}
