//! Where the browser comes back to: one path on this machine, for one answer.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    extract::{Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use tokio::{net::TcpListener, sync::oneshot, time::timeout};
use tokio_util::sync::CancellationToken;

const PATH: &str = "/callback";

/// How long the page may take to get to the browser after the answer was taken.
const FAREWELL: Duration = Duration::from_secs(2);

/// What the authorization server sent by way of the browser. It is an answer to our question: its `state` was right.
pub(super) struct Answer {
    /// The code, or the error with what is said about it.
    pub outcome: Result<String, String>,
    pub issuer: Option<String>,
}

pub(super) struct Redirect {
    listener: TcpListener,
    address: SocketAddr,
}

struct Desk {
    address: SocketAddr,
    state: String,
    /// Taken by the answer.
    taker: Mutex<Option<oneshot::Sender<Answer>>>,
}

impl Redirect {
    /// On this machine only; on any free port where none is given.
    pub async fn listen(port: Option<u16>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub fn uri(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Waits for the answer with the right `state`. Others are turned away and change nothing: any page that is open
    /// in the browser can send some.
    pub async fn answer(self, state: String) -> io::Result<Answer> {
        let (taker, taken) = oneshot::channel();
        let desk = Desk { address: self.address, state, taker: Mutex::new(Some(taker)) };
        let app = Router::new().route(PATH, get(receive)).with_state(Arc::new(desk));
        let end = CancellationToken::new();
        // Whoever stops waiting ends the connections with it.
        let _ends = end.clone().drop_guard();
        let stop = end.clone();
        let serve = axum::serve(self.listener, app)
            .with_graceful_shutdown(async move { stop.cancelled().await })
            .into_future();
        tokio::pin!(serve);
        let answer = tokio::select! {
            answer = taken => answer.map_err(io::Error::other)?,
            ended = &mut serve => {
                ended?;
                return Err(io::Error::other("it was closed"));
            }
        };
        end.cancel();
        // The page is on its way; a browser that holds on to its connection is not waited for.
        let _ = timeout(FAREWELL, serve).await;
        Ok(answer)
    }
}

async fn receive(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    Query(query): Query<Vec<(String, String)>>,
) -> Response {
    // Another name that leads here is somebody else's page; two are not from a browser.
    let hosts: Vec<_> = headers.get_all(header::HOST).into_iter().collect();
    if hosts != [desk.address.to_string().as_str()] {
        return page(StatusCode::BAD_REQUEST, NOT_OURS);
    }
    let Ok(Parameters { state: Some(state), code, error, description, issuer }) = Parameters::read(query)
    else {
        return page(StatusCode::BAD_REQUEST, NOT_OURS);
    };
    let outcome = match (code, error) {
        (Some(code), None) => Ok(code),
        (None, Some(error)) => Err(description.map_or(error.clone(), |words| format!("{error}: {words}"))),
        _ => return page(StatusCode::BAD_REQUEST, NOT_OURS),
    };
    if state != desk.state {
        return page(StatusCode::BAD_REQUEST, NOT_OURS);
    }
    let Some(taker) = desk.taker.lock().unwrap_or_else(PoisonError::into_inner).take() else {
        return page(StatusCode::BAD_REQUEST, NOT_OURS);
    };
    let words = if outcome.is_ok() { RECEIVED } else { REFUSED };
    // Nobody waits any more where the time is over.
    let _ = taker.send(Answer { outcome, issuer });
    page(StatusCode::OK, words)
}

#[derive(Default)]
struct Parameters {
    state: Option<String>,
    code: Option<String>,
    error: Option<String>,
    description: Option<String>,
    issuer: Option<String>,
}

/// A parameter came twice, so nobody can say which one is meant.
struct Twice;

impl Parameters {
    fn read(query: Vec<(String, String)>) -> Result<Self, Twice> {
        let mut all = Self::default();
        for (name, value) in query {
            let place = match name.as_str() {
                "state" => &mut all.state,
                "code" => &mut all.code,
                "error" => &mut all.error,
                "error_description" => &mut all.description,
                "iss" => &mut all.issuer,
                _ => continue,
            };
            if place.replace(value).is_some() {
                return Err(Twice);
            }
        }
        Ok(all)
    }
}

const RECEIVED: [&str; 2] = [
    "The answer has arrived. You may close this page; how it went stands where you began.",
    "已收到应答。您可以关闭此页面；结果请看您发起登录的地方。",
];
const REFUSED: [&str; 2] = [
    "You were not signed in. You may close this page; the reason stands where you began.",
    "未能登录。您可以关闭此页面；原因请看您发起登录的地方。",
];
const NOT_OURS: [&str; 2] = [
    "Nobody waits for this answer. You may close this page, and begin anew if you meant to sign in.",
    "没有人在等待此应答。您可以关闭此页面；如果您要登录，请重新开始。",
];

/// Nothing of the request is in it, and nothing in it does anything.
fn page(status: StatusCode, [english, chinese]: [&str; 2]) -> Response {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Deskhand</title></head>\n\
         <body>\n<p>{english}</p>\n<p lang=\"zh-Hans\">{chinese}</p>\n</body>\n</html>\n"
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::CACHE_CONTROL, "no-store"),
        // The code is in this page's address.
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONNECTION, "close"),
    ];
    (status, headers, Html(html)).into_response()
}
