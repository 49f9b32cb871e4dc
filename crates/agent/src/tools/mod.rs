//! The tools that belong to a turn.

mod compact;
mod find_tools;

use deskhand_core::Registry;

pub fn register(registry: &mut Registry) {
    registry.add(find_tools::FindTools);
    registry.add(compact::Compact);
}

/// The toolset that a conversation starts with.
pub const CHAT: &str = "chat";
