//! The client against a peer that misbehaves.
#![allow(clippy::unwrap_used)] // all of it is tests

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{CdpError, Connection, Ears, Event, MOST_BYTES, over_pipes};

/// Longer than any test takes.
const LONG: Duration = Duration::from_mins(1);

#[derive(Default)]
struct Heard {
    count: AtomicUsize,
    last: Mutex<Option<Event>>,
}

impl Ears for Heard {
    fn hear(&self, event: &Event, connection: &Connection) {
        self.count.fetch_add(1, Ordering::SeqCst);
        *self.last.lock().unwrap() = Some(event.clone());
        if event.method == "Want.answer" {
            connection.post(event.session.as_deref(), "Posted.command", &json!({}));
        }
    }
}

/// The other side, by hand.
struct Peer {
    stream: DuplexStream,
    read: Vec<u8>,
}

impl Peer {
    async fn command(&mut self) -> Value {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == 0) {
                let message: Vec<u8> = self.read.drain(..=end).collect();
                return serde_json::from_slice(&message[..end]).unwrap();
            }
            let mut piece = vec![0; 4096];
            let read = self.stream.read(&mut piece).await.unwrap();
            assert!(read > 0, "the client has gone");
            self.read.extend_from_slice(&piece[..read]);
        }
    }

    async fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
        self.stream.write_all(&[0]).await.unwrap();
    }

    async fn answer(&mut self, id: u64, result: Value) {
        self.say(&json!({"id": id, "result": result}).to_string()).await;
    }
}

fn connected() -> (Connection, Peer, Arc<Heard>, DropGuard) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (from, to) = tokio::io::split(ours);
    let heard = Arc::new(Heard::default());
    let stop = CancellationToken::new();
    let connection =
        Connection::start(over_pipes(from, to), Arc::clone(&heard) as Arc<dyn Ears>, stop.clone());
    (connection, Peer { stream: theirs, read: Vec::new() }, heard, stop.drop_guard())
}

/// A call in a task of its own, so that the test can be the peer meanwhile.
fn calling(
    connection: &Connection,
    method: &'static str,
    limit: Duration,
) -> tokio::task::JoinHandle<Result<Value, CdpError>> {
    let connection = connection.clone();
    tokio::spawn(async move { connection.call(Some("S1"), method, json!({"a": 1}), limit).await })
}

#[tokio::test]
async fn answers_reach_whoever_asked_in_any_order() {
    let (connection, mut peer, _, _stop) = connected();
    let first = calling(&connection, "A.first", LONG);
    let one = peer.command().await;
    let second = calling(&connection, "B.second", LONG);
    let two = peer.command().await;
    assert_eq!(
        (&one["method"], &one["sessionId"], &one["params"]),
        (&json!("A.first"), &json!("S1"), &json!({"a": 1}))
    );
    peer.answer(two["id"].as_u64().unwrap(), json!("two")).await;
    peer.answer(one["id"].as_u64().unwrap(), json!("one")).await;
    assert_eq!((first.await.unwrap(), second.await.unwrap()), (Ok(json!("one")), Ok(json!("two"))));
}

