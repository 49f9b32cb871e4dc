//! What is typed may be a password, and stays nowhere: not in the audit, not in an event, not in a question that was answered.
//! Whoever is asked is shown it, where it goes into a field that is not for secrets.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use deskhand_browser::Browsers;
use deskhand_core::{EventSink, Mode, Permission, Request, approval::Subject, event::EventBody};
use deskhand_testkit::Person;
use serde_json::{Value, json};

use crate::{
    fixture::LIMIT,
    meanwhile::{Between, agreeing_once, questions, quietly, refusing},
    tools::Shop,
};

const SECRET: &str = "correct horse battery";

/// Keeps every event as it stays, and has a script run after the first plan.
struct Kept {
    between: Between,
    events: Mutex<String>,
    /// What was shown to whoever was asked, while they were asked.
    shown: Mutex<String>,
}

impl Kept {
    fn new(browsers: &Browsers, script: &str) -> Arc<Self> {
        let script = Mutex::new(Some(format!("{script}; 1")));
        Arc::new(Self {
            between: Between { browsers: browsers.clone(), script },
            events: Mutex::default(),
            shown: Mutex::default(),
        })
    }
}

impl EventSink for Kept {
    fn emit(&self, mut body: EventBody) {
        if let EventBody::ApprovalWanted { request } = &mut body
            && let Subject::Execution { plan } = &mut request.subject
            && plan.private_preview
            && let Some(preview) = plan.preview.take()
        {
            self.shown.lock().unwrap().push_str(preview.text());
        }
        self.events.lock().unwrap().push_str(&serde_json::to_string(&body).unwrap());
        self.between.emit(body);
    }
}

/// In no file of the data folder, that is in the audit and the database.
async fn is_not_written_down(shop: &Shop) {
    nowhere(shop, SECRET).await;
}

async fn nowhere(shop: &Shop, secret: &str) {
    let mut files = vec![shop.data.clone()];
    let mut looked_at = 0;
    while let Some(path) = files.pop() {
        if path.ends_with("browser") {
            continue;
        }
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            looked_at += 1;
            let holds = || {
                let bytes = fs::read(&path).unwrap();
                bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
            };
            // What a question showed is out of the database once it is answered, and out of its log a moment later.
            let begun = Instant::now();
            while path.to_string_lossy().ends_with("-wal") && holds() && begun.elapsed() < LIMIT {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            assert!(!holds(), "it stands in {}", path.display());
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
    is_not_written_down(&shop).await;
    shop.browsers.close_all().await;
}

/// What a dialog is answered, too.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_dialog_is_answered_is_nowhere_written_down() {
    let mut shop = Shop::new().await;
    shop.go("consent.html").await;
    let kept = Kept::new(&shop.browsers, "1");
    shop.session.events = kept.clone();
    let answer =
        |text: &str| json!({"selector": "#prompt", "accept_dialog": {"message": "Your name?", "text": text}});
    let explain = Request::new("browser_click", answer(SECRET));
    let mut explained = shop.gate.explain(explain, &shop.session).await.unwrap();
    let plan = explained.plan.take().unwrap();
    assert!(plan.preview.as_ref().unwrap().text().contains(SECRET), "whoever is asked sees it");
    explained.plan = Some(plan.without_private());
    let answered = shop.call("browser_click", answer(SECRET)).await;
    shop.session.events = Arc::new(deskhand_core::event::NoEvents);
    assert_eq!(quietly(&shop, "answers").await, json!([SECRET]));
    let told = [
        serde_json::to_string(&explained).unwrap(),
        serde_json::to_string(&answered).unwrap(),
        std::mem::take(&mut *kept.events.lock().unwrap()),
    ];
    assert!(told[2].contains("call_planned"), "{told:?}");
    assert!(!told.concat().contains(SECRET), "{told:?}");
    is_not_written_down(&shop).await;
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
        is_not_written_down(&shop).await;
    }
    shop.browsers.close_all().await;
}

/// One that was not known for it is planned anew: a person is asked, whatever the mode is.
#[tokio::test(flavor = "multi_thread")]
async fn it_is_asked_about_as_one_for_secrets() {
    let mut shop = Shop::new().await;
    for meanwhile in ["field.type = 'password'", "field.setAttribute('autocomplete', 'one-time-code')"] {
        shop.session.approvers = vec![Person::agreeable()];
        shop.go("plain.html").await;
        let no = refusing(&mut shop);
        shop.session.events = Kept::new(&shop.browsers, meanwhile);
        shop.try_call("browser_type", json!({"selector": "#field", "text": SECRET})).await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        let asked = questions(&no).concat();
        assert!(asked.contains("one for secrets") && !asked.contains(SECRET), "{meanwhile}: {asked}");
        assert_eq!(quietly(&shop, "field.value").await, Value::from(""), "nobody said yes");
    }
    shop.browsers.close_all().await;
}

/// A yes to Enter, which is sensitive by itself, is none to a field that is one for secrets once it has the focus.
#[tokio::test(flavor = "multi_thread")]
async fn a_yes_to_something_else_is_none_to_secrets() {
    let mut shop = Shop::new().await;
    shop.go("plain.html").await;
    quietly(&shop, "field.onfocus = () => { field.type = 'password'; }; 1").await;
    let once = agreeing_once();
    shop.session.approvers = vec![once.clone()];
    shop.try_call("browser_type", json!({"selector": "#field", "text": SECRET, "submit": true})).await;
    let asked = questions(&once);
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(!asked[0].contains("one for secrets") && asked[1].contains("one for secrets"), "{asked:?}");
    assert_eq!(quietly(&shop, "field.value").await, Value::from(""), "the second was a no");
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
        let mut explained =
            shop.gate.explain(Request::new("browser_type", request.clone()), &shop.session).await.unwrap();
        // Who asks this has written it, and sees what a person would.
        let plan = explained.plan.take().unwrap();
        assert_eq!(plan.preview.as_ref().map(deskhand_core::Preview::text), Some(SECRET), "{field}");
        explained.plan = Some(plan.without_private());
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
        is_not_written_down(&shop).await;
    }
    shop.browsers.close_all().await;
}

