//! Showing a file in the person's file manager.

use std::{path::Path, sync::mpsc};

use deskhand_core::{ToolError, ToolResult};

use super::backend::Wait;

/// By the way that all desktops of a system have in common. A file manager that hangs is not waited for.
pub(super) fn show(path: &Path, wait: &Wait) -> ToolResult<()> {
    let (tell, told) = mpsc::channel();
    let file = path.to_path_buf();
    // It ends by itself: the bus gives up on whoever does not answer, and what was started is the person's to close.
    std::thread::spawn(move || reveal(&file, &tell));
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

type Told = mpsc::Sender<Result<(), String>>;

/// File managers mark the file when they are asked over the bus. Where none answers there, its folder is opened by
/// whatever opens folders.
#[cfg(all(unix, not(target_os = "macos")))]
fn reveal(path: &Path, tell: &Told) {
    if over_the_bus(path).is_ok() {
        let _ = tell.send(Ok(()));
        return;
    }
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    open_folder(folder, tell);
}

/// How long `xdg-open` is looked at: what it finds wrong it finds at once.
#[cfg(all(unix, not(target_os = "macos")))]
const A_MOMENT: std::time::Duration = std::time::Duration::from_secs(2);

/// What a file manager needs to find the person's desktop and their settings. Deskhand's own, with its keys, stay here.
#[cfg(all(unix, not(target_os = "macos")))]
fn is_handed_on(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "DBUS_SESSION_BUS_ADDRESS",
        "DESKTOP_SESSION",
        "KDE_FULL_SESSION",
        "KDE_SESSION_VERSION",
        "GNOME_DESKTOP_SESSION_ID",
    ];
    NAMES.contains(&name) || name.starts_with("XDG_") || name.starts_with("LC_")
}

/// Opens it by the program that all desktops have for that. It may stay for as long as the folder is open.
#[cfg(all(unix, not(target_os = "macos")))]
fn open_folder(folder: &Path, tell: &Told) {
    use std::{
        os::unix::process::CommandExt,
        process::{Command, Stdio},
        time::Instant,
    };
    let mut command = Command::new("xdg-open");
    command.arg(folder).env_clear().current_dir("/").process_group(0);
    command.envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_handed_on)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = tell.send(Err(format!("xdg-open cannot be run ({error})")));
            return;
        }
    };
    let begun = Instant::now();
    let mut ended = None;
    while ended.is_none() && begun.elapsed() < A_MOMENT {
        std::thread::sleep(std::time::Duration::from_millis(10));
        ended = child.try_wait().ok().flatten();
    }
    let _ = tell.send(match ended {
        Some(status) if !status.success() => Err(format!("xdg-open failed ({status})")),
        _ => Ok(()),
    });
    let _ = child.wait();
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
fn reveal(path: &Path, tell: &Told) {
    let _ = tell.send(opener::reveal(path).map_err(|error| error.to_string()));
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_in_plain_letters() {
        assert_eq!(address(Path::new("/a b/ü%.png")), "file:///a%20b/%C3%BC%25.png");
    }
}
