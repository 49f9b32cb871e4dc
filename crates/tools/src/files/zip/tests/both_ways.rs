//! What goes in comes out again, by us and by others.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    process::Command,
    time::{Duration, SystemTime},
};

use proptest::prelude::*;
use serde_json::json;

use super::{CompressFiles, has_program, tree_of, unpack};
use crate::testing::{Desk, look, set_mode};

/// Files by path, with content and mode.
type Files = BTreeMap<Vec<String>, (Vec<u8>, u32)>;

/// Random trees. Names of files and of folders differ, so that none is both.
fn trees() -> impl Strategy<Value = Files> {
    let folder = "[a-c文 .]{1,3}-d";
    let file = "[a-z文'\\\\ ]{1,6}\\.f";
    let path = (prop::collection::vec(folder, 0..4), file).prop_map(|(mut path, name)| {
        path.push(name);
        path
    });
    let content = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..2000),
        (any::<u8>(), 0..100_000_usize).prop_map(|(byte, count)| vec![byte; count]),
    ];
    let mode = prop_oneof![Just(0o644), Just(0o755), Just(0o600), Just(0o444), Just(0o751)];
    prop::collection::btree_map(path, (content, mode), 1..12)
}

fn plant(desk: &Desk, files: &Files) {
    for (n, (path, (content, mode))) in files.iter().enumerate() {
        let path = desk.write(format!("tree/{}", path.join("/")), content);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + n as u64);
        File::open(&path).unwrap().set_modified(time).unwrap();
        set_mode(&path, *mode);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_comes_back_as_it_was(files in trees()) {
        let desk = Desk::new();
        plant(&desk, &files);
        set_mode(&desk.path("tree"), 0o750);
        desk.call(CompressFiles, json!({"files": ["tree"], "output": "out.zip"})).unwrap();
        unpack(&desk, json!({"file": "out.zip"})).unwrap();
        prop_assert_eq!(tree_of(&desk.path("tree")), tree_of(&desk.path("out/tree")));
        for path in files.keys() {
            let path = path.join("/");
            let (before, after) = (desk.path(format!("tree/{path}")), desk.path(format!("out/tree/{path}")));
            prop_assert_eq!(look(&before), look(&after));
        }
        prop_assert_eq!(look(&desk.path("out/tree")).0, 0o750);
    }
}

fn sample(desk: &Desk) {
    desk.write("tree/文件 1.txt", "hello\n".repeat(1000));
    desk.write("tree/d/run", "#!/bin/sh\n");
    fs::create_dir(desk.path("tree/empty")).unwrap();
    set_mode(&desk.path("tree/d/run"), 0o755);
}

#[test]
fn others_read_what_we_write() {
    let desk = Desk::new();
    sample(&desk);
    desk.call(CompressFiles, json!({"files": ["tree"], "output": "out.zip"})).unwrap();
    let archive = desk.path("out.zip");
    if has_program("unzip") {
        let to = desk.path("by-unzip");
        let done = Command::new("unzip")
            .arg("-q")
            .arg(&archive)
            .arg("-d")
            .arg(&to)
            .env("LC_ALL", "C.UTF-8")
            .output();
        let done = done.unwrap();
        assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
        assert_eq!(tree_of(&desk.path("tree")), tree_of(&to.join("tree")));
        assert_eq!(look(&desk.path("tree/d/run")).1.elapsed().unwrap().as_secs() / 60, 0);
    }
    if has_program("python3") {
        let to = desk.path("by-python");
        let done =
            Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&archive).arg(&to).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        let contents = |top: &str| -> Vec<_> {
            tree_of(&desk.path(top)).into_iter().map(|(path, (_, content))| (path, content)).collect()
        };
        assert_eq!(contents("tree"), contents("by-python/tree"));
    }
}

#[test]
fn names_that_are_no_text_come_back_as_they_were() {
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::new();
    let odd = |top: &str| desk.path(top).join(std::ffi::OsStr::from_bytes(b"d\xff/caf\x82.txt"));
    fs::create_dir_all(odd("tree").parent().unwrap()).unwrap();
    fs::write(odd("tree"), "x").unwrap();
    desk.call(CompressFiles, json!({"files": ["tree"], "output": "out.zip"})).unwrap();
    unpack(&desk, json!({"file": "out.zip"})).unwrap();
    assert_eq!(fs::read(odd("out/tree")).unwrap(), b"x");
}

#[test]
fn we_read_what_others_write() {
    let desk = Desk::new();
    sample(&desk);
    if has_program("python3") {
        let done = Command::new("python3")
            .args(["-m", "zipfile", "-c", "py.zip", "tree"])
            .current_dir(desk.path(""))
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        unpack(&desk, json!({"file": "py.zip"})).unwrap();
        assert_eq!(tree_of(&desk.path("tree")), tree_of(&desk.path("py/tree")));
    }
    if has_program("zip") {
        // Through a pipe it writes sizes behind the data, since it cannot go back.
        let script = "zip -q -r direct.zip tree && zip -q -r - tree | cat > piped.zip";
        let done = Command::new("sh").args(["-c", script]).current_dir(desk.path("")).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        for name in ["direct", "piped"] {
            unpack(&desk, json!({"file": format!("{name}.zip")})).unwrap();
            assert_eq!(tree_of(&desk.path("tree")), tree_of(&desk.path(format!("{name}/tree"))), "{name}");
        }
    }
}

#[test]
#[ignore = "packs more than 4 GiB, a minute or more of one core; run it after changes to zip with --run-ignored all"]
fn sizes_of_more_than_32_bits() {
    let desk = Desk::new();
    let size = (1_u64 << 32) + 12_345;
    File::create(desk.path("large")).unwrap().set_len(size).unwrap();
    desk.call(CompressFiles, json!({"files": ["large"], "output": "out.zip"})).unwrap();
    let zip = ::zip::ZipArchive::new(File::open(desk.path("out.zip")).unwrap()).unwrap();
    assert_eq!(zip.metadata().entry(0).unwrap().size(), size);
    if has_program("unzip") {
        let done = Command::new("unzip").args(["-tq"]).arg(desk.path("out.zip")).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }
    // Zeros are what bombs are made of.
    assert_eq!(unpack(&desk, json!({"file": "out.zip"})).unwrap_err().code, "compression_bomb");
}
