//! Files and folders.

pub mod change;
mod counted;
mod diff;
pub mod encoding;
mod entry;
mod first;
mod journalled;
mod left_out;
mod read_only;
#[cfg(test)]
mod reading_tests;
mod text_file;
mod transfer;
mod tree_scan;
mod walk;

pub(crate) use entry::on_one_line;
pub use journalled::JournalledFiles;

crate::family::family! {
    read_file: ReadFile;
    write_file: WriteFile;
    edit_file: EditFile;
    list_dir: ListDir;
    file_search: FileSearch;
    grep: Grep;
    file_stat: FileStat;
    create_directory: CreateDirectory;
    file_copy: FileCopy;
    file_move: FileMove;
    file_delete: FileDelete;
    zip: CompressFiles, DecompressFile;
    undo: Undo;
}
