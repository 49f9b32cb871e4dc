//! Ways in. Whoever comes through here sees the same sessions, events and questions as the terminal does, and every
//! tool call goes through the one gate.
//!
//! | module | what lives there |
//! |---|---|
//! | [`http`] | the API, its events, and the web page |
//! | [`mcp`] | our tools for MCP clients, and other MCP servers' tools for us |

pub mod http;
pub mod mcp;
