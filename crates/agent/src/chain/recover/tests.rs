use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn is_tool(name: &str) -> bool {
    matches!(name, "read_file" | "write_file" | "grep" | "bash")
}

fn recovered(text: &str) -> Recovered {
    recover(text, "", &is_tool)
}

/// Name, and arguments or why they are broken.
fn calls(found: &Recovered) -> Vec<(&str, Result<&Value, &str>)> {
    found
        .calls
        .iter()
        .map(|call| match &call.arguments {
            Arguments::Given(value) => (call.name.as_str(), Ok(value)),
            Arguments::Broken { why, .. } => (call.name.as_str(), Err(why.as_str())),
        })
        .collect()
}

#[test]
fn lines() {
    let path = json!({"path": "a b.rs"});
    let cases = [
        ("TOOL: read_file\nARGS: {\"path\": \"a b.rs\"}", ""),
        ("tool: read_file\nargs: {\"path\": \"a b.rs\"}", ""),
        ("TOOL：read_file\nARGS：{\"path\": \"a b.rs\"}", ""),
        ("工具：read_file\n参数：{\"path\": \"a b.rs\"}", ""),
        ("**TOOL:** read_file\n**ARGS:** {\"path\": \"a b.rs\"}", ""),
        ("**TOOL**: `read_file`\n**ARGS**: `{\"path\": \"a b.rs\"}`", ""),
        ("- TOOL: **read_file**\n- ARGS: {\"path\": \"a b.rs\"}", ""),
        ("**TOOL: read_file**\n**ARGS: {\"path\": \"a b.rs\"}**", ""),
        ("TOOL: read_file ARGS: {\"path\": \"a b.rs\"}", ""),
        ("TOOL: read_file, ARGS: {\"path\": \"a b.rs\"}", ""),
        ("TOOL: read_file\nARGS:\n{\n  \"path\":\n    \"a b.rs\"\n}", ""),
        ("TOOL: read_file\r\nARGS: {\"path\": \"a b.rs\"}\r\n", ""),
        ("TOOL: read_file\n\nARGS:\n```json\n{\"path\": \"a b.rs\"}\n```", ""),
        ("TOOL: read_file\n{\"path\": \"a b.rs\"}", ""),
        ("```\nTOOL: read_file\nARGS: {\"path\": \"a b.rs\"}\n```", ""),
        ("Let me see.\n\nTOOL: read_file\nARGS: {\"path\": \"a b.rs\"}\n\nSo.", "Let me see.\n\nSo."),
        ("Look:\n```text\nTOOL: read_file\nARGS: {\"path\": \"a b.rs\"}\n```\nthere", "Look:\n\nthere"),
        // results that the model invents, and what it builds on them
        (
            "I look.\nTOOL: read_file\nARGS: {\"path\": \"a b.rs\"}\nRESULT of read_file (1): x\nTOOL: bash\nARGS: {\"command\": \"x\"}",
            "I look.",
        ),
    ];
    for (text, left) in cases {
        let found = recovered(text);
        assert_eq!(calls(&found), [("read_file", Ok(&path))], "{text}");
        assert_eq!(found.text, left, "{text}");
    }
}

#[test]
fn several_calls_keep_their_order() {
    let text = "First.\nTOOL: read_file\nARGS: {\"path\": \"}\"}\nthen\nTOOL: nothing\nARGS: {}\nTOOL: bash\nARGS: {\"command\": \"echo '{'\"}\n";
    let found = recovered(text);
    let (one, two) = (json!({"path": "}"}), json!({"command": "echo '{'"}));
    assert_eq!(calls(&found), [("read_file", Ok(&one)), ("bash", Ok(&two))]);
    assert_eq!(found.text, "First.\n\nthen\nTOOL: nothing\nARGS: {}");
    assert_ne!(found.calls[0].id, found.calls[1].id);
    assert!(found.calls.iter().all(|call| !call.id.is_empty()));
}

