//! Back and forward, and where a tab is.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use url::Url;

use super::{Navigated, Page, PageError, WaitUntil};

/// How long a page may be on its way from one site to another.
const SETTLING: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(20);

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Back,
    Forward,
}

impl Page {
    /// Goes one page back or forward.
    pub async fn step(&self, step: Step, until: WaitUntil, limit: Duration) -> Result<Navigated, PageError> {
        let (history, at) = self.history().await?;
        let to = match step {
            Step::Back => at.checked_sub(1),
            Step::Forward => Some(at + 1),
        };
        let entry = to.and_then(|to| history["entries"].get(to)).cloned();
        let Some(entry) = entry else {
            let (code, message) = match step {
                Step::Back => ("no_page_before", "there is no page to go back to"),
                Step::Forward => ("no_page_after", "there is no page to go forward to"),
            };
            let hint = "browser_get_state shows the history.".to_owned();
            return Err(PageError::Element { code, message: message.to_owned(), hint });
        };
        let wanted = entry["url"].as_str().unwrap_or_default().to_owned();
        let before =
            self.tab(|tab| tab.main_frame().map(|frame| frame.loader.clone()).unwrap_or_default())?;
        self.quiet_dialogs().await?;
        self.call("Page.navigateToHistoryEntry", json!({"entryId": entry["id"]})).await?;
        // Within one document only the address changes; else another document comes, or comes back out of the cache.
        let arrived = |tab: &crate::tab::Tab| {
            let frame = tab.main_frame()?;
            (frame.loader != before || frame.url == wanted).then(|| frame.loader != before)
        };
        if self.wait_for(limit, arrived).await? && !self.came_back_whole().await {
            self.wait_for_another(&before, until, limit).await?;
        }
        self.here().await
    }

    /// Waits until the tab is known to be where the browser itself says that it is. Both move while a page is left; and of a
    /// tab that is new the events come in any order, so at last the browser is believed.
    pub async fn catch_up(&self) -> Result<(), PageError> {
        let site =
            |url: &str| Url::parse(url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        let begun = Instant::now();
        loop {
            let told = self.call("Target.getTargetInfo", json!({"targetId": self.target})).await?;
            let there = told["targetInfo"]["url"].as_str().unwrap_or_default();
            if self.tab(|tab| site(tab.url()) == site(there))? {
                return Ok(());
            }
            if begun.elapsed() > SETTLING {
                self.change_tab(|tab| {
                    if let Some(frame) = tab.frames.get_mut(&self.target) {
                        there.clone_into(&mut frame.url);
                    }
                });
                return Ok(());
            }
            self.pause(PAUSE).await?;
        }
    }

    /// Whether to load the page anew sends a form again: the browser does not ask, as it would ask a person.
    pub async fn reload_sends(&self) -> Result<bool, PageError> {
        let (entry, kind) = match self.entry().await {
            // Another page is on its way, and nobody knows which.
            Err(PageError::Refused(_)) => return Ok(true),
            entry => entry?,
        };
        let reloaded = self.tab(|tab| tab.reloaded)?;
        // What was loaded anew says only that, and no more what it was before.
        Ok(kind == "form_submit" || (kind == "reload" && reloaded != Some(entry)))
    }

    /// The history, and where in it the tab is. While one document takes the place of another, the browser refuses to say.
    async fn history(&self) -> Result<(Value, usize), PageError> {
        let begun = Instant::now();
        loop {
            match self.call("Page.getNavigationHistory", json!({})).await {
                Err(PageError::Refused(_)) if begun.elapsed() < SETTLING => self.pause(PAUSE).await?,
                history => {
                    let history = history?;
                    let at = history["currentIndex"].as_u64().and_then(|at| usize::try_from(at).ok());
                    return Ok((history, at.unwrap_or(0)));
                }
            }
        }
    }

    /// The entry of the history that is shown, and how it came to be.
    async fn entry(&self) -> Result<(i64, String), PageError> {
        let (history, at) = self.history().await?;
        let entry = &history["entries"][at];
        let kind = entry["transitionType"].as_str().unwrap_or_default().to_owned();
        Ok((entry["id"].as_i64().unwrap_or_default(), kind))
    }

    /// The entry that is shown is no answer to a form, and is about to be loaded anew.
    pub(super) async fn note_reload(&self) -> Result<(), PageError> {
        if !self.reload_sends().await? {
            let (entry, _) = self.entry().await?;
            self.change_tab(|tab| tab.reloaded = Some(entry));
        }
        Ok(())
    }

    /// A document out of the cache for back and forward is complete, and no event says so.
    async fn came_back_whole(&self) -> bool {
        let facts = self.ask(None, "page_facts", &Value::Null).await;
        facts.is_ok_and(|facts| facts["ready"] == "complete")
    }
}
