//! After an act: a navigation that it began is waited for, and nothing else.

use std::time::{Duration, Instant};

use super::{Page, PageError};

/// How long a navigation that began may take before the result is told without it.
const PATIENCE: Duration = Duration::from_secs(10);

impl Page {
    /// Waits until a navigation that the last act began is done with. If there is none, this costs one question to the
    /// page: by the time it is answered, a navigation has begun or will not.
    pub async fn settle(&self) -> Result<(), PageError> {
        let begun = Instant::now();
        // It may be that the page goes away over the question.
        let _ = self.ask_within(Duration::from_secs(2), None, "page_facts", &serde_json::Value::Null).await;
        let loads = |tab: &crate::tab::Tab| (!tab.loading || tab.main_frame()?.reached.dom).then_some(());
        match self.wait_for(PATIENCE.saturating_sub(begun.elapsed()), loads).await {
            // The tab was closed by the act, or its page takes long: both are told by what comes next.
            Ok(()) | Err(PageError::TimedOut { .. } | PageError::TabClosed) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
