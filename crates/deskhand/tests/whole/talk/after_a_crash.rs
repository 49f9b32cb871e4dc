//! A process that is killed in the middle of a turn: everything that was shown is there, nothing runs twice, and what
//! became of each call is said truly.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead, BufReader},
    process::Stdio,
};

use deskhand_core::{
    AuditLog, CallId,
    session::{NewTurn, TurnEnd},
};
use serde_json::json;

use super::*;
use crate::command::Shop;

/// A turn of some length: it says, writes, runs, reads, side by side, and answers. Each has a log of its own, since a
/// command that was just being started when its turn was killed may come to its end a moment later.
fn script(log: &str) -> Script {
    let append = |n: u32| calls("bash", json!({"command": format!("echo {n} >> {log}")}));
    let write =
        |n: u32| calls("write_file", json!({"path": format!("{n}.txt"), "content": format!("{n}\n")}));
    let slowly = |reply: ScriptedReply| ScriptedReply { delay_ms: 3, ..reply };
    Script {
        replies: vec![
            slowly(ScriptedReply {
                thoughts: "I think about it for a while.".into(),
                ..together([says("First I write. "), write(1)])
            }),
            slowly(together([says("Then I run. "), append(2)])),
            slowly(together([write(3), calls("list_dir", json!({"path": "."})), write(4)])),
            append(5),
            slowly(says("Everything that was asked for is done now, as far as I can see.")),
        ],
        ..Script::default()
    }
}

/// When a process is killed: a while after it has shown so many lines, or when it has ended.
struct Moment {
    lines: usize,
    then: Duration,
}

