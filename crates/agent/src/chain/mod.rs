//! What a model is told of the tools, and what its reply means. Nothing here waits or touches anything.
//!
//! | module | what lives there |
//! |---|---|
//! | [`offer`] | tools as a model is told of them, small for the wire; finding tools by need |
//! | [`text_protocol`] | `TOOL:` / `ARGS:` for models without tool calls of their own |
//! | [`constraint`] | a JSON schema that makes a model answer with a call or an answer |
//! | [`recover`] | calls that a model wrote as text |
//! | [`json_scan`] | JSON values in a text |
//! | [`guards`] | what stops a turn: repetition, denials, limits |
//! | [`groups`] | which calls of a reply may run side by side |

pub mod constraint;
pub mod groups;
pub mod guards;
pub mod json_scan;
pub mod language;
pub mod offer;
pub mod recover;
pub mod text_protocol;

pub use language::Language;
