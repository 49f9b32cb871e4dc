use super::*;
use crate::provider::{
    ToolDefinition,
    scripted::{Script, Scripted, ScriptedError, ScriptedReply},
};

fn request(text: &str) -> ModelRequest {
    ModelRequest {
        system: "It is Monday.".into(),
        messages: vec![ChatMessage::User { text: text.into(), images: Vec::new() }],
        tools: vec![ToolDefinition {
            name: "read_file".into(),
            description: "x".into(),
            parameters: json!({}),
        }],
        ..ModelRequest::default()
    }
}

async fn ask(model: &dyn Provider, request: &ModelRequest) -> (Result<Reply, ProviderError>, Vec<Delta>) {
    let mut deltas = Vec::new();
    let reply = model.complete(request, &mut |delta| deltas.push(delta), &CancellationToken::new()).await;
    (reply, deltas)
}

fn model(replies: Vec<ScriptedReply>) -> Arc<Scripted> {
    Arc::new(Scripted::new("x", Script { replies, context_tokens: 777, ..Script::default() }))
}

#[tokio::test]
async fn what_was_recorded_is_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let error = ScriptedError { class: "auth".into(), message: "no".into(), ..ScriptedError::default() };
    let replies = vec![
        ScriptedReply::text("first answer"),
        ScriptedReply::call("read_file", json!({"path": "a"})),
        ScriptedReply { error: Some(error), ..ScriptedReply::default() },
        ScriptedReply::text("another first"),
    ];
    let recorder = Recorder::new(model(replies), &path).unwrap();
    let asked = ["one", "two", "three", "one"].map(request);
    let mut recorded = Vec::new();
    for request in &asked {
        recorded.push(ask(&recorder, request).await);
    }
    let player = Player::from_file(&path).unwrap();
    assert_eq!(player.capabilities().context_tokens, 777);
    for (request, (reply, deltas)) in asked.iter().zip(&recorded) {
        let mut other_day = request.clone();
        other_day.system = "It is Tuesday.".into();
        let (played, played_deltas) = ask(&player, &other_day).await;
        assert_eq!(&played_deltas, deltas);
        match (played, reply) {
            (Ok(played), Ok(reply)) => assert_eq!(&played, reply),
            (Err(played), Err(error)) => {
                assert_eq!((played.class, played.message), (error.class, error.message.clone()));
            }
            (played, _) => panic!("{played:?}"),
        }
    }
    let (unknown, _) = ask(&player, &request("four")).await;
    let unknown = unknown.unwrap_err();
    assert!(unknown.message.contains("has no answer") && unknown.message.contains("«four»"), "{unknown}");
    let mut other_tools = request("one");
    other_tools.tools.clear();
    assert!(ask(&player, &other_tools).await.0.is_err());
}

#[tokio::test]
async fn secrets_do_not_get_into_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text = format!("Here it is: {secret} .");
    let replies =
        vec![ScriptedReply { piece: Some(3), thoughts: text.clone(), ..ScriptedReply::text(&text) }];
    let recorder = Recorder::new(model(replies), &path).unwrap();
    let request = request(&format!("my token is {secret}"));
    ask(&recorder, &request).await.0.unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert!(!written.contains(&secret[4..20]), "{written}");
    let (reply, deltas) = ask(&Player::from_file(&path).unwrap(), &request).await;
    assert!(reply.unwrap().text.contains("⟦masked:"));
    assert_eq!(deltas.len(), 2);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_file_that_is_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let header = r#"{"format":"deskhand-replay-1","model":"m","native_tools":true,"constrains":false,"images":false,"context_tokens":1}"#;
    for (text, part) in [
        (String::new(), "first line"),
        ("{}".to_owned(), "first line"),
        (header.replace("replay-1", "replay-9"), "first line"),
        (format!("{header}\nnonsense"), "line 2"),
    ] {
        fs::write(&path, &text).unwrap();
        let error = Player::from_file(&path).unwrap_err();
        assert!(error.message.contains(part), "{text}: {error}");
    }
    assert!(Player::from_file(Path::new("/nonexistent")).is_err());
}
