//! The hands on a web page: a browser for each session, and the tools that use it.
//!
//! | | |
//! |---|---|
//! | [`cdp`] | a client for the DevTools protocol, over pipes or a WebSocket |
//! | [`launch`] | which browser there is, its arguments, its profile, its process and its end |
//! | [`proxy`] | the one way from a started browser to the network |
//! | [`stealth`] | what each target gets before its own code runs |
//! | [`tab`] | what is open: tabs, frames, dialogs, downloads, as one state that events change |
//! | [`page`] | what is done on a page: navigate, evaluate, click, type, look |
//! | [`Browser`], [`Browsers`] | one that runs; and the service that has one for each session |
//! | [`tools`] | a file for each tool |
//!
//! ```text
//! tool → Browsers::open(session) → Page::take(browser) → navigate, ask, click_at, … → Session::call → pipe
//!                                        ↑ looks at State ← Targets::hear(event) ← reader task ←───────┘
//! ```
//!
//! A tool takes the current tab with [`page::Page::take`]; while it has it, no other call acts on that browser.

mod browser;
mod browsers;
pub mod cdp;
mod existing;
pub mod launch;
pub mod page;
pub mod proxy;
pub mod stealth;
pub mod tab;
pub mod tools;

pub use self::{
    browser::{Browser, Options},
    browsers::{Browsers, Config, Opened},
};
