//! The way out: a name is looked up once, all that it leads to is judged, and one of those very addresses connected to.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use tokio::{net::TcpStream, time};

use super::{Allowed, Outbound, name, verdict::Refused};

/// How long a look-up and all tries may take together.
const LIMIT: Duration = Duration::from_secs(20);
/// How long one address is tried alone, before the next is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);
/// A name with more addresses is tried at the first of them; all are judged.
const MOST_TRIED: usize = 8;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("there is no host of the name {0}")]
    NoSuchHost(String),
    #[error("{host}:{port}: {error}")]
    Failed { host: String, port: u16, error: io::Error },
}

impl From<ConnectError> for io::Error {
    fn from(error: ConnectError) -> Self {
        let kind = match &error {
            ConnectError::Refused(_) => io::ErrorKind::PermissionDenied,
            ConnectError::NoSuchHost(_) => io::ErrorKind::NotFound,
            ConnectError::Failed { error, .. } => error.kind(),
        };
        Self::new(kind, error)
    }
}

impl Outbound {
    /// Connects to a host, at an address that was judged.
    pub async fn connect(&self, host: &str, port: u16, allowed: &Allowed) -> Result<TcpStream, ConnectError> {
        let host = name::normal(host);
        let failed = |error| ConnectError::Failed { host: host.clone(), port, error };
        let connecting = async {
            let addresses = self.addresses(&host, port, allowed).await?;
            let stream = first_of(&addresses).await.map_err(failed)?;
            stream.set_nodelay(true).map_err(failed)?;
            Ok(stream)
        };
        let timed_out = |_| failed(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
        time::timeout(LIMIT, connecting).await.map_err(timed_out).flatten()
    }

    /// Where a host is, each of it judged.
    async fn addresses(
        &self,
        host: &str,
        port: u16,
        allowed: &Allowed,
    ) -> Result<Vec<SocketAddr>, ConnectError> {
        let host = name::normal(host);
        self.check_name(&host, port, allowed)?;
        let addresses = match host.parse::<IpAddr>() {
            Ok(address) => vec![address],
            Err(_) => self.look_up(&host).await?,
        };
        self.check(&host, port, &addresses, allowed)?;
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, ConnectError> {
        let none = || ConnectError::NoSuchHost(host.to_owned());
        let found = time::timeout(LIMIT, self.0.resolver.resolve(host)).await;
        found.ok().and_then(Result::ok).filter(|found| !found.is_empty()).ok_or_else(none)
    }
}

/// The first that answers: each gets a head start over the next, so that one that is silent costs little.
async fn first_of(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut waiting = addresses.iter().copied().take(MOST_TRIED);
    let mut trying = FuturesUnordered::new();
    let mut last = io::Error::new(io::ErrorKind::NotFound, "it has no address");
    trying.extend(waiting.next().map(TcpStream::connect));
    while !trying.is_empty() {
        tokio::select! {
            Some(tried) = trying.next() => match tried {
                Ok(stream) => return Ok(stream),
                Err(error) => {
                    last = error;
                    trying.extend(waiting.next().map(TcpStream::connect));
                }
            },
            () = time::sleep(HEAD_START), if waiting.len() > 0 => trying.extend(waiting.next().map(TcpStream::connect)),
        }
    }
    Err(last)
}
