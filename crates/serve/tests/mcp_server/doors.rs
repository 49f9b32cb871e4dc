//! Nobody comes in over HTTP who does not show a token, by another name, or from another site's page.

use serde_json::json;

use super::desk::{Desk, Port, Who};

#[tokio::test]
async fn host_origin_and_token_are_looked_at() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let host = port.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
    let list = |who: Who| port.stateless(who, "tester", "tools/list", json!({}));
    for (request, wanted, why) in [
        (list(Who::Owner), 200, "as it should be"),
        (list(Who::Owner).header("origin", format!("http://{host}")), 200, "our own page"),
        (list(Who::Nobody), 401, "no token"),
        (list(Who::Nobody).bearer_auth("wrong"), 401, "a wrong token"),
        (list(Who::Owner).header("host", "evil.example"), 421, "another name"),
        (list(Who::Owner).header("origin", "http://evil.example"), 403, "another site"),
        (list(Who::Owner).header("origin", "null"), 403, "no site"),
    ] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), wanted, "{why}");
        let kind = response.headers().get("www-authenticate").map(|kind| kind.to_str().unwrap());
        assert_eq!(kind, (wanted == 401).then_some("Bearer"), "{why}");
    }
}

#[tokio::test]
async fn only_the_one_route_is_there() {
    let desk = Desk::new();
    let port = Port::open(&desk).await;
    let base = port.url.strip_suffix("/mcp").unwrap();
    for path in ["/", "/api/v1/sessions", "/mcp/x"] {
        let request =
            reqwest::Client::new().get(format!("{base}{path}")).bearer_auth(port.token(Who::Owner).unwrap());
        assert_eq!(request.send().await.unwrap().status(), 404, "{path}");
    }
}
