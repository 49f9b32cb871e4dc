//! A tunnel: bytes both ways, as they come.

use std::time::Duration;

use hyper::{Uri, upgrade::Upgraded};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncWriteExt, copy_bidirectional_with_sizes},
    net::TcpStream,
};

use super::idle::Watched;

/// How long nothing may pass through a tunnel.
const IDLE: Duration = Duration::from_mins(30);
/// What is held of each direction.
const BUFFER: usize = 64 << 10;

/// `host:port` of a `CONNECT`. Nothing else is one.
pub fn destination(uri: &Uri) -> Option<(String, u16)> {
    let authority = uri.authority()?;
    let plain = uri.scheme().is_none() && !authority.as_str().contains('@');
    plain.then_some(())?;
    Some((authority.host().to_owned(), authority.port_u16()?))
}

/// Passes bytes on until one side ends, or neither says anything.
pub async fn join(upgraded: Upgraded, mut out: TcpStream) {
    // Without the layers between: all that passes is encrypted bytes.
    let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>() else { return };
    if !parts.read_buf.is_empty() && out.write_all(&parts.read_buf).await.is_err() {
        return;
    }
    let (mut browser, activity) = Watched::new(parts.io.into_inner());
    tokio::select! {
        _ = copy_bidirectional_with_sizes(&mut browser, &mut out, BUFFER, BUFFER) => {}
        () = activity.until_idle_for(IDLE) => {}
    }
}
