//! Who gets in, and what leaves with every answer.

use serde_json::json;

use super::{Around, Served};

#[test]
fn a_browser_gets_a_cookie_for_its_token_and_needs_no_more() {
    let served = Served::new();
    let host = format!("Host: 127.0.0.1:{}", served.port);
    let opened = served.raw(&format!("GET /?token={} HTTP/1.0\r\n{host}\r\n\r\n", served.token));
    let cookie = opened.header("set-cookie").unwrap().to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(&served.token), "the cookie is not the token");
    let cookie = cookie.split(';').next().unwrap();
    let with = |headers: &str| {
        served.raw(&format!("GET /api/v1/about HTTP/1.0\r\n{host}\r\n{headers}\r\n\r\n")).status
    };
    assert_eq!(with(&format!("Cookie: {cookie}")), 200);
    assert_eq!(with(&format!("Cookie: other=1; {cookie}")), 200);
    assert_eq!(with("Cookie: deskhand=wrong"), 401);
    assert_eq!(
        with(&format!("Authorization: Bearer {}", cookie.split('=').nth(1).unwrap())),
        401,
        "a cookie is no token"
    );
    assert_eq!(with("Authorization: Bearer wrong"), 401);
    let wrong = served.raw(&format!("GET /?token=wrong HTTP/1.0\r\n{host}\r\n\r\n"));
    assert_eq!(wrong.header("set-cookie"), None);
    for (site, gets_one) in
        [("none", true), ("same-origin", true), ("same-site", false), ("cross-site", false)]
    {
        let request =
            format!("GET /?token={} HTTP/1.0\r\n{host}\r\nSec-Fetch-Site: {site}\r\n\r\n", served.token);
        let opened = served.raw(&request);
        assert_eq!((opened.status, opened.header("set-cookie").is_some()), (200, gets_one), "{site}");
    }
}

#[test]
fn other_names_and_other_sites_are_turned_away() {
    let served = Served::new();
    let ask = |method: &str, headers: &str| {
        let body = "{}";
        served
            .raw(&format!(
                "{method} /api/v1/sessions HTTP/1.0\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n{headers}\r\n\r\n{body}",
                served.token,
                body.len()
            ))
            .status
    };
    let host = format!("Host: localhost:{}", served.port);
    let origin = |origin: &str| format!("{host}\r\nOrigin: {origin}");
    assert_eq!(ask("GET", &host), 200);
    assert_eq!(ask("GET", "Host: rebound.example"), 421);
    assert_eq!(ask("GET", &format!("Host: rebound.example:{}", served.port)), 421);
    for second in [host.as_str(), "Host: rebound.example"] {
        assert_eq!(ask("GET", &format!("{host}\r\n{second}")), 400, "{second}");
        assert_eq!(ask("GET", &format!("{second}\r\n{host}")), 400, "{second}");
    }
    assert_eq!(ask("POST", &origin(&format!("http://localhost:{}", served.port))), 200);
    for foreign in ["http://evil.example", "null", "http://localhost:1", "file://"] {
        assert_eq!(ask("POST", &origin(foreign)), 403, "{foreign}");
        assert_eq!(ask("GET", &origin(foreign)), 403, "{foreign}");
    }
    assert_eq!(ask("POST", &format!("{host}\r\nSec-Fetch-Site: cross-site")), 403);
}

#[test]
fn guesses_at_the_token_become_slow_and_the_right_one_still_counts() {
    let served = Served::new();
    let mut answers: Vec<u16> = (0..40)
        .map(|n| served.ask_as(&format!("guess-number-{n:020}"), "GET", "/api/v1/about", None).status)
        .collect();
    answers.dedup();
    assert_eq!(answers, [401, 429]);
    assert_eq!(served.ask("GET", "/api/v1/about", None).status, 200);
}

#[test]
fn every_answer_leaves_with_the_headers_that_guard_it() {
    let served = Served::new();
    for path in ["/", "/healthz", "/api/v1/about", "/api/v1/nothing", "/api/files/download/x"] {
        let answer = served.ask("GET", path, None);
        let csp = answer.header("content-security-policy").unwrap_or_else(|| panic!("{path}: {answer:?}"));
        assert!(csp.contains("default-src 'none'") && !csp.contains("unsafe-eval"), "{csp}");
        assert!(!csp.contains("script-src 'self' 'unsafe-inline'"), "{csp}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
    }
}

#[test]
fn bodies_are_bounded_and_must_be_json() {
    let served = Served::new();
    let large = json!({"title": "x".repeat(3 << 20)});
    assert_eq!(served.ask("POST", "/api/v1/sessions", Some(large)).status, 413);
    let host = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}", served.port, served.token);
    let plain = served.raw(&format!("POST /api/v1/sessions HTTP/1.0\r\n{host}\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{{}}"));
    assert_eq!(plain.status, 415, "a form of another site cannot send JSON: {plain:?}");
    assert_eq!(plain.json()["error"]["code"], "not_json");
}

#[test]
fn beyond_this_machine_a_certificate_is_needed() {
    let served = Served::new();
    let refused = served.command(&["serve", "--listen", "0.0.0.0:0"]).output().unwrap();
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("--tls-cert"), "{said}");
}

#[test]
fn too_many_requests_are_told_so() {
    let served =
        Served::around("", Around { config: "[serve]\nrequests_per_second = 3\n", ..Around::default() });
    let answers: Vec<_> = (0..30).map(|_| served.ask("GET", "/api/v1/about", None)).collect();
    let refused = answers.iter().find(|answer| answer.status == 429).expect("the limit is kept");
    assert!(refused.header("retry-after").is_some() && refused.json()["error"]["code"] == "rate_limited");
    assert_eq!(answers[0].status, 200);
}

/// The certificate is one of the tests' own; curl is whoever asks over TLS.
#[test]
fn with_a_certificate_it_answers_over_tls() {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../agent/tests/providers/data");
    let folder = tempfile::tempdir().unwrap();
    let pem = |file: &str, kind: &str| {
        let bytes = std::fs::read(data.join(file)).unwrap();
        let path = folder.path().join(format!("{file}.pem"));
        let text = format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(bytes));
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let certificate = pem("untrusted-certificate.der", "CERTIFICATE");
    let key = pem("untrusted-certificate-key.der", "PRIVATE KEY");
    let served = Served::with("", &["--tls-cert", &certificate, "--tls-key", &key]);
    let url = format!("https://127.0.0.1:{}", served.port);
    let curl = |path: &str| {
        let asked = std::process::Command::new("curl")
            .args(["--silent", "--insecure", "--max-time", "20", "--dump-header", "-"])
            .arg(format!("{url}{path}"))
            .output();
        let Ok(asked) = asked else { panic!("curl is needed to ask over TLS") };
        String::from_utf8_lossy(&asked.stdout).into_owned()
    };
    assert!(curl("/healthz").contains(r#"{"status":"ok"}"#));
    let opened = curl(&format!("/?token={}", served.token));
    assert!(opened.to_lowercase().contains("; secure"), "the cookie goes over TLS alone: {opened}");
}
