//! Opens the page in the person's browser.

use anyhow::{Context, Result, bail};

pub fn in_browser(address: &str) -> Result<()> {
    if cfg!(target_os = "linux") && !has_display() {
        bail!("there is no display here: open the address in a browser yourself");
    }
    opener::open_browser(address).context("no browser could be opened: open the address yourself")
}

fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
