//! What other systems have and we do not: a list that can only get shorter.

use std::collections::BTreeSet;

use deskhand_core::dialect::DialectEntry;

use super::{countbot, omni, ops, skillmint};
use crate::command::Shop;

const LIST: &str = include_str!("gaps.txt");
/// How long the list is. Building a tool takes its lines from the list and lowers this; nothing raises it.
const LENGTH: usize = 29;

pub fn listed() -> Vec<&'static str> {
    LIST.lines().collect()
}

pub fn line(dialect: &str, entry: &DialectEntry) -> String {
    format!("{dialect} {} → {}", entry.name, entry.tool)
}

#[test]
fn the_list_is_what_is_not_built() {
    let registry = deskhand::assemble::registry();
    let missing: Vec<String> = registry
        .dialects()
        .iter()
        .flat_map(|dialect| dialect.split(&registry).1.into_iter().map(|entry| line(dialect.name, entry)))
        .collect();
    let (listed, missing): (BTreeSet<_>, BTreeSet<_>) =
        (listed().into_iter().collect(), missing.iter().map(String::as_str).collect());
    let new: Vec<_> = missing.difference(&listed).collect();
    assert!(new.is_empty(), "these answered before, and do not any more: {new:#?}");
    let built: Vec<_> = listed.difference(&missing).collect();
    assert!(built.is_empty(), "these are built: take them from gaps.txt, and give each its test: {built:#?}");
}

#[test]
fn the_list_does_not_grow() {
    assert_eq!(listed().len(), LENGTH, "it may only get shorter, and the number with it");
    assert_eq!(listed().iter().collect::<BTreeSet<_>>().len(), LENGTH, "a line stands there twice");
}

#[test]
fn every_tool_of_every_dialect_has_its_test() {
    let registry = deskhand::assemble::registry();
    let tested = [
        ("omni", omni::TESTED),
        ("countbot", countbot::TESTED),
        ("skillmint", skillmint::TESTED),
        ("ops", ops::TESTED),
    ];
    let mut all = 0;
    for dialect in registry.dialects() {
        let (_, tested) = tested.iter().find(|(name, _)| *name == dialect.name).unwrap();
        let entries: BTreeSet<_> = dialect.entries.iter().map(|entry| entry.name).collect();
        assert_eq!(tested.iter().copied().collect::<BTreeSet<_>>(), entries, "{}", dialect.name);
        all += tested.len();
    }
    assert_eq!(all, 80);
}

/// `deskhand tools --dialect` marks just these, for people and for programs.
#[test]
fn the_command_line_says_what_is_not_built() {
    let shop = Shop::new();
    for name in ["omni", "countbot", "skillmint", "ops"] {
        let wanted: BTreeSet<&str> = listed()
            .into_iter()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.split(' ').next())
            .collect();
        let json = shop.run(&["tools", "--dialect", name, "--json"]).json();
        let tools = json["tools"].as_array().unwrap();
        let marked = tools.iter().filter(|tool| tool["built"] == false);
        let marked: BTreeSet<&str> = marked.map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(marked, wanted, "{name}, as JSON");
        assert!(tools.iter().all(|tool| tool["input_schema"]["properties"].is_object()), "{name}");
        let text = shop.run(&["tools", "--dialect", name]).stdout;
        let marked = text.lines().filter(|line| line.contains("not built yet"));
        let marked: BTreeSet<&str> = marked.filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(marked, wanted, "{name}, as text");
        assert_eq!(text.lines().count(), 1 + tools.len(), "{name} is listed whole");
    }
}

/// The words of the gate reach whoever calls from a script.
#[test]
fn a_call_of_what_is_not_built_says_so() {
    let shop = Shop::new();
    let ran = shop.run(&["call", "screenshot_full", "{}", "--dialect", "omni", "--json"]);
    assert_eq!((ran.code, &ran.json()["success"]), (2, &false.into()), "{ran:?}");
    let message = ran.json()["message"].clone();
    assert_eq!(message, "screenshot_full of omni is not built yet: its tool here will be screenshot.");
    let page = shop.run(&["tools", "screenshot_full", "--dialect", "omni"]);
    assert!(page.code == 2 && page.stderr.contains("not built yet"), "{page:?}");
    let other = shop.run(&["call", "no_such_thing", "{}", "--dialect", "omni", "--json"]).json();
    assert_eq!(other["message"], "There is no tool «no_such_thing».");
}
