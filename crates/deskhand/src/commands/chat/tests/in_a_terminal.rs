//! The conversation in a real terminal: `script` gives it one, and we type.
//!
//! The test binary starts itself once more inside of that terminal, as the program.

use std::{
    env,
    io::{Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use deskhand_core::session::{NewSession, Role, SessionMeta, SessionStore};
use tempfile::TempDir;

use super::agent::{ListedAgent, open};
use crate::{
    cli::{ChatArgs, Shared},
    commands::{
        chat::{Backing, Wanted, run},
        demo,
        sessions::tests::{memory::MemoryStore, said},
    },
    terminal::{Printer, chat::Questions},
};

const FOLDER: &str = "DESKHAND_TEST_FOLDER";
/// Each prompt begins by telling the terminal that pasted text is to be marked.
const PROMPT: &str = "\x1b[?2004h";
const PLAY: &str = "DESKHAND_TEST_PLAY";

/// The program inside of the terminal. Started by the tests below.
#[test]
#[ignore = "it is started by other tests, in a terminal"]
fn program() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    std::fs::write(folder.join("pid"), std::process::id().to_string()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let code = runtime.block_on(async {
        match env::var(PLAY).as_deref() {
            Ok("demo") => demo_on_listed_answers(folder).await,
            play => chat_on_listed_answers(folder, play == Ok("seeded")).await,
        }
    });
    // As the program itself: a key that nobody presses must not keep it from ending.
    runtime.shutdown_background();
    assert_eq!(code, 0);
}

async fn chat_on_listed_answers(folder: &Path, seeded: bool) -> u8 {
    let app = open(folder);
    let store = Arc::<MemoryStore>::default();
    if seeded {
        let metadata =
            SessionMeta { workspace: Some(app.paths.workspace().to_path_buf()), ..SessionMeta::default() };
        let title = Some("Earlier talk".to_owned());
        let session = store.create(&NewSession { id: None, title, metadata }).unwrap();
        store.add_message(&session.id, said(Role::User, "what was said before"));
    }
    let (approver, questions) = Questions::new();
    let agent = Arc::new(ListedAgent::new(&app, Arc::clone(&store), vec![Arc::new(approver)]));
    let wanted = Wanted::new(&Shared::default(), ChatArgs::default());
    run(&app, Printer::new(false), wanted, Backing { sessions: store, agent, questions }).await.unwrap()
}

async fn demo_on_listed_answers(folder: &Path) -> u8 {
    let config = folder.join("config.toml");
    std::fs::write(&config, "").unwrap();
    let shared = Shared { config: Some(config), ..Shared::default() };
    let played = demo::run(&shared, Printer::new(false), |parts| {
        let store = Arc::<MemoryStore>::default();
        let agent = ListedAgent::new(parts.app, Arc::clone(&store), parts.approvers).answering(parts.replies);
        Ok(Backing { sessions: store, agent: Arc::new(agent), questions: parts.questions })
    });
    played.await.unwrap()
}

struct Terminal {
    folder: TempDir,
    child: Child,
    keyboard: ChildStdin,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    fn start(play: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = env::current_exe().unwrap().display().to_string();
        let inner = format!(
            "stty cols 80 rows 24; exec {program} --exact {} --ignored --nocapture",
            "commands::chat::tests::in_a_terminal::program"
        );
        let mut child = Command::new("script")
            .args(["-qefc", &inner, "/dev/null"])
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .env("TERM", "xterm")
            .env("LANG", "C.UTF-8")
            .env(FOLDER, folder.path())
            .env(PLAY, play)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
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
        Self { keyboard: child.stdin.take().unwrap(), child, screen, folder }
    }

    /// Waits until the screen shows this, then types. Returns what was shown since the last time, up to it.
    fn when(&mut self, shown: &str, typed: &str) -> String {
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
            assert!(started.elapsed() < Duration::from_secs(30), "no «{shown}» in {screen}");
            drop(screen);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn end(mut self) -> (bool, String) {
        let started = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if started.elapsed() > Duration::from_secs(30) {
                self.child.kill().unwrap();
                panic!("it does not end: {}", self.screen.lock().unwrap());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(50));
        (self.child.wait().unwrap().success(), self.screen.lock().unwrap().clone())
    }
}

#[test]
fn a_conversation_with_a_question_in_its_place() {
    let mut terminal = Terminal::start("chat");
    let greeting = terminal.when(PROMPT, "WRITE a.txt\r");
    for part in ["listed/words", "workspace", "ask", "/help"] {
        assert!(greeting.contains(part), "{part} in {greeting}");
    }
    let asked = terminal.when("[e] edit", "y\n");
    let (before, question) = asked.split_once("wants to run").unwrap();
    assert!(before.contains("I write.") && before.contains("●"), "{before}");
    assert!(question.contains("+new"), "{question}");
    let after = terminal.when("Written, or not.", "");
    assert!(after.contains('✓') && after.contains("undo: "), "{after}");
    let file = terminal.folder.path().join("workspace/a.txt");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
    terminal.when(PROMPT, "/undo\r");
    terminal.when(PROMPT, "/mode read-only\r");
    assert!(!file.exists());
    terminal.when(PROMPT, "WRITE b.txt\r");
    let refused = terminal.when("Written, or not.", "");
    assert!(refused.contains("blocked"), "{refused}");
    terminal.when(PROMPT, "/sessions\r");
    let listed = terminal.when(PROMPT, "/nothing\r");
    assert!(listed.contains("1.") && listed.contains("新会话"), "{listed}");
    let unknown = terminal.when(PROMPT, "/quit\r");
    assert!(unknown.contains("there is no command /nothing"), "{unknown}");
    let (ok, screen) = terminal.end();
    assert!(ok && screen.contains("deskhand chat --session"), "{screen}");
}

#[test]
fn ctrl_c_cancels_a_turn_and_twice_leaves() {
    let mut terminal = Terminal::start("chat");
    terminal.when(PROMPT, "WAIT for me\r");
    // The moving line says that the turn is under way.
    terminal.when("waiting for the model", "\x03");
    let cancelled = terminal.when("Cancelled", "");
    assert!(cancelled.contains("Ctrl-C again leaves"), "{cancelled}");
    std::thread::sleep(Duration::from_millis(2_100));
    terminal.when(PROMPT, "half a line\x03");
    terminal.when("Ctrl-C again leaves", "\x03");
    assert!(terminal.end().0);
}

#[test]
fn a_signal_ends_it_at_the_prompt_and_leaves_the_terminal_as_it_was() {
    let mut terminal = Terminal::start("chat");
    terminal.when(PROMPT, "");
    terminal.when("› ", "");
    let pid = std::fs::read_to_string(terminal.folder.path().join("pid")).unwrap();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    let (ok, screen) = terminal.end();
    assert!(ok && screen.contains("\x1b[?2004l"), "{screen:?}");
}

#[test]
fn a_message_may_have_several_lines() {
    let mut terminal = Terminal::start("chat");
    terminal.when(PROMPT, "first \\\rsecond\r");
    // Pasted in one piece, as terminals mark it.
    terminal.when(PROMPT, "\x1b[200~alpha\nbeta\x1b[201~\r");
    terminal.when(PROMPT, "/history\r");
    let history = terminal.when(PROMPT, "\x04");
    let plain = history.replace("\r\n", "\n");
    assert!(plain.contains("\nfirst\nsecond\n") && plain.contains("\nalpha\nbeta\n"), "{history}");
    assert!(terminal.end().0);
}

#[test]
fn the_last_session_is_offered() {
    let mut terminal = Terminal::start("seeded");
    let offer = terminal.when(PROMPT, "r\r");
    assert!(offer.contains("Earlier talk") && offer.contains("1 message)"), "{offer}");
    let resumed = terminal.when(PROMPT, "hello\r");
    assert!(resumed.contains("what was said before"), "{resumed}");
    terminal.when("You said", "");
    terminal.when(PROMPT, "/sessions\r");
    let listed = terminal.when(PROMPT, "/quit\r");
    assert!(listed.contains("Earlier talk") && !listed.contains("2."), "{listed}");
    assert!(terminal.end().0);
}

#[test]
fn the_demo_plays_with_real_tools() {
    let mut terminal = Terminal::start("demo");
    let first = terminal.when("[e] edit", "y\n");
    assert!(first.contains("passport") && first.contains("+- tickets"), "{first}");
    let second = terminal.when("[e] edit", "y\n");
    assert!(second.contains('✓') && second.contains("undo"), "{second}");
    let (ok, last) = terminal.end();
    assert!(ok && last.contains("forbidden") && last.contains("blocked"), "{last}");
}
