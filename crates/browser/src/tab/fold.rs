//! How each event changes the state, and what is sent because of it.

use serde_json::{Value, json};

use super::{
    dialogs::Answer,
    state::{Answered, Attached, MOST_TABS, State, Tab, Whose},
};
use crate::{cdp::Event, stealth::Kind};

/// A command that follows from an event; nobody waits for its answer.
#[derive(Debug, PartialEq)]
pub enum Then {
    /// A new target: prepare it and let it run.
    Prepare {
        session: String,
        kind: Kind,
    },
    /// A target that is none of ours: let it run as it is.
    LetRun {
        session: String,
    },
    CloseTarget {
        target: String,
    },
    /// Cancel a download, and remove what is there of it.
    DiscardDownload {
        guid: String,
    },
    Post {
        session: String,
        method: &'static str,
        params: Value,
    },
}

impl State {
    /// Takes an event in.
    pub fn fold(&mut self, event: &Event) -> Vec<Then> {
        let params = &event.params;
        let session = event.session.as_deref();
        let text = |key: &str| params[key].as_str().unwrap_or_default();
        match event.method.as_str() {
            "Target.attachedToTarget" => return self.attached(session, params),
            "Target.detachedFromTarget" => self.detached(text("sessionId")),
            "Target.targetInfoChanged" => self.info_changed(&params["targetInfo"]),
            "Target.targetCrashed" => self.crashed(text("targetId")),
            "Browser.downloadWillBegin" => return self.downloads.begins(params),
            "Browser.downloadProgress" => return self.downloads.progresses(params, &mut self.notices),
            method => {
                return session.map(|session| self.fold_page(session, method, params)).unwrap_or_default();
            }
        }
        Vec::new()
    }

    fn fold_page(&mut self, session: &str, method: &str, params: &Value) -> Vec<Then> {
        let text = |key: &str| params[key].as_str().unwrap_or_default();
        let Some(tab) = self.sessions.get(session).map(|attached| attached.tab.clone()) else {
            return Vec::new();
        };
        let Some(tab) = self.tabs.iter_mut().find(|known| known.target == tab) else { return Vec::new() };
        match method {
            "Page.frameAttached" => {
                tab.frames.attach(text("frameId"), params["parentFrameId"].as_str(), session);
            }
            "Page.frameNavigated" => {
                let frame = &params["frame"];
                let id = frame["id"].as_str().unwrap_or_default();
                if tab.frames.navigated(frame, session) {
                    tab.frames.detach_children(id);
                    if frame["parentId"].is_null() && id == tab.target {
                        tab.dialogs.forget(&mut self.notices);
                        tab.crashed = false;
                        tab.visited |= frame["url"] != "about:blank";
                    }
                }
            }
            "Page.navigatedWithinDocument" => {
                if let Some(frame) = tab.frames.get_mut(text("frameId")) {
                    text("url").clone_into(&mut frame.url);
                }
            }
            // One that moves to another process is not gone.
            "Page.frameDetached" if text("reason") != "swap" => tab.frames.detach(text("frameId")),
            "Page.lifecycleEvent" => tab.frames.lifecycle(params),
            "Page.frameStartedLoading" if text("frameId") == tab.target => tab.loading = true,
            "Page.frameStoppedLoading" if text("frameId") == tab.target => tab.loading = false,
            "Network.responseReceived" if params["type"] == "Document" && text("frameId") == tab.target => {
                let response = &params["response"];
                let word = |key: &str| response[key].as_str().unwrap_or_default();
                let address = word("remoteIPAddress").trim_matches(['[', ']']).parse();
                tab.answered = address.ok().map(|address| Answered { url: word("url").to_owned(), address });
            }
            // In a tab that no call has had, the person is there to answer it.
            "Page.javascriptDialogOpening" if self.whose == Whose::Theirs && !tab.used => {}
            "Page.javascriptDialogOpening" => {
                let answer = tab.dialogs.opens(params, &mut self.notices);
                return answered(session, answer);
            }
            _ => {}
        }
        Vec::new()
    }

