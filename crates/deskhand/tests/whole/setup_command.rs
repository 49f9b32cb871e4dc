//! `deskhand setup` in a terminal and on a pipe.

use std::net::TcpListener;

use crate::{
    command::Shop,
    pty::{PROMPT, Pty},
    served::model_server::ModelServer,
};

const KEY: &str = "sk-open-sesame-0123456789abcdef";

fn config(shop: &Shop) -> String {
    std::fs::read_to_string(shop.root.join("home/.config/deskhand/config.toml")).unwrap_or_default()
}

#[test]
fn a_custom_server_is_set_up_in_the_terminal_and_its_key_is_tested() {
    let models = ModelServer::start();
    let shop = Shop::new();
    let mut terminal = Pty::start(&shop, "setup");
    let list = terminal.when("Provider (number", "custom\n");
    assert!(list.contains("Ollama") && list.contains("Custom OpenAI-compatible server"), "{list}");
    terminal.when("Address of the server", "ftp://nonsense\n");
    terminal.when("Key (not shown; empty: none): ", "sk-wrong\n");
    terminal.when("This address cannot be used.", "");
    terminal.when("[q] quit", "a\n");
    models.refuse("Incorrect API key provided.");
    terminal.when("Address of the server [ftp://nonsense]: ", &format!("{}\n", models.url));
    // The key that was typed for the other address is not sent here.
    terminal.when("wants a key.", "");
    assert!(!models.saw("sk-wrong"));
    terminal.when("[q] quit", "k\n");
    terminal.when("Key (not shown; empty: none): ", "sk-wrong\n");
    terminal.when("The key was refused.", "");
    terminal.when("answered: \"Incorrect API key provided.\"", "");
    terminal.when("[q] quit", "k\n");
    models.answer_well();
    terminal.when("Key (not shown; empty: none): ", &format!("{KEY}\n"));
    terminal.when("small-1", "");
    terminal.when("Model (number, name or part of it): ", "SMALL\n");
    let left = terminal.when("Model (number, name or part of it): ", "1\n");
    assert!(!left.contains("large-1"), "{left}");
    terminal.when("Testing custom/small-1…", "");
    terminal.when("It answered in", "");
    let left = terminal.end();
    assert_eq!((left.code, left.echoes), (0, true), "{left:?}");
    assert!(left.screen.contains("Saved.") && !left.screen.contains(KEY), "{left:?}");
    assert!(models.last().head.contains(&format!("Bearer {KEY}")));
    let config = config(&shop);
    assert!(config.contains("model = \"custom/small-1\"") && config.contains(&models.url), "{config}");
    let chat = shop.run(&["chat", "hi"]);
    assert_eq!((chat.code, chat.stdout.contains("OK")), (0, true), "{chat:?}");
    assert!(models.last().head.contains(&format!("Bearer {KEY}")));
}

#[test]
fn ollama_that_does_not_run_says_how_to_start_it_in_both_languages() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    for (language, parts) in [
        (
            "C.UTF-8",
            ["Ollama is not running at", "Start it in another terminal: ollama serve", "Nothing was saved."],
        ),
        ("zh_CN.UTF-8", ["Ollama 没有在", "请在另一个终端启动：ollama serve", "没有保存任何内容。"]),
    ] {
        let shop = Shop::new();
        let mut command = shop.command(&["setup", "ollama", "--address", &closed]);
        command.env("LC_ALL", language);
        let ran = command.output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(1), "{told}");
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        assert_eq!(config(&shop), "");
    }
    let ran = Shop::new().run(&["setup", "nobody"]);
    assert_eq!((ran.code, ran.stderr.contains("no provider \"nobody\"")), (2, true), "{ran:?}");
}

#[test]
fn a_message_without_a_model_goes_through_set_up_and_is_said_then() {
    let models = ModelServer::start();
    let shop = Shop::new();
    let mut terminal = Pty::start(&shop, "\"tidy my downloads\"");
    let hint = terminal.when("[s] set up a model", "s\n");
    assert!(hint.contains("Deskhand has no model to talk to yet."), "{hint}");
    terminal.when("Provider (number", "\n");
    // Nothing was set up: the menu is there again, and the message is not lost.
    terminal.when("[s] set up a model", "s\n");
    terminal.when("Provider (number", "custom\n");
    terminal.when("Address of the server", &format!("{}\n", models.url));
    terminal.when("Key (not shown; empty: none): ", &format!("{KEY}\n"));
    terminal.when("Model (number, name or part of it): ", "small-1\n");
    terminal.when("It answered in", "");
    terminal.when(PROMPT, "/quit\r");
    assert_eq!(terminal.end().code, 0);
    assert!(models.last().body["messages"].to_string().contains("tidy my downloads"));
    let piped = Shop::new().run(&["tidy my downloads"]);
    assert!(piped.code != 0 && piped.stderr.contains("deskhand setup"), "{piped:?}");
}
