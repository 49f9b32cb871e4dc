//! The tools of other servers: they come, change and go while the program runs.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use serde_json::Value;
use tokio::sync::watch;

use super::ToolEntry;
use crate::{
    schema,
    spec::{Effects, Permission},
    tool::SharedTool,
};

/// A tool that another server has.
pub struct Guest {
    /// By which it is called here.
    pub name: String,
    /// In that server's words.
    pub description: String,
    pub permission: Permission,
    pub effects: Effects,
    pub timeout_s: u64,
    /// Whether other users of this installation may know of it, too, and not its owner alone.
    pub shared: bool,
    pub input_schema: Value,
    /// `null` where there is none.
    pub output_schema: Value,
    pub tool: SharedTool,
}

/// A tool that was not taken in, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub name: String,
    pub why: String,
}

pub(super) struct Guests {
    state: RwLock<State>,
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// In the order in which they first came.
    hosts: Vec<(String, Vec<Arc<ToolEntry>>)>,
    by_name: HashMap<String, Arc<ToolEntry>>,
}

impl Default for Guests {
    fn default() -> Self {
        Self { state: RwLock::default(), changes: watch::Sender::new(0) }
    }
}

impl Guests {
    /// The tools of one server, in place of those that it had. `is_taken` says whether a name is one of our own.
    pub fn receive(&self, host: &str, guests: Vec<Guest>, is_taken: impl Fn(&str) -> bool) -> Vec<Refused> {
        let mut refused = Vec::new();
        let mut taken_in: Vec<Arc<ToolEntry>> = Vec::new();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.by_name.retain(|_, entry| entry.host() != Some(host));
        for guest in guests {
            let why = if is_taken(&guest.name) || state.by_name.contains_key(&guest.name) {
                Some("there is a tool of that name already".to_owned())
            } else {
                schema::compile(&guest.input_schema)
                    .err()
                    .map(|error| format!("its schema is wrong: {error}"))
            };
            if let Some(why) = why {
                refused.push(Refused { name: guest.name, why });
                continue;
            }
            let entry = Arc::new(ToolEntry::guest(host, guest));
            state.by_name.insert(entry.spec().name.to_owned(), Arc::clone(&entry));
            taken_in.push(entry);
        }
        match state.hosts.iter_mut().find(|(name, _)| name == host) {
            Some((_, tools)) => *tools = taken_in,
            None => state.hosts.push((host.to_owned(), taken_in)),
        }
        drop(state);
        self.changes.send_modify(|count| *count += 1);
        refused
    }

    /// Forgets a server and its tools.
    pub fn dismiss(&self, host: &str) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        state.by_name.retain(|_, entry| entry.host() != Some(host));
        state.hosts.retain(|(name, _)| name != host);
        drop(state);
        self.changes.send_modify(|count| *count += 1);
    }

    pub fn get(&self, name: &str) -> Option<Arc<ToolEntry>> {
        self.state.read().unwrap_or_else(PoisonError::into_inner).by_name.get(name).cloned()
    }

    pub fn all(&self) -> Vec<Arc<ToolEntry>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.hosts.iter().flat_map(|(_, tools)| tools).cloned().collect()
    }

    pub fn hosts(&self) -> Vec<String> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.hosts.iter().map(|(host, _)| host.clone()).collect()
    }

    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}
