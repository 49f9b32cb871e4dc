use rmcp::model::ListToolsResult;
use serde_json::Value;

use super::*;

/// Everything that is built, whether or not it could work here.
fn everything() -> Registry {
    let mut registry = deskhand_tools::registry();
    deskhand_agent::tools::register(&mut registry);
    registry
}

/// The whole answer as it is sent, in the revision that says most.
fn sent(tools: Vec<Tool>) -> String {
    let answer = ListToolsResult::with_all_items(tools).with_ttl_ms(0);
    let answer = answer.with_cache_scope(rmcp::model::CacheScope::Private);
    serde_json::to_string(&answer).unwrap()
}

#[test]
fn the_usual_few_are_listed_in_six_thousand_bytes() {
    let tools = chosen(&everything(), &Offer::default(), None);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, USUAL);
    let sent = sent(tools);
    assert!(sent.len() < USUAL_BYTES, "{} bytes", sent.len());
}

#[test]
fn any_toolset_and_any_dialect_are_listed_in_twenty_five_thousand() {
    let registry = everything();
    let toolsets = registry.toolset_names();
    let mut offers: Vec<Offer> =
        toolsets.iter().map(|name| Offer { toolsets: vec![name.clone()], ..Offer::default() }).collect();
    offers.push(Offer { toolsets, ..Offer::default() });
    let dialects = registry.dialects().iter().map(|dialect| dialect.name.to_owned());
    offers.extend(dialects.map(|name| Offer { dialect: Some(name), ..Offer::default() }));
    assert!(offers.len() >= 9);
    for offer in offers {
        let tools = chosen(&registry, &offer, None);
        assert!(!tools.is_empty(), "{offer:?}");
        let sent = sent(tools);
        assert!(sent.len() < MOST_BYTES, "{offer:?}: {} bytes", sent.len());
    }
}

#[test]
fn a_toolset_that_fits_is_told_with_what_its_parameters_mean() {
    let offer = Offer { toolsets: vec!["shell".to_owned()], ..Offer::default() };
    let listed = sent(chosen(&everything(), &offer, None));
    assert!(listed.matches("\"description\"").count() > 10, "{listed}");
}

#[test]
fn no_result_promises_a_field() {
    let registry = everything();
    let toolsets = registry.toolset_names();
    for full_schemas in [true, false] {
        let offer = Offer { toolsets: toolsets.clone(), full_schemas, structured: true, ..Offer::default() };
        for tool in chosen(&registry, &offer, None) {
            let output = Value::Object(tool.output_schema.unwrap().as_ref().clone());
            assert_eq!(output["type"], "object", "{}", tool.name);
            assert!(!promises(&output), "{}: {output}", tool.name);
        }
    }
}

fn promises(schema: &Value) -> bool {
    match schema {
        // A property may be called so; a list of names it is only in a schema.
        Value::Object(fields) => {
            fields.get("required").is_some_and(Value::is_array) || fields.values().any(promises)
        }
        Value::Array(items) => items.iter().any(promises),
        _ => false,
    }
}

#[test]
fn annotations_say_what_is_not_taken_for_granted() {
    let tools = chosen(&everything(), &Offer::default(), None);
    let of = |name: &str| {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        serde_json::to_value(tool.annotations.clone()).unwrap()
    };
    assert_eq!(of("read_file")["readOnlyHint"], true);
    assert_eq!(of("write_file").get("readOnlyHint"), None);
    let all = chosen(&everything(), &Offer { full_schemas: true, ..Offer::default() }, None);
    let write = all.iter().find(|tool| tool.name == "write_file").unwrap();
    let told = write.annotations.clone().unwrap();
    assert_eq!((told.read_only_hint, told.destructive_hint), (Some(false), Some(true)));
}

#[test]
fn where_not_even_names_fit_as_many_as_do_are_listed() {
    let registry = everything();
    let entries: Vec<Arc<ToolEntry>> = registry.own().cloned().collect();
    let subjects: Vec<Subject<'_>> =
        entries.iter().map(|entry| Subject::of(entry, &Offer::default())).collect();
    let tools = fitted(&subjects, &Offer::default(), 2_000);
    assert!(!tools.is_empty() && tools.len() < entries.len());
    assert!(bytes(&tools) <= 2_000);
}
