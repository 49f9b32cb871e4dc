//! Files out.

use std::fs;

use deskhand_core::{CallId, Masked, OutputKeeper};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{House, Who, text};

async fn link(house: &House, body: Value) -> String {
    let (status, made) = house.post(Who::Owner, "/api/v1/downloads", body).await;
    assert_eq!(status, 200, "{made}");
    text(&made["url"])
}

async fn fetch(house: &House, method: Method, url: &str, headers: &[(&str, &str)]) -> Response {
    let request = house.ask(Who::Nobody, method, url);
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn ranges_of_a_file_as_a_table() {
    let house = House::start().await;
    fs::write(house.workspace.join("数字.txt"), "0123456789").unwrap();
    let url = link(&house, json!({"path": "数字.txt"})).await;
    let whole = fetch(&house, Method::GET, &url, &[]).await;
    let etag = header(&whole, "etag").to_owned();
    assert_eq!(header(&whole, "content-type"), "text/plain; charset=utf-8");
    assert_eq!(header(&whole, "accept-ranges"), "bytes");
    assert_eq!(header(&whole, "content-security-policy"), "default-src 'none'; sandbox");
    let disposition = header(&whole, "content-disposition");
    assert!(
        disposition.starts_with("attachment") && disposition.contains("%E6%95%B0%E5%AD%97.txt"),
        "{disposition}"
    );
    for (range, if_range, status, body, content_range) in [
        ("bytes=2-4", None, 206, "234", "bytes 2-4/10"),
        ("bytes=7-", None, 206, "789", "bytes 7-9/10"),
        ("bytes=-2", None, 206, "89", "bytes 8-9/10"),
        ("bytes=0-99", None, 206, "0123456789", "bytes 0-9/10"),
        ("bytes=10-", None, 416, "", "bytes */10"),
        ("bytes=1-2,4-5", None, 200, "0123456789", ""),
        ("bytes=2-4", Some(etag.as_str()), 206, "234", "bytes 2-4/10"),
        ("bytes=2-4", Some("\"other\""), 200, "0123456789", ""),
    ] {
        let mut headers = vec![("range", range)];
        headers.extend(if_range.map(|etag| ("if-range", etag)));
        let got = fetch(&house, Method::GET, &url, &headers).await;
        let found = (got.status().as_u16(), header(&got, "content-range").to_owned());
        assert_eq!(found, (status, content_range.to_owned()), "{range} {if_range:?}");
        assert_eq!(got.text().await.unwrap(), body, "{range} {if_range:?}");
    }
    let head = fetch(&house, Method::HEAD, &url, &[]).await;
    assert_eq!((head.status().as_u16(), header(&head, "content-length")), (200, "10"));
    assert_eq!(head.text().await.unwrap(), "");
    fs::write(house.workspace.join("数字.txt"), "abc").unwrap();
    let changed = fetch(&house, Method::GET, &url, &[("range", "bytes=1-1"), ("if-range", &etag)]).await;
    assert_eq!((changed.status().as_u16(), changed.text().await.unwrap()), (200, "abc".to_owned()));
}

#[tokio::test]
async fn once_is_once() {
    let house = House::start().await;
    fs::write(house.workspace.join("f"), "0123456789").unwrap();
    let url = link(&house, json!({"path": "f", "once": true})).await;
    for (method, headers, status) in [
        (Method::HEAD, &[][..], 200),
        (Method::GET, &[("range", "bytes=5-")], 206),
        (Method::GET, &[("range", "bytes=50-")], 416),
        (Method::GET, &[("range", "bytes=0-9")], 206),
        (Method::GET, &[], 404),
        (Method::HEAD, &[], 404),
        (Method::GET, &[("range", "bytes=5-")], 404),
    ] {
        let got = fetch(&house, method.clone(), &url, headers).await;
        assert_eq!(got.status().as_u16(), status, "{method} {headers:?}");
        // Only what was sent counts.
        got.bytes().await.unwrap();
    }
    let in_pieces = link(&house, json!({"path": "f", "once": true})).await;
    for (range, status) in [("bytes=0-5", 206), ("bytes=6-9", 206), ("bytes=6-9", 404)] {
        let got = fetch(&house, Method::GET, &in_pieces, &[("range", range)]).await;
        assert_eq!(got.status().as_u16(), status, "{range}");
        got.bytes().await.unwrap();
    }
    assert_eq!(fetch(&house, Method::GET, "/api/files/download/wrong", &[]).await.status(), 404);
    let short = link(&house, json!({"path": "f", "ttl_s": 1})).await;
    assert_eq!(fetch(&house, Method::GET, &short, &[]).await.status(), 200);
    // Until its time is over.
    while fetch(&house, Method::GET, &short, &[]).await.status() != 404 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    for ttl in [0, 86_401] {
        let (status, _) =
            house.post(Who::Owner, "/api/v1/downloads", json!({"path": "f", "ttl_s": ttl})).await;
        assert_eq!(status, 400, "{ttl}");
    }
}

#[tokio::test]
async fn only_what_may_be_read_unasked_is_given_out() {
    let house = House::start().await;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.txt"), "x").unwrap();
    fs::write(house.workspace.join(".env"), "x").unwrap();
    fs::create_dir(house.workspace.join("folder")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), house.workspace.join("link")).unwrap();
    let data = house.data.join("deskhand.db").display().to_string();
    let elsewhere = outside.path().join("secret.txt").display().to_string();
    for (path, status, word) in [
        (".env", 403, "path:sensitive"),
        ("link", 403, "path:outside-read"),
        (elsewhere.as_str(), 403, "path:outside-read"),
        (data.as_str(), 403, "path:own-data"),
        ("folder", 400, "folder"),
        ("nothing", 404, "nothing"),
    ] {
        let (found, refused) = house.post(Who::Owner, "/api/v1/downloads", json!({"path": path})).await;
        assert_eq!(found, status, "{path}: {refused}");
        assert!(text(&refused["error"]["message"]).contains(word), "{path}: {refused}");
        if status == 403 {
            assert!(text(&refused["error"]["hint"]).contains("conversation"), "{refused}");
        }
    }
    for body in [json!({}), json!({"path": "a", "output": "b"})] {
        assert_eq!(house.post(Who::Owner, "/api/v1/downloads", body).await.0, 400);
    }
}

