//! What changes at the last moment: after the answer, and after the plan was made again, right before the act.

use std::sync::{Arc, Mutex};

use deskhand_core::{AuditLog, AuditRecord, CallId, Status, StoreResult};
use deskhand_testkit::block_until;
use serde_json::json;

use super::{Display, desk};
use crate::support::{Desk, no, plan_of, yes};

/// Does something right before the next act.
struct AtLast {
    audit: Arc<dyn AuditLog>,
    act: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl AuditLog for AtLast {
    fn append(&self, record: &AuditRecord) -> StoreResult<()> {
        self.audit.append(record)
    }

    fn make_durable(&self) -> StoreResult<()> {
        let act = self.act.lock().unwrap().take();
        if let Some(act) = act {
            act();
        }
        self.audit.make_durable()
    }

    fn last_record(&self, call: CallId) -> StoreResult<Option<AuditRecord>> {
        self.audit.last_record(call)
    }
}

fn at_last(desk: &mut Desk, act: impl FnOnce() + Send + 'static) {
    let audit = Arc::clone(&desk.gate.audit);
    desk.gate.audit = Arc::new(AtLast { audit, act: Mutex::new(Some(Box::new(act))) });
}

/// The window shows something else than it did when a person said yes: it is asked about as what it is now.
#[tokio::test]
async fn another_title_is_asked_about_anew() {
    let display = Display::new();
    let (window, _) = display.window("Before", "300x200+100+100", "#336699");
    let id = window.to_string();
    let name = |name: &str| {
        display.says(&["xdotool", "set_window", "--name", name, &id]);
        block_until("its name", || display.says(&["xdotool", "getwindowname", &id]) == name);
    };
    for (tool, arguments) in [
        ("close_window", json!({"window_id": window})),
        ("close_window", json!({"window_id": window, "force": true})),
        ("switch_window", json!({"window_id": window})),
        ("keyboard", json!({"text": "a", "window_id": window})),
        ("keyboard", json!({"text": "a"})),
        ("mouse", json!({"action": "click", "x": 150, "y": 200})),
        ("mouse", json!({"action": "click", "x": 50, "y": 50, "window_id": window})),
        ("screenshot", json!({"window_id": window, "path": "a.png"})),
    ] {
        name("Before");
        let mut desk = desk(&display);
        let scripted = desk.answer([yes(), no("another one")]);
        let mut rename = display.program("xdotool");
        rename.args(["set_window", "--name", "After", &id]);
        let act = move || assert!(rename.status().unwrap().success());
        at_last(&mut desk, act);
        let outcome = desk.call(tool, arguments.clone()).await;
        assert_eq!(outcome.status, Status::ExecutionRejected, "{tool} {arguments}: {}", outcome.text);
        let asked: Vec<String> =
            scripted.asked().iter().map(|request| plan_of(request).summary.clone()).collect();
        assert!(asked[0].contains("«Before»") && asked[1].contains("«After»"), "{tool}: {asked:?}");
        assert!(!desk.path("a.png").exists());
        assert_eq!(display.ids(), [window], "{tool}");
    }
}

/// A window that has become Deskhand's own is not one to be closed, or pressed in, whatever was answered before.
#[tokio::test]
async fn what_is_ours_by_then_is_left_alone() {
    let display = Display::new();
    let (window, _) = display.window("Deskhand", "300x200+100+100", "#336699");
    let id = window.to_string();
    let class = |class: &str| {
        display.says(&["xprop", "-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", class]);
    };
    for (tool, arguments) in [
        ("close_window", json!({"window_id": window})),
        ("keyboard", json!({"text": "a"})),
        ("mouse", json!({"action": "click", "x": 150, "y": 200})),
        ("mouse", json!({"action": "drag", "x": 900, "y": 700, "to_x": 150, "to_y": 200})),
    ] {
        class("Notes");
        let mut desk = desk(&display);
        desk.answer([yes(), yes()]);
        let mut becomes = display.program("xprop");
        becomes.args(["-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "Chromium"]);
        let act = move || assert!(becomes.status().unwrap().success());
        at_last(&mut desk, act);
        let outcome = desk.call(tool, arguments.clone()).await;
        let code = outcome.error.as_ref().map(|error| error.code.as_str());
        assert_eq!((outcome.status, code), (Status::Blocked, Some("window:own")), "{tool}: {}", outcome.text);
        assert!(display.says(&["xprop", "-id", &id, "WM_CLASS"]).contains("Chromium"), "{tool}: it is there");
    }
}
