//! The forms in which tools are told to others. All are derived from [`Spec`](crate::Spec) and the schemas.

mod listing;
mod manual;
mod mcp;
mod openai;

pub use listing::listing;
pub use manual::manual;
pub use mcp::mcp_tool;
pub use openai::openai_function;