#[test]
fn json_that_is_fenced_or_the_whole_answer() {
    let path = json!({"path": "a}"});
    let shapes = [
        r#"{"name": "read_file", "arguments": {"path": "a}"}}"#,
        r#"{"name": "read_file", "parameters": {"path": "a}"}}"#,
        r#"{"tool": "read_file", "args": {"path": "a}"}}"#,
        r#"{"tool_name": "read_file", "input": {"path": "a}"}}"#,
        r#"{"function": "read_file", "arguments": {"path": "a}"}}"#,
        r#"{"name": "read_file", "arguments": "{\"path\": \"a}\"}"}"#,
        r#"{"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{\"path\":\"a}\"}"}}"#,
        r#"[{"name": "read_file", "arguments": {"path": "a}"}}]"#,
        r#"{"tool_calls": [{"function": {"name": "read_file", "arguments": {"path": "a}"}}}]}"#,
        "{\n  \"name\": \"read_file\",\n  \"arguments\": {\n    \"path\": \"a}\"\n  }\n}",
    ];
    for shape in shapes {
        let wrapped = [
            shape.to_owned(),
            format!("\n {shape}\n"),
            format!("<think>hm {{</think>\n{shape}"),
            format!("```json\n{shape}\n```"),
            format!("```json {shape}```"),
            format!("```\n{shape}\n```\n"),
            format!("```tool_call\n{shape}\n```"),
            format!("```json\n{shape}"),
        ];
        for text in wrapped {
            let found = recovered(&text);
            assert_eq!(calls(&found), [("read_file", Ok(&path))], "{text}");
            assert!(found.text.is_empty() || found.text == "<think>hm {</think>", "{text}: {}", found.text);
        }
        let found = recovered(&format!("I look.\n```json\n{shape}\n```\nThen we see."));
        assert_eq!((calls(&found).len(), found.text.as_str()), (1, "I look.\n\nThen we see."));
    }
    let two = "```json\n{\"name\":\"bash\",\"arguments\":{\"command\":\"a\"}}\n{\"name\":\"bash\",\"arguments\":{\"command\":\"b\"}}\n```";
    assert_eq!(recovered(two).calls.len(), 2);
    let in_string =
        json!({"name": "write_file", "arguments": {"path": "a.md", "content": "```js\nx\n```\n"}});
    let found = recovered(&format!("```json\n{in_string:#}\n```\n"));
    assert_eq!(calls(&found), [("write_file", Ok(&in_string["arguments"]))]);
}

#[test]
fn tags() {
    let path = json!({"path": "a<b"});
    let cases = [
        r#"<tool_call>{"name": "read_file", "arguments": {"path": "a<b"}}</tool_call>"#,
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a<b\"}}\n</tool_call>",
        "<tool_call>\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a<b\"}}\n```\n</tool_call>",
        r#"<tool_calls><tool_call>{"name": "read_file", "arguments": {"path": "a<b"}}</tool_call></tool_calls>"#,
        r#"<function_call>{"name": "read_file", "arguments": {"path": "a<b"}}</function_call>"#,
        r#"<function=read_file>{"path": "a<b"}</function>"#,
        "<function=read_file>\n<parameter=path>\na<b\n</parameter>\n</function>",
        "<tool_call>\n<function=read_file>\n<parameter=path>a<b</parameter>\n</function>\n</tool_call>",
        r#"<invoke name="read_file"><parameter name="path">a<b</parameter></invoke>"#,
        "<function_calls>\n<invoke name=\"read_file\">\n<parameter name=\"path\">a<b</parameter>\n</invoke>\n</function_calls>",
        r#"<|tool_call|>{"name": "read_file", "arguments": {"path": "a<b"}}<|/tool_call|>"#,
        r#"<|tool_call|>[{"name": "read_file", "arguments": {"path": "a<b"}}]"#,
        r#"<|python_tag|>{"name": "read_file", "parameters": {"path": "a<b"}}<|eom_id|>"#,
        r#"[TOOL_CALLS] [{"name": "read_file", "arguments": {"path": "a<b"}}]"#,
        r#"[TOOL_CALLS]read_file[ARGS]{"path": "a<b"}"#,
        r#"<tool_call>read_file({"path": "a<b"})</tool_call>"#,
        "<tool_call>read_file\n{\"path\": \"a<b\"}\n</tool_call>",
        "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a<b</arg_value>\n</tool_call>",
        "```tool_code\nread_file({\"path\": \"a<b\"})\n```",
    ];
    for text in cases {
        let found = recovered(text);
        assert_eq!(calls(&found), [("read_file", Ok(&path))], "{text}");
        assert_eq!(found.text, "", "{text}");
        let found = recovered(&format!("I look. [1]\n{text}\nWell, 1 < 2."));
        assert_eq!(calls(&found), [("read_file", Ok(&path))], "{text}");
        assert_eq!(found.text, "I look. [1]\n\nWell, 1 < 2.", "{text}");
    }
    let two = "<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"a\"}}</tool_call>\n\
               <tool_call>{\"name\":\"grep\",\"arguments\":{\"pattern\":\"b\"}}</tool_call>";
    assert_eq!(
        recovered(two).calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(),
        ["bash", "grep"]
    );
}

