//! Files and folders.

mod file_stat;

use deskhand_core::Registry;

/// One line for each tool.
pub fn register(registry: &mut Registry) {
    registry.add(file_stat::FileStat);
}
