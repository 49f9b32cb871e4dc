//! Where Deskhand sits: the desktop that its tools act on.

use std::{env, path::PathBuf, sync::Arc};

use deskhand_core::{Absent, Cx, Services, ToolResult};

use super::{
    absent::NoDesktop,
    backend::{Desktop, Faculty},
    wayland::Wayland,
};

/// The desktop of this process. A service: the tools of the desktop get it by its type.
#[derive(Clone)]
pub struct Seat(Arc<dyn Desktop>);

impl Seat {
    /// The one that the environment names. `program` is Deskhand itself, which is begun once more to hold what is copied.
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

    /// At the X display of this name.
    #[cfg(all(unix, not(target_os = "macos")))]
    pub fn at(display: &str, program: PathBuf) -> Self {
        Self::of(super::x11::X11::new(display, program))
    }

    /// Systems without X have no other desktop that is reached by now.
    #[cfg(not(all(unix, not(target_os = "macos"))))]
    pub fn at(_: &str, _: PathBuf) -> Self {
        Self::of(NoDesktop::unnamed())
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
