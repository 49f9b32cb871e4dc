//! What a tool sees of the call it serves.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::{
    error::{ToolError, ToolResult},
    event::{EventBody, EventSink},
    held::Held,
    id::CallId,
    live_mask::LiveMask,
    outside,
    plan::Plan,
    screener::Screener,
};

/// What tools need from above, by type: the path policy, the undo journal, a browser, … A tool whose service
/// is not there is not offered.
#[derive(Clone, Default)]
pub struct Services(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Services {
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, service: T) -> Self {
        self.0.insert(TypeId::of::<T>(), Arc::new(service));
        self
    }

    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>()).and_then(|service| service.downcast_ref())
    }
}

/// How far a long call is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// What is being done, or a piece of live output.
    pub text: String,
    pub done: Option<u64>,
    pub total: Option<u64>,
    /// Where the text comes from, if it is from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
}

/// One call, as its tool sees it. Cheap to clone.
#[derive(Clone)]
pub struct Cx(Arc<Inner>, Waiting);

/// Whether work may wait for a disk or for anything else outside of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    Allowed,
    /// What would have to wait fails instead.
    Refused,
}

struct Inner {
    call: CallId,
    tool: String,
    session_id: String,
    owner: Option<String>,
    services: Services,
    cancel: CancellationToken,
    events: Arc<dyn EventSink>,
    screener: Arc<dyn Screener>,
    /// What the call has printed so far, as it may be shown.
    printed: Arc<Mutex<LiveMask>>,
    /// What is done only once the caller may have the result.
    afterwards: Arc<Mutex<Vec<Afterwards>>>,
    /// What waits to be kept.
    held: Arc<Mutex<Option<Held>>>,
    approved: Option<Arc<Plan>>,
    undo_recorded: AtomicBool,
}

type Afterwards = Box<dyn FnOnce(&Cx) -> ToolResult<()> + Send>;

/// The parts of a [`Cx`].
pub struct CxParts {
    pub call: CallId,
    pub tool: String,
    pub session_id: String,
    /// For whom the call is made. `None`: the owner of this installation.
    pub owner: Option<String>,
    pub services: Services,
    pub cancel: CancellationToken,
    pub events: Arc<dyn EventSink>,
    pub screener: Arc<dyn Screener>,
}

impl Cx {
    /// For planning.
    pub fn new(parts: CxParts) -> Self {
        let CxParts { call, tool, session_id, owner, services, cancel, events, screener } = parts;
        let inner = Inner {
            call,
            tool,
            session_id,
            owner,
            services,
            cancel,
            events,
            printed: Arc::new(Mutex::new(LiveMask::new(Arc::clone(&screener)))),
            screener,
            afterwards: Arc::default(),
            held: Arc::default(),
            approved: None,
            undo_recorded: AtomicBool::new(false),
        };
        Self(Arc::new(inner), Waiting::Allowed)
    }

    /// For running what was approved. Work is bound to the plan from here on.
    #[must_use]
    pub fn approved(&self, plan: Arc<Plan>, cancel: CancellationToken) -> Self {
        self.derive(Some(plan), cancel)
    }

    /// The same call, with another way to stop it.
    #[must_use]
    pub(crate) fn stopped_by(&self, cancel: CancellationToken) -> Self {
        self.derive(self.0.approved.clone(), cancel)
    }

    fn derive(&self, approved: Option<Arc<Plan>>, cancel: CancellationToken) -> Self {
        let inner = Inner {
            call: self.0.call,
            tool: self.0.tool.clone(),
            session_id: self.0.session_id.clone(),
            owner: self.0.owner.clone(),
            services: self.0.services.clone(),
            cancel,
            events: Arc::clone(&self.0.events),
            screener: Arc::clone(&self.0.screener),
            printed: Arc::clone(&self.0.printed),
            afterwards: Arc::clone(&self.0.afterwards),
            held: Arc::clone(&self.0.held),
            approved,
            undo_recorded: AtomicBool::new(false),
        };
        Self(Arc::new(inner), self.1)
    }

    /// Text without its secrets: for what a tool keeps beside its result.
    pub fn mask(&self, text: &str) -> String {
        self.0.screener.mask_text(text).into_string()
    }

    pub fn call_id(&self) -> CallId {
        self.0.call
    }

    /// The canonical name of the tool.
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    pub fn session_id(&self) -> &str {
        &self.0.session_id
    }

    /// For whom the call is made, and whose is what it leaves behind. `None`: the owner of this installation.
    pub fn owner(&self) -> Option<&str> {
        self.0.owner.as_deref()
    }

    /// The plan that was approved; `None` while planning.
    pub fn plan(&self) -> Option<&Plan> {
        self.0.approved.as_deref()
    }

    /// A service, or the error that says it is not there.
    pub fn service<T: Any + Send + Sync>(&self) -> ToolResult<&T> {
        self.0.services.get().ok_or_else(|| {
            let name = std::any::type_name::<T>().rsplit("::").next().unwrap_or("service");
            ToolError::new("service_absent", format!("{} needs {name}, which is not there.", self.0.tool))
        })
    }

    /// Where events of this session go, for what outlives the call.
    pub fn events(&self) -> Arc<dyn EventSink> {
        Arc::clone(&self.0.events)
    }

    pub fn cancel_token(&self) -> &CancellationToken {
        &self.0.cancel
    }

