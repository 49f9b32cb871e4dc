//! The binary in a terminal of 80 columns: `script` gives it one, and we type.

use std::{
    fs,
    io::{Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crate::command::Shop;

/// Each prompt begins by telling the terminal that pasted text is to be marked.
pub const PROMPT: &str = "\x1b[?2004h";
/// What is printed between the program and the state of the terminal that it leaves behind.
const AFTERWARDS: &str = "== the terminal afterwards ==";
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Pty {
    child: Child,
    keyboard: ChildStdin,
    screen: Arc<Mutex<String>>,
    pid_file: std::path::PathBuf,
}

/// What is left when the program has ended.
#[derive(Debug)]
pub struct Left {
    pub code: i32,
    /// What was shown since the last look.
    pub screen: String,
    /// Whether the terminal shows what is typed.
    pub echoes: bool,
}

impl Pty {
    pub fn start(shop: &Shop, arguments: &str) -> Self {
        let binary = assert_cmd::cargo::cargo_bin!("deskhand").display().to_string();
        let pid_file = shop.root.join("pid");
        let program = format!(
            "trap : INT; stty cols 80 rows 24; sh -c 'echo $$ > {pid}; exec {binary} {arguments}'; code=$?; \
             echo '{AFTERWARDS}'; stty -a; exit $code",
            pid = pid_file.display()
        );
        let inner = shop.command(&[]);
        let mut command = Command::new("script");
        command
            .args(["-qefc", &program, "/dev/null"])
            .current_dir(shop.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("SHELL", "/bin/sh")
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus")
            .env("TERM", "xterm");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut output, seen) = (child.stdout.take().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let (mut buffer, mut all) = ([0; 4096], Vec::new());
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                all.extend_from_slice(&buffer[..read]);
                // A character may be parted.
                let whole = match std::str::from_utf8(&all) {
                    Ok(_) => all.len(),
                    Err(error) => error.valid_up_to(),
                };
                let rest = all.split_off(whole);
                seen.lock().unwrap().push_str(&String::from_utf8_lossy(&all));
                all = rest;
            }
        });
        Self { keyboard: child.stdin.take().unwrap(), child, screen, pid_file }
    }

    /// Waits until the screen shows this, then types. Returns what was shown since the last time, up to it.
    pub fn when(&mut self, shown: &str, typed: &str) -> String {
        let started = Instant::now();
        loop {
            let mut screen = self.screen.lock().unwrap();
            if let Some(at) = screen.find(shown) {
                let rest = screen.split_off(at + shown.len());
                let seen = std::mem::replace(&mut *screen, rest);
                drop(screen);
                self.keyboard.write_all(typed.as_bytes()).unwrap();
                return seen;
            }
            assert!(started.elapsed() < PATIENCE, "no «{shown}» in {screen}");
            drop(screen);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks the program to end.
    pub fn terminate(&self) {
        let pid = fs::read_to_string(&self.pid_file).unwrap();
        assert!(Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap().success());
    }

    pub fn end(mut self) -> Left {
        let screen = self.when(AFTERWARDS, "");
        let started = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(started.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        // The last of what stty says.
        let modes = self.when("echoke", "");
        let echoes = modes.split_whitespace().any(|mode| mode == "echo");
        assert!(echoes || modes.split_whitespace().any(|mode| mode == "-echo"), "{modes}");
        Left { code: status.code().unwrap_or(-1), screen, echoes }
    }
}

/// A test that fails leaves no program behind: without its terminal it is told to end.
impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
