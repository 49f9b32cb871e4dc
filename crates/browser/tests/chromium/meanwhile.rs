//! Pages that change while a call is planned, asked about and done; and persons who refuse.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use deskhand_browser::{
    Browsers,
    page::{Page, PageError},
};
use deskhand_core::{
    AuditLog, AuditRecord, CallId, EventSink, StoreResult, approval::Subject, event::EventBody,
};
use deskhand_testkit::{Person, no, pass, yes};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{fixture::LIMIT, tools::Shop};

/// Says yes to the first question, and no to what comes after it.
pub fn agreeing_once() -> Arc<Person> {
    let agrees = AtomicBool::new(true);
    Person::deciding(move |request| match &request.subject {
        Subject::Execution { .. } if agrees.swap(false, Ordering::SeqCst) => Some(yes()),
        Subject::Execution { .. } => Some(no("no")),
        Subject::Result { .. } => Some(pass()),
    })
}

/// What a person was asked before something was done.
pub fn questions(person: &Person) -> Vec<String> {
    let plans = person.asked().into_iter().filter_map(|request| match request.subject {
        Subject::Execution { plan } => Some(format!("{}: {}", plan.summary, plan.notes.join(" "))),
        Subject::Result { .. } => None,
    });
    plans.collect()
}

/// A script in the page, past the gate, which would ask about it.
pub async fn quietly(shop: &Shop, script: &str) -> Value {
    let browser = shop.browsers.running("test").unwrap();
    let page = Page::take(browser, CancellationToken::new());
    page.await.unwrap().evaluate(script, LIMIT).await.unwrap()
}

/// From here on every question gets a no.
pub fn refusing(shop: &mut Shop) -> Arc<Person> {
    let person = Person::deciding(|request| match &request.subject {
        Subject::Execution { .. } => Some(no("no")),
        Subject::Result { .. } => Some(pass()),
    });
    shop.session.approvers = vec![person.clone()];
    // What a page says would have everything asked about; this is about what the plan says.
    shop.session.outside.clear();
    shop.session.outside.user_said("127.0.0.1 localhost");
    person
}

/// Waits until a page is there whose address ends like this.
pub async fn arrived(shop: &Shop, end: &str) {
    let browser = shop.browsers.running("test").unwrap();
    let never = CancellationToken::new();
    let there = browser.targets().wait_for(browser.connection(), LIMIT, &never, |state| {
        let tab = state.current().filter(|tab| tab.url().ends_with(end))?;
        tab.main_frame()?.reached.load.then_some(())
    });
    there.await.unwrap();
}

async fn change(browsers: Browsers, script: String) {
    let browser = browsers.running("test").unwrap();
    let page = Page::take(browser, CancellationToken::new()).await.unwrap();
    match page.evaluate(&script, LIMIT).await {
        // The page was left, as the script wanted.
        Ok(_) | Err(PageError::Refused(_)) => {}
        Err(error) => panic!("{script}: {error}"),
    }
}

/// Runs a script in the page right after a call was planned, and before it is done; once.
pub struct Between {
    pub browsers: Browsers,
    pub script: Mutex<Option<String>>,
}

impl EventSink for Between {
    fn emit(&self, body: EventBody) {
        let EventBody::CallPlanned { .. } = body else { return };
        let Some(script) = self.script.lock().unwrap().take() else { return };
        let change = change(self.browsers.clone(), script);
        tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(change));
    }
}

pub fn between(shop: &mut Shop, script: &str) {
    let script = Mutex::new(Some(script.to_owned()));
    shop.session.events = Arc::new(Between { browsers: shop.browsers.clone(), script });
}

/// Runs a script in the page at the last moment: after the answer and after the plan was made again, right before the act.
struct AtLast {
    audit: Arc<dyn AuditLog>,
    browsers: Browsers,
    script: Mutex<Option<String>>,
    runtime: tokio::runtime::Handle,
}

impl AuditLog for AtLast {
    fn append(&self, record: &AuditRecord) -> StoreResult<()> {
        self.audit.append(record)
    }

    fn make_durable(&self) -> StoreResult<()> {
        if let Some(script) = self.script.lock().unwrap().take() {
            self.runtime.block_on(change(self.browsers.clone(), script));
        }
        self.audit.make_durable()
    }

    fn last_record(&self, call: CallId) -> StoreResult<Option<AuditRecord>> {
        self.audit.last_record(call)
    }
}

/// Has the script run right before the next act.
pub fn at_last(shop: &mut Shop, script: &str) {
    shop.gate.audit = Arc::new(AtLast {
        audit: Arc::clone(&shop.gate.audit),
        browsers: shop.browsers.clone(),
        script: Mutex::new(Some(script.to_owned())),
        runtime: tokio::runtime::Handle::current(),
    });
}
