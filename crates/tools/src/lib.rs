//! The hands: a folder per family, a file per tool.

pub mod desktop;
pub mod dialects;
mod family;
pub mod files;
#[cfg(unix)]
pub mod shell;
pub mod system;
#[cfg(test)]
pub(crate) mod testing;

use deskhand_core::Registry;

/// All tools and dialects of this crate. Which of them can work here is found out by [`Registry::probe`].
pub fn registry() -> Registry {
    let mut registry = Registry::new();
    files::register(&mut registry);
    system::register(&mut registry);
    desktop::register(&mut registry);
    #[cfg(unix)]
    shell::register(&mut registry);
    dialects::register(&mut registry);
    registry
}
