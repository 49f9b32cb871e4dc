//! Other MCP servers behind our gate: real processes, real HTTP, a real store, gate and policy; servers that behave and
//! servers that do not.

#![allow(clippy::unwrap_used, clippy::expect_used)] // all of it is tests

mod approvals;
mod calls;
mod desk;
mod fixture;
mod hostile;
mod http;
mod lives;
mod questions;
