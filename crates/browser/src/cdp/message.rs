//! One message of the protocol. What comes in is not trusted to be one.

use serde::Deserialize;
use serde_json::{Value, json};

/// Something happened in the browser.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The target it happened in; `None`: the browser itself.
    pub session: Option<String>,
    pub method: String,
    pub params: Value,
}

/// What came in.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    Answer { id: u64, result: Result<Value, Refusal> },
    Event(Event),
}

/// The browser's no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: i64,
    pub message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    id: Option<u64>,
    method: Option<String>,
    session_id: Option<String>,
    params: Option<Value>,
    result: Option<Value>,
    error: Option<WireError>,
}

#[derive(Deserialize)]
struct WireError {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
    data: Option<Value>,
}

/// Reads a message; `None` where it is none.
pub fn read(bytes: &[u8]) -> Option<Incoming> {
    let wire: Wire = serde_json::from_slice(bytes).ok()?;
    if let Some(id) = wire.id {
        let result = match wire.error {
            None => Ok(wire.result.unwrap_or(Value::Null)),
            Some(error) => Err(refusal(error)),
        };
        return Some(Incoming::Answer { id, result });
    }
    let params = wire.params.unwrap_or(Value::Null);
    Some(Incoming::Event(Event { session: wire.session_id, method: wire.method?, params }))
}

fn refusal(error: WireError) -> Refusal {
    // The data of an error is a string that says more, where there is any.
    let more = error.data.as_ref().and_then(Value::as_str).map(|data| format!(": {data}"));
    Refusal { code: error.code, message: error.message + &more.unwrap_or_default() }
}

/// The id that a message answers, told by its first bytes: for one that is too long to be read whole.
pub fn id_at_the_head(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(b"{\"id\":")?;
    let digits: Vec<u8> = rest.iter().copied().take_while(u8::is_ascii_digit).collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

/// A command, as it is sent.
pub fn command(id: u64, session: Option<&str>, method: &str, params: &Value) -> String {
    let mut command = json!({"id": id, "method": method, "params": params});
    if let Some(session) = session {
        command["sessionId"] = session.into();
    }
    command.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_events_and_what_is_neither() {
        let answer = read(br#"{"id":7,"result":{"a":1},"extra":[]}"#);
        assert_eq!(answer, Some(Incoming::Answer { id: 7, result: Ok(json!({"a": 1})) }));
        let no = read(br#"{"id":7,"error":{"code":-32000,"message":"No","data":"why"}}"#);
        let refusal = Refusal { code: -32000, message: "No: why".into() };
        assert_eq!(no, Some(Incoming::Answer { id: 7, result: Err(refusal) }));
        let event = Event { session: Some("S".into()), method: "Page.x".into(), params: Value::Null };
        assert_eq!(read(br#"{"method":"Page.x","sessionId":"S"}"#), Some(Incoming::Event(event)));
        for odd in [
            &b""[..],
            b"{",
            b"[]",
            b"null",
            b"{}",
            b"{\"id\":-1}",
            b"{\"id\":\"1\"}",
            b"\xff\xfe",
            b"{\"method\":1}",
        ] {
            assert_eq!(read(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn the_head_of_a_long_answer_tells_its_id() {
        assert_eq!(id_at_the_head(br#"{"id":42,"result":{"data":"AAAA"#), Some(42));
        assert_eq!(id_at_the_head(br#"{"method":"x","params":{"id":42"#), None);
        assert_eq!(id_at_the_head(b"{\"id\":99999999999999999999999,"), None);
    }
}
