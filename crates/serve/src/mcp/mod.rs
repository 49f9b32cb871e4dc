//! MCP both ways.
//!
//! | module | what lives there |
//! |---|---|
//! | [`server`] | our tools for other programs: each of their calls passes the gate |
//! | [`client`] | other servers' tools for our sessions: they are called through the gate as well |

pub mod client;
mod harmless;
pub mod server;
