//! A tool of another server, as the gate calls it.

use std::{sync::Arc, time::Duration};

use deskhand_core::{
    Cx, Effects, Permission, Plan, Preview, Status, ToolError, ToolResult,
    arguments::sha256_hex,
    cx::Services,
    registry::Absent,
    tool::{ErasedTool, Reply},
};
use futures_util::{FutureExt as _, future::BoxFuture};
use rmcp::{
    RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, InputRequest,
        InputRequiredResult, InputResponses, JsonObject, RequestId, ServerResult,
    },
    service::{Peer, PeerRequestOptions},
};
use serde_json::Value;

use crate::mcp::harmless::seen_lines;

use super::{config::Link, handler::Handler, http, name, result, sign_in::Wanted, state::Server};

/// What a person is shown of the arguments.
const LONGEST_PREVIEW: usize = 4_000;
const LONGEST_ERROR: usize = 2_000;
/// How often a server may ask back within one call.
const MOST_ROUNDS: usize = 8;
/// How long a call whose connection broke waits for the words on why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One tool of one server.
pub(super) struct GuestTool {
    pub server: Arc<Server>,
    /// The server's own name for it.
    pub name: String,
    pub permission: Permission,
    pub effects: Effects,
    pub hints: Option<String>,
}

impl ErasedTool for GuestTool {
    fn available(&self, _: &Services) -> Result<(), Absent> {
        Ok(())
    }

    fn plan<'a>(&'a self, arguments: &'a Value, cx: &'a Cx) -> BoxFuture<'a, ToolResult<Plan>> {
        std::future::ready(self.planned(arguments, cx)).boxed()
    }

    fn run<'a>(&'a self, arguments: Value, cx: &'a Cx) -> BoxFuture<'a, ToolResult<Reply>> {
        self.call(arguments, cx).boxed()
    }
}

impl GuestTool {
    fn planned(&self, arguments: &Value, cx: &Cx) -> ToolResult<Plan> {
        let server = name::harmless(&self.server.name, 60);
        if cx.owner().is_some() && !self.server.config().shared {
            return Err(ToolError::blocked(
                "mcp_not_shared",
                format!("The MCP server {server} is the owner's alone."),
            )
            .hint(format!("The owner of this installation can set `\"shared\": true` for {server}.")));
        }
        // Ours first: the server's name for it could read like a sentence of ours.
        let named = name::of_tool(&self.server.name, &self.name);
        let shown = name::harmless(&self.name, 80).replace(['«', '»'], "");
        let why = if self.permission == Permission::Public {
            "The settings say that this tool of another program is harmless."
        } else {
            "It is a tool of another program: what it does is not known here."
        };
        let mut plan = Plan::new(format!("{named}: call «{shown}» of the MCP server {server}."))
            .at_least(self.permission, format!("mcp:{server}"), why)
            .effects(self.effects)
            .note(self.definition_note()?);
        // A host in `hosts` would keep a person from ever allowing the tool as a whole, since the gate takes each host for
        // the choice of whoever calls. This one is the user's own choice: it stands in their settings, and no argument can
        // change it. So it is told, and nothing hangs on it.
        if let Link::Http { url, .. } = &self.server.config().link
            && let Some(host) = http::host(url.reveal())
        {
            plan = plan.note(format!("The server is at {}.", name::harmless(&host, 100)));
        }
        if let Some(hints) = &self.hints {
            plan = plan.note(hints);
        }
        if self.permission != Permission::Public {
            plan = plan.not_undoable("What another program does cannot be taken back from here.");
        }
        if arguments.as_object().is_some_and(|arguments| !arguments.is_empty()) {
            let text = serde_json::to_string_pretty(arguments).unwrap_or_default();
            plan = plan.preview(Preview::Text(preview(&text)));
        }
        plan.outside = Some(self.server.says());
        Ok(plan)
    }

    /// Which definition the plan is about: a plan that was made under another one does not hold.
    fn definition_note(&self) -> ToolResult<String> {
        let hash = self.server.definition(&self.name).ok_or_else(|| {
            let message =
                format!("The MCP server {} has this tool no more.", name::harmless(&self.server.name, 60));
            ToolError::new("mcp_tool_gone", message).hint("Look with find_tools for what it has now.")
        })?;
        Ok(format!("Its definition: sha256 {}.", &hash[..hash.len().min(16)]))
    }

