use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Vec<&str> {
    scan(text).values.into_iter().map(|range| &text[range]).collect()
}

#[test]
fn finds_the_outermost_values() {
    let cases: &[(&str, &[&str])] = &[
        ("nothing here", &[]),
        (r#"{"a":1}"#, &[r#"{"a":1}"#]),
        (r#"so {"a":{"b":[1,{"c":2}]}} and [1,2] there"#, &[r#"{"a":{"b":[1,{"c":2}]}}"#, "[1,2]"]),
        (r#"{"a":"} ] {"} x"#, &[r#"{"a":"} ] {"}"#]),
        (r#"{"a":"\"}"} x"#, &[r#"{"a":"\"}"}"#]),
        (r#"{"a":"\\"} "}"#, &[r#"{"a":"\\"}"#]),
        (r#"{"a":"日本}語"}尾"#, &[r#"{"a":"日本}語"}"#]),
        ("{} []", &["{}", "[]"]),
        (r#"{"a":-1.5e+3,"b":true,"c":false,"d":null}"#, &[r#"{"a":-1.5e+3,"b":true,"c":false,"d":null}"#]),
        ("{\n  \"a\" : [ ]\n}", &["{\n  \"a\" : [ ]\n}"]),
        // no JSON, with JSON in it or behind it
        (r#"fn f() { g(); } {"a":1}"#, &[r#"{"a":1}"#]),
        (r#"{ see {"a":1} }"#, &[r#"{"a":1}"#]),
        (r#"{"a":{"b":1} oops} {"c":2}"#, &[r#"{"b":1}"#, r#"{"c":2}"#]),
        (r#"{{"a":1}"#, &[r#"{"a":1}"#]),
        ("[link](there)", &[]),
        (r#"{"a":1,}"#, &[]),
        (r#"{"a":tru3}"#, &[]),
        (r#"{"a":1]"#, &[]),
        // a line break in a string is wrong, but it does not hide the end
        ("{\"a\":\"x\ny\"}", &["{\"a\":\"x\ny\"}"]),
    ];
    for (text, wanted) in cases {
        assert_eq!(found(text), *wanted, "{text}");
        assert_eq!(scan(text).flaw, None, "{text}");
    }
}

#[test]
fn says_where_a_text_breaks_off() {
    let cases = [
        (r#"{"a":1"#, 0, "a value"),
        (r#"x {"a":"b"#, 2, "a string"),
        (r#"x {"a":"b\"#, 2, "a string"),
        (r#"{"ab"#, 0, "a key"),
        (r#"{"a":{"b":[1,"#, 0, "a value"),
        (r#"{"a":tr"#, 0, "a word"),
        (r#"{"a":{"b":1},"#, 0, "a value"),
    ];
    for (text, start, inside) in cases {
        let scan = scan(text);
        assert_eq!(scan.flaw, Some(Flaw::Truncated { start, at: text.len(), inside }), "{text}");
        assert!(scan.values.is_empty(), "{text}");
    }
    assert_eq!(found(r#"{"a":1} {"b":"#), [r#"{"a":1}"#]);
    let flaw = Flaw::Truncated { start: 0, at: 9, inside: "a string" };
    assert_eq!(flaw.to_string(), "truncated at byte 9, inside a string");
}

#[test]
fn depth_and_size_are_bounded() {
    let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
    assert_eq!(scan(&deep).values, vec![0..deep.len()]);
    assert!(read(&deep).is_ok());
    let deeper = "[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1);
    assert_eq!(scan(&deeper).flaw, Some(Flaw::TooDeep { start: 0, at: MAX_DEPTH }));
    assert_eq!(extent(&deeper, 0), Err(Flaw::TooDeep { start: 0, at: MAX_DEPTH }));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_BYTES));
    assert_eq!(scan(&long).flaw, Some(Flaw::TooLong { start: 0 }));
    assert_eq!(extent(&long, 0), Err(Flaw::TooLong { start: 0 }));
}

/// Each of these takes hours where a failed attempt is started anew from the next bracket.
#[test]
fn hostile_texts_are_read_once() {
    let many = 1_000_000;
    for unit in ["{", "[", "{\"a\":", "[{", "{\"", "\"", "\\", "{\"a\":[", "{}", "{\"a\":1}x}"] {
        let text = unit.repeat(many / unit.len());
        let scan = scan(&text);
        assert!(scan.values.len() <= many, "{unit}");
    }
}

#[test]
fn the_extent_of_something_broken() {
    let cases = [
        ("{path: 'x'} rest", Some(11)),
        (r#"{"a": "}", b} rest"#, Some(13)),
        ("{[}", None),
        (r#"{"a": "b"#, None),
    ];
    for (text, end) in cases {
        assert_eq!(extent(text, 0).ok().map(|range| range.end), end, "{text}");
    }
}

#[test]
fn a_line_break_in_a_string_is_named_with_its_remedy() {
    let why = read("{\"a\":\"x\ny\"}").unwrap_err();
    assert!(why.contains("line 2 column 0") && why.contains("\\n"), "{why}");
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(Value::from),
        ".*".prop_map(Value::from),
        "[{}\\[\\]\"\\\\:, ]*".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".*", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn finds_any_value_in_prose(value in json(), pretty: bool, before in "[^{\\[]*", after in "[^{\\[]*") {
        prop_assume!(value.is_object() || value.is_array());
        let written = if pretty { format!("{value:#}") } else { value.to_string() };
        let text = format!("{before}{written}{after}");
        let range = before.len()..before.len() + written.len();
        let found = scan(&text);
        prop_assert_eq!(&found.values, &vec![range.clone()]);
        prop_assert_eq!(extent(&text, before.len()), Ok(range.clone()));
        prop_assert_eq!(read(&text[range]), Ok(value));
    }

    #[test]
    fn every_true_beginning_is_truncated(value in json(), share in 0.0..1.0_f64) {
        prop_assume!(value.is_object() || value.is_array());
        let text = value.to_string();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let mut cut = 1 + ((text.len() - 1) as f64 * share) as usize;
        cut = cut.min(text.len() - 1);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let begun = &text[..cut];
        let truncated = matches!(scan(begun).flaw, Some(Flaw::Truncated { start: 0, .. }));
        prop_assert!(truncated, "{begun}");
        prop_assert!(extent(begun, 0).is_err());
    }

    #[test]
    fn never_fails_and_keeps_to_the_text(text in "[{}\\[\\]\":,a1 \\\\\n日]*") {
        let scan = scan(&text);
        let mut end = 0;
        for range in scan.values {
            prop_assert!(range.start >= end && range.end <= text.len());
            end = range.end;
            prop_assert!(text.get(range).is_some());
        }
    }
}
