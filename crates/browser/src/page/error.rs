//! Why something on a page did not work.

use std::time::Duration;

use deskhand_core::{Status, ToolError};
use deskhand_guard::outbound::Refused;

use crate::{cdp::CdpError, launch::LaunchError};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the browser is gone: {0}")]
    BrowserGone(String),
    #[error("the tab was closed")]
    TabClosed,
    #[error("the page has crashed")]
    Crashed,
    #[error("{doing} took longer than {} ms", limit.as_millis())]
    TimedOut { doing: String, limit: Duration },
    /// The page was not reached: no such host, refused, a bad certificate, …
    #[error("{url} could not be loaded: {why}")]
    NotLoaded { url: String, why: String },
    /// The outbound guard did not let it through, at this address or where it led to.
    #[error("{url} could not be loaded: {refused}")]
    Blocked { url: String, refused: Refused },
    /// The script threw.
    #[error("the script failed: {0}")]
    Script(String),
    /// It cannot be read as one; nothing of it ran.
    #[error("the script failed: {0}")]
    NoScript(String),
    /// The page was left, and nothing of the script ran.
    #[error("the page was left before the script ran")]
    Left,
    /// The element, or the point, cannot be acted on; with a code for programs.
    #[error("{message}")]
    Element { code: &'static str, message: String, hint: String },
    /// What the caller gave makes no sense here.
    #[error("{message}")]
    Invalid { code: &'static str, message: String },
    #[error("the browser refused: {0}")]
    Refused(String),
}

impl From<CdpError> for PageError {
    fn from(error: CdpError) -> Self {
        match error {
            CdpError::Closed(why) => Self::BrowserGone(why),
            CdpError::TimedOut { method, limit } => Self::TimedOut { doing: method, limit },
            refused => Self::Refused(refused.to_string()),
        }
    }
}

impl From<PageError> for ToolError {
    fn from(error: PageError) -> Self {
        let mut message = error.to_string();
        // An address is given as it is.
        let begins_with_address = message.split(' ').next().is_some_and(|word| word.contains("://"));
        if let Some(first) = message.get(..1).filter(|_| !begins_with_address) {
            message = first.to_uppercase() + &message[1..];
        }
        if !message.ends_with('.') {
            message.push('.');
        }
        match error {
            PageError::Cancelled => Self::cancelled(),
            PageError::BrowserGone(_) => {
                Self::new("browser_gone", message).hint("The next call starts a new one; navigate again.")
            }
            PageError::TabClosed => {
                Self::new("tab_closed", message).hint("browser_tabs lists those that are open.")
            }
            PageError::Crashed => Self::new("page_crashed", message).hint("Navigate again to go on."),
            PageError::TimedOut { .. } => {
                Self { status: Status::TimedOut, ..Self::new("timed_out", message) }.hint(
                    "The page may still be loading: browser_get_state tells; browser_wait_for waits longer.",
                )
            }
            PageError::NotLoaded { .. } => Self::new("page_not_loaded", message).hint("Check the address."),
            PageError::Blocked { refused, .. } => Self::blocked(refused.rule(), message),
            PageError::Script(_) | PageError::NoScript(_) => Self::new("script_failed", message),
            PageError::Left => Self::plan_changed(message),
            PageError::Element { code, hint, .. } if hint.is_empty() => Self::new(code, message),
            PageError::Element { code, hint, .. } => Self::new(code, message).hint(hint),
            PageError::Invalid { code, .. } => Self::invalid(code, message),
            PageError::Refused(_) => Self::new("browser_refused", message),
        }
    }
}

impl From<LaunchError> for ToolError {
    fn from(error: LaunchError) -> Self {
        let code = match error {
            LaunchError::NoBrowser | LaunchError::Unusable { .. } => "no_browser",
            LaunchError::InUse { .. } => "profile_in_use",
            _ => "browser_not_started",
        };
        let message = error.to_string();
        let capital: String =
            message.chars().take(1).flat_map(char::to_uppercase).chain(message.chars().skip(1)).collect();
        Self::new(code, capital + ".").hint(error.remedy())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_there_is_no_browser_is_told_with_what_to_do() {
        let path = std::path::PathBuf::from("/nothing/here");
        let unusable =
            LaunchError::Unusable { path: path.clone(), why: "there is no such program".to_owned() };
        let not_started = LaunchError::NotStarted { path, error: std::io::Error::other("it is broken") };
        for (error, code, begins, remedy) in [
            (LaunchError::NoBrowser, "no_browser", "No browser was found.", "apt install chromium"),
            (unusable, "no_browser", "The browser at /nothing/here (setting", "Set browser.path"),
            (not_started, "browser_not_started", "/nothing/here could not be started", "by hand"),
            (
                LaunchError::InUse { name: "mine".to_owned() },
                "profile_in_use",
                "The profile «mine»",
                "another profile",
            ),
        ] {
            let told = ToolError::from(error);
            assert_eq!(told.code, code);
            assert!(told.message.starts_with(begins), "{}", told.message);
            assert!(told.hint.as_deref().is_some_and(|hint| hint.contains(remedy)), "{:?}", told.hint);
        }
    }
}
