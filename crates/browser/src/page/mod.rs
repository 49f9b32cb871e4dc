//! What is done on a page.
//!
//! A [`Page`] is a tab in the hands of one call. Code of the person or the model runs in the page's own world
//! ([`evaluate`]); our own code runs in a world that the page does not see. `Runtime.enable` is never sent: pages can
//! tell.

mod accept;
mod aim;
mod document;
mod element;
mod error;
mod evaluate;
mod files;
mod history;
mod inject;
mod keys;
mod mouse;
mod navigate;
mod press;
mod reading;
mod screenshot;
mod settle;
mod snapshot;
mod state;
mod tabs;
mod wait;
mod world;

use std::{future::Future, sync::Arc, time::Duration};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use self::{
    accept::Accepting,
    aim::Seen,
    element::{Aimed, Found, Target},
    error::PageError,
    history::Step,
    keys::{Key, Modifiers},
    mouse::Point,
    navigate::{Navigated, WaitUntil},
    press::chord,
    screenshot::{Picture, What},
    snapshot::{Snapshot, SnapshotAsk},
    state::PageState,
    wait::ElementState,
};
use crate::{
    browser::{Browser, Turn},
    cdp::{Connection, Session},
    tab::{State, Tab, Waited},
};

/// A tab in the hands of one call.
pub struct Page {
    browser: Arc<Browser>,
    target: String,
    session: Session,
    cancel: CancellationToken,
    /// The browser is this call's until then.
    _turn: Turn,
}

impl Page {
    /// The current tab of a browser, once it is this call's turn. Where the last tab was closed, a new one opens.
    pub async fn take(browser: Arc<Browser>, cancel: CancellationToken) -> Result<Self, PageError> {
        let turn = turn(&browser, &cancel).await?;
        let found = current(&browser.targets().look());
        let (target, session) = if let Some(found) = found {
            found
        } else {
            let target = tabs::open(&browser, &cancel).await?;
            browser.targets().change(|state| state.make_current(&target));
            let opened = current(&browser.targets().look());
            opened.ok_or(PageError::TabClosed)?
        };
        let session = Session::of(browser.connection().clone(), session);
        // A tab that is used is the one that is seen, and has the focus; in a new one the address bar has it.
        let comes_to_the_front = browser.targets().change(|state| {
            state.tab_mut(&target).into_iter().for_each(|tab| tab.used = true);
            state.front.replace(target.clone()) != Some(target.clone())
        });
        if comes_to_the_front {
            session.post("Page.bringToFront", &serde_json::json!({}));
        }
        Ok(Self { browser, target, session, cancel, _turn: turn })
    }

    /// The current tab as it is, only to be looked at: it is not brought to the front, and where there is none, none opens.
    pub async fn look(browser: Arc<Browser>, cancel: CancellationToken) -> Result<Option<Self>, PageError> {
        let turn = turn(&browser, &cancel).await?;
        let Some((target, session)) = current(&browser.targets().look()) else { return Ok(None) };
        let session = Session::of(browser.connection().clone(), session);
        Ok(Some(Self { browser, target, session, cancel, _turn: turn }))
    }

    pub fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// What is known of the tab, looked at for a moment.
    pub fn tab<T>(&self, look: impl FnOnce(&Tab) -> T) -> Result<T, PageError> {
        self.browser.targets().look().tab(&self.target).map(look).ok_or(PageError::TabClosed)
    }

    /// A command to the tab, within the usual time, unless the call is cancelled.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value, PageError> {
        self.call_within(Connection::USUAL, method, params).await
    }

    pub async fn call_within(
        &self,
        limit: Duration,
        method: &str,
        params: Value,
    ) -> Result<Value, PageError> {
        self.call_on(&self.session, limit, method, params).await
    }

    async fn call_on(
        &self,
        session: &Session,
        limit: Duration,
        method: &str,
        params: Value,
    ) -> Result<Value, PageError> {
        if self.tab(|tab| tab.crashed)? {
            return Err(PageError::Crashed);
        }
        let answer = tokio::select! {
            answer = unless_cancelled(&self.cancel, session.call_within(limit, method, params)) => answer?,
            gone = self.until_gone(session) => return Err(gone),
        };
        // A page that crashes under a command does not answer, or not with what was asked.
        answer.map_err(|error| match self.tab(|tab| tab.crashed) {
            Ok(true) => PageError::Crashed,
            _ => error.into(),
        })
    }

    /// Waits until a session is gone, with its tab or its frame: what it was asked then is answered by nobody.
    async fn until_gone(&self, session: &Session) -> PageError {
        let Some(id) = session.id() else { return std::future::pending().await };
        self.browser.targets().until(|state| !state.has_session(id)).await;
        let gone = self.tab(|_| PageError::Refused("the frame is gone".to_owned()));
        gone.unwrap_or_else(|closed| closed)
    }

    /// Waits until the tab is as `wanted` says.
    async fn wait_for<T>(&self, limit: Duration, wanted: impl Fn(&Tab) -> Option<T>) -> Result<T, PageError> {
        enum Seen<T> {
            Wanted(T),
            Gone(PageError),
        }
        let look = |state: &State| match state.tab(&self.target) {
            None => Some(Seen::Gone(PageError::TabClosed)),
            Some(tab) if tab.crashed => Some(Seen::Gone(PageError::Crashed)),
            Some(tab) => wanted(tab).map(Seen::Wanted),
        };
        let targets = self.browser.targets();
        match targets.wait_for(self.browser.connection(), limit, &self.cancel, look).await? {
            Seen::Wanted(found) => Ok(found),
            Seen::Gone(error) => Err(error),
        }
    }

    /// What happened meanwhile; told once.
    pub fn notices(&self) -> Vec<String> {
        let mut notices = self.browser.targets().change(|state| state.notices.take());
        let (refused, more) = self.browser.proxy().map(|proxy| proxy.log().untold()).unwrap_or_default();
        notices.extend(refused.iter().map(|refused| format!("The page wanted more: {refused}.")));
        notices.extend(
            (more > 0).then(|| format!("The page wanted more: {more} other hosts were refused, too.")),
        );
        notices
    }
}

async fn turn(browser: &Browser, cancel: &CancellationToken) -> Result<Turn, PageError> {
    let turn = unless_cancelled(cancel, browser.turn()).await?;
    turn.ok_or_else(|| PageError::BrowserGone("it was ended".to_owned()))
}

/// The target and the session of the current tab.
fn current(state: &State) -> Option<(String, String)> {
    state.current().map(|tab| (tab.target.clone(), tab.session.clone()))
}

async fn unless_cancelled<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = T>,
) -> Result<T, PageError> {
    tokio::select! {
        done = work => Ok(done),
        () = cancel.cancelled() => Err(PageError::Cancelled),
    }
}

impl From<Waited> for PageError {
    fn from(waited: Waited) -> Self {
        match waited {
            Waited::TimedOut => {
                Self::TimedOut { doing: "waiting for the page".to_owned(), limit: Connection::USUAL }
            }
            Waited::Cancelled => Self::Cancelled,
            Waited::Closed(why) => Self::BrowserGone(why),
        }
    }
}
