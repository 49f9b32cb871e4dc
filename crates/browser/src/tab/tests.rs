//! What events make of the state.
#![allow(clippy::unwrap_used)] // all of it is tests

use serde_json::{Value, json};

use super::{
    dialogs::{Expected, Message},
    fold::Then,
    state::{MOST_TABS, State, Whose},
};
use crate::{cdp::Event, stealth::Kind};

fn event(session: Option<&str>, method: &str, params: Value) -> Event {
    Event { session: session.map(str::to_owned), method: method.to_owned(), params }
}

fn attach(kind: &str, target: &str, session: &str) -> Value {
    json!({"sessionId": session, "waitingForDebugger": true,
        "targetInfo": {"targetId": target, "type": kind, "title": "", "url": "about:blank"}})
}

/// A browser with one tab `T`, on session `S`.
fn one_tab() -> State {
    let mut state = State::default();
    let then = state.fold(&event(None, "Target.attachedToTarget", attach("page", "T", "S")));
    assert_eq!(then, [Then::Prepare { session: "S".into(), kind: Kind::Page }]);
    navigate(&mut state, "S", "T", None, "L1", "http://a.test/");
    state
}

fn navigate(state: &mut State, session: &str, frame: &str, parent: Option<&str>, loader: &str, url: &str) {
    let mut frame = json!({"id": frame, "loaderId": loader, "url": url});
    if let Some(parent) = parent {
        frame["parentId"] = parent.into();
    }
    state.fold(&event(Some(session), "Page.frameNavigated", json!({"frame": frame})));
}

fn lifecycle(state: &mut State, frame: &str, loader: &str, name: &str) {
    let params = json!({"frameId": frame, "loaderId": loader, "name": name});
    state.fold(&event(Some("S"), "Page.lifecycleEvent", params));
}

#[test]
fn a_document_is_as_far_as_its_own_events_say() {
    let mut state = one_tab();
    lifecycle(&mut state, "T", "L0", "load");
    assert!(!state.current().unwrap().main_frame().unwrap().reached.load, "that was the one before");
    lifecycle(&mut state, "T", "L1", "DOMContentLoaded");
    lifecycle(&mut state, "T", "L1", "load");
    let reached = state.current().unwrap().main_frame().unwrap().reached;
    assert!(reached.dom && reached.load && !reached.network_idle);
    let generation = state.current().unwrap().main_frame().unwrap().generation;
    state.fold(&event(
        Some("S"),
        "Page.navigatedWithinDocument",
        json!({"frameId": "T", "url": "http://a.test/#x"}),
    ));
    assert_eq!(state.current().unwrap().url(), "http://a.test/#x");
    assert_eq!(
        state.current().unwrap().main_frame().unwrap().generation,
        generation,
        "it is the same document"
    );
    navigate(&mut state, "S", "T", None, "L2", "http://b.test/");
    let main = state.current().unwrap().main_frame().unwrap();
    assert!(!main.reached.load && main.generation != generation);
}

#[test]
fn frames_move_between_processes_and_go_with_their_parents() {
    let mut state = one_tab();
    state.fold(&event(Some("S"), "Page.frameAttached", json!({"frameId": "F", "parentFrameId": "T"})));
    navigate(&mut state, "S", "F", Some("T"), "LF", "http://a.test/frame");
    // It gets a process of its own: attached under the same id, then detached from the first.
    let mut params = attach("iframe", "F", "S2");
    params["targetInfo"]["parentFrameId"] = "T".into();
    let then = state.fold(&event(Some("S"), "Target.attachedToTarget", params));
    assert_eq!(then, [Then::Prepare { session: "S2".into(), kind: Kind::Frame }]);
    state.fold(&event(Some("S"), "Page.frameDetached", json!({"frameId": "F", "reason": "swap"})));
    navigate(&mut state, "S2", "F", None, "LG", "http://other.test/");
    state.fold(&event(Some("S2"), "Page.frameAttached", json!({"frameId": "G", "parentFrameId": "F"})));
    let tab = state.current().unwrap();
    let seen: Vec<_> =
        tab.frames.iter().map(|f| (f.id.as_str(), f.session.as_str(), f.parent.as_deref())).collect();
    assert_eq!(seen, [("T", "S", None), ("F", "S2", Some("T")), ("G", "S2", Some("F"))]);
    state.fold(&event(Some("S"), "Page.frameDetached", json!({"frameId": "F", "reason": "remove"})));
    assert_eq!(state.current().unwrap().frames.iter().count(), 1);
}

