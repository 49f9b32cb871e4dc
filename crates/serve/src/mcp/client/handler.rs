//! What servers may ask of us: which folders there are, and, where somebody answers, a question for a person.

// Roots are on their way out of the protocol; the servers that ask for them are not.
#![expect(deprecated)]

use std::sync::Arc;

use futures_util::future::BoxFuture;
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode,
        Implementation, ListRootsResult, ProgressNotificationParam, ProtocolVersion, Root, RootsCapabilities,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::Value;

use super::state::Server;

/// Whoever answers the questions of servers.
pub trait Answerer: Send + Sync {
    /// A server asks for something in this form. What it says is outside text.
    fn answer<'a>(
        &'a self,
        server: &'a str,
        message: &'a str,
        schema: &'a Value,
    ) -> BoxFuture<'a, FormAnswer>;
}

/// The answer to a form.
#[derive(Clone, Debug, PartialEq)]
pub enum FormAnswer {
    Accept(Value),
    Decline,
    Cancel,
}

/// Our side of one connection.
pub(super) struct Handler {
    pub server: Arc<Server>,
    pub version: ProtocolVersion,
}

impl Handler {
    pub fn roots(server: &Server) -> ListRootsResult {
        let uri = |path| reqwest::Url::from_directory_path(path).ok();
        let roots = server.places.workspaces.iter().filter_map(uri);
        ListRootsResult::new(roots.map(|uri| Root::new(String::from(uri).trim_end_matches('/'))).collect())
    }

    /// What is answered to a question of the server.
    pub async fn elicit(server: &Server, request: ElicitRequestParams) -> ElicitResult {
        // A page to open is never opened for a server: its address is the server's choice.
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let Some(answerer) = &server.places.answerer else {
            return ElicitResult::new(ElicitationAction::Decline);
        };
        let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
        match answerer.answer(&server.name, &message, &schema).await {
            FormAnswer::Accept(content) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
            FormAnswer::Decline => ElicitResult::new(ElicitationAction::Decline),
            FormAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        capabilities.elicitation = self.server.places.answerer.as_ref().map(|_| ElicitationCapability::new());
        let us = Implementation::new("deskhand", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, us).with_protocol_version(self.version.clone())
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let words = "Deskhand does not lend its model to servers.";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(Self::roots(&self.server))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(Self::elicit(&self.server, request).await)
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.server.watched.tell(&progress);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.server.list_changed.notify_one();
    }
}
