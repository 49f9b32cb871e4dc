//! Showing a file in the person's file manager.

use std::{path::Path, sync::mpsc};

use deskhand_core::{ToolError, ToolResult};

use super::backend::Wait;

/// By the way that all desktops of a system have in common. A file manager that hangs is not waited for.
pub(super) fn show(path: &Path, wait: &Wait) -> ToolResult<()> {
    let (tell, told) = mpsc::channel();
    let file = path.to_path_buf();
    // It ends by itself: the bus gives up on whoever does not answer.
    std::thread::spawn(move || tell.send(reveal(&file)));
    let mut shown = None;
    wait.until(|| {
        shown = told.try_recv().ok();
        Ok(shown.is_some())
    })?;
    let why = match shown {
        Some(Ok(())) => return Ok(()),
        Some(Err(why)) => why,
        None => "the file manager does not answer".to_owned(),
    };
    Err(ToolError::new("not_shown", format!("{} could not be shown: {why}.", path.display()))
        .hint("Is there a file manager, and xdg-open (the package xdg-utils)?"))
}

/// File managers mark the file when they are asked over the bus. Where none answers there, its folder is opened by
/// whatever opens folders.
#[cfg(all(unix, not(target_os = "macos")))]
fn reveal(path: &Path) -> Result<(), String> {
    if over_the_bus(path).is_ok() {
        return Ok(());
    }
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    opener::open(folder).map_err(|error| error.to_string())
}

#[cfg(all(unix, not(target_os = "macos")))]
fn over_the_bus(path: &Path) -> zbus::Result<()> {
    const MANAGER: &str = "org.freedesktop.FileManager1";
    let bus = zbus::blocking::connection::Builder::session()?
        .method_timeout(std::time::Duration::from_secs(10))
        .build()?;
    let about = (vec![address(path)], "");
    bus.call_method(Some(MANAGER), "/org/freedesktop/FileManager1", Some(MANAGER), "ShowItems", &about)?;
    Ok(())
}

/// `file:///a/b%20c`
#[cfg(all(unix, not(target_os = "macos")))]
fn address(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(byte);
    let written =
        |byte: &u8| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    let path: String = path.as_os_str().as_bytes().iter().map(written).collect();
    format!("file://{path}")
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn reveal(path: &Path) -> Result<(), String> {
    opener::reveal(path).map_err(|error| error.to_string())
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_in_plain_letters() {
        assert_eq!(address(Path::new("/a b/ü%.png")), "file:///a%20b/%C3%BC%25.png");
    }
}
