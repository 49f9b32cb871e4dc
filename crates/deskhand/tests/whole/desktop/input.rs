//! mouse and keyboard: what arrives is told by xev and by a terminal.

use std::{fs, path::PathBuf, process::Command, sync::Arc};

use deskhand_core::{Permission, Status};
use deskhand_testkit::block_until;
use serde_json::json;

use super::{Display, desk, fails, gives};
use crate::support::{Desk, plan_of, stays_in_a_file, yes};

/// A terminal that writes every line that is typed into a file.
pub fn terminal(display: &Display, desk: &Desk) -> (u64, PathBuf) {
    let file = desk.path("typed");
    display.start(
        Command::new("xterm")
            .args(["-u8", "-T", "Typing", "-geometry", "60x10+50+60", "-e", "sh", "-c"])
            .arg(format!(
                "while IFS= read -r line; do printf '%s\\n' \"$line\" >> '{}'; done",
                file.display()
            )),
    );
    let mut id = None;
    block_until("the terminal", || {
        id = display
            .says(&["xdotool", "search", "--onlyvisible", "--name", "^Typing$"])
            .lines()
            .next()
            .and_then(|l| l.parse().ok());
        id.is_some() && display.active() == id
    });
    (id.unwrap(), file)
}

/// A window of another program that tells what it gets.
fn listener(display: &Display, desk: &Desk) -> (u64, PathBuf) {
    let file = desk.path("events");
    display.start(Command::new("sh").arg("-c").arg(format!(
        "exec xev -name Listener -geometry 300x200+400+300 -event button -event mouse > '{}'",
        file.display()
    )));
    let mut id: Option<u64> = None;
    block_until("the listener", || {
        id = display
            .says(&["xdotool", "search", "--onlyvisible", "--name", "^Listener$"])
            .lines()
            .next()
            .and_then(|l| l.parse().ok());
        id.is_some()
    });
    display.says(&["xdotool", "windowactivate", "--sync", &id.unwrap().to_string()]);
    (id.unwrap(), file)
}

pub fn text_of(file: &PathBuf) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

#[tokio::test]
async fn text_in_any_script_arrives_as_it_was_written() {
    let display = Display::new();
    let mut desk = desk(&display);
    let (terminal, file) = terminal(&display, &desk);
    let text = "Hello, World! ~{}|\\\"'$ äöü ß 你好，世界 Привет ελ €\n";
    let scripted = desk.answer([yes(), yes()]);
    gives(&desk, "keyboard", json!({"text": text})).await;
    block_until("the line", || text_of(&file).ends_with('\n'));
    assert_eq!(text_of(&file), text);
    let asked = scripted.asked();
    let plan = plan_of(&asked[0]);
    assert_eq!(plan.permission, Permission::Sensitive);
    assert!(
        plan.summary.contains("«Typing»") && plan.preview.as_ref().unwrap().text().contains("你好"),
        "{}",
        plan.summary
    );
    gives(
        &desk,
        "keyboard",
        json!({"text": "wrong", "keys": ["ctrl+u", "x", "shift+y", "Enter"], "window_id": terminal}),
    )
    .await;
    block_until("the second line", || text_of(&file).lines().count() == 2);
    assert_eq!(text_of(&file).lines().nth(1), Some("xY"));
    for (arguments, code) in [
        (json!({"keys": ["nokey"]}), "unknown_key"),
        (json!({}), "arguments_do_not_fit"),
        (json!({"text": "x", "window_id": "none"}), "no_such_window"),
    ] {
        fails(&desk, "keyboard", arguments, code).await;
    }
}

