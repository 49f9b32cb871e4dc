use super::*;

const MONITOR: DialectEntry = DialectEntry::new(
    "monitor",
    "look",
    &[
        Parameter::optional("metric")
            .is("sections")
            .default(r#""all""#)
            .bounds(r#"{"enum": ["cpu", "all"]}"#)
            .values(r#"{"cpu": ["cpu"], "all": ["cpu", "disk"]}"#),
        Parameter::optional("interval").is("interval_s"),
    ],
);

const RUN: DialectEntry = DialectEntry::new(
    "run",
    "bash",
    &[
        Parameter::required("command").is("argv").added(r#"{"type": "string"}"#),
        Parameter::optional("args").is("argv").default("[]").added(r#"{"type": "array"}"#),
        Parameter::optional("timeout").is("timeout_ms").default("30").times(1000, r#"{"type": "number"}"#),
    ],
);

#[test]
fn values_have_names_of_their_own() {
    for (given, wanted) in [
        (json!({"metric": "cpu"}), json!({"sections": ["cpu"]})),
        (json!({}), json!({"sections": ["cpu", "disk"]})),
        (json!({"metric": null, "interval": 2}), json!({"sections": ["cpu", "disk"], "interval_s": 2})),
        (json!({"metric": "other"}), json!({"sections": "other"})),
        (json!({"metric": ["disk"]}), json!({"sections": ["disk"]})),
    ] {
        assert_eq!(MONITOR.to_canonical(given.clone()), wanted, "{given}");
    }
}

#[test]
fn units_and_lists_become_ours() {
    for (given, wanted) in [
        (json!({"command": "ls"}), json!({"argv": ["ls"], "timeout_ms": 30_000})),
        (
            json!({"command": "ls", "args": ["-l", "a b"], "timeout": 2}),
            json!({"argv": ["ls", "-l", "a b"], "timeout_ms": 2_000}),
        ),
        (json!({"command": "ls", "timeout": 0.5}), json!({"argv": ["ls"], "timeout_ms": 500.0})),
        (json!({"command": "ls", "timeout": "x"}), json!({"argv": ["ls"], "timeout_ms": "x"})),
        (json!({"command": 5, "timeout": i64::MAX}), json!({"argv": [5], "timeout_ms": i64::MAX})),
    ] {
        assert_eq!(RUN.to_canonical(given.clone()), wanted, "{given}");
    }
}

#[test]
fn default_does_not_hold_where_another_parameter_is_true() {
    const JOB: DialectEntry = DialectEntry::new(
        "job",
        "bash",
        &[
            Parameter::optional("background").default("false"),
            Parameter::optional("limit").is("timeout_ms").default("9").unless("background"),
        ],
    );
    for (given, wanted) in [
        (json!({}), json!({"background": false, "timeout_ms": 9})),
        (json!({"background": false}), json!({"background": false, "timeout_ms": 9})),
        (json!({"background": true}), json!({"background": true})),
        (json!({"background": true, "limit": null}), json!({"background": true})),
        (json!({"background": true, "limit": 5}), json!({"background": true, "timeout_ms": 5})),
    ] {
        assert_eq!(JOB.to_canonical(given.clone()), wanted, "{given}");
    }
}

#[test]
fn fields_become_an_object() {
    const AT: DialectEntry = DialectEntry::new(
        "at",
        "look",
        &[
            Parameter::required("x").is("place").field("x", r#"{"type": "integer"}"#),
            Parameter::required("y").is("place").field("y", r#"{"type": "integer"}"#),
        ],
    );
    assert_eq!(AT.to_canonical(json!({"x": 1, "y": 2})), json!({"place": {"x": 1, "y": 2}}));
    assert_eq!(AT.violations(&json!({"x": 1, "y": "2"}), &json!({})).len(), 1);
}

#[test]
fn bounds_are_those_of_the_other_systems_values() {
    let canonical = json!({"properties": {
        "sections": {"type": "array", "items": {"type": "string"}, "description": "What."},
        "interval_s": {"type": "number"},
    }});
    let metric = &MONITOR.input_schema(&canonical)["properties"]["metric"];
    let wanted = json!({"type": "string", "description": "What.", "default": "all", "enum": ["cpu", "all"]});
    assert_eq!(*metric, wanted);
    for (given, right) in [
        (json!({"metric": "cpu", "interval": null}), true),
        (json!({"metric": "disk"}), false),
        (json!({"metric": ["cpu"]}), false),
        (json!({"interval": "x"}), false),
    ] {
        assert_eq!(MONITOR.violations(&given, &canonical).is_empty(), right, "{given}");
    }
}

#[test]
fn refusal_is_the_other_systems_sentence_about_a_text() {
    const PICKY: DialectEntry = DialectEntry::new(
        "picky",
        "bash",
        &[
            Parameter::required("command").is("argv").added(r#"{"enum": ["ls"]}"#).refused_with("no such: "),
            Parameter::optional("args")
                .is("argv")
                .added(r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-z]*$"}}"#)
                .refused_with("odd: "),
        ],
    );
    for (given, wanted) in [
        (json!({"command": "ls", "args": ["a", "b"]}), None),
        (json!({"command": "rm", "args": ["a;"]}), Some("no such: rm")),
        (json!({"command": "ls", "args": ["a", "b;", "c;"]}), Some("odd: b;")),
        // What is no text is told in our words.
        (json!({"command": 5, "args": "x"}), None),
        (json!({}), None),
    ] {
        assert_eq!(PICKY.refusal(&given, &json!({})).as_deref(), wanted, "{given}");
    }
}

#[test]
fn its_own_schema_is_the_one_that_binds() {
    let canonical = json!({"properties": {"argv": {"type": "array"}, "timeout_ms": {"maximum": 5}}});
    assert!(RUN.violations(&json!({"command": "ls", "timeout": 30}), &canonical).is_empty());
    assert_eq!(RUN.violations(&json!({"command": ["ls"], "timeout": "x"}), &canonical).len(), 2);
    assert_eq!(RUN.violations(&json!({}), &canonical), ["\"command\" is a required property"]);
}
