//! The stream of events of whole turns: in order, once, the same for whoever watches and whenever.

use deskhand_core::{Answer, Mode, approval::AnyAnswer};
use serde_json::json;

use super::*;
use crate::support::{no, yes};

/// Events with what differs from run to run taken out.
fn told(events: &[Event], desk: &Desk) -> String {
    let mut text = String::new();
    let mut ids: Vec<String> = Vec::new();
    let mut events = events.to_vec();
    // How often a call that runs says so depends on the machine.
    events.retain(|event| !matches!(event.body, EventBody::CallOutput { .. }));
    // Calls that run side by side come in any order; theirs is that in which the model wrote them.
    let call_of = |event: &Event| match &event.body {
        EventBody::CallPlanned { call_id, .. } => Some(*call_id),
        EventBody::CallEnded { outcome } => Some(outcome.call_id),
        _ => None,
    };
    for run in events.chunk_by_mut(|one, other| call_of(one).is_some() == call_of(other).is_some()) {
        run.sort_by_key(call_of);
    }
    for event in &events {
        let mut value = serde_json::to_value(&event.body).unwrap();
        shorten(&mut value);
        text.push_str(&format!("{value}\n"));
    }
    let text = text.replace(&desk.workspace.display().to_string(), "WORKSPACE");
    // Ids in the order in which they first stand there.
    let uuid = |word: &str| word.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    for word in text.split(|c: char| !c.is_ascii_hexdigit() && c != '-') {
        if uuid(word) && !ids.contains(&word.to_owned()) {
            ids.push(word.to_owned());
        }
    }
    ids.iter().enumerate().fold(text, |text, (n, id)| text.replace(id, &format!("ID{}", n + 1)))
}

/// Only what a reader of the test wants to see.
fn shorten(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for gone in [
                "duration_ms",
                "wanted_at",
                "expires_at",
                "fingerprint",
                "shapes",
                "confinement",
                "preview",
                "touches",
                "why",
                "notes",
                "tokens_before",
                "tokens_after",
                "data",
                "workspace",
                "effects",
                "result_approval",
                "undo",
            ] {
                fields.remove(gone);
            }
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        _ => {}
    }
}

/// Several rounds, calls side by side, a denial, an edit of arguments, an approval that expires, a compaction and a cancel.
#[tokio::test]
async fn a_long_conversation_as_it_is_seen() {
    let write = |path: &str| calls("write_file", json!({"path": path, "content": "one\n"}));
    let edited = AnyAnswer::Execution(Answer::Edit {
        arguments: json!({"path": "edited.txt", "content": "as the person wants it\n"}),
    });
    let mut desk = Desk::with(|settings| settings.approval_timeout = Duration::from_millis(400));
    // Yes to the first, no to the second, another path for the third, yes to that; then nobody answers.
    let asked = desk.answer([yes(), no("not that one"), edited, yes()]);
    desk.session.wait_for_others = true;
    desk.write("notes.txt", "milk\n");
    let script = Script {
        replies: vec![
            ScriptedReply {
                thoughts: "They want files.".into(),
                ..together([
                    says("I look first."),
                    calls("read_file", json!({"path": "notes.txt"})),
                    calls("list_dir", json!({"path": "."})),
                ])
            },
            write("first.txt"),
            write("denied.txt"),
            write("third.txt"),
            calls("bash", json!({"command": "touch expired.txt"})),
            calls("compact", json!({})),
            says("## Request\nWrite files."),
            ScriptedReply {
                usage: Some(deskhand_core::session::Usage {
                    input_tokens: 12,
                    output_tokens: 3,
                    ..Default::default()
                }),
                ..together([says("Two files are written."), calls("probe_slow", json!({}))])
            },
        ],
        ..Script::default()
    };
    let talk = Talk::at(desk, script);
    let handle = talk.start("write some files");
    let mut watched = talk.agent.subscribe(&talk.session, 0);
    while let Some(event) = watched.next().await {
        if matches!(event.body, EventBody::CallOutput { .. }) {
            handle.cancel();
            break;
        }
    }
    let events = talk.events_of(&handle).await;
    assert_eq!(done(&events).0, TurnOutcome::Cancelled);
    assert_eq!(asked.asked().len(), 5);
    assert!(talk.desk.path("first.txt").exists());
    assert_eq!(std::fs::read_to_string(talk.desk.path("edited.txt")).unwrap(), "as the person wants it\n");
    for absent in ["denied.txt", "third.txt", "expired.txt"] {
        assert!(!talk.desk.path(absent).exists(), "{absent}");
    }
    insta::assert_snapshot!("conversation", told(&events, &talk.desk));
}

#[tokio::test]
async fn whoever_watches_sees_the_same_whenever_they_come() {
    let replies = vec![
        calls("list_dir", json!({"path": "."})),
        ScriptedReply { delay_ms: 2, ..says(&"word ".repeat(100)) },
    ];
    let talk = Talk::new(replies);
    let handle = talk.start("go");
    let (all, late) = tokio::join!(talk.events_of(&handle), async {
        tokio::time::sleep(Duration::from_millis(80)).await;
        talk.events_of(&handle).await
    });
    let after = talk.events_of(&handle).await;
    let key = |events: &[Event]| serde_json::to_string(events).unwrap();
    assert_eq!(key(&all), key(&late));
    assert_eq!(key(&all), key(&after));
    let numbers: Vec<u64> = all.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "no gap, nothing twice");
    // From any number on, what comes is what is missing.
    for from in [0, 1, all.len() / 2, all.len() - 1] {
        let mut stream = talk.agent.subscribe(&talk.session, from as u64);
        for expected in &all[from..] {
            let next = stream.next().await.unwrap();
            assert_eq!(serde_json::to_string(&next).unwrap(), serde_json::to_string(expected).unwrap());
        }
    }
}

