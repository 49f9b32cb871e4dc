//! The dialect tables against the catalogue of what the other systems document.

#![allow(clippy::unwrap_used)] // all of it is tests

use std::collections::BTreeMap;

use deskhand_core::{
    Registry,
    dialect::{Becomes, DialectEntry, Parameter},
};
use serde_json::{Map, Value, json};

const TOOLS: &str = include_str!("data/catalogue/tools.json");
const DIALECTS: &str = include_str!("data/catalogue/dialects.json");

/// Defaults that the catalogue gives in words; the canonical default means the same.
const IN_WORDS: &[(&str, &str)] = &[("exec", "working_dir")];

/// One dialect name of the catalogue: what its system documents, and what it is here.
struct Row {
    dialect: String,
    name: String,
    tool: String,
    parameters: Map<String, Value>,
    mapping: Value,
}

fn rows() -> Vec<Row> {
    let mapped: Vec<Value> = serde_json::from_str(DIALECTS).unwrap();
    let mut mappings = BTreeMap::new();
    for tool in &mapped {
        for entry in tool["dialect_names"].as_array().unwrap() {
            let key = (text(&entry["dialect"]), text(&entry["name"]));
            mappings.insert(key, (text(&tool["tool"]), entry.clone()));
        }
    }
    let documented: Vec<Value> = serde_json::from_str(TOOLS).unwrap();
    let rows: Vec<Row> = documented
        .iter()
        .map(|tool| {
            let (dialect, name) = (text(&tool["dialect"]), text(&tool["name"]));
            let (canonical, mapping) = mappings.remove(&(dialect.clone(), name.clone())).unwrap();
            let parameters = tool["params"].as_object().unwrap().clone();
            Row { dialect, name, tool: canonical, parameters, mapping }
        })
        .collect();
    assert!(mappings.is_empty(), "mapped and not documented: {:?}", mappings.keys());
    rows
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn find<'a>(registry: &'a Registry, row: &Row) -> &'a DialectEntry {
    let dialect = registry.dialect(&row.dialect).unwrap_or_else(|| panic!("no dialect {}", row.dialect));
    dialect.entry(&row.name).unwrap_or_else(|| panic!("{} has no {}", row.dialect, row.name))
}

fn json_or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { serde_json::from_str(text).unwrap() }
}

/// Whether the catalogue asks for no more than another name.
fn is_plain(mapping: &str) -> bool {
    mapping.chars().all(|c| c.is_ascii_lowercase() || c == '_')
}

#[test]
fn every_documented_tool_stands_in_its_table_and_nothing_else_does() {
    let registry = deskhand_tools::registry();
    let rows = rows();
    assert_eq!(rows.len(), 80);
    for dialect in registry.dialects() {
        let documented: Vec<&str> =
            rows.iter().filter(|row| row.dialect == dialect.name).map(|row| row.name.as_str()).collect();
        let ours: Vec<&str> = dialect.entries.iter().map(|entry| entry.name).collect();
        assert_eq!(ours, documented, "{}", dialect.name);
    }
}

#[test]
fn parameters_are_those_of_the_catalogue() {
    let registry = deskhand_tools::registry();
    for row in rows() {
        let entry = find(&registry, &row);
        let ours: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
        let mut documented: Vec<&str> = row.parameters.keys().map(String::as_str).collect();
        let mut sorted = ours.clone();
        sorted.sort_unstable();
        documented.sort_unstable();
        assert_eq!(sorted, documented, "{} {}", row.dialect, row.name);
        for parameter in entry.parameters {
            check_parameter(&row, parameter, &row.parameters[parameter.name]);
        }
    }
}

fn check_parameter(row: &Row, ours: &Parameter, documented: &Value) {
    let which = format!("{} {} {}", row.dialect, row.name, ours.name);
    assert_eq!(ours.required, documented["required"].as_bool().unwrap(), "{which}");
    if !IN_WORDS.contains(&(row.name.as_str(), ours.name)) {
        assert_eq!(json_or_null(ours.default), documented["default"], "{which}: default");
    }
    let bounds: Map<String, Value> = ["minimum", "maximum", "enum"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), documented.get(key)?.clone())))
        .collect();
    assert_eq!(json_or_null(ours.bounds), Value::Object(bounds), "{which}: bounds");
}

#[test]
fn names_map_as_the_catalogue_says() {
    let registry = deskhand_tools::registry();
    let mut not_built = BTreeMap::new();
    let mut not_exact = Vec::new();
    for row in rows() {
        let entry = find(&registry, &row);
        assert_eq!(entry.tool, row.tool, "{} {}", row.dialect, row.name);
        let built = registry.get(entry.tool).is_some();
        if !built {
            not_built.entry(row.tool.clone()).or_insert_with(Vec::new).push(row.name.clone());
        }
        let open = inexact(entry, &row);
        assert!(!built || open.is_empty(), "{} is built; {} still wants {open:?}", row.tool, row.name);
        if !open.is_empty() {
            not_exact.push(format!("{} {}: {}", row.dialect, row.name, open.join("; ")));
        }
    }
    println!("not built yet: {not_built:#?}");
    println!("rows to be made exact with their tools: {not_exact:#?}");
}