/// What is typed or copied may be a password. Whoever is asked has to see what would be typed; then it is nowhere.
#[tokio::test]
async fn what_is_typed_or_copied_is_not_on_record() {
    const SECRET: &str = "correct horse battery";
    let display = Display::new();
    let mut desk = desk(&display);
    let (_, file) = terminal(&display, &desk);
    let scripted = desk.answer([yes(), yes()]);
    let typed = gives(&desk, "keyboard", json!({"text": format!("{SECRET}\n")})).await;
    block_until("the line", || text_of(&file).ends_with('\n'));
    let copied = gives(&desk, "clipboard_write", json!({"text": SECRET})).await;
    // Under a name that is not quite right, as something else than a text, as a key, and in what is wrong with it, too.
    for wrong in [
        json!({"txet": SECRET}),
        json!({"text": [SECRET]}),
        json!({"keys": [SECRET]}),
        json!({"keys": SECRET}),
        json!({"text": SECRET, "window_id": {"title": 1}}),
    ] {
        let outcome = desk.call("keyboard", wrong).await;
        assert_eq!(outcome.status, Status::InvalidArguments, "{outcome:?}");
        assert!(!serde_json::to_string(&outcome).unwrap().contains(SECRET), "{outcome:?}");
    }
    for (tool, outcome) in [("keyboard", typed), ("clipboard_write", copied)] {
        assert!(!serde_json::to_string(&outcome).unwrap().contains(SECRET), "{tool}");
        let request = deskhand_core::Request::new(tool, json!({"text": SECRET}));
        let explained = desk.gate.explain(request, &desk.session).await.unwrap();
        assert!(!explained.arguments.to_string().contains(SECRET), "{tool}: {}", explained.arguments);
        assert!(explained.plan.unwrap().preview.unwrap().text().contains(SECRET), "{tool}: it is shown");
    }
    assert!(!desk.audit_text().contains(SECRET) && desk.audit_text().contains("clipboard_write"));
    let asked = scripted.asked();
    assert_eq!(asked.len(), 2);
    for request in &asked {
        assert!(plan_of(request).preview.as_ref().unwrap().text().contains(SECRET), "{}", request.tool);
    }
    for event in desk.events.0.lock().unwrap().iter() {
        // The question itself is told, and forgotten with its answer.
        if !matches!(event, deskhand_core::EventBody::ApprovalWanted { .. }) {
            let told = serde_json::to_string(event).unwrap();
            assert!(!told.contains(SECRET), "{told}");
        }
    }
    assert_eq!(stays_in_a_file(&desk.data, SECRET), None);
}

#[tokio::test]
async fn keys_go_to_the_named_window_and_to_no_other() {
    let display = Display::new();
    let desk = desk(&display);
    let (terminal, file) = terminal(&display, &desk);
    let (other, _) = display.window("Other", "200x100+700+500", "#336699");
    block_until("the other is active", || display.active() == Some(other));
    gives(&desk, "keyboard", json!({"text": "to you\n", "window_id": "Typing"})).await;
    block_until("the line", || text_of(&file) == "to you\n");
    assert_eq!(display.active(), Some(terminal));
}

/// Another window has the keyboard when the answer comes: it is asked about anew.
#[tokio::test]
async fn another_active_window_is_asked_about_anew() {
    struct Switches(std::sync::Mutex<Vec<String>>, String, u64);
    impl deskhand_core::Approver for Switches {
        fn name(&self) -> &'static str {
            "person:test"
        }

        fn ask<'a>(
            &'a self,
            request: &'a deskhand_core::ApprovalRequest,
        ) -> futures_util::future::BoxFuture<'a, Option<deskhand_core::approval::AnyAnswer>> {
            let mut asked = self.0.lock().unwrap();
            asked.push(plan_of(request).summary.clone());
            if asked.len() == 1 {
                let mut xdotool = Command::new("xdotool");
                xdotool
                    .env("DISPLAY", &self.1)
                    .args(["windowactivate", "--sync", &self.2.to_string()])
                    .status()
                    .unwrap();
                return Box::pin(async { Some(yes()) });
            }
            Box::pin(async { Some(crate::support::no("not there")) })
        }
    }
    let display = Display::new();
    let mut desk = desk(&display);
    let (other, _) = display.window("Other", "200x100+700+500", "#336699");
    let (_, file) = terminal(&display, &desk);
    let switches = Arc::new(Switches(std::sync::Mutex::default(), display.name.clone(), other));
    desk.session.approvers = vec![switches.clone()];
    let outcome = desk.call("keyboard", json!({"text": "secret\n"})).await;
    assert_eq!(outcome.status, Status::ExecutionRejected, "{}", outcome.text);
    let asked = switches.0.lock().unwrap();
    assert!(asked.len() == 2 && asked[0].contains("«Typing»") && asked[1].contains("«Other»"), "{asked:?}");
    assert_eq!(text_of(&file), "");
}

