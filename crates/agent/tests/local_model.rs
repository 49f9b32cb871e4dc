//! The wire against a real server that nobody here wrote, with a real model. Skipped, with a word, where there is none.

#![allow(clippy::unwrap_used, clippy::expect_used)] // all of it is tests

#[path = "support/local_server.rs"]
mod local_server;

use std::time::Duration;

use deskhand_agent::provider::{
    ChatMessage, ConnectOptions, Constrains, Constraint, Delta, ErrorClass, Finish, ModelName, ModelRequest,
    Provider, ProviderError, Reply, RetryPolicy, connect,
    discover::{Candidate, Look, list_models},
};
use local_server::LocalServer;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn request(text: &str) -> ModelRequest {
    ModelRequest {
        system: "You are brief.".into(),
        messages: vec![ChatMessage::User { text: text.into(), images: Vec::new() }],
        max_tokens: Some(24),
        extra: json!({"temperature": 0, "seed": 1}).as_object().unwrap().clone(),
        ..ModelRequest::default()
    }
}

async fn ask(provider: &dyn Provider, request: &ModelRequest) -> (Result<Reply, ProviderError>, Vec<Delta>) {
    let mut deltas = Vec::new();
    let answer = {
        let mut on = |delta| deltas.push(delta);
        let never = CancellationToken::new();
        let asking = provider.complete(request, &mut on, &never);
        tokio::time::timeout(Duration::from_mins(2), asking).await.expect("it hangs")
    };
    (answer, deltas)
}

#[tokio::test]
async fn a_real_server_is_found_and_answers() {
    let Some(server) = LocalServer::start(512) else { return };

    // It is found, and says what it is.
    let place = Candidate { provider: "vllm".into(), base_url: server.base_url().parse().unwrap() };
    let found = Look { places: vec![place], limit: Duration::from_secs(20) }.find().await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].name.provider.as_str(), found[0].context_tokens),
        ("llamacpp", Some(512)),
        "{found:?}"
    );
    assert_eq!(found[0].native_tools, Some(false), "its template knows no tools");
    let mut options = ConnectOptions {
        retry: RetryPolicy { tries: 2, first_wait: Duration::from_millis(10), ..RetryPolicy::default() },
        ..ConnectOptions::default()
    };
    found[0].fill(&mut options);
    assert_eq!(list_models("llamacpp", &options).await.unwrap(), [found[0].name.name.clone()]);
    let model = connect(&found[0].name, &options).unwrap();
    assert_eq!(model.capabilities().constrains, Constrains::JsonSchema);

    // A streamed answer.
    let (reply, deltas) = ask(&*model, &request("Say hello.")).await;
    let reply = reply.unwrap();
    let streamed: Vec<&str> = deltas
        .iter()
        .filter_map(|delta| if let Delta::Text(text) = delta { Some(text.as_str()) } else { None })
        .collect();
    assert!(streamed.len() > 1, "it did not stream: {deltas:?}");
    assert_eq!(streamed.concat(), reply.text);
    let usage = reply.usage.unwrap();
    assert!(usage.input_tokens > 5 && usage.output_tokens > 0 && usage.cost.is_none(), "{usage:?}");

    // One that is cut off says so.
    let (reply, _) =
        ask(&*model, &ModelRequest { max_tokens: Some(2), ..request("Tell a long story.") }).await;
    assert_eq!(reply.unwrap().finish, Finish::Length);

    // Even the smallest model writes a call that parses, if it can write nothing else.
    let schema = json!({
        "type": "object",
        "properties": {
            "tool": {"const": "read_file"},
            "arguments": {"type": "object", "properties": {"path": {"enum": ["a.txt", "b.txt"]}}, "required": ["path"], "additionalProperties": false},
        },
        "required": ["tool", "arguments"],
        "additionalProperties": false,
    });
    let constrained = ModelRequest {
        constraint: Some(Constraint { name: "call".into(), schema }),
        max_tokens: Some(64),
        ..request("Read the file a.txt with the tool read_file.")
    };
    let (reply, _) = ask(&*model, &constrained).await;
    let reply = reply.unwrap();
    let call: Value =
        serde_json::from_str(&reply.text).unwrap_or_else(|error| panic!("{error}: {}", reply.text));
    assert_eq!(call["tool"], "read_file");
    assert!(["a.txt", "b.txt"].contains(&call["arguments"]["path"].as_str().unwrap()), "{call}");

    // What does not fit is told for what it is, and not asked for again.
    let (reply, deltas) = ask(&*model, &request(&"word ".repeat(2000))).await;
    let error = reply.unwrap_err();
    assert_eq!(error.class, ErrorClass::TooLong, "{error}");
    assert!(error.message.contains("512"), "the server's own words: {error}");
    // (It may close a connection that it has kept: that is another matter.)
    let is_other = |delta: &Delta| matches!(delta, Delta::Notice(text) if text.contains("broke off"));
    assert!(deltas.iter().all(is_other), "{deltas:?}");

    // What it does not understand is told with its own words.
    let odd = ModelRequest {
        extra: json!({"messages": 1, "grammar": "root ::= ("}).as_object().unwrap().clone(),
        ..request("hi")
    };
    let (reply, _) = ask(&*model, &odd).await;
    let error = reply.unwrap_err();
    assert!(matches!(error.class, ErrorClass::BadRequest | ErrorClass::Server), "{error:?}");
    assert!(error.message.contains("grammar"), "{error}");

    // Once it has ended, that is told with what to do.
    let address = server.address.clone();
    drop(server);
    let (reply, _) = ask(&*model, &request("Say hello.")).await;
    let error = reply.unwrap_err();
    assert_eq!(error.class, ErrorClass::Network);
    assert!(error.message.contains(address.trim_start_matches("http://")), "{error}");
    assert!(error.to_string().contains("Is the server running?"), "{error}");
    assert!(ModelName::parse(&found[0].name.to_string()).is_ok());
}