#[test]
fn broken_arguments_are_named_and_never_guessed() {
    let cases = [
        ("TOOL: read_file", "no ARGS line"),
        ("TOOL: read_file\n\n\n\nARGS: {}", "no ARGS line"),
        ("TOOL: read_file\nARGS:", "empty"),
        ("TOOL: read_file\nARGS: none", "line 1 column"),
        ("TOOL: read_file\nARGS: {\"path\": \"a", "truncated at byte 11"),
        ("TOOL: read_file\nARGS: {\"path\": \"a\"", "break off inside an object"),
        ("TOOL: read_file\nARGS: {path: 'a'}", "line 1 column 2"),
        ("TOOL: read_file\nARGS: {\"path\": \"a\",}", "trailing comma at line 1 column 14"),
        ("TOOL: read_file\nARGS: {\"path\": \"a\nb\"}", "write a line break in a string as \\n"),
        ("```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\n```\nBye.", "truncated"),
        (r#"{"name": "read_file", "arguments": {"path": "a"#, "truncated"),
        (r#"{"name": "read_file", "arguments": "{\"path\": "}"#, "EOF while parsing"),
        (r#"{"name": "read_file", "arguments": [1]}"#, "an array, not a JSON object"),
        (r#"{"name": "read_file", "arguments": ""}"#, "empty"),
        (r#"{"name": "read_file", "arguments": null}"#, "null"),
        (r#"{"tool": "read_file", "path": "a"}"#, "no arguments"),
        (r#"<tool_call>{"name": "read_file"}</tool_call>"#, "no arguments"),
        (r#"<tool_call>{"name": "read_file", "arguments": {"path": "a"}"#, "break off"),
        (r#"<tool_call>{"name": "read_file", "arguments": {path}}</tool_call>"#, "not JSON"),
        ("<tool_call>read_file(path='a')</tool_call>", "no JSON object"),
        ("<function=read_file><parameter=path>a", "path has no end"),
        ("<function=read_file><parameter=path>a</parameter>", "</function> is missing"),
        (
            "<function=read_file><parameter=path>a</parameter><parameter=path>b</parameter></function>",
            "twice",
        ),
        ("<invoke name=\"read_file\">", "</invoke> is missing"),
    ];
    for (text, wanted) in cases {
        let found = recovered(text);
        match calls(&found).as_slice() {
            [("read_file", Err(why))] => assert!(why.contains(wanted), "{text}: {why}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    // What was written is kept with it.
    let found = recovered("TOOL: read_file\nARGS: {\"path\": \"a\n");
    assert!(matches!(&found.calls[0].arguments, Arguments::Broken { text, .. } if text == "{\"path\": \"a"));
}

#[test]
fn what_is_no_call_stays_as_it_is() {
    let cases = [
        "",
        "Just text.",
        " spaces stay \n",
        "Use `TOOL: read_file` for that.",
        "TOOL: unknown\nARGS: {}",
        "Tools: read_file, bash",
        "The tool: it reads.",
        r#"For example {"name": "read_file", "arguments": {"path": "a"}} would read it."#,
        r#"{"name": "unknown", "arguments": {}}"#,
        r#"{"name": "grep", "version": "1.0"}"#,
        r#"[{"name": "bash", "arguments": {}}, {"name": "unknown", "arguments": {}}]"#,
        "```json\n{\"name\": \"bash\", \"version\": 1}\n```",
        "```json\n{\"name\": \"unknown\", \"arguments\": {}}\n```",
        "```python\ngrep(pattern=\"x\")\n```",
        "```python\nx = bash({\"command\": \"ls\"})\nprint(x)\n```",
        "```rust\n{\"name\": \"bash\", \"arguments\": {}}\n```",
        "Call bash({\"command\": \"ls\"}) now.",
        "<tool_call>{\"name\": \"unknown\", \"arguments\": {}}</tool_call>",
        "<function=unknown><parameter=a>b</parameter></function>",
        "<invoke name=\"unknown\"></invoke>",
        "a <b> c [d] { e",
        "[]",
        "{}",
        "{\"tool_calls\": []}",
        "RESULT of grep (1): nothing",
        "<think>TOOL: bash\nARGS: {\"command\": \"ls\"}</think>\nNo, I will not.",
    ];
    for text in cases {
        assert_eq!(recovered(text), Recovered { calls: vec![], text: text.into() }, "{text}");
    }
}

#[test]
fn reasoning_counts_only_where_nothing_was_answered() {
    let thought = "I should read it.\nTOOL: read_file\nARGS: {\"path\": \"a\"}";
    assert_eq!(recover("", thought, &is_tool).calls.len(), 1);
    assert_eq!(recover(" \n", thought, &is_tool).calls.len(), 1);
    assert_eq!(
        recover("It is a file.", thought, &is_tool),
        Recovered { calls: vec![], text: "It is a file.".into() }
    );
    let both = recover("TOOL: bash\nARGS: {\"command\": \"ls\"}", thought, &is_tool);
    assert_eq!(both.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["bash"]);
    assert_eq!(recover(&format!("<think>{thought}</think>"), "", &is_tool).calls.len(), 1);
}

#[test]
fn a_forced_answer_is_unwrapped() {
    for (text, wanted) in [
        (r#"{"answer": "It is \"a\"."}"#, "It is \"a\"."),
        ("```json\n{\"answer\": \"Yes.\"}\n```", "Yes."),
        (r#"{"answer": "cut o"#, "cut o"),
    ] {
        assert_eq!(recovered(text), Recovered { calls: vec![], text: wanted.into() });
    }
    assert_eq!(recovered(r#"{"answer": "a", "b": 1}"#).text, r#"{"answer": "a", "b": 1}"#);
}

/// Each would take minutes if failed attempts were made anew from every place.
#[test]
fn hostile_texts_are_read_in_bounded_work() {
    let units = [
        "{",
        "[",
        "<",
        "```\n",
        "```json\n{",
        "<tool_call>{",
        "<tool_call>",
        "TOOL: bash\n",
        "TOOL: bash\nARGS: {\"",
        "<function=bash><parameter=a>",
        "<function=bash>{",
        "[TOOL_CALLS][{\"name\":\"",
        "<invoke name=\"bash\">",
        "<tool_call>bash\n<arg_key>",
        "{\"name\":\"bash\",\"arguments\":",
        "\n\n\n",
        "TOOL:",
        "<think>",
        "`",
        "*",
        "{\"answer\":\"\\",
        "<tool_call>{\"name\":\"nobody\"",
        "bash({",
        "<tool_call>bash({",
    ];
    for unit in units {
        let text = unit.repeat(300_000 / unit.len());
        let found = recovered(&text);
        assert!(found.calls.len() <= text.len(), "{unit}");
        recover("", &text, &is_tool);
    }
}

/// Every opening is looked at up to the end of the text; after a while no further one is.
#[test]
fn failed_attempts_do_not_add_up() {
    let opening = format!("<tool_call>{{ {}", "prose ".repeat(500));
    let text = format!("{}\nTOOL: bash\nARGS: {{\"command\": \"ls\"}}", opening.repeat(100));
    assert_eq!(recovered(&text).calls, []);
    let text = format!("{}\nTOOL: bash\nARGS: {{\"command\": \"ls\"}}", opening.repeat(5));
    assert_eq!(recovered(&text).calls.len(), 1);
}

fn any_arguments() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        ".*".prop_map(Value::from),
        "[{}\\[\\]\"\\\\`<>:\n]*".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop::collection::vec(".*", 0..3).prop_map(Value::from),
    ];
    prop::collection::btree_map("[a-z_]{1,8}", value, 0..4)
        .prop_map(|map| Value::Object(map.into_iter().collect()))
}

fn written(form: usize, name: &str, arguments: &Value) -> String {
    let call = json!({"name": name, "arguments": arguments});
    match form {
        0 => format!("TOOL: {name}\nARGS: {arguments}"),
        1 => format!("**TOOL：** {name}\n**ARGS：**\n{arguments:#}"),
        2 => format!("```json\n{call:#}\n```"),
        3 => format!("<tool_call>\n{call}\n</tool_call>"),
        4 => format!("<function={name}>{arguments}</function>"),
        5 => format!("[TOOL_CALLS] [{call}]"),
        6 => format!("<tool_call>{name}({arguments})</tool_call>"),
        _ => json!({"function": {"name": name, "arguments": arguments.to_string()}}).to_string(),
    }
}

proptest! {
    #[test]
    fn whatever_was_written_is_read(
        arguments in any_arguments(),
        form in 0..8_usize,
        name in prop::sample::select(vec!["read_file", "bash"]),
    ) {
        let text = written(form, name, &arguments);
        let found = recovered(&text);
        prop_assert_eq!(calls(&found), vec![(name, Ok(&arguments))], "{}", text);
        prop_assert_eq!(found.text, "");
    }

    #[test]
    fn a_call_that_breaks_off_never_runs_on_other_arguments(
        arguments in any_arguments(), form in 0..8_usize, cut in 0.0..1.0_f64,
    ) {
        let text = written(form, "bash", &arguments);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let mut end = (text.len() as f64 * cut) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        for (name, read) in calls(&recovered(&text[..end])) {
            prop_assert_eq!(name, "bash");
            if let Ok(read) = read {
                prop_assert_eq!(read, &arguments, "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn text_without_a_tool_stays(text in ".*", more in "[<>{}\\[\\]`:\"\nTOLARGS a=/|_]*") {
        for text in [&text, &more] {
            let found = recover(text, "", &|_| false);
            if forced_answer(text).is_none() {
                prop_assert_eq!(&found.text, text);
            }
            prop_assert!(found.calls.is_empty());
        }
    }

    #[test]
    fn never_fails(text in "(TOOL: bash\n|ARGS: |\\{|\\}|\"|name|bash|arguments|:|```json\n|```|<tool_call>|</tool_call>|\\[|\\]|<function=bash>|<parameter=a>|</parameter>|</function>|日|\\\\|,| |\n){0,30}") {
        let found = recovered(&text);
        prop_assert!(found.calls.iter().all(|call| is_tool(&call.name)));
        recover("", &text, &is_tool);
    }
}
