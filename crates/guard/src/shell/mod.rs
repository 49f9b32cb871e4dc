//! Understanding a command before it runs: what it would do, and whether it may.

pub mod analysis;

pub use analysis::{Analysis, PlaceUse, Setting, Shell};