#[tokio::test]
async fn what_runs_in_a_browser_is_only_bytes() {
    let house = House::start().await;
    for name in ["a.html", "a.svg", "a.js", "a.xhtml"] {
        fs::write(house.workspace.join(name), "<html><script>alert(1)</script>").unwrap();
        let url = link(&house, json!({"path": name})).await;
        let got = fetch(&house, Method::GET, &url, &[]).await;
        assert_eq!(header(&got, "content-type"), "application/octet-stream", "{name}");
        assert!(header(&got, "content-disposition").starts_with("attachment;"), "{name}");
        assert_eq!(header(&got, "x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn uploads_and_outputs_are_given_to_their_owner() {
    let house = House::start().await;
    let session = house.session(Who::Owner, "files").await;
    let request = house.ask(Who::Owner, Method::POST, &format!("/api/v1/sessions/{session}/files"));
    let form = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"up.txt\"\r\n\r\nuploaded\r\n--X--\r\n";
    let request = request.header("content-type", "multipart/form-data; boundary=X").body(form);
    let (_, upload) = crate::harness::answer(request).await;
    let by_upload = json!({"upload_id": upload["id"]});
    let url = link(&house, by_upload.clone()).await;
    assert_eq!(fetch(&house, Method::GET, &url, &[]).await.text().await.unwrap(), "uploaded");

    // What the gate would keep of a call whose result is too long.
    let outcome = house.call(Who::Owner, Some(&session), "list_dir", json!({"path": "."})).await;
    let call = text(&outcome["outcome"]["call_id"]);
    house.store.outputs().keep(CallId::parse(&call).unwrap(), &Masked::assume("long")).unwrap();
    let by_output = json!({"output": format!("out:{call}")});
    let url = link(&house, by_output.clone()).await;
    assert_eq!(fetch(&house, Method::GET, &url, &[]).await.text().await.unwrap(), "long");

    for body in [by_upload, by_output] {
        assert_eq!(house.post(Who::Bob, "/api/v1/downloads", body.clone()).await.0, 404, "{body}");
    }
    // What was printed raw lies under an id that is no call's.
    let raw = CallId::new();
    house.store.outputs().keep(raw, &Masked::assume("raw")).unwrap();
    for handle in [format!("out:{raw}"), "out:nonsense".to_owned(), format!("out:{}", CallId::new())] {
        let (status, _) = house.post(Who::Owner, "/api/v1/downloads", json!({"output": handle})).await;
        assert_eq!(status, 404, "{handle}");
    }
}
