//! The hands on a web page.

pub mod cdp;
