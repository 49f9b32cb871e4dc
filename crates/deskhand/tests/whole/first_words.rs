//! The first words on the command line: a message, a command, `--continue`, and the short id of a session.

use std::fs;

use serde_json::{Value, json};

use crate::{
    command::{Ran, Shop},
    pty::{PROMPT, Pty},
};

fn model(shop: &Shop, replies: &Value) -> String {
    let file = shop.root.join("replies.json");
    fs::write(&file, json!({"replies": replies}).to_string()).unwrap();
    format!("scripted/{}", file.display())
}

/// The first event of a turn that ran: who said what in which session.
fn turn(ran: &Ran) -> (String, String) {
    assert_eq!(ran.code, 0, "{ran:?}");
    let first: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    let text = |key: &str| first[key].as_str().unwrap_or_else(|| panic!("{key}: {first}")).to_owned();
    (text("session_id"), text("message"))
}

#[test]
fn several_words_are_a_message_and_one_word_is_a_command() {
    let shop = Shop::new();
    let model = model(&shop, &json!([{"text": "Tidied."}, {"text": "Again."}]));
    let (id, message) = turn(&shop.run(&["--json", "--model", &model, "tidy my downloads"]));
    assert_eq!(message, "tidy my downloads");
    let (_, message) = turn(&shop.run(&["整理我的下载文件夹", "--json", "--model", &model]));
    assert_eq!(message, "整理我的下载文件夹");
    for arguments in [vec!["--session", &id, "tidy them again"], vec!["tidy them again", "--session", &id]] {
        let ran = shop.run(&[&["--json", "--model", &model][..], &arguments].concat());
        assert_eq!(turn(&ran), (id.clone(), "tidy them again".to_owned()));
    }
    for (arguments, says) in [
        (vec!["tols"], "'tools'"),
        (vec!["tidy"], "unrecognized subcommand 'tidy'"),
        (vec!["tidy my downloads", "now"], "unexpected argument 'now'"),
        (vec!["tidy my downloads", "--nonsense"], "--nonsense"),
        (vec!["sessions", "tidy my downloads"], "unrecognized subcommand 'tidy my downloads'"),
    ] {
        let ran = shop.run(&arguments);
        assert!(ran.code == 2 && ran.stderr.contains(says), "{arguments:?}: {ran:?}");
    }
    let help = shop.run(&["--help"]).stdout;
    assert!(help.contains("deskhand \"tidy my downloads\"") && help.contains("--continue"), "{help}");
}

#[test]
fn continue_resumes_the_newest_session_of_the_workspace() {
    let shop = Shop::new();
    let model = model(&shop, &json!([{"text": "One."}, {"text": "Two."}, {"text": "Three."}]));
    let say = |arguments: &[&str]| shop.run(&[&["--json", "--model", &model][..], arguments].concat());
    let none = say(&["--continue", "go on then"]);
    assert!(none.code == 2 && none.stderr.contains("leave out --continue"), "{none:?}");
    turn(&say(&["the first one"]));
    let (id, _) = turn(&say(&["the second one"]));
    for arguments in [&["--continue", "and then"][..], &["--continue", "chat", "and"]] {
        assert_eq!(turn(&say(arguments)).0, id, "{arguments:?}");
    }
    let piped = shop.run_with(&["--json", "--model", &model, "--continue"], "from a pipe");
    assert_eq!(turn(&piped).0, id);
    let other = shop.run(&["--continue", "tools"]);
    assert!(other.code == 2 && other.stderr.contains("--continue resumes a conversation"), "{other:?}");
}

/// In a terminal the message is the first of a conversation, which stays open.
#[test]
fn in_a_terminal_a_message_begins_a_conversation() {
    let shop = Shop::new();
    let model = model(&shop, &json!([{"text": "Tidied it."}, {"text": "You are welcome."}]));
    let mut terminal = Pty::start(&shop, &format!("--model {model} \"tidy my downloads\""));
    let shown = terminal.when("Tidied it.", "");
    assert!(!shown.contains("resume"), "{shown}");
    terminal.when(PROMPT, "thanks\r");
    terminal.when("You are welcome.", "");
    terminal.when(PROMPT, "/quit\r");
    let left = terminal.end();
    assert!(left.code == 0 && left.screen.contains("deskhand chat --session"), "{left:?}");
}

#[test]
fn chat_without_a_terminal_advises_only_options_it_has() {
    let shop = Shop::new();
    let write = json!([{"calls": [{"name": "write_file", "arguments": {"path": "a", "content": "x"}}]}, {"text": "Done."}]);
    let ran = shop.run(&["--json", "--model", &model(&shop, &write), "chat", "write"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("--mode auto") && !ran.stdout.contains("--yes"), "{ran:?}");
    assert!(!ran.stdout.contains("--wait"), "{ran:?}");
    let allowed = shop.run(&["--json", "--model", &model(&shop, &write), "--mode", "auto", "chat", "write"]);
    assert_eq!((allowed.code, shop.read("a").as_str()), (0, "x"), "{allowed:?}");
    let silent = shop.run(&["--model", &model(&shop, &write), "chat"]);
    assert!(silent.code == 2 && silent.stderr.contains("deskhand chat \"MESSAGE\""), "{silent:?}");
    let call = shop.run(&["call", "write_file", "path=b", "content=x"]);
    assert!(call.code == 3 && call.stderr.contains("--yes"), "{call:?}");
}

/// As listings show it, wherever a session is named.
#[test]
fn a_session_is_named_by_the_end_of_its_id_everywhere() {
    let shop = Shop::new();
    let model = model(&shop, &json!([{"text": "One."}, {"text": "Two."}]));
    let (id, _) = turn(&shop.run(&["--json", "--model", &model, "say one"]));
    let listed = shop.run(&["sessions", "list"]).stdout;
    let short = listed.split_whitespace().find(|word| id.ends_with(word) && word.len() >= 6);
    let short = short.unwrap_or_else(|| panic!("{listed}"));
    assert!(short.len() < id.len());
    let (said, _) = turn(&shop.run(&["--json", "--model", &model, "--session", short, "say two"]));
    assert_eq!(said, id);
    for arguments in [
        vec!["sessions", "show", short],
        vec!["sessions", "rename", short, "New title"],
        vec!["sessions", "archive", short],
        vec!["sessions", "unarchive", short],
        vec!["sessions", "fork", short],
        vec!["sessions", "export", short],
        vec!["sessions", "search", "say", "--session", short],
        vec!["sessions", "delete", short, "--soft", "--yes"],
        vec!["sessions", "restore", short],
    ] {
        let ran = shop.run(&arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
    }
    shop.write("a.txt", "x");
    for (name, wanted) in [(short, id.as_str()), ("made-up", "made-up"), ("0123456789", "0123456789")] {
        let ran = shop.run(&["call", "read_file", "path=a.txt", "--session", name]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let audit = shop.run(&["audit", "--json", "--limit", "1"]).json();
        assert_eq!(audit["records"][0]["session_id"], wanted, "{audit}");
    }
    // A copy has the same beginning in the same minute: nothing is guessed.
    let start = &id[..6];
    let several = shop.run(&["call", "read_file", "path=a.txt", "--session", start]);
    assert!(several.code == 2 && several.stderr.contains(&id), "{several:?}");
}