#[tokio::test]
async fn clicks_drags_and_the_wheel_arrive() {
    let display = Display::new();
    let mut desk = desk(&display);
    let (window, file) = listener(&display, &desk);
    let scripted = desk.answer((0..10).map(|_| yes()));
    let outcome =
        gives(&desk, "mouse", json!({"action": "click", "x": 30, "y": 40, "window_id": window})).await;
    let (x, y) = (outcome.data["x"].as_i64().unwrap(), outcome.data["y"].as_i64().unwrap());
    let at = display.says(&["xdotool", "getmouselocation", "--shell"]);
    assert!(at.contains(&format!("X={x}\nY={y}\n")), "{at}");
    let asked = scripted.asked();
    let plan = plan_of(&asked[0]);
    assert!(plan.summary.contains("on «Listener»") && plan.permission == Permission::Sensitive);
    block_until("the click", || text_of(&file).contains("ButtonRelease"));
    assert!(text_of(&file).contains("(30,40)"), "{}", text_of(&file));
    gives(&desk, "mouse", json!({"action": "double_click", "x": x, "y": y, "button": "right"})).await;
    block_until("both clicks", || text_of(&file).matches("button 3, same_screen").count() == 4);
    gives(&desk, "mouse", json!({"action": "scroll", "x": x, "y": y, "scroll_down": 2, "scroll_right": -1}))
        .await;
    block_until("the wheel", || {
        let text = text_of(&file);
        text.matches("button 5,").count() == 4 && text.matches("button 6,").count() == 2
    });
    gives(
        &desk,
        "mouse",
        json!({"action": "drag", "x": x, "y": y, "to_x": x + 50, "to_y": y + 20, "button": "middle"}),
    )
    .await;
    block_until("the drag", || text_of(&file).matches("button 2,").count() == 2);
    let text = text_of(&file);
    let end = text.rfind("button 2,").unwrap();
    assert!(text[..end].rfind("(80,60)").is_some(), "it is let go at the end: {text}");
    gives(&desk, "mouse", json!({"action": "move", "x": 5, "y": 6})).await;
    assert!(display.says(&["xdotool", "getmouselocation", "--shell"]).contains("X=5\nY=6\n"));
}

#[tokio::test]
async fn what_makes_no_sense_is_said() {
    let display = Display::new();
    let desk = desk(&display);
    let (window, _) = display.window("Here", "300x200+100+100", "#336699");
    for (arguments, code) in [
        (json!({"action": "click", "x": 5000, "y": 5}), "not_on_screen"),
        (json!({"action": "click", "x": -1, "y": 5}), "not_on_screen"),
        (json!({"action": "click", "x": 400, "y": 5, "window_id": window}), "not_in_window"),
        (json!({"action": "drag", "x": 5, "y": 5}), "arguments_do_not_fit"),
        (json!({"action": "click", "x": 5, "y": 5, "to_x": 5}), "arguments_do_not_fit"),
        (json!({"action": "scroll", "x": 5, "y": 5}), "arguments_do_not_fit"),
        (json!({"action": "click", "x": 5, "y": 5, "scroll_down": 1}), "arguments_do_not_fit"),
        (json!({"action": "press", "x": 5, "y": 5}), "invalid_arguments"),
    ] {
        fails(&desk, "mouse", arguments, code).await;
    }
}

/// Whoever could press keys in the window that Deskhand is run from would answer its questions.
#[tokio::test]
async fn nothing_is_pressed_in_deskhands_own_windows() {
    let display = Display::new();
    let desk = desk(&display);
    let (page, _) = display.window("Page", "300x200+100+100", "#336699");
    let id = page.to_string();
    display.says(&["xprop", "-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "Chromium"]);
    display.says(&["xdotool", "set_window", "--name", "Deskhand", &id]);
    block_until("its new name", || display.says(&["xdotool", "getwindowname", &id]) == "Deskhand");
    block_until("it is active", || display.active() == Some(page));
    for (tool, arguments) in [
        ("keyboard", json!({"text": "a"})),
        ("keyboard", json!({"text": "a", "window_id": page})),
        ("mouse", json!({"action": "click", "x": 150, "y": 200})),
        ("mouse", json!({"action": "drag", "x": 900, "y": 700, "to_x": 150, "to_y": 200})),
    ] {
        let outcome = fails(&desk, tool, arguments, "window:own").await;
        assert_eq!(outcome.status, Status::Blocked);
    }
}
