//! Deskhand as an MCP server, as clients meet it: a real client of the protocol over pipes and over HTTP, on a real
//! store, gate and tools.

// Helpers of a test are tests too; clippy's own exemption stops at `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(deprecated)] // the logging of older clients

mod approvals;
mod bounds;
mod changes;
mod desk;
mod dialects;
mod doors;
mod isolation;
mod kept;
mod probe;
mod resources;
mod results;
mod running;
#[path = "../support/small_program.rs"]
mod small_program;
mod stateless;
mod tester;
