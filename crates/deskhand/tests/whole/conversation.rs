//! A conversation in a terminal, as a person has it: the binary, real tools, a model that follows a script.

use std::fs;

use serde_json::{Value, json};

use crate::{
    command::Shop,
    pty::{PROMPT, Pty},
};

/// The binary with a model that answers like this: what is said, and the replies to it.
fn talk(shop: &Shop, turns: &[(&str, Value)]) -> Pty {
    let mut replies = Vec::new();
    for (when, answers) in turns {
        for mut reply in answers.as_array().unwrap().clone() {
            reply["when"] = json!(when);
            replies.push(reply);
        }
    }
    let file = shop.root.join("script.json");
    fs::write(&file, json!({"matching": "by_message", "replies": replies}).to_string()).unwrap();
    Pty::start(shop, &format!("--model scripted/{}", file.display()))
}

fn write(path: &str) -> Value {
    json!({"text": "I write.", "calls": [{"name": "write_file", "arguments": {"path": path, "content": "new\n"}}]})
}

#[test]
fn a_conversation_with_a_question_in_its_place() {
    let shop = Shop::new();
    let done = json!({"text": "Written, or not."});
    let mut terminal = talk(
        &shop,
        &[("make a file", json!([write("a.txt"), done])), ("another file", json!([write("b.txt"), done]))],
    );
    let greeting = terminal.when(PROMPT, "make a file\r");
    for part in ["script.json", "workspace", "ask", "/help"] {
        assert!(greeting.contains(part), "{part} in {greeting}");
    }
    let asked = terminal.when("[e] edit", "y\n");
    let (before, question) = asked.split_once("wants to run").unwrap();
    assert!(before.contains("I write.") && before.contains('●'), "{before}");
    assert!(question.contains("+new"), "{question}");
    let after = terminal.when("Written, or not.", "");
    assert!(after.contains('✓') && after.contains("undo: "), "{after}");
    assert_eq!(shop.read("a.txt"), "new\n");
    terminal.when(PROMPT, "/undo\r");
    terminal.when(PROMPT, "/mode read-only\r");
    assert!(!shop.path("a.txt").exists());
    terminal.when(PROMPT, "another file\r");
    let refused = terminal.when("Written, or not.", "");
    assert!(refused.contains("blocked") && !shop.path("b.txt").exists(), "{refused}");
    terminal.when(PROMPT, "/sessions\r");
    let listed = terminal.when(PROMPT, "/nothing\r");
    assert!(listed.contains("1.") && listed.contains("make a file"), "{listed}");
    let unknown = terminal.when(PROMPT, "/quit\r");
    assert!(unknown.contains("there is no command /nothing"), "{unknown}");
    let left = terminal.end();
    assert!(left.code == 0 && left.screen.contains("deskhand chat --session"), "{left:?}");
}

/// The same tools and reasons as `deskhand tools` lists.
#[test]
fn tools_are_listed_in_a_conversation() {
    let shop = Shop::new();
    let listed = shop.run(&["tools", "--json"]).json();
    let mut terminal = talk(&shop, &[("never", json!([{"text": "never asked"}]))]);
    terminal.when(PROMPT, "/tools\r");
    let shown = terminal.when(PROMPT, "/tools list_windows\r");
    for tool in listed["tools"].as_array().unwrap().iter().chain(listed["absent"].as_array().unwrap()) {
        assert!(shown.contains(tool["name"].as_str().unwrap()), "{tool}: {shown}");
    }
    assert!(shown.contains("DISPLAY"), "why there are no windows here: {shown}");
    let one = terminal.when(PROMPT, "/quit\r");
    assert!(one.contains("DISPLAY"), "{one}");
    assert_eq!(terminal.end().code, 0);
}

