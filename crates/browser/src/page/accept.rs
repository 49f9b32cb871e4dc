//! A yes to a dialog that the next act may open: for this call, in its tab, once.

use std::time::Duration;

use super::{Page, PageError};
use crate::tab::{BadMessage, Expected, Message, NOT_OPENED};

/// How long a dialog that is expected may take to open. Pages like to ask their servers first.
const PATIENCE: Duration = Duration::from_secs(1);

/// A yes that waits for its dialog. It is gone with this, however the call ends; then every dialog gets a no again.
pub struct Accepting<'a> {
    page: &'a Page,
}

impl Page {
    /// From here on a dialog of the page that is open, with exactly this message, gets a yes: a `prompt` with `text`, without
    /// one a `confirm`.
    pub fn accept(&self, message: &str, text: Option<String>) -> Result<Accepting<'_>, PageError> {
        let message = Message::new(message)?;
        let targets = self.browser.targets();
        let expected = |tab: &mut crate::tab::Tab| {
            let expected = Expected::new(message, text, tab.url());
            tab.dialogs.expect(expected);
        };
        targets.change(|state| state.tab_mut(&self.target).map(expected)).ok_or(PageError::TabClosed)?;
        Ok(Accepting { page: self })
    }
}

impl Accepting<'_> {
    /// Waits until the dialog was there, for a moment.
    pub async fn until_it_came(&self) -> Result<(), PageError> {
        match self.page.wait_for(PATIENCE, |tab| (!tab.dialogs.expects()).then_some(())).await {
            // A tab that was closed by the act is told of by what comes next.
            Ok(()) | Err(PageError::TimedOut { .. } | PageError::TabClosed) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The act is done. That there was no such dialog is told.
    pub fn end(self) {
        self.page.browser.targets().change(|state| {
            let tab = state.tab_mut(&self.page.target);
            if tab.is_some_and(|tab| tab.dialogs.expect_none().is_some()) {
                state.notices.add(NOT_OPENED);
            }
        });
    }
}

impl Drop for Accepting<'_> {
    fn drop(&mut self) {
        self.page.browser.targets().change(|state| {
            state.tab_mut(&self.page.target).map(|tab| tab.dialogs.expect_none());
        });
    }
}

impl From<BadMessage> for PageError {
    fn from(bad: BadMessage) -> Self {
        Self::Invalid { code: "dialog_message", message: bad.to_string() }
    }
}
