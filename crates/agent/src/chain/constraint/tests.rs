use deskhand_core::schema;
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

use super::*;
use crate::chain::{Language, offer};

fn tools() -> Vec<ToolDefinition> {
    let registry = deskhand_tools::registry();
    registry.offered().map(|entry| offer::definition(&entry, Language::English)).collect()
}

#[test]
fn the_form_of_a_call_and_of_an_answer() {
    let tool = ToolDefinition {
        name: "look".into(),
        description: String::new(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
    };
    let call = json!({
        "type": "object",
        "properties": {
            "name": {"const": "look"},
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}},
                "required": ["path"],
                "additionalProperties": false,
            },
        },
        "required": ["name", "parameters"],
        "additionalProperties": false,
    });
    let both = constraint(&[tool]).schema;
    assert_eq!(both["anyOf"][0], call);
    assert_eq!(both["anyOf"][1]["required"], json!(["answer"]));
    // The name must be written before the arguments.
    let text = call.to_string();
    assert!(text.find("\"name\"").unwrap() < text.find("\"parameters\"").unwrap());
    assert!(constraint(&[]).schema.get("anyOf").is_none());
}

#[test]
fn only_what_grammars_know_is_left() {
    let cases = [
        (json!(true), json!({})),
        (
            json!({"type": "string", "format": "uri", "pattern": "x", "description": "d"}),
            json!({"type": "string"}),
        ),
        (
            json!({"type": "string", "maxLength": 300, "minLength": 1}),
            json!({"type": "string", "maxLength": 300, "minLength": 1}),
        ),
        (
            json!({"type": ["integer", "null"], "minimum": 0, "default": 1}),
            json!({"type": "integer", "minimum": 0}),
        ),
        (json!({"type": "string", "maxLength": 1001}), json!({"type": "string"})),
        (json!({"enum": ["a", null]}), json!({"enum": ["a"]})),
        (
            json!({"oneOf": [{"const": "a", "description": "d"}, {"const": "b"}, {"type": "null"}]}),
            json!({"anyOf": [{"const": "a"}, {"const": "b"}]}),
        ),
        (
            json!({"type": "array", "items": {"type": "string", "title": "t"}, "maxItems": 50, "minItems": 1}),
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 50, "minItems": 1}),
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer", "format": "int32"}}),
            json!({"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}}),
        ),
        (
            json!({
                "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}],
                "properties": {"b": {"type": "boolean"}}, "required": ["b"],
            }),
            json!({
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "boolean"}},
                "required": ["b", "a"],
                "additionalProperties": false,
            }),
        ),
        (
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/B"}}, "B": {"type": "string"}}}),
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 100}),
        ),
        (json!({"$ref": "#/$defs/missing"}), json!({})),
    ];
    for (given, wanted) in cases {
        assert_eq!(simplify(&given), wanted, "{given}");
    }
}

#[test]
fn a_schema_that_refers_to_itself_comes_to_an_end() {
    let tree = json!({
        "$ref": "#/$defs/Node",
        "$defs": {"Node": {"type": "object", "properties": {"l": {"$ref": "#/$defs/Node"}, "r": {"$ref": "#/$defs/Node"}}}},
    });
    let text = simplify(&tree).to_string();
    assert!(!text.contains("$ref") && text.len() < 20_000, "{}", text.len());
}

#[test]
fn every_tool_survives() {
    const KNOWN: &[&str] = &[
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "enum",
        "const",
        "anyOf",
    ];
    fn check(schema: &Value) {
        let fields = schema.as_object().unwrap();
        for (key, value) in fields {
            assert!(KNOWN.contains(&key.as_str()), "{key} in {schema}");
            match key.as_str() {
                "properties" => value.as_object().unwrap().values().for_each(check),
                "items" => check(value),
                "anyOf" => value.as_array().unwrap().iter().for_each(check),
                _ => {}
            }
        }
    }
    let tools = tools();
    assert!(tools.len() > 20);
    let whole = constraint(&tools).schema;
    check(&whole);
    schema::compile(&whole).unwrap();
    for (option, tool) in whole["anyOf"].as_array().unwrap().iter().zip(&tools) {
        assert_eq!(option["properties"]["name"]["const"], json!(tool.name));
        let names =
            |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&option["properties"]["parameters"]), names(&tool.parameters));
    }
}

