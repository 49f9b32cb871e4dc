//! Going to an address, and waiting honestly until the page is there.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use url::Url;

use super::{Page, PageError};
use crate::{
    cdp::Session,
    proxy::Why,
    tab::{Frame, Tab},
};

/// How long a page may take to be kept from opening dialogs.
const QUIETING: Duration = Duration::from_secs(2);

/// A navigation that has not come to a document yet. One that nobody waits for any more is stopped: as long as it is under
/// way, the page that is there answers nothing.
struct UnderWay<'a>(&'a Session);

impl UnderWay<'_> {
    fn has_arrived(self) {
        std::mem::forget(self);
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.post("Page.stopLoading", &json!({}));
    }
}

/// When a page counts as loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitUntil {
    /// The document and everything that it needs.
    #[default]
    Load,
    /// The document has been read.
    Dom,
    /// Nothing was fetched for half a second.
    NetworkIdle,
    /// The first bytes are there.
    Commit,
}

impl WaitUntil {
    fn is_reached(self, frame: &Frame) -> bool {
        match self {
            Self::Load => frame.reached.load,
            Self::Dom => frame.reached.dom,
            Self::NetworkIdle => frame.reached.load && frame.reached.network_idle,
            Self::Commit => true,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Dom => "its document",
            Self::NetworkIdle => "a quiet network",
            Self::Commit => "its first bytes",
        }
    }
}

/// Where a navigation led.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Navigated {
    pub url: String,
    pub title: String,
    /// The status of the answer, where it came over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The address began a download, and the page stayed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub download: bool,
}

impl Page {
    /// Goes to an address.
    pub async fn navigate(
        &self,
        url: &str,
        until: WaitUntil,
        limit: Duration,
    ) -> Result<Navigated, PageError> {
        let begun = Instant::now();
        let failures = self.browser.proxy().map(|proxy| proxy.log().mark()).unwrap_or_default();
        // A page that crashed is left this way.
        self.change_tab(|tab| tab.crashed = false);
        self.listen_for_answers().await?;
        self.quiet_dialogs().await?;
        let under_way = UnderWay(&self.session);
        let answer = match self.call_within(limit, "Page.navigate", json!({"url": url})).await {
            Err(PageError::TimedOut { .. }) => return Err(give_up(url, until, limit)),
            answer => answer?,
        };
        under_way.has_arrived();
        if answer["isDownload"] == true {
            return Ok(Navigated { download: true, ..self.here().await? });
        }
        if let Some(why) = answer["errorText"].as_str().filter(|why| !why.is_empty()) {
            return Err(self.not_loaded(url, why, failures));
        }
        // Without one it stayed in the same document.
        if let Some(loader) = answer["loaderId"].as_str() {
            self.wait_for_document(Some(loader), until, left(begun, limit)).await.map_err(
                |error| match error {
                    PageError::TimedOut { .. } => give_up(url, until, limit),
                    other => other,
                },
            )?;
        }
        self.leave_what_is_refused(url).await?;
        self.here().await
    }

    /// A browser that was attached to goes its own ways; that of a document is looked at.
    async fn listen_for_answers(&self) -> Result<(), PageError> {
        if self.browser.proxy().is_some() {
            return Ok(());
        }
        self.change_tab(|tab| tab.answered = None);
        self.call("Network.enable", json!({})).await.map(drop)
    }

    /// Leaves a document that came from an address where nobody said that it may be gone to.
    async fn leave_what_is_refused(&self, url: &str) -> Result<(), PageError> {
        let Some(answered) = self.tab(|tab| tab.answered.clone())? else { return Ok(()) };
        let Ok(from) = Url::parse(&answered.url) else { return Ok(()) };
        let judged = self.browser.outbound().judge_answer(&from, answered.address, self.browser.allowed());
        let Err(refused) = judged else { return Ok(()) };
        self.call("Page.navigate", json!({"url": "about:blank"})).await?;
        Err(PageError::Blocked { url: url.to_owned(), refused })
    }

    /// Why an address could not be loaded: where it was not let through, or not reached, the browser does not know.
    fn not_loaded(&self, url: &str, code: &str, failures: u64) -> PageError {
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let url = url.to_owned();
        match self.browser.proxy().and_then(|proxy| proxy.log().why_since(failures, &host, code)) {
            Some(Why::Refused(refused)) => PageError::Blocked { url, refused },
            Some(other) => PageError::NotLoaded { url, why: other.words() },
            None => PageError::NotLoaded { url, why: explain(code) },
        }
    }

    /// Loads the page anew.
    pub async fn reload(&self, until: WaitUntil, limit: Duration) -> Result<Navigated, PageError> {
        let before = self.tab(loader)?;
        self.quiet_dialogs().await?;
        self.note_reload().await?;
        self.call_within(limit, "Page.reload", json!({})).await?;
        self.wait_for_another(&before, until, limit).await?;
        self.here().await
    }

