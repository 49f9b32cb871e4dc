//! The names that four existing systems have for these tools, one table each.

use deskhand_core::Registry;

pub fn register(_registry: &mut Registry) {}