#[test]
fn a_call_is_denied_with_a_reason_and_edited() {
    let shop = Shop::new();
    let told = json!({"text": "I see.", "expect": "wrong name"});
    let mut terminal = talk(
        &shop,
        &[
            ("make a file", json!([write("a.txt"), told])),
            ("once more", json!([write("c.txt"), {"text": "Good."}])),
        ],
    );
    terminal.when(PROMPT, "make a file\r");
    terminal.when("[e] edit", "n\n");
    terminal.when("Why", "wrong name\n");
    // In a question what is typed is seen.
    let seen = terminal.when("I see.", "");
    assert!(seen.contains("wrong name"), "{seen}");
    terminal.when(PROMPT, "once more\r");
    terminal.when("[e] edit", "e\n");
    terminal.when("New arguments", "{\"path\": \"b.txt\", \"content\": \"other\"}\n");
    terminal.when("[e] edit", "y\n");
    terminal.when("Good.", "");
    assert_eq!(shop.read("b.txt"), "other");
    assert!(!shop.path("a.txt").exists() && !shop.path("c.txt").exists());
    terminal.when(PROMPT, "\x04");
    assert_eq!(terminal.end().code, 0);
}

#[test]
fn ctrl_c_cancels_a_turn_and_twice_leaves() {
    let shop = Shop::new();
    let mut terminal = talk(&shop, &[("wait", json!([{"text": "late", "delay_ms": 600_000}]))]);
    terminal.when(PROMPT, "wait for me\r");
    // The moving line says that the turn is under way.
    terminal.when("waiting for the model", "\x03");
    let cancelled = terminal.when("Cancelled", "");
    assert!(cancelled.contains("Ctrl-C again leaves"), "{cancelled}");
    // What is done in between makes the next press a first one.
    terminal.when(PROMPT, "/mode\r");
    terminal.when("ask", "");
    terminal.when(PROMPT, "half a line\x03");
    terminal.when("Ctrl-C again leaves", "\x03");
    let left = terminal.end();
    assert!(left.code == 0 && left.echoes, "{left:?}");
}

#[test]
fn a_signal_ends_it_at_the_prompt_and_leaves_the_terminal_as_it_was() {
    let shop = Shop::new();
    let mut terminal = talk(&shop, &[("never", json!([{"text": "never asked"}]))]);
    terminal.when(PROMPT, "");
    terminal.when("› ", "");
    terminal.terminate();
    let left = terminal.end();
    assert!(left.code == 0 && left.echoes && left.screen.contains("\x1b[?2004l"), "{left:?}");
}

#[test]
fn a_signal_ends_it_in_a_turn_and_in_a_question() {
    for (reply, seen) in
        [(json!({"text": "late", "delay_ms": 600_000}), "waiting for the model"), (write("a"), "[e] edit")]
    {
        let shop = Shop::new();
        let mut terminal = talk(&shop, &[("go", json!([reply, {"text": "never asked"}]))]);
        terminal.when(PROMPT, "go\r");
        terminal.when(seen, "");
        terminal.terminate();
        let left = terminal.end();
        assert!(left.code == 0 && left.echoes, "{seen}: {left:?}");
        assert!(!shop.path("a").exists());
    }
}

#[test]
fn what_is_typed_in_a_turn_is_not_mixed_into_its_output() {
    let shop = Shop::new();
    let text = format!("begins {}ended.", "word ".repeat(10));
    let slow = json!({"text": text, "delay_ms": 150});
    let mut terminal = talk(&shop, &[("go", json!([slow])), ("typed-ahead", json!([{"text": "Seen."}]))]);
    terminal.when(PROMPT, "go\r");
    terminal.when("begins", "typed-ahead");
    let output = terminal.when("ended.", "");
    assert!(!output.contains("typed"), "{output:?}");
    // It waits for the prompt, where it is seen.
    terminal.when(PROMPT, "");
    terminal.when("typed-ahead", "\r");
    terminal.when("Seen.", "");
    terminal.when(PROMPT, "\x04");
    let left = terminal.end();
    assert!(left.code == 0 && left.echoes, "{left:?}");
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let shop = Shop::new();
    let slow = json!({"text": format!("begins {}", "word ".repeat(8)), "delay_ms": 150, "calls": [{"name": "write_file", "arguments": {"path": "a.txt", "content": "new\n"}}]});
    let mut terminal = talk(&shop, &[("go", json!([slow, {"text": "Good."}]))]);
    terminal.when(PROMPT, "go\r");
    terminal.when("begins", "y\ny\n");
    terminal.when("[e] edit", "");
    terminal.when("> ", "n\n");
    terminal.when("Why", "\n");
    terminal.when("Good.", "");
    assert!(!shop.path("a.txt").exists(), "only the answer to the question counts");
    terminal.when(PROMPT, "\x04");
    assert_eq!(terminal.end().code, 0);
}

