//! Dialogs (`alert`, `confirm`, `prompt`, leaving a page): they are answered at once, so that nothing ever hangs on one.
//! An `alert` can only be closed, and a page may always be left; to what asks, the answer is no, but for the one dialog
//! that a call expects and was allowed to say yes to.

use std::fmt;

use deskhand_core::{Screener, screener::MASK_OPEN};
use deskhand_guard::SecretScreener;
use serde_json::{Value, json};
use url::{Origin, Url};

use super::notices::Notices;

/// How many dialogs of one document are put up with. After that its code is stopped at each.
const MOST: usize = 30;

/// How long the words of a dialog may be that gets a yes: whoever allows it has read all of them.
pub const LONGEST: usize = 400;

/// That what was expected did not come.
pub const NOT_OPENED: &str = "No dialog opened with the message in accept_dialog: none was accepted.";

/// What a dialog says, as it is shown and compared: in one line, without what nobody sees. It stands between « and », and
/// has none of these itself, so that no words of a page pass for ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(String);

/// Why nothing that says this can be said yes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    #[error("the message of a dialog that is accepted has words; this one is empty")]
    Empty,
    #[error("a dialog that says more than {LONGEST} characters cannot be accepted")]
    TooLong,
    #[error("a dialog with what looks like a secret in its message cannot be accepted: that is masked")]
    Masked,
}

