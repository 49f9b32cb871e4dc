//! Judging what a command would do to paths: what is ordinary, what is asked about, what must never be.

mod places;
mod roles;
mod tables;
#[cfg(test)]
mod tests;

pub use places::Class;
pub use roles::{Reach, Writing};
