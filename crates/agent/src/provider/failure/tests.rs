//! The refusals of the servers that people use, as they word them.

use serde_json::json;

use super::*;
use ErrorClass::{Auth, BadRequest, NoCredit, NoSuchModel, NoTools, RateLimited, Server, TooLong};

fn about() -> About {
    About {
        model: "openai/gpt-x".into(),
        host: "api.example.com".into(),
        key_variable: Some("OPENAI_API_KEY".into()),
        base_variable: Some("OPENAI_BASE_URL".into()),
        ..About::default()
    }
}

#[test]
#[allow(clippy::too_many_lines)] // one table
fn statuses_and_bodies_have_their_class() {
    let cases: &[(u16, &str, ErrorClass)] = &[
        (400, r#"{"error":{"message":"bad","type":"invalid_request_error"}}"#, BadRequest),
        (401, r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#, Auth),
        (403, "forbidden", Auth),
        (404, "", NoSuchModel),
        (402, r#"{"error":{"message":"Insufficient Balance"}}"#, NoCredit),
        (408, "", Server),
        (409, "", BadRequest),
        (413, "", TooLong),
        (422, r#"{"detail":[{"msg":"field required","type":"missing"}]}"#, BadRequest),
        (429, r#"{"error":{"message":"Rate limit reached"}}"#, RateLimited),
        (
            429,
            r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
            NoCredit,
        ),
        (
            429,
            r#"{"error":{"message":"Request too large for gpt-4o on tokens per min","code":"rate_limit_exceeded"}}"#,
            TooLong,
        ),
        (500, "", Server),
        (501, "", BadRequest),
        (503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#, Server),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Server),
        // OpenAI
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
            TooLong,
        ),
        (
            404,
            r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
            NoSuchModel,
        ),
        // llama.cpp
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            TooLong,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#,
            NoTools,
        ),
        // vLLM
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000","type":"BadRequestError","code":400}"#,
            TooLong,
        ),
        (
            400,
            r#"{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}"#,
            NoTools,
        ),
        // Ollama
        (
            400,
            r#"{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools"}}"#,
            NoTools,
        ),
        (404, r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#, NoSuchModel),
        // Anthropic
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            TooLong,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
            NoCredit,
        ),
        (403, r#"{"type":"error","error":{"type":"permission_error","message":"no"}}"#, Auth),
        (404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#, NoSuchModel),
        // GLM
        (400, r#"{"error":{"code":"1261","message":"Prompt 超长"}}"#, TooLong),
        (429, r#"{"error":{"code":"1113","message":"您的账户已欠费，请充值后重试"}}"#, NoCredit),
        (429, r#"{"error":{"code":"1302","message":"并发数过高"}}"#, RateLimited),
        (400, r#"{"error":{"code":"1211","message":"模型不存在，请检查模型代码"}}"#, NoSuchModel),
        // Qwen
        (
            400,
            r#"{"code":"InvalidParameter","message":"Range of input length should be [1, 30720]"}"#,
            TooLong,
        ),
        (400, r#"{"error":{"code":"Arrearage","message":"Access denied"}}"#, NoCredit),
        // DeepSeek
        (400, r#"{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}"#, NoSuchModel),
        (400, r#"{"error":{"message":"This model's maximum context length is 65536 tokens"}}"#, TooLong),
        // Moonshot
        (
            400,
            r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}"#,
            TooLong,
        ),
        // OpenRouter
        (404, r#"{"error":{"message":"No endpoints found that support tool use."}}"#, NoTools),
        (400, r#"{"error":{"message":"x/y is not a valid model ID","code":400}}"#, NoSuchModel),
        (
            400,
            r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long\"}}"}}}"#,
            TooLong,
        ),
        // Gemini
        (
            400,
            r#"[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]"#,
            Auth,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"The input token count (2000000) exceeds the maximum number of tokens allowed"}}]"#,
            TooLong,
        ),
        (
            429,
            r#"[{"error":{"code":429,"message":"You exceeded your current quota. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED"}}]"#,
            RateLimited,
        ),
        (502, "<html><head><title>502 Bad Gateway</title></head></html>", Server),
    ];
    for (status, body, want) in cases {
        let error = of_response(&about(), *status, &HeaderMap::new(), body.as_bytes());
        assert_eq!(error.class, *want, "{status} {body}: {error}");
        assert_eq!(error.status, Some(*status));
        assert!(error.message.contains(&status.to_string()));
    }
}

#[test]
fn the_servers_own_words_reach_the_person() {
    let body = json!({"error": {"message": "temperature: must be below 2", "type": "invalid_request_error"}});
    let error = of_response(&about(), 400, &HeaderMap::new(), body.to_string().as_bytes());
    assert_eq!(error.to_string(), "api.example.com answered 400: temperature: must be below 2");
    let page =
        of_response(&about(), 502, &HeaderMap::new(), b"<!doctype html><TITLE>Bad Gateway</TITLE><p>lots");
    assert!(page.message.ends_with("a web page («Bad Gateway»), not an answer of a model"), "{page}");
}

#[test]
fn words_are_bounded_and_masked() {
    let long = of_response(&about(), 400, &HeaderMap::new(), "é".repeat(100_000).as_bytes());
    assert!(long.message.chars().count() < 2_100);
    let secret = format!("sk-proj-{}", "Ab3dEf9hIjKlMn0pQrStUvWx".repeat(2));
    let body = json!({"error": {"message": format!("Incorrect API key provided: {secret}")}});
    let error = of_response(&about(), 401, &HeaderMap::new(), body.to_string().as_bytes());
    assert!(!error.message.contains(&secret) && error.message.contains("⟦masked:"), "{error}");
    assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
}

#[test]
fn the_key_itself_is_taken_out_whatever_it_looks_like() {
    let key = Key::new("plainword123");
    let error = ProviderError::new(Auth, "no such user: plainword123").hint("not plainword123");
    let error = without_key(error, Some(&key));
    assert_eq!(error.to_string(), "no such user: ⟦masked:key⟧ not ⟦masked:key⟧");
}

#[test]
fn errors_in_a_stream_are_classed_too() {
    for (value, want) in [
        (json!({"error": {"code": 500, "message": "boom", "type": "server_error"}}), Server),
        (json!({"error": "model crashed"}), Server),
        (json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "x"}}), TooLong),
        (json!({"error": {"type": "overloaded_error", "message": "Overloaded"}}), Server),
        (json!({"error": {"code": 429, "message": "slow down, try again in 2s"}}), RateLimited),
        (json!({"error": {"type": "invalid_request_error", "message": "x"}}), BadRequest),
    ] {
        assert!(is_error(&value), "{value}");
        assert_eq!(of_value(&about(), &value).class, want, "{value}");
    }
    for fine in
        [json!({"choices": [], "error": null}), json!({"error": {}}), json!({"type": "ping"}), json!([1])]
    {
        assert!(!is_error(&fine), "{fine}");
    }
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let mut headers = HeaderMap::new();
    headers.insert("location", "https://elsewhere.example/v1".parse().unwrap());
    let error = of_response(&about(), 308, &headers, b"");
    assert_eq!(error.class, BadRequest);
    assert!(error.message.contains("https://elsewhere.example/v1"), "{error}");
    assert!(error.to_string().contains("OPENAI_BASE_URL"), "{error}");
}