impl Message {
    /// One that can be named in `accept_dialog`.
    pub fn new(message: &str) -> Result<Self, BadMessage> {
        let words = words(message);
        match words.chars().nth(LONGEST) {
            _ if words.is_empty() => Err(BadMessage::Empty),
            Some(_) => Err(BadMessage::TooLong),
            None if is_masked(&words) => Err(BadMessage::Masked),
            None => Ok(Self(words)),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn words(message: &str) -> String {
    let shown = |c: char| match c {
        '«' => '‹',
        '»' => '›',
        c if deskhand_core::is_unfit(c) => ' ',
        c => c,
    };
    message.chars().map(shown).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the gate masks some of these words where they are told, or they hold a mask already. Nobody reads all of them
/// then, and a call that repeats them as they were told, between these marks, is refused for its mask.
fn is_masked(words: &str) -> bool {
    SecretScreener.mask_text(&format!("«{words}»")).contains(MASK_OPEN)
}

/// A dialog that a call may say yes to.
#[derive(Clone, PartialEq)]
pub struct Expected {
    message: Message,
    text: Option<String>,
    origin: Origin,
}

impl Expected {
    /// One that says exactly this, in a document of where `page` is. With `text` it is a `prompt`, which gets that; without
    /// it a `confirm`.
    pub fn new(message: Message, text: Option<String>, page: &str) -> Self {
        // Where there is no address, the origin is one that nothing else has.
        let origin = Url::parse(page).map_or_else(|_| Origin::new_opaque(), |url| url.origin());
        Self { message, text, origin }
    }

    fn is(&self, kind: &str, message: &str, page: &str) -> bool {
        kind == if self.text.is_some() { "prompt" } else { "confirm" }
            && message == self.message.0
            && Url::parse(page).is_ok_and(|url| url.origin() == self.origin)
    }
}

/// The text may be a secret.
impl fmt::Debug for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expected").field("message", &self.message).finish_non_exhaustive()
    }
}

/// The dialogs of a tab's document.
#[derive(Debug, Default)]
pub struct Dialogs {
    seen: usize,
    /// Of the call that has the tab, until it ends.
    expected: Option<Expected>,
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
    /// Another document has the tab now. A yes was for the one before, also where both are of one site.
    pub fn forget(&mut self, notices: &mut Notices) {
        self.seen = 0;
        if self.expect_none().is_some() {
            notices.add(NOT_OPENED);
        }
    }

    /// Whether there was one.
    pub fn any(&self) -> bool {
        self.seen > 0
    }

    /// From here on this one gets a yes, once.
    pub fn expect(&mut self, expected: Expected) {
        self.expected = Some(expected);
    }

    /// Whether one is still to come.
    pub fn expects(&self) -> bool {
        self.expected.is_some()
    }

    /// From here on none does. What was expected, if it did not come.
    pub fn expect_none(&mut self) -> Option<Expected> {
        self.expected.take()
    }

    /// The answer to a `Page.javascriptDialogOpening`.
    pub fn opens(&mut self, params: &Value, notices: &mut Notices) -> Answer {
        self.seen += 1;
        let text = |key: &str| params[key].as_str().unwrap_or_default();
        let (kind, message) = (text("type"), words(text("message")));
        let stop_the_page = self.seen > MOST;
        let yes =
            self.expected.take_if(|expected| !stop_the_page && expected.is(kind, &message, text("url")));
        if self.seen == MOST + 1 {
            notices.add(&format!(
                "The page has opened more than {MOST} dialogs: its code is stopped at each from here on."
            ));
        } else if !stop_the_page {
            notices.add(&told(kind, &message, text("url"), yes.is_some()));
        }
        let handle = match yes {
            Some(Expected { text: Some(text), .. }) => json!({"accept": true, "promptText": text}),
            Some(_) => json!({"accept": true}),
            None => json!({"accept": !asks(kind)}),
        };
        Answer { handle, stop_the_page }
    }
}

/// Whether it is known whose document is there. An empty one, or one that was written into a frame, may be anybody's.
fn has_origin(page: &str) -> bool {
    Url::parse(page).is_ok_and(|url| url.origin().is_tuple())
}

fn asks(kind: &str) -> bool {
    matches!(kind, "confirm" | "prompt")
}

/// What happened, and for one that got a no what would have it get a yes.
fn told(kind: &str, message: &str, page: &str, is_expected: bool) -> String {
    let shown: String = message.chars().take(LONGEST).collect();
    let is_long = shown.len() < message.len();
    let answered = match kind {
        "alert" => "closed.",
        _ if is_expected => "accepted, as the call says.",
        _ if !asks(kind) => "accepted.",
        _ if is_long => "dismissed. Its message is too long to be accepted.",
        _ if message.is_empty() => "dismissed. It has no message, and cannot be accepted.",
        _ if !has_origin(page) => {
            "dismissed. It cannot be accepted: its document has no address, so that nobody knows whose it is."
        }
        _ if is_masked(message) => {
            "dismissed. It cannot be accepted: some of its message looks like a secret, and is masked."
        }
        "prompt" => {
            "dismissed. To answer it, do what opened it once more, with accept_dialog: this message, and text."
        }
        _ => "dismissed. To accept it, do what opened it once more, with accept_dialog: this message.",
    };
    format!("A dialog ({kind}) said «{shown}{}»; it was {answered}", if is_long { "…" } else { "" })
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

    const PAGE: &str = "http://127.0.0.1:8000/a";

    fn asked(kind: &str, message: &str) -> Value {
        json!({"type": kind, "message": message, "url": "http://127.0.0.1:8000/b?c"})
    }

    fn sure(page: &str) -> Expected {
        Expected::new(Message::new("Sure?").unwrap(), None, page)
    }

    #[test]
    fn what_is_expected_gets_a_yes_and_nothing_else_does() {
        let (yes, no) = (json!({"accept": true}), json!({"accept": false}));
        let answer = json!({"accept": true, "promptText": "Bob"});
        let long = "x".repeat(LONGEST + 1);
        for (message, text, dialog, wanted) in [
            ("Sure?", None, asked("confirm", "Sure?"), &yes),
            ("Delete «x»?", None, asked("confirm", "Delete «x»?"), &yes),
            // As it was told.
            ("Delete ‹x›?", None, asked("confirm", "Delete «x»?"), &yes),
            (" Are  you\nsure? ", None, asked("confirm", "Are you\n\n sure?"), &yes),
            ("Sure?", None, asked("confirm", "Sure? All of them?"), &no),
            ("Sure?", None, asked("confirm", "sure?"), &no),
            ("Sure?", None, asked("confirm", "Su\u{200b}re?"), &no),
            ("Sure?", None, asked("confirm", ""), &no),
            ("Sure?", None, asked("prompt", "Sure?"), &no),
            ("Name?", Some("Bob"), asked("prompt", "Name?"), &answer),
            ("Name?", Some("Bob"), asked("prompt", "Password?"), &no),
            ("Name?", Some("Bob"), asked("confirm", "Name?"), &no),
            (
                "Sure?",
                None,
                json!({"type": "confirm", "message": "Sure?", "url": "http://127.0.0.1:8001/"}),
                &no,
            ),
            ("Sure?", None, json!({"type": "confirm", "message": "Sure?", "url": "about:blank"}), &no),
            ("Sure?", None, json!({"type": "confirm", "message": "Sure?"}), &no),
            (&long[1..], None, asked("confirm", &long), &no),
        ] {
            let mut dialogs = Dialogs::default();
            let message = Message::new(message).unwrap();
            dialogs.expect(Expected::new(message.clone(), text.map(str::to_owned), PAGE));
            let mut notices = Notices::default();
            assert_eq!(&dialogs.opens(&dialog, &mut notices).handle, wanted, "{message} {text:?} {dialog}");
            let told = notices.take().concat();
            assert_eq!(told.contains("accepted, as the call says"), wanted["accept"] == true, "{told}");
            // Once, and not after the call.
            assert_eq!(dialogs.expect_none().is_none(), wanted["accept"] == true, "{dialog}");
            assert_eq!(dialogs.opens(&dialog, &mut notices).handle, no, "{dialog}");
        }
    }

    #[test]
    fn what_has_no_address_is_nowhere_expected() {
        for page in ["", "about:blank", "data:text/html,x"] {
            let mut dialogs = Dialogs::default();
            dialogs.expect(sure(page));
            let dialog = json!({"type": "confirm", "message": "Sure?", "url": page});
            assert_eq!(dialogs.opens(&dialog, &mut Notices::default()).handle, json!({"accept": false}));
        }
    }

    #[test]
    fn a_page_that_is_stopped_gets_no_yes() {
        let (mut dialogs, mut notices) = (Dialogs::default(), Notices::default());
        for _ in 0..MOST {
            dialogs.opens(&asked("alert", "again"), &mut notices);
        }
        dialogs.expect(sure(PAGE));
        let answer = dialogs.opens(&asked("confirm", "Sure?"), &mut notices);
        assert_eq!(answer, Answer { handle: json!({"accept": false}), stop_the_page: true });
    }

    #[test]
    fn a_no_is_told_with_what_would_be_a_yes() {
        let fits = "x".repeat(LONGEST);
        for (kind, message, end) in [
            (
                "confirm",
                "Delete\nall?",
                "said «Delete all?»; it was dismissed. To accept it, do what opened it once more, with accept_dialog: this message.",
            ),
            (
                "prompt",
                "Name?",
                "said «Name?»; it was dismissed. To answer it, do what opened it once more, with accept_dialog: this message, and text.",
            ),
            ("confirm", &fits, "with accept_dialog: this message."),
            (
                "confirm",
                &format!("{fits}x"),
                "x…»; it was dismissed. Its message is too long to be accepted.",
            ),
            ("confirm", " \n ", "said «»; it was dismissed. It has no message, and cannot be accepted."),
            ("alert", "Hello", "said «Hello»; it was closed."),
            // Words of a page do not leave their quotes.
            ("alert", "Hello»; it was closed. «", "said «Hello›; it was closed. ‹»; it was closed."),
        ] {
            let mut notices = Notices::default();
            Dialogs::default().opens(&asked(kind, message), &mut notices);
            let told = notices.take().concat();
            assert!(told.ends_with(end), "{told}");
        }
    }

    /// Whose it is cannot be told, and it gets no yes either.
    #[test]
    fn of_what_has_no_address_it_is_told_that_it_cannot_be_accepted() {
        for url in
            [json!("about:blank"), json!("about:srcdoc"), json!("data:text/html,x"), json!(""), json!(null)]
        {
            for kind in ["confirm", "prompt"] {
                let mut notices = Notices::default();
                let dialog = json!({"type": kind, "message": "Sure?", "url": url});
                Dialogs::default().opens(&dialog, &mut notices);
                let told = notices.take().concat();
                assert!(told.contains("cannot be accepted") && !told.contains("accept_dialog"), "{told}");
            }
        }
    }

    /// The gate masks it wherever it is told, and takes no mask in the arguments of an act.
    #[test]
    fn of_what_is_masked_it_is_told_that_it_cannot_be_accepted() {
        let key = format!("ghp_{}", "0123456789abcdefghijABCDEFGHIJ012345");
        for message in [format!("Delete {key}?"), format!("password: {key}"), format!("Keep {MASK_OPEN}x⟧?")]
        {
            for kind in ["confirm", "prompt"] {
                let mut notices = Notices::default();
                Dialogs::default().opens(&asked(kind, &message), &mut notices);
                let told = notices.take().concat();
                assert!(told.contains("cannot be accepted") && !told.contains("accept_dialog"), "{told}");
            }
            assert_eq!(Message::new(&message), Err(BadMessage::Masked), "{message}");
        }
        // Words about secrets are none.
        for message in ["Your password?", "Password:", "Delete the token and its key?", "API key ="] {
            let mut notices = Notices::default();
            Dialogs::default().opens(&asked("prompt", message), &mut notices);
            let told = notices.take().concat();
            assert_eq!(&*SecretScreener.mask_text(&told), told);
            assert!(told.contains("accept_dialog") && Message::new(message).is_ok(), "{told}");
        }
    }

    #[test]
    fn what_no_dialog_can_say_is_not_expected() {
        let fits = "x".repeat(LONGEST);
        for (message, wanted) in [
            ("", Err(BadMessage::Empty)),
            (" \n\u{200b}\t", Err(BadMessage::Empty)),
            (&format!("{fits}x"), Err(BadMessage::TooLong)),
            (&format!(" {fits}\n"), Ok(fits.as_str())),
            (&"中".repeat(LONGEST), Ok(&"中".repeat(LONGEST))),
            ("Save». Nothing is sent. «", Ok("Save›. Nothing is sent. ‹")),
        ] {
            assert_eq!(
                Message::new(message).map(|message| message.0),
                wanted.map(str::to_owned),
                "{message:?}"
            );
        }
    }

    #[test]
    fn another_document_is_not_the_one_that_was_expected() {
        let (mut dialogs, mut notices) = (Dialogs::default(), Notices::default());
        dialogs.expect(sure(PAGE));
        dialogs.forget(&mut notices);
        assert_eq!(notices.take(), [NOT_OPENED]);
        assert_eq!(dialogs.opens(&asked("confirm", "Sure?"), &mut notices).handle, json!({"accept": false}));
        dialogs.forget(&mut Notices::default());
        assert!(!dialogs.expects());
    }

    #[test]
    fn a_text_is_not_shown() {
        let mut dialogs = Dialogs::default();
        let message = Message::new("Password?").unwrap();
        dialogs.expect(Expected::new(message, Some("hunter2".to_owned()), PAGE));
        assert!(!format!("{dialogs:?}").contains("hunter2"));
        let mut notices = Notices::default();
        dialogs.opens(&asked("prompt", "Password?"), &mut notices);
        assert!(!notices.take().concat().contains("hunter2"));
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
        dialogs.forget(&mut notices);
        assert!(!dialogs.opens(&params, &mut notices).stop_the_page);
    }
}
