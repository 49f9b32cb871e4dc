//! What goes into a request: how much it is.

pub mod tokens;
