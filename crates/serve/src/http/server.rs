//! The listening side: an address, certificates where others may reach it, and an orderly end.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    time::Duration,
};

use axum::Router;
use axum_server::{Handle, tls_rustls::RustlsConfig};
use tokio_util::sync::CancellationToken;

use super::{
    app::{App, Parts},
    door::{Door, HostNames},
    openapi,
    token::Users,
};
use crate::mcp::server::McpServer;

/// How long requests that run may take to end when the server does.
const GRACE: Duration = Duration::from_secs(5);

/// How long the head of a request may take; also how long a connection waits for the next one.
const HEAD_LIMIT: Duration = Duration::from_secs(30);
/// The most requests at once over one HTTP/2 connection.
const MOST_STREAMS: u32 = 200;
const TIDIES_EVERY: Duration = Duration::from_mins(10);

/// Where to listen.
#[derive(Clone, Debug)]
pub struct Listen {
    pub address: SocketAddr,
    /// Names beside the address under which it may be asked for.
    pub hosts: Vec<String>,
    pub tls: Option<Tls>,
}

/// Files in PEM form.
#[derive(Clone, Debug)]
pub struct Tls {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// A server that listens, and answers once it is run.
pub struct Server {
    listener: Listener,
    app: App,
    mcp: Option<McpServer>,
    /// Where the browser's routes are, too.
    browser_api: Option<Listener>,
}

impl Server {
    /// Listens. Beyond this machine only with certificates: a token must not cross a network in the clear.
    pub async fn bind(parts: Parts, listen: &Listen) -> io::Result<Self> {
        let listener = Listener::bind(listen).await?;
        let door = listener.door(parts.users.clone(), parts.requests_per_second);
        let app = App::new(parts, door, listener.tls.is_some());
        Ok(Self { listener, app, mcp: None, browser_api: None })
    }

    /// Offers the tools to MCP clients, too, at `/mcp`.
    #[must_use]
    pub fn with_mcp(mut self, mcp: McpServer) -> Self {
        self.mcp = Some(mcp);
        self
    }

    /// Answers the browser's routes on a port of their own, too, for callers that expect them there. Of this machine
    /// alone, and with the same tokens.
    pub async fn with_browser_api(mut self, port: u16) -> io::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        self.browser_api = Some(Listener::bind(&Listen { address, hosts: Vec::new(), tls: None }).await?);
        Ok(self)
    }

    /// Where the browser's routes are, too.
    pub fn browser_api_url(&self) -> Option<String> {
        self.browser_api.as_ref().map(Listener::url)
    }

    /// Where it listens: the port is known even where any was asked for.
    pub fn address(&self) -> SocketAddr {
        self.listener.address
    }

    /// `http://HOST:PORT`, or `https://`.
    pub fn url(&self) -> String {
        self.listener.url()
    }

    /// Answers until `until` is ready; then lets what runs come to its end.
    pub async fn run(self, until: impl Future<Output = ()>) -> io::Result<()> {
        let Self { listener, app, mcp, browser_api } = self;
        let beside = mcp.as_ref().map_or_else(Router::new, McpServer::http);
        let ending = app.ending().clone();
        let door = app.door().clone();
        let ended = CancellationToken::new();
        let browser_api = run_browser_api(browser_api, app.clone(), &ended);
        let router = openapi::router(app, beside);
        let end = || {
            // Streams have no end of their own, and would be waited for.
            ending.cancel();
            ended.cancel();
            if let Some(mcp) = &mcp {
                mcp.end();
            }
        };
        let serving = async {
            let _ends_the_other = ended.clone().drop_guard();
            listener.run(router, &door, until, end).await
        };
        let (served, ()) = tokio::join!(serving, browser_api);
        served
    }
}

async fn run_browser_api(listener: Option<Listener>, app: App, ended: &CancellationToken) {
    let Some(listener) = listener else { return };
    let door = listener.door(app.door().users().clone(), app.requests_per_second());
    let router = openapi::browser_router(app, door.clone());
    if let Err(error) = listener.run(router, &door, ended.cancelled(), || {}).await {
        tracing::warn!(%error, "the browser's port is not answered any more");
    }
}

/// An address that is listened on.
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
    hosts: HostNames,
    tls: Option<RustlsConfig>,
}

impl Listener {
    pub async fn bind(listen: &Listen) -> io::Result<Self> {
        if listen.tls.is_none() && !listen.address.ip().to_canonical().is_loopback() {
            let message = format!(
                "{} can be reached from other machines: give a certificate (--tls-cert, --tls-key), or listen on 127.0.0.1",
                listen.address
            );
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let tls = match &listen.tls {
            None => None,
            Some(tls) => Some(read_certificates(tls).await?),
        };
        let listener = TcpListener::bind(listen.address).map_err(|error| {
            io::Error::new(error.kind(), format!("cannot listen on {}: {error}", listen.address))
        })?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let hosts = HostNames::new(address, &listen.hosts);
        Ok(Self { listener, address, hosts, tls })
    }

    /// The door that this address has, for these people.
    pub fn door(&self, users: Users, requests_per_second: u32) -> Door {
        Door::new(self.hosts.clone(), users, requests_per_second, self.address.port())
    }

    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Answers until `until` is ready; then `end` ends what has no end of its own, and what runs comes to its end.
    pub async fn run(
        self,
        router: Router,
        door: &Door,
        until: impl Future<Output = ()>,
        end: impl FnOnce(),
    ) -> io::Result<()> {
        let Self { listener, tls, .. } = self;
        let router = router.into_make_service_with_connect_info::<SocketAddr>();
        let handle = Handle::new();
        let serving = async {
            if let Some(tls) = tls {
                let mut server = axum_server::from_tcp_rustls(listener, tls)?.handle(handle.clone());
                not_forever(server.http_builder());
                server.serve(router).await
            } else {
                let mut server = axum_server::from_tcp(listener)?.handle(handle.clone());
                not_forever(server.http_builder());
                server.serve(router).await
            }
        };
        let tidying = async {
            loop {
                tokio::time::sleep(TIDIES_EVERY).await;
                door.limits().tidy();
            }
        };
        tokio::pin!(serving);
        tokio::select! {
            ended = &mut serving => return ended,
            () = tidying => {}
            () = until => {}
        }
        end();
        handle.graceful_shutdown(Some(GRACE));
        serving.await
    }
}

/// One who begins to ask and does not go on is not waited for.
fn not_forever(builder: &mut hyper_util::server::conn::auto::Builder<hyper_util::rt::TokioExecutor>) {
    builder.http1().timer(hyper_util::rt::TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
    builder
        .http2()
        .timer(hyper_util::rt::TokioTimer::new())
        .keep_alive_interval(HEAD_LIMIT)
        .max_concurrent_streams(MOST_STREAMS);
}

async fn read_certificates(tls: &Tls) -> io::Result<RustlsConfig> {
    // Another part of the program may have installed it before; there is only one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    RustlsConfig::from_pem_file(&tls.certificate, &tls.key).await.map_err(|error| {
        let message = format!(
            "cannot use the certificate {} with the key {}: {error}",
            tls.certificate.display(),
            tls.key.display()
        );
        io::Error::new(error.kind(), message)
    })
}
