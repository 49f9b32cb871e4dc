//! The one way out: what nobody has approved is reached by no redirect, frame, picture or script.
//!
//! Services of this machine come first, so that a guard that does not hold is found before anything else is asked for;
//! and the other addresses have a port at which nothing answers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_browser::{
    Browsers, Config,
    page::{Page, PageError, WaitUntil},
};
use deskhand_guard::Outbound;
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, UdpSocket},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    fixture::{LIMIT, Server},
    persons::Persons,
};

/// A service of this machine that nobody has approved. It counts who comes.
struct Private {
    port: u16,
    came: Arc<AtomicUsize>,
    serving: JoinHandle<()>,
}

impl Drop for Private {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Private {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, came) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&came);
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move { stream.read(&mut [0; 4096]).await });
            }
        });
        Self { port, came, serving }
    }

    fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }
}

/// A browser that may go to the server's pages, which stand for the world outside, and to nothing else.
struct Guarded {
    _folder: tempfile::TempDir,
    browsers: Browsers,
    server: Server,
    private: Private,
}

impl Guarded {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start().await;
        let public = Url::parse(&server.url("")).unwrap();
        let mut config = Config::new(folder.path().join("browser"));
        let entry = format!("127.0.0.1:{}", public.port().unwrap());
        config.outbound = Outbound::new(vec![entry.parse().unwrap()], Vec::new());
        let private = Private::start().await;
        Self { _folder: folder, browsers: Browsers::new(config), server, private }
    }

    async fn page(&self) -> Page {
        let browser = self.browsers.open("test").await.unwrap().browser;
        Page::take(browser, CancellationToken::new()).await.unwrap()
    }

    fn secret(&self) -> String {
        format!("http://127.0.0.1:{}/secret", self.private.port)
    }
}

fn rule(error: PageError) -> &'static str {
    match error {
        PageError::Blocked { refused, .. } => refused.rule(),
        other => panic!("it was not blocked: {other}"),
    }
}

/// Only addresses of this machine: what would be tried in vain must not get out should the guard ever fail. The other kinds
/// of addresses stand in the guard's own tables.
#[tokio::test]
async fn no_address_leads_where_nobody_said_it_may() {
    let guarded = Guarded::new().await;
    let page = guarded.page().await;
    let there = page.navigate(&guarded.server.url("plain.html"), WaitUntil::Load, LIMIT).await.unwrap();
    assert_eq!(there.title, "Plain page");
    let port = guarded.private.port;
    let redirect = |to: String| guarded.server.url(&format!("redirect?{to}"));
    for (url, wanted) in [
        (guarded.secret(), "net:loopback"),
        (format!("http://localhost:{port}/"), "net:loopback"),
        (format!("https://127.0.0.1:{port}/"), "net:loopback"),
        (format!("http://[::ffff:127.0.0.1]:{port}/"), "net:loopback"),
        (format!("http://2130706433:{port}/"), "net:loopback"),
        (redirect(guarded.secret()), "net:loopback"),
        (redirect(format!("http://app.localhost:{port}/")), "net:loopback"),
        // Not even the proxy itself.
        (format!("http://{}/", page.browser().proxy().unwrap().address()), "net:loopback"),
        ("http://0.0.0.0:8099/".to_owned(), "net:unspecified"),
    ] {
        let error = page.navigate(&url, WaitUntil::Load, LIMIT).await.unwrap_err();
        assert_eq!(rule(error), wanted, "{url}");
    }
    assert_eq!(guarded.private.came(), 0);
    // The service is there: with a yes to it, and only to it, it is reached.
    let verdict = page.browser().outbound().judge_url(&Url::parse(&guarded.secret()).unwrap());
    page.browser().approve(&verdict);
    let _ = page.navigate(&guarded.secret(), WaitUntil::Load, Duration::from_secs(2)).await;
    assert!(guarded.private.came() > 0, "the service counts");
    drop(page);
    guarded.browsers.close_all().await;
}

