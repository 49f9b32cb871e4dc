//! What a model is told of the tools, and what its reply means. Nothing here waits or touches anything.
//!
//! | module | what lives there |
//! |---|---|
//! | [`json_scan`] | JSON values in a text |
//! | [`guards`] | what stops a turn: repetition, denials, limits |
//! | [`groups`] | which calls of a reply may run side by side |

pub mod groups;
pub mod guards;
pub mod json_scan;
pub mod language;

pub use language::Language;
