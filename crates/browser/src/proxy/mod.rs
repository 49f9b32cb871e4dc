//! The one way from a browser to the network: a small proxy in this process, for this browser, that connects only where
//! the outbound guard lets it.
//!
//! A browser that was started here is told to send everything through it and to look no name up by itself, so that
//! neither a redirect nor a script, a frame, a picture or a name that is rebound gets where nobody has said it may. What
//! is refused, and what cannot be reached, the browser sees as a connection that failed; [`Log`] knows why.

mod arguments;
mod forward;
mod idle;
mod log;
mod serve;
#[cfg(test)]
mod tests;
mod tunnel;

use std::{io, net::SocketAddr, sync::Arc};

use deskhand_guard::{Outbound, outbound::Allowed};
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::log::{Failure, Log, Why};

/// A proxy that runs. It ends when this is dropped, with every connection through it.
pub struct Proxy {
    address: SocketAddr,
    log: Arc<Log>,
    stop: CancellationToken,
    _stop: DropGuard,
}

/// What every connection needs.
struct Ways {
    outbound: Outbound,
    /// Private hosts that this browser's person has approved.
    allowed: Arc<Allowed>,
    log: Arc<Log>,
    stop: CancellationToken,
}

impl Proxy {
    /// Starts one on a port of this machine.
    pub async fn start(outbound: Outbound, allowed: Arc<Allowed>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (log, stop) = (Arc::new(Log::default()), CancellationToken::new());
        let ways = Ways { outbound, allowed, log: Arc::clone(&log), stop: stop.clone() };
        // Owned by the `Proxy`, whose drop ends it.
        tokio::spawn(serve::serve(listener, Arc::new(ways)));
        Ok(Self { address, log, stop: stop.clone(), _stop: stop.drop_guard() })
    }

    /// Ends it, with every connection through it.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// The arguments that make a browser send everything through here.
    pub fn arguments(&self) -> Vec<String> {
        arguments::arguments(self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What did not get through.
    pub fn log(&self) -> &Log {
        &self.log
    }
}
