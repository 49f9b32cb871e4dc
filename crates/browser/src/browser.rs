//! One browser: started or attached to, spoken to, and ended.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use deskhand_guard::{
    Outbound,
    outbound::{Allowed, Verdict},
};
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    cdp::{CdpError, Connection, Ears, Session, Transport},
    existing,
    launch::{self, Found, Kept, LaunchError, Process, Profile, Viewport, Window},
    proxy::Proxy,
    stealth::{Identity, Maker, Stealth},
    tab::{DownloadLimits, Targets, Whose},
};

/// How long a browser may take from its start to its first answer. On a machine with much to do that is long.
const STARTING: Duration = Duration::from_secs(30);
/// How long one that is asked to end may take.
const ENDING: Duration = Duration::from_secs(3);

/// In the folder of the profile.
const DOWNLOADS: &str = "deskhand-downloads";
const UPLOADS: &str = "deskhand-uploads";

/// How a browser is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub window: Window,
    pub viewport: Viewport,
    pub stealth: Stealth,
    /// A profile that stays; `None`: a new one, which goes with the browser.
    pub profile: Option<Kept>,
    pub downloads: DownloadLimits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            window: Window::Headless,
            viewport: Viewport::USUAL,
            stealth: Stealth::On,
            profile: None,
            downloads: DownloadLimits::default(),
        }
    }
}

/// Where a browser may go, and what keeps it to that.
struct WaysOut {
    outbound: Outbound,
    /// The private hosts that approved calls have named.
    allowed: Arc<Allowed>,
    /// `None`: one that ran before us goes its own ways.
    proxy: Option<Proxy>,
}

/// A browser that runs. Ends when it is dropped.
pub struct Browser {
    connection: Connection,
    targets: Arc<Targets>,
    /// `None`: one that ran before us, and goes on after us.
    process: Option<Process>,
    ways_out: WaysOut,
    /// `Chrome/156.0.8078.79`.
    product: String,
    options: Options,
    folders: Folders,
    /// One call at a time: two that click on the same page would not know what they do. Closed when it is to end.
    turn: Arc<Semaphore>,
    used: Arc<Mutex<Instant>>,
    _stop: DropGuard,
}

/// Where its files lie.
struct Folders {
    downloads: PathBuf,
    /// For one that ran before, whose profile is none of ours: a folder that goes when it is left.
    own: Mutex<Option<Profile>>,
}

/// A browser in the hands of one call, until this is dropped.
pub struct Turn {
    _permit: OwnedSemaphorePermit,
    used: Arc<Mutex<Instant>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

impl Browser {
    /// Starts a browser with its profile in `folder/profiles` and its downloads in `folder/downloads`.
    /// All that it sends goes through a proxy that keeps to `outbound`.
    pub async fn launch(
        found: &Found,
        folder: &Path,
        options: Options,
        outbound: Outbound,
    ) -> Result<Arc<Self>, LaunchError> {
        let profiles = folder.join("profiles");
        let kept = options.profile.clone();
        // Files only, but a browser's folders have many.
        let profile = tokio::task::spawn_blocking(move || {
            Profile::clear_stale(&profiles);
            let Some(kept) = kept else { return Profile::fresh(&profiles) };
            let profile = Profile::kept(&profiles, &kept)?;
            // Files of the last time are nobody's now.
            for left in [DOWNLOADS, UPLOADS] {
                let _ = std::fs::remove_dir_all(profile.path().join(left));
            }
            Ok(profile)
        });
        let not_started = |error| LaunchError::NotStarted { path: found.path.clone(), error };
        let profile = profile.await.map_err(|error| not_started(std::io::Error::other(error)))??;
        let folders = Folders { downloads: profile.path().join(DOWNLOADS), own: Mutex::default() };
        let allowed = Arc::new(Allowed::default());
        let proxy = Proxy::start(outbound.clone(), Arc::clone(&allowed)).await.map_err(not_started)?;
        let mut arguments =
            launch::arguments(profile.path(), options.window, options.viewport, options.stealth);
        // The first page stays last.
        let before_the_page = arguments.len().saturating_sub(1);
        arguments.splice(before_the_page..before_the_page, proxy.arguments());
        let ways_out = WaysOut { outbound, allowed, proxy: Some(proxy) };
        let environment = options.stealth.environment(options.window);
        let started = launch::start(found, &arguments, environment, profile)?;
        let printed = |process: Option<&Process>| process.map(Process::printed).unwrap_or_default();
        let no_answer = |process: Option<&Process>| LaunchError::NoAnswer {
            path: found.path.clone(),
            limit: STARTING,
            printed: printed(process),
        };
        let mut process = Some(started.process);
        let begun = Self::begin(started.transport, &mut process, options, folders, maker(found), ways_out);
        if let Ok(Ok(browser)) = tokio::time::timeout(STARTING, begun).await {
            return Ok(browser);
        }
        // What it printed as it ended may come a moment after its pipes were closed.
        if let Some(process) = &process {
            let _ = tokio::time::timeout(Duration::from_secs(1), process.until_ended()).await;
        }
        Err(no_answer(process.as_ref()))
    }