#[tokio::test]
async fn one_turn_at_a_time() {
    let slowly = ScriptedReply { delay_ms: 20, ..says("one two three four five six") };
    let talk = Talk::new([slowly, says("Second.")]);
    let handle = talk.start("first");
    let error = talk.agent.start(talk.request("second")).err().unwrap().to_string();
    assert!(error.contains("a turn is under way"), "{error}");
    handle.ended().await;
    assert_eq!(done(&talk.say("second").await).0, TurnOutcome::Completed);
    let texts: Vec<String> = talk.messages().into_iter().map(|message| message.content).collect();
    assert_eq!(texts, ["first", "one two three four five six", "second", "Second."]);
    assert!(talk.agent.start(talk.request("  ")).is_err(), "an empty message begins nothing");
}

/// Each of the two waits for the other: one after the other they would never end.
#[tokio::test]
async fn calls_that_do_not_conflict_run_side_by_side() {
    let meet = || calls("probe_meets", json!({}));
    let talk = Talk::new([together([meet(), meet()]), says("Met.")]);
    assert_eq!(done(&talk.say("meet").await).0, TurnOutcome::Completed);
    assert_eq!(statuses(&talk.answer()), [Status::Success; 2]);
}

#[tokio::test]
async fn calls_that_conflict_run_in_the_order_of_the_model() {
    let look = |path: &str| calls("read_file", json!({"path": path}));
    let write = |content: &str| calls("write_file", json!({"path": "same.txt", "content": content}));
    let replies = vec![
        together([write("first\n"), look("same.txt"), write("second\n"), look("same.txt")]),
        says("Done."),
    ];
    let talk = Talk::at(Desk::new().mode(Mode::Auto), Script { replies, ..Script::default() });
    talk.say("go").await;
    let ends = ends(&talk.answer());
    assert!(ends[1].result.contains("first") && ends[3].result.contains("second"), "{ends:?}");
}

#[tokio::test]
async fn a_session_has_a_title_that_a_person_may_lock() {
    use deskhand_core::session::TitledBy;
    let talk = Talk::new([says("a"), says("b")]);
    talk.say("Please rename the thing.").await;
    let store = talk.agent.store();
    assert_eq!(store.session(&talk.session).unwrap().title, "Please rename the thing");
    store.rename(&talk.session, "Mine", TitledBy::Person).unwrap();
    talk.say("another").await;
    assert_eq!(store.session(&talk.session).unwrap().title, "Mine");
}

#[tokio::test]
async fn results_can_be_checked_by_a_person_first() {
    use crate::support::pass;
    use deskhand_core::ResultAnswer;
    let mut desk = Desk::new();
    desk.write("a.txt", "private\n");
    let withhold = AnyAnswer::Result(ResultAnswer::Withhold { reason: Some("mine".into()) });
    let asked = desk.answer([pass(), withhold]);
    let look = || calls("read_file", json!({"path": "a.txt"}));
    let options = ToolChainOptions { check_results: true, ..ToolChainOptions::default() };
    let talk = Talk::with(
        desk,
        Script { replies: vec![look(), look(), says("I saw it once.")], ..Script::default() },
        options,
    );
    talk.say("read").await;
    assert_eq!(asked.asked().len(), 2);
    assert_eq!(statuses(&talk.answer()), [Status::Success, Status::ResultRejected]);
    assert!(!ends(&talk.answer())[1].result.contains("private"));
}

#[tokio::test]
async fn a_program_that_embeds_the_agent_is_called_back_with_every_event() {
    let talk = Talk::new([calls("list_dir", json!({"path": "."})), says("Looked.")]);
    let seen = Arc::new(crate::support::Events::default());
    let request = TurnRequest { observer: Some(seen.clone()), ..talk.request("look") };
    let handle = talk.agent.start(request).unwrap();
    let events = talk.events_of(&handle).await;
    let kind = |body: &EventBody| serde_json::to_value(body).unwrap()["type"].clone();
    let called: Vec<Value> = seen.0.lock().unwrap().iter().map(kind).collect();
    // The end is stored together with the answer, and told by the handle.
    let told: Vec<Value> = events[..events.len() - 1].iter().map(|event| kind(&event.body)).collect();
    assert_eq!(called, told);
    assert_eq!(handle.ended().await, TurnOutcome::Completed);
}

#[tokio::test]
async fn a_picture_goes_to_a_model_that_sees_and_its_name_to_any() {
    use deskhand_core::session::NewUpload;
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
    for images in [true, false] {
        let script = Script { images, replies: vec![says("A dot.")], ..Script::default() };
        let talk = Talk::at(Desk::new(), script);
        let upload = NewUpload {
            session_id: talk.session.clone(),
            name: "dot.png".into(),
            mime: "image/png".into(),
            content: PNG.to_vec(),
        };
        let upload = talk.agent.store().add_upload(&upload).unwrap();
        let request = TurnRequest { uploads: vec![upload.id.clone()], ..talk.request("what is this?") };
        let handle = talk.agent.start(request).unwrap();
        let events = talk.events_of(&handle).await;
        assert_eq!(done(&events).0, TurnOutcome::Completed);
        let ChatMessage::User { images: sent, text } = talk.requests()[0].messages[0].clone() else {
            panic!("the user spoke first")
        };
        let sent: Vec<String> = sent.into_iter().map(|image| image.base64).collect();
        let wanted: &[&str] = if images { &["iVBORw0KGgo="] } else { &[] };
        assert_eq!(sent, wanted);
        assert!(text.starts_with("what is this?") && text.contains(upload.path.to_str().unwrap()), "{text}");
        assert_eq!(notices(&events).iter().any(|notice| notice.contains("dot.png")), !images);
    }
}