/// What the catalogue says of a row that the row does not do.
fn inexact(entry: &DialectEntry, row: &Row) -> Vec<String> {
    let mut open = Vec::new();
    let map = row.mapping["parameter_map"].as_object().unwrap();
    for parameter in entry.parameters {
        let wanted = map.get(parameter.name).and_then(Value::as_str).unwrap_or(parameter.name);
        if is_plain(wanted) {
            assert_eq!(parameter.is, wanted, "{} {} {}", row.dialect, row.name, parameter.name);
        } else if !is_as_told(parameter, wanted) {
            open.push(format!("{} → {wanted}", parameter.name));
        }
    }
    let given: Map<String, Value> =
        entry.parameters.iter().filter(|p| p.required).map(|p| (p.name.to_owned(), json!("given"))).collect();
    let canonical = entry.to_canonical(Value::Object(given));
    let always = [row.mapping.get("fixed"), row.mapping.get("default")];
    for (name, value) in always.into_iter().flatten().filter_map(Value::as_object).flatten() {
        if canonical.get(name) != Some(value)
            && !is_the_tools_own(row, name)
            && !is_kept_by_its_profile(name, &canonical)
        {
            open.push(format!("{name} = {value}"));
        }
    }
    open
}

/// Whether a row does what the catalogue says in words of its parameter.
fn is_as_told(parameter: &Parameter, words: &str) -> bool {
    match words {
        "timeout_ms (seconds × 1000)" => {
            parameter.is == "timeout_ms" && parameter.becomes == Becomes::Times(1000)
        }
        "argv[0]" | "argv[1..]" => parameter.is == "argv" && parameter.becomes == Becomes::Added,
        "region.x" | "region.y" | "region.width" | "region.height" => {
            parameter.is == "region"
                && words == format!("region.{}", parameter.name)
                && parameter.becomes == Becomes::Field(parameter.name)
        }
        "target (desktop|web)" => {
            parameter.is == "target" && parameter.values.contains(r#""webpage": "web""#)
        }
        // The tool takes both.
        "\"full\" or an object" => parameter.is == "region",
        _ => false,
    }
}

/// Where pictures go by default is the tool's own default; a test of it says so.
fn is_the_tools_own(row: &Row, name: &str) -> bool {
    row.tool == "screenshot" && name == "path"
}

/// The ten commands, and that there is no shell, are rules of a profile of `bash`, which cannot be overridden.
fn is_kept_by_its_profile(name: &str, canonical: &Value) -> bool {
    ["whitelist", "no_shell"].contains(&name)
        && canonical["profile"] == "ten_commands"
        && canonical["argv"].is_array()
}

/// In its dialect a built tool takes what is documented, with the documented defaults.
#[test]
fn documented_calls_fit_the_canonical_schemas() {
    let registry = deskhand_tools::registry();
    for row in rows() {
        let entry = find(&registry, &row);
        let Some(tool) = registry.get(entry.tool) else { continue };
        let properties = tool.input_schema()["properties"].as_object().unwrap();
        for parameter in entry.parameters {
            assert!(
                properties.contains_key(parameter.is),
                "{} {}: {} has no parameter {}",
                row.dialect,
                row.name,
                row.tool,
                parameter.is
            );
        }
    }
}

/// What is said of a tool and its parameters speaks of what its system has: a caller there does not know our names.
#[test]
fn descriptions_name_no_parameter_that_the_dialect_lacks() {
    let registry = deskhand_tools::registry();
    for dialect in registry.dialects() {
        for entry in dialect.entries {
            let Some(tool) = registry.get(entry.tool) else { continue };
            let schema = entry.input_schema(tool.input_schema());
            let (english, chinese) = entry.description(Some(&tool));
            let mut texts = vec![english.to_owned(), chinese.to_owned()];
            let properties = schema["properties"].as_object().unwrap();
            texts.extend(
                properties.values().filter_map(|schema| schema["description"].as_str()).map(str::to_owned),
            );
            // Short names are words, too.
            let ours = tool.input_schema()["properties"].as_object().unwrap().keys();
            let foreign = ours.filter(|name| !properties.contains_key(*name));
            for name in foreign.filter(|name| name.contains('_') || *name == "argv") {
                let told = texts.iter().find(|text| text.contains(name.as_str()));
                assert_eq!(told, None, "{} {}: {name}", dialect.name, entry.name);
            }
            for (name, property) in properties {
                let required = schema["required"].as_array().unwrap().iter().any(|known| known == name);
                assert!(
                    !required || property.get("default").is_none(),
                    "{} {}: {name}",
                    dialect.name,
                    entry.name
                );
            }
        }
    }
}
