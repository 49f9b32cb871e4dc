//! Opening, choosing and closing tabs.

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Page, PageError};
use crate::{
    browser::Browser,
    cdp::Connection,
    tab::{State, Tab},
};

impl Page {
    /// Opens an empty tab, which is the current one from here on.
    pub async fn new_tab(&self) -> Result<(), PageError> {
        let target = open(&self.browser, &self.cancel).await?;
        self.browser.targets().change(|state| state.make_current(&target));
        Ok(())
    }

    /// Makes a tab the current one.
    pub async fn select_tab(&self, number: u32) -> Result<(), PageError> {
        if !self.browser.targets().change(|state| state.select(number)) {
            return Err(no_such_tab(number));
        }
        let target = self.target_of(|tab| tab.number == number).ok_or_else(|| no_such_tab(number))?;
        self.on_browser("Target.activateTarget", json!({"targetId": target})).await.map(drop)
    }

    /// Closes a tab, or this one.
    pub async fn close_tab(&self, number: Option<u32>) -> Result<(), PageError> {
        let wanted = |tab: &Tab| number.map_or(tab.target == self.target, |number| tab.number == number);
        let target = self.target_of(wanted).ok_or_else(|| no_such_tab(number.unwrap_or_default()))?;
        // With its last tab a browser would end.
        if self.browser.targets().look().tabs.len() == 1 {
            open(&self.browser, &self.cancel).await?;
        }
        self.on_browser("Target.closeTarget", json!({"targetId": target})).await?;
        self.until(|state| state.tab(&target).is_none()).await
    }

    fn target_of(&self, wanted: impl Fn(&Tab) -> bool) -> Option<String> {
        self.browser.targets().look().tabs.iter().find(|tab| wanted(tab)).map(|tab| tab.target.clone())
    }

    async fn on_browser(
        &self,
        method: &str,
        params: serde_json::Value,
    ) -> Result<serde_json::Value, PageError> {
        let browser = self.browser.session();
        Ok(super::unless_cancelled(&self.cancel, browser.call(method, params)).await??)
    }

    async fn until(&self, wanted: impl Fn(&State) -> bool) -> Result<(), PageError> {
        let connection = self.browser.connection();
        let seen = self
            .browser
            .targets()
            .wait_for(connection, Connection::USUAL, &self.cancel, |state| wanted(state).then_some(()));
        Ok(seen.await?)
    }
}

/// Opens an empty tab, and waits until its page is there: of a navigation that comes before, the browser may not tell where
/// it led. Its target.
pub(super) async fn open(browser: &Browser, cancel: &CancellationToken) -> Result<String, PageError> {
    let session = browser.session();
    let opens = session.call("Target.createTarget", json!({"url": "about:blank"}));
    let opened = super::unless_cancelled(cancel, opens).await??;
    let target = opened["targetId"].as_str().unwrap_or_default().to_owned();
    let is_there = |state: &State| state.tab(&target)?.main_frame()?.reached.load.then_some(());
    browser.targets().wait_for(browser.connection(), Connection::USUAL, cancel, is_there).await?;
    browser.targets().change(|state| state.is_ours(&target));
    Ok(target)
}

fn no_such_tab(number: u32) -> PageError {
    let hint = "browser_tabs lists those that are open.".to_owned();
    PageError::Element { code: "no_such_tab", message: format!("there is no tab {number}"), hint }
}
