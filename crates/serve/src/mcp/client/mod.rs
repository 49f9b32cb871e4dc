//! Deskhand as a client of other MCP servers: their tools become tools here, behind the same gate.

pub mod sign_in;
