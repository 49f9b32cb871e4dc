//! The HTTP API as its callers meet it: a real server on a loopback port, on a real store, gate and tools.

// Helpers of a test are tests too; clippy's own exemption stops at `#[test]` functions.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod audit;
mod browser;
mod desktop;
mod dialects;
mod doors;
mod downloads;
mod grants;
mod harness;
mod isolation;
mod messages;
mod metrics;
mod modes;
mod processes;
mod queue;
mod sessions;
#[path = "../support/small_program.rs"]
mod small_program;
mod surroundings;
mod undo;
mod uploads;
mod vitals;