    /// An error if the call was cancelled or its time is up. Long loops ask this often.
    pub fn check(&self) -> ToolResult<()> {
        if self.0.cancel.is_cancelled() { Err(ToolError::cancelled()) } else { Ok(()) }
    }

    /// Tells whoever watches how far the call is. The text stands for itself.
    pub fn progress(&self, text: &str, done: Option<u64>, total: Option<u64>) {
        self.tell(self.mask(text), done, total);
    }

    /// Tells whoever watches what the call prints, piece by piece. A word that is not over yet is told with the next
    /// piece: its beginning alone does not tell that it is a secret.
    pub fn prints(&self, piece: &str) {
        let text = self.printed().next_words(piece);
        if !text.is_empty() {
            self.tell(text, None, None);
        }
    }

    /// Between the last piece and the next there is more, which is not told.
    pub fn leaves_out(&self) {
        self.printed().left_out();
    }

    fn printed(&self) -> MutexGuard<'_, LiveMask> {
        self.0.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, text: String, done: Option<u64>, total: Option<u64>) {
        let outside = self.plan().and_then(outside::source);
        let progress = Progress { text, done, total, outside };
        self.0.events.emit(EventBody::CallOutput { call_id: self.0.call, progress });
    }

    /// Puts work off until the caller may have the result: what a call leaves where its caller finds it (a picture in the
    /// workspace) is as good as the result. It may block. Where a person keeps the result, or nobody answers, it is
    /// forgotten, and nothing of it was ever anywhere but in memory.
    pub fn once_passed_on(&self, work: impl FnOnce(&Self) -> ToolResult<()> + Send + 'static) {
        self.afterwards().push(Box::new(work));
    }

    /// Does what was put off. It can be done once.
    pub(crate) async fn is_passed_on(&self) -> ToolResult<()> {
        let work = std::mem::take(&mut *self.afterwards());
        if work.is_empty() {
            return Ok(());
        }
        self.blocking(move |cx| work.into_iter().try_for_each(|work| work(cx))).await
    }

    fn afterwards(&self) -> MutexGuard<'_, Vec<Afterwards>> {
        self.0.afterwards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands over changes that wait to be kept: the gate decides about them, and drops them where the answer is no.
    pub fn hold(&self, held: Held) {
        *self.0.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
    }

    pub(crate) fn take_held(&self) -> Option<Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes that the undo journal has an entry for this call.
    pub fn undo_was_recorded(&self) {
        self.0.undo_recorded.store(true, Ordering::Release);
    }

    pub(crate) fn has_undo(&self) -> bool {
        self.0.undo_recorded.load(Ordering::Acquire)
    }

    /// The same call for work that fails where it would have to wait.
    #[must_use]
    pub fn refusing_to_wait(&self) -> Self {
        Self(Arc::clone(&self.0), Waiting::Refused)
    }

    /// Whether work may wait, or has to fail where it would.
    pub fn waiting(&self) -> Waiting {
        self.1
    }

    /// Runs work that only reads, and mostly what is in memory already: here and now if it gets by without waiting, and
    /// else as [`Self::blocking`] does. Handing a small thing to another thread and back takes longer than doing it. The
    /// work must hand on every error that it meets: one may say that it would have had to wait.
    pub async fn promptly<T: Send + 'static>(
        &self,
        work: impl Fn(&Self) -> ToolResult<T> + Send + 'static,
    ) -> ToolResult<T> {
        match work(&self.refusing_to_wait()) {
            Ok(done) => Ok(done),
            // Whatever is wrong, it may be that it would have had to wait.
            Err(_) => self.blocking(work).await,
        }
    }

    /// Runs work that blocks (files, mostly) where it holds nobody up.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> ToolResult<T> + Send + 'static,
    ) -> ToolResult<T> {
        let cx = self.clone();
        match tokio::task::spawn_blocking(move || work(&cx)).await {
            Ok(result) => result,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(ToolError::cancelled()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::{event::NoEvents, screener::Masked};

    struct Plain;

    impl Screener for Plain {
        fn mask_text(&self, text: &str) -> Masked {
            Masked::assume(text)
        }
        fn mask_value(&self, value: &serde_json::Value) -> serde_json::Value {
            value.clone()
        }
    }

    fn cx() -> Cx {
        Cx::new(CxParts {
            call: CallId::new(),
            tool: "test".into(),
            session_id: String::new(),
            owner: None,
            services: Services::default(),
            cancel: CancellationToken::new(),
            events: Arc::new(NoEvents),
            screener: Arc::new(Plain),
        })
    }

    #[tokio::test]
    async fn what_would_wait_is_done_by_another_thread_and_the_rest_here() {
        let here = thread::current().id();
        let at_once = cx().promptly(|cx| Ok((cx.waiting(), thread::current().id()))).await.unwrap();
        assert_eq!(at_once, (Waiting::Refused, here));
        let must_wait = |cx: &Cx| match cx.waiting() {
            Waiting::Refused => Err(ToolError::new("would_wait", "It would have to wait.")),
            Waiting::Allowed => Ok(thread::current().id()),
        };
        assert_ne!(cx().promptly(must_wait).await.unwrap(), here);
        // What is wrong is told as it is for those who may wait.
        let wrong = |cx: &Cx| match cx.waiting() {
            Waiting::Refused => Err::<(), _>(ToolError::new("would_wait", "")),
            Waiting::Allowed => Err(ToolError::new("no_such_file", "There is none.")),
        };
        assert_eq!(cx().promptly(wrong).await.unwrap_err().code, "no_such_file");
    }
}
