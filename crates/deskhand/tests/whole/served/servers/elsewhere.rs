//! The owner at another machine, or somebody with a stolen link: what would run here, leave from here or ask less is refused.

use serde_json::{Value, json};

use super::{entry, plain};
use crate::served::{Answer, Served};

impl Served {
    /// The same as [`Served::ask`], through a proxy.
    fn ask_from_elsewhere(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        self.raw(&format!(
            "{method} /api/v1/servers{path} HTTP/1.0\r\nHost: 127.0.0.1:{}\r\nX-Forwarded-For: 192.0.2.7\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        ))
    }

    fn refuses_from_elsewhere(&self, method: &str, path: &str, body: &Value) {
        let (before, records) = (self.mcp_json(), self.records());
        let refused = self.ask_from_elsewhere(method, path, body);
        assert_eq!(refused.status, 403, "{method} {path} {body}: {refused:?}");
        assert_eq!(refused.json()["error"]["code"], "not_from_elsewhere", "{refused:?}");
        assert_eq!((self.mcp_json(), self.records()), (before, records), "{method} {path} {body}");
    }
}

#[test]
fn neither_a_program_nor_a_variable_is_added_from_elsewhere() {
    let served = plain();
    for entry in [
        json!({"command": "true"}),
        json!({"url": "https://h.example/mcp", "headers": {"X": "${OPENAI_API_KEY}"}}),
        json!({"url": "https://h.example/${env:OPENAI_API_KEY:-none}"}),
        json!({"url": "https://h.example/mcp", "oauth": {"client_id": "${OPENAI_API_KEY}"}}),
    ] {
        let one = json!({"name": "x", "entry": entry});
        let file = json!({"json": json!({"mcpServers": {"ok": {"url": "https://h.example"}, "x": entry}}).to_string()});
        for (path, mut body) in [("", one), ("/import", file)] {
            served.refuses_from_elsewhere("POST", path, &body);
            // Neither with a yes that was given here.
            let shown = served.post(&format!("/api/v1/servers{path}"), body.clone());
            body["confirm"] = shown["confirm"].clone();
            served.refuses_from_elsewhere("POST", path, &body);
        }
    }
    let mut harmless = json!({"name": "x", "entry": {"url": "https://h.example/mcp", "disabled": true}});
    harmless["confirm"] = served.ask_from_elsewhere("POST", "", &harmless).json()["confirm"].clone();
    let added = served.ask_from_elsewhere("POST", "", &harmless);
    assert_eq!((added.status, &added.json()["added"]), (200, &json!(true)), "{added:?}");

    let other =
        json!({"mcpServers": {"x": {"url": "https://evil.example/mcp", "disabled": true}}}).to_string();
    served.refuses_from_elsewhere("POST", "/import", &json!({"json": other}));
}

#[test]
fn variables_that_leave_are_shown_before_the_yes_and_after() {
    let served = plain();
    let entry = json!({
        "url": "https://h.example/mcp?k=${B_KEY}", "headers": {"X": "Bearer ${env:A_KEY} ${A_KEY}"}, "disabled": true,
    });
    let shown = served.post("/api/v1/servers", json!({"name": "web", "entry": entry}));
    assert_eq!(shown["servers"][0]["variables"], json!(["A_KEY", "B_KEY"]), "{shown}");
    served.add_server("web", &entry);
    assert_eq!(served.server("web")["variables"], json!(["A_KEY", "B_KEY"]));
    let audit = served.get("/api/v1/audit").to_string();
    assert!(audit.contains("B_KEY"), "{audit}");
}

#[test]
fn nothing_is_loosened_or_signed_in_to_from_elsewhere() {
    let served = plain();
    let mut off = entry();
    off["disabled"] = json!(true);
    served.add_server("small", &off);
    served.change_server(
        "small",
        json!({"permission": "public", "tools": {"a": "sensitive", "b": "hidden", "c": "moderate"}}),
    );
    for loosening in [
        json!({"disabled": false}),
        json!({"tools": {"a": null}}),
        json!({"tools": {"a": "moderate"}}),
        json!({"tools": {"b": "moderate"}}),
        json!({"tools": {"b": null}}),
        json!({"tools": {"b": "sensitive"}}),
        json!({"tools": {"c": "public"}}),
        // One is stricter, the other is not.
        json!({"permission": "sensitive", "tools": {"b": null}}),
    ] {
        served.refuses_from_elsewhere("PATCH", "/small", &loosening);
    }
    for tightening in [
        json!({"disabled": true}),
        json!({"permission": "sensitive"}),
        json!({"tools": {"c": "hidden", "d": "hidden"}}),
    ] {
        let changed = served.ask_from_elsewhere("PATCH", "/small", &tightening);
        assert_eq!(changed.status, 200, "{tightening}: {changed:?}");
    }
    for loosening in [json!({"permission": "moderate"}), json!({"tools": {"new": "moderate"}})] {
        served.refuses_from_elsewhere("PATCH", "/small", &loosening);
    }
    served.refuses_from_elsewhere("POST", "/small/sign-in", &json!({}));
    assert_eq!(served.ask_from_elsewhere("DELETE", "/small", &json!({})).status, 200);
}
