//! screenshot: its pictures against those that ImageMagick takes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::{
    Desktop, ResultAnswer, Status,
    approval::{AnyAnswer, Subject},
};
use deskhand_testkit::block_until;
use deskhand_tools::desktop::Picture;
use serde_json::{Value, json};
use x11rb::{
    connection::Connection,
    protocol::{
        randr::{ConnectionExt as _, MonitorInfo},
        xproto::ConnectionExt as _,
    },
    rust_connection::RustConnection,
    wrapper::ConnectionExt as _,
};

use super::{Display, desk, fails, gives};
use crate::support::{Person, pass, plan_of, yes};

fn read(path: &Value) -> Picture {
    Picture::read(&fs::read(path.as_str().unwrap()).unwrap()).unwrap()
}

/// The same part of the screen, by another program.
fn by_import(display: &Display, geometry: &str) -> Picture {
    let file = display
        .told(&["import", "-window", "root", "-crop", geometry, "+repage", "-depth", "8", "png24:-"], b"");
    Picture::read(&file).unwrap()
}

fn colour_at(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
    let at = ((y * picture.width + x) * 3) as usize;
    picture.rgb[at..at + 3].try_into().unwrap()
}

/// AC003: screenshot_full writes a picture and returns its path.
#[tokio::test]
async fn ac003_the_whole_screen_is_written_as_png() {
    let display = Display::new();
    display.window("Blue", "400x300+200+150", "#336699");
    let desk = desk(&display);
    let request = deskhand_core::Request::new("screenshot_full", json!({})).in_dialect(Some("omni".into()));
    let outcome = desk.gate.call(request, &desk.session).await;
    assert_eq!(outcome.status, Status::Success, "{}", outcome.text);
    let path = Path::new(outcome.data["path"].as_str().unwrap());
    assert!(path.starts_with(std::env::temp_dir()) && path.extension().unwrap() == "png", "{path:?}");
    let picture = read(&outcome.data["path"]);
    assert_eq!((picture.width, picture.height), (1280, 800));
    assert!(picture == by_import(&display, "1280x800+0+0"), "pixel by pixel as ImageMagick sees it");
    assert_eq!(colour_at(&picture, 210, 400), [0x33, 0x66, 0x99]);
    assert_eq!(outcome.data["bytes"], fs::metadata(path).unwrap().len());
    let preview = STANDARD.decode(&outcome.images[0].base64).unwrap();
    assert!(outcome.images[0].mime == "image/png" && preview.len() <= 200 * 1024);
    assert_eq!(Picture::read(&preview).unwrap().width, 1280);
    assert_eq!(outcome.outside.as_deref(), Some("the screen"));
    fs::remove_file(path).unwrap();
}

