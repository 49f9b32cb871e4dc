//! Where Deskhand sits: the desktop that its tools act on.

#[cfg(all(unix, not(target_os = "macos")))]
use std::env;
use std::{path::PathBuf, sync::Arc};

use deskhand_core::{Absent, Cx, Services, ToolResult};

use super::backend::{Desktop, Faculty};
#[cfg(all(unix, not(target_os = "macos")))]
use super::{absent::NoDesktop, wayland::Wayland};

/// The desktop of this process. A service: the tools of the desktop get it by its type.
#[derive(Clone)]
pub struct Seat(Arc<dyn Desktop>);

impl Seat {
    /// The one that the environment names. `program` is Deskhand itself, which is begun once more to hold what is copied.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub fn here(program: PathBuf) -> Self {
        let named = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let display = named("DISPLAY");
        if let Some(wayland) = named("WAYLAND_DISPLAY") {
            return Self::of(Wayland::new(wayland, display.as_deref()));
        }
        match display {
            Some(display) => Self::at(&display, program),
            None => Self::of(NoDesktop::unnamed()),
        }
    }

    /// There is one, whatever the environment says, and it keeps what is copied by itself.
    #[cfg(any(windows, target_os = "macos"))]
    pub fn here(_: PathBuf) -> Self {
        Self::of(super::native::Native)
    }

    /// At the X display of this name.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub fn at(display: &str, program: PathBuf) -> Self {
        Self::of(super::x11::X11::new(display, program))
    }

    pub fn of(desktop: impl Desktop + 'static) -> Self {
        Self(Arc::new(desktop))
    }

    /// What it is, or why there is none; for `doctor`.
    pub fn about(&self) -> Result<String, Absent> {
        self.0.about()
    }
}

/// Whether a tool that wants this of a desktop can be offered.
pub(super) fn available(services: &Services, faculty: Faculty) -> Result<(), Absent> {
    match services.get::<Seat>() {
        Some(seat) => seat.0.can(faculty),
        None => {
            Err(Absent::new("this program was put together without a desktop", "Use the program itself."))
        }
    }
}

/// The desktop of a call.
pub(super) fn desktop(cx: &Cx) -> ToolResult<&dyn Desktop> {
    Ok(&*cx.service::<Seat>()?.0)
}