#[test]
fn a_tab_that_closes_gives_way_to_the_last_one() {
    let mut state = one_tab();
    let mut params = attach("page", "U", "S2");
    params["targetInfo"]["openerId"] = "T".into();
    state.fold(&event(None, "Target.attachedToTarget", params));
    assert_eq!(state.current().unwrap().number, 2);
    assert!(state.notices.take()[0].contains("new tab, number 2"));
    assert!(state.select(1) && !state.select(9));
    state.fold(&event(None, "Target.detachedFromTarget", json!({"sessionId": "S"})));
    assert_eq!(state.current().unwrap().number, 2);
    // What comes late for the one that is gone changes nothing.
    navigate(&mut state, "S", "T", None, "L9", "http://late.test/");
    assert_eq!(state.tabs.len(), 1);
    state.fold(&event(None, "Target.detachedFromTarget", json!({"sessionId": "S2"})));
    assert!(state.current().is_none());
}

#[test]
fn there_is_an_end_to_tabs_and_what_is_none_is_let_go() {
    let mut state = State::default();
    for number in 0..100 {
        let params = attach("page", &format!("T{number}"), &format!("S{number}"));
        let then = state.fold(&event(None, "Target.attachedToTarget", params));
        assert_eq!(matches!(then[0], Then::CloseTarget { .. }), number >= MOST_TABS, "{number}");
    }
    assert_eq!(state.tabs.len(), MOST_TABS);
    let then = state.fold(&event(None, "Target.attachedToTarget", attach("webview", "W", "SW")));
    assert_eq!(then, [Then::LetRun { session: "SW".into() }]);
}

/// In a person's browser their tabs stay, however many, their new ones are not taken, and their dialogs are theirs.
#[test]
fn what_a_person_does_in_their_own_browser_is_theirs() {
    let mut state = State::of(Whose::Theirs);
    for number in 0..MOST_TABS + 5 {
        let params = attach("page", &format!("T{number}"), &format!("S{number}"));
        let then = state.fold(&event(None, "Target.attachedToTarget", params));
        let seen = matches!(then[0], Then::Prepare { .. });
        let left_alone = matches!(then[0], Then::LetRun { .. });
        assert!(if number < MOST_TABS { seen } else { left_alone }, "{number}: {then:?}");
    }
    assert_eq!((state.tabs.len(), state.current().unwrap().target.as_str()), (MOST_TABS, "T0"));
    let dialog = json!({"type": "confirm", "message": "Really?"});
    let opens =
        |state: &mut State| state.fold(&event(Some("S0"), "Page.javascriptDialogOpening", dialog.clone()));
    assert_eq!(opens(&mut state), []);
    state.tab_mut("T0").unwrap().used = true;
    assert!(matches!(opens(&mut state)[..], [Then::Post { method: "Page.handleJavaScriptDialog", .. }]));
    // What the page in use opens is followed; what another one opens is not.
    for (opener, current) in [("T3", "T0"), ("T0", "U")] {
        state.fold(&event(None, "Target.detachedFromTarget", json!({"sessionId": "S9"})));
        state.fold(&event(None, "Target.detachedFromTarget", json!({"sessionId": "SU"})));
        let mut params = attach("page", "U", "SU");
        params["targetInfo"]["openerId"] = opener.into();
        state.fold(&event(None, "Target.attachedToTarget", params));
        assert_eq!(state.current().unwrap().target, current, "{opener}");
    }
}

