//! A well-behaved server, made with the official SDK. The test program starts itself again as this one.

use std::{env, fs, path::Path, process::Command, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequest, InputRequests,
        InputRequiredResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        SubscriptionFilter, Tool,
    },
    service::{RequestContext, SubscriptionContext},
    transport::stdio,
};
use serde_json::{Map, Value, json};

/// How it is started, as an entry of `mcpServers`.
pub fn entry() -> Value {
    let program = env::current_exe().unwrap();
    json!({"command": program, "args": ["--exact", "fixture::serve", "--ignored", "--nocapture", "--quiet"]})
}

/// No test, but the server: the lines that the test runner prints around it are noise that a client must bear.
#[tokio::test]
#[ignore = "started by other tests as a server"]
async fn serve() {
    eprintln!("the fixture is here");
    let running = Fixture.serve(stdio()).await.unwrap();
    running.waiting().await.unwrap();
}

pub struct Fixture;

const TOOLS: [&str; 8] = ["echo", "env", "leak", "fail", "wait", "spawn", "ask", "picture"];

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Map<String, Value> =
            serde_json::from_value(json!({"type": "object", "properties": {"text": {"type": "string"}}}))
                .unwrap();
        let schema = Arc::new(schema);
        let new = Path::new("grow").exists().then_some("grown");
        let names = TOOLS.into_iter().chain(new);
        let tools = names.map(|name| Tool::new(name, format!("does {name}"), Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    /// There is a tool more once there is a file `grow`, and whoever listens is told.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        while !Path::new("grow").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        context.sink().notify_tool_list_changed().await.unwrap();
        context.cancelled().await;
        Ok(())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let said = request.arguments.as_ref().and_then(|arguments| arguments.get("text")?.as_str());
        let said = said.unwrap_or_default().to_owned();
        let result = match request.name.as_ref() {
            "echo" => CallToolResult::structured(json!({"said": said})),
            "env" => {
                let all: Map<String, Value> = env::vars().map(|(name, value)| (name, value.into())).collect();
                CallToolResult::structured(Value::Object(all))
            }
            // No real key: it has the form of one.
            "leak" => words(&format!(
                "AKIA{} and {}",
                "IOSFODNN7EXAMPLQ",
                env::var("SOME_TOKEN").unwrap_or_default()
            )),
            "fail" => CallToolResult::error(vec![ContentBlock::text("it is broken")]),
            "wait" => {
                fs::write("waiting", "").unwrap();
                tokio::select! {
                    () = context.ct.cancelled() => fs::write("cancelled", "").unwrap(),
                    () = tokio::time::sleep(Duration::from_mins(5)) => {}
                }
                words("done")
            }
            "spawn" => {
                // Left behind: whoever ends us has to end it, too.
                let script = "sleep 1000 > /dev/null 2>&1 & echo $!";
                let left = Command::new("sh").args(["-c", script]).output().unwrap();
                words(&format!("{} {}", std::process::id(), String::from_utf8_lossy(&left.stdout)))
            }
            "picture" => CallToolResult::success(vec![ContentBlock::image("iVBORw0KGgo=", "image/png")]),
            "ask" => match &request.input_responses {
                None => return Ok(asks().into()),
                Some(answers) => words(&format!("{} {:?}", json!(answers), request.request_state)),
            },
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        };
        Ok(result.into())
    }
}

fn words(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn asks() -> InputRequiredResult {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string", "default": "Ada"}}});
    let request: InputRequest = serde_json::from_value(json!({
        "method": "elicitation/create", "params": {"mode": "form", "message": "Who?", "requestedSchema": schema},
    }))
    .unwrap();
    let requests: InputRequests = [("who".to_owned(), request)].into();
    InputRequiredResult::new(Some(requests), Some("state-7".to_owned()))
}
