//! The web page, as it was built into the program; and how a browser gets its cookie.

use std::net::SocketAddr;

use axum::{
    extract::{ConnectInfo, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::{app::App, door, error::ApiError, token};

/// What `make build` (or `npm run build` in `web/`) has made. Compressed forms lie beside the files.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Files;

const INDEX: &str = "index.html";
/// Names of files in here have a hash of their content in them.
const NAMED_BY_CONTENT: &str = "assets/";

/// Said where the program was built without its page.
const NO_PAGE: &str = "The web page was not built into this program.\n\
    Build it with `make build` in the project's folder. The API under /api/v1/ works all the same.\n";

/// Whether the program has its page.
pub fn is_built_in() -> bool {
    Files::get(INDEX).is_some()
}

/// Everything that no other route answers.
pub async fn serve(
    State(app): State<App>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, ApiError> {
    let path = uri.path().trim_start_matches('/');
    if path.starts_with("api/") || path.starts_with("v1/") {
        return Err(ApiError::not_found(format!("there is no {method} {}", uri.path())));
    }
    if method != Method::GET && method != Method::HEAD {
        return Err(ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this is only read"));
    }
    let wanted = if path.is_empty() { INDEX } else { path };
    let mut response = match file(wanted, &headers) {
        Some(found) => found,
        // Views have addresses of their own; what looks like a file and is none is not there.
        None if wanted == INDEX || !wanted.rsplit('/').next().unwrap_or_default().contains('.') => {
            file(INDEX, &headers).unwrap_or_else(|| (StatusCode::OK, NO_PAGE).into_response())
        }
        None => return Err(ApiError::not_found(format!("there is no file {:?}", uri.path()))),
    };
    if !comes_from_another_site(&headers)
        && let Some(cookie) = cookie(&app, peer, &uri)?
    {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Whether a page of somebody else led here: its link must not put a browser into an account of its choice.
fn comes_from_another_site(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site" || site == "same-site")
}

/// The cookie for whoever comes with a token in the address.
fn cookie(app: &App, peer: SocketAddr, uri: &Uri) -> Result<Option<HeaderValue>, ApiError> {
    let token = uri.query().unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("token="));
    let Some(token) = token else { return Ok(None) };
    if !door::opens_page(app.door(), peer, token)? {
        return Ok(None);
    }
    let value = token::cookie_value(&deskhand_core::arguments::sha256_hex(token.as_bytes()));
    let secure = if app.is_secure() { "; Secure" } else { "" };
    let cookie = format!(
        "{}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
        app.door().cookie_name(),
        30 * 24 * 3600,
    );
    HeaderValue::from_str(&cookie).map(Some).map_err(|_| ApiError::broken("the cookie cannot be written"))
}

/// A file of the page, in the smallest form that the browser takes.
fn file(path: &str, headers: &HeaderMap) -> Option<Response> {
    if [".br", ".gz"].iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let plain = Files::get(path)?;
    let accepted =
        headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let takes = |coding: &str| {
        accepted.split(',').any(|one| one.split(';').next().unwrap_or_default().trim() == coding)
    };
    let smaller = [("br", ".br"), ("gzip", ".gz")]
        .into_iter()
        .filter(|(coding, _)| takes(coding))
        .find_map(|(coding, ending)| Some((coding, Files::get(&format!("{path}{ending}"))?)));
    let etag = etag(&plain);
    let mut response =
        if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            match &smaller {
                Some((coding, file)) => {
                    ([(header::CONTENT_ENCODING, *coding)], file.data.clone().into_owned()).into_response()
                }
                None => plain.data.clone().into_owned().into_response(),
            }
        };
    let caching =
        if path.starts_with(NAMED_BY_CONTENT) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let set = response.headers_mut();
    set.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    set.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(kind) = HeaderValue::from_str(mime(path)) {
        set.insert(header::CONTENT_TYPE, kind);
    }
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        set.insert(header::ETAG, etag);
    }
    Some(response)
}

fn etag(file: &EmbeddedFile) -> String {
    format!("\"{}\"", URL_SAFE_NO_PAD.encode(&file.metadata.sha256_hash()[..16]))
}

fn mime(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "webmanifest" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}
