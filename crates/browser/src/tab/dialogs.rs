//! Dialogs (`alert`, `confirm`, `prompt`, leaving a page): they are answered at once, so that nothing ever hangs on one.
//! An `alert` can only be closed, and a page may always be left; to what asks, the answer is no.

use serde_json::{Value, json};

use super::notices::Notices;

/// How many dialogs of one document are put up with. After that its code is stopped at each.
const MOST: usize = 30;

/// The dialogs of a tab's document.
#[derive(Debug, Default)]
pub struct Dialogs {
    seen: usize,
}

/// What to do about a dialog.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// The parameters of `Page.handleJavaScriptDialog`.
    pub handle: Value,
    /// Whether the page has had enough of them.
    pub stop_the_page: bool,
}

impl Dialogs {
    /// Another document has the tab now.
    pub fn forget(&mut self) {
        self.seen = 0;
    }

    /// Whether there was one.
    pub fn any(&self) -> bool {
        self.seen > 0
    }

    /// The answer to a `Page.javascriptDialogOpening`.
    pub fn opens(&mut self, params: &Value, notices: &mut Notices) -> Answer {
        self.seen += 1;
        let text = |key: &str| params[key].as_str().unwrap_or_default();
        let kind = text("type");
        let accept = !matches!(kind, "confirm" | "prompt");
        let stop_the_page = self.seen > MOST;
        if self.seen == MOST + 1 {
            notices.add(&format!(
                "The page has opened more than {MOST} dialogs: its code is stopped at each from here on."
            ));
        } else if !stop_the_page {
            let answered = if kind == "alert" {
                "closed"
            } else if accept {
                "accepted"
            } else {
                "dismissed"
            };
            notices.add(&format!("A dialog ({kind}) said «{}»; it was {answered}.", text("message")));
        }
        Answer { handle: json!({"accept": accept}), stop_the_page }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_answer() {
        for (kind, accepted) in
            [("alert", true), ("beforeunload", true), ("confirm", false), ("prompt", false)]
        {
            let params = json!({"type": kind, "message": "Really?", "defaultPrompt": "Bob"});
            let mut notices = Notices::default();
            let answer = Dialogs::default().opens(&params, &mut notices);
            assert_eq!(answer.handle, json!({"accept": accepted}), "{kind}");
            assert!(notices.take()[0].contains("Really?"));
        }
    }

    #[test]
    fn a_page_without_end_is_stopped_and_told_of_once() {
        let (mut dialogs, mut notices) = (Dialogs::default(), Notices::default());
        let params = json!({"type": "alert", "message": "again"});
        let stopped = (0..100).filter(|_| dialogs.opens(&params, &mut notices).stop_the_page);
        assert_eq!(stopped.count(), 100 - MOST);
        let told = notices.take();
        assert!(told.len() <= 21 && told.last().unwrap().contains("more than 30"), "{told:?}");
        assert!(notices.take().is_empty());
        dialogs.forget();
        assert!(!dialogs.opens(&params, &mut notices).stop_the_page);
    }
}
