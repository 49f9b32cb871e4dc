//! `deskhand try`, as a script runs it.

use serde_json::json;

use crate::command::Shop;

const COMMAND: &str = "echo hello; printf 'after\\n' > a.txt; rm b.txt; mkdir new; touch new/c.txt";

/// A workspace with two files, if commands run on a layer here.
pub fn layered() -> Option<Shop> {
    let shop = Shop::new();
    shop.write("a.txt", "before\n");
    shop.write("b.txt", "gone\n");
    let doctor = shop.run(&["doctor", "--json"]).stdout;
    if doctor.contains("commands run on a copy-on-write layer") {
        return Some(shop);
    }
    deskhand_testkit::skip("no layer can be mounted here");
    None
}

#[test]
fn without_a_terminal_changes_are_shown_and_discarded() {
    let Some(shop) = layered() else { return };
    let ran = shop.run(&["try", COMMAND]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for line in ["hello", "  D b.txt", "  M a.txt  +1  -1", "  A new/c.txt", "  -before", "  +after"] {
        assert!(ran.stdout.contains(line), "{line}: {ran:?}");
    }
    assert!(ran.stderr.contains("3 files changed, discarded") && ran.stderr.contains("--keep"), "{ran:?}");
    assert_eq!(shop.read("a.txt"), "before\n");
    assert!(shop.path("b.txt").exists() && !shop.path("new").exists());
}

#[test]
fn kept_changes_are_in_place_and_can_be_undone() {
    let Some(shop) = layered() else { return };
    let kept = shop.run(&["--json", "try", "--keep", COMMAND]).json();
    assert_eq!((&kept["status"], &kept["kept"]), (&json!("success"), &json!(true)), "{kept}");
    assert_eq!(kept["changes"].as_array().unwrap().len(), 3, "{kept}");
    assert_eq!(kept["decided_by"], "flag:--keep");
    assert_eq!(shop.read("a.txt"), "after\n");
    assert!(!shop.path("b.txt").exists() && shop.path("new/c.txt").exists());
    let undone = shop.run(&["undo", kept["undo"].as_str().unwrap()]);
    assert_eq!(undone.code, 0, "{undone:?}");
    assert_eq!((shop.read("a.txt").as_str(), shop.read("b.txt").as_str()), ("before\n", "gone\n"));
    assert!(!shop.path("new").exists());
}

#[test]
fn exit_code_is_that_of_the_command_whatever_becomes_of_its_changes() {
    let Some(shop) = layered() else { return };
    for (arguments, code, kept) in [
        (["--keep", "touch x; exit 3"], 1, json!(true)),
        (["--discard", "touch y; exit 3"], 1, json!(false)),
        (["--discard", "touch y"], 0, json!(false)),
        (["--discard", "true"], 0, json!(null)),
    ] {
        let ran = shop.run(&["--json", "try", arguments[0], arguments[1]]);
        assert_eq!((ran.code, &ran.json()["kept"]), (code, &kept), "{ran:?}");
    }
    assert!(shop.path("x").exists() && !shop.path("y").exists());
}

#[test]
fn read_only_keeps_nothing_and_says_so() {
    let Some(shop) = layered() else { return };
    let ran = shop.run(&["--mode", "read-only", "try", "--keep", "touch x"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains("read-only: the changes cannot be kept"), "{ran:?}");
    let ran = shop.run(&["--mode", "read-only", "try", "touch x"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("read-only: nothing is kept"), "{ran:?}");
    assert!(!shop.path("x").exists());
}

#[test]
fn keep_and_discard_exclude_each_other() {
    let ran = Shop::new().run(&["try", "--keep", "--discard", "true"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}
