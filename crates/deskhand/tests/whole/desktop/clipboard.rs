//! clipboard_read, clipboard_write, clipboard_clear: against xclip.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use deskhand_core::{ResultAnswer, Status, approval::AnyAnswer};
use deskhand_tools::desktop::Picture;
use serde_json::json;

use super::{Display, desk, display::Stopped, fails, gives};
use crate::{
    command::Shop,
    support::{pass, yes},
};

fn picture(width: u32, height: u32) -> Vec<u8> {
    let rgb = (0..width * height * 3).map(|n| u8::try_from(n * 7 % 251).unwrap()).collect();
    Picture { width, height, rgb }.png().unwrap()
}

/// AC007: the clipboard can be read and written.
#[tokio::test]
async fn ac007_the_clipboard_is_read_and_written() {
    let display = Display::bare();
    let desk = desk(&display);
    for text in ["hello", "多行\nтекст – 🙂\n", " "] {
        gives(&desk, "clipboard_write", json!({"text": text})).await;
        assert_eq!(
            display.says_exactly(&["xclip", "-selection", "clipboard", "-o"]),
            text.as_bytes(),
            "{text:?}"
        );
        let outcome = gives(&desk, "clipboard_read", json!({})).await;
        assert_eq!((&outcome.data["kind"], &outcome.data["text"]), (&json!("text"), &json!(text)));
        assert_eq!(outcome.outside.as_deref(), Some("the clipboard"));
    }
    display.copies(&["-selection", "clipboard"], "from another program: ü".as_bytes());
    let outcome = gives(&desk, "clipboard_read", json!({})).await;
    assert_eq!(outcome.data["text"], "from another program: ü");
    gives(&desk, "clipboard_clear", json!({})).await;
    assert_eq!(gives(&desk, "clipboard_read", json!({})).await.data["kind"], "empty");
    assert_eq!(display.says_exactly(&["xclip", "-selection", "clipboard", "-o"]), b"");
}

#[tokio::test]
async fn the_marked_text_is_another_place() {
    let display = Display::bare();
    let desk = desk(&display);
    gives(&desk, "clipboard_write", json!({"text": "copied"})).await;
    gives(&desk, "clipboard_write", json!({"text": "marked", "selection": "primary"})).await;
    assert_eq!(display.says_exactly(&["xclip", "-selection", "primary", "-o"]), b"marked");
    assert_eq!(display.says_exactly(&["xclip", "-selection", "clipboard", "-o"]), b"copied");
    gives(&desk, "clipboard_clear", json!({"selection": "primary"})).await;
    assert_eq!(gives(&desk, "clipboard_read", json!({"selection": "primary"})).await.data["kind"], "empty");
    assert_eq!(gives(&desk, "clipboard_read", json!({})).await.data["text"], "copied");
}

/// Five megabytes go out and come in, in pieces.
#[tokio::test]
async fn much_text_goes_through_whole() {
    let display = Display::bare();
    let mut desk = desk(&display);
    desk.gate.settings.max_output_chars = 10_000_000;
    let text: String = (0..5 << 20).map(|n| char::from(b'a' + u8::try_from(n % 23).unwrap())).collect();
    gives(&desk, "clipboard_write", json!({"text": text})).await;
    assert!(display.says_exactly(&["xclip", "-selection", "clipboard", "-o"]) == text.as_bytes());
    let outcome = gives(&desk, "clipboard_read", json!({})).await;
    assert!(outcome.data["text"] == text && outcome.data["bytes"] == text.len());
    let other = text.to_uppercase();
    display.copies(&["-selection", "clipboard"], other.as_bytes());
    assert!(gives(&desk, "clipboard_read", json!({})).await.data["text"] == other);
}

