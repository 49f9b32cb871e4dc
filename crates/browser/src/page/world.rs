//! Our own code in a frame: in an isolated world, which sees the page's document and none of its code.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Page, PageError, evaluate, inject};
use crate::{
    cdp::{Connection, Session},
    tab::World,
};

/// The name of the world. Pages do not see it; the developer tools do.
const NAME: &str = "deskhand";

/// What the browser says of code that was stopped, and how often it is tried again.
const STOPPED: &str = "Execution was terminated";
const MOST_TRIES: usize = 5;

/// Calls a function of the kit by its name.
pub(super) const CALLED: &str = "function (name, argument) { return this[name](argument); }";

/// What is evaluated there, once for each document: an object of functions. Refs that it gives begin with the number of
/// the document, so that one of another document or frame is known for what it is.
fn kit(generation: u64) -> String {
    let (own, inject) = (include_str!("kit.js"), inject::SOURCE);
    let prefix = prefix(generation);
    format!(
        "((kit, own) => {{ kit.configure({{prefix: \"{prefix}\"}}); return {{...kit, ...own}}; }})({inject}, {own})"
    )
}

/// How refs of a document begin.
pub(super) fn prefix(generation: u64) -> String {
    format!("d{generation}")
}

impl Page {
    /// Calls a function of the kit in a frame (`None`: the tab's own), with JSON in and JSON out.
    pub async fn ask(
        &self,
        frame: Option<&str>,
        function: &str,
        argument: &Value,
    ) -> Result<Value, PageError> {
        self.ask_within(Connection::USUAL, frame, function, argument).await
    }

    pub async fn ask_within(
        &self,
        limit: Duration,
        frame: Option<&str>,
        function: &str,
        argument: &Value,
    ) -> Result<Value, PageError> {
        let frame = frame.unwrap_or(&self.target);
        self.ask_world(limit, frame, function, argument).await.map(|(_, answer)| answer)
    }

    /// The same, with the world that answered: each document has its own.
    pub(super) async fn ask_world(
        &self,
        limit: Duration,
        frame: &str,
        function: &str,
        argument: &Value,
    ) -> Result<(World, Value), PageError> {
        let mut tries = 0;
        loop {
            match self.ask_once(limit, frame, function, argument).await {
                // The page's code was being stopped, for its dialogs, and ours with it.
                Err(PageError::Refused(why)) if why.contains(STOPPED) && tries < MOST_TRIES => tries += 1,
                answer => return answer,
            }
        }
    }

    async fn ask_once(
        &self,
        limit: Duration,
        frame: &str,
        function: &str,
        argument: &Value,
    ) -> Result<(World, Value), PageError> {
        let mut fresh = false;
        loop {
            let (session, world, is_new) = self.world(frame, fresh, limit).await?;
            let params = json!({
                "objectId": world.kit,
                "functionDeclaration": CALLED,
                "arguments": [{"value": function}, {"value": argument}],
                "returnByValue": true,
                "awaitPromise": true,
            });
            let answer = match self.call_on(&session, limit, "Runtime.callFunctionOn", params).await {
                // The document went away since; one more try, in the new one.
                Err(PageError::Refused(_)) if !is_new => {
                    fresh = true;
                    continue;
                }
                answer => answer?,
            };
            if let Some(exception) = answer.get("exceptionDetails") {
                return Err(PageError::Script(evaluate::exception_words(exception)));
            }
            return Ok((world, evaluate::by_value(&answer["result"])));
        }
    }

    /// The element that a function of the kit gives, for commands about it, and where these go; `None` where it gives none.
    pub(super) async fn object(
        &self,
        frame: &str,
        function: &str,
        argument: &Value,
    ) -> Result<Option<(Session, String)>, PageError> {
        let (session, world, _) = self.world(frame, false, Connection::USUAL).await?;
        let params = json!({
            "objectId": world.kit,
            "functionDeclaration": CALLED,
            "arguments": [{"value": function}, {"value": argument}],
        });
        let given = self.call_on(&session, Connection::USUAL, "Runtime.callFunctionOn", params).await?;
        let object = given["result"]["objectId"].as_str().map(str::to_owned);
        Ok(object.map(|object| (session, object)))
    }

    /// The world of a frame; made where there is none. The last says whether it was.
    pub(super) async fn world(
        &self,
        frame: &str,
        fresh: bool,
        limit: Duration,
    ) -> Result<(Session, World, bool), PageError> {
        let gone = || PageError::Element {
            code: "no_such_frame",
            message: "the frame is gone".to_owned(),
            hint: "Take a new snapshot.".to_owned(),
        };
        let known = self
            .tab(|tab| tab.frames.get(frame).map(|f| (f.session.clone(), f.generation, f.world.clone())))?;
        let (session, generation, world) = known.ok_or_else(gone)?;
        let session = Session::of(self.browser.connection().clone(), session);
        if let Some(world) = world.filter(|_| !fresh) {
            return Ok((session, world, false));
        }
        let params = json!({"frameId": frame, "worldName": NAME, "grantUniveralAccess": false});
        let made = self.call_on(&session, limit, "Page.createIsolatedWorld", params).await?;
        let context = made["executionContextId"].as_i64().ok_or_else(gone)?;
        let params = json!({"expression": kit(generation), "contextId": context, "returnByValue": false});
        let made = self.call_on(&session, limit, "Runtime.evaluate", params).await?;
        if let Some(exception) = made.get("exceptionDetails") {
            return Err(PageError::Script(evaluate::exception_words(exception)));
        }
        let kit = made["result"]["objectId"].as_str().ok_or_else(gone)?.to_owned();
        let world = World { context, kit };
        self.browser.targets().change(|state| {
            let known = state.tab_mut(&self.target).and_then(|tab| tab.frames.get_mut(frame));
            // Another document may have come meanwhile.
            if let Some(known) = known.filter(|known| known.generation == generation) {
                known.world = Some(world.clone());
            }
        });
        Ok((session, world, true))
    }
}
