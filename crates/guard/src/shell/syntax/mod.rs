//! A command line as a tree: what bash would see before it expands anything.
//!
//! [`parse`] is our reader. Whether a text is well formed is also asked of a grammar that others wrote
//! ([`grammar::agrees`]): only where both read the same commands can the answer be that it may run unasked.

mod ast;
pub mod grammar;
mod parse;
#[cfg(test)]
mod tests;
mod words;

pub use ast::{
    Assign, Node, Op, Param, Redirect, RedirectOp, Script, Side, Simple, Sub, Target, Unit, Value, Word,
};
pub use parse::parse;
pub use words::{here_text, literal, word_of};