#[tokio::test]
async fn pictures_go_both_ways() {
    let display = Display::bare();
    let desk = desk(&display);
    let file = picture(300, 200);
    fs::write(desk.path("in.png"), &file).unwrap();
    gives(&desk, "clipboard_write", json!({"image": "in.png"})).await;
    assert!(display.says_exactly(&["xclip", "-selection", "clipboard", "-t", "image/png", "-o"]) == file);
    display.copies(&["-selection", "clipboard", "-t", "image/png"], &file);
    let outcome = gives(&desk, "clipboard_read", json!({"save_image": "out.png"})).await;
    assert_eq!(
        (&outcome.data["kind"], &outcome.data["width"], &outcome.data["height"]),
        (&json!("image"), &json!(300), &json!(200))
    );
    assert_eq!(outcome.images.len(), 1);
    assert!(fs::read(desk.path("out.png")).unwrap() == file);
    display.copies(&["-selection", "clipboard", "-t", "application/x-other"], b"x");
    let outcome = gives(&desk, "clipboard_read", json!({})).await;
    assert_eq!(outcome.data["kind"], "other");
    assert!(outcome.text.contains("application/x-other"), "{}", outcome.text);
    display.copies(&["-selection", "clipboard", "-t", "image/png"], b"no picture");
    fails(&desk, "clipboard_read", json!({}), "picture_not_read").await;
    desk.write("not.png", "text");
    fails(&desk, "clipboard_write", json!({"image": "not.png"}), "not_a_png").await;
    fails(&desk, "clipboard_write", json!({"image": "none.png"}), "no_such_file").await;
    fails(&desk, "clipboard_write", json!({"image": "in.png", "text": "both"}), "arguments_do_not_fit").await;
    fails(&desk, "clipboard_write", json!({}), "arguments_do_not_fit").await;
}

#[tokio::test]
async fn a_program_that_never_answers_is_not_waited_for() {
    let display = Display::bare();
    let desk = desk(&display);
    let holder = display.copies(&["-selection", "clipboard"], b"hidden");
    let _stopped = Stopped::stop(holder);
    fails(&desk, "clipboard_read", json!({}), "clipboard_silent").await;
    gives(&desk, "clipboard_write", json!({"text": "new"})).await;
    assert_eq!(gives(&desk, "clipboard_read", json!({})).await.data["text"], "new");
}

/// The person sees what was copied before the model does.
#[tokio::test]
async fn a_person_may_keep_what_was_copied() {
    let display = Display::bare();
    let mut desk = desk(&display);
    display.copies(&["-selection", "clipboard", "-t", "image/png"], &picture(30, 20));
    let keep = || AnyAnswer::Result(ResultAnswer::Withhold { reason: None });
    let edit = || AnyAnswer::Result(ResultAnswer::Edit { text: "a drawing".into() });
    desk.answer([yes(), keep(), yes(), edit(), yes(), pass()]);
    let outcome = desk.call("clipboard_read", json!({"save_image": "kept.png"})).await;
    assert_eq!(outcome.status, Status::ResultRejected);
    assert!(!desk.path("kept.png").exists());
    let outcome = desk.call("clipboard_read", json!({"save_image": "edited.png"})).await;
    assert_eq!((outcome.text.as_str(), outcome.images.len()), ("a drawing", 0));
    assert!(!desk.path("edited.png").exists(), "other words in its place are all that is left of it");
    gives(&desk, "clipboard_read", json!({"save_image": "seen.png"})).await;
    assert!(desk.path("seen.png").exists());
}

/// What was copied is there when Deskhand has ended, and what holds it ends when something else is copied.
#[test]
fn what_was_copied_outlives_the_program_and_no_more() {
    let display = Display::bare();
    let shop = Shop::new();
    let copy = |text: &str| {
        let mut command =
            shop.command(&["call", "clipboard_write", &json!({"text": text}).to_string(), "--yes"]);
        command.env("DISPLAY", &display.name);
        let begun = Instant::now();
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(begun.elapsed() < Duration::from_secs(30), "nobody waits for the holder");
    };
    copy("outlives");
    assert_eq!(display.says_exactly(&["xclip", "-selection", "clipboard", "-o"]), b"outlives");
    assert_eq!(holders(&display.name).len(), 1);
    copy("another");
    display.until("the first holder ends", || holders(&display.name).len() == 1);
    display.copies(&["-selection", "clipboard"], b"theirs");
    display.until("the holder ends", || holders(&display.name).is_empty());
    copy("last");
    let name = display.name.clone();
    assert_eq!(holders(&name).len(), 1);
    drop(display);
    let begun = Instant::now();
    while !holders(&name).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it ends with the display");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes that hold the clipboard of a display.
fn holders(display: &str) -> Vec<String> {
    let found = Command::new("pgrep")
        .args(["-f", &format!("^[^ ]*deskhand __clipboard-hold {display} ")])
        .output()
        .unwrap();
    String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect()
}