/// Names are given in order, and a picture that a person still looks at keeps its own.
#[tokio::test]
async fn pictures_without_a_path_have_names_of_their_own() {
    let display = Display::bare();
    let desk = desk(&display);
    let shots = futures_util::future::join_all((0..4).map(|_| gives(&desk, "screenshot", json!({})))).await;
    let mut names: Vec<&str> = shots.iter().map(|shot| shot.data["path"].as_str().unwrap()).collect();
    names.sort_unstable();
    let wanted = (1..=4).map(|number| desk.path(format!("screenshots/screenshot_{number}.png")));
    assert_eq!(names.iter().map(PathBuf::from).collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
    assert!(names.iter().all(|name| Path::new(name).is_file()));
}

#[tokio::test]
async fn a_region_and_a_window_are_just_that() {
    let display = Display::new();
    let (window, _) = display.window("Blue", "400x300+200+150", "#336699");
    let desk = desk(&display);
    let part = json!({"x": 190, "y": 140, "width": 61, "height": 33});
    let outcome = gives(&desk, "screenshot", json!({"region": part, "path": "part.png"})).await;
    assert!(read(&outcome.data["path"]) == by_import(&display, "61x33+190+140"));
    assert_eq!(
        (&outcome.data["region"], outcome.data["path"].as_str()),
        (&part, desk.path("part.png").to_str())
    );
    let outcome = gives(&desk, "screenshot", json!({"window_id": window, "path": "window.png"})).await;
    let picture = read(&outcome.data["path"]);
    let at = &outcome.data["region"];
    let geometry = format!("{}x{}+{}+{}", at["width"], at["height"], at["x"], at["y"]);
    assert!(picture == by_import(&display, &geometry));
    let theirs = display.told(&["import", "-window", &window.to_string(), "-depth", "8", "png24:-"], b"");
    assert!(picture == Picture::read(&theirs).unwrap(), "as ImageMagick sees the window itself");
    assert_eq!(outcome.data.get("notes"), None);
    display.window("Front", "200x100+220+200", "#996633");
    let outcome = gives(&desk, "screenshot", json!({"target": "window", "window_id": "Blue"})).await;
    assert!(outcome.text.contains("1 other windows are in front"), "{}", outcome.text);
}

#[tokio::test]
async fn what_is_not_on_the_screen_is_said() {
    let display = Display::new();
    display.window("Blue", "400x300+200+150", "#336699");
    let desk = desk(&display);
    desk.write("there.png", "precious");
    for (arguments, code) in [
        (json!({"region": {"x": 1200, "y": 0, "width": 81, "height": 10}}), "region_outside"),
        (json!({"region": {"x": -1, "y": 0, "width": 10, "height": 10}}), "region_outside"),
        (json!({"region": {"x": 0, "y": 0, "width": 4_000_000_000_u32, "height": 10}}), "region_outside"),
        (json!({"region": {"x": 0, "y": 0, "width": 0, "height": 10}}), "invalid_arguments"),
        (json!({"target": "region"}), "arguments_do_not_fit"),
        (json!({"target": "window"}), "arguments_do_not_fit"),
        (json!({"target": "desktop", "window_id": "Blue"}), "arguments_do_not_fit"),
        (json!({"window_id": "Blue", "display": 0}), "arguments_do_not_fit"),
        (json!({"full_page": true}), "arguments_do_not_fit"),
        (json!({"target": "web", "display": 0}), "arguments_do_not_fit"),
        (json!({"display": 5}), "no_such_display"),
        (json!({"display": "none"}), "no_such_display"),
        (json!({"window_id": "none"}), "no_such_window"),
        (json!({"path": "picture.jpg"}), "not_a_png"),
        (json!({"path": "there.png"}), "already_exists"),
        (json!({"target": "web"}), "no_page"),
    ] {
        fails(&desk, "screenshot", arguments, code).await;
    }
    let outcome = fails(
        &desk,
        "screenshot",
        json!({"region": {"x": 0, "y": 790, "width": 5, "height": 11}}),
        "region_outside",
    )
    .await;
    assert!(outcome.text.contains("1280×800 at (0, 0)"), "how large it is, is told: {}", outcome.text);
    assert_eq!(fs::read_to_string(desk.path("there.png")).unwrap(), "precious");
    assert!(!desk.path("screenshots").exists(), "nothing is left of what failed");
    gives(&desk, "screenshot", json!({"region": "full"})).await;
}

/// What is not to be seen is not made up, and what is missing is said.
#[tokio::test]
async fn of_a_window_there_is_what_can_be_seen() {
    let display = Display::new();
    let (window, _) = display.window("Blue", "400x300+200+150", "#336699");
    let id = window.to_string();
    let desk = desk(&display);
    display.says(&["xdotool", "windowmove", &id, "1100", "150"]);
    block_until("it is at the edge", || {
        display.says(&["xdotool", "getwindowgeometry", &id]).contains("Position: 1")
    });
    let outcome = gives(&desk, "screenshot", json!({"window_id": window})).await;
    assert!(outcome.text.contains("of it is on the screen."), "{}", outcome.text);
    assert!(outcome.data["width"].as_u64().unwrap() < 400, "{}", outcome.data);
    display.says(&["xdotool", "windowminimize", "--sync", &id]);
    let outcome = fails(&desk, "screenshot", json!({"window_id": window}), "window_not_shown").await;
    assert!(outcome.text.contains("minimized") && !outcome.text.contains("Blue"), "{}", outcome.text);
}

#[tokio::test]
async fn each_of_several_displays_can_be_seen_alone() {
    let display = Display::new();
    let (c, screen) = RustConnection::connect(Some(&display.name)).unwrap();
    let root = c.setup().roots[screen].root;
    for (name, x, primary) in [("LEFT", 0, true), ("RIGHT", 640, false)] {
        let name = c.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
        let monitor = MonitorInfo {
            name,
            primary,
            automatic: false,
            x,
            y: 0,
            width: 640,
            height: 800,
            width_in_millimeters: 160,
            height_in_millimeters: 200,
            outputs: Vec::new(),
        };
        c.randr_set_monitor(root, monitor).unwrap().check().unwrap();
    }
    c.sync().unwrap();
    display.window("Blue", "300x200+700+150", "#336699");
    let desk = desk(&display);
    let listed = fails(&desk, "screenshot", json!({"display": 9}), "no_such_display").await.text;
    let number = listed.lines().find(|line| line.contains("RIGHT")).and_then(|line| line.get(2..3)).unwrap();
    for arg in [json!("right"), json!(number.parse::<u32>().unwrap())] {
        let outcome = gives(&desk, "screenshot", json!({"display": arg})).await;
        assert!(read(&outcome.data["path"]) == by_import(&display, "640x800+640+0"), "{arg}");
    }
    let part = json!({"x": 70, "y": 200, "width": 20, "height": 20});
    let outcome = gives(&desk, "screenshot", json!({"display": "RIGHT", "region": part})).await;
    assert!(
        read(&outcome.data["path"]) == by_import(&display, "20x20+710+200"),
        "from the corner of that display"
    );
    let outcome = gives(&desk, "screenshot", json!({})).await;
    assert_eq!(outcome.data["width"], 1280, "all of them together");
    let beyond = json!({"x": 630, "y": 0, "width": 20, "height": 20});
    fails(&desk, "screenshot", json!({"display": "LEFT", "region": beyond}), "region_outside").await;
}

/// The person sees the picture before the model does; what they keep back is nowhere to be found.
#[tokio::test]
async fn a_person_sees_the_picture_first_and_may_keep_it() {
    let display = Display::new();
    let mut desk = desk(&display);
    let withhold = || AnyAnswer::Result(ResultAnswer::Withhold { reason: Some("private".into()) });
    let scripted = desk.answer([yes(), pass(), yes(), withhold()]);
    let outcome = gives(&desk, "screenshot", json!({"path": "seen.png"})).await;
    let asked = scripted.asked();
    assert!(plan_of(&asked[0]).effects.desktop);
    let Subject::Result { images, .. } = &asked[1].subject else { panic!("the result is asked about") };
    assert_eq!(*images, outcome.images, "what is asked about is what is shown");
    let outcome = desk.call("screenshot", json!({"path": "kept.png"})).await;
    assert_eq!(outcome.status, Status::ResultRejected);
    assert!(outcome.images.is_empty() && outcome.data.is_null());
    assert!(!desk.path("kept.png").exists(), "whoever may not see it must not find it in the workspace");
    assert!(desk.path("seen.png").exists());
    let nobody = desk.call("screenshot", json!({"path": "nobody.png"})).await;
    assert!(!nobody.is_success() && !desk.path("nobody.png").exists());
    desk.session.desktop = Desktop::Away { reason: "elsewhere".into() };
    let away = fails(&desk, "screenshot", json!({}), "blocked").await;
    assert_eq!(away.rule.as_deref(), Some("desktop:away"));
}

/// Every file with a picture in it below these folders.
fn pictures(folders: &[&Path]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| (*folder).to_owned()).collect();
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                left.push(path);
            } else if fs::read(&path).is_ok_and(|content| content.starts_with(b"\x89PNG")) {
                found.push(path);
            }
        }
    }
    found
}

