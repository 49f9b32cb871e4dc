//! What was shown.

use std::sync::Mutex;

use deskhand_core::{EventBody, EventSink};

/// Records every event.
#[derive(Default)]
pub struct Events(pub Mutex<Vec<EventBody>>);

impl EventSink for Events {
    fn emit(&self, body: EventBody) {
        self.0.lock().unwrap().push(body);
    }
}

impl Events {
    /// All of them, as one text to look through.
    pub fn json(&self) -> String {
        serde_json::to_string(&*self.0.lock().unwrap()).unwrap()
    }
}
