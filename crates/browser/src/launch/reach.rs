//! Reaching a browser that runs: from the address of its debugger to its WebSocket.

use std::io;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use url::Url;

use crate::cdp::{Transport, over_web_socket};

/// The longest answer that is read.
const MOST: u64 = 1 << 20;

/// Connects to `ws://…` as it is, and to `http://HOST:PORT` by asking there which WebSocket the browser has.
pub async fn reach(address: &str) -> io::Result<Transport> {
    let url = Url::parse(address).map_err(|error| invalid(&format!("{address}: {error}")))?;
    match url.scheme() {
        "ws" => over_web_socket(address).await,
        "http" => over_web_socket(&socket_of(&url).await?).await,
        other => Err(invalid(&format!("{other}: is neither ws: nor http:"))),
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

/// Asks `/json/version`. A whole HTTP client for one question on this machine would be much.
async fn socket_of(url: &Url) -> io::Result<String> {
    let host = url.host_str().unwrap_or("127.0.0.1");
    let port = url.port().unwrap_or(9222);
    let mut stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
    // Some browsers leave the connection open; the answer is whole as soon as its JSON is.
    while u64::try_from(answer.len()).unwrap_or(MOST) < MOST {
        let read = stream.read(&mut piece).await?;
        answer.extend_from_slice(&piece[..read]);
        if let Some(address) = debugger_in(&answer) {
            return Ok(address);
        }
        if read == 0 {
            break;
        }
    }
    Err(invalid("what answers there is no browser"))
}

fn debugger_in(answer: &[u8]) -> Option<String> {
    let body = answer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let value: Value = serde_json::from_slice(&answer[body..]).ok()?;
    value["webSocketDebuggerUrl"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_names_the_socket() {
        let answer =
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"webSocketDebuggerUrl\": \"ws://127.0.0.1:1/x\"}";
        assert_eq!(debugger_in(answer).as_deref(), Some("ws://127.0.0.1:1/x"));
        for odd in [&b""[..], b"\r\n\r\n", b"HTTP/1.1 404\r\n\r\nno", &answer[..60]] {
            assert_eq!(debugger_in(odd), None);
        }
    }

    #[tokio::test]
    async fn what_is_no_address_is_said_to_be_none() {
        for odd in ["", "127.0.0.1:9222", "file:///etc/passwd", "wss://127.0.0.1/"] {
            assert!(reach(odd).await.is_err(), "{odd}");
        }
    }
}
