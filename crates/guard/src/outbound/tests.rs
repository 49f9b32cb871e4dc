use std::{
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use deskhand_core::{Permission, Plan};
use proptest::prelude::*;
use tokio::net::TcpListener;
use url::Url;

use super::*;

fn patterns(texts: &[&str]) -> Vec<HostPattern> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn judge(outbound: &Outbound, url: &str) -> (Permission, &'static str) {
    let verdict = outbound.judge_url(&Url::parse(url).unwrap());
    (verdict.permission, verdict.rule)
}

#[test]
fn each_way_out_has_its_verdict() {
    use Permission::{Forbidden, Moderate, Public, Sensitive};
    let outbound = Outbound::new(
        patterns(&["localhost:3000", "10.0.0.5", "*.corp"]),
        patterns(&["*.ads.example", "6.6.6.0/24"]),
    );
    for (url, permission, rule) in [
        ("https://example.org/", Moderate, "net:public"),
        ("http://8.8.8.8/", Moderate, "net:public"),
        ("about:blank", Public, "net:blank"),
        ("http://localhost:8080/", Sensitive, "net:loopback"),
        ("http://localhost:3000/x", Moderate, "net:allowed"),
        ("http://127.0.0.1:3000/", Sensitive, "net:loopback"),
        ("http://[::1]/", Sensitive, "net:loopback"),
        ("http://[::ffff:127.0.0.1]/", Sensitive, "net:loopback"),
        ("http://10.0.0.5:81/", Moderate, "net:allowed"),
        ("http://10.0.0.6/", Sensitive, "net:private"),
        ("http://wiki.corp/", Moderate, "net:allowed"),
        ("http://router/", Sensitive, "net:private"),
        ("http://169.254.1.1/", Sensitive, "net:link-local"),
        ("http://192.0.2.1/", Sensitive, "net:reserved"),
        ("http://169.254.169.254/latest/meta-data/", Forbidden, "net:metadata"),
        ("http://metadata.google.internal/", Forbidden, "net:metadata"),
        ("http://[fd00:ec2::254]/", Forbidden, "net:metadata"),
        ("http://0.0.0.0:80/", Forbidden, "net:unspecified"),
        ("http://0/", Forbidden, "net:unspecified"),
        ("http://224.0.0.1/", Forbidden, "net:multicast"),
        ("https://x.ads.example/", Forbidden, "net:denied"),
        ("http://6.6.6.6/", Forbidden, "net:denied"),
        // The same address in other spellings.
        ("http://2130706433/", Sensitive, "net:loopback"),
        ("http://0x7f000001/", Sensitive, "net:loopback"),
        ("http://0177.0.0.1/", Sensitive, "net:loopback"),
        ("http://127.1/", Sensitive, "net:loopback"),
        ("http://１２７.0.0.1/", Sensitive, "net:loopback"),
        ("http://2852039166/", Forbidden, "net:metadata"),
        ("http://user:pw@192.168.1.1/", Sensitive, "net:private"),
        ("http://example.org@192.168.1.1/", Sensitive, "net:private"),
        ("http://LOCALHOST./", Sensitive, "net:loopback"),
        ("file:///etc/passwd", Forbidden, "net:scheme"),
        ("chrome://settings", Forbidden, "net:scheme"),
        ("devtools://devtools/x", Forbidden, "net:scheme"),
        ("view-source:http://a.example/", Forbidden, "net:scheme"),
        ("javascript:alert(1)", Forbidden, "net:scheme"),
        ("data:text/html,x", Forbidden, "net:scheme"),
        ("blob:http://a.example/1", Forbidden, "net:scheme"),
        ("ftp://example.org/", Forbidden, "net:scheme"),
        ("about:config", Forbidden, "net:scheme"),
        ("ws://example.org/", Forbidden, "net:scheme"),
    ] {
        assert_eq!(judge(&outbound, url), (permission, rule), "{url}");
    }
}

#[test]
fn a_plan_gets_the_host_the_rule_and_the_permission() {
    let url = Url::parse("http://192.168.1.1:8080/").unwrap();
    let plan = Outbound::default().judge_url(&url).settle(Plan::new("Open it"));
    assert_eq!((plan.permission, plan.rule.as_str()), (Permission::Sensitive, "net:private"));
    assert_eq!(plan.hosts, ["192.168.1.1"]);
}

#[test]
fn nothing_allows_what_is_forbidden() {
    let outbound = Outbound::new(patterns(&["169.254.169.254", "0.0.0.0/0", "metadata"]), Vec::new());
    for url in ["http://169.254.169.254/", "http://0.0.0.0/", "http://metadata/", "http://224.0.0.1/"] {
        assert_eq!(judge(&outbound, url).0, Permission::Forbidden, "{url}");
    }
}

/// Leads a name to one address after the other, as a name does that somebody rebinds.
#[derive(Clone)]
struct Turns(Arc<Mutex<Vec<Vec<IpAddr>>>>, Arc<AtomicUsize>);

impl Turns {
    fn new(turns: &[&[&str]]) -> Self {
        let turn = |addresses: &&[&str]| addresses.iter().map(|address| address.parse().unwrap()).collect();
        Self(Arc::new(Mutex::new(turns.iter().rev().map(turn).collect())), Arc::default())
    }

    fn asked(&self) -> usize {
        self.1.load(Ordering::SeqCst)
    }
}

impl Resolve for Turns {
    fn resolve<'a>(&'a self, _: &'a str) -> Addresses<'a> {
        self.1.fetch_add(1, Ordering::SeqCst);
        let next = self.0.lock().unwrap().pop();
        Box::pin(async move { next.ok_or_else(|| io::Error::other("no such name")) })
    }
}

fn refused(result: Result<tokio::net::TcpStream, ConnectError>) -> Refused {
    match result {
        Err(ConnectError::Refused(refused)) => refused,
        other => panic!("it was not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_name_is_judged_by_where_it_leads() {
    for (addresses, rule) in [
        (&["127.0.0.1"][..], "net:loopback"),
        (&["192.168.1.1"], "net:private"),
        (&["169.254.169.254"], "net:metadata"),
        (&["::ffff:10.0.0.1"], "net:private"),
        (&["0.0.0.0"], "net:unspecified"),
        // One bad one among the good is enough.
        (&["8.8.8.8", "10.0.0.1"], "net:private"),
    ] {
        let outbound = Outbound::with_resolver(Vec::new(), Vec::new(), Turns::new(&[addresses]));
        let refused = refused(outbound.connect("example.org", 80, &Allowed::default()).await);
        assert_eq!((refused.rule(), refused.host.as_str()), (rule, "example.org"), "{addresses:?}");
        assert!(refused.to_string().contains("leads to"), "{refused}");
    }
}

#[tokio::test]
async fn it_is_looked_up_once_and_that_very_address_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    // What is judged is what is connected to: a second look-up would be answered with an address that nobody judged.
    let turns = Turns::new(&[&["127.0.0.1"], &["169.254.169.254"]]);
    let outbound = Outbound::with_resolver(patterns(&["127.0.0.0/8"]), Vec::new(), turns.clone());
    let stream = outbound.connect("rebind.example", port, &Allowed::default()).await.unwrap();
    assert_eq!((stream.peer_addr().unwrap().port(), turns.asked()), (port, 1));
    assert!(stream.nodelay().unwrap());
    // The next connection asks again, and is judged again.
    let refused = refused(outbound.connect("rebind.example", port, &Allowed::default()).await);
    assert_eq!(refused.rule(), "net:metadata");
}

#[tokio::test]
async fn what_was_approved_is_reached_at_that_port_and_under_that_name_only() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let turns = Turns::new(&[&["127.0.0.1"]]);
    let outbound = Outbound::with_resolver(Vec::new(), Vec::new(), turns.clone());
    let allowed = Allowed::default();
    assert_eq!(refused(outbound.connect("127.0.0.1", port, &allowed).await).rule(), "net:loopback");
    allowed.approve(&outbound.judge_url(&Url::parse(&format!("http://127.0.0.1:{port}/")).unwrap()));
    outbound.connect("127.0.0.1", port, &allowed).await.unwrap();
    let other_port = refused(outbound.connect("127.0.0.1", port ^ 1, &allowed).await);
    assert_eq!(other_port.rule(), "net:loopback");
    assert_eq!(refused(outbound.connect("evil.example", port, &allowed).await).rule(), "net:loopback");
    // A name of this machine is not even looked up.
    assert_eq!(refused(outbound.connect("localhost", port, &allowed).await).rule(), "net:loopback");
    assert_eq!(turns.asked(), 1);
}

#[tokio::test]
async fn approval_does_not_open_what_is_forbidden_or_denied() {
    let outbound = Outbound::with_resolver(
        patterns(&["10.0.0.0/8"]),
        patterns(&["bad.example", "10.6.6.6"]),
        Turns::new(&[&["169.254.169.254"], &["10.6.6.6"]]),
    );
    let allowed = Allowed::default();
    for url in ["http://inner.lan/", "http://169.254.169.254/", "http://bad.example/", "http://10.6.6.6/"] {
        allowed.approve(&outbound.judge_url(&Url::parse(url).unwrap()));
    }
    for (host, rule) in [
        ("inner.lan", "net:metadata"),
        ("169.254.169.254", "net:metadata"),
        ("bad.example", "net:denied"),
        ("10.6.6.6", "net:denied"),
        ("by-another-name.example", "net:denied"),
    ] {
        assert_eq!(refused(outbound.connect(host, 80, &allowed).await).rule(), rule, "{host}");
    }
}

#[tokio::test]
async fn a_yes_to_a_public_name_is_none_to_where_it_leads_later() {
    let outbound = Outbound::with_resolver(Vec::new(), Vec::new(), Turns::new(&[&["192.168.1.1"]]));
    let allowed = Allowed::default();
    allowed.approve(&outbound.judge_url(&Url::parse("http://example.org/").unwrap()));
    assert_eq!(refused(outbound.connect("example.org", 80, &allowed).await).rule(), "net:private");
}

#[tokio::test]
async fn a_silent_address_does_not_keep_the_next_from_being_tried() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let turns = Turns::new(&[&["127.0.0.2", "127.0.0.1"]]);
    let outbound = Outbound::with_resolver(patterns(&["127.0.0.0/8"]), Vec::new(), turns);
    let stream = outbound.connect("two.example", port, &Allowed::default()).await.unwrap();
    assert_eq!(stream.peer_addr().unwrap().ip().to_string(), "127.0.0.1");
    let none = Outbound::with_resolver(Vec::new(), Vec::new(), Turns::new(&[]));
    let error = none.connect("none.example", 80, &Allowed::default()).await.unwrap_err();
    assert!(matches!(error, ConnectError::NoSuchHost(_)), "{error}");
}

proptest! {
    /// However a private IPv4 address is spelt in an address of a page, its verdict is the same.
    #[test]
    fn every_spelling_gets_the_same_verdict(bits: u32) {
        let outbound = Outbound::default();
        let [a, b, c, d] = bits.to_be_bytes();
        let plain = judge(&outbound, &format!("http://{a}.{b}.{c}.{d}/"));
        for spelling in [
            format!("{bits}"),
            format!("{bits:#x}"),
            format!("0{bits:o}"),
            format!("{a:#x}.{b:#o}.{}", u32::from(c) << 8 | u32::from(d)).replace("0o", "0"),
            format!("{a}.{b}.{c}.{d}."),
        ] {
            prop_assert_eq!(judge(&outbound, &format!("http://{spelling}/")), plain, "{}", spelling);
        }
    }

    /// Any text at all is read without a panic.
    #[test]
    fn any_entry_is_read_or_refused(text in ".{0,40}") {
        if let Ok(pattern) = text.parse::<HostPattern>() {
            let _ = pattern.names("example.org", 80);
        }
    }
}
