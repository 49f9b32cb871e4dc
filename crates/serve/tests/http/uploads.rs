//! Files in.

use std::fs;

use axum::body::Bytes;
use deskhand_core::arguments::sha256_hex;
use deskhand_testkit::until;
use futures_util::stream;
use reqwest::{Body, Method};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::harness::{House, Who, answer, text};

async fn begin(house: &House, session: &str, body: Value) -> (u16, Value) {
    house.post(Who::Owner, &format!("/api/v1/sessions/{session}/uploads"), body).await
}

async fn piece(house: &House, id: &str, offset: u64, bytes: impl Into<Body>) -> (u16, Value) {
    let request = house.ask(Who::Owner, Method::PATCH, &format!("/api/v1/uploads/{id}"));
    answer(request.header("upload-offset", offset).body(bytes)).await
}

fn left_over(house: &House) -> usize {
    fs::read_dir(house.data.join("uploads/.partial")).map_or(0, Iterator::count)
}

#[tokio::test]
async fn a_file_comes_piece_by_piece_and_outlives_the_server() {
    let mut house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    let content = "一二三four".repeat(1000);
    let bytes = content.as_bytes().to_vec();
    let hash = sha256_hex(&bytes);
    let (status, begun) = begin(
        &house,
        &session,
        json!({"name": "../报告.txt", "size": bytes.len(), "sha256": hash.to_uppercase()}),
    )
    .await;
    assert_eq!((status, &begun["offset"], &begun["complete"]), (200, &json!(0), &json!(false)), "{begun}");
    let id = text(&begun["upload_id"]);
    let (status, state) = piece(&house, &id, 0, bytes[..5000].to_vec()).await;
    assert_eq!((status, &state["offset"], &state["complete"]), (200, &json!(5000), &json!(false)), "{state}");

    house.restart().await;
    let (_, state) = house.get(Who::Owner, &format!("/api/v1/uploads/{id}")).await;
    assert_eq!(state["offset"], 5000, "{state}");
    let (status, wrong) = piece(&house, &id, 4000, bytes[4000..].to_vec()).await;
    assert_eq!(status, 409);
    assert!(text(&wrong["error"]["message"]).contains("5000"), "{wrong}");
    let (status, done) = piece(&house, &id, 5000, bytes[5000..].to_vec()).await;
    assert_eq!((status, &done["complete"], &done["sha256"]), (200, &json!(true), &json!(hash)), "{done}");
    assert_eq!(done["upload"]["name"], "报告.txt");
    assert_eq!(fs::read(text(&done["upload"]["path"])).unwrap(), bytes);

    // Who did not hear the last answer asks again.
    let (_, again) = house.get(Who::Owner, &format!("/api/v1/uploads/{id}")).await;
    assert_eq!((&again["complete"], &again["upload"]["id"]), (&json!(true), &done["upload"]["id"]));
    let kept = format!("/api/v1/uploads/{}", text(&done["upload"]["id"]));
    assert_eq!(house.get(Who::Owner, &kept).await.1["complete"], true);
    assert_eq!(piece(&house, &id, bytes.len() as u64, "x").await.0, 409);
    assert_eq!(house.delete(Who::Owner, &kept).await.0, 409, "a file of a session goes with it");
    let (_, list) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}/uploads")).await;
    assert_eq!(list["uploads"].as_array().unwrap().len(), 1, "{list}");
}

#[tokio::test]
async fn what_is_announced_is_what_comes() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    for (body, status) in [
        (json!({"name": "a", "size": 104_857_601_u64}), 413),
        (json!({"name": " ", "size": 1}), 400),
        (json!({"name": "a", "size": 1, "sha256": "abc"}), 400),
        (json!({"name": "a", "size": -1}), 400),
        (json!({"name": "a"}), 400),
    ] {
        assert_eq!(begin(&house, &session, body.clone()).await.0, status, "{body}");
    }
    assert_eq!(begin(&house, "no-such-session", json!({"name": "a", "size": 1})).await.0, 404);

    let (_, begun) = begin(&house, &session, json!({"name": "a", "size": 4, "sha256": "0".repeat(64)})).await;
    let id = text(&begun["upload_id"]);
    assert_eq!(piece(&house, &id, 0, "12345").await.0, 413, "by its length");
    let chunked = Body::wrap_stream(stream::iter(["123", "45"].map(Ok::<_, std::io::Error>)));
    assert_eq!(piece(&house, &id, 0, chunked).await.0, 413, "as it comes");
    let (_, state) = house.get(Who::Owner, &format!("/api/v1/uploads/{id}")).await;
    assert_eq!(state["offset"], 0, "nothing of it stays");
    let path = format!("/api/v1/uploads/{id}");
    assert_eq!(answer(house.ask(Who::Owner, Method::PATCH, &path).body("1")).await.0, 400, "no offset");
    let (status, wrong) = piece(&house, &id, 0, "1234").await;
    assert_eq!(status, 400, "another hash");
    assert!(text(&wrong["error"]["message"]).contains(&sha256_hex(b"1234")), "{wrong}");
    assert_eq!(house.get(Who::Owner, &path).await.0, 404, "it is gone");
    assert_eq!(left_over(&house), 0);
    let (_, list) = house.get(Who::Owner, &format!("/api/v1/sessions/{session}/uploads")).await;
    assert_eq!(list["uploads"], json!([]));

    // An empty file is a file.
    let (_, begun) = begin(&house, &session, json!({"name": "empty", "size": 0})).await;
    let (status, done) = piece(&house, &text(&begun["upload_id"]), 0, "").await;
    assert_eq!((status, &done["complete"]), (200, &json!(true)), "{done}");
}

