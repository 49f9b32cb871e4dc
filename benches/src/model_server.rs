//! A server that answers as an OpenAI-compatible one does, from a script, on loopback: a call first, then, once its
//! result came back, a streamed answer.

use std::{net::SocketAddr, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// How many pieces an answer has, and how far apart they come.
pub const PIECES: usize = 50;
const APART: Duration = Duration::from_millis(20);

/// Serves until the runtime ends.
pub async fn start() -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = serve(connection).await;
            });
        }
    });
    Ok(address)
}

async fn serve(connection: TcpStream) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut connection = BufReader::new(connection);
    loop {
        let Some(request) = read_request(&mut connection).await? else { return Ok(()) };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        connection.write_all(head.as_bytes()).await?;
        let has_result =
            request["messages"].as_array().is_some_and(|all| all.iter().any(|m| m["role"] == "tool"));
        if has_result {
            for n in 0..PIECES {
                send(
                    &mut connection,
                    &json!({"choices": [{"index": 0, "delta": {"content": format!("word{n} ")}}]}),
                )
                .await?;
                tokio::time::sleep(APART).await;
            }
            send(&mut connection, &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
                .await?;
        } else {
            let call = json!({"index": 0, "id": "call_1", "type": "function",
                "function": {"name": "nothing", "arguments": "{\"path\": \"src/main.rs\"}"}});
            send(&mut connection, &json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
                .await?;
            send(
                &mut connection,
                &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
            )
            .await?;
        }
        let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 50}});
        send(&mut connection, &usage).await?;
        chunk(&mut connection, "data: [DONE]\n\n").await?;
        connection.write_all(b"0\r\n\r\n").await?;
        connection.flush().await?;
    }
}

async fn send(connection: &mut BufReader<TcpStream>, value: &Value) -> std::io::Result<()> {
    chunk(connection, &format!("data: {value}\n\n")).await
}

async fn chunk(connection: &mut BufReader<TcpStream>, text: &str) -> std::io::Result<()> {
    connection.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes()).await?;
    connection.flush().await
}

/// The body of the next request; `None` when the client is gone.
async fn read_request(connection: &mut BufReader<TcpStream>) -> std::io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if connection.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    Ok(Some(serde_json::from_slice(&body).unwrap_or_default()))
}
