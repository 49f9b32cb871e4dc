//! The life of one server: started, listed, watched over, and started again when it dies; ended when asked to.

use std::{sync::Arc, time::Duration};

use deskhand_core::Registry;
use futures_util::FutureExt as _;
use rmcp::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{CancelledNotificationParam, ProtocolVersion, ServerNotification, SubscriptionFilter},
    service::{ClientInitializeError, Peer, RunningService, ServiceError},
    transport::async_rw::AsyncRwTransport,
};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    asked::Metered,
    child::{Running, Start},
    config::Link,
    expand::{Expanded, Variables},
    handler::Handler,
    http, name,
    sign_in::{self, Wanted},
    state::{Server, Signer},
    tools,
};

const ASKS_TOO_MUCH: &str = "it asked too much of us, or did not take the answers";

/// Keeps a server going until `stop`.
pub(super) async fn supervise(server: Arc<Server>, registry: Arc<Registry>, stop: CancellationToken) {
    let workspace = server.places.workspaces.first();
    let variables = Variables {
        environment: &server.places.environment,
        workspace: &workspace.map_or_else(String::new, |folder| folder.display().to_string()),
    };
    let Expanded { link, secrets } = match variables.expand(&server.config().link) {
        Ok(expanded) => expanded,
        Err(missing) => return server.fail(&missing),
    };
    let _ = server.secrets.set(secrets);
    if let Err(why) = server.signs(&link) {
        return server.fail(&why);
    }
    let signer = server.signer.get();
    let limits = server.places.limits;
    let mut wait = limits.first_wait;
    let mut way = Way::of(server.config().protocol.as_deref());
    loop {
        let began = Instant::now();
        let life = Life { server: &server, signer, registry: &registry, link: &link, stop: &stop };
        let ended = Box::pin(life.live(&way)).await;
        if stop.is_cancelled() {
            return;
        }
        let lived = began.elapsed();
        if lived >= limits.quiet {
            wait = limits.first_wait;
        }
        way = way.after(&ended);
        match ended {
            Ended::ForGood(why) => return server.fail(&why),
            Ended::WantsSignIn(wanted) => {
                server.wants_sign_in(&wanted.told(&name::harmless(&server.name, 60)));
                let Some(signer) = signer else { return };
                let signed_in =
                    wanted.until_signed_in(&signer.server, Arc::clone(&signer.keeper), &stop).await;
                match signed_in {
                    Ok(true) => server.again(),
                    Ok(false) => return,
                    Err(error) => return server.fail(&error.to_string()),
                }
                continue;
            }
            Ended::NotUp(why) | Ended::Died(why) => {
                tracing::info!(server = %server.name, "an MCP server is down");
                let why = why.trim_end_matches('.');
                server.down(&format!("{why}. It is tried again in {wait:?}."));
            }
        }
        tokio::select! {
            () = sleep(wait) => {}
            () = stop.cancelled() => return,
        }
        wait = (wait * 2).min(limits.longest_wait);
        server.again();
    }
}

/// How one life of a server ended.
enum Ended {
    /// Trying again would not help.
    ForGood(String),
    NotUp(String),
    Died(String),
    WantsSignIn(Wanted),
}

/// Which revision is spoken.
#[derive(Clone, Debug)]
enum Way {
    /// Whatever the server has.
    FindOut,
    /// As up to 2025: the server did not come up when it was asked in the new way first.
    Greet,
    Fixed(ProtocolVersion),
}

impl Way {
    fn of(protocol: Option<&str>) -> Self {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter().find(|version| Some(version.as_str()) == protocol);
        known.map_or(Self::FindOut, |version| Self::Fixed(version.clone()))
    }

    /// Some older servers take a question before the greeting amiss. So they are greeted first the next time, and
    /// asked the time after that.
    fn after(self, ended: &Ended) -> Self {
        match (self, ended) {
            (Self::FindOut, Ended::NotUp(_)) => Self::Greet,
            (Self::Greet, Ended::NotUp(_)) => Self::FindOut,
            (way, _) => way,
        }
    }

    fn version(&self) -> ProtocolVersion {
        match self {
            Self::Fixed(version) => version.clone(),
            _ => ProtocolVersion::V_2025_11_25,
        }
    }

