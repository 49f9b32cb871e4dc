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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // what prepares a test is a test
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tokio::{io::AsyncWriteExt, net::TcpListener};
    use tokio_tungstenite::accept_async;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::cdp::{CdpError, Connection, Ears, Event};

    struct Deaf;

    impl Ears for Deaf {
        fn hear(&self, _: &Event, _: &Connection) {}
    }

    type Peer = WebSocketStream<TcpStream>;

    /// A connection, and the other side of it, which has been asked something.
    async fn asked() -> (tokio::task::JoinHandle<Result<serde_json::Value, CdpError>>, Peer, Connection) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}/devtools/browser/x", listener.local_addr().unwrap());
        let accepted = async { accept_async(listener.accept().await.unwrap().0).await.unwrap() };
        let (transport, mut peer) = tokio::join!(over_web_socket(&address), accepted);
        let connection = Connection::start(transport.unwrap(), Arc::new(Deaf), CancellationToken::new());
        let asking = connection.clone();
        let call = tokio::spawn(async move { asking.call(None, "A.b", json!({}), Connection::USUAL).await });
        let command = peer.next().await.unwrap().unwrap().into_text().unwrap();
        assert!(command.contains("\"id\":1"), "{command}");
        (call, peer, connection)
    }

    #[tokio::test]
    async fn what_is_no_message_changes_nothing() {
        let (call, mut peer, connection) = asked().await;
        for odd in
            ["", "not json", "[]", "{\"id\":77,\"result\":{}}", "{\"method\":\"A.b\",\"sessionId\":\"x\"}"]
        {
            peer.send(Message::text(odd)).await.unwrap();
        }
        peer.send(Message::Ping(vec![1].into())).await.unwrap();
        peer.send(Message::binary(vec![0xff, 0xfe])).await.unwrap();
        // Also as bytes it is an answer.
        peer.send(Message::binary(br#"{"id":1,"result":{"a":2}}"#.to_vec())).await.unwrap();
        assert_eq!(call.await.unwrap(), Ok(json!({"a": 2})));
        assert_eq!(connection.ended(), None);
    }

    /// However it ends, whoever waits is told at once.
    #[tokio::test]
    async fn its_end_ends_every_wait() {
        // The head of a message, as it goes over the wire: a text of so many bytes.
        let head = |bytes: u64| [&[0x81, 127][..], &bytes.to_be_bytes()].concat();
        let too_much = u64::try_from(MOST_BYTES).unwrap() + 1;
        let half = [head(1000), b"{\"id\":1".to_vec()].concat();
        for (sent, stays) in
            [(Vec::new(), false), (half, false), (head(too_much), true), (vec![0xff; 99], true)]
        {
            let (call, mut peer, connection) = asked().await;
            peer.get_mut().write_all(&sent).await.unwrap();
            let held = stays.then_some(peer);
            let ended = call.await.unwrap();
            assert!(matches!(ended, Err(CdpError::Closed(_))), "{sent:?}: {ended:?}");
            assert!(!connection.until_ended().await.is_empty());
            drop(held);
        }
        let (call, mut peer, _connection) = asked().await;
        peer.close(None).await.unwrap();
        assert!(matches!(call.await.unwrap(), Err(CdpError::Closed(why)) if why == "the browser closed it"));
    }

    #[tokio::test]
    async fn what_is_no_web_socket_is_said_to_be_none() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("ws://{}/", listener.local_addr().unwrap());
        let answers = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        };
        let (failed, ()) = tokio::join!(over_web_socket(&address), answers);
        assert!(failed.err().unwrap().to_string().contains("404"));
    }
}
