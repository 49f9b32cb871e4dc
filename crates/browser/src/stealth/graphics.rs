//! What draws for WebGL.
//!
//! Without a window Chromium draws by a program of its own and says so, even where there is a graphics card. By Mesa it
//! uses the card that is there. Where there is none Mesa draws by a program, too; it is told to go by the name of a card
//! whose abilities are the same, so that every page, frame and worker hears one name from below, and nothing is patched.

use std::{fs, path::Path};

use crate::launch::Window;

/// What there is to draw by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Graphics {
    /// A card, by Mesa.
    Card,
    /// Mesa alone.
    Mesa,
    /// Something else, which is left as it is.
    Other,
}

/// Where the drivers for EGL say that they are there.
const DRIVERS: &str = "/usr/share/glvnd/egl_vendor.d";
const CARDS: &str = "/dev/dri";

impl Graphics {
    /// What there is on this machine.
    pub fn here() -> Self {
        Self::in_folders(Path::new(DRIVERS), Path::new(CARDS))
    }

    fn in_folders(drivers: &Path, cards: &Path) -> Self {
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        let drivers = names(drivers);
        let only_mesa = !drivers.is_empty() && drivers.iter().all(|name| name.contains("mesa"));
        let card = names(cards).iter().any(|name| name.starts_with("renderD"));
        match (only_mesa, card) {
            (false, _) => Self::Other,
            (true, true) => Self::Card,
            (true, false) => Self::Mesa,
        }
    }

    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Other => &[],
            // Pages are drawn as before: by Mesa alone that would be slower.
            Self::Card | Self::Mesa => &[
                "--use-angle=gl-egl",
                "--ignore-gpu-blocklist",
                "--disable-gpu-compositing",
                "--disable-gpu-rasterization",
                "--disable-accelerated-2d-canvas",
            ],
        }
    }

    pub(super) fn environment(self, window: Window) -> Vec<(&'static str, &'static str)> {
        let mut environment = Vec::new();
        if self != Self::Other && window == Window::Headless {
            environment.push(("EGL_PLATFORM", "surfaceless"));
        }
        if self == Self::Mesa {
            // Settings of Mesa's own, for games that want to hear a name.
            environment.push(("force_gl_vendor", "Intel"));
            environment.push(("force_gl_renderer", "Mesa Intel(R) UHD Graphics 620 (KBL GT2)"));
        }
        environment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_lent_only_where_there_is_no_card() {
        let folder = tempfile::tempdir().unwrap();
        let (drivers, cards) = (folder.path().join("drivers"), folder.path().join("cards"));
        let look = || Graphics::in_folders(&drivers, &cards);
        assert_eq!(look(), Graphics::Other, "no drivers");
        fs::create_dir(&drivers).unwrap();
        fs::write(drivers.join("50_mesa.json"), "").unwrap();
        assert_eq!(look(), Graphics::Mesa);
        assert!(look().environment(Window::Visible).iter().any(|(name, _)| *name == "force_gl_renderer"));
        fs::create_dir(&cards).unwrap();
        fs::write(cards.join("renderD128"), "").unwrap();
        assert_eq!(look(), Graphics::Card);
        assert_eq!(look().environment(Window::Headless), [("EGL_PLATFORM", "surfaceless")]);
        assert!(look().environment(Window::Visible).is_empty());
        fs::write(drivers.join("10_nvidia.json"), "").unwrap();
        assert_eq!(look(), Graphics::Other);
        assert!(look().arguments().is_empty() && look().environment(Window::Headless).is_empty());
    }
}
