use std::sync::Arc;

use deskhand_guard::{
    Outbound,
    outbound::{Allowed, HostPattern},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::{Proxy, Why};

/// Answers each request on a connection with what it got; keeps the connection.
struct Host {
    port: u16,
    serving: JoinHandle<()>,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Host {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    while let Some(head) = read_head(&mut stream).await {
                        let answer =
                            format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{head}", head.len());
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                });
            }
        });
        Self { port, serving }
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    String::from_utf8(head).ok()
}

async fn proxy(allow: &[String]) -> Proxy {
    let allow: Vec<HostPattern> = allow.iter().map(|entry| entry.parse().unwrap()).collect();
    Proxy::start(Outbound::new(allow, Vec::new()), Arc::new(Allowed::default())).await.unwrap()
}

/// Sends it, and gives what comes back before the other side is done or silent.
async fn said(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = read_head(stream).await.unwrap_or_default();
    let length =
        head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.unwrap();
    head + &String::from_utf8(body).unwrap()
}

#[tokio::test]
async fn requests_are_sent_on_as_a_host_wants_them_each_to_its_own() {
    let (one, two) = (Host::start().await, Host::start().await);
    let proxy = proxy(&["127.0.0.1".to_owned()]).await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    // On one connection, as a browser may use it.
    for port in [one.port, one.port, two.port, one.port] {
        let request = format!(
            "GET http://127.0.0.1:{port}/a?b=c HTTP/1.1\r\nHost: other.example\r\nProxy-Connection: keep-alive\r\nX-Odd-CASE: 1\r\nProxy-Authorization: secret\r\n\r\n"
        );
        let answer = said(&mut stream, &request).await;
        let wanted = format!(
            "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: keep-alive\r\nX-Odd-CASE: 1\r\n\r\n"
        );
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        assert!(answer.to_lowercase().ends_with(&wanted.to_lowercase()), "{answer}");
        assert!(answer.contains("X-Odd-CASE"), "names of headers stay as they are: {answer}");
    }
}

#[tokio::test]
async fn a_tunnel_passes_bytes_both_ways_at_once_and_ends_with_the_proxy() {
    let host = Host::start().await;
    let proxy = proxy(&["127.0.0.1".to_owned()]).await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let connect = format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\nHost: x\r\n\r\n", host.port);
    assert!(said(&mut stream, &connect).await.starts_with("HTTP/1.1 200"));
    for _ in 0..3 {
        assert!(said(&mut stream, "GET / HTTP/1.1\r\n\r\n").await.ends_with("GET / HTTP/1.1\r\n\r\n"));
    }
    drop(proxy);
    assert_eq!(stream.read(&mut [0; 10]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn what_is_not_allowed_is_not_connected_to_and_the_log_says_why() {
    let (allowed, private) = (Host::start().await, Host::start().await);
    let proxy = proxy(&[format!("127.0.0.1:{}", allowed.port)]).await;
    let mark = proxy.log().mark();
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    // First what it may, so that it is a connection in use.
    let get = |port: u16| format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(said(&mut stream, &get(allowed.port)).await.starts_with("HTTP/1.1 200"));
    assert_eq!(said(&mut stream, &get(private.port)).await, "", "it is closed without an answer");
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    let connect = format!("CONNECT 127.0.0.1:{} HTTP/1.1\r\nHost: x\r\n\r\n", private.port);
    assert!(said(&mut stream, &connect).await.starts_with("HTTP/1.1 502"));
    let why = proxy.log().why_since(mark, "127.0.0.1", "").unwrap();
    assert!(matches!(&why, Why::Refused(refused) if refused.rule() == "net:loopback"), "{why:?}");
    assert_eq!(proxy.log().why_since(proxy.log().mark(), "127.0.0.1", "net::ERR_EMPTY_RESPONSE"), None);
}

#[tokio::test]
async fn what_is_no_request_to_a_proxy_is_refused() {
    let proxy = proxy(&["127.0.0.1".to_owned()]).await;
    for request in [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET https://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://user@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "\x16\x03\x01\x02\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        let answer = said(&mut stream, request).await;
        assert!(answer.starts_with("HTTP/1.1 400") || answer.is_empty(), "{request:?}: {answer}");
    }
}
