//! What the tools of a turn share with the loop: which tools are offered, and wishes to the loop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deskhand_core::{Registry, ToolEntry};

/// The desk of one turn. A service of the calls that it makes.
#[derive(Clone)]
pub struct TurnDesk(Arc<Inner>);

struct Inner {
    registry: Arc<Registry>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By canonical name, in the order in which they were offered: what came first stays first.
    offered: Vec<&'static str>,
    compaction: Option<CompactionWish>,
}

/// The model wants older parts of the conversation summarised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionWish {
    pub focus: Option<String>,
}

impl TurnDesk {
    /// Offers the tools of a toolset, or none where there is no such toolset.
    pub fn new(registry: Arc<Registry>, toolset: &str) -> Self {
        let offered =
            registry.toolset(toolset).unwrap_or_default().into_iter().map(|entry| entry.spec.name).collect();
        Self(Arc::new(Inner { registry, state: Mutex::new(State { offered, compaction: None }) }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    pub fn offered(&self) -> Vec<&Arc<ToolEntry>> {
        let names = self.state().offered.clone();
        names.into_iter().filter_map(|name| self.0.registry.get(name)).collect()
    }

    /// Offers a tool for the rest of the turn.
    pub fn offer(&self, name: &'static str) {
        let mut state = self.state();
        if !state.offered.contains(&name) {
            state.offered.push(name);
        }
    }

    pub fn wish_for_compaction(&self, focus: Option<String>) {
        self.state().compaction = Some(CompactionWish { focus });
    }

    pub(crate) fn take_compaction_wish(&self) -> Option<CompactionWish> {
        self.state().compaction.take()
    }
}