/// Runs a turn and kills the process. What it showed, whole lines.
fn run_and_kill(shop: &Shop, script: &str, moment: &Moment) -> Vec<Value> {
    let mut command = shop.command(&["--json", "--mode", "auto", "--model", script, "chat", "do it all"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).split(b'\n').map_while(Result::ok);
    let mut shown: Vec<Vec<u8>> = lines.by_ref().take(moment.lines).collect();
    std::thread::sleep(moment.then);
    child.kill().unwrap();
    child.wait().unwrap();
    shown.extend(lines);
    // The last one may have been cut.
    shown.iter().filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// A small random number generator, so that the moments differ and can be had again.
fn random(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

#[tokio::test]
async fn sigkill_at_a_hundred_moments() {
    const TIMES: usize = 100;
    let shop = Shop::new();
    let file = shop.root.join("script.json");
    let write_script = |log: &str| fs::write(&file, serde_json::to_string(&script(log)).unwrap()).unwrap();
    write_script("log.txt");
    let model = format!("scripted/{}", file.display());
    // How much a whole turn shows.
    let whole = shop.run(&["--json", "--mode", "auto", "--model", &model, "chat", "do it all"]);
    assert_eq!(whole.code, 0, "{whole:?}");
    let all_lines = whole.stdout.lines().count() as u64;
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut ended_as: HashMap<&str, usize> = HashMap::new();
    for n in 0..TIMES {
        for entry in fs::read_dir(shop.path("")).unwrap().flatten() {
            let _ = fs::remove_file(entry.path());
        }
        let log = format!("log-{n}.txt");
        write_script(&log);
        let lines = usize::try_from(random(&mut seed) % (all_lines + 1)).unwrap();
        // Between two lines that are shown, more happens: hence a little later. Before the first one it is the start.
        let most_micros = if lines == 0 { 100_000 } else { 5_000 };
        let moment = Moment { lines, then: Duration::from_micros(random(&mut seed) % most_micros) };
        let shown = run_and_kill(&shop, &model, &moment);
        let store =
            deskhand_store::Store::open(&shop.root.join("data"), &deskhand_store::StoreOptions::default())
                .unwrap();
        let sessions: Arc<dyn SessionStore> = store.sessions();
        let hub = deskhand_agent::hub::EventHub::start(sessions.clone()).unwrap();
        deskhand_agent::recovery::close_broken_turns(sessions.as_ref(), store.audit().as_ref(), &hub)
            .unwrap();
        assert!(sessions.broken_turns().unwrap().is_empty());
        let Some(first) = shown.first() else {
            *ended_as.entry("before anything was shown").or_default() += 1;
            continue;
        };
        let session = first["session_id"].as_str().unwrap();
        let log = fs::read_to_string(shop.path(&log)).unwrap_or_default();
        let how = check(&shop, sessions.as_ref(), store.audit().as_ref(), session, &shown, &log);
        *ended_as.entry(how).or_default() += 1;
    }
    println!("{ended_as:?}");
    assert!(ended_as.get("in the middle").copied().unwrap_or(0) >= TIMES / 4, "{ended_as:?}");
    let verified = shop.run(&["audit", "verify"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

fn check(
    shop: &Shop,
    store: &dyn SessionStore,
    audit: &dyn AuditLog,
    session: &str,
    shown: &[Value],
    log: &str,
) -> &'static str {
    let events = store.events(session, 0, 100_000).unwrap();
    // All that was shown is stored, as it was shown.
    for line in shown {
        let seq = usize::try_from(line["seq"].as_u64().unwrap()).unwrap();
        let mut kept = serde_json::to_value(&events[seq - 1]).unwrap();
        let mut line = line.clone();
        for value in [&mut kept, &mut line] {
            value.as_object_mut().unwrap().remove("at");
        }
        assert_eq!(kept, line);
    }
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let (outcome, _) = done(&events);
    // The answer has an outcome, and each of its calls one result that is true.
    let messages = store.messages(session, &MessageQuery::default()).unwrap().items;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1].metadata.outcome, Some(outcome));
    let mut ids: Vec<CallId> = Vec::new();
    for call in call_steps(&messages[1]) {
        ids.push(call.call_id);
        let end = call.end.clone().expect("no call is left open");
        let happened = match call.tool.as_str() {
            "write_file" => Some(shop.path(call.arguments["path"].as_str().unwrap()).exists()),
            "bash" => {
                let number = call.arguments["command"].as_str().unwrap().split(' ').nth(1).unwrap();
                let times = log.lines().filter(|line| *line == number).count();
                assert!(times <= 1, "nothing runs twice: {log}");
                Some(times == 1)
            }
            _ => None,
        };
        match (end.status, end.error_code.as_deref()) {
            (Status::Success, _) => assert_ne!(happened, Some(false), "{call:?}"),
            (_, Some("never_started" | "turn_ended")) => {
                assert_ne!(happened, Some(true), "{call:?}");
                assert!(audit.last_record(call.call_id).unwrap().is_none());
            }
            (_, Some("interrupted")) => {}
            other => panic!("{other:?}: {call:?}"),
        }
    }
    let unique: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len());
    if outcome == TurnOutcome::Completed { "after the end" } else { "in the middle" }
}

#[tokio::test]
async fn what_became_of_each_call_is_said_truly() {
    // One that never began, one under way, one that ended; and the process that ran them is gone.
    let desk = Desk::new();
    desk.write("a.txt", "x");
    let talk = Talk::at(desk, Script { replies: vec![says("Go on.")], ..Script::default() });
    let store = talk.agent.store().clone();
    let begun = store
        .begin_turn(&NewTurn {
            session_id: talk.session.clone(),
            content: "do".into(),
            uploads: vec![],
            model: None,
            queued: None,
        })
        .unwrap();
    let step = |call_id: CallId, tool: &str| {
        Step::Call(Box::new(CallStep {
            round: 1,
            call_id,
            model_call_id: call_id.to_string(),
            tool: tool.into(),
            arguments: json!({"path": "a.txt"}),
            started_at: deskhand_core::Time::now(),
            end: None,
        }))
    };
    let [never, under_way, ended, told] = [(); 4].map(|()| CallId::new());
    store
        .add_steps(
            &begun.turn.id,
            &[
                step(never, "read_file"),
                step(under_way, "read_file"),
                step(ended, "read_file"),
                step(told, "read_file"),
            ],
        )
        .unwrap();
    let request = deskhand_core::Request {
        id: Some(ended),
        ..deskhand_core::Request::new("read_file", json!({"path": "a.txt"}))
    };
    assert!(talk.desk.gate.call(request, &talk.desk.session).await.is_success());
    // The outcome of the last one had become an event.
    let outcome =
        deskhand_core::Outcome::without_gate(told, "read_file", Status::Success, "", "all that it said");
    let event = deskhand_core::session::NewEvent {
        session_id: talk.session.clone(),
        turn_id: Some(begun.turn.id.clone()),
        at: deskhand_core::Time::now(),
        body: EventBody::CallEnded { outcome: Box::new(outcome) },
    };
    store.append_events(vec![event]).unwrap();
    let mut arrival = talk.desk.gate.audit.last_record(ended).unwrap().unwrap();
    arrival.phase = deskhand_core::Phase::Arrival;
    arrival.call_id = Some(under_way);
    arrival.status = "started".into();
    talk.desk.gate.audit.append(&arrival).unwrap();

    let hub = deskhand_agent::hub::EventHub::start(store.clone()).unwrap();
    let left = store.open_turn(&talk.session).unwrap().unwrap();
    let audit = talk.desk.store.audit();
    deskhand_agent::recovery::close_turn(store.as_ref(), audit.as_ref(), &hub, &left).unwrap();
    let ends = ends(&talk.answer());
    let codes: Vec<_> =
        ends.iter().map(|end| (end.status, end.error_code.as_deref().unwrap_or(""))).collect();
    assert_eq!(
        codes[..3],
        [
            (Status::Cancelled, "never_started"),
            (Status::Error, "interrupted"),
            (Status::Success, "interrupted")
        ]
    );
    assert_eq!((ends[3].status, ends[3].result.as_str()), (Status::Success, "all that it said"));
    assert!(ends[2].outside.is_some(), "nobody knows where its words come from");
    assert!(ends[1].result.contains("Look before you do it again"));
    assert_eq!(talk.answer().metadata.outcome, Some(TurnOutcome::Failed));
    let none = store
        .end_turn(
            &begun.turn.id,
            &TurnEnd {
                outcome: TurnOutcome::Completed,
                reason: None,
                content: "late".into(),
                incomplete: false,
                usage: None,
                metadata: serde_json::Map::new(),
            },
        )
        .unwrap();
    assert!(none.is_none(), "the first end is the one that counts");
    assert_eq!(done(&talk.say("go on").await).0, TurnOutcome::Completed, "the session goes on");
}

/// Makes the database refuse something; `false` where that cannot be done here.
fn spoil(talk: &Talk, sql: &str) -> bool {
    const SCRIPT: &str =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()";
    let mut python = std::process::Command::new("python3");
    python.arg("-c").arg(SCRIPT).arg(talk.desk.data.join("deskhand.db")).arg(sql);
    let spoilt = python.status().is_ok_and(|status| status.success());
    if !spoilt {
        deskhand_testkit::skip("there is no python3 with sqlite3 here");
    }
    spoilt
}

#[tokio::test]
async fn a_call_that_ran_is_never_told_as_one_that_did_not() {
    let write = |n: u32| calls("write_file", json!({"path": format!("{n}.txt"), "content": "x"}));
    let script =
        Script { replies: vec![together([write(1), write(2)]), says("never asked")], ..Script::default() };
    let talk = Talk::at(Desk::new().mode(deskhand_core::Mode::Auto), script);
    let refuse = "CREATE TRIGGER spoilt BEFORE UPDATE ON turn_steps WHEN NEW.body LIKE '%\"status\":\"success\"%' \
                  BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;";
    if !spoil(&talk, refuse) {
        return;
    }
    let events = talk.say("write two").await;
    let (outcome, reason) = done(&events);
    assert_eq!(outcome, TurnOutcome::Failed);
    assert!(reason.unwrap().contains("the disk is full"));
    let ended = events.iter().filter(|event| matches!(event.body, EventBody::CallEnded { .. })).count();
    assert_eq!(ended, 2, "each call ends once");
    for end in ends(&talk.answer()) {
        assert!(!end.result.contains("Nothing was done"), "{end:?}");
    }
    assert!(talk.desk.path("1.txt").exists() && talk.desk.path("2.txt").exists());
}

#[tokio::test]
async fn a_turn_whose_events_cannot_be_stored_has_failed() {
    let talk = Talk::new([says("Words that get lost.")]);
    let refuse = "CREATE TRIGGER spoilt BEFORE INSERT ON events WHEN NEW.kind = 'text' \
                  BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;";
    if !spoil(&talk, refuse) {
        return;
    }
    let (outcome, reason) = done(&talk.say("talk").await);
    assert_eq!(outcome, TurnOutcome::Failed);
    assert!(reason.unwrap().contains("could not be stored"));
    assert_eq!(talk.answer().content, "Words that get lost.", "the answer itself is kept");
}

#[tokio::test]
async fn an_end_that_could_not_be_stored_is_stored_when_it_can_be() {
    let talk = Talk::new([says("First."), says("Second.")]);
    let refuse =
        "CREATE TRIGGER spoilt BEFORE UPDATE ON turns BEGIN SELECT RAISE(ABORT, 'the disk is full'); END;";
    if !spoil(&talk, refuse) {
        return;
    }
    let handle = talk.start("first");
    assert_eq!(handle.ended().await, TurnOutcome::Completed);
    assert!(talk.agent.store().open_turn(&talk.session).unwrap().is_some(), "it is not stored yet");
    assert!(spoil(&talk, "DROP TRIGGER spoilt;"));
    assert_eq!(done(&talk.say("second").await).0, TurnOutcome::Completed);
    let texts: Vec<String> = talk.messages().into_iter().map(|message| message.content).collect();
    assert_eq!(texts, ["first", "First.", "second", "Second."]);
}
