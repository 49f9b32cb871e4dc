//! Progress of calls: what a server tells about one goes to whoever made it, and not more often than anyone can read.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deskhand_core::Cx;
use rmcp::model::{ProgressNotificationParam, ProgressToken};

use super::name;

/// Progress that comes sooner after the last is left out.
const NOT_SOONER: Duration = Duration::from_millis(100);

/// The calls under way, by their tokens.
#[derive(Default)]
pub(super) struct Watched(Mutex<HashMap<ProgressToken, Watch>>);

struct Watch {
    cx: Cx,
    told: Option<Instant>,
}

impl Watched {
    fn calls(&self) -> MutexGuard<'_, HashMap<ProgressToken, Watch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on, until the guard is dropped, progress of this token belongs to this call.
    pub fn watch(&self, token: ProgressToken, cx: &Cx) -> Watching<'_> {
        self.calls().insert(token.clone(), Watch { cx: cx.clone(), told: None });
        Watching { watched: self, token }
    }

    pub fn tell(&self, progress: &ProgressNotificationParam) {
        let cx = {
            let mut calls = self.calls();
            let Some(watch) = calls.get_mut(&progress.progress_token) else { return };
            let now = Instant::now();
            if watch.told.is_some_and(|told| now.duration_since(told) < NOT_SOONER) {
                return;
            }
            watch.told = Some(now);
            watch.cx.clone()
        };
        let text = progress.message.as_deref().map_or_else(String::new, |text| name::harmless(text, 300));
        cx.progress(&text, Some(whole(progress.progress)), progress.total.map(whole));
    }
}

/// Whole steps: what is below zero, or no number, is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, which is what is wanted
fn whole(number: f64) -> u64 {
    number as u64
}

/// While it lives, a call gets its progress.
pub(super) struct Watching<'a> {
    watched: &'a Watched,
    token: ProgressToken,
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.watched.calls().remove(&self.token);
    }
}