/// Says yes to everything, withholds what goes to `kept.png`, and looks for pictures while it is asked about one.
fn looking_for_pictures(folders: Vec<PathBuf>, found: Arc<Mutex<Vec<Vec<PathBuf>>>>) -> Arc<Person> {
    Person::deciding(move |request| {
        if let Subject::Execution { .. } = request.subject {
            return Some(yes());
        }
        let folders: Vec<&Path> = folders.iter().map(PathBuf::as_path).collect();
        found.lock().unwrap().push(pictures(&folders));
        let keeps = request.arguments.to_string().contains("kept.png");
        Some(if keeps { AnyAnswer::Result(ResultAnswer::Withhold { reason: None }) } else { pass() })
    })
}

/// While a person looks at it, a picture is nowhere that a tool could read it.
#[tokio::test]
async fn a_picture_is_in_no_file_until_it_is_passed() {
    let display = Display::new();
    display.copies(&["-selection", "clipboard", "-t", "image/png"], &{
        display.says_exactly(&["import", "-window", "root", "-crop", "20x10+0+0", "+repage", "png24:-"])
    });
    for (tool, parameter) in [("screenshot", "path"), ("clipboard_read", "save_image")] {
        let mut desk = desk(&display);
        let folders = vec![desk.path(""), desk.data.clone()];
        let while_asked = Arc::<Mutex<Vec<_>>>::default();
        desk.session.approvers = vec![looking_for_pictures(folders, Arc::clone(&while_asked))];
        let outcome = desk.call(tool, json!({ parameter: "kept.png" })).await;
        assert_eq!(outcome.status, Status::ResultRejected, "{}", outcome.text);
        assert_eq!(outcome.undo, None);
        assert_eq!(pictures(&[&desk.workspace, &desk.data]), Vec::<PathBuf>::new(), "nothing is anywhere");
        let outcome = gives(&desk, tool, json!({ parameter: "seen.png" })).await;
        assert_eq!(pictures(&[&desk.workspace, &desk.data]), [desk.path("seen.png")]);
        gives(&desk, "undo", json!({"call_id": outcome.undo.expect("it can be undone")})).await;
        assert!(!desk.path("seen.png").exists());
        assert_eq!(
            *while_asked.lock().unwrap(),
            vec![Vec::<PathBuf>::new(); 2],
            "asked about, and nowhere to be found"
        );
    }
}

