//! What is wrong with a server is named: for its list of models, and for a model that is tried out.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, ToSocketAddrs as _},
    time::Duration,
};

use deskhand_agent::provider::{
    ConnectOptions, KeptKeys, Key, KeyPlace, KeyStore, ModelName, Problem, ProviderError, RetryPolicy,
    TimeLimits, connect, discover::list_models, presets::presets, trial::try_out,
};
use serde_json::json;

use crate::mock::{Answer, Mock};

const KEY: &str = "test-key-0123456789";

fn options(address: &str) -> ConnectOptions {
    ConnectOptions {
        base_url: Some(address.to_owned()),
        keys: vec![Key::new(KEY)],
        retry: RetryPolicy { tries: 1, ..RetryPolicy::default() },
        ..ConnectOptions::default()
    }
}

/// The failures of both ways to ask.
async fn failures(provider: &str, options: &ConnectOptions) -> [ProviderError; 2] {
    let listed = list_models(provider, options).await.unwrap_err();
    let name = ModelName { provider: provider.to_owned(), name: "m".to_owned() };
    let model = connect(&name, options).unwrap();
    [listed, try_out(model.as_ref(), Duration::from_secs(20)).await.unwrap_err()]
}

fn closed_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

fn refusal(status: u16, message: &str) -> Answer {
    Answer::status(status, "", &json!({"error": {"message": message}}).to_string())
}

#[tokio::test]
async fn each_problem_is_named_and_only_the_servers_words_are_quoted() {
    let model_gone = r#"The model "m" does not exist"#;
    for (answer, problem, said) in [
        (refusal(401, "Incorrect API key provided."), Problem::WrongKey, Some("Incorrect API key provided.")),
        (refusal(403, "Country not supported"), Problem::NotAllowed, Some("Country not supported")),
        (refusal(403, "Invalid API key"), Problem::WrongKey, Some("Invalid API key")),
        (refusal(400, "temperature: below 2"), Problem::Refused, Some("temperature: below 2")),
        (Answer::status(403, "", "<html><title>Blocked</title>"), Problem::NotAllowed, None),
        (refusal(402, "Insufficient Balance"), Problem::NoCredit, Some("Insufficient Balance")),
        (refusal(429, "Slow down"), Problem::RateLimited, Some("Slow down")),
        (refusal(404, model_gone), Problem::NoSuchModel, Some(model_gone)),
        (refusal(503, "Overloaded"), Problem::ServerError, Some("Overloaded")),
        (Answer::status(404, "", r#"{"detail":"Not Found"}"#), Problem::NotCompatible, Some("Not Found")),
        (Answer::status(404, "", "404 page not found"), Problem::NotCompatible, Some("404 page not found")),
        (Answer::status(404, "", "<html><title>Gone</title>"), Problem::NotCompatible, None),
        (Answer::status(200, "", "<html><title>Hello</title>"), Problem::NotCompatible, None),
        (Answer::status(307, "location: https://elsewhere.example/\r\n", ""), Problem::Moved, None),
        (Answer::raw(""), Problem::BrokeOff, None),
        (Answer::raw("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"), Problem::BrokeOff, None),
        (Answer::raw("SSH-2.0-OpenSSH_9.6\r\n"), Problem::NotCompatible, None),
    ] {
        let mock = Mock::start(vec![answer]).await;
        for error in failures("custom", &options(&mock.url)).await {
            assert_eq!((error.problem(), error.said.as_deref()), (problem, said), "{error:?}");
            assert!(!format!("{error:?}").contains(KEY), "{error:?}");
        }
    }
    let silent = Mock::start(vec![Answer::default().hang()]).await;
    let limits = TimeLimits { first_byte: Duration::from_millis(100), ..TimeLimits::default() };
    for error in failures("custom", &ConnectOptions { limits, ..options(&silent.url) }).await {
        assert_eq!((error.problem(), error.said.as_deref()), (Problem::TimedOut, None), "{error:?}");
    }
    // A server that repeats the key.
    let mock = Mock::start(vec![refusal(401, &format!("bad key {KEY}"))]).await;
    for error in failures("custom", &options(&mock.url)).await {
        assert!(error.said.as_ref().unwrap().starts_with("bad key ") && !format!("{error:?}").contains(KEY));
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_says_why() {
    // Without a network, some resolvers cannot say whether a name exists.
    let looked_up = ("nowhere.invalid", 80).to_socket_addrs().unwrap_err().to_string();
    let unknown =
        if looked_up.contains("Temporary failure") { Problem::NoNetwork } else { Problem::NameNotFound };
    for (address, problem) in
        [(closed_port(), Problem::NoServer), ("http://nowhere.invalid/v1".to_owned(), unknown)]
    {
        for error in failures("custom", &options(&address)).await {
            assert_eq!((error.problem(), error.said.as_deref()), (problem, None), "{error:?}");
        }
    }
    // Plain HTTP where TLS is expected.
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}/v1", plain.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in plain.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            // Until the other side goes away.
            let _ = stream.read(&mut [0; 16]);
        }
    });
    for error in failures("custom", &options(&address)).await {
        assert_eq!(error.problem(), Problem::Tls, "{error:?}");
    }
    // What fails before anything is sent is no word of the server.
    let headers = vec![("bad name".to_owned(), "x".to_owned())];
    let error =
        list_models("custom", &ConnectOptions { headers, ..options(&closed_port()) }).await.unwrap_err();
    assert_eq!((error.problem(), error.said), (Problem::Other, None));
    for written in ["", "ftp://x", "http://"] {
        let error = list_models("custom", &options(written)).await.unwrap_err();
        assert_eq!(error.problem(), Problem::BadAddress, "{written}");
    }
}

