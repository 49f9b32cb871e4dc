//! The door: what every request has to show before any route sees it.
//!
//! | | why |
//! |---|---|
//! | `Host` is one of ours | a name that was made to point here (DNS rebinding) is not |
//! | `Origin`, where there is one, is ours | another site's page cannot make a browser act here |
//! | a token, or the cookie that stands for it | everything but the page's own files, `/healthz` and download links |
//! | not the token for MCP clients, but at `/mcp` | who connects a program to the tools hands out nothing else |
//! | not too often | per person; guesses at tokens far less often |
//!
//! And every answer leaves with the headers that keep a browser from doing more with it than it should.

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    sync::Arc,
};

use axum::{
    extract::{ConnectInfo, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::{
    error::ApiError,
    person::Person,
    routes::openai,
    token::{Opens, Shown, Users},
};

/// The names under which this server may be asked for.
#[derive(Clone, Debug)]
pub struct HostNames {
    /// With the port, in lower case.
    allowed: Vec<String>,
}

impl HostNames {
    /// Of a server at this address, which also has these names.
    pub fn new(address: SocketAddr, named: &[String]) -> Self {
        let port = address.port();
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let own = match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        // 0.0.0.0 is every address and nobody's name.
        if !address.ip().is_unspecified() {
            hosts.push(own);
        }
        // What listens on the usual port of this machine is another program, unless that is ours.
        let is_usual = port == 80 || port == 443;
        let mut allowed: Vec<String> = hosts.iter().map(|host| format!("{host}:{port}")).collect();
        allowed.extend(hosts.into_iter().filter(|_| is_usual));
        for name in named.iter().map(|name| name.to_ascii_lowercase()) {
            // Names that come with a port are taken as they are: a proxy in front has another one.
            if name.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
                allowed.push(format!("{name}:{port}"));
            }
            allowed.push(name);
        }
        Self { allowed }
    }

    fn allows(&self, host: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }

    /// Whether an origin (`http://HOST:PORT`) is one of ours.
    fn allows_origin(&self, origin: &str) -> bool {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| self.allows(host))
    }
}

/// How often somebody may ask.
pub struct Limits {
    requests: DefaultKeyedRateLimiter<String>,
    guesses: DefaultKeyedRateLimiter<IpAddr>,
}

impl Limits {
    /// Forgets those who have not asked for a while.
    pub fn tidy(&self) {
        self.requests.retain_recent();
        self.guesses.retain_recent();
    }

    pub fn new(requests_per_second: u32) -> Self {
        let at_least_one = |n: u32| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            requests: RateLimiter::keyed(
                Quota::per_second(at_least_one(requests_per_second))
                    .allow_burst(at_least_one(requests_per_second.saturating_mul(2))),
            ),
            guesses: RateLimiter::keyed(Quota::per_minute(at_least_one(GUESSES_PER_MINUTE))),
        }
    }
}

const GUESSES_PER_MINUTE: u32 = 20;

/// What the door of one server goes by. Cheap to clone.
#[derive(Clone)]
pub struct Door(Arc<Inner>);

struct Inner {
    hosts: HostNames,
    users: Users,
    limits: Limits,
    cookie_name: String,
}

impl Door {
    pub fn new(hosts: HostNames, users: Users, requests_per_second: u32, port: u16) -> Self {
        let limits = Limits::new(requests_per_second);
        // Browsers keep cookies by host and not by port: two servers must not overwrite each other's.
        Self(Arc::new(Inner { hosts, users, limits, cookie_name: format!("deskhand-{port}") }))
    }

    pub fn users(&self) -> &Users {
        &self.0.users
    }

    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub fn cookie_name(&self) -> &str {
        &self.0.cookie_name
    }
}

