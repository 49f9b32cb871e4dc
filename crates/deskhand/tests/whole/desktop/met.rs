//! Which window a click meets: by the server's word, frames, menus and other workspaces considered.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use deskhand_core::{Request, Status};
use deskhand_testkit::block_until;
use serde_json::{Value, json};
use x11rb::{
    connection::Connection,
    protocol::xproto::{ConnectionExt, CreateWindowAux, WindowClass},
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{Display, desk, fails, gives, input::terminal};
use crate::support::Desk;

/// What the plan of a click says.
async fn met(desk: &Desk, x: i64, y: i64) -> String {
    let request = Request::new("mouse", json!({"action": "click", "x": x, "y": y}));
    desk.gate.explain(request, &desk.session).await.unwrap().plan.unwrap().summary
}

/// The corner of a window, without its frame.
async fn corner(desk: &Desk, id: u64) -> (i64, i64) {
    let listed = gives(desk, "list_windows", json!({})).await.data;
    let row = listed["windows"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    let at = |field: &str| row["geometry"][field].as_i64().unwrap();
    (at("x"), at("y"))
}

/// It shows what looks like Deskhand's own page.
fn becomes_ours(display: &Display, id: u64) {
    let id = id.to_string();
    display.says(&["xprop", "-id", &id, "-f", "WM_CLASS", "8s", "-set", "WM_CLASS", "Chromium"]);
    display.says(&["xdotool", "set_window", "--name", "Deskhand", &id]);
    block_until("its new name", || display.says(&["xdotool", "getwindowname", &id]) == "Deskhand");
}

/// A window that no window manager looks after, as menus are, of 200×100 at (150, 150).
fn popup(display: &Display) -> u32 {
    let pid = display.start(
        Command::new("xmessage")
            .args(["-xrm", "*overrideRedirect: true", "-geometry", "200x100+150+150"])
            .args(["-buttons", "", "text"]),
    );
    block_until("the pop-up", || {
        let shown = display.says(&["xwininfo", "-root", "-children"]);
        shown.lines().any(|line| line.contains("200x100+150+150") && line.contains("no name"))
    });
    pid
}

#[tokio::test]
async fn the_frame_of_a_window_is_the_window() {
    let display = Display::new();
    let desk = desk(&display);
    let (window, _) = display.window("Framed", "300x200+100+100", "#336699");
    let (x, y) = corner(&desk, window).await;
    assert!(met(&desk, x + 100, y - 8).await.contains("on «Framed»"), "its title bar");
    assert!(met(&desk, x + 100, y + 100).await.contains("on «Framed»"));
    assert!(met(&desk, 1000, 700).await.ends_with("on the desktop"));
    becomes_ours(&display, window);
    for place in [y - 8, y + 100] {
        let click = json!({"action": "click", "x": x + 100, "y": place});
        let outcome = fails(&desk, "mouse", click, "window:own").await;
        assert_eq!(outcome.status, Status::Blocked);
        assert!(!outcome.text.contains("«"), "no title stands in an error: {}", outcome.text);
    }
}

#[tokio::test]
async fn a_window_on_another_workspace_is_not_met() {
    let display = Display::new();
    let desk = desk(&display);
    let (window, _) = display.window("Elsewhere", "300x200+100+100", "#336699");
    let (x, y) = corner(&desk, window).await;
    assert!(met(&desk, x + 50, y + 50).await.contains("on «Elsewhere»"));
    display.says(&["xdotool", "set_desktop_for_window", &window.to_string(), "1"]);
    block_until("it is gone from here", || display.ids().is_empty());
    assert!(met(&desk, x + 50, y + 50).await.ends_with("on the desktop"));
}

#[tokio::test]
async fn what_nobody_looks_after_is_named_as_what_it_is() {
    let display = Display::new();
    let desk = desk(&display);
    display.window("Below", "300x200+100+100", "#336699");
    let pid = popup(&display);
    let summary = met(&desk, 200, 200).await;
    assert!(summary.contains("on «» of xmessage") && summary.contains(&format!("pid {pid}")), "{summary}");
    // One of Deskhand's own process.
    let (c, screen) = RustConnection::connect(Some(&display.name)).unwrap();
    let (root, id) = (c.setup().roots[screen].root, c.generate_id().unwrap());
    let look = CreateWindowAux::new().override_redirect(1);
    c.create_window(0, id, root, 600, 400, 100, 100, 0, WindowClass::INPUT_OUTPUT, 0, &look).unwrap();
    c.map_window(id).unwrap();
    c.sync().unwrap();
    fails(&desk, "mouse", json!({"action": "click", "x": 650, "y": 450}), "window:own").await;
}

/// The menu of a window that is ours is ours, too.
#[tokio::test]
async fn a_menu_belongs_to_its_program() {
    let display = Display::new();
    let desk = desk(&display);
    let (window, _) = terminal(&display, &desk);
    let (x, y) = corner(&desk, window).await;
    let menu = |down: bool| {
        let (key, button) = if down { ("keydown", "mousedown") } else { ("keyup", "mouseup") };
        let (x, y) = ((x + 40).to_string(), (y + 40).to_string());
        display.says(&["xdotool", "mousemove", &x, &y, key, "ctrl", button, "1"]);
    };
    menu(true);
    let click = json!({"action": "click", "x": x + 45, "y": y + 45});
    let begun = Instant::now();
    // The menu is no part of the window.
    while met(&desk, x + 45, y + 45).await.contains("«Typing»") {
        assert!(begun.elapsed() < Duration::from_secs(20), "its menu does not come");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    becomes_ours(&display, window);
    fails(&desk, "mouse", click, "window:own").await;
    menu(false);
}

#[tokio::test]
async fn what_covers_a_named_window_is_not_clicked_in_its_place() {
    let display = Display::new();
    let desk = desk(&display);
    let (window, _) = display.window("Below", "300x200+100+100", "#336699");
    let (x, y) = corner(&desk, window).await;
    let (cover, _) = display.window("Cover", &format!("100x60+{}+{}", x + 50, y - 40), "#996633");
    block_until("the cover is in front", || display.active() == Some(cover));
    assert!(met(&desk, x + 100, y - 8).await.contains("on «Cover»"));
    // Once the window is in front, its title bar is where the cover was.
    let drag = |to_y: i64| json!({"action": "drag", "x": 10, "y": 150, "to_x": 100, "to_y": to_y, "window_id": window});
    fails(&desk, "mouse", drag(-8), "window_covered").await;
    gives(&desk, "mouse", drag(160)).await;
    popup(&display);
    let click: Value = json!({"action": "click", "x": 200 - x, "y": 200 - y, "window_id": window});
    let outcome = fails(&desk, "mouse", click, "window_covered").await;
    assert_eq!(outcome.status, Status::Error);
}
