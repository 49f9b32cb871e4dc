//! The crate against a real Chromium, on pages of our own in `tests/pages/`, served from this machine.
#![allow(clippy::unwrap_used, clippy::expect_used)] // all of it is tests

mod accepting;
mod aiming;
mod attach;
mod bounds;
mod failures;
mod files;
mod fixture;
mod frames;
mod grants;
mod input;
mod leaving;
mod lives;
mod meanwhile;
mod navigation;
mod outbound;
mod parameters;
mod persons;
mod pictures;
mod scripts;
mod secrets;
mod sending;
mod sending_closed;
mod stealth;
mod tabs;
mod tools;
mod visible;
mod waits;
mod whose;
mod wire;