#[tokio::test]
async fn ollama_says_how_it_is_started_and_how_a_model_is_had() {
    for error in failures("ollama", &options(&closed_port())).await {
        assert_eq!(error.problem(), Problem::NoServer);
        assert!(error.hint.as_ref().unwrap().contains("ollama serve"), "{error:?}");
    }
    for empty in
        [json!({"object": "list", "data": []}), json!({"object": "list", "data": null, "models": []})]
    {
        let mock = Mock::start(vec![Answer::status(200, "", &empty.to_string())]).await;
        let error = list_models("ollama", &options(&mock.url)).await.unwrap_err();
        assert_eq!(error.problem(), Problem::NoModels, "{error:?}");
        assert!(error.hint.as_ref().unwrap().contains("ollama pull "), "{error:?}");
    }
    let mock = Mock::start(vec![refusal(404, "model \"m\" not found, try pulling it first")]).await;
    let [_, error] = failures("ollama", &options(&mock.url)).await;
    assert_eq!(error.problem(), Problem::NoSuchModel);
    assert!(error.hint.as_ref().unwrap().contains("ollama pull m"), "{error:?}");
}

#[tokio::test]
async fn a_stored_key_goes_to_the_address_it_was_entered_for_and_nowhere_else() {
    let list = Answer::status(200, "", r#"{"data":[{"id":"m"}]}"#);
    let (first, second) = (Mock::start(vec![list.clone()]).await, Mock::start(vec![list]).await);
    let folder = tempfile::tempdir().unwrap();
    let store = KeyStore::new(None, Some(folder.path().join("keys.toml")));
    for provider in ["openai", "custom"] {
        store.keep(provider, &Key::new(KEY), Some(KeyPlace::File), Some(&first.url)).unwrap();
    }
    let kept = |mock: &Mock, kept_keys: KeptKeys| ConnectOptions {
        keys: Vec::new(),
        key_store: store.clone(),
        kept_keys,
        ..options(&mock.url)
    };
    let has_key = |mock: &Mock| mock.seen().last().unwrap().headers.contains(KEY);
    for provider in ["openai", "custom"] {
        list_models(provider, &kept(&first, KeptKeys::WhereEntered)).await.unwrap();
        assert!(has_key(&first));
    }
    let error = list_models("openai", &kept(&second, KeptKeys::WhereEntered)).await.unwrap_err();
    assert_eq!(error.problem(), Problem::KeyHeldBack, "{error:?}");
    assert!(second.seen().is_empty(), "it was not even asked");
    // A server that needs no key is asked without.
    list_models("custom", &kept(&second, KeptKeys::WhereEntered)).await.unwrap();
    assert!(!has_key(&second));
    list_models("custom", &kept(&second, KeptKeys::Anywhere)).await.unwrap();
    assert!(has_key(&second));
    store.move_key("custom", &second.url).unwrap();
    list_models("custom", &kept(&second, KeptKeys::WhereEntered)).await.unwrap();
    assert!(has_key(&second));

    // A key of the environment belongs to the address that was in force.
    let from_env = |kept_keys| ConnectOptions {
        env: std::sync::Arc::new(|name| (name == "DESKHAND_API_KEY").then(|| KEY.to_owned())),
        key_store: KeyStore::default(),
        ..kept(&second, kept_keys)
    };
    list_models("custom", &from_env(KeptKeys::Of(first.url.parse().unwrap()))).await.unwrap();
    assert!(!has_key(&second));
    list_models("custom", &from_env(KeptKeys::Of(second.url.parse().unwrap()))).await.unwrap();
    assert!(has_key(&second));
    assert!(presets().provider("custom").is_some_and(|custom| !custom.needs_key));
}
