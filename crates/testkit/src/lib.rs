//! What tests and benches share. Nothing of it is in the program.
//!
//! [`Fixture`] is a workspace, a data folder and a store, from which a gate and a session are made; [`Person`] answers
//! questions; [`Events`] records what is shown; [`until`] waits; [`skip`] says that a test cannot run here.

// All of this is test code; clippy's own exemption stops at `#[test]` functions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::must_use_candidate
)]

mod events;
mod fixture;
mod machine;
mod person;
mod processes;
mod small_disk;
mod wait;

pub use events::Events;
pub use fixture::{Fixture, NothingSecret, in_gate};
#[cfg(target_os = "linux")]
pub use machine::become_ordinary_user;
pub use machine::{folder_for_everyone, folder_in_sight, skip};
pub use person::{Person, agree, no, pass, plan_of, yes};
pub use processes::{is_gone, is_running, mark};
#[cfg(target_os = "linux")]
pub use small_disk::SmallDisk;
pub use wait::{Look, PATIENCE, block_until, until};
