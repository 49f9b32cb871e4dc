//! How far a long call is, in one line on stderr; and what in the background has ended.

use std::{
    io::{self, IsTerminal, Write},
    sync::Mutex,
    time::{Duration, Instant},
};

use deskhand_core::{EventBody, EventSink};

use super::{safe, safe_line};

/// Shows progress where stderr is a terminal; says nothing otherwise.
pub struct ProgressLine {
    shown: bool,
    last: Mutex<Option<Instant>>,
}

impl ProgressLine {
    pub fn new(json: bool) -> Self {
        Self { shown: !json && io::stderr().is_terminal(), last: Mutex::new(None) }
    }

    fn due(&self) -> bool {
        const PAUSE: Duration = Duration::from_millis(100);
        let Ok(mut last) = self.last.lock() else { return false };
        let due = last.is_none_or(|last| last.elapsed() >= PAUSE);
        if due {
            *last = Some(Instant::now());
        }
        due
    }

    fn clear(&self) {
        if self.last.lock().is_ok_and(|mut last| last.take().is_some()) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl EventSink for ProgressLine {
    fn emit(&self, body: EventBody) {
        match body {
            EventBody::CallOutput { progress, .. } if self.shown && self.due() => {
                let far = match (progress.done, progress.total) {
                    (Some(done), Some(total)) if total > 0 => {
                        format!(" {}%", done.saturating_mul(100) / total)
                    }
                    (Some(done), _) => format!(" {done}"),
                    _ => String::new(),
                };
                let text: String =
                    safe(&progress.text).lines().next().unwrap_or_default().chars().take(70).collect();
                let _ = write!(io::stderr(), "\r\x1b[K{text}{far}");
            }
            EventBody::ProcessEnded { process_id, command, exit_code, status, .. } if self.shown => {
                self.clear();
                let code = exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
                let line = safe_line(&format!("{process_id}: {status}{code}: {command}"));
                let _ = write!(io::stderr(), "\r\x1b[K{line}\n");
            }
            EventBody::CallEnded { .. } | EventBody::ApprovalWanted { .. } if self.shown => self.clear(),
            _ => {}
        }
    }

    fn is_watched(&self) -> bool {
        self.shown
    }
}
