//! Room in the context: older results shrink first, then what is older is summarised; nothing is lost and every call
//! keeps its result.

use deskhand_core::session::Usage;
use serde_json::json;

use super::*;

fn small(replies: Vec<ScriptedReply>) -> Script {
    Script { context_tokens: 12_000, replies, ..Script::default() }
}

/// Some text that no tokenizer makes short.
fn long(lines: usize) -> String {
    let lines: Vec<String> =
        (0..lines).map(|n| format!("line {n}: {:x}", n.wrapping_mul(2_654_435_761))).collect();
    lines.join("\n") + "\n"
}

/// Every call in what was told has exactly one result, right after it.
fn assert_valid(request: &ModelRequest) {
    let mut open: Vec<String> = Vec::new();
    for message in &request.messages {
        match message {
            ChatMessage::Assistant { text, calls, .. } => {
                assert!(open.is_empty());
                assert!(!text.trim().is_empty() || !calls.is_empty());
                open = calls.iter().map(|call| call.id.clone()).collect();
            }
            ChatMessage::Results { results } => {
                let ids: Vec<String> = results.iter().map(|result| result.call_id.clone()).collect();
                assert_eq!(std::mem::take(&mut open), ids);
            }
            ChatMessage::User { .. } => assert!(open.is_empty()),
        }
    }
    assert!(open.is_empty());
}

/// Reads eight files there, until the older ones have made room: the handle of one of those.
async fn read_until_some_shrink(folder: &std::path::Path, desk: Desk) -> (Talk, String) {
    let path = |n: u32| folder.join(format!("{n}.txt"));
    let mut replies: Vec<ScriptedReply> =
        (0..8).map(|n| calls("read_file", json!({"path": path(n)}))).collect();
    replies.push(says("Read."));
    (0..8).for_each(|n| std::fs::write(path(n), long(250)).unwrap());
    let talk = Talk::at(desk, Script { context_tokens: 30_000, ..small(replies) });
    assert_eq!(done(&talk.say("read them all").await).0, TurnOutcome::Completed);
    let requests = talk.requests();
    requests.iter().for_each(assert_valid);
    let last = requests.iter().rfind(|request| !request.tools.is_empty()).unwrap();
    let results: Vec<String> = last
        .messages
        .iter()
        .filter_map(|message| match message {
            ChatMessage::Results { results } => Some(results[0].text.clone()),
            _ => None,
        })
        .collect();
    let shrunk: Vec<&String> = results.iter().filter(|text| text.contains("characters left out")).collect();
    assert!(!shrunk.is_empty(), "the older ones: {results:?}");
    assert!(results.last().unwrap().contains("line 249"), "the newest is whole");
    let handle = shrunk[0].split("path \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    (talk, handle)
}

#[tokio::test]
async fn older_results_shrink_and_stay_readable() {
    let desk = Desk::new();
    let folder = desk.workspace.clone();
    let (talk, handle) = read_until_some_shrink(&folder, desk).await;
    let whole = talk.desk.call("read_file", json!({"path": handle})).await;
    assert!(whole.text.contains("line 50") && whole.outside.is_none(), "{}", whole.text);
}

#[tokio::test]
async fn older_results_from_outside_stay_from_outside() {
    let folder = deskhand_testkit::folder_in_sight(env!("CARGO_TARGET_TMPDIR"));
    let desk = Desk::new().mode(deskhand_core::Mode::Auto);
    let (talk, handle) = read_until_some_shrink(folder.path(), desk).await;
    let whole = talk.desk.call("read_file", json!({"path": handle})).await;
    assert!(whole.text.contains("line 50") && whole.outside.is_some(), "{whole:?}");
}

#[tokio::test]
async fn near_the_limit_what_is_older_is_summarised_within_the_turn() {
    let mut replies = Vec::new();
    for n in 0..12 {
        replies.push(ScriptedReply {
            text: format!("Step {n}. {}", long(30)),
            ..calls("write_file", json!({"path": format!("{n}.txt"), "content": long(40)}))
        });
    }
    // Whoever summarises gets the next reply: a script in order cannot know when, so every reply can be a summary.
    replies.push(says("All written."));
    replies.push(says("All written."));
    replies.push(says("All written."));
    let talk = Talk::at(Desk::new().mode(deskhand_core::Mode::Auto), small(replies));
    let events = talk.say("write twelve files of lines").await;
    assert_eq!(done(&events).0, TurnOutcome::Completed);
    let compacted: Vec<(u64, u64, String)> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Compacted { tokens_before, tokens_after, transcript, .. } => {
                Some((*tokens_before, *tokens_after, transcript.clone()))
            }
            _ => None,
        })
        .collect();
    assert!(!compacted.is_empty(), "it was compacted");
    for (before, after, _) in &compacted {
        assert!(after < before, "{before} → {after}");
    }
    let requests = talk.requests();
    requests.iter().for_each(assert_valid);
    let last = format!("{:?}", requests.last().unwrap().messages);
    assert!(last.contains("write twelve files of lines"), "the request is kept word for word");
    assert!(last.contains("0.txt"), "the changed files are named");
    let transcript = talk.desk.call("read_file", json!({"path": compacted[0].2})).await;
    assert!(transcript.text.contains("Step 0."), "{}", transcript.text);
    assert!(talk.messages().iter().any(|message| message.metadata.compaction.is_some()));
    assert!(call_steps(&talk.answer()).len() >= 8, "what was done stays in the history");
}