#[test]
fn frames_that_were_there_before_are_taken_in() {
    let mut state = State::of(Whose::Theirs);
    state.fold(&event(None, "Target.attachedToTarget", attach("page", "T", "S")));
    lifecycle(&mut state, "T", "L1", "load");
    let inner = json!({"frame": {"id": "F", "parentId": "T", "loaderId": "L2", "url": "http://a.test/f"}});
    let tree =
        json!({"frame": {"id": "T", "loaderId": "L1", "url": "http://a.test/"}, "childFrames": [inner]});
    state.frames_are("S", &tree);
    state.frames_are("unknown", &tree);
    for odd in [Value::Null, json!({"frame": 3, "childFrames": {}}), json!({"childFrames": [1, {}]})] {
        state.frames_are("S", &odd);
    }
    let tab = state.current().unwrap();
    let seen: Vec<_> =
        tab.frames.iter().map(|f| (f.id.as_str(), f.parent.as_deref(), f.url.as_str())).collect();
    assert_eq!(seen, [("T", None, "http://a.test/"), ("F", Some("T"), "http://a.test/f")]);
    assert!(tab.main_frame().unwrap().reached.load, "it is the document that was told of");
    assert_eq!(state.sessions_with_frames(), ["S"]);
}

/// While a yes waits: what comes twice gets it once, and what lacks something does not get it.
#[test]
fn a_yes_is_for_one_event_with_all_it_needs() {
    let whole = json!({"type": "confirm", "message": "Sure?", "url": "http://a.test/b"});
    let without = |key: &str| {
        let mut dialog = whole.clone();
        dialog.as_object_mut().unwrap().remove(key);
        dialog
    };
    let odd = json!({"type": "confirm", "message": ["Sure?"], "url": {"http://a.test/": 1}});
    let lacking = [without("url"), without("message"), without("type"), odd, json!([]), Value::Null];
    for first in lacking.into_iter().chain([whole.clone()]) {
        let mut state = one_tab();
        let expected = Expected::new(Message::new("Sure?").unwrap(), None, state.current().unwrap().url());
        state.tab_mut("T").unwrap().dialogs.expect(expected);
        let mut answer = |dialog: &Value| {
            let then = state.fold(&event(Some("S"), "Page.javascriptDialogOpening", dialog.clone()));
            let [Then::Post { method: "Page.handleJavaScriptDialog", params, .. }] = &then[..] else {
                panic!("{dialog}: {then:?}");
            };
            params.clone()
        };
        let (yes, no) = (json!({"accept": true}), json!({"accept": false}));
        // What does not ask can only be closed.
        let is_asking = first["type"] == "confirm";
        let wanted = if first == whole || !is_asking { &yes } else { &no };
        assert_eq!(&answer(&first), wanted, "{first}");
        // The yes is still there for the one that is meant, and is used up by it.
        assert_eq!(answer(&whole), if first == whole { no.clone() } else { yes }, "after {first}");
        assert_eq!(answer(&whole), no, "after {first}");
    }
}

#[test]
fn nothing_odd_breaks_it() {
    let mut state = one_tab();
    let methods = [
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Target.targetInfoChanged",
        "Target.targetCrashed",
        "Page.frameAttached",
        "Page.frameNavigated",
        "Page.frameDetached",
        "Page.lifecycleEvent",
        "Page.unheardOf",
        "Page.javascriptDialogOpening",
        "Browser.downloadWillBegin",
        "Browser.downloadProgress",
        "",
    ];
    for method in methods {
        for params in
            [Value::Null, json!([]), json!({}), json!({"frame": 3, "targetInfo": "x", "frameId": {}})]
        {
            for session in [None, Some("S"), Some("unknown")] {
                state.fold(&event(session, method, params.clone()));
            }
        }
    }
    assert_eq!(state.current().unwrap().target, "T");
}
