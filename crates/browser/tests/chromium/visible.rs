//! With a window, on a display of the test's own.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::json;

use crate::tools::Shop;

const CHILD: &str = "DESKHAND_BROWSER_TEST_VISIBLE";

/// An X server that ends with the test.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    fn start() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("these tests need Xvfb");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        Self { server, name: format!(":{}", number.trim()) }
    }

    /// The titles of the windows, by another program.
    fn windows(&self) -> String {
        let output = Command::new("xwininfo").args(["-display", &self.name, "-root", "-tree"]).output();
        String::from_utf8_lossy(&output.expect("these tests need xwininfo").stdout).into_owned()
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Which display there is stands in the environment, and that is a process's own: the test is its own child.
#[tokio::test]
async fn it_has_a_window_that_goes_when_it_is_not_used() {
    if let Some(folder) = std::env::var_os(CHILD) {
        return browses(Path::new(&folder)).await;
    }
    let (display, folder) = (Display::start(), tempfile::tempdir().unwrap());
    let step = |name: &str| folder.path().join(name);
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "visible::it_has_a_window_that_goes_when_it_is_not_used"])
        .env(CHILD, folder.path())
        .env("DISPLAY", &display.name)
        .env_remove("WAYLAND_DISPLAY")
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    while !step("shown").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(display.windows().contains("Plain page"), "{}", display.windows());
    std::fs::write(step("seen"), "").unwrap();
    assert!(child.wait().await.unwrap().success());
    assert!(!display.windows().contains("Plain page"), "{}", display.windows());
}

async fn browses(folder: &Path) {
    let shop = Shop::with(|config| {
        config.idle = Duration::from_secs(8);
    })
    .await;
    let launched = shop.call("browser_launch", json!({"headless": false})).await;
    assert_eq!(launched.data["headless"], false);
    shop.go("plain.html").await;
    assert_eq!(shop.script("[innerWidth, innerHeight]").await, json!([1280, 800]));
    let picture = shop.call("browser_screenshot", json!({})).await;
    assert_eq!((&picture.data["width"], &picture.data["height"]), (&json!(1280), &json!(800)));
    // The mouse is where it is sent in a window, too.
    shop.call("browser_click", json!({"selector": "#button"})).await;
    assert_eq!(shop.script("document.title").await, "clicked");
    shop.call("browser_reload", json!({})).await;
    std::fs::write(folder.join("shown"), "").unwrap();
    while !folder.join("seen").exists() {
        shop.call("browser_get_state", json!({})).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let browser = shop.browsers.running("test").unwrap();
    browser.connection().until_ended().await;
    assert!(shop.browsers.running("test").is_none());
    drop(browser);
    shop.browsers.close_all().await;
}
