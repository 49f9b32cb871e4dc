//! Looking like the browser that it is: what automation would show is switched off, and nothing is patched that a page
//! could catch as patched.
//!
//! There are two places where something can be done: the arguments of the browser, and what each target gets before any
//! of its own code runs ([`Stealth::prepare`]). Both are empty when it is off.

use serde_json::json;

use crate::cdp::Session;

/// Whether pages are kept from seeing that nobody sits here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stealth {
    #[default]
    On,
    Off,
}

/// What a target is, as far as this matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Page,
    Frame,
    Worker,
}

/// The browser's own words about itself, once they are known.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The user agent without what tells that the browser has no window.
    pub user_agent: String,
}

impl Identity {
    /// From what `Browser.getVersion` says.
    pub fn of(user_agent: &str) -> Self {
        Self { user_agent: user_agent.replace("HeadlessChrome/", "Chrome/") }
    }
}

impl Stealth {
    /// Arguments of the browser.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            // Without it `navigator.webdriver` is true.
            Self::On => &["--disable-blink-features=AutomationControlled"],
            Self::Off => &[],
        }
    }

    /// Prepares a target that waits: all of it is posted before it is let run, so that nothing of the page comes first.
    pub fn prepare(self, session: &Session, kind: Kind, identity: &Identity) {
        if self == Self::On && !identity.user_agent.is_empty() {
            let domain = if kind == Kind::Worker { "Network" } else { "Emulation" };
            let user_agent = json!({"userAgent": identity.user_agent});
            session.post(&format!("{domain}.setUserAgentOverride"), &user_agent);
        }
    }
}
