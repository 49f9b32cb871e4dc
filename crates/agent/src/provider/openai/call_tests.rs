//! Calls in pieces, as servers number, name and repeat them.

use serde_json::{Value, json};

use super::tests::{chunk, end, read, read_texts};
use crate::provider::{Arguments, Delta, ModelCall};

/// The calls of a stream whose deltas have these `tool_calls`: name and arguments.
fn calls_of(pieces: &[Value], reason: &str) -> Vec<ModelCall> {
    let mut chunks: Vec<Value> = pieces.iter().map(|calls| chunk(&json!({"tool_calls": calls}))).collect();
    chunks.push(end(reason));
    let (reply, _) = read(&chunks).unwrap().unwrap();
    let mut ids: Vec<&str> = reply.calls.iter().map(|call| call.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), reply.calls.len(), "ids are not unique: {:?}", reply.calls);
    assert!(ids.iter().all(|id| !id.is_empty()));
    reply.calls
}

fn given(calls: &[ModelCall]) -> Vec<(&str, Value)> {
    calls
        .iter()
        .map(|call| match &call.arguments {
            Arguments::Given(value) => (call.name.as_str(), value.clone()),
            Arguments::Broken { text, why } => (call.name.as_str(), json!({"broken": text, "why": why})),
        })
        .collect()
}

#[test]
#[allow(clippy::too_many_lines, clippy::type_complexity)] // one table
fn calls_however_they_are_numbered() {
    let one = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let at = |index: u64, mut call: Value| {
        call["index"] = index.into();
        call
    };
    let more =
        |index: Option<u64>, arguments: &str| json!({"index": index, "function": {"arguments": arguments}});
    let (a, b) = (json!({"a": 1}), json!({"b": 2}));
    let cases: Vec<(&str, Vec<Value>, Vec<(&str, Value)>)> = vec![
        (
            "as it should be",
            vec![
                json!([at(0, one("x", "f", ""))]),
                json!([more(Some(0), "{\"a\"")]),
                json!([more(Some(0), ":1}")]),
                json!([at(1, one("y", "g", "{\"b\":2}"))]),
            ],
            vec![("f", a.clone()), ("g", b.clone())],
        ),
        (
            "no ids",
            vec![json!([at(0, one("", "f", "{\"a\":1}"))]), json!([at(1, one("", "g", "{\"b\":2}"))])],
            vec![("f", a.clone()), ("g", b.clone())],
        ),
        (
            "no indexes",
            vec![
                json!([one("x", "f", "{\"a\"")]),
                json!([more(None, ":1}")]),
                json!([one("y", "f", "{\"b\":2}")]),
            ],
            vec![("f", a.clone()), ("f", b.clone())],
        ),
        (
            "neither",
            vec![json!([one("", "f", "{\"a\":1}")]), json!([one("", "f", "{\"b\":2}")])],
            vec![("f", a.clone()), ("f", b.clone())],
        ),
        (
            "gaps",
            vec![
                json!([at(3, one("x", "f", "{\"a\":1}"))]),
                json!([at(7, one("y", "g", "{\"b\":"))]),
                json!([more(Some(7), "2}")]),
            ],
            vec![("f", a.clone()), ("g", b.clone())],
        ),
        (
            "always 0",
            vec![
                json!([at(0, one("x", "f", "{\"a\":1}"))]),
                json!([at(0, one("y", "f", "{\"b\":"))]),
                json!([more(Some(0), "2}")]),
            ],
            vec![("f", a.clone()), ("f", b.clone())],
        ),
        (
            "always 0, no ids",
            vec![json!([at(0, one("", "f", "{\"a\":1}"))]), json!([at(0, one("", "f", "{\"b\":2}"))])],
            vec![("f", a.clone()), ("f", b.clone())],
        ),
        (
            "several in one delta",
            vec![json!([one("", "f", "{\"a\":1}"), one("", "f", "{\"a\":1}")])],
            vec![("f", a.clone()), ("f", a.clone())],
        ),
        (
            "duplicate ids",
            vec![json!([at(0, one("x", "f", "{\"a\":1}"))]), json!([at(1, one("x", "g", "{\"b\":2}"))])],
            vec![("f", a.clone()), ("g", b.clone())],
        ),
        (
            "an id for every piece",
            vec![json!([at(0, one("r1", "f", "{\"a\""))]), json!([at(0, one("r2", "f", ":1}"))])],
            vec![("f", a.clone())],
        ),
        (
            "interleaved",
            vec![
                json!([at(0, one("x", "f", "{\"a\"")), at(1, one("y", "g", "{\"b\""))]),
                json!([more(Some(1), ":2}"), more(Some(0), ":1}")]),
            ],
            vec![("f", a.clone()), ("g", b.clone())],
        ),
        (
            "an object",
            vec![json!([{"index": 0, "id": "x", "function": {"name": "f", "arguments": {"a": 1}}}])],
            vec![("f", a.clone())],
        ),
        (
            "cumulative",
            vec![
                json!([at(0, one("x", "f", "{\"a\""))]),
                json!([at(0, one("x", "f", "{\"a\":1"))]),
                json!([at(0, one("x", "f", "{\"a\":1}"))]),
            ],
            vec![("f", a.clone())],
        ),
        (
            "twice in one piece",
            vec![json!([at(0, one("x", "f", "{\"a\":1}"))]), json!([at(0, one("x", "f", "{\"a\":1}"))])],
            vec![("f", a.clone())],
        ),
        (
            "nested, looks cumulative",
            vec![json!([at(0, one("x", "f", "{\"a\":"))]), json!([more(Some(0), "{\"a\":1}}")])],
            vec![("f", json!({"a": {"a": 1}}))],
        ),
        (
            "the name every time",
            vec![json!([at(0, one("x", "f", "{\"a\""))]), json!([at(0, one("x", "f", ":1}"))])],
            vec![("f", a.clone())],
        ),
        (
            "no function around it",
            vec![json!([{"id": "x", "name": "f", "arguments": "{\"a\":1}"}])],
            vec![("f", a.clone())],
        ),
        ("one instead of a list", vec![one("x", "f", "{\"a\":1}")], vec![("f", a.clone())]),
        (
            "no arguments",
            vec![
                json!([at(0, one("x", "f", ""))]),
                json!([{"index": 1, "id": "y", "function": {"name": "g"}}]),
                json!([{"index": 2, "id": "z", "function": {"name": "h", "arguments": null}}]),
            ],
            vec![("f", json!({})), ("g", json!({})), ("h", json!({}))],
        ),
        (
            "always 0, no ids, no arguments",
            vec![json!([at(0, one("", "f", ""))]), json!([at(0, one("", "g", ""))])],
            vec![("f", json!({})), ("g", json!({}))],
        ),
        (
            "id after the name",
            vec![
                json!([{"index": 0, "function": {"name": "f"}}]),
                json!([{"index": 0, "id": "x", "function": {"arguments": "{\"a\":1}"}}]),
            ],
            vec![("f", a.clone())],
        ),
    ];
    for (what, pieces, want) in cases {
        for reason in ["tool_calls", "stop"] {
            assert_eq!(given(&calls_of(&pieces, reason)), want, "{what}");
        }
    }
}

