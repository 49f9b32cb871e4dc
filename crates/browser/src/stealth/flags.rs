//! The arguments that make a browser without a window like one with a window.

use super::{Graphics, Stealth};
use crate::launch::{Viewport, Window};

/// For pages on which nobody minds what they see.
const WHEN_OFF: &[&str] = &[
    // They would be in pictures of pages.
    "--hide-scrollbars",
];

const WHEN_ON: &[&str] = &[
    // Without it `navigator.webdriver` is true.
    "--disable-blink-features=AutomationControlled",
    // Between browsers only the address is told by which the network is reached anyway.
    "--webrtc-ip-handling-policy=default_public_interface_only",
];

const WITHOUT_A_WINDOW: &[&str] = &[
    // There would be no mouse for the styles of pages; these are what a desktop with a mouse has.
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--window-position=0,0",
];

/// Screens that people have. The first that holds the window is taken; without one it would be 800 × 600, smaller than
/// the window.
const SCREENS: &[(u32, u32)] = &[(1920, 1080), (2560, 1440), (3840, 2160), (7680, 4320)];

/// What a window has above its page, at most.
const BARS: u32 = 200;

impl Stealth {
    /// Arguments of the browser.
    pub fn arguments(self, window: Window, viewport: Viewport) -> Vec<String> {
        let owned = |flags: &[&str]| flags.iter().map(|&flag| flag.to_owned()).collect::<Vec<_>>();
        if self == Self::Off {
            let mut arguments = owned(WHEN_OFF);
            if window == Window::Headless {
                arguments.push("--headless=new".to_owned());
            }
            return arguments;
        }
        let mut arguments = owned(WHEN_ON);
        if window == Window::Headless {
            arguments.extend(owned(WITHOUT_A_WINDOW));
            arguments.extend(screen_for(viewport));
        }
        arguments.extend(owned(Graphics::here().arguments()));
        arguments
    }

    /// What is added to the environment of the browser.
    pub fn environment(self, window: Window) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::On => Graphics::here().environment(window),
            Self::Off => Vec::new(),
        }
    }
}

fn screen_for(Viewport { width, height }: Viewport) -> [String; 2] {
    let wanted = (width, height + BARS);
    let fits = |screen: &&(u32, u32)| screen.0 >= wanted.0 && screen.1 >= wanted.1;
    let (width, height) = SCREENS.iter().find(fits).copied().unwrap_or(wanted);
    if cfg!(target_os = "linux") {
        ["--ozone-platform=headless".to_owned(), format!("--ozone-override-screen-size={width},{height}")]
    } else {
        ["--headless=new".to_owned(), format!("--screen-info={{{width}x{height}}}")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_screen_holds_the_window() {
        for (width, height, screen) in [
            (1280, 800, "1920x1080"),
            (1920, 880, "1920x1080"),
            (1920, 1080, "2560x1440"),
            (100, 4000, "7680x4320"),
            (8192, 8192, "8192x8392"),
        ] {
            assert_eq!(screen_for(Viewport { width, height }), format!("--screen-info={{{screen}}}"));
        }
    }

    #[test]
    fn nothing_is_done_when_it_is_off() {
        let arguments = Stealth::Off.arguments(Window::Headless, Viewport::USUAL);
        assert_eq!(arguments, ["--hide-scrollbars"]);
        assert!(Stealth::Off.environment(Window::Headless).is_empty());
    }
}
