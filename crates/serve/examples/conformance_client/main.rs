//! The client of the official conformance suite, which gives the server's address as the last argument.

mod auth;

use anyhow::{Context as _, Result};
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::args().next_back().context("the address of the server is missing")?;
    let version =
        std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_else(|_| "2025-11-25".to_owned());
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Value = serde_json::from_str(&context).unwrap_or_default();
    auth::run(&url, &version, &context).await
}
