//! Models over real sockets on this machine: every stream that a server should not send, and what becomes of it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // tests, in functions that are not

mod discovering;
mod keys;
mod malformed;
mod mock;
mod problems;
mod proxies;
mod retrying;
mod tls;
mod wires;
