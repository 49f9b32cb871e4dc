//! The hands on a web page.

mod browser;
mod browsers;
pub mod cdp;
pub mod launch;
pub mod page;
pub mod stealth;
pub mod tab;
pub mod tools;

pub use self::{
    browser::{Browser, Options},
    browsers::{Browsers, Config, Opened},
};
