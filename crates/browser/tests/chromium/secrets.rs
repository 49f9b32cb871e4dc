//! What is typed may be a password, and is written down nowhere: not in the audit, not in an event, not in a question.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use deskhand_browser::Browsers;
use deskhand_core::{EventSink, Mode, Permission, Request, event::EventBody};
use serde_json::{Value, json};

use crate::{
    meanwhile::{Between, quietly, refusing},
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
    nowhere(shop, SECRET);
}

fn nowhere(shop: &Shop, secret: &str) {
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
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
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
        let no = refusing(&mut shop);
        shop.session.events = Kept::new(&shop.browsers, meanwhile);
        shop.try_call("browser_type", json!({"selector": "#field", "text": SECRET})).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        let asked = no.0.lock().unwrap().concat();
        assert!(asked.contains("one for secrets") && !asked.contains(SECRET), "{meanwhile}: {asked}");
        assert_eq!(quietly(&shop, "field.value").await, Value::from(""), "nobody said yes");
    }
    shop.browsers.close_all().await;
}

/// In whichever kind of field, and where it does not fit: neither the plan nor what went wrong repeats it.
#[tokio::test(flavor = "multi_thread")]
async fn no_kind_of_field_has_it_repeated() {
    let mut shop = Shop::new().await;
    let disabled = "<select id=it><option disabled>correct horse battery</select>";
    for (field, code) in [
        ("<input id=it type=date>", Some("bad_value")),
        ("<input id=it type=time>", Some("bad_value")),
        ("<select id=it><option>a<option>b</select>", Some("no_option")),
        ("<input id=it type=email>", None),
        ("<input id=it type=url>", None),
        ("<input id=it type=search>", None),
        ("<textarea id=it></textarea>", None),
        (disabled, Some("option_disabled")),
    ] {
        shop.go("plain.html").await;
        quietly(&shop, &format!("area.insertAdjacentHTML('afterend', '{field}'); 1")).await;
        let kept = Kept::new(&shop.browsers, "1");
        shop.session.events = kept.clone();
        let request = json!({"selector": "#it", "text": SECRET});
        let explained =
            shop.gate.explain(Request::new("browser_type", request.clone()), &shop.session).await.unwrap();
        let typed = shop.try_call("browser_type", request).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        let found = typed.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(found, code, "{field}: {}", typed.text);
        if field == disabled {
            // Its own words are the page's.
            continue;
        }
        let told = [
            serde_json::to_string(&explained).unwrap(),
            serde_json::to_string(&typed).unwrap(),
            std::mem::take(&mut *kept.events.lock().unwrap()),
        ];
        assert!(told[2].contains("call_planned"), "{field}: {told:?}");
        assert!(!told.concat().contains(SECRET), "{field}: {told:?}");
        is_not_written_down(&shop);
    }
    // What a list offers is the page's, and a person should know which it is.
    let choose = Request::new("browser_type", json!({"selector": "#it", "text": "b"}));
    shop.go("plain.html").await;
    quietly(&shop, "area.insertAdjacentHTML('afterend', '<select id=it><option>a<option>b</select>'); 1")
        .await;
    let plan = shop.gate.explain(choose, &shop.session).await.unwrap().plan.unwrap();
    assert!(serde_json::to_string(&plan.preview).unwrap().contains("\"b\""), "{:?}", plan.preview);
    shop.browsers.close_all().await;
}

/// A person who is asked whether a form is sent is told what kind of things go with it.
#[tokio::test]
async fn what_a_form_takes_along_is_told() {
    let shop = Shop::new().await;
    shop.go("plain.html").await;
    let form = "<form action=/order method=post><input type=password><input autocomplete=cc-number><input type=file id=file>\
        <button id=send>Send</button></form>";
    quietly(&shop, &format!("area.insertAdjacentHTML('afterend', '{form}'); 1")).await;
    fs::write(shop.folder.path().join("a.txt"), "a").unwrap();
    shop.call("browser_select_file", json!({"selector": "#file", "paths": ["a.txt"]})).await;
    let click = Request::new("browser_click", json!({"selector": "#send"}));
    let notes = shop.gate.explain(click, &shop.session).await.unwrap().plan.unwrap().notes.concat();
    assert!(notes.contains("/order, fields for secrets: 2, files: 1)."), "{notes}");
    shop.browsers.close_all().await;
}

/// Keys that are pressed one by one are typed text like any other.
#[tokio::test(flavor = "multi_thread")]
async fn single_keys_are_no_way_around_it() {
    const RARE: &str = "ŷ";
    let mut shop = Shop::new().await;
    shop.session.mode = Mode::Ask;
    for (field, held, permission) in [
        ("<input id=it type=password>", None, Permission::Sensitive),
        ("<input id=it autocomplete=one-time-code>", None, Permission::Sensitive),
        ("<input id=it type=password>", Some("Shift"), Permission::Sensitive),
        ("<input id=it>", None, Permission::Moderate),
        ("<textarea id=it></textarea>", None, Permission::Moderate),
    ] {
        shop.session.approvers = vec![Arc::new(crate::tools::Yes)];
        shop.go("plain.html").await;
        quietly(&shop, &format!("area.insertAdjacentHTML('afterend', '{field}'); it.focus(); 1")).await;
        let kept = Kept::new(&shop.browsers, "1");
        shop.session.events = kept.clone();
        let arguments = json!({"key": RARE, "modifiers": held.into_iter().collect::<Vec<_>>()});
        assert_eq!(shop.permission("browser_press_key", arguments.clone()).await, permission, "{field}");
        let pressed = shop.call("browser_press_key", arguments).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        assert_eq!(quietly(&shop, "it.value").await, RARE, "{field}");
        let told =
            serde_json::to_string(&pressed).unwrap() + &std::mem::take(&mut *kept.events.lock().unwrap());
        assert!(told.contains("call_planned") && !told.contains(RARE), "{field}: {told}");
        assert_eq!(told.contains("one for secrets"), permission == Permission::Sensitive, "{field}: {told}");
        nowhere(&shop, RARE);
    }
    // The field turns into one for secrets after the plan.
    shop.session.approvers = vec![Arc::new(crate::tools::Yes)];
    shop.go("plain.html").await;
    quietly(&shop, "field.focus(); 1").await;
    let no = refusing(&mut shop);
    shop.session.mode = Mode::Auto;
    shop.session.events = Kept::new(&shop.browsers, "field.type = 'password'");
    shop.try_call("browser_press_key", json!({"key": "a"})).await;
    shop.session.events = Arc::new(deskhand_core::event::NoEvents);
    assert!(no.0.lock().unwrap().concat().contains("one for secrets"), "{:?}", no.0);
    assert_eq!(quietly(&shop, "field.value").await, "", "nobody said yes");
    // Without a browser there is no field, but the one that was there may be meant.
    shop.browsers.close_all().await;
    let explained = shop.gate.explain(Request::new("browser_press_key", json!({"key": RARE})), &shop.session);
    assert!(!serde_json::to_string(&explained.await.unwrap()).unwrap().contains(RARE));
    // Where no field has the focus, it is a command, and shown.
    shop.session.approvers = vec![Arc::new(crate::tools::Yes)];
    shop.go("plain.html").await;
    quietly(&shop, "field.blur(); 1").await;
    let explained = shop.gate.explain(Request::new("browser_press_key", json!({"key": "j"})), &shop.session);
    assert!(explained.await.unwrap().plan.unwrap().summary.contains("Press j"));
    shop.browsers.close_all().await;
}
