//! The tools, called through a real gate with a real audit log.

use std::{ops::Deref, sync::Arc};

use deskhand_browser::{Browsers, Config, tools};
use deskhand_core::{
    Gate, GateSettings, Mode, Outcome, PageCamera, Permission, Request, Services, SessionCx, Status,
};
use deskhand_guard::NewFiles;
use deskhand_testkit::{Fixture, Person};
use deskhand_tools::files::JournalledFiles;
use serde_json::{Value, json};

use crate::fixture::{Server, config};

/// A gate whose person says yes to everything that is asked.
pub struct Shop {
    fixture: Fixture,
    pub gate: Gate,
    pub session: SessionCx,
    pub browsers: Browsers,
    pub server: Server,
}

impl Deref for Shop {
    type Target = Fixture;

    fn deref(&self) -> &Fixture {
        &self.fixture
    }
}

impl Shop {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// With other browsers.
    pub async fn with(set: impl FnOnce(&mut Config)) -> Self {
        let fixture = Fixture::new();
        let mut config = config(fixture.data.join("browser"));
        set(&mut config);
        let browsers = Browsers::new(config);
        let camera: Arc<dyn PageCamera> = Arc::new(browsers.clone());
        let new_files: Arc<dyn NewFiles> = Arc::new(JournalledFiles);
        let services = fixture.services.clone().with(browsers.clone()).with(camera).with(new_files);
        let mut registry = deskhand_tools::registry();
        tools::register(&mut registry);
        let gate = fixture.gate(registry, &services, GateSettings::default());
        let session = SessionCx::new("test", "test", fixture.workspace.clone(), services)
            .in_mode(Mode::Auto)
            .asking(vec![Person::agreeable()], false);
        Self { fixture, gate, session, browsers, server: Server::start().await }
    }

    pub async fn try_call(&self, tool: &str, arguments: Value) -> Outcome {
        self.gate.call(Request::new(tool, arguments), &self.session).await
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        let outcome = self.try_call(tool, arguments.clone()).await;
        assert_eq!(outcome.status, Status::Success, "{tool} {arguments}: {}", outcome.text);
        outcome
    }

    pub async fn go(&self, page: &str) {
        self.call("browser_navigate", json!({"url": self.server.url(page)})).await;
    }

    pub async fn script(&self, script: &str) -> Value {
        self.call("browser_evaluate", json!({"script": script})).await.data["result"].clone()
    }

    /// It fails, with this code.
    pub async fn fails(&self, tool: &str, arguments: Value, code: &str) -> Outcome {
        let outcome = self.try_call(tool, arguments.clone()).await;
        let found = outcome.error.as_ref().map_or("success", |error| error.code.as_str());
        assert_eq!(found, code, "{tool} {arguments}: {}", outcome.text);
        outcome
    }

    pub async fn permission(&self, tool: &str, arguments: Value) -> Permission {
        let explained = self.gate.explain(Request::new(tool, arguments), &self.session).await.unwrap();
        // What the plan says: a session that has read a page is asked more often than that.
        explained.plan.map_or(explained.permission, |plan| plan.permission)
    }
}

/// The ref that stands in a line of a snapshot.
pub fn ref_in(text: &str, words: &str) -> String {
    let line =
        text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("no «{words}» in {text}"));
    line.split("[ref=").nth(1).unwrap().split(']').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_form_is_filled_and_sent_with_refs_and_selectors() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let seen = shop.call("browser_snapshot", json!({})).await;
    assert_eq!(seen.outside.as_deref(), Some("127.0.0.1"), "what a page says is from outside");
    let button = ref_in(&seen.text, "Press");
    let clicked = shop.call("browser_click", json!({"ref": button})).await;
    assert!(clicked.text.contains("Press"), "{}", clicked.text);
    assert_eq!(shop.script("document.title").await, "clicked");
    shop.call("browser_type", json!({"selector": "#field", "text": "héllo 中文"})).await;
    shop.call("browser_type", json!({"selector": "#area", "text": "a\nb", "delay": 1})).await;
    assert_eq!(shop.script("[field.value, area.value]").await, json!(["héllo 中文", "a\nb"]));
    shop.call("browser_type", json!({"selector": "#field", "text": "other"})).await;
    assert_eq!(shop.script("field.value").await, "other", "it replaces what is there");
    let scrolled = shop.call("browser_scroll", json!({"direction": "to_bottom"})).await;
    assert_eq!(scrolled.data["at_end"], true);
    let picture = shop.call("browser_screenshot", json!({"selector": "#button"})).await;
    let width = shop.script("Math.round(button.getBoundingClientRect().width)").await;
    assert!(
        (picture.data["width"].as_i64().unwrap() - width.as_i64().unwrap()).abs() <= 1,
        "{}",
        picture.data
    );
    assert_eq!(picture.images.len(), 1);
    // A ref of the page before is known for what it is.
    shop.go("second.html").await;
    let stale = shop.try_call("browser_click", json!({"ref": button})).await;
    assert_eq!(stale.error.unwrap().code, "stale_ref");
    let missing = shop.try_call("browser_click", json!({"selector": "#nothing"})).await;
    assert_eq!(missing.error.unwrap().code, "not_found");
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn what_runs_code_or_sends_a_form_is_sensitive() {
    let shop = Shop::new().await;
    shop.go("form.html").await;
    let submit = "button[type=submit], form button:not([type]), input[type=submit]";
    for (tool, arguments, permission) in [
        ("browser_evaluate", json!({"script": "1"}), Permission::Sensitive),
        ("browser_wait_for", json!({"condition": "true"}), Permission::Sensitive),
        ("browser_wait_for", json!({"selector": "form"}), Permission::Public),
        ("browser_snapshot", json!({}), Permission::Public),
        ("browser_click", json!({"selector": submit}), Permission::Sensitive),
        ("browser_click", json!({"selector": "h1"}), Permission::Moderate),
        ("browser_navigate", json!({"url": "example.org"}), Permission::Moderate),
        ("browser_navigate", json!({"url": "file:///etc/passwd"}), Permission::Forbidden),
    ] {
        assert_eq!(shop.permission(tool, arguments.clone()).await, permission, "{tool} {arguments}");
    }
    shop.browsers.close_all().await;
}