    fn mode(&self) -> ClientLifecycleMode {
        match self {
            Self::Fixed(version) if !version.has_initialize() => {
                ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] }
            }
            Self::Fixed(_) | Self::Greet => ClientLifecycleMode::Initialize,
            Self::FindOut => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
        }
    }
}

type Session = RunningService<RoleClient, Handler>;

/// One life.
struct Life<'a> {
    server: &'a Arc<Server>,
    signer: Option<&'a Signer>,
    registry: &'a Registry,
    link: &'a Link,
    stop: &'a CancellationToken,
}

impl Life<'_> {
    async fn live(&self, way: &Way) -> Ended {
        let handler = Handler { server: Arc::clone(self.server), version: way.version() };
        match self.link {
            Link::Stdio { command, args, env, cwd } => {
                self.server.note(&format!("starting {}", self.server.screened(command)));
                let start = Start { command, args, env, cwd: cwd.as_deref() };
                let (mut child, (stdout, stdin)) = match Running::start(&start, self.server) {
                    Ok(started) => started,
                    Err(why) => return Ended::NotUp(why),
                };
                let transport = Metered::new(AsyncRwTransport::new_client(stdout, stdin), self.server);
                let connecting = handler.serve_with_lifecycle(transport, way.mode());
                let ended = self.connected(connecting, Some(&mut child)).await;
                child.end(self.server.places.limits.end).await;
                ended
            }
            Link::Http { url, headers, .. } => {
                self.server.note("connecting");
                let asking = match http::asking(url.reveal(), headers, &self.server.places.limits) {
                    Ok(asking) => asking,
                    Err(why) => return Ended::ForGood(why),
                };
                let client = asking.client.clone();
                let Some(signer) = self.signer else {
                    let connecting = handler
                        .serve_with_lifecycle(Metered::new(asking.by(client), self.server), way.mode());
                    return Box::pin(self.connected(connecting, None)).await;
                };
                match sign_in::authorise(client, &signer.server, Arc::clone(&signer.keeper)).await {
                    Err(error) => Ended::NotUp(error.to_string()),
                    Ok(client) => {
                        self.server.signed_in(signer.has_tokens().await);
                        let connecting = handler
                            .serve_with_lifecycle(Metered::new(asking.by(client), self.server), way.mode());
                        Box::pin(self.connected(connecting, None)).await
                    }
                }
            }
        }
    }

    /// Waits for the connection, and keeps it.
    async fn connected(
        &self,
        connecting: impl Future<Output = Result<Session, ClientInitializeError>>,
        mut child: Option<&mut Running>,
    ) -> Ended {
        let limit = self.server.places.limits.connect;
        let connected = tokio::select! {
            connected = timeout(limit, connecting) => connected,
            ended = gone(child.as_deref_mut()) => return Ended::NotUp(ended),
            () = self.stop.cancelled() => return stopped(),
        };
        match connected {
            Err(_) => Ended::NotUp(format!("it did not answer within {} s", limit.as_secs())),
            Ok(Err(error)) => {
                if let Some(wanted) = self.signer.and_then(|_| Wanted::by_start(&error)) {
                    return Ended::WantsSignIn(wanted);
                }
                if self.server.has_asked_too_much() {
                    return Ended::NotUp(ASKS_TOO_MUCH.to_owned());
                }
                // A child that has just ended says more than the pipe that closed.
                let ended = timeout(Duration::from_millis(200), gone(child)).await;
                Ended::NotUp(ended.unwrap_or_else(|_| self.words(&error)))
            }
            Ok(Ok(session)) => self.keep(session, child).await,
        }
    }

    fn words(&self, error: &ClientInitializeError) -> String {
        if error.is_authorization_required() {
            return "it wants to know who asks (HTTP 401 or 403): give it a token in `headers`".to_owned();
        }
        let mut words = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            words = format!("{words}: {cause}");
            source = cause.source();
        }
        self.server.screened(&name::harmless(&words, 500))
    }

    /// From the first list of tools to the end.
    async fn keep(&self, session: Session, mut child: Option<&mut Running>) -> Ended {
        let peer = session.peer().clone();
        let close = session.cancellation_token();
        let mut closed = std::pin::pin!(session.waiting());
        let ended = tokio::select! {
            _ = &mut closed => None,
            ended = self.serve(&peer) => Some(ended),
            ended = gone(child.as_deref_mut()) => Some(Ended::Died(ended)),
            () = self.stop.cancelled() => Some(stopped()),
        };
        if let Some(ended) = ended {
            close.cancel();
            let _ = timeout(self.server.places.limits.end, closed).await;
            return ended;
        }
        if self.server.has_asked_too_much() {
            return Ended::Died(ASKS_TOO_MUCH.to_owned());
        }
        if child.as_ref().is_some_and(|child| child.sent_too_much()) {
            return Ended::Died("it sent a message that is too long (more than 16 MiB)".to_owned());
        }
        let ended = timeout(Duration::from_millis(200), gone(child)).await;
        Ended::Died(ended.unwrap_or_else(|_| "it closed the connection".to_owned()))
    }

    /// Lists the tools, and again when they change; tells the server what is called off; ends when the server is found
    /// broken.
    async fn serve(&self, peer: &Peer<RoleClient>) -> Ended {
        if let Err(why) = self.list(peer).await {
            return Ended::NotUp(why);
        }
        // What is left over from an earlier life is not about this one.
        let _ = self.server.suspect.notified().now_or_never();
        self.server.take_abandoned();
        self.server.ready(peer.clone());
        tokio::select! {
            never = self.list_again(peer) => never,
            never = self.listen(peer) => never,
            never = self.call_off(peer) => never,
            () = self.server.suspect.notified() => Ended::Died("a call found the connection broken".to_owned()),
        }
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<(), String> {
        let (tools, left_out) = tools::list(self.server, peer).await.map_err(|error| {
            let words = self.server.screened(&name::harmless(&error.to_string(), 300));
            format!("its tools could not be listed: {words}")
        })?;
        tools::take_in(self.server, self.registry, tools, left_out);
        Ok(())
    }

    async fn list_again(&self, peer: &Peer<RoleClient>) -> Ended {
        loop {
            self.server.list_changed.notified().await;
            // What changes in a row is listed once.
            sleep(self.server.places.limits.debounce).await;
            if let Err(why) = self.list(peer).await {
                tracing::info!(server = %self.server.name, why, "an MCP server said that its tools changed");
            }
        }
    }

    /// Since 2026-07-28 changes are told to those who listen.
    async fn listen(&self, peer: &Peer<RoleClient>) -> Ended {
        let wants = peer.peer_info().is_some_and(|info| {
            let tells = info.capabilities.tools.as_ref().and_then(|tools| tools.list_changed);
            tells == Some(true) && !info.protocol_version.has_initialize()
        });
        if !wants {
            return std::future::pending().await;
        }
        let mut wait = self.server.places.limits.first_wait;
        loop {
            let filter = SubscriptionFilter::builder().tools_list_changed().build();
            match peer.listen(filter).await {
                // It cannot be listened to, whatever it says.
                Err(ServiceError::McpError(_)) => return std::future::pending().await,
                Err(_) => {}
                Ok(mut told) => {
                    while let Ok(Some(notification)) = told.next().await {
                        if matches!(notification, ServerNotification::ToolListChangedNotification(_)) {
                            self.server.list_changed.notify_one();
                        }
                    }
                }
            }
            sleep(wait).await;
            wait = (wait * 2).min(self.server.places.limits.longest_wait);
            // What was said while nobody listened is not said again.
            self.server.list_changed.notify_one();
        }
    }

    async fn call_off(&self, peer: &Peer<RoleClient>) -> Ended {
        loop {
            self.server.has_abandoned.notified().await;
            for request in self.server.take_abandoned() {
                let reason = Some("nobody waits for the result any more".to_owned());
                let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(request), reason)).await;
            }
        }
    }
}

fn stopped() -> Ended {
    Ended::Died("it was stopped".to_owned())
}

/// How the child ended; never, where there is none.
async fn gone(child: Option<&mut Running>) -> String {
    match child {
        Some(child) => child.ended().await,
        None => std::future::pending().await,
    }
}