/// A server that counts less than is guessed: from the first turn on, it is its count that decides.
#[tokio::test]
async fn what_the_server_counts_is_known_in_the_next_turn() {
    let counted = |text: &str| ScriptedReply {
        usage: Some(Usage { input_tokens: 14_000, output_tokens: 10, ..Usage::default() }),
        ..says(text)
    };
    let replies = vec![counted("One."), counted("Two."), counted("Three.")];
    let talk = Talk::at(Desk::new(), Script { context_tokens: 60_000, ..small(replies) });
    for said in ["first", "second"] {
        let events = talk.say(&format!("{said}\n{}", long(2_600))).await;
        assert_eq!(done(&events).0, TurnOutcome::Completed);
        let is_compacted = |event: &Event| matches!(event.body, EventBody::Compacted { .. });
        assert!(!events.iter().any(is_compacted), "{said}");
    }
}

#[tokio::test]
async fn the_model_may_ask_for_it_and_say_what_matters() {
    let replies = [
        calls("list_dir", json!({"path": "."})),
        says("Looked."),
        calls("compact", json!({"focus": "the folder"})),
        says("## Request\nLook into THE-FOLDER."),
        says("Go on with THE-FOLDER."),
        says("Still here."),
    ];
    let talk = Talk::new(replies);
    talk.say("look around, please").await;
    let events = talk.say("compact and go on").await;
    assert_eq!(done(&events).0, TurnOutcome::Completed);
    let requests = talk.requests();
    let summary = requests
        .iter()
        .position(|request| request.system.contains("summarise"))
        .expect("a summary is asked for");
    assert!(format!("{:?}", requests[summary].messages).contains("the folder"));
    let next = format!("{:?}", requests[summary + 1].messages);
    assert!(next.contains("Look into THE-FOLDER") && next.contains("compact and go on"), "{next}");
    assert!(next.contains("look around, please"), "what the user asked is kept by us: {next}");
    // The next turn is told the same.
    talk.say("and now?").await;
    let later = format!("{:?}", talk.requests().last().unwrap().messages);
    assert!(later.contains("Look into THE-FOLDER") && !later.contains("\"Looked.\""), "{later}");
}

#[tokio::test]
async fn a_request_that_is_too_long_is_made_shorter_once() {
    use deskhand_agent::provider::scripted::ScriptedError;
    let too_long = || ScriptedReply {
        error: Some(ScriptedError {
            class: "too_long".into(),
            message: "8192 tokens".into(),
            ..Default::default()
        }),
        ..ScriptedReply::default()
    };
    let talk = Talk::new([
        says("One."),
        too_long(),
        says("A summary."),
        says("Two."),
        too_long(),
        too_long(),
        too_long(),
    ]);
    talk.say("first").await;
    let events = talk.say("second").await;
    assert_eq!(done(&events).0, TurnOutcome::Completed);
    assert!(events.iter().any(|event| matches!(event.body, EventBody::Compacted { .. })));
    let (outcome, reason) = done(&talk.say("third").await);
    assert_eq!(outcome, TurnOutcome::Failed);
    let reason = reason.unwrap();
    assert!(reason.contains("8192 tokens"), "{reason}");
}

