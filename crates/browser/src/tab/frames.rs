//! The frames of a tab: which session has each, which document is in it, how far that is loaded.

use std::collections::HashMap;

use serde_json::Value;

/// How far a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reached {
    pub dom: bool,
    pub load: bool,
    pub network_idle: bool,
}

/// Our own code in a frame, in a world that the page does not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    pub context: i64,
    /// The object with our functions.
    pub kit: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub id: String,
    /// `None`: the frame of the tab itself.
    pub parent: Option<String>,
    /// Where commands about it go.
    pub session: String,
    /// The document; another one has another.
    pub loader: String,
    pub url: String,
    pub name: String,
    /// The address that could not be loaded, where an error is shown in its place.
    pub unreachable: Option<String>,
    pub reached: Reached,
    pub world: Option<World>,
    /// Counts the documents that were here; references into an older one are stale.
    pub generation: u64,
}

/// How many frames of one tab are known. A page that makes more has the rest unseen.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub struct Frames {
    all: HashMap<String, Frame>,
    /// In the order in which they came.
    order: Vec<String>,
    next_generation: u64,
}

impl Frames {
    pub fn get(&self, id: &str) -> Option<&Frame> {
        self.all.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut Frame> {
        self.all.get_mut(id)
    }

    /// All of them; a parent stands before its children.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.order.iter().filter_map(|id| self.all.get(id))
    }

    /// There is such a frame, and this session has it.
    pub fn attach(&mut self, id: &str, parent: Option<&str>, session: &str) {
        if let Some(frame) = self.all.get_mut(id) {
            if frame.session != session {
                // Its document moved to another process: nothing of ours is there yet.
                session.clone_into(&mut frame.session);
                frame.world = None;
            }
            return;
        }
        if self.all.len() < MOST {
            self.next_generation += 1;
            let frame = Frame {
                id: id.to_owned(),
                parent: parent.map(str::to_owned),
                session: session.to_owned(),
                generation: self.next_generation,
                ..Frame::default()
            };
            self.order.push(id.to_owned());
            self.all.insert(id.to_owned(), frame);
        }
    }

    /// `frame` of `Page.frameNavigated` and `Page.getFrameTree`. Whether the document is another one.
    pub fn navigated(&mut self, frame: &Value, session: &str) -> bool {
        let text = |key: &str| frame[key].as_str().unwrap_or_default();
        self.attach(text("id"), frame["parentId"].as_str(), session);
        self.next_generation += 1;
        let generation = self.next_generation;
        let Some(known) = self.all.get_mut(text("id")) else { return false };
        known.url = format!("{}{}", text("url"), text("urlFragment"));
        text("name").clone_into(&mut known.name);
        known.unreachable = frame["unreachableUrl"].as_str().filter(|url| !url.is_empty()).map(str::to_owned);
        let is_new = known.loader != text("loaderId");
        if is_new {
            text("loaderId").clone_into(&mut known.loader);
            known.generation = generation;
            known.reached = Reached::default();
            known.world = None;
        }
        is_new
    }

    /// `Page.lifecycleEvent`.
    pub fn lifecycle(&mut self, params: &Value) {
        let (id, loader) = (params["frameId"].as_str(), params["loaderId"].as_str());
        let Some(frame) = id.and_then(|id| self.all.get_mut(id)) else { return };
        if frame.loader.is_empty() {
            // It was there before we were: what has happened to it is told anew.
            loader.unwrap_or_default().clone_into(&mut frame.loader);
        }
        if loader != Some(frame.loader.as_str()) {
            return;
        }
        match params["name"].as_str() {
            // `document.open` begins the same document anew.
            Some("init") => frame.reached = Reached::default(),
            Some("DOMContentLoaded") => frame.reached.dom = true,
            Some("load") => frame.reached.load = true,
            Some("networkIdle") => frame.reached.network_idle = true,
            _ => {}
        }
    }

    /// It is gone, and all below it.
    pub fn detach(&mut self, id: &str) {
        let mut gone = vec![id.to_owned()];
        while let Some(id) = gone.pop() {
            self.all.remove(&id);
            self.order.retain(|known| *known != id);
            gone.extend(
                self.all
                    .values()
                    .filter(|frame| frame.parent.as_ref() == Some(&id))
                    .map(|frame| frame.id.clone()),
            );
        }
    }

    /// The frames below it are gone: another document is there.
    pub fn detach_children(&mut self, id: &str) {
        let children: Vec<String> = self
            .all
            .values()
            .filter(|frame| frame.parent.as_deref() == Some(id))
            .map(|f| f.id.clone())
            .collect();
        for child in children {
            self.detach(&child);
        }
    }

    /// A session is gone; what it had, nobody has.
    pub fn session_gone(&mut self, session: &str) {
        for frame in self.all.values_mut().filter(|frame| frame.session == session) {
            frame.world = None;
        }
    }
}