#[test]
fn nothing_is_guessed() {
    let piece =
        |arguments: &str| json!([{"index": 0, "id": "x", "function": {"name": "f", "arguments": arguments}}]);
    let cases: &[(&[Value], &str, &str)] = &[
        (&[piece("{\"a\": \"b")], "length", "end in the middle"),
        (&[piece("{\"a\": \"b")], "tool_calls", "end in the middle"),
        (&[piece("")], "length", "cut off before the arguments"),
        (&[piece(" ")], "tool_calls", "end in the middle"),
        (&[piece("{\"a\":1}}")], "tool_calls", "trailing characters"),
        (&[piece("[1]")], "tool_calls", "a list"),
        // The second piece alone would be a whole object, and the wrong one.
        (&[piece("{\"a\":"), piece("{\"a\":1}")], "length", "end in the middle"),
        (
            &[json!([{"index": 0, "id": "x", "function": {"arguments": "{}"}}])],
            "tool_calls",
            "does not name a tool",
        ),
    ];
    for (pieces, reason, part) in cases {
        let calls = calls_of(pieces, reason);
        assert_eq!(calls.len(), 1, "{pieces:?}");
        let Arguments::Broken { why, .. } = &calls[0].arguments else { panic!("{pieces:?}: {calls:?}") };
        assert!(why.contains(part), "{pieces:?}: {why}");
        assert!(!calls[0].name.is_empty());
    }
    // The stream ended without a reason: arguments that are not there are not taken to be none.
    let (reply, _) =
        read_texts(&[&chunk(&json!({"tool_calls": piece("")})).to_string(), "[DONE]"]).unwrap().unwrap();
    assert!(matches!(reply.calls[0].arguments, Arguments::Broken { .. }));
}

#[test]
fn calls_in_the_old_form() {
    let chunks = [
        chunk(&json!({"function_call": {"name": "f", "arguments": ""}})),
        chunk(&json!({"function_call": {"arguments": "{\"a\":"}})),
        chunk(&json!({"function_call": {"arguments": "1}"}})),
        end("function_call"),
    ];
    let (reply, deltas) = read(&chunks).unwrap().unwrap();
    assert_eq!(given(&reply.calls), [("f", json!({"a": 1}))]);
    assert_eq!(deltas, [Delta::Call { name: "f".into() }]);
}
