use deskhand_core::Image;
use serde_json::json;

use super::*;
use crate::{
    chain::{offer, recover::recover},
    provider::{Arguments, ChatMessage, ModelCall, Thought, ToolResult},
};

fn tool(name: &str, parameters: serde_json::Value) -> ToolDefinition {
    ToolDefinition { name: name.into(), description: "Does\n  it.".into(), parameters }
}

#[test]
fn a_tool_is_one_line() {
    let cases = [
        (json!({}), "- t(): Does it."),
        (
            json!({"properties": {"a": {"type": "integer"}, "z": {"type": "string"}}, "required": ["z"]}),
            "- t(z*: string, a: integer): Does it.",
        ),
        (json!({"properties": {"m": {"enum": ["x", "y"], "type": "string"}}}), "- t(m: x|y): Does it."),
        (
            json!({"properties": {"m": {"oneOf": [{"const": 1}, {"type": "string"}]}}}),
            "- t(m: 1|string): Does it.",
        ),
        (
            json!({"properties": {"m": {"type": "array", "items": {"type": "object", "properties": {
                "o": {"type": "string"}, "n": {"type": "boolean"}}, "required": ["o"]}}}}),
            "- t(m: {o*: string, n: boolean}[]): Does it.",
        ),
        (
            json!({"properties": {"m": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}}),
            "- t(m: (string|number)[]): Does it.",
        ),
    ];
    for (parameters, wanted) in cases {
        assert_eq!(signature::line(&tool("t", parameters)), wanted);
    }
}

#[test]
fn the_prompt_names_every_tool_and_the_form() {
    let registry = deskhand_tools::registry();
    for (language, form, says) in [
        (Language::English, Form::Lines, "ARGS: its arguments"),
        (Language::Chinese, Form::Lines, "ARGS: 一个 JSON 对象"),
        (Language::English, Form::Json, "{\"answer\": \"your answer\"}"),
        (Language::Chinese, Form::Json, "{\"answer\": \"你的回答\"}"),
    ] {
        let tools: Vec<_> = registry.offered().map(|entry| offer::definition(&entry, language)).collect();
        let prompt = prompt_as(&tools, language, form);
        assert!(prompt.contains(says) && prompt.contains("RESULT of NAME (ID)"), "{prompt}");
        for tool in &tools {
            assert!(prompt.contains(&format!("\n- {}(", tool.name)), "{}", tool.name);
        }
        assert!(prompt.contains("grep(pattern*: string, "), "{prompt}");
        // The prompt itself must not be taken for a call.
        assert!(recover(&prompt, "", &|name| tools.iter().any(|tool| tool.name == name)).calls.is_empty());
    }
    assert_eq!(prompt(&[], Language::English), "");
}

fn user(text: &str) -> ChatMessage {
    ChatMessage::User { text: text.into(), images: vec![] }
}

fn says(text: &str) -> ChatMessage {
    ChatMessage::Assistant { thoughts: vec![], text: text.into(), calls: vec![] }
}

fn call(id: &str, name: &str, arguments: Arguments) -> ModelCall {
    ModelCall { id: id.into(), name: name.into(), arguments }
}

fn conversation() -> Vec<ChatMessage> {
    let result = |id: &str, name: &str, text: &str, is_error| ToolResult {
        call: None,
        call_id: id.into(),
        name: name.into(),
        text: text.into(),
        is_error,
        images: if is_error {
            vec![]
        } else {
            vec![Image { mime: "image/png".into(), base64: "AA==".into() }]
        },
    };
    vec![
        user("Find x."),
        user("In src."),
        ChatMessage::Assistant {
            thoughts: vec![Thought { text: "hm".into(), signature: None }],
            text: "Let me look.".into(),
            calls: vec![
                call("1", "grep", Arguments::Given(json!({"pattern": "x\n\"}"}))),
                call("2", "bash", Arguments::Broken { text: "{\"command".into(), why: "truncated".into() }),
            ],
        },
        ChatMessage::Results {
            results: vec![result("1", "grep", "a.rs:1: x", false), result("2", "bash", "truncated", true)],
        },
        user("And y?"),
        says("No y."),
    ]
}

#[test]
fn calls_and_results_become_plain_messages() {
    let image = Image { mime: "image/png".into(), base64: "AA==".into() };
    let wanted = vec![
        user("Find x.\n\nIn src."),
        says("Let me look.\n\nTOOL: grep\nARGS: {\"pattern\":\"x\\n\\\"}\"}\n\nTOOL: bash\nARGS: {\"command"),
        ChatMessage::User {
            text: "RESULT of grep (1): a.rs:1: x\n\nRESULT of bash (2, failed): truncated\n\nAnd y?".into(),
            images: vec![image],
        },
        says("No y."),
    ];
    assert_eq!(render(&conversation()), wanted);
}

#[test]
fn in_the_forced_form_what_the_model_said_has_that_form() {
    let plain = render_as(&conversation(), Form::Json);
    let ChatMessage::Assistant { text, .. } = &plain[1] else { panic!("{plain:?}") };
    let first = text.lines().next().unwrap();
    assert_eq!(first, r#"{"name":"grep","parameters":{"pattern":"x\n\"}"}}"#);
    assert_eq!(plain[3], says(r#"{"answer":"No y."}"#));
}

#[test]
fn roles_take_turns_and_nobody_says_nothing() {
    let odd = [says("Hello"), says("again"), user(""), user("a"), says(" "), user("b")];
    assert_eq!(
        render(&odd),
        [user("(What was said before is left out.)"), says("Hello\n\nagain"), user("a\n\nb")]
    );
}

#[test]
fn what_was_rendered_is_recovered() {
    let ChatMessage::Assistant { text, .. } = &render(&conversation())[1] else { panic!() };
    let recovered = recover(text, "", &|name| matches!(name, "grep" | "bash"));
    assert_eq!(recovered.text, "Let me look.");
    assert_eq!(recovered.calls[0].arguments, Arguments::Given(json!({"pattern": "x\n\"}"})));
    assert_eq!(recovered.calls[1].name, "bash");
    assert!(matches!(&recovered.calls[1].arguments, Arguments::Broken { text, .. } if text == "{\"command"));
}
