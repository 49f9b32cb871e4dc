//! `deskhand mcp` as the program that a client starts: nothing but messages on stdout, and nothing left behind.

use std::{
    collections::BTreeSet,
    io::{BufRead, Write},
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use deskhand_core::schema;
use deskhand_testkit::block_until;
use serde_json::{Value, json};

use crate::{
    command::Shop,
    mcp_by_hand::Client,
    support::{is_gone, is_running, mark},
};

fn until_running(mark: &str) {
    block_until("the command runs", || is_running(mark));
}

#[test]
fn what_cannot_be_meant_is_refused_at_the_start() {
    let shop = Shop::new();
    for (arguments, words) in [
        (["--toolset", "files,nonsense"], ["«nonsense»", "shell"]),
        (["--dialect", "nonsense"], ["«nonsense»", "omni"]),
        (["--session", "x"], ["--session", "its own"]),
    ] {
        let refused = shop.command(&["mcp"]).args(arguments).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{arguments:?}: {said}");
    }
}

#[test]
fn nothing_but_messages_is_on_stdout() {
    let shop = Shop::new();
    shop.write("a.txt", "words\n");
    let mut client = Client::start(&shop, &["mcp", "--mode", "auto"]);
    assert_eq!(client.call("read_file", &json!({"path": "a.txt"}))["content"][0]["text"], "words\n");
    client.call("bash", &json!({"command": "echo out; echo err >&2"}));
    assert_eq!(client.ask("tools/call", &json!({"name": "none"}))["error"]["code"], -32602);
    assert_eq!(client.ask("no/such", &json!({}))["error"]["code"], -32601);
    client.hang_up();
}

#[test]
fn the_output_of_a_command_fits_what_was_listed() {
    let shop = Shop::new();
    let config = shop.root.join("home/.config/deskhand");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[mcp]\nstructured_content = true\n").unwrap();
    let mut client = Client::start(&shop, &["mcp", "--toolset", "shell", "--full-schemas"]);
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let bash = tools.iter().find(|tool| tool["name"] == "bash").unwrap();
    let validator = schema::compile(&bash["outputSchema"]).unwrap();
    let result = client.call("bash", &json!({"command": "echo out"}));
    assert!(validator.is_valid(&result["structuredContent"]), "{result}");
    assert_eq!(result["structuredContent"]["stdout"], "out\n");
    let failed = client.call("bash", &json!({"command": "echo out; ls none"}));
    assert_eq!(failed["isError"], true, "{failed}");
    let told = failed["content"][0]["text"].as_str().unwrap();
    assert!(told.starts_with("[exit_nonzero]") && told.contains("out"), "{told}");
    client.hang_up();
}

/// As text its bytes would fill the context of a model that cannot read them.
#[test]
fn picture_of_a_dialect_is_an_image_and_not_text_too() {
    let shop = Shop::new();
    let mut client = Client::start(&shop, &["mcp", "--dialect", "skillmint", "--mode", "auto"]);
    let path = shop.path("page.png").display().to_string();
    for (arguments, said) in
        [(json!({}), "A picture of about:blank: "), (json!({"path": "page.png"}), path.as_str())]
    {
        let result = client.call("browser_screenshot", &arguments);
        let blocks = result["content"].as_array().unwrap();
        let picture = blocks.iter().find(|block| block["type"] == "image").unwrap();
        assert!(picture["data"].as_str().unwrap().starts_with("iVBORw0KGgo"), "{picture}");
        let told = blocks[0]["text"].as_str().unwrap();
        assert!(told.contains(said) && !told.contains("iVBORw0KGgo"), "{told}");
    }
    client.hang_up();
}

#[test]
fn a_cancelled_request_ends_the_command() {
    let shop = Shop::new();
    let mark = mark();
    let mut client = Client::start(&shop, &["mcp"]);
    let command = json!({"name": "bash", "arguments": {"command": format!("sleep {mark}")}});
    let id = client.begin("tools/call", &command);
    until_running(&mark);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    assert!(is_gone(&mark));
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    client.hang_up();
}

#[test]
fn the_end_of_the_pipe_ends_the_command_and_the_program() {
    let shop = Shop::new();
    let mark = mark();
    let mut client = Client::start(&shop, &["mcp"]);
    client.begin("tools/call", &json!({"name": "bash", "arguments": {"command": format!("sleep {mark}")}}));
    until_running(&mark);
    client.hang_up();
    assert!(is_gone(&mark));
}

/// A client that sends and never reads: the server, the thread that sends, and how many requests went out.
fn one_that_only_sends(shop: &Shop, requests: usize) -> (Client, JoinHandle<()>, Arc<AtomicUsize>) {
    let mut client = Client::start(shop, &["mcp"]);
    let mut input = client.input.take().unwrap();
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let sending = thread::spawn(move || {
        for n in 0..requests {
            // Long ones, so that few of them fit into what a pipe holds.
            let meta = json!({"padding": "x".repeat(4 << 10)});
            let request =
                json!({"jsonrpc": "2.0", "id": n, "method": "tools/list", "params": {"_meta": meta}});
            // Where the server is gone, there is nothing more to send.
            if input.write_all(format!("{request}\n").as_bytes()).is_err() {
                return;
            }
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    (client, sending, sent)
}

/// How many went out when no more do.
fn at_rest(sent: &AtomicUsize) -> usize {
    let (mut last, mut seen) = (sent.load(Ordering::SeqCst), 0);
    while seen < 40 || last == 0 {
        thread::sleep(Duration::from_millis(25));
        let now = sent.load(Ordering::SeqCst);
        seen = if now == last { seen + 1 } else { 0 };
        last = now;
    }
    last
}

#[test]
fn who_does_not_read_answers_is_not_read_from_and_loses_none_of_them() {
    const REQUESTS: usize = 600;
    let shop = Shop::new();
    let (mut client, sending, sent) = one_that_only_sends(&shop, REQUESTS);
    // 64 that wait, what is read ahead (32), and what the pipes hold.
    let taken = at_rest(&sent);
    assert!(taken < 200, "{taken} were taken, though nobody reads an answer");
    let mut ids = BTreeSet::new();
    while ids.len() < REQUESTS {
        let mut line = String::new();
        assert!(client.output.read_line(&mut line).unwrap() > 0, "the server has ended");
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["result"]["tools"].is_array(), "{answer}");
        ids.insert(answer["id"].as_u64().unwrap());
    }
    // The thread drops its end of the pipe.
    sending.join().unwrap();
    client.hang_up();
}

#[test]
fn who_hangs_up_without_reading_an_answer_is_let_go() {
    let shop = Shop::new();
    let (mut client, sending, sent) = one_that_only_sends(&shop, 100);
    let taken = at_rest(&sent);
    assert_eq!(taken, 100, "all of them fit into what waits, what is read ahead and the pipe");
    sending.join().unwrap();
    client.child.wait().unwrap();
}

#[test]
fn what_is_no_message_is_answered_and_the_next_one_counts() {
    let shop = Shop::new();
    let mut client = Client::start(&shop, &["mcp"]);
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"deep":{open}{close}}}}}"#)
    };
    let too_long = format!(r#"{{"padding":"{}"}}"#, "x".repeat(17 << 20));
    for (line, code) in [
        ("this is no JSON", -32700),
        (r#"{"jsonrpc":"2.0","id":1,"#, -32700),
        (&deep(200), -32700),
        (&deep(100_000), -32700),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, -32600),
        ("[]", -32600),
        (&too_long, -32600),
    ] {
        let shown: String = line.chars().take(60).collect();
        let input = client.input.as_mut().unwrap();
        input.write_all(format!("\n{line}\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        client.output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(
            (&answer["error"]["code"], answer.get("id")),
            (&json!(code), Some(&Value::Null)),
            "{shown}: {answer}"
        );
        assert_eq!(client.ask("ping", &json!({}))["result"], json!({}), "after {shown}");
    }
    client.hang_up();
}
