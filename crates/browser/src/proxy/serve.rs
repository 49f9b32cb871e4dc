//! Taking connections in, as many as one browser needs.

use std::{sync::Arc, time::Duration};

use http_body_util::{Either, Empty};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};

use super::{Ways, forward::Forward, tunnel};

/// How many connections there may be. A browser keeps to far fewer.
const MOST: usize = 512;
/// How long a connection may wait for its next request.
const QUIET: Duration = Duration::from_mins(5);
/// The longest head of a request.
const LONGEST_HEAD: usize = 256 << 10;

pub type Answer = Response<Either<Incoming, Empty<Bytes>>>;

/// Why a connection to the browser is closed without an answer; the log says more.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Dropped(pub String);

pub async fn serve(listener: TcpListener, ways: Arc<Ways>) {
    let places = Arc::new(Semaphore::new(MOST));
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await.ok()?;
            Some((listener.accept().await, place))
        };
        let accepted = tokio::select! {
            accepted = next => accepted,
            () = ways.stop.cancelled() => return,
        };
        match accepted {
            Some((Ok((stream, _)), place)) => {
                let ways = Arc::clone(&ways);
                // Ends with the browser's connection, or when the proxy does.
                tokio::spawn(async move {
                    let stop = ways.stop.clone();
                    tokio::select! {
                        () = one(stream, ways) => {}
                        () = stop.cancelled() => {}
                    }
                    drop(place);
                });
            }
            // No more files can be open just now, say.
            Some((Err(_), _)) => tokio::time::sleep(Duration::from_millis(50)).await,
            None => return,
        }
    }
}

/// One connection of the browser: requests to be forwarded, or one tunnel.
async fn one(stream: TcpStream, ways: Arc<Ways>) {
    let _ = stream.set_nodelay(true);
    let forward = Arc::new(Forward::new(Arc::clone(&ways)));
    let (wants_tunnel, mut tunnel) = tokio::sync::mpsc::channel(1);
    let service = service_fn(|mut request: Request<Incoming>| {
        let (forward, ways, wants_tunnel) = (Arc::clone(&forward), Arc::clone(&ways), wants_tunnel.clone());
        async move {
            if request.method() != Method::CONNECT {
                return forward.answer(request).await;
            }
            let Some((host, port)) = tunnel::destination(request.uri()) else {
                return Ok(bare(StatusCode::BAD_REQUEST));
            };
            match ways.outbound.connect(&host, port, &ways.allowed).await {
                Ok(out) => {
                    let _ = wants_tunnel.try_send((hyper::upgrade::on(&mut request), out));
                    Ok(bare(StatusCode::OK))
                }
                Err(error) => {
                    ways.log.add(&host, port, &error);
                    Ok(bare(StatusCode::BAD_GATEWAY))
                }
            }
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(QUIET)
        .max_buf_size(LONGEST_HEAD)
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if serving.is_ok()
        && let Ok((upgrade, out)) = tunnel.try_recv()
        && let Ok(upgraded) = upgrade.await
    {
        tunnel::join(upgraded, out).await;
    }
}

pub fn bare(status: StatusCode) -> Answer {
    let mut answer = Response::new(Either::Right(Empty::new()));
    *answer.status_mut() = status;
    answer
}
