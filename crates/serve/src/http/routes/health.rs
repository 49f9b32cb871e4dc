//! Whether the server is alive.

use aide::axum::{ApiRouter, routing::get_with};
use axum::Json;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::app::App;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/healthz",
        get_with(health, |op| op.id("health").summary("Whether the server is alive").tag("server")),
    )
}

#[derive(Serialize, JsonSchema)]
struct Health {
    /// Always `ok`.
    status: String,
}

async fn health() -> Json<Health> {
    Json(Health { status: "ok".to_owned() })
}
