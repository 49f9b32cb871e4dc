//! Calls in every form: native, as text, fenced, constrained; and that nothing runs on arguments that are broken.

use deskhand_agent::provider::scripted::{ScriptedCall, ScriptedError};
use serde_json::json;

use super::*;

fn raw(tool: &str, text: &str) -> ScriptedReply {
    let call = ScriptedCall {
        name: tool.to_owned(),
        arguments_text: Some(text.to_owned()),
        ..ScriptedCall::default()
    };
    ScriptedReply { calls: vec![call], ..ScriptedReply::default() }
}

#[tokio::test]
async fn nothing_runs_on_broken_arguments() {
    for broken in [r#"{"path": "x.txt", "content": "a"#, "path=x.txt", r#"["x.txt"]"#] {
        let desk = Desk::new().mode(deskhand_core::Mode::Auto);
        let script = Script { replies: vec![raw("write_file", broken), says("I see.")], ..Script::default() };
        let talk = Talk::at(desk, script);
        assert_eq!(done(&talk.say("write").await).0, TurnOutcome::Completed);
        assert!(!talk.desk.path("x.txt").exists(), "{broken}");
        assert_eq!(statuses(&talk.answer()), [Status::InvalidArguments], "{broken}");
        let told = last_results(&talk.requests()[1]);
        assert!(
            told[0].contains("nothing was done") && told[0].contains("one whole JSON object"),
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn a_model_without_tools_of_its_own_writes_them_as_text() {
    for call in [
        "I will look.\nTOOL: read_file\nARGS: {\"path\": \"a.txt\"}",
        "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.txt\"}}\n```",
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a.txt\"}}</tool_call>",
    ] {
        let script = Script {
            native_tools: false,
            replies: vec![says(call), says("It says hello.")],
            ..Script::default()
        };
        let talk = Talk::at(Desk::new(), script);
        talk.desk.write("a.txt", "hello from the file");
        let events = talk.say("what does a.txt say?").await;
        assert_eq!(done(&events).0, TurnOutcome::Completed);
        assert_eq!(statuses(&talk.answer()), [Status::Success], "{call}");
        let requests = talk.requests();
        assert!(requests[0].tools.is_empty() && requests[0].system.contains("TOOL:"), "{call}");
        assert!(format!("{:?}", requests[1].messages).contains("hello from the file"), "{call}");
        let shown = streamed(&events);
        assert!(
            !shown.contains("TOOL:") && !shown.contains("read_file"),
            "the call is not shown as text: {shown}"
        );
        assert!(shown.ends_with("It says hello."), "{shown}");
    }
}

#[tokio::test]
async fn a_server_that_takes_no_tools_is_asked_again_without_them() {
    let refuses = ScriptedReply {
        error: Some(ScriptedError {
            class: "no_tools".into(),
            message: "this model does not support tools".into(),
            ..ScriptedError::default()
        }),
        ..ScriptedReply::default()
    };
    let replies = vec![refuses, says("TOOL: list_dir\nARGS: {\"path\": \".\"}"), says("Empty.")];
    let talk = Talk::new(replies);
    let events = talk.say("look").await;
    assert_eq!(done(&events).0, TurnOutcome::Completed);
    assert_eq!(statuses(&talk.answer()), [Status::Success]);
    assert!(notices(&events).iter().any(|text| text.contains("takes no tools")));
    let requests = talk.requests();
    assert!(!requests[0].tools.is_empty() && requests[1].tools.is_empty());
}

#[tokio::test]
async fn where_the_form_can_be_forced_it_is() {
    let script = Script {
        native_tools: false,
        constrains: true,
        replies: vec![
            says(r#"{"tool": "list_dir", "arguments": {"path": "."}}"#),
            says(r#"{"answer": "Nothing but \"a.txt\"."}"#),
        ],
        ..Script::default()
    };
    let talk = Talk::at(Desk::new(), script);
    talk.desk.write("a.txt", "x");
    let events = talk.say("look").await;
    assert_eq!(done(&events).0, TurnOutcome::Completed);
    assert_eq!(statuses(&talk.answer()), [Status::Success]);
    assert_eq!(talk.answer().content, "Nothing but \"a.txt\".");
    assert_eq!(streamed(&events), "Nothing but \"a.txt\".");
    let schema = talk.requests()[0].constraint.clone().unwrap().schema.to_string();
    assert!(schema.contains("list_dir") && schema.contains("answer"), "{schema}");
}

#[tokio::test]
async fn an_answer_that_only_speaks_of_a_call_is_an_answer() {
    let text = "You could send {\"name\": \"no_such_tool\", \"arguments\": {}} there.";
    let talk = Talk::new([says(text)]);
    assert_eq!(done(&talk.say("how?").await).0, TurnOutcome::Completed);
    assert_eq!(talk.answer().content, text);
}

#[tokio::test]
async fn errors_of_the_provider_reach_the_person_in_its_own_words() {
    let refused = ScriptedReply {
        error: Some(ScriptedError {
            class: "auth".into(),
            message: "Incorrect API key provided".into(),
            hint: Some("Set OPENAI_API_KEY.".into()),
            ..ScriptedError::default()
        }),
        ..ScriptedReply::default()
    };
    let talk = Talk::new([refused, says("now")]);
    let (outcome, reason) = done(&talk.say("hi").await);
    assert_eq!(outcome, TurnOutcome::Failed);
    let reason = reason.unwrap();
    assert!(reason.contains("Incorrect API key provided") && reason.contains("OPENAI_API_KEY"), "{reason}");
    assert_eq!(talk.requests().len(), 1, "it is not asked again");
    assert_eq!(done(&talk.say("hi").await).0, TurnOutcome::Completed, "the session is usable");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_again() {
    let breaks = ScriptedReply {
        error: Some(ScriptedError { class: "network".into(), message: "reset".into(), ..Default::default() }),
        ..says("The answer is for")
    };
    let talk = Talk::new([breaks, says("The answer is forty-two.")]);
    let events = talk.say("?").await;
    assert_eq!(done(&events).0, TurnOutcome::Completed);
    assert_eq!(talk.answer().content, "The answer is forty-two.");
    assert!(notices(&events).iter().any(|text| text.contains("broke off")), "{:?}", notices(&events));
}

#[tokio::test]
async fn tools_that_were_not_offered_are_found_by_need() {
    let replies = [calls("find_tools", json!({"query": "结束进程"})), says("Found.")];
    let talk = Talk::new(replies);
    talk.say("?").await;
    let names = |request: &ModelRequest| -> Vec<String> {
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let requests = talk.requests();
    let (before, after) = (names(&requests[0]), names(&requests[1]));
    assert!(!before.contains(&"kill_process".to_owned()) && after.contains(&"kill_process".to_owned()));
    assert_eq!(after[..before.len()], before, "what was offered first stays first");
    let size = deskhand_agent::chain::offer::bytes(&requests[0].tools);
    assert!(size < 6_000, "{size} bytes of definitions");
}
