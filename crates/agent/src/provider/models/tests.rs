use std::collections::HashMap;

use serde_json::json;

use super::*;

fn options(variables: &[(&str, &str)]) -> ConnectOptions {
    let variables: HashMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ConnectOptions { env: Arc::new(move |name| variables.get(name).cloned()), ..ConnectOptions::default() }
}

fn connected(model: &str, options: &ConnectOptions) -> Result<Served, ProviderError> {
    served(&ModelName::parse(model)?, options)
}

#[test]
fn names_are_parsed() {
    for (text, provider, name) in [
        ("openai/gpt-5", "openai", "gpt-5"),
        ("openrouter/anthropic/claude-sonnet-4", "openrouter", "anthropic/claude-sonnet-4"),
        ("ollama/qwen3:8b", "ollama", "qwen3:8b"),
        ("scripted//tmp/x.json", "scripted", "/tmp/x.json"),
        (" deepseek ", "deepseek", "deepseek-chat"),
        ("deepseek/", "deepseek", "deepseek-chat"),
        ("custom/x", "custom", "x"),
    ] {
        let parsed = ModelName::parse(text).unwrap();
        assert_eq!((parsed.provider.as_str(), parsed.name.as_str()), (provider, name), "{text}");
        assert_eq!(parsed.to_string(), format!("{provider}/{name}"));
    }
    for text in ["", "gpt-5", "nobody/x", "ollama", "ollama/", "/x"] {
        let error = ModelName::parse(text).unwrap_err();
        assert!(
            error.to_string().contains("PROVIDER/NAME") && error.to_string().contains("zhipu"),
            "{text}: {error}"
        );
    }
}

#[test]
fn variables_say_where_and_with_what() {
    let served = connected("openai/gpt-5", &options(&[("OPENAI_API_KEY", "k1,k2")])).unwrap();
    assert_eq!(served.wire.url(), "https://api.openai.com/v1/chat/completions");
    assert_eq!(served.keys.get(1).unwrap(), &Key::new("k2"));
    assert_eq!(served.capabilities.context_tokens, 400_000);
    assert!(served.capabilities.native_tools && served.capabilities.images);

    let served = connected(
        "zhipu/glm-new",
        &options(&[("ZHIPUAI_API_KEY", "k"), ("ZHIPU_BASE_URL", "http://127.0.0.1:9/v4")]),
    )
    .unwrap();
    assert_eq!(served.wire.url(), "http://127.0.0.1:9/v4/chat/completions");
    assert_eq!(served.capabilities.context_tokens, 128_000);
    assert_eq!(served.about.key_variable.as_deref(), Some("ZHIPUAI_API_KEY"));

    let served =
        connected("ollama/x", &options(&[("OLLAMA_HOST", "0.0.0.0"), ("OLLAMA_CONTEXT_LENGTH", "16384")]))
            .unwrap();
    assert_eq!(served.wire.url(), "http://127.0.0.1:11434/v1/chat/completions");
    assert_eq!(served.capabilities.context_tokens, 16_384);
    assert!(!served.capabilities.images);
    let seeing = connected("ollama/llava:13b", &options(&[])).unwrap().capabilities;
    assert_eq!((seeing.images, seeing.context_tokens), (true, 4_096));

    let served = connected("anthropic", &options(&[("ANTHROPIC_API_KEY", "k")])).unwrap();
    assert_eq!(served.wire.url(), "https://api.anthropic.com/v1/messages");
    assert_eq!(served.name(), "anthropic/claude-sonnet-4-5");
}

#[test]
fn options_win() {
    let given = ConnectOptions {
        base_url: Some("http://127.0.0.1:1".into()),
        keys: vec![Key::new("mine")],
        extra: json!({"seed": 1}).as_object().unwrap().clone(),
        headers: vec![("X-Team".into(), "a".into())],
        context_tokens: Some(99),
        native_tools: Some(false),
        constrains: Some(Constrains::No),
        images: Some(false),
        ..options(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:2")])
    };
    let served = connected("openai/gpt-5", &given).unwrap();
    assert_eq!(served.wire.url(), "http://127.0.0.1:1/v1/chat/completions");
    assert_eq!(
        served.capabilities,
        Capabilities { native_tools: false, constrains: Constrains::No, images: false, context_tokens: 99 }
    );
    let headers = served.wire.headers(served.keys.get(0));
    assert_eq!(
        (&headers["authorization"], &headers["x-team"]),
        (&HeaderValue::from_static("Bearer mine"), &HeaderValue::from_static("a"))
    );
    assert_eq!(served.wire.body(&crate::provider::ModelRequest::default())["seed"], 1);
    let as_anthropic = ConnectOptions { api: Some(Api::Anthropic), ..given };
    assert_eq!(connected("custom/x", &as_anthropic).unwrap().wire.url(), "http://127.0.0.1:1/v1/messages");
}

#[test]
fn what_is_missing_is_named() {
    for (model, variables, part) in [
        ("openai/gpt-5", vec![], "set OPENAI_API_KEY"),
        ("zhipu/glm-4.6", vec![("ZHIPU_API_KEY", " , ")], "set ZHIPU_API_KEY"),
        ("custom/x", vec![], "set DESKHAND_BASE_URL"),
        ("openai/x", vec![("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "ftp://x")], "ftp://x"),
        ("openai/x", vec![("OPENAI_API_KEY", "k\u{7}y")], "Look at OPENAI_API_KEY"),
    ] {
        let error = connected(model, &options(&variables)).err().unwrap();
        assert!(error.to_string().contains(part), "{model}: {error}");
        assert!(!error.to_string().contains('\u{7}'));
    }
    let bad_header = ConnectOptions { headers: vec![("a b".into(), "c".into())], ..options(&[]) };
    assert!(connected("ollama/x", &bad_header).err().unwrap().message.contains("«a b»"));
    assert!(connect(&ModelName::parse("scripted//nonexistent.json").unwrap(), &options(&[])).is_err());
    // One's own server under a provider's name may want no key.
    assert!(connected("openai/x", &options(&[("OPENAI_BASE_URL", "http://127.0.0.1:1")])).is_ok());
}
