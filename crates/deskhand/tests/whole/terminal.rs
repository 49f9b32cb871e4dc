//! Questions in a real terminal: `script` gives the program one, and we type.

use std::{
    io::{Read, Write},
    process::{Child, ChildStdin, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crate::command::Shop;

/// A program in a terminal of its own.
struct Terminal {
    child: Child,
    keyboard: ChildStdin,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    fn start(shop: &Shop, arguments: &str) -> Self {
        Self::start_at("", shop, arguments)
    }

    /// The same at an X display.
    fn start_at(display: &str, shop: &Shop, arguments: &str) -> Self {
        let binary = assert_cmd::cargo::cargo_bin!("deskhand").display().to_string();
        let inner = shop.command(&[]);
        let mut command = std::process::Command::new("script");
        command.args(["-qefc", &format!("{binary} {arguments}"), "/dev/null"]);
        command
            .current_dir(shop.path(""))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?)))).env("TERM", "xterm");
        command.env("DISPLAY", display);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut output, seen) = (child.stdout.take().unwrap(), screen.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                seen.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..read]));
            }
        });
        Self { keyboard: child.stdin.take().unwrap(), child, screen }
    }

    /// Waits until the screen shows this, then types. Returns the screen as it was then.
    fn when(&mut self, shown: &str, typed: &str) -> String {
        let started = Instant::now();
        while !self.screen.lock().unwrap().contains(shown) {
            assert!(
                started.elapsed() < Duration::from_secs(30),
                "no «{shown}» in {}",
                self.screen.lock().unwrap()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        let screen = std::mem::take(&mut *self.screen.lock().unwrap());
        self.keyboard.write_all(typed.as_bytes()).unwrap();
        screen
    }

    fn end(mut self) -> (i32, String) {
        let status = self.child.wait().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        (status.code().unwrap_or(-1), self.screen.lock().unwrap().clone())
    }
}

#[test]
fn a_person_says_yes_once() {
    let shop = Shop::new();
    shop.write("a.txt", "old\n");
    let mut terminal = Terminal::start(&shop, "call write_file path=a.txt content=new");
    terminal.when("[e] edit", "y\n");
    let (code, screen) = terminal.end();
    assert_eq!((code, shop.read("a.txt").as_str()), (0, "new"), "{screen}");
    assert!(shop.run(&["audit", "--json"]).stdout.contains("person:terminal"));
}

#[test]
fn a_person_says_no_with_a_reason() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(&shop, "call write_file path=a.txt content=new");
    terminal.when("[e] edit", "n\n");
    terminal.when("Why", "wrong file\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 3);
    assert!(screen.contains("wrong file") && !shop.path("a.txt").exists(), "{screen}");
}

#[test]
fn a_person_lets_the_workspace_remember() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(&shop, "call write_file path=a.txt content=new");
    terminal.when("[e] edit", "w\n");
    terminal.when("anything in", "2\n");
    terminal.when("Until when", "1h\n");
    assert_eq!(terminal.end().0, 0);
    assert_eq!(shop.run(&["call", "write_file", "path=b.txt", "content=x"]).code, 0);
}

#[test]
fn a_person_edits_the_arguments_and_is_asked_again() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(&shop, "call write_file path=a.txt content=new");
    terminal.when("[e] edit", "e\n");
    terminal.when("New arguments", "{\"path\": \"b.txt\", \"content\": \"other\"}\n");
    // The terminal echoes what is typed: only the next question is a sign that it was read. What is typed before it
    // is seen is no answer to it.
    let screen = terminal.when("[e] edit", "y\n");
    assert!(screen.contains("b.txt"), "{screen}");
    assert_eq!(terminal.end().0, 0);
    assert_eq!(shop.read("b.txt"), "other");
    assert!(!shop.path("a.txt").exists());
}

#[test]
fn a_person_discards_the_changes_of_a_command_and_keeps_others() {
    let Some(shop) = crate::try_command::layered() else { return };
    let mut terminal = Terminal::start(&shop, "try 'rm b.txt; echo more >> a.txt'");
    let screen = terminal.when("[d] discard", "v\n");
    for shown in ["Keep these changes?", "b.txt", "1 modified, 1 deleted", "It can be undone."] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    terminal.when("[d] discard", "d\n");
    terminal.when("Why", "\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("2 files changed, discarded") && shop.path("b.txt").exists(), "{screen}");
    let mut terminal = Terminal::start(&shop, "call bash command='rm b.txt'");
    terminal.when("[d] discard", "k\n");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("1 file changed, kept") && !shop.path("b.txt").exists(), "{screen}");
}