    /// Waits until another document than `before` is there, and as far as asked.
    pub(super) async fn wait_for_another(
        &self,
        before: &str,
        until: WaitUntil,
        limit: Duration,
    ) -> Result<(), PageError> {
        let another = |tab: &Tab| (loader(tab) != before).then(|| loader(tab));
        let begun = Instant::now();
        let named = |error| match error {
            PageError::TimedOut { .. } => {
                give_up(&self.tab(|tab| tab.url().to_owned()).unwrap_or_default(), until, limit)
            }
            other => other,
        };
        let under_way = UnderWay(&self.session);
        self.wait_for(limit, another).await.map_err(named)?;
        under_way.has_arrived();
        self.wait_for_document(None, until, left(begun, limit)).await.map_err(named)
    }

    /// Waits until the tab has the document `loader`, or one that came after it, and that is as far as asked.
    async fn wait_for_document(
        &self,
        loader: Option<&str>,
        until: WaitUntil,
        limit: Duration,
    ) -> Result<(), PageError> {
        let first_generation = self.tab(|tab| tab.main_frame().map_or(0, |frame| frame.generation))?;
        let reached = |tab: &Tab| {
            let frame = tab.main_frame()?;
            // A page that leads on at once is followed.
            let is_it =
                loader.is_none_or(|loader| frame.loader == loader || frame.generation > first_generation);
            (is_it && until.is_reached(frame)).then_some(())
        };
        self.wait_for(limit, reached).await
    }

    /// Before a page is left that has opened dialogs: it opens no more. One that comes while the browser is between two
    /// documents can be answered by nobody, and holds up both.
    pub(super) async fn quiet_dialogs(&self) -> Result<(), PageError> {
        const QUIET: &str = "for (const w of [window, ...Array.from(frames)]) \
            try { w.alert = w.confirm = w.prompt = () => null } catch {}";
        if !self.tab(Tab::has_asked)? {
            return Ok(());
        }
        // What stops the page's code at its dialogs may stop this, too. Where it cannot be done, the page is left all the same.
        for _ in 0..3 {
            let params = json!({"expression": QUIET});
            if !matches!(
                self.call_within(QUIETING, "Runtime.evaluate", params).await,
                Err(PageError::Refused(_))
            ) {
                break;
            }
        }
        Ok(())
    }

    /// Where the tab is now.
    pub async fn here(&self) -> Result<Navigated, PageError> {
        // The event that tells of a change within the document may come later than this is asked.
        let seen = self.ask(None, "page_facts", &Value::Null).await?;
        let status = seen["status"]
            .as_u64()
            .and_then(|status| u16::try_from(status).ok())
            .filter(|&status| status > 0);
        let text = |key: &str| seen[key].as_str().unwrap_or_default().to_owned();
        let (url, title) = (text("url"), text("title"));
        Ok(Navigated { url, title, status, download: false })
    }
}

impl Page {
    pub(super) fn change_tab(&self, change: impl FnOnce(&mut Tab)) {
        self.browser.targets().change(|state| state.tab_mut(&self.target).map(change));
    }
}

fn loader(tab: &Tab) -> String {
    tab.main_frame().map(|frame| frame.loader.clone()).unwrap_or_default()
}

fn left(begun: Instant, limit: Duration) -> Duration {
    limit.saturating_sub(begun.elapsed())
}

/// The browser's code for what went wrong, and what it means.
fn explain(code: &str) -> String {
    let words = match code {
        "net::ERR_NAME_NOT_RESOLVED" => "there is no host of that name",
        "net::ERR_CONNECTION_REFUSED" => "nothing answers at that port",
        "net::ERR_CONNECTION_TIMED_OUT" | "net::ERR_TIMED_OUT" => "it does not answer",
        "net::ERR_INTERNET_DISCONNECTED" | "net::ERR_ADDRESS_UNREACHABLE" => "there is no way to it",
        "net::ERR_ABORTED" => "the browser stopped it (a download, an empty answer, or another navigation)",
        "net::ERR_TOO_MANY_REDIRECTS" => "it redirects without end",
        "net::ERR_INVALID_URL" => "that is no address",
        code if code.starts_with("net::ERR_CERT") || code.starts_with("net::ERR_SSL") => {
            "its certificate is not good"
        }
        _ => return code.to_owned(),
    };
    format!("{words} ({code})")
}

fn give_up(url: &str, until: WaitUntil, limit: Duration) -> PageError {
    PageError::TimedOut { doing: format!("{url}: waiting for {}", until.words()), limit }
}
