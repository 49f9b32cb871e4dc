//! What is typed may be a password, and is written down nowhere: not in the audit, not in an event, not in a question.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use deskhand_browser::Browsers;
use deskhand_core::{EventSink, Permission, Request, event::EventBody};
use serde_json::{Value, json};

use crate::{
    sending::{Between, quietly},
    tools::Shop,
};

const SECRET: &str = "correct horse battery";

/// Keeps every event, and has a script run after the first plan.
struct Kept {
    between: Between,
    events: Mutex<String>,
}

impl Kept {
    fn new(browsers: &Browsers, script: &str) -> Arc<Self> {
        let script = Mutex::new(Some(format!("{script}; 1")));
        Arc::new(Self { between: Between { browsers: browsers.clone(), script }, events: Mutex::default() })
    }
}

impl EventSink for Kept {
    fn emit(&self, body: EventBody) {
        self.events.lock().unwrap().push_str(&serde_json::to_string(&body).unwrap());
        self.between.emit(body);
    }
}

/// In no file of the data folder, that is in the audit and the database.
fn is_not_written_down(shop: &Shop) {
    let mut files = vec![shop.folder.path().join("data")];
    let mut looked_at = 0;
    while let Some(path) = files.pop() {
        if path.ends_with("browser") {
            continue;
        }
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            looked_at += 1;
            let bytes = fs::read(&path).unwrap();
            let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
            assert!(!found, "it stands in {}", path.display());
        }
    }
    assert!(looked_at > 0, "there is an audit log");
}

#[tokio::test]
async fn what_is_typed_is_nowhere_written_down() {
    let shop = Shop::new().await;
    shop.go("secrets.html").await;
    let field = json!({"selector": "input[type=password]", "text": SECRET});
    assert_eq!(shop.permission("browser_type", field.clone()).await, Permission::Sensitive);
    let typed = shop.call("browser_type", field.clone()).await;
    assert!(!typed.text.contains(SECRET) && !typed.data.to_string().contains(SECRET));
    let typing = "document.querySelector('input[type=password]').value.length";
    assert_eq!(shop.script(typing).await, SECRET.len());
    // Under a name that is not quite right, too.
    shop.try_call("browser_type", json!({"selector": "input[type=password]", "Text": SECRET, "txt": SECRET}))
        .await;
    let explained = shop.gate.explain(Request::new("browser_type", field), &shop.session).await.unwrap();
    assert!(!serde_json::to_string(&explained).unwrap().contains(SECRET));
    is_not_written_down(&shop);
    shop.browsers.close_all().await;
}

/// A field that comes after the plan, or that turns into one for secrets after it, by itself or as soon as it is used.
#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_turns_out_to_be_one_for_secrets_is_one() {
    let mut shop = Shop::new().await;
    let late = "setTimeout(() => area.insertAdjacentHTML('afterend', '<input type=password id=late>'), 300)";
    for (before, meanwhile, selector, value) in [
        ("1", late, "#late", "late"),
        ("1", "field.type = 'password'", "#field", "field"),
        ("field.onfocus = () => { field.type = 'password'; }", "1", "#field", "field"),
        ("field.oninput = () => { field.type = 'password'; }", "1", "#field", "field"),
        ("field.type = 'number'", "field.type = 'password'", "#field", "field"),
    ] {
        shop.go("plain.html").await;
        quietly(&shop, &format!("{before}; 1")).await;
        let kept = Kept::new(&shop.browsers, meanwhile);
        shop.session.events = kept.clone();
        let typed = shop.call("browser_type", json!({"selector": selector, "text": SECRET})).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        let case = format!("{before} {meanwhile}");
        assert_eq!(
            quietly(&shop, &format!("[{value}.type, {value}.value]")).await,
            json!(["password", SECRET])
        );
        let events = std::mem::take(&mut *kept.events.lock().unwrap());
        assert!(events.contains("call_planned") && events.contains("browser_type"), "{case}: {events}");
        assert!(!events.contains(SECRET), "{case}: {events}");
        assert!(!typed.text.contains(SECRET) && !typed.data.to_string().contains(SECRET), "{case}");
        let seen = shop.call("browser_snapshot", json!({})).await;
        assert!(!seen.text.contains(SECRET), "{case}");
        is_not_written_down(&shop);
    }
    shop.browsers.close_all().await;
}

/// One that was not known for it is planned anew: a person is asked, whatever the mode is.
#[tokio::test(flavor = "multi_thread")]
async fn it_is_asked_about_as_one_for_secrets() {
    let mut shop = Shop::new().await;
    for meanwhile in ["field.type = 'password'", "field.setAttribute('autocomplete', 'one-time-code')"] {
        shop.session.approvers = vec![Arc::new(crate::tools::Yes)];
        shop.go("plain.html").await;
        let no = crate::sending::refusing(&mut shop);
        shop.session.events = Kept::new(&shop.browsers, meanwhile);
        shop.try_call("browser_type", json!({"selector": "#field", "text": SECRET})).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        let asked = no.0.lock().unwrap().concat();
        assert!(asked.contains("one for secrets") && !asked.contains(SECRET), "{meanwhile}: {asked}");
        assert_eq!(quietly(&shop, "field.value").await, Value::from(""), "nobody said yes");
    }
    shop.browsers.close_all().await;
}