/// Only what came with the page may run or be loaded in it. Ant Design writes its styles into the page while it runs,
/// hence the one exception, which lets nothing run.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The middleware.
pub async fn pass(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_for_openai = request.uri().path().starts_with("/v1/");
    let mut response = match check(&door, peer, &request) {
        Ok(person) => {
            if let Some(person) = person {
                request.extensions_mut().insert(person);
            }
            next.run(request).await
        }
        Err(refused) if is_for_openai => openai::refuse(refused),
        Err(refused) => refused.into_response(),
    };
    if response.status() == axum::http::StatusCode::UNAUTHORIZED {
        // Programs learn from it what kind of token is meant; no browser asks anybody for it.
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    guard_answer(response.headers_mut());
    response
}

fn check(door: &Door, peer: SocketAddr, request: &Request) -> Result<Option<Person>, ApiError> {
    let (headers, uri) = (request.headers(), request.uri());
    host_is_ours(&door.0.hosts, headers, uri)?;
    origin_is_ours(&door.0.hosts, headers, request.method())?;
    if is_open(uri.path()) {
        return Ok(None);
    }
    let here = peer.ip().to_canonical().is_loopback() && !was_forwarded(headers);
    let limits = door.limits();
    let Some(found) = shown(headers, door.cookie_name()).and_then(|shown| door.users().find(shown)) else {
        if limits.guesses.check_key(&peer.ip()).is_err() {
            return Err(too_often(60));
        }
        return Err(ApiError::new(axum::http::StatusCode::UNAUTHORIZED, "unauthorized", "a token is needed")
            .hint("Open the address that `deskhand serve` printed, or send Authorization: Bearer TOKEN."));
    };
    if let Some(Shown::Cookie(_)) = shown(headers, door.cookie_name()) {
        from_our_page(headers)?;
    }
    let person = Person { user: found.user.map(str::to_owned), here };
    if limits.requests.check_key(&person.caller()).is_err() {
        return Err(too_often(1));
    }
    if found.opens == Opens::McpAlone && !is_mcp(uri.path()) {
        return Err(mcp_alone());
    }
    Ok(Some(person))
}

fn mcp_alone() -> ApiError {
    ApiError::forbidden("mcp_only", "this is the token for MCP clients, which opens /mcp alone")
        .hint("The page and the API want the token in the address that `deskhand serve` printed.")
}

fn too_often(seconds: u64) -> ApiError {
    ApiError::new(axum::http::StatusCode::TOO_MANY_REQUESTS, "rate_limited", "too many requests")
        .hint("Wait a moment, then try again.")
        .retry_after(seconds)
}

/// What anybody may ask for: the page's own files, which tell nothing; whether the server is alive; and download
/// links, whose id is the permission.
fn is_open(path: &str) -> bool {
    let guarded = path.starts_with("/api/") || path.starts_with("/v1/") || path == "/metrics" || is_mcp(path);
    !guarded || path.starts_with("/api/files/download/")
}

fn is_mcp(path: &str) -> bool {
    path == "/mcp" || path.starts_with("/mcp/")
}

/// Every name that the request gives must be ours. HTTP/2 has it in the address; a proxy in front may read another of
/// several headers than we do.
fn host_is_ours(hosts: &HostNames, headers: &HeaderMap, uri: &Uri) -> Result<(), ApiError> {
    let named = headers.get_all(header::HOST).into_iter().map(|host| host.to_str().unwrap_or_default());
    let given: Vec<&str> =
        uri.authority().map(axum::http::uri::Authority::as_str).into_iter().chain(named).collect();
    if headers.get_all(header::HOST).into_iter().count() > 1 {
        return Err(ApiError::invalid("the request has more than one Host header"));
    }
    let Some(wrong) = given.iter().find(|host| !hosts.allows(host)).or(given.is_empty().then_some(&""))
    else {
        return Ok(());
    };
    Err(ApiError::new(
        axum::http::StatusCode::MISDIRECTED_REQUEST,
        "wrong_host",
        format!("this server is not called {wrong:?}"),
    )
    .hint("Names it may be called by, beside its address, are set with `serve.hosts`."))
}

fn origin_is_ours(hosts: &HostNames, headers: &HeaderMap, method: &Method) -> Result<(), ApiError> {
    let refuse = |who: &str| {
        Err(ApiError::forbidden("cross_site", format!("a request of {who} is not taken"))
            .hint("Only pages of this server may ask from within a browser."))
    };
    match headers.get(header::ORIGIN) {
        Some(origin) => {
            let origin = origin.to_str().unwrap_or_default();
            if !hosts.allows_origin(origin) {
                return refuse(&format!("{origin:?}"));
            }
        }
        // Browsers send an origin with whatever changes something; where there is none, they say where it comes from.
        None if !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) => {
            let site = headers.get(HeaderName::from_static("sec-fetch-site"));
            if site.is_some_and(|site| site != "same-origin" && site != "none") {
                return refuse("another site");
            }
        }
        None => {}
    }
    Ok(())
}

/// A cookie goes along with whatever a browser sends here; browsers say whether a page of ours sent it.
fn from_our_page(headers: &HeaderMap) -> Result<(), ApiError> {
    let site = headers.get(HeaderName::from_static("sec-fetch-site"));
    if site.is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(ApiError::forbidden("cross_site", "a request of another site is not taken")
            .hint("Only pages of this server may ask from within a browser."));
    }
    Ok(())
}