    async fn call(&self, arguments: Value, cx: &Cx) -> ToolResult<Reply> {
        let now = self.definition_note()?;
        if cx.plan().is_some_and(|plan| !plan.notes.contains(&now)) {
            return Err(ToolError::plan_changed("The server has changed what it says of this tool."));
        }
        let peer = self.server.peer().ok_or_else(|| self.down(&self.server.why_not()))?;
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            _ => JsonObject::new(),
        };
        let mut params = CallToolRequestParams::new(self.name.clone()).with_arguments(arguments);
        for _ in 0..MOST_ROUNDS {
            match self.exchange(&peer, params.clone(), cx).await? {
                Answer::Complete(result) => return self.reply(result),
                Answer::Asks(asks) => {
                    params.input_responses = tokio::select! {
                        answers = self.answers(&asks) => answers?,
                        () = cx.cancel_token().cancelled() => return Err(ToolError::cancelled()),
                    };
                    // Byte for byte, and nothing where nothing came.
                    params.request_state = asks.request_state;
                }
            }
        }
        let message = format!("It asked back {MOST_ROUNDS} times and gave no result.");
        Err(ToolError::new("mcp_asks_on", message))
    }

    fn reply(&self, result: CallToolResult) -> ToolResult<Reply> {
        let failed = result.is_error == Some(true);
        let mut reply = result::reply(result);
        if let Some(secrets) = self.server.secrets.get() {
            reply.text = secrets.hide(&reply.text);
            reply.data = secrets.hide_in(reply.data);
        }
        if failed {
            let message = format!("The MCP server {} says that it failed.", self.server.name);
            return Err(ToolError::new("mcp_tool_failed", message).partial(reply));
        }
        Ok(reply)
    }

    /// One request and its answer. A request that nobody waits for any more is called off.
    async fn exchange(
        &self,
        peer: &Peer<RoleClient>,
        params: CallToolRequestParams,
        cx: &Cx,
    ) -> ToolResult<Answer> {
        let patience = self.server.config().timeout;
        let options = PeerRequestOptions::with_timeout(patience)
            .reset_timeout_on_progress()
            .with_max_total_timeout(self.server.places.limits.call.max(patience));
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = tokio::select! {
            sent = peer.send_request_with_option(request, options) => sent,
            () = cx.cancel_token().cancelled() => return Err(ToolError::cancelled()),
        };
        let request = match sent {
            Ok(request) => request,
            Err(error) => return Err(self.failed(error).await),
        };
        let _progress = self.server.watched.watch(request.progress_token.clone(), cx);
        let mut open = OpenRequest { server: &self.server, id: Some(request.id.clone()) };
        let answer = tokio::select! {
            answer = request.await_response() => answer,
            // Dropping `open` tells the server.
            () = cx.cancel_token().cancelled() => return Err(ToolError::cancelled()),
        };
        open.id = None;
        match answer {
            Ok(ServerResult::CallToolResult(result)) => Ok(Answer::Complete(result)),
            Ok(ServerResult::InputRequiredResult(asks)) => Ok(Answer::Asks(asks)),
            Ok(_) => Err(self.failed(ServiceError::UnexpectedResponse).await),
            Err(error) => Err(self.failed(error).await),
        }
    }

    /// What the server wants to know before it goes on.
    async fn answers(&self, asks: &InputRequiredResult) -> ToolResult<Option<InputResponses>> {
        let mut answers = InputResponses::new();
        for (key, request) in asks.input_requests.iter().flatten() {
            let answer = match request {
                InputRequest::ListRoots(_) => serde_json::to_value(Handler::roots(&self.server)),
                InputRequest::Elicitation(request) if self.server.places.answerer.is_some() => {
                    serde_json::to_value(Handler::elicit(&self.server, request.params.clone()).await)
                }
                InputRequest::Elicitation(_) => {
                    return Err(self.declined("wants to ask a person something first"));
                }
                _ => return Err(self.declined("wants to use a model of ours first")),
            };
            answers.insert(key.clone(), answer.unwrap_or_default());
        }
        if answers.is_empty() && asks.request_state.is_none() {
            return Err(self.declined("wants something first, and does not say what"));
        }
        Ok((!answers.is_empty()).then_some(answers))
    }

    fn declined(&self, wants: &str) -> ToolError {
        let message = format!("The MCP server {} {wants}, which is declined.", self.server.name);
        ToolError::new("mcp_input_declined", message)
            .hint("Give it all that it needs in the arguments, if it takes them.")
    }

    fn down(&self, why: &str) -> ToolError {
        ToolError::new("mcp_server_down", format!("{why}{}", self.server.last_words()))
            .hint("It is started again by itself; try later. `deskhand doctor` tells more.")
    }

    /// The server wants somebody to sign in, or to agree to more. It is kept for the sign-in what it said, and the
    /// connection is made anew, so that what is signed then counts.
    async fn wants_sign_in(&self, wanted: &Wanted) -> ToolError {
        if let Some(signer) = self.server.signer.get()
            && let Err(error) = wanted.remember(&signer.server, Arc::clone(&signer.keeper)).await
        {
            tracing::warn!(server = %self.server.name, %error, "what a server wants could not be kept");
        }
        self.server.suspect.notify_one();
        ToolError::new("mcp_wants_sign_in", wanted.told(&name::harmless(&self.server.name, 60)))
    }

    async fn failed(&self, error: ServiceError) -> ToolError {
        if let Some(wanted) = Wanted::by_request(&error).filter(|_| self.server.signer.get().is_some()) {
            return self.wants_sign_in(&wanted).await;
        }
        let server = &self.server.name;
        match error {
            ServiceError::McpError(error) => {
                let said = self.server.screened(&name::harmless_lines(&error.message, LONGEST_ERROR));
                ToolError::new("mcp_error", format!("The MCP server {server} answered with an error: {said}"))
            }
            ServiceError::Timeout { timeout } => ToolError {
                status: Status::TimedOut,
                ..ToolError::new(
                    "timed_out",
                    format!("The MCP server {server} gave no answer within {} seconds.", timeout.as_secs()),
                )
                .hint("`timeout_s` of the server's entry gives it more time.")
            },
            ServiceError::UnexpectedResponse => ToolError::new(
                "mcp_bad_answer",
                format!("The answer of the MCP server {server} is none to a call."),
            ),
            ServiceError::TransportSend(error) if http::answered_badly(error.error.as_ref()) => {
                let words =
                    self.server.screened(&name::harmless_lines(&error.error.to_string(), LONGEST_ERROR));
                ToolError::new("mcp_bad_answer", format!("The MCP server {server} refused the call: {words}"))
            }
            broken => {
                self.server.suspect.notify_one();
                self.wait_until_down().await;
                let words = self.server.screened(&name::harmless_lines(&broken.to_string(), LONGEST_ERROR));
                self.down(&format!(
                    "The connection to the MCP server {server} broke in the middle of the call ({words}): whether \
                     it was carried out is not known. {}",
                    self.server.why_not()
                ))
            }
        }
    }

    /// The supervisor knows in a moment how the server ended.
    async fn wait_until_down(&self) {
        let down = async {
            while self.server.peer().is_some() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let _ = tokio::time::timeout(LAST_WORDS, down).await;
    }
}

/// The arguments as a person is to judge them: what nobody would see in them is seen, and what is left out is told.
fn preview(arguments: &str) -> String {
    let seen = seen_lines(arguments);
    let Some((end, _)) = seen.char_indices().nth(LONGEST_PREVIEW) else { return seen };
    let (shown, rest) = seen.split_at(end);
    let hash = sha256_hex(arguments.as_bytes());
    format!("{shown}\n… and {} more characters; sha256 of all: {hash}", rest.chars().count())
}

enum Answer {
    Complete(CallToolResult),
    Asks(InputRequiredResult),
}

/// A request that is under way. Dropped before it is answered, it is called off.
struct OpenRequest<'a> {
    server: &'a Server,
    id: Option<RequestId>,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.server.abandon(id);
        }
    }
}

#[cfg(test)]
mod tests;
