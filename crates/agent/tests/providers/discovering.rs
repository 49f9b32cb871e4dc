//! Finding servers on this machine, and listing what a provider has.

use std::time::Duration;

use deskhand_agent::provider::{
    ConnectOptions, ErrorClass, ModelName,
    discover::{Candidate, Look, list_models},
};
use serde_json::json;

use crate::mock::{Answer, Mock};

fn json_answer(value: &serde_json::Value) -> Answer {
    Answer::status(200, "content-type: application/json\r\n", &value.to_string())
}

fn place(mock: &Mock, provider: &str) -> Candidate {
    Candidate { provider: provider.into(), base_url: mock.url.parse().unwrap() }
}

#[tokio::test]
async fn servers_are_found_and_say_what_they_can() {
    let llama = Mock::start(vec![
        json_answer(&json!({"data": [{"id": "model.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 1}}]})),
        json_answer(&json!({"default_generation_settings": {"n_ctx": 512}, "chat_template_caps": {"supports_tool_calls": true}, "modalities": {"vision": false}})),
    ])
    .await;
    let vllm = Mock::start(vec![json_answer(
        &json!({"data": [{"id": "org/model", "owned_by": "vllm", "max_model_len": 9000}]}),
    )])
    .await;
    let ollama = Mock::start(vec![
        json_answer(&json!({"data": [{"id": "qwen3:8b", "owned_by": "library"}, {"id": "nomic-embed-text", "owned_by": "library"}]})),
        json_answer(&json!({"models": [{"name": "qwen3:8b", "context_length": 8192}]})),
    ])
    .await;
    let studio = Mock::start(vec![
        json_answer(&json!({"data": [{"id": "a"}]})),
        json_answer(
            &json!({"data": [{"id": "a", "max_context_length": 100_000, "loaded_context_length": 6000}]}),
        ),
    ])
    .await;
    let old_ollama =
        Mock::start(vec![Answer::status(404, "", ""), json_answer(&json!({"models": [{"name": "old"}]}))])
            .await;
    let web = Mock::start(vec![Answer::status(200, "", "<html>hello</html>")]).await;
    let silent = Mock::start(vec![Answer::default().hang()]).await;
    // Not loopback by its name, though this machine would answer.
    let elsewhere = Mock::start(vec![json_answer(&json!({"data": [{"id": "x"}]}))]).await;
    let look = Look {
        places: vec![
            place(&llama, "lmstudio"),
            place(&vllm, "vllm"),
            place(&ollama, "ollama"),
            place(&studio, "lmstudio"),
            place(&old_ollama, "ollama"),
            place(&web, "llamacpp"),
            place(&silent, "vllm"),
            Candidate {
                provider: "vllm".into(),
                base_url: elsewhere.url.replace("127.0.0.1", "0.0.0.0").parse().unwrap(),
            },
        ],
        limit: Duration::from_secs(3),
    };
    let found = look.find().await;
    let told: Vec<_> = found
        .iter()
        .map(|model| (model.name.to_string(), model.context_tokens, model.native_tools))
        .collect();
    assert_eq!(
        told,
        [
            ("llamacpp/model.gguf".to_owned(), Some(512), Some(true)),
            ("vllm/org/model".to_owned(), Some(9000), None),
            ("ollama/qwen3:8b".to_owned(), Some(8192), None),
            ("lmstudio/a".to_owned(), Some(6000), None),
            ("ollama/old".to_owned(), None, None),
        ]
    );
    assert!(elsewhere.seen().is_empty());
    assert!(llama.seen().iter().all(|seen| !seen.headers.contains("authorization")));

    let mut options = ConnectOptions::default();
    found[0].fill(&mut options);
    assert_eq!((options.base_url.as_deref(), options.context_tokens), (Some(llama.url.as_str()), Some(512)));
    let mut mine = ConnectOptions { context_tokens: Some(7), ..ConnectOptions::default() };
    found[0].fill(&mut mine);
    assert_eq!(mine.context_tokens, Some(7));
    deskhand_agent::provider::connect(&found[0].name, &options).unwrap();
}

#[test]
fn it_looks_at_the_usual_ports_and_where_variables_point_on_this_machine() {
    let options = ConnectOptions {
        env: std::sync::Arc::new(|name| match name {
            "OLLAMA_HOST" => Some("0.0.0.0:5000".into()),
            "VLLM_BASE_URL" => Some("http://gpu.example.com:8000".into()),
            _ => None,
        }),
        ..ConnectOptions::default()
    };
    let places: Vec<String> =
        Look::usual(&options).places.iter().map(|place| place.base_url.to_string()).collect();
    for (port, is_there) in [("5000", true), ("11434", true), ("8080", true), ("8000", true), ("1234", true)]
    {
        assert_eq!(places.contains(&format!("http://127.0.0.1:{port}/v1")), is_there, "{port}: {places:?}");
    }
    assert_eq!(places.len(), 5, "{places:?}");
}

#[tokio::test]
async fn the_models_of_a_provider_are_listed() {
    let list = json!({"data": [{"id": "models/b"}, {"id": "a"}, {"id": "a"}]});
    for (provider, header) in
        [("gemini", "authorization: bearer test-key"), ("anthropic", "x-api-key: test-key")]
    {
        let mock = Mock::start(vec![json_answer(&list)]).await;
        assert_eq!(list_models(provider, &mock.options()).await.unwrap(), ["a", "b"]);
        let seen = mock.seen();
        assert!(["GET /v1/models", "GET /v1/models?limit=1000"].contains(&seen[0].line.as_str()), "{seen:?}");
        assert!(seen[0].headers.contains(header), "{}", seen[0].headers);
    }
    for (answer, class) in [
        (Answer::status(401, "", "no test-key"), ErrorClass::Auth),
        (Answer::status(200, "", "<html>"), ErrorClass::Malformed),
        (Answer::default().reset(), ErrorClass::Network),
    ] {
        let mock = Mock::start(vec![answer]).await;
        let error = list_models("openai", &mock.options()).await.unwrap_err();
        assert_eq!(error.class, class, "{error}");
        assert!(!format!("{error:?}").contains("test-key"));
    }
    assert!(list_models("nobody", &ConnectOptions::default()).await.is_err());
    assert!(ModelName::parse("gemini/a").is_ok());
}
