//! The pages under `docs/` that are made from the program are what it says now. `make docs` makes them anew.

use std::{fs, path::Path};

use deskhand::reference;

fn check(name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/{name} is not what the program says now: run `make docs`");
}

#[test]
fn tools_are_current() {
    // Every tool that there is, whatever is there where the page is made.
    check("tools.md", &reference::tools_page(&deskhand::assemble::registry()));
}

/// The table alone is made; what stands around it is written by hand, and stays.
#[test]
fn dialects_are_current() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects.md")).unwrap();
    let (begin, end) = reference::DIALECT_TABLE;
    let (before, rest) = page.split_once(begin).expect("the table has a beginning");
    let (_, after) = rest.split_once(end).expect("the table has an end");
    let table = reference::dialects_table(&deskhand::assemble::registry());
    check("dialects.md", &format!("{before}{begin}{table}{end}{after}"));
}

#[test]
fn events_are_current() {
    check("events.md", &reference::events_page().unwrap());
}

#[test]
fn the_manual_page_is_current() {
    check("man/deskhand.1", &reference::man_page().unwrap());
}

#[test]
fn the_openapi_document_is_current() {
    check("openapi.json", &reference::openapi_document().unwrap());
}

/// Clients show a model this data instead of the text, so a tool joins these only where its data is short, says more, and
/// holds no text from outside.
#[test]
fn only_these_tools_send_their_data_over_mcp() {
    let registry = deskhand::assemble::registry();
    let names: Vec<&str> = registry
        .own()
        .map(|entry| entry.spec())
        .filter(|spec| spec.structured)
        .map(|spec| spec.name)
        .collect();
    assert_eq!(names, ["file_stat", "get_process_info"]);
}

/// What every tool says of itself is complete, and its example is one.
#[test]
fn every_tool_explains_itself() {
    let registry = deskhand::assemble::registry();
    for entry in registry.offered() {
        let spec = entry.spec();
        assert!(!spec.description.is_empty() && !spec.description_zh.is_empty(), "{}", spec.name);
        assert!(!spec.toolsets.is_empty() && !spec.keywords.is_empty(), "{}", spec.name);
        let example: serde_json::Value = serde_json::from_str(spec.example).unwrap();
        assert!(entry.validator().unwrap().is_valid(&example), "the example of {}", spec.name);
        let schema = entry.input_schema();
        assert_eq!(schema["additionalProperties"], false, "{} takes unknown fields", spec.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}.{name} says nothing of itself", spec.name);
        }
    }
}