#[test]
fn a_message_may_have_several_lines() {
    let shop = Shop::new();
    let mut terminal =
        talk(&shop, &[("second", json!([{"text": "One."}])), ("beta", json!([{"text": "Two."}]))]);
    terminal.when(PROMPT, "first \\\rsecond\r");
    terminal.when("One.", "");
    // Pasted in one piece, as terminals mark it.
    terminal.when(PROMPT, "\x1b[200~alpha\nbeta\x1b[201~\r");
    terminal.when("Two.", "");
    terminal.when(PROMPT, "/history\r");
    let history = terminal.when(PROMPT, "\x04");
    let plain = history.replace("\r\n", "\n");
    assert!(plain.contains("\nfirst\nsecond\n") && plain.contains("\nalpha\nbeta\n"), "{history}");
    assert_eq!(terminal.end().code, 0);
}

#[test]
fn the_last_session_is_offered() {
    let shop = Shop::new();
    let file = shop.root.join("earlier.json");
    fs::write(&file, json!({"replies": [{"text": "It was answered."}]}).to_string()).unwrap();
    let model = format!("scripted/{}", file.display());
    assert_eq!(shop.run(&["--model", &model, "chat", "Earlier talk"]).code, 0);
    let mut terminal = talk(&shop, &[("hello", json!([{"text": "You said it."}]))]);
    let offer = terminal.when(PROMPT, "r\r");
    assert!(offer.contains("Earlier talk") && offer.contains("2 messages)"), "{offer}");
    let resumed = terminal.when(PROMPT, "hello\r");
    assert!(resumed.contains("It was answered."), "{resumed}");
    terminal.when("You said it.", "");
    terminal.when(PROMPT, "/sessions\r");
    let listed = terminal.when(PROMPT, "/quit\r");
    assert!(listed.contains("Earlier talk") && !listed.contains("2."), "{listed}");
    assert_eq!(terminal.end().code, 0);
}

#[test]
fn a_conversation_is_compacted_and_its_cost_counted() {
    let shop = Shop::new();
    let usage = json!({"input_tokens": 1200, "output_tokens": 34, "cached_tokens": 0});
    let turns = [
        ("Now write the summary", json!([{"text": "The user is Ada."}])),
        ("I am Ada", json!([{"text": "Hello Ada.", "usage": usage}])),
        ("who am I", json!([{"text": "You are Ada."}])),
    ];
    let mut terminal = talk(&shop, &turns);
    terminal.when(PROMPT, "I am Ada\r");
    terminal.when("Hello Ada.", "");
    terminal.when(PROMPT, "/compact\r");
    terminal.when("replaced by a summary", "");
    terminal.when(PROMPT, "who am I?\r");
    terminal.when("You are Ada.", "");
    terminal.when(PROMPT, "/cost\r");
    let cost = terminal.when(PROMPT, "\x04");
    assert!(cost.contains("2 turns: 1,200 tokens"), "{cost}");
    assert_eq!(terminal.end().code, 0);
}

#[test]
fn the_demo_plays_with_real_tools() {
    let shop = Shop::new();
    let mut terminal = Pty::start(&shop, "demo");
    let first = terminal.when("[e] edit", "y\n");
    assert!(first.contains("passport") && first.contains("+- tickets"), "{first}");
    let second = terminal.when("[e] edit", "y\n");
    assert!(second.contains('✓') && second.contains("undo"), "{second}");
    let left = terminal.end();
    assert!(left.code == 0 && left.echoes, "{left:?}");
    assert!(left.screen.contains("forbidden") && left.screen.contains("blocked"), "{left:?}");
}