    /// Connects to a browser that runs, at the address of its debugger. It cannot be kept to `outbound`; where calls lead
    /// it is judged by that.
    pub async fn attach(
        address: &str,
        folder: &Path,
        options: Options,
        outbound: Outbound,
    ) -> Result<Arc<Self>, LaunchError> {
        let failed = |error| LaunchError::NotReached { address: address.to_owned(), error };
        let timed_out = |_| std::io::Error::new(std::io::ErrorKind::TimedOut, "it does not answer");
        let reach = launch::reach(address);
        let transport =
            tokio::time::timeout(STARTING, reach).await.map_err(timed_out).flatten().map_err(failed)?;
        let mut no_process = None;
        // What a browser of somebody else's is called stays as it is.
        let maker = std::future::ready(None);
        let ways_out = WaysOut { outbound, allowed: Arc::default(), proxy: None };
        let profiles = folder.join("profiles");
        let own = tokio::task::spawn_blocking(move || {
            Profile::clear_stale(&profiles);
            Profile::fresh(&profiles)
        });
        let own = own.await.map_err(|error| failed(std::io::Error::other(error)))??;
        let folders = Folders { downloads: own.path().join(DOWNLOADS), own: Mutex::new(Some(own)) };
        let begun = Self::begin(transport, &mut no_process, options, folders, maker, ways_out);
        begun.await.map_err(|error| failed(std::io::Error::other(error)))
    }

    async fn begin(
        transport: Transport,
        process: &mut Option<Process>,
        options: Options,
        folders: Folders,
        maker: impl Future<Output = Option<Maker>>,
        ways_out: WaysOut,
    ) -> Result<Arc<Self>, CdpError> {
        let whose = if process.is_some() { Whose::Ours } else { Whose::Theirs };
        let targets = Targets::new(options.stealth, whose);
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        let connection = Connection::start(transport, Arc::clone(&targets) as Arc<dyn Ears>, stop);
        let session = Session::browser(connection.clone());
        let (version, maker) = tokio::join!(session.call("Browser.getVersion", json!({})), maker);
        let version = version?;
        targets.identify(maker.and_then(|maker| Identity::of(&version, maker)));
        // Downloads in a browser of somebody else's go where that one puts them: they may be the person's own.
        if whose == Whose::Ours {
            let behaviour =
                json!({"behavior": "allowAndName", "downloadPath": folders.downloads, "eventsEnabled": true});
            session.post("Browser.setDownloadBehavior", &behaviour);
            targets.bound_downloads(folders.downloads.clone(), options.downloads);
        }
        session.post("Target.setDiscoverTargets", &json!({"discover": true}));
        session.call("Target.setAutoAttach", Targets::auto_attach()).await?;
        match whose {
            Whose::Ours => {
                let first = first_page(&connection, &targets).await?;
                fit_window(&connection, first, options.viewport).await?;
            }
            Whose::Theirs => existing::take_in(&connection, &targets).await,
        }
        Ok(Arc::new(Self {
            product: version["product"].as_str().unwrap_or_default().to_owned(),
            connection,
            targets,
            process: process.take(),
            ways_out,
            options,
            folders,
            turn: Arc::new(Semaphore::new(1)),
            used: Arc::new(Mutex::new(Instant::now())),
            _stop: guard,
        }))
    }

    pub fn targets(&self) -> &Targets {
        &self.targets
    }

    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Where commands about the browser itself go.
    pub fn session(&self) -> Session {
        Session::browser(self.connection.clone())
    }

