//! Understanding a command before it runs: what it would do, and whether it may.
//!
//! A command is read as bash would read it ([`syntax`], [`expand`]), walked with what is known of variables, files and
//! streams ([`read`]), each program asked of the [`knowledge`] files, and what it does to paths judged ([`judge`]). Code for
//! other interpreters is looked at by [`code`], Windows text by [`windows`]. [`Shell::analyze`] is the way in.

pub mod analysis;
pub mod code;
mod encoding;
mod expand;
mod judge;
pub mod knowledge;
mod read;
pub mod syntax;
#[cfg(test)]
mod tests;
mod text;
pub mod windows;

pub use analysis::{Analysis, PlaceUse, Setting, Shell};
pub use read::runs_code;