/// A body that comes as it is sent.
fn slow_body() -> (mpsc::UnboundedSender<Result<Bytes, std::io::Error>>, Body) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let slow = stream::unfold(receiver, |mut pieces| async move { Some((pieces.recv().await?, pieces)) });
    (sender, Body::wrap_stream(slow))
}

/// What comes is written as soon as the server has it in its hands.
async fn until_it_has_begun(house: &House, path: &str) {
    until("the first bytes", async || house.get(Who::Owner, path).await.1["offset"] != 0).await;
}

#[tokio::test]
async fn two_that_write_at_once_do_not_tear_it() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    let (_, begun) = begin(&house, &session, json!({"name": "a", "size": 6})).await;
    let id = text(&begun["upload_id"]);
    let (sender, body) = slow_body();
    let first = piece(&house, &id, 0, body);
    let second = async {
        sender.send(Ok(Bytes::from_static(b"abc"))).unwrap();
        until_it_has_begun(&house, &format!("/api/v1/uploads/{id}")).await;
        let (status, busy) = piece(&house, &id, 3, "xyz").await;
        let gone = house.delete(Who::Owner, &format!("/api/v1/uploads/{id}")).await.0;
        sender.send(Ok(Bytes::from_static(b"def"))).unwrap();
        drop(sender);
        assert_eq!((status, gone), (409, 409), "{busy}");
    };
    let ((status, done), ()) = tokio::join!(first, second);
    assert_eq!((status, &done["complete"]), (200, &json!(true)), "{done}");
    assert_eq!(fs::read(text(&done["upload"]["path"])).unwrap(), b"abcdef");
}

#[tokio::test]
async fn what_breaks_off_goes_on_where_it_was() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    let (_, begun) = begin(&house, &session, json!({"name": "a", "size": 6})).await;
    let path = format!("/api/v1/uploads/{}", text(&begun["upload_id"]));
    let (sender, body) = slow_body();
    let request = house.ask(Who::Owner, Method::PATCH, &path).header("upload-offset", 0).body(body);
    let pulling = async {
        sender.send(Ok(Bytes::from_static(b"abc"))).unwrap();
        until_it_has_begun(&house, &path).await;
        sender.send(Err(std::io::Error::other("the cable is pulled"))).unwrap();
    };
    let (sent, ()) = tokio::join!(request.send(), pulling);
    sent.unwrap_err();
    assert_eq!(house.get(Who::Owner, &path).await.1["offset"], 3);
    // The server may take a moment to see that the other side is gone.
    let id = text(&begun["upload_id"]);
    let done = until("the place is free", async || {
        Some(piece(&house, &id, 3, "def").await).filter(|(status, _)| *status != 409)
    })
    .await;
    assert_eq!((done.0, &done.1["complete"]), (200, &json!(true)), "{done:?}");
    assert_eq!(fs::read(text(&done.1["upload"]["path"])).unwrap(), b"abcdef");
}

#[tokio::test]
async fn nobody_has_more_than_twenty_unfinished() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    let bobs = house.session(Who::Bob, "bob's").await;
    let mut ids = Vec::new();
    for n in 0..20 {
        let (status, begun) = begin(&house, &session, json!({"name": format!("{n}"), "size": 1})).await;
        assert_eq!(status, 200, "{begun}");
        ids.push(text(&begun["upload_id"]));
    }
    let (status, refused) = begin(&house, &session, json!({"name": "21", "size": 1})).await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("too_many_uploads")));
    let path = format!("/api/v1/sessions/{bobs}/uploads");
    assert_eq!(
        house.post(Who::Bob, &path, json!({"name": "b", "size": 1})).await.0,
        200,
        "that is bob's matter"
    );
    assert_eq!(house.delete(Who::Owner, &format!("/api/v1/uploads/{}", ids[0])).await.0, 200);
    assert_eq!(piece(&house, &ids[1], 0, "x").await.0, 200);
    for name in ["21", "22"] {
        assert_eq!(begin(&house, &session, json!({"name": name, "size": 1})).await.0, 200, "{name}");
    }
}

fn form(name: &str, content: &[u8]) -> Vec<u8> {
    let mut body = format!(
        "--XX\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--XX\r\nContent-Disposition: form-data; \
         name=\"file\"; filename=\"{name}\"\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n--XX--\r\n");
    body
}

#[tokio::test]
async fn a_whole_file_comes_as_a_form() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    let send = |who: Who, body: Vec<u8>| {
        let request = house.ask(who, Method::POST, &format!("/api/v1/sessions/{session}/files"));
        answer(request.header("content-type", "multipart/form-data; boundary=XX").body(body))
    };
    // More than a JSON body may have.
    let content: Vec<u8> =
        b"\x89PNG\r\n\x1a\n".iter().copied().chain((0..3 << 20).map(|n: u32| n.to_le_bytes()[0])).collect();
    let (status, upload) = send(Who::Owner, form("图.png", &content)).await;
    assert_eq!(
        (status, &upload["name"], &upload["mime"]),
        (200, &json!("图.png"), &json!("image/png")),
        "{upload}"
    );
    assert_eq!(fs::read(text(&upload["path"])).unwrap(), content);
    assert_eq!(send(Who::Bob, form("a", b"x")).await.0, 404);
    assert_eq!(send(Who::Owner, b"--XX--\r\n".to_vec()).await.0, 400, "no file");
    assert_eq!(send(Who::Owner, form("a", &vec![0; (100 << 20) + 1])).await.0, 413);
    assert_eq!(left_over(&house), 0);
    let (status, not_a_form) =
        house.post(Who::Owner, &format!("/api/v1/sessions/{session}/files"), json!({})).await;
    assert_eq!(status, 400, "{not_a_form}");
}
