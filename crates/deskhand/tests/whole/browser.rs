//! The program and its browser.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process::Stdio,
};

use deskhand_testkit::block_until;
use serde_json::{Value, json};

use crate::command::Shop;

/// The processes whose command line names this folder.
fn processes_of(folder: &Path) -> usize {
    let folder = folder.display().to_string();
    let lines = fs::read_dir("/proc").unwrap().flatten().map(|entry| fs::read(entry.path().join("cmdline")));
    lines
        .filter(|line| line.as_ref().is_ok_and(|line| String::from_utf8_lossy(line).contains(&folder)))
        .count()
}

/// Not by a signal that it could answer: the browser ends by itself.
#[test]
fn nothing_of_it_is_left_when_the_program_is_killed() {
    let shop = Shop::new();
    let script = r#"{"script": "new Promise(() => {})"}"#;
    let mut command = shop.command(&["call", "browser_evaluate", script, "--yes"]);
    let mut program = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let profiles = shop.root.join("data/browser/profiles");
    block_until("the browser runs", || processes_of(&profiles) > 2);
    program.kill().unwrap();
    program.wait().unwrap();
    block_until("all of its processes have ended", || processes_of(&profiles) == 0);
}

/// The program as it is put together, not as a test does.
#[test]
fn the_program_takes_a_picture_of_a_page() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    // It ends with the process of this test.
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let page = "<!doctype html><title>Red</title><body style='background: #c00'>";
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length:";
            let _ = write!(stream, "{head} {}\r\n\r\n{page}", page.len());
        }
    });
    let shop = Shop::new();
    let arguments = json!({"target": "web", "url": url, "path": "red.png"}).to_string();
    let output = shop.command(&["call", "screenshot", &arguments, "--yes", "--json"]).output().unwrap();
    let outcome: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(outcome["status"], "success", "{outcome}");
    let picture = deskhand_tools::desktop::Picture::read(&fs::read(shop.path("red.png")).unwrap()).unwrap();
    assert_eq!(picture.rgb[..3], [0xcc, 0, 0]);
    assert_eq!(processes_of(&shop.root.join("data")), 0, "and leaves no browser behind");
}
