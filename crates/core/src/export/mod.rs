//! The forms in which tools are told to others. All are derived from [`Spec`](crate::Spec) and the schemas.

mod listing;
mod manual;
mod mcp;
mod openai;

pub use listing::listing;
pub use manual::{manual, manual_in_dialect};
pub use mcp::{mcp_tool, mcp_tool_in_dialect};
pub use openai::{openai_function, openai_function_in_dialect};
