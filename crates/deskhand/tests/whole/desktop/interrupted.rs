//! mouse and keyboard that are cut short: nothing stays pressed, and nothing goes where it must not. What is pressed is
//! the server's own word.

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deskhand_core::{Outcome, Request, Status};
use deskhand_testkit::block_until;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConnectionExt, KeyButMask},
    rust_connection::RustConnection,
};

use super::{
    Display, desk,
    input::{terminal, text_of},
};
use crate::support::Desk;

/// Asks the server.
struct Server(RustConnection);

impl Server {
    fn of(display: &Display) -> Self {
        Self(RustConnection::connect(Some(&display.name)).unwrap().0)
    }

    fn has_button_down(&self) -> bool {
        let root = self.0.setup().roots[0].root;
        let mask = u16::from(self.0.query_pointer(root).unwrap().reply().unwrap().mask);
        let buttons = [
            KeyButMask::BUTTON1,
            KeyButMask::BUTTON2,
            KeyButMask::BUTTON3,
            KeyButMask::BUTTON4,
            KeyButMask::BUTTON5,
        ];
        buttons.into_iter().any(|button| mask & u16::from(button) != 0)
    }

    fn has_key_down(&self) -> bool {
        self.0.query_keymap().unwrap().reply().unwrap().keys.iter().any(|keys| *keys != 0)
    }

    fn has_caps_lock(&self) -> bool {
        let root = self.0.setup().roots[0].root;
        let mask = u16::from(self.0.query_pointer(root).unwrap().reply().unwrap().mask);
        mask & u16::from(KeyButMask::LOCK) != 0
    }

    /// What each key means.
    fn table(&self) -> Vec<u32> {
        let (first, last) = (self.0.setup().min_keycode, self.0.setup().max_keycode);
        self.0.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap().keysyms
    }
}

/// Makes the call, and does this as soon as something has come about.
async fn meanwhile(
    desk: &Desk,
    tool: &str,
    arguments: Value,
    came: impl Fn() -> bool + Send + 'static,
    then: impl FnOnce(CancellationToken) + Send + 'static,
) -> Outcome {
    let request = Request::new(tool, arguments);
    let (cancel, ended) = (request.cancel.clone(), Arc::new(AtomicBool::new(false)));
    let watched = Arc::clone(&ended);
    let watching = tokio::task::spawn_blocking(move || {
        while !watched.load(Ordering::Acquire) {
            if came() {
                return then(cancel);
            }
        }
    });
    let call = desk.gate.call(request, &desk.session);
    let outcome = tokio::time::timeout(Duration::from_mins(1), call).await.expect("the call ends");
    ended.store(true, Ordering::Release);
    watching.await.unwrap();
    outcome
}

#[tokio::test]
async fn a_drag_that_is_cancelled_lets_go_of_the_button() {
    let display = Display::new();
    let desk = desk(&display);
    display.window("Here", "300x200+100+100", "#336699");
    let drag = json!({"action": "drag", "x": 150, "y": 200, "to_x": 300, "to_y": 250});
    // On a busy machine the drag may be over before anybody looks.
    for _ in 0..50 {
        let server = Server::of(&display);
        let came = move || server.has_button_down();
        let outcome = meanwhile(&desk, "mouse", drag.clone(), came, |cancel| cancel.cancel()).await;
        block_until("the button is let go", || !Server::of(&display).has_button_down());
        if outcome.status == Status::Cancelled {
            return;
        }
    }
    panic!("no drag was cancelled in the middle");
}

#[tokio::test]
async fn text_that_is_cancelled_leaves_the_keyboard_as_it_was() {
    let display = Display::new();
    let desk = desk(&display);
    terminal(&display, &desk);
    let (server, before) = (Server::of(&display), Server::of(&display).table());
    let text: String = ('一'..).take(400).collect();
    let known = before.clone();
    let came = move || server.table() != known;
    let outcome = meanwhile(&desk, "keyboard", json!({"text": text}), came, |cancel| cancel.cancel()).await;
    assert_eq!(outcome.status, Status::Cancelled, "{}", outcome.text);
    block_until("no key means anything else than before", || Server::of(&display).table() == before);
    block_until("all keys are let go", || !Server::of(&display).has_key_down());
}

