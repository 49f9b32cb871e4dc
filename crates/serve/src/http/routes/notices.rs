//! What a page wants to know wherever it is: what waits for an answer, and whether the list of sessions has changed.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    time::Duration,
};

use aide::axum::{ApiRouter, routing::get_with};
use axum::{extract::State, response::sse::Event as SseEvent};
use deskhand_core::{
    ApprovalRequest,
    session::{Owner, PageAsk, SessionQuery},
};
use futures_util::{StreamExt, stream};
use serde_json::json;

use super::approvals;
use crate::http::{
    app::App,
    error::ApiError,
    person::Person,
    sse::{self, EventsAnswer},
};

/// How often it is looked whether anything has changed at all, which costs next to nothing.
const LOOKS_EVERY: Duration = Duration::from_millis(300);
/// Questions lapse without anything being written: they are looked at at least this often.
const LOOKS_CLOSELY_EVERY: Duration = Duration::from_secs(3);
/// How many of the newest sessions a change is looked for in.
const SESSIONS: u64 = 30;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/notices",
        get_with(notices, |op| {
            op.id("notices")
                .summary("Changes that concern the whole page, as server-sent events")
                .description("`approvals` has all open questions; `sessions` says that the list of sessions has changed.")
                .tag("events")
        }),
    )
}

async fn notices(State(app): State<App>, person: Person) -> Result<EventsAnswer, ApiError> {
    let watch =
        Watch { app: app.clone(), person, version: None, looked: None, pending: None, sessions: None };
    let events = stream::unfold(watch, |mut watch| async move {
        let found = watch.next().await;
        Some((stream::iter(found), watch))
    });
    Ok(EventsAnswer::new(events.flatten(), &app))
}

struct Watch {
    app: App,
    person: Person,
    /// The state of the database that was looked at last.
    version: Option<i64>,
    looked: Option<tokio::time::Instant>,
    pending: Option<Vec<String>>,
    sessions: Option<u64>,
}

impl Watch {
    /// Waits for a change, and tells what it is.
    async fn next(&mut self) -> Vec<SseEvent> {
        loop {
            if self.looked.is_some() {
                tokio::time::sleep(LOOKS_EVERY).await;
            }
            let version = self.app.store(|store| store.version()).await.ok();
            let is_due = self.looked.is_none_or(|at| at.elapsed() >= LOOKS_CLOSELY_EVERY);
            if version.is_some() && version == self.version && !is_due {
                continue;
            }
            (self.version, self.looked) = (version, Some(tokio::time::Instant::now()));
            let found = self.look().await;
            if !found.is_empty() {
                return found;
            }
        }
    }

    async fn look(&mut self) -> Vec<SseEvent> {
        let mut found = Vec::new();
        if let Ok(pending) = approvals::pending(&self.app, &self.person).await {
            let ids: Vec<String> =
                pending.iter().map(|request: &ApprovalRequest| request.id.clone()).collect();
            if self.pending.as_ref() != Some(&ids) {
                self.pending = Some(ids);
                found.push(sse::event("approvals", &json!({"pending": pending})));
            }
        }
        if let Ok(fingerprint) = self.fingerprint().await {
            // Also at the first look: the page may have asked for the list before this one saw it.
            if self.sessions.replace(fingerprint) != Some(fingerprint) {
                found.push(sse::event("sessions", &json!({})));
            }
        }
        found
    }

    /// Of the newest sessions, as a list shows them.
    async fn fingerprint(&self) -> Result<u64, ApiError> {
        let query = SessionQuery {
            page: PageAsk { page: 1, size: SESSIONS },
            archived: None,
            deleted: false,
            owner: Owner::Only(self.person.user.clone()),
        };
        let page = self.app.store(move |store| store.sessions(&query)).await?;
        let mut hasher = DefaultHasher::new();
        page.total.hash(&mut hasher);
        for session in &page.items {
            (&session.id, &session.title, session.is_archived, session.message_count).hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}
