//! Every route asks who comes, under which name, and from where.

use deskhand_serve::http::document;
use reqwest::Method;
use serde_json::Value;

use crate::harness::{House, Who, json_body};

/// Every operation of the API: its method and its path.
pub fn operations() -> Vec<(Method, String)> {
    let document = serde_json::to_value(document()).unwrap();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in ["get", "post", "put", "patch", "delete"] {
            if operations.get(method).is_some() {
                found.push((method.to_uppercase().parse().unwrap(), path.clone()));
            }
        }
    }
    assert!(found.len() > 30, "the document has only {} operations", found.len());
    found
}

/// The path with something in the place of every parameter.
fn filled(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { "x" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

const OPEN: &[&str] = &["/healthz", "/api/files/download/{download_id}"];

#[tokio::test]
async fn nobody_comes_in_without_a_token() {
    let mut all = operations();
    all.push((Method::GET, "/api/openapi.json".to_owned()));
    all.push((Method::GET, "/api/no-such-route".to_owned()));
    let guarded: Vec<_> = all.iter().filter(|(_, path)| !OPEN.contains(&path.as_str())).collect();
    // Who guesses too often is not answered for a while: a few at a time.
    for some in guarded.chunks(15) {
        let house = House::start().await;
        for (method, path) in some {
            let request = json_body(house.ask(Who::Nobody, method.clone(), &filled(path)), &Value::Null);
            assert_eq!(request.send().await.unwrap().status(), 401, "{method} {path}");
        }
    }
    let house = House::start().await;
    for (path, status) in [("/healthz", 200), ("/api/files/download/x", 404), ("/", 200)] {
        assert_eq!(
            house.ask(Who::Nobody, Method::GET, path).send().await.unwrap().status(),
            status,
            "{path}"
        );
    }
}

#[tokio::test]
async fn every_route_goes_by_its_own_name_and_for_its_own_page() {
    let house = House::start().await;
    for (method, path) in operations() {
        for (name, value, status) in
            [("host", "evil.example", 421), ("origin", "http://evil.example", 403), ("origin", "null", 403)]
        {
            let request = house.ask(Who::Owner, method.clone(), &filled(&path)).header(name, value);
            let got = json_body(request, &Value::Null).send().await.unwrap();
            assert_eq!(got.status(), status, "{method} {path} with {name}: {value}");
            let body: Value = serde_json::from_slice(&got.bytes().await.unwrap()).unwrap();
            let code = if status == 421 { "wrong_host" } else { "cross_site" };
            assert_eq!(body["error"]["code"], code, "{method} {path} with {name}: {value}");
        }
    }
}
