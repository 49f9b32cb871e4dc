//! The person at the browser, the client that runs, and the place where tokens are kept.

use std::{path::Path, sync::Arc};

use deskhand_serve::mcp::client::sign_in::{
    FileKeeper, Keeper, Login, OauthConfig, Server, SignInError, SignedIn, Wanted, authorise,
};
use reqwest::{Client, StatusCode, Url, redirect};
use rmcp::{
    RoleClient, ServiceExt as _,
    service::{ClientInitializeError, RunningService},
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::oneshot,
};
use tokio_util::sync::CancellationToken;

use crate::authority::Authority;

pub type Session = RunningService<RoleClient, ()>;

pub struct Desk {
    pub authority: Authority,
    pub folder: tempfile::TempDir,
}

/// What the browser shows.
pub struct Page {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Desk {
    pub async fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { authority: Authority::start().await, folder: tempfile::tempdir().unwrap() }
    }

    pub fn server(&self) -> Server {
        self.server_with(OauthConfig::default())
    }

    pub fn server_with(&self, oauth: OauthConfig) -> Server {
        Server::new("notes", &self.authority.mcp(), oauth).unwrap()
    }

    /// A new one each time, as another process would have.
    pub fn keeper(&self) -> Arc<dyn Keeper> {
        Arc::new(FileKeeper::new(self.folder.path().join("tokens")))
    }

    /// All that is kept, as it stands in the files.
    pub fn kept_text(&self) -> String {
        let texts = |folder: &Path| -> Vec<String> {
            let files = std::fs::read_dir(folder).into_iter().flatten();
            files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
        };
        texts(&self.folder.path().join("tokens")).concat()
    }

    pub async fn connect(&self) -> Result<Session, ClientInitializeError> {
        let client = Client::builder().no_proxy().build().unwrap();
        let client = authorise(client, &self.server(), self.keeper()).await.unwrap();
        let config = StreamableHttpClientTransportConfig::with_uri(self.authority.mcp());
        ().serve(StreamableHttpClientTransport::with_client(client, config)).await
    }

    /// Connects, which the server refuses until somebody has signed in.
    pub async fn wanted(&self) -> Wanted {
        Wanted::by_start(&self.connect().await.err().unwrap()).unwrap()
    }

    pub fn login(&self) -> Login {
        Login::new(self.server(), self.keeper())
    }

    /// Signs in with a browser that does what it is told.
    pub async fn sign_in(&self) -> Result<SignedIn, SignInError> {
        self.sign_in_by(|address| async move {
            let back = authorize(&address).await;
            assert_eq!(open(back).await.status, StatusCode::OK);
        })
        .await
    }

    /// Signs in with a browser that does as `browse` says, and goes on only after it.
    pub async fn sign_in_by<F: Future<Output = ()>>(
        &self,
        browse: impl FnOnce(String) -> F,
    ) -> Result<SignedIn, SignInError> {
        let (shown, address) = oneshot::channel();
        let cancel = CancellationToken::new();
        let show = move |address: &str| drop(shown.send(address.to_owned()));
        let browser = async {
            if let Ok(address) = address.await {
                browse(address).await;
            }
        };
        let (signed_in, ()) = tokio::join!(self.login().run(show, &cancel), browser);
        signed_in
    }
}

/// Signs in on the page; where the browser is sent to after that.
pub async fn authorize(address: &str) -> Url {
    let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).build().unwrap();
    let answer = client.get(address).send().await.unwrap();
    assert!(answer.status().is_redirection(), "{}", answer.status());
    answer.headers()["location"].to_str().unwrap().parse().unwrap()
}

pub async fn open(url: Url) -> Page {
    let answer = Client::builder().no_proxy().build().unwrap().get(url).send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    Page { status, headers, text: answer.text().await.unwrap() }
}

/// The answer to a request with these headers.
pub async fn open_as(url: &Url, headers: &str) -> String {
    let mut stream = TcpStream::connect(url.authority()).await.unwrap();
    let target = format!("{}?{}", url.path(), url.query().unwrap_or_default());
    stream.write_all(format!("GET {target} HTTP/1.0\r\n{headers}\r\n\r\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

/// The same address with another value for a parameter, or without it.
pub fn with(url: &Url, name: &str, value: Option<&str>) -> Url {
    let pairs: Vec<_> = url
        .query_pairs()
        .filter(|(known, _)| known != name)
        .map(|(k, v)| (k.into_owned(), v.into_owned()))
        .collect();
    let mut changed = url.clone();
    changed.query_pairs_mut().clear().extend_pairs(pairs);
    if let Some(value) = value {
        changed.query_pairs_mut().append_pair(name, value);
    }
    changed
}
