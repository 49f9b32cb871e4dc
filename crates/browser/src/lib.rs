//! The hands on a web page.

pub mod cdp;
pub mod launch;
pub mod stealth;
pub mod tab;
