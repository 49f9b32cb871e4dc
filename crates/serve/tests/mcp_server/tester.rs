//! A client of the protocol that remembers what it was told.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use deskhand_serve::mcp::server::{McpServer, Offer};
use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{
        CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientCapabilities, ClientInfo,
        ElicitRequestParams, ElicitResult, ElicitationAction, ErrorData, Implementation,
        LoggingMessageNotificationParam, ProgressNotificationParam, ProtocolVersion, ServerCapabilities,
    },
    service::{NotificationContext, RequestContext, RunningService, ServiceError},
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::desk::Desk;

/// What the person in front of the client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    Yes,
    YesForTheSession,
    No,
    /// They look at the question and close it.
    Dismisses,
    /// The client offers forms, and closes each at once: Claude Code without a terminal does this.
    NotThere,
    /// The client cannot show it after all.
    Fails,
    /// They do not look.
    Away,
    /// There is none: the client has no forms.
    Absent,
}

/// Longer than the time below which a closed question was read by nobody.
const LOOKED_AT: std::time::Duration = std::time::Duration::from_millis(600);

#[derive(Clone)]
pub struct Tester {
    person: Person,
    version: ProtocolVersion,
    pub seen: Arc<Seen>,
}

#[derive(Default)]
pub struct Seen {
    pub questions: Mutex<Vec<String>>,
    pub taken_away: AtomicUsize,
    pub list_changed: AtomicUsize,
    pub progress: Mutex<Vec<ProgressNotificationParam>>,
    pub logged: Mutex<Vec<Value>>,
}

impl ClientHandler for Tester {
    fn get_info(&self) -> ClientInfo {
        let mut capabilities = ClientCapabilities::default();
        if self.person != Person::Absent {
            capabilities.elicitation = Some(rmcp::model::ElicitationCapability::new());
        }
        ClientInfo::new(capabilities, Implementation::new("tester", "1"))
            .with_protocol_version(self.version.clone())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let ElicitRequestParams::FormElicitationParams { message, .. } = request {
            self.seen.questions.lock().unwrap().push(message);
        }
        let accept = |decision: &str| {
            Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"decision": decision})))
        };
        match self.person {
            Person::Yes => accept("once"),
            Person::YesForTheSession => accept("session"),
            Person::No => Ok(ElicitResult::new(ElicitationAction::Accept)
                .with_content(json!({"decision": "no", "reason": "not today"}))),
            Person::Dismisses => {
                tokio::time::sleep(LOOKED_AT).await;
                Ok(ElicitResult::new(ElicitationAction::Cancel))
            }
            Person::NotThere => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            Person::Fails | Person::Absent => Err(ErrorData::internal_error("no form here", None)),
            Person::Away => std::future::pending().await,
        }
    }

    async fn on_cancelled(&self, _: CancelledNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.taken_away.fetch_add(1, Ordering::SeqCst);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.seen.list_changed.fetch_add(1, Ordering::SeqCst);
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.seen.progress.lock().unwrap().push(params);
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.seen.logged.lock().unwrap().push(params.data);
    }
}

/// A client that is connected over pipes.
pub struct Connected {
    pub client: RunningService<RoleClient, Tester>,
    pub seen: Arc<Seen>,
    pub serving: JoinHandle<()>,
}

/// Over pipes, with the revision that most clients have.
pub async fn connect(desk: &Desk, person: Person) -> Connected {
    connect_to(desk.server(Offer::default()), person, ProtocolVersion::V_2025_06_18).await
}

pub async fn connect_to(server: McpServer, person: Person, version: ProtocolVersion) -> Connected {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (input, output) = tokio::io::split(ours);
    let serving = tokio::spawn(async move {
        server.serve_pipes(input, output, std::future::pending()).await.unwrap();
    });
    let seen = Arc::<Seen>::default();
    let tester = Tester { person, version: version.clone(), seen: Arc::clone(&seen) };
    let lifecycle = if version >= ProtocolVersion::V_2026_07_28 {
        ClientLifecycleMode::Discover { preferred_versions: vec![version] }
    } else {
        ClientLifecycleMode::Initialize
    };
    let client = tester.serve_with_lifecycle(theirs, lifecycle).await.unwrap();
    Connected { client, seen, serving }
}

impl Connected {
    pub async fn call(&self, tool: &str, arguments: Value) -> CallToolResult {
        self.try_call(tool, arguments).await.unwrap()
    }

    pub async fn try_call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let params = CallToolRequestParams::new(tool.to_owned())
            .with_arguments(arguments.as_object().unwrap().clone());
        self.client.call_tool(params).await
    }

    pub fn capabilities(&self) -> ServerCapabilities {
        self.client.peer_info().unwrap().capabilities.clone()
    }

    pub async fn names(&self) -> Vec<String> {
        self.client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.to_string()).collect()
    }
}

pub fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

pub fn status(result: &CallToolResult) -> &str {
    result.meta.as_ref().unwrap().0["status"].as_str().unwrap()
}
