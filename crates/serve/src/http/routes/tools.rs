//! The tools that there are, and what a call would do.

use aide::axum::{
    ApiRouter,
    routing::{get_with, post_with},
};
use axum::{Json, extract::State};
use deskhand_core::{
    ErrorBody, Explanation, Registry, Request, ToolEntry, ToolError, event::NoEvents, export,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

use super::execute::OURS;
use crate::http::{
    app::App,
    error::ApiError,
    extract::{At, Body, Params},
    person::Person,
};

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/tools",
            get_with(list, |op| {
                op.id("listTools")
                    .summary("Every tool with its schemas")
                    .description(
                        "With `dialect`, the tools of that system under its own names: `name`, `tool` (what it is \
                         here), `description`, `built`, `available`, and `input_schema` in its words.",
                    )
                    .tag("tools")
            }),
        )
        .api_route(
            "/api/v1/tools/explain",
            post_with(explain, |op| {
                op.id("explainCall")
                    .summary("What a call would do, and what would be decided; runs nothing")
                    .tag("tools")
            }),
        )
        .api_route(
            "/api/v1/tools/{name}",
            get_with(get, |op| op.id("getTool").summary("One tool").tag("tools")),
        )
}

#[derive(Deserialize, JsonSchema)]
struct ToolParams {
    toolset: Option<String>,
    /// The system whose tools to list: `omni`, `countbot`, `ops` or `skillmint`.
    dialect: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ToolList {
    tools: Vec<Value>,
}

fn shown(entry: &ToolEntry, absent: Option<&deskhand_core::Absent>) -> Value {
    let mut tool = export::listing(entry);
    if let Some(fields) = tool.as_object_mut() {
        fields.insert("available".into(), absent.is_none().into());
        if let Some(absent) = absent {
            fields.insert("unavailable_reason".into(), json!(format!("{}. {}", absent.why, absent.remedy)));
        }
    }
    tool
}

async fn list(
    State(app): State<App>,
    _: Person,
    Params(params): Params<ToolParams>,
) -> Result<Json<ToolList>, ApiError> {
    let registry = &app.gate().registry;
    if let Some(name) = &params.dialect {
        if params.toolset.is_some() {
            return Err(ApiError::invalid("toolset and dialect cannot be asked for together"));
        }
        return Ok(Json(ToolList { tools: in_dialect(registry, name)? }));
    }
    let offered: Vec<_> = match &params.toolset {
        None => registry.offered().collect(),
        Some(name) => registry.toolset(name).ok_or_else(|| {
            ApiError::not_found(format!(
                "there is no toolset {name:?}: {}",
                registry.toolset_names().join(", ")
            ))
        })?,
    };
    let mut tools: Vec<Value> = offered.into_iter().map(|entry| shown(&entry, None)).collect();
    if params.toolset.is_none() {
        tools.extend(registry.absent().map(|(entry, absent)| shown(entry, Some(absent))));
    }
    Ok(Json(ToolList { tools }))
}

fn in_dialect(registry: &Registry, name: &str) -> Result<Vec<Value>, ApiError> {
    let dialect = registry.dialect(name).ok_or_else(|| {
        let names: Vec<_> = registry.dialects().iter().map(|dialect| dialect.name).collect();
        ApiError::not_found(format!("there is no dialect {name:?}: {}", names.join(", ")))
    })?;
    Ok(dialect.listing(registry))
}

#[derive(Deserialize, JsonSchema)]
struct ToolPath {
    name: String,
}

async fn get(State(app): State<App>, _: Person, At(path): At<ToolPath>) -> Result<Json<Value>, ApiError> {
    let registry = &app.gate().registry;
    if let Some((entry, absent)) = registry.absent().find(|(entry, _)| entry.spec().name == path.name) {
        return Ok(Json(shown(entry, Some(absent))));
    }
    let found = registry.find(&path.name, None).map_err(|error| {
        let answer = ApiError::not_found(error.message);
        match error.hint {
            Some(hint) => answer.hint(hint),
            None => answer,
        }
    })?;
    Ok(Json(shown(&found.entry, None)))
}

#[derive(Deserialize, JsonSchema)]
struct ExplainBody {
    tool_name: String,
    #[serde(default)]
    parameters: serde_json::Map<String, Value>,
    session_id: Option<String>,
    /// Whose names these are. Left out: ours, or any system's that is the only one to have the name.
    dialect: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ExplainAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
    /// Why there is no plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
}

async fn explain(
    State(app): State<App>,
    person: Person,
    Body(body): Body<ExplainBody>,
) -> Result<Json<ExplainAnswer>, ApiError> {
    let session = match &body.session_id {
        Some(id) => Some(app.session_of(&person, id).await?),
        None => None,
    };
    let cx = app.surround(&person, session.as_ref(), None, Arc::new(NoEvents)).await?;
    let dialect = body.dialect.filter(|name| name != OURS);
    let request = Request::new(body.tool_name, Value::Object(body.parameters)).in_dialect(dialect);
    Ok(Json(match app.gate().explain(request, &cx).await {
        Ok(explanation) => ExplainAnswer { explanation: Some(explanation), error: None },
        Err(ToolError { code, message, hint, .. }) => ExplainAnswer {
            explanation: None,
            error: Some(ErrorBody { code: code.to_owned(), message, hint }),
        },
    }))
}