#[tokio::test]
async fn a_model_that_cannot_summarise_leaves_the_bare_facts() {
    use deskhand_agent::provider::scripted::ScriptedError;
    let fails = ScriptedReply {
        error: Some(ScriptedError {
            class: "server".into(),
            message: "overloaded".into(),
            ..Default::default()
        }),
        ..ScriptedReply::default()
    };
    let talk = Talk::new([says("One."), fails, says("Two.")]);
    talk.say("remember the milk").await;
    talk.agent.compact(&talk.session, None, &CancellationToken::new()).await.unwrap();
    talk.say("what was it?").await;
    let told = format!("{:?}", talk.requests().last().unwrap().messages);
    assert!(told.contains("remember the milk") && !told.contains("\"One.\""), "{told}");
}

#[tokio::test]
async fn a_second_compaction_keeps_what_the_first_one_kept() {
    let replies =
        [says("One."), says("First summary."), says("Two."), says("Second summary."), says("Milk and eggs.")];
    let talk = Talk::new(replies);
    let compact = || async { talk.agent.compact(&talk.session, None, &CancellationToken::new()).await };
    talk.say("remember the milk").await;
    compact().await.unwrap();
    assert!(compact().await.is_err(), "there is nothing new to summarise");
    talk.say("and the eggs").await;
    compact().await.unwrap();
    talk.say("what was it?").await;
    let requests = talk.requests();
    assert!(
        format!("{:?}", requests[3].messages).contains("First summary."),
        "it is part of what is summarised"
    );
    let told = format!("{:?}", requests.last().unwrap().messages);
    assert!(told.contains("remember the milk") && told.contains("and the eggs"), "{told}");
}

#[tokio::test]
async fn ids_that_a_model_uses_again_are_told_apart() {
    use deskhand_agent::provider::scripted::ScriptedCall;
    let read = |n: u32| ScriptedReply {
        calls: vec![ScriptedCall {
            id: Some("call_0".into()),
            name: "read_file".into(),
            arguments: Some(json!({"path": format!("{n}.txt")})),
            ..ScriptedCall::default()
        }],
        ..ScriptedReply::default()
    };
    let mut replies: Vec<ScriptedReply> = (0..8).map(read).collect();
    replies.push(says("Read."));
    let talk = Talk::at(Desk::new(), Script { context_tokens: 30_000, ..small(replies) });
    for n in 0..8 {
        talk.desk.write(format!("{n}.txt"), format!("file {n}\n{}", long(250)));
    }
    talk.say("read them all").await;
    let requests = talk.requests();
    let last = requests.iter().rfind(|request| !request.tools.is_empty()).unwrap();
    let results: Vec<_> = last
        .messages
        .iter()
        .filter_map(|message| match message {
            ChatMessage::Results { results } => Some(results[0].clone()),
            _ => None,
        })
        .collect();
    let ids: std::collections::HashSet<_> = results.iter().map(|result| result.call_id.clone()).collect();
    assert_eq!(ids.len(), results.len());
    let mut shrunk = 0;
    for (n, result) in results.iter().enumerate() {
        let Some(handle) = deskhand_core::output::handles_in(&result.text).next() else { continue };
        let whole = talk.desk.call("read_file", json!({"path": deskhand_core::output::handle(handle)})).await;
        assert!(whole.text.contains(&format!("file {n}\n")), "{n}");
        shrunk += 1;
    }
    assert!(shrunk > 1, "{results:?}");
}

#[tokio::test]
async fn the_request_that_is_being_worked_on_stays_whole() {
    let request = format!("Do all of this: {} and the last thing is XYZZY.", "a detail, ".repeat(600));
    let look = |n: u32| calls("file_search", json!({"pattern": format!("{n}*")}));
    let mut replies: Vec<ScriptedReply> = (0..4).map(look).collect();
    replies.extend([calls("compact", json!({})), says("A summary."), says("Done.")]);
    let talk = Talk::new(replies);
    let events = talk.say(&request).await;
    assert!(events.iter().any(|event| matches!(event.body, EventBody::Compacted { .. })));
    let told = format!("{:?}", talk.requests().last().unwrap().messages);
    assert!(told.contains("XYZZY"), "{told}");
}