#[tokio::test]
async fn no_script_frame_or_picture_gets_there_either() {
    let guarded = Guarded::new().await;
    let page = guarded.page().await;
    page.navigate(&guarded.server.url("plain.html"), WaitUntil::Load, LIMIT).await.unwrap();
    let port = guarded.private.port;
    let host = format!("127.0.0.1:{port}");
    let attempts = [
        "await fetch('http://HOST/', {mode: 'no-cors'}).then(() => 'reached', () => 'failed')",
        "await fetch('http://HOST/', {method: 'POST', mode: 'no-cors', body: 'x'}).then(() => 'reached', () => 'failed')",
        "await fetch('http://localhost:PORT/', {mode: 'no-cors'}).then(() => 'reached', () => 'failed')",
        "await fetch('https://HOST/', {mode: 'no-cors'}).then(() => 'reached', () => 'failed')",
        "await fetch('/redirect?http://HOST/', {mode: 'no-cors'}).then(() => 'reached', () => 'failed')",
        "await new Promise(done => { const s = new WebSocket('ws://HOST/'); s.onopen = () => done('reached'); s.onerror = () => done('failed'); })",
        "await new Promise(done => { const i = new Image(); i.onload = () => done('reached'); i.onerror = () => done('failed'); i.src = 'http://HOST/'; })",
        "await new Promise(done => { const i = document.createElement('iframe'); i.onload = () => done('failed'); i.src = 'http://HOST/'; document.body.append(i); })",
        "await new Promise(done => { const w = new Worker(URL.createObjectURL(new Blob([`fetch('http://HOST/', {mode: 'no-cors'}).then(() => postMessage('reached'), () => postMessage('failed'))`]))); w.onmessage = e => done(e.data); })",
        "(navigator.sendBeacon('http://HOST/', 'x'), await new Promise(done => setTimeout(() => done('failed'), 300)))",
        "(document.head.insertAdjacentHTML('beforeend', `<link rel=preconnect href='http://HOST/'><link rel=dns-prefetch href='http://HOST/'><link rel=stylesheet href='http://HOST/'>`), await new Promise(done => setTimeout(() => done('failed'), 300)))",
    ];
    for attempt in attempts {
        let script = attempt.replace("HOST", &host).replace("PORT", &port.to_string());
        let seen = page.evaluate(&format!("(async () => {script})()"), LIMIT).await.unwrap();
        assert_eq!((seen.as_str(), guarded.private.came()), (Some("failed"), 0), "{script}");
    }
    let notices = page.notices().join("\n");
    assert!(notices.contains("blocked: 127.0.0.1 is an address of this machine"), "{notices}");
    assert!(notices.contains("network.allow"), "{notices}");
    assert_eq!(page.notices().len(), 0, "it is told once");
    drop(page);
    guarded.browsers.close_all().await;
}

/// What does not go over TCP would not go through the proxy.
#[tokio::test]
async fn no_packet_goes_around_it() {
    let guarded = Guarded::new().await;
    let page = guarded.page().await;
    page.navigate(&guarded.server.url("plain.html"), WaitUntil::Load, LIMIT).await.unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let stun = format!("stun:127.0.0.1:{}", socket.local_addr().unwrap().port());
    let script = format!(
        "(async () => {{ const c = new RTCPeerConnection({{iceServers: [{{urls: '{stun}'}}]}}); c.createDataChannel('x');
          const seen = []; c.onicecandidate = e => e.candidate && seen.push(e.candidate.candidate);
          await c.setLocalDescription(await c.createOffer());
          await new Promise(done => {{ setTimeout(done, 3000); c.onicegatheringstatechange = () => c.iceGatheringState === 'complete' && done(); }});
          return seen; }})()"
    );
    let candidates = page.evaluate(&script, LIMIT).await.unwrap();
    assert_eq!(candidates, serde_json::json!([]), "no address of this machine is told");
    assert!(socket.try_recv(&mut [0; 100]).is_err(), "a packet came");
    drop(page);
    guarded.browsers.close_all().await;
}

/// One that ran before cannot be made to go through the proxy: what it shows is judged by where it came from.
#[tokio::test]
async fn an_attached_browser_leaves_what_came_from_where_it_may_not_go() {
    let guarded = Guarded::new().await;
    let persons = Persons::start(&["about:blank"]).await;
    let mut config = guarded.browsers.config().clone();
    config.attach = Some(persons.address());
    let browsers = Browsers::new(config);
    let browser = browsers.open("test").await.unwrap().browser;
    assert!(browser.proxy().is_none());
    let page = Page::take(browser, CancellationToken::new()).await.unwrap();
    let plain = guarded.server.url("plain.html");
    assert_eq!(page.navigate(&plain, WaitUntil::Load, LIMIT).await.unwrap().title, "Plain page");
    // The same server under a name that is not allowed.
    let elsewhere = guarded.server.url(&format!("redirect?{}", guarded.server.elsewhere("second.html")));
    let error = page.navigate(&elsewhere, WaitUntil::Load, LIMIT).await.unwrap_err();
    assert_eq!(rule(error), "net:loopback");
    let title = page.evaluate("document.title", LIMIT).await.unwrap();
    assert_eq!(title, "", "it was left");
    drop(page);
    browsers.close_all().await;
    persons.end().await;
}
