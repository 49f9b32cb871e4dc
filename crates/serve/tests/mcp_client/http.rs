//! Servers over HTTP.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::post,
};
use deskhand_core::Status;
use deskhand_serve::mcp::client::ServerStatus;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::{desk::Desk, fixture::Fixture};

/// A server on a loopback port, with the headers that it was asked with.
struct Web {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Web {
    async fn serve(router: Router) -> Self {
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&seen);
        let router = router.layer(middleware::from_fn(move |request: Request, next: Next| {
            let said = request.headers().get("x-key").map(|value| value.to_str().unwrap().to_owned());
            noted.lock().unwrap().push(said.unwrap_or_default());
            next.run(request)
        }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, seen, serving }
    }

    async fn fixture() -> Self {
        let service = StreamableHttpService::new(
            || Ok(Fixture),
            Arc::new(LocalSessionManager::default()),
            StreamableHttpServerConfig::default(),
        );
        Self::serve(Router::new().route_service("/mcp", service)).await
    }

    fn asked(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

#[tokio::test]
async fn tools_over_http_are_called_with_the_headers_of_the_entry() {
    for (protocol, expected) in [("2026-07-28", "2026-07-28"), ("2025-11-25", "2025-11-25")] {
        let web = Web::fixture().await;
        let mut desk = Desk::new();
        desk.places.environment.insert("HTTP_KEY".into(), "only-for-the-server".into());
        let headers = json!({"X-Key": "${HTTP_KEY}"});
        desk.start(
            &json!({"s": {"url": format!("{}/mcp", web.url), "headers": headers, "protocol": protocol}}),
        );
        let state = desk.until_ready("s").await;
        assert_eq!(state.protocol_version.as_deref(), Some(expected));
        assert_eq!(state.kind, "http");
        let outcome = desk.call("mcp_s_echo", json!({"text": "over the wire"})).await;
        assert_eq!(outcome.data, json!({"said": "over the wire"}), "{outcome:?}");
        assert_eq!(outcome.outside.as_deref(), Some("the MCP server s"));
        assert!(web.seen.lock().unwrap().iter().all(|key| key == "only-for-the-server"), "{:?}", web.seen);
    }
}

#[tokio::test]
async fn the_revision_is_found_out_over_http_too() {
    let web = Web::fixture().await;
    let desk = Desk::with(json!({"s": {"url": format!("{}/mcp", web.url)}})).await;
    assert_eq!(desk.state("s").protocol_version.as_deref(), Some("2026-07-28"), "{:?}", desk.state("s"));
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_not_followed() {
    let other = Web::fixture().await;
    let target = format!("{}/mcp", other.url);
    let answer = move || {
        let target = target.clone();
        async move { (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, target)]).into_response() }
    };
    let web = Web::serve(Router::new().route("/mcp", post(answer))).await;
    let desk =
        Desk::with(json!({"s": {"url": format!("{}/mcp", web.url), "headers": {"X-Key": "abcdefgh"}}})).await;
    assert_eq!(desk.state("s").status, ServerStatus::Failed);
    assert!(web.asked() > 0);
    assert_eq!(other.asked(), 0);
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_the_end() {
    for (kind, said) in [("application/json", "an answer of more than"), ("text/event-stream", "closed")] {
        endless(kind, said).await;
    }
}

async fn endless(kind: &'static str, said: &str) {
    let sent = Arc::new(Mutex::new(0_usize));
    let counted = Arc::clone(&sent);
    let answer = move || {
        let counted = Arc::clone(&counted);
        async move {
            let pieces = futures_util::stream::repeat_with(move || {
                *counted.lock().unwrap() += 1_000_000;
                Ok::<_, std::io::Error>(vec![b'x'; 1_000_000])
            });
            Response::builder().header(header::CONTENT_TYPE, kind).body(Body::from_stream(pieces)).unwrap()
        }
    };
    let web = Web::serve(Router::new().route("/mcp", post(answer))).await;
    let desk = Desk::with(json!({"s": {"url": format!("{}/mcp", web.url)}})).await;
    let state = desk.state("s");
    assert_eq!(state.status, ServerStatus::Failed);
    let error = state.error.unwrap();
    assert!(error.contains(said), "{kind}: {error}");
    let sent = *sent.lock().unwrap();
    assert!(sent < 100_000_000, "{sent} bytes were taken");
}

#[tokio::test]
async fn the_address_with_its_secrets_is_in_no_error() {
    let desk = Desk::with(json!({
        "refused": {"url": "http://127.0.0.1:9/mcp?api_key=nobody-guesses-this"},
        "odd": {"url": "ftp://nobody-guesses-this@h/"},
        "ours": {"url": "http://127.0.0.1:9/", "headers": {"Accept": "nobody-guesses-this"}},
    }))
    .await;
    let shown = format!("{:?}", desk.servers().states());
    assert!(!shown.contains("nobody-guesses-this"), "{shown}");
    assert_eq!(desk.state("ours").status, ServerStatus::Failed);
}

#[tokio::test]
async fn a_server_that_wants_a_token_says_so() {
    let answer = || async { StatusCode::UNAUTHORIZED };
    let web = Web::serve(Router::new().route("/mcp", post(answer))).await;
    let desk = Desk::with(json!({"s": {"url": format!("{}/mcp", web.url)}})).await;
    let error = desk.state("s").error.unwrap();
    assert!(error.contains("`headers`"), "{error}");
}

#[tokio::test]
async fn a_connection_that_breaks_is_made_anew() {
    let web = Web::fixture().await;
    let url = format!("{}/mcp", web.url);
    let desk = Desk::with(json!({"s": {"url": url}})).await;
    drop(web);
    let outcome = desk.call("mcp_s_echo", json!({})).await;
    assert_eq!(outcome.status, Status::Error, "{outcome:?}");
    let state = desk.until("s", |state| state.restarts > 0).await;
    assert!(!state.tools.is_empty(), "they stay known");
}

#[tokio::test]
async fn a_call_that_is_answered_with_an_error_ends_no_other() {
    let service = StreamableHttpService::new(
        || Ok(Fixture),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let refuses = middleware::from_fn(|request: Request, next: Next| async move {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 1_000_000).await.unwrap();
        if String::from_utf8_lossy(&body).contains("refuse this") {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        next.run(Request::from_parts(parts, Body::from(body))).await
    });
    let web = Web::serve(Router::new().route_service("/mcp", service).layer(refuses)).await;
    let mut desk = Desk::new();
    desk.start(&json!({"s": {"url": format!("{}/mcp", web.url)}}));
    desk.until_ready("s").await;
    let outcome = desk.call("mcp_s_echo", json!({"text": "refuse this"})).await;
    let code = outcome.error.as_ref().map(|error| error.code.as_str());
    assert_eq!(code, Some("mcp_bad_answer"), "{outcome:?}");
    let state = desk.state("s");
    assert_eq!((state.status, state.restarts), (ServerStatus::Ready, 0), "{state:?}");
    assert_eq!(desk.call("mcp_s_echo", json!({"text": "this one not"})).await.status, Status::Success);
}
