//! Our MCP client, driven by the official conformance suite:
//!
//! ```text
//! conformance client --command "target/debug/examples/conformance_client" --scenario tools_call
//! ```
//!
//! Connects to the address in its last argument, lists the tools and calls each of them through a gate, with arguments
//! made from its schema; forms are answered with their defaults. Whether that was right is for the suite to say.
//! The scenarios about signing in are in [`auth`].

mod auth;

use std::{collections::HashSet, env, sync::Arc, time::Duration};

use deskhand_core::{Gate, GateSettings, Mode, Outcome, Registry, Request, Services, SessionCx};
use deskhand_guard::SecretScreener;
use deskhand_serve::mcp::client::{
    Answerer, FormAnswer, Limits, Places, ServerStatus, Servers, parse_servers,
};
use deskhand_testkit::Fixture;
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value, json};

const NAME: &str = "suite";

#[tokio::main]
async fn main() -> Result<(), String> {
    let url = env::args().next_back().filter(|url| url.starts_with("http"));
    let url = url.ok_or("the last argument is the address of the server")?;
    if env::var("MCP_CONFORMANCE_SCENARIO").is_ok_and(|scenario| scenario.starts_with("auth/")) {
        return auth::run(&url, &context()).await.map_err(|error| format!("{error:#}"));
    }
    let mut entry = json!({"url": url, "permission": "public", "timeout_s": 20});
    if let Ok(protocol) = env::var("MCP_CONFORMANCE_PROTOCOL_VERSION") {
        entry["protocol"] = protocol.into();
    }
    let configs = parse_servers(&json!({"mcpServers": {NAME: entry}}).to_string());
    let configs = configs.map_err(|errors| errors.to_string())?;
    let fixture = Fixture::new();
    let mut places = Places::here(vec![fixture.workspace.clone()], Arc::new(SecretScreener));
    places.answerer = Some(Arc::new(Defaults));
    places.limits = Limits { connect: Duration::from_secs(15), ..Limits::default() };

    let desk = desk(&fixture);
    let servers = Servers::start(&desk.gate.registry, configs, &places);
    servers.settled(Duration::from_secs(25)).await;
    let state = servers.states().remove(0);
    if state.status != ServerStatus::Ready {
        return Err(state.error.unwrap_or_else(|| "the server does not come up".to_owned()));
    }
    let failed = desk.call_all().await;
    servers.shutdown().await;
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// What the suite tells beside the address.
fn context() -> Value {
    let text = env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

struct Desk {
    gate: Gate,
    session: SessionCx,
}

fn desk(fixture: &Fixture) -> Desk {
    let services = Services::default();
    let gate = fixture.gate(Registry::new(), &services, GateSettings::default());
    Desk { gate, session: fixture.session(services).in_mode(Mode::Unattended) }
}

impl Desk {
    /// The calls that the scenario names, or one of each tool. Returns what failed.
    async fn call_all(&self) -> Vec<String> {
        let context = context();
        let mut failed = Vec::new();
        if let Some(calls) = context["toolCalls"].as_array() {
            for call in calls {
                let tool = format!("mcp_{NAME}_{}", call["name"].as_str().unwrap_or_default());
                self.call(&tool, call["arguments"].clone(), &mut failed).await;
            }
            return failed;
        }
        let tools: Vec<_> = self.gate.registry.offered().collect();
        for tool in &tools {
            let name = tool.spec().name;
            let arguments = if name.ends_with("_json_schema_echo") {
                // It wants to see the schema of its neighbour as we received it.
                let other =
                    tools.iter().find(|other| other.spec().name.ends_with("_json_schema_2020_12_tool"));
                json!({"schema": other.map(|other| other.input_schema().clone())})
            } else if name.ends_with("_json_schema_2020_12_tool") {
                continue;
            } else {
                made_from(tool.input_schema(), &[])
            };
            self.call(name, arguments, &mut failed).await;
        }
        failed
    }

    async fn call(&self, tool: &str, arguments: Value, failed: &mut Vec<String>) {
        let outcome: Outcome = self.gate.call(Request::new(tool, arguments), &self.session).await;
        if !outcome.is_success() {
            failed.push(format!("{tool}: {}: {}", outcome.status, outcome.text));
        }
    }
}

/// Answers every form with what it proposes.
struct Defaults;

impl Answerer for Defaults {
    fn answer<'a>(&'a self, _: &'a str, _: &'a str, schema: &'a Value) -> BoxFuture<'a, FormAnswer> {
        let all: Vec<&str> = schema["properties"]
            .as_object()
            .map(|all| all.keys().map(String::as_str).collect())
            .unwrap_or_default();
        std::future::ready(FormAnswer::Accept(made_from(schema, &all))).boxed()
    }
}

/// An object that fits a schema: what it requires, and `also`.
fn made_from(schema: &Value, also: &[&str]) -> Value {
    let required: HashSet<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let wanted =
        properties.filter(|(name, _)| required.contains(name.as_str()) || also.contains(&name.as_str()));
    Value::Object(wanted.map(|(name, schema)| (name.clone(), value_for(schema))).collect::<Map<_, _>>())
}

fn value_for(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => made_from(schema, &[]),
        _ => json!("text"),
    }
}