    fn attached(&mut self, parent: Option<&str>, params: &Value) -> Vec<Then> {
        let info = &params["targetInfo"];
        let text = |key: &str| info[key].as_str().unwrap_or_default();
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let target = text("targetId").to_owned();
        let of_parent = parent.and_then(|parent| self.sessions.get(parent)).map(|parent| parent.tab.clone());
        let (kind, tab) = match (text("type"), of_parent) {
            // What is loaded ahead is not open yet.
            ("page", None) if text("subtype").is_empty() => (Kind::Page, target.clone()),
            ("iframe", Some(tab)) => (Kind::Frame, tab),
            ("worker" | "shared_worker" | "service_worker", tab) => (Kind::Worker, tab.unwrap_or_default()),
            _ => return vec![Then::LetRun { session }],
        };
        match kind {
            Kind::Page if self.tabs.len() >= MOST_TABS && self.whose == Whose::Theirs => {
                self.notices.add(&format!("More than {MOST_TABS} tabs are open: the others are not seen."));
                return vec![Then::LetRun { session }];
            }
            Kind::Page if self.tabs.len() >= MOST_TABS => {
                self.notices
                    .add(&format!("A page wanted more than {MOST_TABS} tabs; the new one was closed."));
                return vec![Then::CloseTarget { target }];
            }
            Kind::Page => self.opened(&target, &session, info),
            Kind::Frame => {
                if let Some(tab) = self.tab_mut(&tab) {
                    tab.frames.attach(&target, info["parentFrameId"].as_str(), &session);
                }
            }
            Kind::Worker => {}
        }
        self.sessions.insert(session.clone(), Attached { kind, tab });
        vec![Then::Prepare { session, kind }]
    }

    fn opened(&mut self, target: &str, session: &str, info: &Value) {
        self.next_number += 1;
        let mut tab = Tab {
            number: self.next_number,
            target: target.to_owned(),
            session: session.to_owned(),
            title: info["title"].as_str().unwrap_or_default().to_owned(),
            frames: super::frames::Frames::default(),
            dialogs: super::dialogs::Dialogs::default(),
            crashed: false,
            visited: info["url"].as_str().is_some_and(|url| !matches!(url, "" | "about:blank")),
            persons: false,
            used: false,
            loading: false,
            reloaded: None,
            answered: None,
        };
        tab.frames.attach(target, None, session);
        if let Some(frame) = tab.frames.get_mut(target) {
            info["url"].as_str().unwrap_or_default().clone_into(&mut frame.url);
        }
        let opener = info["openerId"].as_str();
        let is_persons =
            self.whose == Whose::Theirs && (opener.is_none() || opener != self.current.as_deref());
        tab.persons = is_persons;
        if opener.is_some() && !is_persons {
            let shown = info["url"].as_str().filter(|url| !url.is_empty()).unwrap_or("about:blank");
            self.notices.add(&format!("The page opened a new tab, number {}: {shown}.", tab.number));
        }
        // What a person would look at: the first tab, and whatever opens after it. What they open for themselves is not.
        if !is_persons || self.current.is_none() {
            self.current = Some(tab.target.clone());
        }
        self.tabs.push(tab);
    }

    /// The answer to `Page.getFrameTree`: the frames of a document that was there before we were.
    pub fn frames_are(&mut self, session: &str, tree: &Value) {
        let Some(tab) = self.sessions.get(session).map(|attached| attached.tab.clone()) else { return };
        let Some(tab) = self.tab_mut(&tab) else { return };
        let mut trees = vec![tree];
        while let Some(tree) = trees.pop() {
            if tree["frame"]["id"].is_string() {
                tab.frames.navigated(&tree["frame"], session);
            }
            trees.extend(tree["childFrames"].as_array().into_iter().flatten().rev());
        }
    }

    /// The sessions of tabs and of frames with processes of their own.
    pub fn sessions_with_frames(&self) -> Vec<String> {
        let of = self.sessions.iter().filter(|(_, attached)| attached.kind != Kind::Worker);
        of.map(|(session, _)| session.clone()).collect()
    }

    fn detached(&mut self, session: &str) {
        let Some(gone) = self.sessions.remove(session) else { return };
        if gone.kind == Kind::Page {
            self.tabs.retain(|tab| tab.target != gone.tab);
            self.sessions.retain(|_, attached| attached.tab != gone.tab);
            if self.current.as_ref() == Some(&gone.tab) {
                self.current = self.tabs.last().map(|tab| tab.target.clone());
            }
        } else if let Some(tab) = self.tab_mut(&gone.tab) {
            tab.frames.session_gone(session);
        }
    }

    pub fn info_changed(&mut self, info: &Value) {
        let title = info["title"].as_str().unwrap_or_default().chars().take(1000).collect();
        if let Some(tab) = self.tab_mut(info["targetId"].as_str().unwrap_or_default()) {
            tab.title = title;
        }
    }

    fn crashed(&mut self, target: &str) {
        let Some(tab) = self.tab_mut(target) else { return };
        tab.crashed = true;
        let number = tab.number;
        self.notices.add(&format!("The page in tab {number} crashed. Navigate again to go on."));
    }
}

fn answered(session: &str, Answer { handle, stop_the_page }: Answer) -> Vec<Then> {
    let post = |method, params| Then::Post { session: session.to_owned(), method, params };
    let mut then = vec![post("Page.handleJavaScriptDialog", handle)];
    if stop_the_page {
        then.push(post("Runtime.terminateExecution", json!({})));
    }
    then
}
