//! The settings of browsers.

use std::path::{Path, PathBuf};

use deskhand_browser::{Config, launch::Window, stealth::Stealth};
use deskhand_guard::Outbound;
use serde_json::{Value, json};

use super::{
    Settings,
    known::{Known, a_bool, is},
};

pub(super) const KNOWN: &[Known] = &[
    Known {
        key: "browser.path",
        about: "The program of the browser to start, as an absolute path; empty: the first one that is found",
        default: || json!(""),
        check: |value| {
            is(
                value.as_str().is_some_and(|path| path.is_empty() || Path::new(path).is_absolute()),
                "an absolute path",
            )
        },
        tightens: stays,
    },
    Known {
        key: "browser.attach",
        about: "The address of a running browser's debugger (http://127.0.0.1:9222) to use instead of starting one",
        default: || json!(""),
        check: |value| {
            let known =
                |text: &str| text.is_empty() || text.starts_with("http://") || text.starts_with("ws://");
            is(value.as_str().is_some_and(known), "an http: or ws: address")
        },
        tightens: stays,
    },
    Known {
        key: "browser.headless",
        about: "Whether browsers are started without a window",
        default: || json!(true),
        check: a_bool,
        tightens: stays,
    },
    Known {
        key: "browser.stealth",
        about: "Whether pages meet an ordinary browser, rather than one that shows in small things that a program uses it",
        default: || json!(true),
        check: a_bool,
        tightens: stays,
    },
    Known {
        key: "browser.api_port",
        about: "The port of this machine where `deskhand serve` answers /api/browser/*, too (8765 is where callers of SkillMint expect it); 0: none",
        default: || json!(0),
        check: |value| is(value.as_u64().is_some_and(|port| port <= 65_535), "a port, or 0 for none"),
        tightens: stays,
    },
];

/// What a workspace brings along has no say in which program runs.
fn stays(old: &Value, new: &Value) -> bool {
    old == new
}

impl Settings {
    /// Where the browser's routes are to be answered, too.
    pub fn browser_api_port(&self) -> Option<u16> {
        let port = self.value("browser.api_port").as_u64().and_then(|port| u16::try_from(port).ok());
        port.filter(|port| *port != 0)
    }

    /// What browsers are started with, and where they may go.
    pub fn browsers(&self, data_dir: &Path, outbound: Outbound) -> Config {
        let text = |key| self.value(key).as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let is_on = |key| self.value(key).as_bool().unwrap_or(true);
        let mut config = Config::new(data_dir.join("browser"));
        config.path = text("browser.path").map(PathBuf::from);
        config.attach = text("browser.attach");
        config.outbound = outbound;
        config.options.window = if is_on("browser.headless") { Window::Headless } else { Window::Visible };
        config.options.stealth = if is_on("browser.stealth") { Stealth::On } else { Stealth::Off };
        config
    }
}
