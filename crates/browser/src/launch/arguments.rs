//! The arguments that a browser is started with.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stealth::Stealth;

/// The size of the page, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Viewport {
    #[schemars(range(min = 100, max = 8192))]
    pub width: u32,
    #[schemars(range(min = 100, max = 8192))]
    pub height: u32,
}

impl Viewport {
    pub const USUAL: Self = Self { width: 1280, height: 800 };
}

/// Whether somebody sees the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    Headless,
    Visible,
}

/// How much higher a window is than its page. Only where that is wrong, the window is set right once it is there.
const FRAME_HEIGHT: u32 = 87;

/// What is switched off whoever asks: traffic of the browser's own, questions to a person who is not there, and what
/// makes pages behave otherwise in the background.
const ALWAYS: &[&str] = &[
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    // What is typed or clicked before a page was first painted counts as well.
    "--allow-pre-commit-input",
    "--disable-session-crashed-bubble",
    "--hide-crash-restore-bubble",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-features=Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
    "--metrics-recording-only",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
];

/// All arguments, the first page last.
pub fn arguments(profile: &Path, window: Window, viewport: Viewport, stealth: Stealth) -> Vec<String> {
    let mut arguments: Vec<String> = ALWAYS.iter().map(|&flag| flag.to_owned()).collect();
    arguments.push(format!("--user-data-dir={}", profile.display()));
    arguments.push(format!("--window-size={},{}", viewport.width, viewport.height + FRAME_HEIGHT));
    if without_sandbox() {
        arguments.push("--no-sandbox".to_owned());
    }
    if cfg!(target_os = "linux") && !has_shared_memory() {
        arguments.push("--disable-dev-shm-usage".to_owned());
    }
    arguments.extend(stealth.arguments(window, viewport));
    arguments.push("about:blank".to_owned());
    arguments
}

/// Chromium does not start as root with its own sandbox. Only then it goes without.
#[cfg(unix)]
pub fn without_sandbox() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
pub fn without_sandbox() -> bool {
    false
}

/// In many containers `/dev/shm` has 64 MB, and pages crash when it is full.
fn has_shared_memory() -> bool {
    const ENOUGH: u64 = 512 << 20;
    #[cfg(target_os = "linux")]
    {
        rustix::fs::statvfs("/dev/shm").is_ok_and(|shm| shm.f_frsize * shm.f_blocks >= ENOUGH)
    }
    #[cfg(not(target_os = "linux"))]
    {
        ENOUGH > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_in_it_and_nothing_tells_of_automation() {
        let arguments = |window, stealth| {
            arguments(Path::new("/p/x y"), window, Viewport { width: 800, height: 600 }, stealth)
        };
        let hidden = arguments(Window::Headless, Stealth::Off);
        for flag in
            ["--user-data-dir=/p/x y", "--window-size=800,687", "--headless=new", "--remote-debugging-pipe"]
        {
            assert!(hidden.iter().any(|given| given == flag), "{flag}");
        }
        for stealth in [Stealth::On, Stealth::Off] {
            let visible = arguments(Window::Visible, stealth);
            assert!(!visible.iter().any(|flag| flag.contains("headless")), "{visible:?}");
            for given in [visible, arguments(Window::Headless, stealth)] {
                let tells =
                    |flag: &String| flag.contains("enable-automation") || flag.contains("debugging-port");
                assert!(!given.iter().any(tells), "{given:?}");
            }
        }
        assert_eq!(hidden.iter().any(|flag| flag == "--no-sandbox"), without_sandbox());
        assert_eq!(hidden.last().unwrap(), "about:blank");
    }
}