/// What ends Deskhand while the question waits leaves nothing behind in the workspace.
#[test]
fn a_program_killed_while_it_asks_leaves_no_picture() {
    let display = Display::new();
    let shop = crate::command::Shop::new();
    let mut call =
        shop.command(&["call", "screenshot", "path=shot.png", "--mode", "auto", "--wait", "--json"]);
    let mut child = call.env("DISPLAY", &display.name).stdout(std::process::Stdio::null()).spawn().unwrap();
    block_until("the question about the result", || {
        let open = shop.run(&["approvals", "--json"]).json();
        open["approvals"].as_array().unwrap().iter().any(|question| question["tool"] == "screenshot")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(pictures(&[&shop.root]), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_picture_can_be_taken_back_and_goes_where_paths_may_go() {
    let display = Display::new();
    let desk = desk(&display);
    let outcome = gives(&desk, "screenshot", json!({"path": "new/one.png"})).await;
    assert!(desk.path("new/one.png").exists());
    gives(&desk, "undo", json!({"call_id": outcome.undo.unwrap()})).await;
    assert!(!desk.path("new/one.png").exists());
    fs::create_dir(desk.path("folder")).unwrap();
    let outcome = gives(&desk, "screenshot", json!({"path": "folder"})).await;
    assert!(Path::new(outcome.data["path"].as_str().unwrap()).starts_with(desk.path("folder")));
    let own = desk.data.join("x.png");
    let outcome = desk.call("screenshot", json!({"path": own})).await;
    assert_eq!(outcome.status, Status::Blocked, "{}", outcome.text);
}
