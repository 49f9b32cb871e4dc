//! The arguments that make a browser without a window like one with a window.

use super::{Graphics, Stealth, devices};
use crate::launch::{Viewport, Window};

/// For pages on which nobody minds what they see.
const WHEN_OFF: &[&str] = &[
    // They would be in pictures of pages.
    "--hide-scrollbars",
];

const WHEN_ON: &[&str] = &[
    // Without it `navigator.webdriver` is true.
    "--disable-blink-features=AutomationControlled",
];

const WITHOUT_A_WINDOW: &[&str] = &[
    // There would be no mouse for the styles of pages; these are what a desktop with a mouse has.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    // A page that prints would wait for a person; this way there is nothing to wait for.
    "--disable-print-preview",
    // Nobody could see where a sound comes from.
    "--mute-audio",
];

/// A window that nobody sees must not come up on the person's desktop after all, as a dialog for files or in the list of
/// what plays: it gets no way there. What has no value is taken out of the environment.
const NO_DESKTOP: &[(&str, &str)] =
    &[("DISPLAY", ""), ("WAYLAND_DISPLAY", ""), ("DBUS_SESSION_BUS_ADDRESS", "disabled:")];

/// Chromium's headless mode is another browser in small things, and says so by its name. An ordinary one that draws on no
/// display at all has nothing to hide; only Linux has that.
const HIDDEN: &str = if cfg!(target_os = "linux") { "--ozone-platform=headless" } else { "--headless=new" };

/// Screens that people have. The first that holds the window is taken; without one it would be 800 × 600, smaller than
/// the window.
const SCREENS: &[(u32, u32)] = &[(1920, 1080), (2560, 1440), (3840, 2160), (7680, 4320)];
/// What a desktop has at its top.
const DESKTOP_BAR: u32 = 27;
/// What a window has beside and above its page, with its place on the screen, at most.
const AROUND: (u32, u32) = (30, 240);

impl Stealth {
    /// Arguments of the browser.
    pub fn arguments(self, window: Window, viewport: Viewport) -> Vec<String> {
        let owned = |flags: &[&str]| flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>();
        let hidden = window == Window::Headless;
        if self == Self::Off {
            let headless: &[&str] = if hidden { &["--headless=new"] } else { &[] };
            return [owned(WHEN_OFF), owned(headless)].concat();
        }
        let mut arguments = owned(WHEN_ON);
        if hidden {
            arguments.push(HIDDEN.to_owned());
            arguments.extend(owned(WITHOUT_A_WINDOW));
            arguments.extend(screen_for(viewport));
            arguments.extend(owned(devices::arguments()));
        }
        arguments.extend(owned(Graphics::here().arguments()));
        arguments
    }

    /// What is changed in the environment of the browser.
    pub fn environment(self, window: Window) -> Vec<(&'static str, &'static str)> {
        if self == Self::Off {
            return Vec::new();
        }
        let mut changes = Graphics::here().environment(window);
        if window == Window::Headless {
            changes.extend(NO_DESKTOP);
        }
        changes
    }
}

/// The second is for versions that do not know the first.
fn screen_for(Viewport { width, height }: Viewport) -> [String; 2] {
    let wanted = (width + AROUND.0, height + AROUND.1);
    let fits = |screen: &&(u32, u32)| screen.0 >= wanted.0 && screen.1 >= wanted.1;
    let (width, height) = SCREENS.iter().find(fits).copied().unwrap_or(wanted);
    [
        format!("--screen-info={{{width}x{height} workAreaTop={DESKTOP_BAR}}}"),
        format!("--ozone-override-screen-size={width},{height}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_holds_the_window() {
        for (width, height, screen) in [
            (1280, 800, "1920x1080"),
            (1920, 840, "2560x1440"),
            (1280, 1080, "2560x1440"),
            (100, 4000, "7680x4320"),
            (8192, 8192, "8222x8432"),
        ] {
            let [given, _] = screen_for(Viewport { width, height });
            assert_eq!(given, format!("--screen-info={{{screen} workAreaTop=27}}"));
        }
    }

    #[test]
    fn nothing_is_done_when_it_is_off() {
        let arguments = |window| Stealth::Off.arguments(window, Viewport::USUAL);
        assert_eq!(arguments(Window::Headless), ["--hide-scrollbars", "--headless=new"]);
        assert_eq!(arguments(Window::Visible), ["--hide-scrollbars"]);
        assert!(Stealth::Off.environment(Window::Headless).is_empty());
    }

    #[test]
    fn a_window_that_is_seen_is_on_the_screen_that_is_there() {
        let arguments = Stealth::On.arguments(Window::Visible, Viewport::USUAL);
        assert!(!arguments.iter().any(|flag| flag.contains("screen") || flag.contains("headless")));
    }
}