/// Whether somebody in between passed it on: then the peer's address does not tell where the person sits.
fn was_forwarded(headers: &HeaderMap) -> bool {
    ["forwarded", "x-forwarded-for", "x-real-ip", "via"].iter().any(|name| headers.contains_key(*name))
}

/// A bearer token counts before a cookie.
fn shown<'a>(headers: &'a HeaderMap, cookie_name: &str) -> Option<Shown<'a>> {
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer ").or_else(|| value.strip_prefix("bearer ")));
    if let Some(token) = bearer {
        return Some(Shown::Token(token.trim()));
    }
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|all| all.split(';'))
        .filter_map(|one| one.trim().split_once('='))
        .find(|(name, _)| *name == cookie_name)
        .map(|(_, value)| Shown::Cookie(value))
}

/// Whether a token that stands in an address opens the page; guesses count here, too.
pub fn opens_page(door: &Door, peer: SocketAddr, token: &str) -> Result<bool, ApiError> {
    match door.users().find(Shown::Token(token)).map(|found| found.opens) {
        Some(Opens::Everything) => Ok(true),
        Some(Opens::McpAlone) => Err(mcp_alone()),
        None if door.limits().guesses.check_key(&peer.ip()).is_err() => Err(too_often(60)),
        None => Ok(false),
    }
}

fn guard_answer(headers: &mut HeaderMap) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A route may be stricter, never looser: a download is not even a page.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_names_are_allowed() {
        let local = HostNames::new(
            "127.0.0.1:8787".parse().unwrap(),
            &["Desk.example".into(), "p.example:443".into()],
        );
        for (host, allowed) in [
            ("127.0.0.1:8787", true),
            ("localhost:8787", true),
            ("LOCALHOST:8787", true),
            ("[::1]:8787", true),
            ("desk.example", true),
            ("desk.example:8787", true),
            ("p.example:443", true),
            ("p.example", false),
            ("localhost:1", false),
            ("localhost", false),
            ("127.0.0.1", false),
            ("evil.example:8787", false),
            ("127.0.0.1.evil.example:8787", false),
            ("", false),
        ] {
            assert_eq!(local.allows(host), allowed, "{host}");
        }
        assert!(local.allows_origin("http://localhost:8787"));
        for wrong in ["null", "file://", "http://evil.example", "localhost:8787"] {
            assert!(!local.allows_origin(wrong), "{wrong}");
        }
        let everywhere = HostNames::new("0.0.0.0:80".parse().unwrap(), &[]);
        assert!(!everywhere.allows("0.0.0.0:80"));
    }

    #[test]
    fn every_host_of_a_request_must_be_ours() {
        let ours = HostNames::new("127.0.0.1:8787".parse().unwrap(), &[]);
        for (address, named, status) in [
            ("/", &["localhost:8787"][..], 200),
            ("http://localhost:8787/", &[], 200),
            ("http://localhost:8787/", &["127.0.0.1:8787"], 200),
            ("/", &[], 421),
            ("/", &["evil.example:8787"], 421),
            ("http://localhost:8787/", &["evil.example:8787"], 421),
            ("http://evil.example:8787/", &["localhost:8787"], 421),
            ("/", &["localhost:8787", "evil.example:8787"], 400),
            ("/", &["evil.example:8787", "localhost:8787"], 400),
            ("/", &["localhost:8787", "localhost:8787"], 400),
        ] {
            let mut headers = HeaderMap::new();
            for host in named {
                headers.append(header::HOST, HeaderValue::from_static(host));
            }
            let checked = host_is_ours(&ours, &headers, &address.parse().unwrap());
            let got = checked.map_or_else(|refused| refused.into_response().status().as_u16(), |()| 200);
            assert_eq!(got, status, "{address} {named:?}");
        }
    }

    #[test]
    fn what_needs_no_token_is_listed_nowhere_else() {
        for (path, open) in [
            ("/", true),
            ("/assets/a.js", true),
            ("/healthz", true),
            ("/api/files/download/x", true),
            ("/api/v1/sessions", false),
            ("/api/openapi.json", false),
            ("/v1/models", false),
            ("/metrics", false),
            ("/mcp", false),
            ("/mcp/", false),
            ("/mcp.js", true),
        ] {
            assert_eq!(is_open(path), open, "{path}");
        }
    }
}
