//! Archives, good ones and hostile ones, against the whole of both tools.

mod both_ways;
mod hostile;
mod packing;
mod raw;
mod unpacking;

use std::{
    io::{Cursor, Write},
    path::Path,
};

use ::zip::{ZipWriter, write::SimpleFileOptions};
use deskhand_core::{ToolError, ToolResult};
use serde_json::{Value, json};

use super::{CompressFiles, DecompressFile};
use crate::testing::{Called, Desk};

/// An archive of files with these names and contents.
fn archive_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn unpack(desk: &Desk, arguments: Value) -> ToolResult<Called> {
    desk.call(DecompressFile, arguments)
}

/// Puts these bytes at `a.zip` and unpacks them into `out`: refused, with nothing changed.
fn refused(archive: &[u8]) -> ToolError {
    let desk = Desk::new();
    desk.write("a.zip", archive);
    let before = desk.listing();
    let error = unpack(&desk, json!({"file": "a.zip", "destination": "out"})).unwrap_err();
    assert_eq!(desk.listing(), before, "{error:?}");
    assert!(desk.outside().read_dir().unwrap().next().is_none());
    error
}

/// The paths of the files and folders below, with contents.
fn tree_of(top: &Path) -> std::collections::BTreeMap<String, (u32, Option<Vec<u8>>)> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![top.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(top).unwrap().to_str().unwrap().to_owned();
            let (mode, _) = crate::testing::look(&path);
            if path.is_dir() {
                found.insert(name, (mode, None));
                folders.push(path);
            } else {
                found.insert(name, (mode, Some(std::fs::read(&path).unwrap())));
            }
        }
    }
    found
}

/// Whether a program is installed; says so where it is not.
fn has_program(name: &str) -> bool {
    let found = std::process::Command::new(name).arg("--help").output().is_ok();
    if !found {
        deskhand_testkit::skip(&format!("{name} is not installed"));
    }
    found
}