/// The plan says what the guard says; a yes lets that very host through, and no other.
#[tokio::test]
async fn a_private_host_is_asked_about_every_time_and_a_forbidden_one_never() {
    let mut shop = Shop::new().await;
    let browsers = Browsers::new(Config::new(shop.data.join("browser")));
    shop.session.services = Services::default().with(browsers.clone());
    shop.browsers = browsers;
    for (url, permission, rule) in [
        (shop.server.url("plain.html"), Permission::Sensitive, "net:loopback"),
        ("http://192.168.1.1:8099/".to_owned(), Permission::Sensitive, "net:private"),
        ("http://169.254.169.254:8099/".to_owned(), Permission::Forbidden, "net:metadata"),
        ("file:///etc/passwd".to_owned(), Permission::Forbidden, "net:scheme"),
        ("https://example.org/".to_owned(), Permission::Moderate, "net:public"),
    ] {
        let request = Request::new("browser_navigate", json!({"url": url}));
        let plan = shop.gate.explain(request, &shop.session).await.unwrap().plan.unwrap();
        assert_eq!((plan.permission, plan.rule.as_str()), (permission, rule), "{url}");
    }
    shop.go("plain.html").await;
    for url in ["file:///etc/passwd", "http://0.0.0.0:8099/", "view-source:http://example.org/"] {
        let blocked = shop.try_call("browser_navigate", json!({"url": url})).await;
        assert_eq!(blocked.status, Status::Blocked, "{url}: {}", blocked.text);
    }
    let elsewhere = shop.server.elsewhere("plain.html");
    let led = shop.server.url(&format!("redirect?{elsewhere}"));
    let blocked = shop.try_call("browser_navigate", json!({"url": led})).await;
    assert_eq!(blocked.status, Status::Blocked, "{}", blocked.text);
    assert!(blocked.text.contains("blocked: localhost"), "{}", blocked.text);
    shop.call("browser_navigate", json!({"url": elsewhere})).await;
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn waiting_ends_when_it_is_so_and_says_when_it_is_not() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    shop.script("setTimeout(() => { const p = document.createElement('p'); p.id = 'late'; p.textContent = 'late'; document.body.prepend(p); }, 200); 1").await;
    let seen = shop.call("browser_wait_for", json!({"selector": "#late"})).await;
    assert!(seen.data["element"].as_str().unwrap().contains("late"), "{}", seen.data);
    shop.script("setTimeout(() => late.remove(), 200); 1").await;
    shop.call("browser_wait_for", json!({"selector": "#late", "state": "detached"})).await;
    shop.script("setTimeout(() => window.ready = 1, 200); 1").await;
    shop.call("browser_wait_for", json!({"condition": "window.ready === 1"})).await;
    for arguments in
        [json!({"selector": "#never", "timeout": 300}), json!({"condition": "false", "timeout": 300})]
    {
        assert_eq!(shop.try_call("browser_wait_for", arguments).await.status, Status::TimedOut);
    }
    assert_eq!(shop.try_call("browser_wait_for", json!({})).await.status, Status::InvalidArguments);
    let broken = shop.try_call("browser_wait_for", json!({"condition": "((("})).await;
    assert_eq!(broken.error.unwrap().code, "script_failed");
    shop.browsers.close_all().await;
}

#[tokio::test]
async fn an_element_in_a_frame_of_another_site_is_clicked() {
    let shop = Shop::new().await;
    let inner = shop.server.elsewhere("plain.html");
    shop.go(&format!("framing?{inner}")).await;
    let seen = shop.call("browser_snapshot", json!({})).await.text;
    let button = ref_in(&seen, "Press");
    shop.call("browser_click", json!({"ref": button})).await;
    let seen = shop.call("browser_click", json!({"selector": "#field"})).await.text;
    assert!(seen.contains("textbox"), "{seen}");
    // The frame's own code ran: its title is what the button makes it.
    let browser = shop.browsers.running("test").unwrap();
    let page = deskhand_browser::page::Page::take(browser, tokio_util::sync::CancellationToken::new())
        .await
        .unwrap();
    let frame =
        page.tab(|tab| tab.frames.iter().find(|frame| frame.url == inner).unwrap().id.clone()).unwrap();
    assert_eq!(page.ask(Some(&frame), "page_facts", &Value::Null).await.unwrap()["title"], "clicked");
    drop(page);
    shop.browsers.close_all().await;
}