#[tokio::test]
async fn wrong_ids_and_garbage_change_nothing() {
    let (connection, mut peer, heard, _stop) = connected();
    let call = calling(&connection, "A.b", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    for odd in
        ["", "not json", "[1,2]", "{}", "\u{fffd}{{{", "{\"id\":\"x\"}", "{\"id\":1e400}", "{\"method\":[]}"]
    {
        peer.say(odd).await;
    }
    peer.answer(id + 1000, json!("not yours")).await;
    peer.say(&json!({"id": id, "error": {"code": -1, "message": "No such thing"}}).to_string()).await;
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "A.b: No such thing");
    // A second answer to the same id finds nobody.
    peer.answer(id, json!("late")).await;
    peer.say(r#"{"method":"Want.answer","sessionId":"S9"}"#).await;
    let posted = peer.command().await;
    assert_eq!((&posted["method"], &posted["sessionId"]), (&json!("Posted.command"), &json!("S9")));
    assert_eq!(heard.count.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn silence_ends_with_the_deadline_and_leaves_nothing_behind() {
    let (connection, mut peer, _, _stop) = connected();
    let limit = Duration::from_millis(20);
    let error = calling(&connection, "A.b", limit).await.unwrap().unwrap_err();
    assert_eq!(error, CdpError::TimedOut { method: "A.b".into(), limit });
    let id = peer.command().await["id"].as_u64().unwrap();
    peer.answer(id, json!("too late")).await;
    // A caller that goes away takes its place with it.
    let dropped = calling(&connection, "A.c", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    dropped.abort();
    assert!(dropped.await.unwrap_err().is_cancelled());
    assert_eq!(connection.unanswered(), 0);
    // The answer to what was cancelled finds nobody, however often it comes.
    peer.answer(id, json!("after the cancel")).await;
    peer.answer(id, json!("and again")).await;
    let next = calling(&connection, "A.d", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    peer.answer(id, json!(1)).await;
    assert_eq!(next.await.unwrap(), Ok(json!(1)));
}

#[tokio::test]
async fn the_end_of_the_other_side_ends_every_wait() {
    for half in [false, true] {
        let (connection, mut peer, _, _stop) = connected();
        let calls = [calling(&connection, "A.b", LONG), calling(&connection, "A.c", LONG)];
        peer.command().await;
        peer.command().await;
        if half {
            peer.stream.write_all(b"{\"id\":1,\"resu").await.unwrap();
        }
        drop(peer);
        for call in calls {
            let error = call.await.unwrap().unwrap_err();
            let why = if half { "in the middle of a message" } else { "the browser closed it" };
            assert!(matches!(&error, CdpError::Closed(words) if words.contains(why)), "{error}");
        }
        assert!(connection.until_ended().await.len() > 5);
        let after = connection.call(None, "A.d", Value::Null, LONG).await.unwrap_err();
        assert!(matches!(after, CdpError::Closed(_)), "{after}");
    }
}

#[tokio::test]
async fn a_flood_of_events_does_not_keep_an_answer_from_coming() {
    const EVENTS: usize = 100_000;
    let (connection, mut peer, heard, _stop) = connected();
    let call = calling(&connection, "A.b", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    let event = json!({"method": "Flood.event", "params": {"text": "x".repeat(100)}}).to_string() + "\0";
    for _ in 0..EVENTS {
        peer.stream.write_all(event.as_bytes()).await.unwrap();
    }
    peer.answer(id, json!("after")).await;
    assert_eq!(call.await.unwrap(), Ok(json!("after")));
    assert_eq!(heard.count.load(Ordering::SeqCst), EVENTS, "none was lost");
}

#[tokio::test]
async fn an_enormous_answer_fails_alone() {
    let (connection, mut peer, _, _stop) = connected();
    let call = calling(&connection, "A.b", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    peer.stream.write_all(format!("{{\"id\":{id},\"result\":{{\"data\":\"").as_bytes()).await.unwrap();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..=(MOST_BYTES >> 20) {
        peer.stream.write_all(&piece).await.unwrap();
    }
    peer.say("\"}}").await;
    assert!(matches!(call.await.unwrap(), Err(CdpError::TooLong { size, .. }) if size > MOST_BYTES));
    let next = calling(&connection, "A.c", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    peer.answer(id, json!("fine")).await;
    assert_eq!(next.await.unwrap(), Ok(json!("fine")));
}

#[tokio::test]
async fn an_enormous_event_is_let_go_and_the_next_is_heard() {
    let (connection, mut peer, heard, _stop) = connected();
    let call = calling(&connection, "A.b", LONG);
    let id = peer.command().await["id"].as_u64().unwrap();
    peer.stream.write_all(b"{\"method\":\"Large.event\",\"params\":{\"text\":\"").await.unwrap();
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..=(MOST_BYTES >> 20) {
        peer.stream.write_all(&piece).await.unwrap();
    }
    peer.say("\"}}").await;
    peer.say(r#"{"method":"Small.event","sessionId":"nobody's"}"#).await;
    peer.answer(id, json!("fine")).await;
    assert_eq!(call.await.unwrap(), Ok(json!("fine")));
    assert_eq!(heard.count.load(Ordering::SeqCst), 1);
    assert_eq!(heard.last.lock().unwrap().as_ref().unwrap().method, "Small.event");
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_given_up() {
    let (connection, _peer, _, _stop) = connected();
    let long = json!({"text": "x".repeat(10_000)});
    for _ in 0..10_000 {
        connection.post(None, "A.b", &long);
        if connection.ended().is_some() {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(connection.ended().unwrap().contains("does not take commands"));
}

#[tokio::test]
async fn whoever_started_it_ends_it() {
    let (connection, mut peer, _, stop) = connected();
    let call = calling(&connection, "A.b", LONG);
    peer.command().await;
    drop(stop);
    assert!(matches!(call.await.unwrap(), Err(CdpError::Closed(_))));
    let mut rest = Vec::new();
    // Both tasks are gone, and their ends of the pipes with them.
    peer.stream.read_to_end(&mut rest).await.unwrap();
}
