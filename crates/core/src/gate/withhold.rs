//! Withhold: what a person may keep back of a result is not told as progress before they were asked.

use std::sync::Arc;

use crate::event::{EventBody, EventSink};

/// Passes events on without the words of progress: how far a call is may be known, what it reads may not.
pub(super) struct Withheld(pub Arc<dyn EventSink>);

impl EventSink for Withheld {
    fn emit(&self, mut body: EventBody) {
        if let EventBody::CallOutput { progress, .. } = &mut body {
            progress.text.clear();
            if progress.done.is_none() && progress.total.is_none() {
                return;
            }
        }
        self.0.emit(body);
    }

    fn is_watched(&self) -> bool {
        self.0.is_watched()
    }
}