/// What a person is asked about is what they see, in every kind of field but those for secrets; then it is nowhere.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_asked_sees_what_is_typed() {
    const TEXT: &str = "four candles";
    let mut shop = Shop::new().await;
    for (field, is_shown) in [
        ("<input id=it>", true),
        ("<input id=it type=search>", true),
        ("<textarea id=it></textarea>", true),
        ("<div id=it contenteditable>x</div>", true),
        ("<select id=it><option>a<option>four candles</select>", true),
        ("<input id=it type=password>", false),
        ("<input id=it autocomplete=cc-number>", false),
    ] {
        for is_yes in [true, false] {
            shop.session.mode = Mode::Auto;
            shop.session.approvers = vec![Person::agreeable()];
            shop.go("plain.html").await;
            quietly(&shop, &format!("area.insertAdjacentHTML('afterend', '{field}'); 1")).await;
            if !is_yes {
                refusing(&mut shop);
            }
            shop.session.mode = Mode::Ask;
            let kept = Kept::new(&shop.browsers, "1");
            shop.session.events = kept.clone();
            let typed = shop.try_call("browser_type", json!({"selector": "#it", "text": TEXT})).await;
            shop.session.events = Arc::new(deskhand_core::event::NoEvents);
            assert_eq!(typed.is_success(), is_yes, "{field}: {}", typed.text);
            let shown = std::mem::take(&mut *kept.shown.lock().unwrap());
            assert_eq!(shown, if is_shown { TEXT } else { "" }, "{field}");
            let events = std::mem::take(&mut *kept.events.lock().unwrap());
            assert!(events.contains("approval_wanted") && !events.contains(TEXT), "{field}: {events}");
            assert_eq!(events.contains("is not shown"), !is_shown, "{field}: {events}");
            nowhere(&shop, TEXT).await;
        }
    }
    shop.browsers.close_all().await;
}

/// What cannot be looked into may be a field for secrets.
#[tokio::test]
async fn what_is_typed_where_nobody_can_look_is_not_shown() {
    let shop = Shop::new().await;
    shop.go("sending.html").await;
    for (text, selector, is_shown) in [(SECRET, "#closed", false), (SECRET, "#line", true)] {
        let request = Request::new("browser_type", json!({"selector": selector, "text": text}));
        let plan = shop.gate.explain(request, &shop.session).await.unwrap().plan.unwrap();
        assert_eq!(plan.preview.is_some(), is_shown, "{selector}");
        assert_eq!(plan.permission == Permission::Sensitive, !is_shown, "{selector}");
        assert_eq!(plan.notes.concat().contains("cannot be looked into, and may be a field"), !is_shown);
        assert_eq!(serde_json::to_string(&plan).unwrap().contains(SECRET), is_shown, "{selector}");
    }
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
    fs::write(shop.workspace.join("a.txt"), "a").unwrap();
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
        shop.session.approvers = vec![Person::agreeable()];
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
        let shown = if permission == Permission::Sensitive { "" } else { RARE };
        assert_eq!(*kept.shown.lock().unwrap(), shown, "{field}");
        nowhere(&shop, RARE).await;
    }
    // More than a key is refused, and not repeated.
    for key in ["hunter2", "Control+hunter2"] {
        let kept = Kept::new(&shop.browsers, "1");
        shop.session.events = kept.clone();
        let refused = shop.fails("browser_press_key", json!({"key": key}), "unknown_key").await;
        shop.session.events = Arc::new(deskhand_core::event::NoEvents);
        let told =
            serde_json::to_string(&refused).unwrap() + &std::mem::take(&mut *kept.events.lock().unwrap());
        assert!(!told.contains("hunter2"), "{told}");
        nowhere(&shop, "hunter2").await;
    }
    // The field turns into one for secrets after the plan.
    shop.session.approvers = vec![Person::agreeable()];
    shop.go("plain.html").await;
    quietly(&shop, "field.focus(); 1").await;
    let no = refusing(&mut shop);
    shop.session.mode = Mode::Auto;
    shop.session.events = Kept::new(&shop.browsers, "field.type = 'password'");
    shop.try_call("browser_press_key", json!({"key": "a"})).await;
    shop.session.events = Arc::new(deskhand_core::event::NoEvents);
    assert!(questions(&no).concat().contains("one for secrets"), "{:?}", questions(&no));
    assert_eq!(quietly(&shop, "field.value").await, "", "nobody said yes");
    // Without a browser there is no field, but the one that was there may be meant.
    shop.browsers.close_all().await;
    let explained = shop.gate.explain(Request::new("browser_press_key", json!({"key": RARE})), &shop.session);
    assert!(!serde_json::to_string(&explained.await.unwrap()).unwrap().contains(RARE));
    // Where no field has the focus, it is a command, and shown.
    shop.session.approvers = vec![Person::agreeable()];
    shop.go("plain.html").await;
    quietly(&shop, "field.blur(); 1").await;
    let explained = shop.gate.explain(Request::new("browser_press_key", json!({"key": "j"})), &shop.session);
    assert!(explained.await.unwrap().plan.unwrap().summary.contains("Press j"));
    shop.browsers.close_all().await;
}
