//! Requests that are not encrypted: read, sent on to the host that they name, and answered.

use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::Either;
use hyper::{
    HeaderMap, Request, StatusCode, Uri,
    body::Incoming,
    client::conn::http1::{self, SendRequest},
    header::{self, HeaderName, HeaderValue},
};
use hyper_util::rt::TokioIo;

use super::{
    Ways,
    serve::{Answer, Dropped, bare},
};

/// The requests of one connection of the browser. The connection to the host is kept for the next one.
pub struct Forward {
    ways: Arc<Ways>,
    kept: Mutex<Option<Kept>>,
}

struct Kept {
    host: String,
    port: u16,
    sender: SendRequest<Incoming>,
}

impl Forward {
    pub fn new(ways: Arc<Ways>) -> Self {
        Self { ways, kept: Mutex::default() }
    }

    /// Sends a request on. What cannot be sent on closes the connection, as the host itself would have.
    pub async fn answer(&self, mut request: Request<Incoming>) -> Result<Answer, Dropped> {
        let Some((host, port)) = destination(request.uri()) else {
            return Ok(bare(StatusCode::BAD_REQUEST));
        };
        let mut kept = self.connection(host, port).await?;
        let dropped = |error: hyper::Error| Dropped(error.to_string());
        kept.sender.ready().await.map_err(dropped)?;
        readdress(&mut request);
        let answer = kept.sender.send_request(request).await.map_err(dropped)?;
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        let mut answer = answer.map(Either::Left);
        *answer.headers_mut() = without_hops(answer.headers());
        Ok(answer)
    }

    async fn connection(&self, host: String, port: u16) -> Result<Kept, Dropped> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(kept) =
            kept.filter(|kept| kept.host == host && kept.port == port && !kept.sender.is_closed())
        {
            return Ok(kept);
        }
        let connected = self.ways.outbound.connect(&host, port, &self.ways.allowed).await;
        let stream = connected.map_err(|error| {
            self.ways.log.add(&host, port, &error);
            Dropped(error.to_string())
        })?;
        let mut builder = http1::Builder::new();
        builder.preserve_header_case(true);
        let handshake = builder.handshake(TokioIo::new(stream)).await;
        let (sender, connection) = handshake.map_err(|error| Dropped(error.to_string()))?;
        let stop = self.ways.stop.clone();
        // Ends with its sender, or when the proxy does.
        tokio::spawn(async move {
            tokio::select! {
                _ = connection => {}
                () = stop.cancelled() => {}
            }
        });
        Ok(Kept { host, port, sender })
    }
}

/// The host and port of `http://…`. Anything else is not for a proxy.
fn destination(uri: &Uri) -> Option<(String, u16)> {
    (uri.scheme_str() == Some("http")).then_some(())?;
    let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'))?;
    Some((authority.host().to_owned(), authority.port_u16().unwrap_or(80)))
}

/// From the form for a proxy to the one for a host.
fn readdress(request: &mut Request<Incoming>) {
    let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
    let mut headers = without_hops(request.headers());
    if let Ok(host) = HeaderValue::from_str(&authority) {
        headers.insert(header::HOST, host);
    }
    *request.headers_mut() = headers;
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).parse();
    *request.uri_mut() = path.unwrap_or_default();
}

/// What is about this connection only is not passed on; everything else is, in its order.
fn without_hops(headers: &HeaderMap) -> HeaderMap {
    const HOPS: [HeaderName; 6] = [
        header::CONNECTION,
        header::PROXY_AUTHENTICATE,
        header::PROXY_AUTHORIZATION,
        header::TE,
        header::TRAILER,
        header::UPGRADE,
    ];
    let is_hop = |name: &HeaderName| HOPS.contains(name) || name == "keep-alive";
    let mut passed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        if name == "proxy-connection" {
            // The browser's own word to the host, where there is no proxy.
            passed.append(header::CONNECTION, HeaderValue::from_static("keep-alive"));
        } else if !is_hop(name) {
            passed.append(name, value.clone());
        }
    }
    passed
}
