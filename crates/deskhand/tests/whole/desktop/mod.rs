//! The tools of the desktop, on a real X server with a real window manager and real windows, through the gate; what they
//! claim is confirmed by other programs: xdotool, xprop, xclip, import.

mod at_last;
mod clipboard;
pub mod display;
mod input;
mod interrupted;
mod met;
mod over_http;
mod requests;
mod screenshot;
mod windows;

use deskhand_core::{Mode, Outcome, Status};
use deskhand_testkit::block_until;
use serde_json::Value;

pub use self::display::Display;
use crate::support::{Desk, Person};

/// A desk at this display, with somebody who says yes.
pub fn desk(display: &Display) -> Desk {
    let mut desk = Desk::seated(Some(&display.name), |_| {}).mode(Mode::Ask);
    desk.session.approvers = vec![Person::agreeable()];
    desk
}

/// It succeeds.
pub async fn gives(desk: &Desk, tool: &str, arguments: Value) -> Outcome {
    let outcome = desk.call(tool, arguments.clone()).await;
    assert_eq!(outcome.status, Status::Success, "{tool} {arguments}: {}", outcome.text);
    outcome
}

/// It fails, with this code.
pub async fn fails(desk: &Desk, tool: &str, arguments: Value, code: &str) -> Outcome {
    let outcome = desk.call(tool, arguments.clone()).await;
    let found = outcome.error.as_ref().map_or("success", |error| error.code.as_str());
    assert_eq!(found, code, "{tool} {arguments}: {}", outcome.text);
    outcome
}

/// A file manager is asked; where none answers, the folder is opened by what opens folders.
#[test]
fn a_file_is_shown_in_its_folder() {
    use std::os::unix::fs::PermissionsExt;
    let display = Display::bare();
    let shop = crate::command::Shop::new();
    shop.write("sub/report.txt", "text");
    let shown = shop.path("shown");
    let script = format!("#!/bin/sh\nenv > '{0}.env'\nprintf '%s\\n' \"$1\" > '{0}'\n", shown.display());
    shop.write("bin/xdg-open", script);
    std::fs::set_permissions(shop.path("bin/xdg-open"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let call = |arguments: &str| {
        let mut command = shop.command(&["call", "open_in_folder", arguments, "--yes", "--json"]);
        let path = format!("{}:{}", shop.path("bin").display(), std::env::var("PATH").unwrap());
        command.env("DISPLAY", &display.name).env("PATH", path).env("SOME_API_TOKEN", "hidden");
        let output = command.output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let outcome = call(r#"{"path": "sub/report.txt"}"#);
    assert_eq!(outcome["status"], "success", "{outcome}");
    block_until("the folder is opened", || shop.path("shown").exists() && !shop.read("shown").is_empty());
    let shown = shop.read("shown");
    assert!(shown.trim_end().ends_with("/sub"), "{shown}");
    let handed_on = shop.read("shown.env");
    assert!(handed_on.contains(&format!("DISPLAY={}\n", display.name)), "{handed_on}");
    assert!(!handed_on.contains("hidden") && !handed_on.contains("DESKHAND"), "{handed_on}");
    assert!(outcome["text"].as_str().unwrap().starts_with("The file manager was asked to show"), "{outcome}");
    shop.write("bin/xdg-open", "#!/bin/sh\nexit 3\n");
    let failed = call(r#"{"path": "sub/report.txt"}"#);
    assert_eq!(failed["error"]["code"], "not_shown", "{failed}");
    assert_eq!(call(r#"{"path": "none"}"#)["error"]["code"], "no_such_file");
    let doctor = shop.command(&["doctor", "--json"]).env("DISPLAY", &display.name).output().unwrap();
    let doctor: Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let row = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "display").unwrap();
    assert!(row["found"].as_str().unwrap().starts_with(&format!("X11 at {}", display.name)), "{row}");
}

/// Where there is no display nothing of the desktop is offered, and `doctor` and the call say why.
#[test]
fn without_a_display_nothing_is_offered_and_it_is_said_why() {
    let shop = crate::command::Shop::new();
    for (name, value, why) in [
        ("DISPLAY", "", "neither DISPLAY nor WAYLAND_DISPLAY is set"),
        ("DISPLAY", ":4711", "the display :4711 cannot be reached"),
        ("DISPLAY", "no display", "no name of a display"),
        ("WAYLAND_DISPLAY", "wayland-0", "its compositor"),
    ] {
        let run = |arguments: &[&str]| {
            let output = shop.command(arguments).env(name, value).output().unwrap();
            serde_json::from_slice::<Value>(&output.stdout).unwrap()
        };
        let outcome = run(&["call", "list_windows", "{}", "--json"]);
        assert_eq!(outcome["status"], "not_found", "{outcome}");
        assert!(outcome["text"].as_str().unwrap().contains(why), "{outcome}");
        assert!(outcome["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()));
        let doctor = run(&["doctor", "--json"]);
        let checks = doctor["checks"].as_array().unwrap();
        let row = checks.iter().find(|check| check["name"] == "display").unwrap();
        assert!(row["found"].as_str().unwrap().contains(why), "{row}");
    }
}
