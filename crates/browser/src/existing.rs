//! A browser that ran before us: its tabs, their frames, and which one the person has before them.

use std::{collections::HashSet, time::Duration};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::{
    cdp::{Connection, Session},
    tab::Targets,
};

/// How long a tab may take to answer. One that was put to sleep, or is busy, does not; it is known by its address alone.
const ANSWERING: Duration = Duration::from_secs(2);

/// Takes in what was there before. Events tell only of what comes.
pub async fn take_in(connection: &Connection, targets: &Targets) {
    take_in_frames(connection, targets).await;
    let in_front = tab_in_front(connection, targets).await;
    targets.change(|state| in_front.iter().for_each(|target| state.make_current(target)));
}

/// A frame with a process of its own is told of before its parent answers: when no session is new, all are known.
async fn take_in_frames(connection: &Connection, targets: &Targets) {
    let mut asked = HashSet::new();
    loop {
        let mut new = targets.look().sessions_with_frames();
        new.retain(|session| asked.insert(session.clone()));
        if new.is_empty() {
            return;
        }
        let trees =
            join_all(new.iter().map(|session| ask(connection, session, "Page.getFrameTree", json!({}))))
                .await;
        targets.change(|state| {
            for (session, tree) in new.iter().zip(&trees) {
                state.frames_are(session, &tree["frameTree"]);
            }
        });
    }
}

/// The target of the tab that has the focus, or else of one that is to be seen.
async fn tab_in_front(connection: &Connection, targets: &Targets) -> Option<String> {
    let tabs: Vec<(String, String)> = {
        let state = targets.look();
        state.tabs.iter().map(|tab| (tab.target.clone(), tab.session.clone())).collect()
    };
    let said = join_all(tabs.iter().map(|(target, session)| looks(connection, target, session))).await;
    let seen = tabs.into_iter().zip(said).map(|((target, _), said)| (said, target));
    let best = seen.filter(|(seen, _)| *seen > Some(0)).max_by_key(|(seen, _)| *seen);
    best.map(|(_, target)| target)
}

/// How much a tab is before the person: 2, 1 or 0. In a world of our own: in the page's, what is asked may be the page's.
async fn looks(connection: &Connection, target: &str, session: &str) -> Option<u64> {
    let looks = "(document.visibilityState === 'visible') + document.hasFocus()";
    let world = ask(connection, session, "Page.createIsolatedWorld", json!({"frameId": target})).await;
    let context = world["executionContextId"].as_i64()?;
    let params = json!({"expression": looks, "returnByValue": true, "contextId": context});
    ask(connection, session, "Runtime.evaluate", params).await["result"]["value"].as_u64()
}

/// What it says; nothing where it does not.
async fn ask(connection: &Connection, session: &str, method: &str, params: Value) -> Value {
    let session = Session::of(connection.clone(), session);
    session.call_within(ANSWERING, method, params).await.unwrap_or_default()
}
