//! The browsers of this program: one for each session, started when it is first needed.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use deskhand_core::SessionEnd;
use deskhand_guard::Outbound;
use futures_util::future::BoxFuture;
use tokio::{sync::Semaphore, task::AbortHandle};

use crate::{
    browser::{Browser, Options},
    launch::{self, Found, LaunchError},
};

/// How often is looked whether a browser has not been used.
const LOOK: Duration = Duration::from_secs(15);

/// What browsers are started with.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where profiles and downloads go: `browser` in the data folder.
    pub folder: PathBuf,
    /// The setting `browser.path`.
    pub path: Option<PathBuf>,
    /// The setting `browser.attach`: a browser that runs is used instead.
    pub attach: Option<String>,
    /// How a browser is started where nothing else is said.
    pub options: Options,
    /// Where browsers may go.
    pub outbound: Outbound,
    /// A browser that was not used for so long is ended.
    pub idle: Duration,
}

impl Config {
    pub fn new(folder: PathBuf) -> Self {
        let idle = Duration::from_mins(15);
        let (options, outbound) = (Options::default(), Outbound::default());
        Self { folder, path: None, attach: None, options, outbound, idle }
    }
}

/// All of them. Cheap to clone.
#[derive(Clone)]
pub struct Browsers(Arc<Inner>);

struct Inner {
    config: Config,
    slots: Mutex<HashMap<String, Arc<Slot>>>,
}

/// The place of one session's browser.
struct Slot {
    /// One starts it; the others wait for that.
    starting: Semaphore,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    browser: Option<Arc<Browser>>,
    /// Ends the task that looks whether it is still used.
    watching: Option<AbortHandle>,
    options: Option<Options>,
    /// Why the one before is not there any more, until somebody was told.
    ended: Option<String>,
}

/// A browser for a call.
pub struct Opened {
    pub browser: Arc<Browser>,
    /// What the caller should know: that the one before is gone, say.
    pub notice: Option<String>,
}

impl Browsers {
    pub fn new(config: Config) -> Self {
        Self(Arc::new(Inner { config, slots: Mutex::default() }))
    }

    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// The browser that would be started. Looks at files only.
    pub fn found(&self) -> Result<Found, LaunchError> {
        launch::find(self.0.config.path.as_deref())
    }

    /// The browser of a session, if it has one that runs. Starts none.
    pub fn running(&self, session: &str) -> Option<Arc<Browser>> {
        let browser = self.slots().get(session)?.held().browser.clone();
        browser.filter(|browser| browser.gone().is_none())
    }

    /// The browser of a session; one is started where there is none, or where it is gone.
    pub async fn open(&self, session: &str) -> Result<Opened, LaunchError> {
        self.open_with(session, None).await
    }

    /// What would be started for a session by [`Self::open`]; `None` where one runs, and where one is attached to.
    pub fn would_start(&self, session: &str) -> Option<Options> {
        if self.0.config.attach.is_some() || self.running(session).is_some() {
            return None;
        }
        let kept = self.slots().get(session).and_then(|slot| slot.held().options.clone());
        Some(kept.unwrap_or_else(|| self.0.config.options.clone()))
    }

    /// As [`Self::open`], with these options. One that runs with others is ended first.
    pub async fn open_with(&self, session: &str, wanted: Option<Options>) -> Result<Opened, LaunchError> {
        loop {
            let slot = Arc::clone(self.slots().entry(session.to_owned()).or_insert_with(Slot::new));
            // Never closed, so this cannot fail; and if it did, two would start one each.
            let _starting = slot.starting.acquire().await;
            // The session may have ended meanwhile; what is started in a place that nobody knows, nobody ends.
            let is_its_own = self.slots().get(session).is_some_and(|known| Arc::ptr_eq(known, &slot));
            if is_its_own {
                return self.open_in(&slot, wanted).await;
            }
        }
    }

