//! What the tools of a turn share with the loop: which tools are offered, and wishes to the loop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deskhand_core::{Registry, ToolEntry};

use crate::{
    chain::{Language, offer},
    provider::ToolDefinition,
};

/// The desk of one turn. A service of the calls that it makes.
#[derive(Clone)]
pub struct TurnDesk(Arc<Inner>);

struct Inner {
    registry: Arc<Registry>,
    language: Language,
    state: Mutex<State>,
}

struct State {
    /// In the order in which they were offered: what came first stays first, and stays as it is.
    offered: Vec<ToolDefinition>,
    compaction: Option<CompactionWish>,
}

/// The model wants older parts of the conversation summarised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionWish {
    pub focus: Option<String>,
}

impl TurnDesk {
    /// Offers the tools of a toolset, or none where there is no such toolset, in as much detail as fits.
    pub fn new(registry: Arc<Registry>, toolset: &str, language: Language) -> Self {
        let entries = registry.toolset(toolset).unwrap_or_default();
        let offered = offer::definitions(&entries, language, offer::DEFAULT_BYTES);
        Self(Arc::new(Inner { registry, language, state: Mutex::new(State { offered, compaction: None }) }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// What the model is told of the tools that it has.
    pub fn offered(&self) -> Vec<ToolDefinition> {
        self.state().offered.clone()
    }

    /// Who else speaks in what the model is told: other servers say what their tools are.
    pub fn said_by(&self) -> Vec<String> {
        let state = self.state();
        let entries = state.offered.iter().filter_map(|tool| self.0.registry.get(&tool.name));
        entries.filter_map(|entry| entry.said_by()).collect()
    }

    /// Offers a tool for the rest of the turn, and says what the model is told of it.
    pub fn offer(&self, entry: &ToolEntry) -> ToolDefinition {
        let definition = offer::definition(entry, self.0.language);
        let mut state = self.state();
        if !state.offered.iter().any(|offered| offered.name == definition.name) {
            state.offered.push(definition.clone());
        }
        definition
    }

    pub fn wish_for_compaction(&self, focus: Option<String>) {
        self.state().compaction = Some(CompactionWish { focus });
    }

    pub(crate) fn take_compaction_wish(&self) -> Option<CompactionWish> {
        self.state().compaction.take()
    }
}
