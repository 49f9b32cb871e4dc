//! Over a WebSocket, to a browser that runs already.

use std::io;

use futures_util::{
    FutureExt, SinkExt, StreamExt,
    future::BoxFuture,
    stream::{SplitSink, SplitStream},
};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{self, Message, protocol::WebSocketConfig},
};

use super::transport::{Deliver, Frame, MOST_BYTES, Receive, Transport};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A transport to the debugger at `address` (`ws://127.0.0.1:9222/devtools/browser/…`).
pub async fn over_web_socket(address: &str) -> io::Result<Transport> {
    let config =
        WebSocketConfig::default().max_message_size(Some(MOST_BYTES)).max_frame_size(Some(MOST_BYTES));
    // Small commands must not wait for each other.
    let no_delay = true;
    let (socket, _) = connect_async_with_config(address, Some(config), no_delay).await.map_err(failed)?;
    let (send, receive) = socket.split();
    Ok(Transport { receive: Box::new(Reader(receive)), send: Box::new(Writer(send)) })
}

fn failed(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        other => io::Error::other(other),
    }
}

struct Reader(SplitStream<Socket>);

impl Receive for Reader {
    fn next(&mut self) -> BoxFuture<'_, io::Result<Option<Frame>>> {
        async move {
            loop {
                match self.0.next().await.transpose().map_err(failed)? {
                    None | Some(Message::Close(_)) => return Ok(None),
                    Some(Message::Text(text)) => return Ok(Some(Frame::Whole(text.as_bytes().to_vec()))),
                    Some(Message::Binary(bytes)) => return Ok(Some(Frame::Whole(bytes.to_vec()))),
                    Some(_) => {}
                }
            }
        }
        .boxed()
    }
}

struct Writer(SplitSink<Socket, Message>);

impl Deliver for Writer {
    fn send(&mut self, message: String) -> BoxFuture<'_, io::Result<()>> {
        async move { self.0.send(Message::text(message)).await.map_err(failed) }.boxed()
    }
}
