//! The events of a session over a WebSocket, spoken by hand: the same as over SSE, from wherever the watcher was, with
//! the reins of the turn.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use super::Served;

struct Socket(BufReader<TcpStream>);

impl Socket {
    fn open(served: &Served, session: &str, after: u64) -> Self {
        let mut stream = served.connect();
        let request = format!(
            "GET /api/v1/sessions/{session}/ws?after={after} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\
             Authorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            served.port, served.token
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert!(line.contains(" 101 "), "{line}");
        while line != "\r\n" {
            line.clear();
            lines.read_line(&mut line).unwrap();
        }
        Self(lines)
    }

    /// The next text that the server sends (RFC 6455, never masked); what else comes is passed over.
    fn next(&mut self) -> Value {
        loop {
            let mut head = [0; 2];
            self.0.read_exact(&mut head).unwrap();
            let length = match head[1] {
                126 => {
                    let mut bytes = [0; 2];
                    self.0.read_exact(&mut bytes).unwrap();
                    usize::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.0.read_exact(&mut bytes).unwrap();
                    usize::try_from(u64::from_be_bytes(bytes)).unwrap()
                }
                short => usize::from(short),
            };
            let mut text = vec![0; length];
            self.0.read_exact(&mut text).unwrap();
            if head[0] & 0x0f == 1 {
                return serde_json::from_slice(&text).unwrap();
            }
        }
    }

    /// A short text, masked with zeros as whoever asks must mask it.
    fn say(&mut self, text: &str) {
        let mut frame = vec![0x81, 0x80 | u8::try_from(text.len()).unwrap(), 0, 0, 0, 0];
        frame.extend(text.as_bytes());
        self.0.get_mut().write_all(&frame).unwrap();
    }

    fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut events = Vec::new();
        while events.last().is_none_or(|event: &Value| event["type"] != kind) {
            events.push(self.next());
        }
        events
    }
}

#[test]
fn a_web_socket_has_the_same_events_from_wherever_one_was() {
    let served = Served::scripted("[[replies]]\ntext = \"one two three\"\npiece = 3\ndelay_ms = 5\n");
    let session = served.new_session();
    let mut socket = Socket::open(&served, &session, 0);
    served.say(&session, "count");
    let live = socket.until("done");
    assert_eq!(live, served.watch(&session, 0).until("done"), "the same as over SSE");
    let seen = live[1]["seq"].as_u64().unwrap();
    assert_eq!(Socket::open(&served, &session, seen).until("done"), live[2..]);
}

#[test]
fn a_web_socket_holds_the_reins_of_the_turn() {
    let slow = "[[replies]]\ntext = \"word word word word word word word word\"\npiece = 1\ndelay_ms = 200\n";
    let served = Served::scripted(slow);
    let session = served.new_session();
    let mut socket = Socket::open(&served, &session, 0);
    socket.say("nonsense");
    assert_eq!(socket.next()["error"]["code"], "invalid");
    socket.say(r#"{"do":"cancel"}"#);
    assert_eq!(socket.next()["error"]["code"], "no_turn");
    served.say(&session, "talk");
    socket.until("text");
    socket.say(r#"{"do":"cancel"}"#);
    let rest = socket.until("done");
    assert!(rest.iter().any(|said| said["success"] == true), "{rest:?}");
    assert_eq!(rest.last().unwrap()["outcome"], "cancelled");
}
