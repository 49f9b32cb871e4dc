//! An X server for one test, with what runs on it. All of it ends with the test.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use deskhand_testkit::block_until;
use tempfile::TempDir;
use x11rb::{protocol::xproto::ConnectionExt, rust_connection::RustConnection};

pub struct Display {
    /// `:7`
    pub name: String,
    home: TempDir,
    server: Child,
    others: Mutex<Vec<Child>>,
}

impl Display {
    /// 1280×800, with a window manager.
    pub fn new() -> Self {
        Self::sized("1280x800x24").managed()
    }

    /// Without a window manager.
    pub fn bare() -> Self {
        Self::sized("1280x800x24")
    }

    pub fn sized(screen: &str) -> Self {
        let mut command = Command::new("Xvfb");
        command.args(["-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp", "-noreset"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("Xvfb is there: scripts/setup.sh test installs it");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let number: u32 = number.trim().parse().expect("Xvfb says its number");
        Self {
            name: format!(":{number}"),
            home: tempfile::tempdir().unwrap(),
            server,
            others: Mutex::default(),
        }
    }

    fn managed(self) -> Self {
        // It says that it is there long before it looks after windows; what it runs at its start, it runs last.
        let ready = self.home.path().join("managed");
        let touch = format!("touch {}", ready.display());
        self.start(Command::new("openbox").args(["--sm-disable", "--startup", &touch]));
        block_until("the window manager", || ready.exists());
        self
    }

    /// Another program on this display.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command
            .env("DISPLAY", &self.name)
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path());
        command.env_remove("WAYLAND_DISPLAY").env_remove("WINDOWID").env("LC_ALL", "C.UTF-8");
        command
    }

    /// Starts it; it ends with the display.
    pub fn start(&self, command: &mut Command) -> u32 {
        command
            .env("DISPLAY", &self.name)
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path());
        command.env("LC_ALL", "C.UTF-8").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("it is there: scripts/setup.sh test installs it");
        let pid = child.id();
        self.others.lock().unwrap_or_else(PoisonError::into_inner).push(child);
        pid
    }

    /// What another program says.
    pub fn says(&self, words: &[&str]) -> String {
        let output = self.program(words[0]).args(&words[1..]).stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }

    /// The same, to the byte.
    pub fn says_exactly(&self, words: &[&str]) -> Vec<u8> {
        self.program(words[0]).args(&words[1..]).stdin(Stdio::null()).output().unwrap().stdout
    }

    /// The windows that answer for the clipboard and for what is marked.
    fn owners(&self) -> [u32; 2] {
        let (c, _) = RustConnection::connect(Some(&self.name)).unwrap();
        ["CLIPBOARD", "PRIMARY"].map(|name| {
            let atom = c.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
            c.get_selection_owner(atom).unwrap().reply().unwrap().owner
        })
    }

    /// xclip copies this, and stays to answer for it; its process.
    pub fn copies(&self, how: &[&str], content: &[u8]) -> u32 {
        let before = self.owners();
        let mut command = self.program("xclip");
        command.arg("-quiet").args(how).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("xclip is there: scripts/setup.sh test installs it");
        child.stdin.take().unwrap().write_all(content).unwrap();
        block_until("xclip copies", || self.owners() != before);
        let pid = child.id();
        self.others.lock().unwrap_or_else(PoisonError::into_inner).push(child);
        pid
    }

    /// What another program says that is given this.
    pub fn told(&self, words: &[&str], input: &[u8]) -> Vec<u8> {
        let mut command = self.program(words[0]);
        let mut child =
            command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().stdout
    }

    /// A window with this title, at this place; its number and process. Its colour is all over it but for its one button.
    pub fn window(&self, title: &str, geometry: &str, colour: &str) -> (u64, u32) {
        let before = self.ids();
        let pid = self.start(
            Command::new("xmessage")
                .args(["-title", title, "-geometry", geometry, "-bg", colour, "-fg", colour])
                .args(["-bd", colour, "-bw", "0", "-buttons", "ok", "text"]),
        );
        let mut found = None;
        block_until(title, || {
            found = self.ids().into_iter().find(|id| !before.contains(id));
            found.is_some()
        });
        (found.unwrap(), pid)
    }

    /// The windows that can be seen, by xdotool.
    pub fn ids(&self) -> Vec<u64> {
        let text = self.says(&["xdotool", "search", "--onlyvisible", "--class", "xmessage"]);
        let mut ids: Vec<u64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        // A frame may carry the class of what is in it.
        ids.retain(|id| self.says(&["xprop", "-id", &id.to_string(), "WM_CLASS"]).contains("Xmessage"));
        ids
    }

    /// The window that has the keyboard, by xdotool.
    pub fn active(&self) -> Option<u64> {
        self.says(&["xdotool", "getactivewindow"]).parse().ok()
    }

    /// Ends the server.
    pub fn end(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }

    /// The server stops answering, until this is dropped.
    pub fn stuck(&self) -> Stopped {
        Stopped::stop(self.server.id())
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        for child in self.others.get_mut().unwrap_or_else(PoisonError::into_inner) {
            let _ = child.kill();
            let _ = child.wait();
        }
        self.end();
    }
}

/// A process that is stopped, and goes on afterwards.
pub struct Stopped(u32);

impl Stopped {
    pub fn stop(pid: u32) -> Self {
        signal(pid, "-STOP");
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal(self.0, "-CONT");
    }
}

fn signal(pid: u32, which: &str) {
    Command::new("kill").args([which, &pid.to_string()]).status().unwrap();
}
