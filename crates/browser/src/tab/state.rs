//! All that is known of what is open in a browser.

use std::{collections::HashMap, net::IpAddr};

use super::{
    dialogs::Dialogs,
    downloads::Downloads,
    frames::{Frame, Frames},
    notices::Notices,
};
use crate::stealth::Kind;

/// How many tabs may be open. What a page opens beyond that is closed at once; in a browser of somebody else's, it is not
/// seen.
pub const MOST_TABS: usize = 30;

/// Whose browser it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// Started for one session, and nobody else's.
    #[default]
    Ours,
    /// It ran before. A person has tabs in it, and goes on with them; what they do there is none of ours.
    Theirs,
}

#[derive(Debug, Default)]
pub struct State {
    pub(super) whose: Whose,
    /// By session id.
    pub(super) sessions: HashMap<String, Attached>,
    /// In the order in which they were opened.
    pub tabs: Vec<Tab>,
    /// The target of the tab that calls are about.
    pub(super) current: Option<String>,
    /// The target of the tab that was last brought to the front.
    pub(crate) front: Option<String>,
    pub(super) next_number: u32,
    pub notices: Notices,
    pub downloads: Downloads,
}

/// A target that we are attached to.
#[derive(Clone, Debug)]
pub struct Attached {
    pub kind: Kind,
    /// The target of the tab that it belongs to.
    pub tab: String,
}

#[derive(Debug)]
pub struct Tab {
    /// What it is called by; never used again for another.
    pub number: u32,
    pub target: String,
    pub session: String,
    pub title: String,
    pub frames: Frames,
    pub(crate) dialogs: Dialogs,
    pub crashed: bool,
    /// Whether anything but an empty page was ever in it.
    pub visited: bool,
    /// Whether it is a person's: neither a call nor a page that calls used has opened it.
    pub persons: bool,
    /// Whether a call has had it. Others of a person's tabs are only listed.
    pub used: bool,
    /// Whether its main frame is loading something.
    pub loading: bool,
    /// The entry of its history that was loaded anew and is known to be no answer to a form.
    pub(crate) reloaded: Option<i64>,
    /// Where its document came from, where that is listened to.
    pub answered: Option<Answered>,
}

/// An answer with a document, and the address that really gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    pub url: String,
    pub address: IpAddr,
}

impl Tab {
    /// The frame of the tab itself. Chromium gives it the id of the target.
    pub fn main_frame(&self) -> Option<&Frame> {
        self.frames.get(&self.target).or_else(|| self.frames.iter().find(|frame| frame.parent.is_none()))
    }

    /// Whether nothing was opened in it yet. (An empty page that another one opened has whatever that one wrote into it.)
    pub fn is_untouched(&self) -> bool {
        self.number == 1 && !self.visited
    }

    /// Whether its document has opened a dialog.
    pub fn has_asked(&self) -> bool {
        self.dialogs.any()
    }

    pub fn url(&self) -> &str {
        let main = self.main_frame();
        main.map_or("", |frame| frame.unreachable.as_deref().unwrap_or(&frame.url))
    }
}

impl State {
    pub fn of(whose: Whose) -> Self {
        Self { whose, ..Self::default() }
    }

    /// Whether there is still something at its other end.
    pub fn has_session(&self, id: &str) -> bool {
        self.sessions.contains_key(id)
    }

    /// The tab that calls are about.
    pub fn current(&self) -> Option<&Tab> {
        self.tabs.iter().find(|tab| Some(&tab.target) == self.current.as_ref())
    }

    pub fn tab(&self, target: &str) -> Option<&Tab> {
        self.tabs.iter().find(|tab| tab.target == target)
    }

    pub fn tab_mut(&mut self, target: &str) -> Option<&mut Tab> {
        self.tabs.iter_mut().find(|tab| tab.target == target)
    }

    /// Makes the tab of this target the one that calls are about, if there is one.
    pub fn make_current(&mut self, target: &str) {
        if self.tab(target).is_some() {
            self.current = Some(target.to_owned());
        }
    }

    /// A call has opened the tab of this target.
    pub fn is_ours(&mut self, target: &str) {
        self.tab_mut(target).into_iter().for_each(|tab| tab.persons = false);
    }

    /// Makes it the one that calls are about. Whether there is such a tab.
    pub fn select(&mut self, number: u32) -> bool {
        let found = self.tabs.iter().find(|tab| tab.number == number).map(|tab| tab.target.clone());
        let there = found.is_some();
        if there {
            self.current = found;
        }
        there
    }
}
