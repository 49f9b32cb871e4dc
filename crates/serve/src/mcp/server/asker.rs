//! Who asks: the client behind one request, and how it can be reached.

use std::sync::Arc;

use deskhand_core::Desktop;
use rmcp::{
    RoleServer,
    model::{LoggingLevel, ProgressToken, ProtocolVersion},
    service::{Peer, RequestContext},
};
use tokio_util::sync::CancellationToken;

use super::{McpServer, Offer, ask::elicit, call::Listener, client::Client};

/// How the client's own person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Not at all: others answer.
    Nobody,
    WhileItWaits,
    /// The call's result is the question.
    InItsResult,
}

/// One request, and who made it.
pub struct Asker {
    pub client: Arc<Client>,
    pub desktop: Desktop,
    pub peer: Peer<RoleServer>,
    pub asks: Asks,
    /// Fires when the client no longer wants an answer.
    pub cancelled: CancellationToken,
    token: Option<ProgressToken>,
    level: Option<LoggingLevel>,
}

/// Whether a request is of the protocol that has no sessions.
pub fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl Asker {
    pub fn new(
        offer: &Offer,
        client: Arc<Client>,
        desktop: Desktop,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let is_stateless = is_stateless(context);
        let asks = match elicit::has_forms(context.client_capabilities().as_ref()) {
            _ if offer.asks_elsewhere => Asks::Nobody,
            false => Asks::Nobody,
            true if is_stateless => Asks::InItsResult,
            true => Asks::WhileItWaits,
        };
        Self {
            desktop,
            peer: context.peer.clone(),
            asks,
            cancelled: context.ct.clone(),
            token: context.meta.get_progress_token(),
            // Without sessions each request says for itself how much it wants to be told.
            level: if is_stateless { context.meta.log_level() } else { Some(client.level()) },
            client,
        }
    }

    pub fn listener(&self, server: &McpServer) -> Listener {
        Listener {
            peer: self.peer.clone(),
            token: self.token.clone(),
            level: self.level,
            program: Arc::clone(&server.parts().program),
        }
    }
}