    pub fn product(&self) -> &str {
        &self.product
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The process that was started; `None` for one that ran before.
    pub fn pid(&self) -> Option<u32> {
        self.process.as_ref().map(Process::pid)
    }

    /// Where it may go.
    pub fn outbound(&self) -> &Outbound {
        &self.ways_out.outbound
    }

    /// An approved call named this host: it may be gone to, though it is private.
    pub fn approve(&self, verdict: &Verdict) {
        self.ways_out.allowed.approve(verdict);
    }

    /// The private hosts that were approved.
    pub fn allowed(&self) -> &Allowed {
        &self.ways_out.allowed
    }

    /// What all of its connections go through; `None` for one that ran before.
    pub fn proxy(&self) -> Option<&Proxy> {
        self.ways_out.proxy.as_ref()
    }

    /// Where downloads go, under the name of their guid.
    pub fn downloads(&self) -> &Path {
        &self.folders.downloads
    }

    /// Where files lie that pages were given.
    pub fn uploads(&self) -> PathBuf {
        self.folders.downloads.with_file_name(UPLOADS)
    }

    /// Why it is gone; `None` while it is there.
    pub fn gone(&self) -> Option<String> {
        let ended = self.process.as_ref().is_some_and(Process::has_ended);
        self.connection.ended().or_else(|| ended.then(|| "its process ended".to_owned()))
    }

    /// Waits for its turn; the browser is one call's until that is dropped. `None`: it is being ended.
    pub async fn turn(&self) -> Option<Turn> {
        let permit = Arc::clone(&self.turn).acquire_owned().await.ok()?;
        Some(Turn { _permit: permit, used: Arc::clone(&self.used) })
    }

    /// Its turn, if nobody has it and nobody has used it for so long.
    pub fn turn_if_idle(&self, time: Duration) -> Option<OwnedSemaphorePermit> {
        let permit = Arc::clone(&self.turn).try_acquire_owned().ok()?;
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        (used.elapsed() >= time).then_some(permit)
    }

    /// Asks for the titles of its tabs: of a change that comes after the page nothing tells.
    pub async fn ask_for_titles(&self) -> Result<(), CdpError> {
        let told = self.session().call("Target.getTargets", json!({})).await?;
        let infos = told["targetInfos"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.targets.change(|state| infos.iter().for_each(|info| state.info_changed(info)));
        Ok(())
    }

    /// Whether one that ran before is used.
    pub fn is_attached(&self) -> bool {
        self.process.is_none()
    }

    /// Ends it: it is asked, and if it does not, it is made to. One that was attached to is only left. No call gets it any
    /// more, and nothing goes out for it.
    pub async fn close(&self) {
        self.turn.close();
        if let Some(process) = &self.process {
            self.session().post("Browser.close", &json!({}));
            let _ = tokio::time::timeout(ENDING, process.until_ended()).await;
            process.end();
            process.until_ended().await;
        }
        self.connection.close();
        self.ways_out.proxy.as_ref().map(Proxy::stop);
        self.clear_files().await;
    }

    /// What was downloaded, and what pages were given, goes with it, also where its profile stays.
    async fn clear_files(&self) {
        let own = self.folders.own.lock().unwrap_or_else(PoisonError::into_inner).take();
        let left = [self.downloads().to_path_buf(), self.uploads()];
        let clear = move || {
            for folder in left {
                let _ = std::fs::remove_dir_all(folder);
            }
            drop(own);
        };
        let _ = tokio::task::spawn_blocking(clear).await;
    }
}

/// Waits for the first page, as its target and session: a navigation that comes before it is there can get lost.
async fn first_page(connection: &Connection, targets: &Targets) -> Result<(String, String), CdpError> {
    let never = CancellationToken::new();
    let first = targets.wait_for(connection, STARTING, &never, |state| {
        let tab = state.current()?;
        tab.main_frame()?.reached.load.then(|| (tab.target.clone(), tab.session.clone()))
    });
    first.await.map_err(|_| CdpError::Closed("it has no page".to_owned()))
}

/// Which maker's it is. One that is not known by its place is asked while it starts.
async fn maker(found: &Found) -> Option<Maker> {
    let said = if found.name == "Chromium" { None } else { launch::version(found).await };
    Some(Maker::of(said.as_deref().unwrap_or(&found.name)))
}

/// Sets the size of the window right, if its page is not as large as was asked for.
async fn fit_window(
    connection: &Connection,
    (target, session): (String, String),
    viewport: Viewport,
) -> Result<(), CdpError> {
    let page = Session::of(connection.clone(), session);
    let sizes = "[innerWidth, innerHeight, outerWidth, outerHeight]";
    let seen = page.call("Runtime.evaluate", json!({"expression": sizes, "returnByValue": true})).await?;
    let side = |at: usize| seen["result"]["value"][at].as_u64().unwrap_or_default();
    let (width, height) = (u64::from(viewport.width), u64::from(viewport.height));
    if (side(0), side(1)) == (width, height) {
        return Ok(());
    }
    let browser = Session::browser(connection.clone());
    let window = browser.call("Browser.getWindowForTarget", json!({"targetId": target})).await?;
    let bounds = json!({
        "width": width + side(2).saturating_sub(side(0)),
        "height": height + side(3).saturating_sub(side(1)),
    });
    let params = json!({"windowId": window["windowId"], "bounds": bounds});
    browser.call("Browser.setWindowBounds", params).await.map(drop)
}