    /// In the place of a session, which nobody else starts one in meanwhile.
    async fn open_in(&self, slot: &Arc<Slot>, wanted: Option<Options>) -> Result<Opened, LaunchError> {
        let (before, kept, ended) = {
            let mut held = slot.held();
            (held.browser.clone(), held.options.clone(), held.ended.take())
        };
        let options = wanted.clone().or(kept).unwrap_or_else(|| self.0.config.options.clone());
        let mut notice = ended.map(|why| self.is_gone(&why));
        if let Some(browser) = before {
            match browser.gone() {
                None if wanted.is_none() || *browser.options() == options => {
                    return Ok(Opened { browser, notice });
                }
                None => {
                    browser.close().await;
                    notice =
                        Some("The browser that ran was ended, and a new one started as asked.".to_owned());
                }
                Some(why) => {
                    // Its proxy and its files are still there.
                    browser.close().await;
                    notice = Some(self.is_gone(&why));
                }
            }
        }
        let browser = self.start(options.clone()).await?;
        let watching = tokio::spawn(end_when_idle(Arc::downgrade(slot), self.0.config.idle)).abort_handle();
        let mut held = slot.held();
        held.forget();
        *held = Held {
            browser: Some(Arc::clone(&browser)),
            watching: Some(watching),
            options: Some(options),
            ended: None,
        };
        Ok(Opened { browser, notice })
    }

    async fn start(&self, options: Options) -> Result<Arc<Browser>, LaunchError> {
        let config = &self.0.config;
        let outbound = config.outbound.clone();
        match &config.attach {
            Some(address) => Browser::attach(address, &config.folder, options, outbound).await,
            None => Browser::launch(&self.found()?, &config.folder, options, outbound).await,
        }
    }

    fn is_gone(&self, why: &str) -> String {
        match &self.0.config.attach {
            Some(_) => format!("The browser was left ({why}), and is attached to anew."),
            None => {
                format!("The browser of before is gone ({why}): a new one was started, without its tabs.")
            }
        }
    }

    /// Ends the browser of a session.
    pub async fn close(&self, session: &str) {
        let slot = self.slots().remove(session);
        if let Some(slot) = slot {
            slot.close().await;
        }
    }

    /// Ends them all.
    pub async fn close_all(&self) {
        let slots: Vec<_> = self.slots().drain().map(|(_, slot)| slot).collect();
        futures_util::future::join_all(slots.iter().map(|slot| slot.close())).await;
    }

    fn slots(&self) -> MutexGuard<'_, HashMap<String, Arc<Slot>>> {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionEnd for Browsers {
    fn session_ended<'a>(&'a self, session_id: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(self.close(session_id))
    }
}

impl Slot {
    fn new() -> Arc<Self> {
        Arc::new(Self { starting: Semaphore::new(1), held: Mutex::default() })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn close(&self) {
        // One that is just starting is waited for: it would be left otherwise.
        let _starting = self.starting.acquire().await;
        let browser = self.held().forget();
        if let Some(browser) = browser {
            browser.close().await;
        }
    }
}

impl Held {
    fn forget(&mut self) -> Option<Arc<Browser>> {
        if let Some(watching) = self.watching.take() {
            watching.abort();
        }
        self.browser.take()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Ends a browser that nobody uses, and puts one away that is gone. The next call starts a new one, and says so.
async fn end_when_idle(slot: Weak<Slot>, idle: Duration) {
    loop {
        tokio::time::sleep(LOOK.min(idle)).await;
        let Some(slot) = slot.upgrade() else { return };
        // Until it has ended nobody opens another one, and whoever ends them all waits for it.
        let _starting = slot.starting.acquire().await;
        let Some(browser) = slot.held().browser.clone() else { return };
        let turn = browser.turn_if_idle(idle);
        let Some(why) = browser.gone().or_else(|| turn.as_ref().map(|_| "nobody used it".to_owned())) else {
            continue;
        };
        {
            let mut held = slot.held();
            // Not ended, as others end it: this is it.
            held.watching = None;
            held.browser = None;
            held.ended = Some(why.clone());
        }
        tracing::debug!(why, "a browser is put away");
        browser.close().await;
        return;
    }
}
