//! What a client asks, and who answers it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use axum::http::request::Parts as HttpParts;
use deskhand_core::Desktop;
use rmcp::{
    RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, ErrorData,
        GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
        ServerConfig, SetLevelRequestMethod, SetLevelRequestParams, SubscriptionFilter,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

#[cfg(feature = "conformance-fixtures")]
use rmcp::model::{SubscribeRequestParams, UnsubscribeRequestParams};

#[cfg(feature = "conformance-fixtures")]
use super::fixtures;
use super::{
    McpServer,
    asker::{self, Asker},
    client::Client,
    http::Begun,
    resources,
};
use crate::http::Person;

/// By which door a client came.
#[derive(Clone, Debug)]
pub enum Door {
    /// Whoever started this program.
    Stdio,
    /// Somebody whom the door of the HTTP server has let in. `None`: the owner of this installation.
    Http { owner: Option<String> },
}

/// One connection: a pair of pipes, a session over HTTP, or a single request that has no session.
pub struct Connection {
    server: McpServer,
    door: Door,
    /// The client, where the connection is its alone.
    bound: OnceLock<Arc<Client>>,
    is_told_of_changes: AtomicBool,
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(client) = self.bound.get() {
            client.ending().cancel();
        }
    }
}

impl Connection {
    pub fn new(server: McpServer, door: Door) -> Self {
        Self { server, door, bound: OnceLock::new(), is_told_of_changes: AtomicBool::new(false) }
    }

    fn bind(&self, who: Option<&Implementation>) -> Arc<Client> {
        let owner = match &self.door {
            Door::Stdio => None,
            Door::Http { owner } => owner.clone(),
        };
        Arc::clone(self.bound.get_or_init(|| Arc::new(Client::new(&self.server, owner, who))))
    }

    fn asker(&self, context: &RequestContext<RoleServer>) -> Asker {
        let who = context.client_info();
        let client = match (&self.door, self.bound.get()) {
            (_, Some(client)) => Arc::clone(client),
            (Door::Stdio, None) => self.bind(who.as_ref()),
            (Door::Http { owner }, None) => {
                self.server.0.clients.of(&self.server, owner.as_deref(), who.as_ref())
            }
        };
        Asker::new(self.server.offer(), client, self.desktop(context), context)
    }

    fn desktop(&self, context: &RequestContext<RoleServer>) -> Desktop {
        match self.door {
            Door::Stdio => Desktop::Here,
            Door::Http { .. } => {
                let person =
                    context.extensions.get::<HttpParts>().and_then(|parts| parts.extensions.get::<Person>());
                person.map_or_else(
                    || Desktop::Away { reason: "Nobody knows where you are.".to_owned() },
                    Person::desktop,
                )
            }
        }
    }
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_logging();
        #[cfg(feature = "conformance-fixtures")]
        let capabilities = capabilities.enable_resources_subscribe().enable_prompts_list_changed();
        let capabilities = capabilities.build();
        let about = Implementation::new("deskhand", env!("CARGO_PKG_VERSION")).with_title("Deskhand");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(self.server.instructions())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let client = self.bind(Some(&request.client_info));
        let parts = context.extensions.get::<HttpParts>();
        if let Some(begun) = parts.and_then(|parts| parts.extensions.get::<Begun>()) {
            begun.by(&client);
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // Said again, it would have the client told of each change once more.
        if self.is_told_of_changes.swap(true, Ordering::SeqCst) {
            return;
        }
        let Some(client) = self.bound.get().cloned() else { return };
        // It ends with the client.
        tokio::spawn(self.server.clone().tell_of_changes(client, context.peer));
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asker = self.asker(&context);
        let page = self.server.page(&asker.client, request.as_ref().and_then(|page| page.cursor.as_deref()));
        #[cfg(feature = "conformance-fixtures")]
        let page = page.map(|mut page| {
            page.tools.extend(fixtures::tools());
            page
        });
        page
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        #[cfg(feature = "conformance-fixtures")]
        if let Some(answered) = self.server.0.fixtures.call(&request, &context).await {
            return answered;
        }
        self.server.call(request, &self.asker(&context)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.as_ref().and_then(|page| page.cursor.as_deref());
        let page = self.server.resources(cursor, &self.asker(&context)).await;
        #[cfg(feature = "conformance-fixtures")]
        let page = page.map(|mut page| {
            page.resources.splice(0..0, fixtures::resources());
            page
        });
        page
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        #[cfg(feature = "conformance-fixtures")]
        let templates = {
            let mut templates = templates;
            templates.resource_templates.extend(fixtures::templates());
            templates
        };
        Ok(templates)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        #[cfg(feature = "conformance-fixtures")]
        if let Some(contents) = fixtures::read_resource(&request.uri) {
            return Ok(contents.into());
        }
        self.server.read(&request.uri, &self.asker(&context)).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.as_ref().and_then(|page| page.cursor.as_deref());
        let page = self.server.prompts(cursor, &self.asker(&context)).await;
        #[cfg(feature = "conformance-fixtures")]
        let page = page.map(|mut page| {
            page.prompts.extend(fixtures::prompts());
            page
        });
        page
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        #[cfg(feature = "conformance-fixtures")]
        if let Some(prompt) = fixtures::prompt(&request) {
            return prompt;
        }
        self.server.prompt(&request, &self.asker(&context)).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.server.completed(&request, &self.asker(&context)).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if asker::is_stateless(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.asker(&context).client.set_level(request.level);
        Ok(())
    }

    /// For headers that repeat arguments: no tool of ours has any.
    #[cfg(feature = "conformance-fixtures")]
    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        fixtures::tools().into_iter().find(|tool| tool.name == name)
    }

    #[cfg(feature = "conformance-fixtures")]
    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    #[cfg(feature = "conformance-fixtures")]
    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = requested.tools_list_changed;
        #[cfg(feature = "conformance-fixtures")]
        accepted.prompts_list_changed.clone_from(&requested.prompts_list_changed);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let client = self.asker(context.request_context()).client;
        let Ok(_one_of_few) = client.subscriptions().try_acquire() else {
            return Err(ErrorData::invalid_request("you are told of changes several times already", None));
        };
        let telling = self.server.clone().tell_subscriber(Arc::clone(&client), context.sink().clone());
        #[cfg(feature = "conformance-fixtures")]
        let telling = async {
            tokio::join!(telling, self.server.0.fixtures.tell(context.sink()));
        };
        tokio::select! {
            () = telling => {}
            () = context.cancelled() => {}
        }
        Ok(())
    }
}