/// For the text the lock of capitals is taken off; that it was on is not forgotten when the text is cut short.
#[tokio::test]
async fn text_that_is_cancelled_leaves_the_lock_of_capitals_on() {
    let display = Display::new();
    let desk = desk(&display);
    let (_, file) = terminal(&display, &desk);
    assert!(xdotool(&display, &["key", "Caps_Lock"]).status().unwrap().success());
    block_until("it is on", || Server::of(&display).has_caps_lock());
    let came = move || text_of(&file) == "first\n";
    let outcome = meanwhile(&desk, "keyboard", long(), came, |cancel| cancel.cancel()).await;
    assert_eq!(outcome.status, Status::Cancelled, "{}", outcome.text);
    block_until("it is on again", || Server::of(&display).has_caps_lock());
}

/// The server takes its time in the middle of a key: whatever had arrived there, the key is let go.
#[tokio::test]
async fn a_key_is_let_go_where_the_call_ends_in_the_middle_of_it() {
    let display = Display::new();
    let desk = desk(&display);
    terminal(&display, &desk);
    for _ in 0..5 {
        let (server, pid) = (Server::of(&display), display.pid());
        let came = move || server.has_key_down();
        let then = move |cancel: CancellationToken| {
            let stopped = super::display::Stopped::stop(pid);
            cancel.cancel();
            std::thread::sleep(Duration::from_millis(200));
            drop(stopped);
        };
        let text = "Some Text IN Both Cases. ".repeat(100);
        let outcome = meanwhile(&desk, "keyboard", json!({"text": text}), came, then).await;
        assert_eq!(outcome.status, Status::Cancelled, "{}", outcome.text);
        block_until("all keys are let go", || !Server::of(&display).has_key_down());
    }
}

/// A long text, of which the first line is there at once.
fn long() -> Value {
    json!({"text": format!("first\n{}", "and more ".repeat(900))})
}

fn xdotool(display: &Display, words: &[&str]) -> Command {
    let mut command = display.program("xdotool");
    command.args(words);
    command
}

#[tokio::test]
async fn typing_stops_when_another_window_gets_the_keyboard() {
    let display = Display::new();
    let desk = desk(&display);
    let (other, _) = display.window("Other", "200x100+700+500", "#336699");
    let (_, file) = terminal(&display, &desk);
    let mut switch = xdotool(&display, &["windowactivate", "--sync", &other.to_string()]);
    let came = move || text_of(&file) == "first\n";
    let outcome =
        meanwhile(&desk, "keyboard", long(), came, move |_| assert!(switch.status().unwrap().success()))
            .await;
    let error = outcome.error.unwrap();
    assert_eq!(error.code, "keyboard_lost", "{}", outcome.text);
    assert!(error.message.contains(&format!("to window {other} of Xmessage")), "{}", error.message);
    assert!(!outcome.text.contains("Other"), "no title stands in an error: {}", outcome.text);
}

/// The same window, but another page in it: ours, where a key would answer a question.
#[tokio::test]
async fn typing_stops_when_the_window_shows_deskhand() {
    let display = Display::new();
    let desk = desk(&display);
    let (window, file) = terminal(&display, &desk);
    let id = window.to_string();
    display.says(&["xprop", "-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "Chromium"]);
    let mut rename = xdotool(&display, &["set_window", "--name", "Deskhand", &id]);
    let came = move || text_of(&file) == "first\n";
    let outcome =
        meanwhile(&desk, "keyboard", long(), came, move |_| assert!(rename.status().unwrap().success()))
            .await;
    let error = outcome.error.unwrap();
    assert_eq!((outcome.status, error.code.as_str()), (Status::Error, "window:own"), "{}", outcome.text);
    assert!(error.message.contains("characters and 0 keys had gone there"), "{}", error.message);
}