#[test]
fn a_person_lets_the_workspace_keep_what_can_be_undone() {
    let Some(shop) = crate::try_command::layered() else { return };
    let mut terminal = Terminal::start(&shop, "call bash command='touch x'");
    terminal.when("[w] in this workspace", "w\n");
    terminal.when("by commands and file tools", "1\n");
    terminal.when("Until when", "\n");
    assert_eq!(terminal.end().0, 0);
    assert_eq!(shop.run(&["call", "bash", "command=touch y"]).code, 0);
    assert_eq!(shop.run(&["call", "write_file", "path=z", "content=x"]).code, 0);
    assert!(shop.path("y").exists() && shop.path("z").exists());
}

/// A terminal shows no picture: it lies in a private file while the question waits.
#[test]
fn a_person_finds_the_picture_that_is_asked_about() {
    use std::os::unix::fs::PermissionsExt;
    let display = crate::desktop::Display::new();
    let shop = Shop::new();
    let mut terminal = Terminal::start_at(&display.name, &shop, "--mode auto call screenshot path=shot.png");
    let screen = terminal.when("[p] pass", "");
    let line = screen.lines().find(|line| line.contains("this picture:")).unwrap();
    let file = std::path::PathBuf::from(line.split_whitespace().next_back().unwrap());
    assert!(file.starts_with(shop.root.join("data")), "{line}");
    assert!(std::fs::read(&file).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // Another terminal is told of it, too.
    let listed = shop.run(&["approvals"]).stdout;
    assert!(listed.contains("with pictures: 1"), "{listed}");
    let id = shop.run(&["approvals", "--json"]).json()["approvals"][0]["id"].as_str().unwrap().to_owned();
    let shown = shop.run(&["approvals", "show", &id]).stdout;
    assert!(shown.contains(&format!("picture: {}", file.display())), "{shown}");
    terminal.when("", "w\n");
    terminal.when("Why", "\n");
    assert_eq!(terminal.end().0, 3);
    assert!(!file.exists() && !shop.path("shot.png").exists(), "nothing is left of it");
}

#[test]
fn a_person_sees_and_withholds_a_result() {
    let shop = Shop::new();
    shop.write("a.txt", "private words\n");
    let config = shop.root.join("config.toml");
    std::fs::write(&config, "[tools.read_file]\nrequires_result_approval = true\n").unwrap();
    let mut terminal =
        Terminal::start(&shop, &format!("--config {} call read_file path=a.txt", config.display()));
    let screen = terminal.when("[w] withhold", "w\n");
    assert!(screen.contains("private words"), "{screen}");
    terminal.when("Why", "mine\n");
    let (code, screen) = terminal.end();
    assert!(code == 3 && screen.contains("result_rejected"), "{screen}");
}

#[test]
fn an_answer_from_another_shell_ends_the_prompt() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(&shop, "call write_file path=a.txt content=new");
    terminal.when("[e] edit", "");
    let pending = shop.run(&["approvals", "--json"]).json();
    let id = pending["approvals"][0]["id"].as_str().unwrap();
    assert_eq!(shop.run(&["approvals", "answer", id, "yes"]).code, 0);
    assert_eq!(terminal.end().0, 0);
    assert_eq!(shop.read("a.txt"), "new");
}

#[test]
fn text_from_elsewhere_cannot_steer_the_terminal() {
    let shop = Shop::new();
    shop.write("evil.txt", "before \x1b[2J\x1b]0;owned\x07 after\n");
    let terminal = Terminal::start(&shop, "call read_file path=evil.txt");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0);
    assert!(
        screen.contains("\\u{1b}[2J") && !screen.contains("\x1b[2J") && !screen.contains('\x07'),
        "{screen:?}"
    );
}

#[test]
fn the_console_asks_and_goes_on() {
    let shop = Shop::new();
    let mut terminal = Terminal::start(&shop, "console");
    terminal.when("deskhand>", "write_file path=a.txt content=one\n");
    terminal.when("[e] edit", "y\n");
    terminal.when("deskhand>", "undo\n");
    terminal.when("deskhand>", "read_file path=a.txt\n");
    let screen = terminal.when("deskhand>", "quit\n");
    assert!(screen.contains("There is no file"), "{screen}");
    assert_eq!(terminal.end().0, 0);
}
