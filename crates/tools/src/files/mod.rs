//! Files and folders.

pub mod change;
mod create_directory;
mod diff;
mod edit_file;
pub mod encoding;
mod entry;
mod file_copy;
mod file_delete;
mod file_move;
mod file_search;
mod file_stat;
mod first;
mod grep;
mod list_dir;
mod read_file;
#[cfg(test)]
mod reading_tests;
mod text_file;
mod transfer;
mod tree_scan;
mod undo;
mod walk;
mod write_file;
mod zip;

use deskhand_core::Registry;

/// One line for each tool.
pub fn register(registry: &mut Registry) {
    registry.add(file_stat::FileStat);
    registry.add(read_file::ReadFile);
    registry.add(list_dir::ListDir);
    registry.add(file_search::FileSearch);
    registry.add(grep::Grep);
    registry.add(write_file::WriteFile);
    registry.add(edit_file::EditFile);
    registry.add(undo::Undo);
    registry.add(create_directory::CreateDirectory);
    registry.add(file_copy::FileCopy);
    registry.add(file_move::FileMove);
    registry.add(file_delete::FileDelete);
    registry.add(zip::CompressFiles);
    registry.add(zip::DecompressFile);
}
