//! clipboard_read, clipboard_write, clipboard_clear: against xclip.

use std::{
    fs, io,
    net::{Shutdown, TcpListener},
    os::unix::net::UnixStream,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_core::{Mode, ResultAnswer, Status, approval::AnyAnswer};
use deskhand_testkit::block_until;
use deskhand_tools::desktop::Picture;
use serde_json::json;
use x11rb::{
    connection::Connection,
    protocol::{
        Event,
        xproto::{
            AtomEnum, ConnectionExt, CreateWindowAux, EventMask, PropMode, Property, SelectionNotifyEvent,
            WindowClass,
        },
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{Display, desk, display::Stopped, fails, gives};
use crate::{
    command::Shop,
    support::{Desk, Person, pass, yes},
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
    let holding = holders(&display.name);
    assert_eq!(holding.len(), 1);
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", holding[0])).unwrap();
    for set in environment.split('\0').filter(|set| !set.is_empty()) {
        let name = set.split('=').next().unwrap();
        assert!(["HOME", "PATH", "XAUTHORITY"].contains(&name), "it was handed on: {name}");
    }
    copy("another");
    block_until("the first holder ends", || holders(&display.name).len() == 1);
    display.copies(&["-selection", "clipboard"], b"theirs");
    block_until("the holder ends", || holders(&display.name).is_empty());
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

/// Who pastes something long gets all of it, also where another program copies in the middle.
#[tokio::test]
async fn a_paste_that_is_under_way_is_finished() {
    let display = Display::bare();
    let desk = desk(&display);
    let text = "0123456789".repeat(100_000);
    gives(&desk, "clipboard_write", json!({"text": text})).await;
    let (c, screen) = RustConnection::connect(Some(&display.name)).unwrap();
    let (root, window) = (c.setup().roots[screen].root, c.generate_id().unwrap());
    let look = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
    c.create_window(0, window, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &look).unwrap();
    let atom = |name: &str| c.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let (clipboard, form, place, pieces) =
        (atom("CLIPBOARD"), atom("UTF8_STRING"), atom("PLACE"), atom("INCR"));
    c.convert_selection(window, clipboard, form, place, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    while !matches!(c.wait_for_event().unwrap(), Event::SelectionNotify(_)) {}
    let take = || c.get_property(true, window, place, AtomEnum::ANY, 0, u32::MAX).unwrap().reply().unwrap();
    assert_eq!(take().type_, pieces, "it comes in pieces");
    display.copies(&["-selection", "clipboard"], b"theirs");
    let mut got = Vec::new();
    loop {
        let Event::PropertyNotify(notify) = c.wait_for_event().unwrap() else { continue };
        if notify.state != Property::NEW_VALUE {
            continue;
        }
        let piece = take().value;
        if piece.is_empty() && !got.is_empty() {
            break;
        }
        got.extend(piece);
    }
    assert!(got == text.as_bytes(), "{} of {} bytes", got.len(), text.len());
    block_until("the holder ends", || holders(&display.name).is_empty());
}

/// A program offers a form under a number that is no name.
#[tokio::test]
async fn a_form_without_a_name_is_passed_over() {
    let display = Display::bare();
    let desk = desk(&display);
    let (c, screen) = RustConnection::connect(Some(&display.name)).unwrap();
    let (root, window) = (c.setup().roots[screen].root, c.generate_id().unwrap());
    c.create_window(0, window, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &CreateWindowAux::new())
        .unwrap();
    let atom = |name: &str| c.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let (clipboard, drawing) = (atom("CLIPBOARD"), atom("application/x-drawing"));
    c.set_selection_owner(window, clipboard, x11rb::CURRENT_TIME).unwrap().check().unwrap();
    let answers = tokio::task::spawn_blocking(move || {
        let request = loop {
            if let Event::SelectionRequest(request) = c.wait_for_event().unwrap() {
                break request;
            }
        };
        let offered = [0x7fff_0000, drawing];
        c.change_property32(PropMode::REPLACE, request.requestor, request.property, AtomEnum::ATOM, &offered)
            .unwrap();
        let notify = SelectionNotifyEvent {
            response_type: x11rb::protocol::xproto::SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        c.send_event(false, request.requestor, EventMask::NO_EVENT, notify).unwrap();
        c.sync().unwrap();
        c
    });
    let outcome = gives(&desk, "clipboard_read", json!({})).await;
    assert_eq!(outcome.data["forms"], json!(["application/x-drawing"]));
    drop(answers.await.unwrap());
}

/// A way to the display that leads on for so many connections, and then lets in everyone and says nothing.
fn way_to(display: &Display, open: Arc<AtomicUsize>) -> String {
    let bind = |number: u16| TcpListener::bind(("127.0.0.1", 6000 + number)).ok().map(|l| (l, number));
    let (listener, number) = (1800..2800).find_map(bind).unwrap();
    let server = format!("/tmp/.X11-unix/X{}", &display.name[1..]);
    std::thread::spawn(move || {
        let mut unanswered = Vec::new();
        for client in listener.incoming().map_while(Result::ok) {
            let is_open = open.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
            let Ok(server) = is_open.map(|_| UnixStream::connect(&server).unwrap()) else {
                unanswered.push(client);
                continue;
            };
            let (mut up, mut down) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let (mut client, mut server) = (client, server);
            std::thread::spawn(move || {
                let _ = (io::copy(&mut up, &mut server), server.shutdown(Shutdown::Both));
            });
            std::thread::spawn(move || {
                let _ = (io::copy(&mut down, &mut client), client.shutdown(Shutdown::Both));
            });
        }
    });
    format!("127.0.0.1:{number}")
}

/// Where the clipboard cannot be held, neither of the processes that were begun for it stays.
#[tokio::test]
async fn what_was_begun_for_the_clipboard_ends_where_it_fails() {
    let display = Display::bare();
    let open = Arc::new(AtomicUsize::new(100));
    let name = way_to(&display, Arc::clone(&open));
    let mut desk = Desk::seated(Some(&name), |_| {}).mode(Mode::Ask);
    desk.session.approvers = vec![Person::agreeable()];
    gives(&desk, "clipboard_write", json!({"text": "first"})).await;
    let first = holders(&name);
    assert_eq!(first.len(), 1);
    // The call itself still gets there; who would hold does not, and does not even notice that it should end.
    open.store(1, Ordering::Release);
    let (watched, known) = (name.clone(), first.clone());
    let watching = tokio::task::spawn_blocking(move || {
        loop {
            if let Some(pid) = holders(&watched).into_iter().find(|pid| !known.contains(pid)) {
                return Stopped::stop(pid.parse().unwrap());
            }
        }
    });
    fails(&desk, "clipboard_write", json!({"text": "second"}), "clipboard_not_held").await;
    let stopped = watching.await.unwrap();
    block_until("the second ends", || holders(&name) == first);
    drop(stopped);
    assert_eq!(display.says_exactly(&["xclip", "-selection", "clipboard", "-o"]), b"first");
}

/// The processes that hold the clipboard of a display.
fn holders(display: &str) -> Vec<String> {
    let found = Command::new("pgrep")
        .args(["-f", &format!("^[^ ]*deskhand __clipboard-hold {display} ")])
        .output()
        .unwrap();
    String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect()
}