/// Any value of a simplified schema.
fn values(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(constant) = schema.get("const") {
        return Just(constant.clone()).boxed();
    }
    for key in ["enum", "anyOf"] {
        if let Some(options) = schema.get(key).and_then(Value::as_array).cloned() {
            let picked = prop::sample::select(options);
            return if key == "enum" {
                picked.boxed()
            } else {
                picked.prop_flat_map(|one| values(&one)).boxed()
            };
        }
    }
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    let length = |key: &str, default| {
        usize::try_from(schema.get(key).and_then(Value::as_u64).unwrap_or(default)).unwrap()
    };
    match schema["type"].as_str() {
        Some("string") => {
            let chars =
                prop::collection::vec(any::<char>(), length("minLength", 0)..=length("maxLength", 20));
            chars.prop_map(|chars| Value::from(String::from_iter(chars))).boxed()
        }
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        #[allow(clippy::cast_possible_truncation)]
        Some("integer") => {
            let (least, most) = (number("minimum").unwrap_or(-1e6), number("maximum").unwrap_or(1e6));
            (least as i64..=most as i64).prop_map(Value::from).boxed()
        }
        Some("number") => (number("minimum").unwrap_or(-1e6)..=number("maximum").unwrap_or(1e6))
            .prop_map(Value::from)
            .boxed(),
        Some("array") => {
            let items = length("minItems", 0)..=length("maxItems", 20).min(4);
            prop::collection::vec(values(&schema["items"]), items).prop_map(Value::from).boxed()
        }
        Some("object") => {
            let required = schema.get("required").cloned().unwrap_or(json!([]));
            let members = schema["properties"].as_object().unwrap().iter().map(|(name, property)| {
                let must = required.as_array().unwrap().contains(&json!(name));
                let name = name.clone();
                let present = if must { Just(true).boxed() } else { any::<bool>().boxed() };
                (present, values(property))
                    .prop_map(move |(present, value)| present.then(|| (name.clone(), value)))
            });
            let members: Vec<_> = members.collect();
            members.prop_map(|members| Value::Object(members.into_iter().flatten().collect())).boxed()
        }
        other => panic!("{other:?} in {schema}"),
    }
}

#[test]
fn what_the_simple_schema_allows_the_original_allows() {
    let registry = deskhand_tools::registry();
    let mut runner = TestRunner::deterministic();
    for entry in registry.offered() {
        let original = entry.validator().unwrap();
        let simple = simplify(entry.input_schema());
        let strategy = values(&simple);
        let simple = schema::compile(&simple).unwrap();
        for _ in 0..64 {
            let value = strategy.new_tree(&mut runner).unwrap().current();
            assert!(simple.is_valid(&value), "{}: {value}", entry.spec().name);
            assert!(original.is_valid(&value), "{}: {value}", entry.spec().name);
        }
    }
}

#[test]
fn reads_what_the_form_allows() {
    let call = |text: &str| match read(text) {
        Some(Reading::Call(call)) => (call.name, call.arguments),
        other => panic!("{text}: {other:?}"),
    };
    for text in [
        r#"{"name":"grep","parameters":{"pattern":"x"}}"#,
        r#" {"tool": "grep", "arguments": {"pattern": "x"}} "#,
        r#"{"function":{"name":"grep","arguments":"{\"pattern\":\"x\"}"}}"#,
    ] {
        assert_eq!(call(text), ("grep".into(), Arguments::Given(json!({"pattern": "x"}))));
    }
    let (name, arguments) = call(r#"{"name":"grep","parameters":{"pattern":"x"#);
    assert_eq!(name, "grep");
    assert!(matches!(arguments, Arguments::Broken { why, .. } if why.contains("truncated")));
    let answers = [
        (r#"{"answer":"Hi \"you\" 你好\n"}"#, "Hi \"you\" 你好\n"),
        (r#"{ "answer" : "cut o"#, "cut o"),
        (r#"{"answer":"half an escape \"#, "half an escape "),
        (r#"{"answer":"half \u4f6"#, "half "),
        (r#"{"answer":"crab \ud83e"#, "crab "),
        (r#"{"answer":"crab \ud83e\udd80"#, "crab 🦀"),
        (r#"{"answer":""#, ""),
        ("{\"answer\":\"two\nlines\"}", "two\nlines"),
    ];
    for (text, wanted) in answers {
        assert_eq!(read(text), Some(Reading::Answer(wanted.into())), "{text}");
    }
    for text in [
        "",
        "Hello",
        "{}",
        r#"{"answer":1}"#,
        r#"{"answer":"a","more":1}"#,
        r#"{"a":1} and so on"#,
        r#"{"answ"#,
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn an_answer_grows_as_it_arrives(answer in ".*") {
        let text = json!({ "answer": answer }).to_string();
        let mut shown = String::new();
        for (at, letter) in text.char_indices() {
            let Some(now) = begun_answer(&text[..at + letter.len_utf8()]) else { continue };
            prop_assert!(now.starts_with(&shown));
            shown = now;
        }
        prop_assert_eq!(shown, answer);
    }

    #[test]
    fn reading_never_fails(text in "[{}\"\\\\:,a-e \\[\\]u0-9]*") {
        let _ = read(&text);
        let _ = read(&format!("{{\"answer\":\"{text}"));
        let _ = read(&format!("{{\"name\":\"{text}"));
    }
}

#[test]
fn schemas_that_fan_out_end() {
    let mut fans = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {}});
    for level in 0..20 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        fans["$defs"][format!("d{level}")] = json!({"allOf": vec![next; 20]});
    }
    assert!(inline_refs_in_bounds(&fans).is_none());
    assert!(inline_refs(&fans).to_string().len() < 1_000_000);
    let mut types = json!({"type": "string"});
    for _ in 0..14 {
        types = json!({"type": vec!["object"; 10], "properties": {"a": types}});
    }
    assert!(simplify(&types).to_string().len() < 10_000_000);
    let itself = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    assert_eq!(inline_refs_in_bounds(&itself), Some(inline_refs(&itself)), "a list of any length is fine");
}
