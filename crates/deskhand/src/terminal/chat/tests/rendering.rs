//! What is printed for a stream of events.

use deskhand_core::{
    Answer, Event, EventBody, Plan, Settled, Status,
    approval::AnyAnswer,
    changed::{ChangeKind, ChangeSummary, ChangedEntry},
    event::TurnOutcome,
    session::Usage,
};

use super::{Stream, call, outcome, question};
use crate::{
    language::Language,
    terminal::{
        Style,
        chat::{Renderer, Screen},
    },
};

const COLOURED: Screen =
    Screen { style: Style::COLOURED, language: Language::English, width: 60, live: true, asks: true };
const PLAIN: Screen = Screen { style: Style::PLAIN, live: false, asks: false, ..COLOURED };

/// All that is printed, with the sequences made visible.
fn shown(screen: Screen, events: &[Event]) -> String {
    let mut renderer = Renderer::new(screen).within("/home/ada/space".as_ref());
    let mut out = String::new();
    for event in events {
        out.push_str(&renderer.event(event));
        // A terminal moves between any two events.
        out.push_str(&renderer.tick());
    }
    out.push_str(&renderer.fresh_line(events.last().unwrap().at));
    out.replace('\x1b', "␛").replace('\r', "␍")
}

/// A turn with everything that can happen in one.
fn whole_turn() -> Vec<Event> {
    let settled =
        |by: &str, answer| Settled::Answered { answer: AnyAnswer::Execution(answer), by: by.into() };
    let written = outcome(2, "edit_file", Status::Success, "Changed 1 place in notes.md.");
    Stream::new()
        .add(EventBody::TurnStarted {
            message: "mend the typo".into(),
            message_id: 1,
            model: Some("zhipu/glm-5".into()),
            retry_of: None,
        })
        .thought("First I read the file, ")
        .thought("然后修改。")
        .text("I look into **the ")
        .text("file**.")
        .planned(1, "read_file", "Read /home/ada/space/notes.md", "allow")
        .progress(1, "reading\nsecond")
        .ended(outcome(1, "read_file", Status::Success, "one\ntwo\nthree\nfour\nfive\nsix"))
        .planned(2, "edit_file", "Change 1 place in notes.md", "ask")
        .add(EventBody::ApprovalWanted { request: Box::new(question("0197-approval-11112222", 2)) })
        .add(EventBody::ApprovalSettled {
            approval_id: "0197-approval-11112222".into(),
            call_id: call(2),
            settled: settled("person:approvals", Answer::Yes { remember: None }),
        })
        .ended(deskhand_core::Outcome { undo: Some(call(2)), ..written })
        // Two side by side: the first one ends last.
        .planned(3, "grep", "Search for x", "allow")
        .planned(4, "bash", "Run rm -rf /", "forbid")
        .ended(outcome(4, "bash", Status::Blocked, "That is forbidden."))
        .ended(outcome(3, "grep", Status::Error, "bad\x1b[2J pattern"))
        .add(EventBody::ProcessEnded {
            process_id: "p1".into(),
            command: "sleep 1".into(),
            exit_code: Some(0),
            signal: None,
            status: "exited".into(),
        })
        .add(EventBody::Compacted {
            messages: 24,
            tokens_before: 90_000,
            tokens_after: 8_000,
            transcript: "/d/t.md".into(),
        })
        .add(EventBody::Notice { text: "The server was slow.".into() })
        .text("Done: `tickets`.\n\n- one\n- two")
        .add(EventBody::Usage(Usage {
            input_tokens: 12_345,
            output_tokens: 67,
            cached_tokens: 10_000,
            cost: Some(0.0123),
        }))
        .add(EventBody::Usage(Usage { input_tokens: 5, output_tokens: 3, cached_tokens: 0, cost: None }))
        .done(TurnOutcome::Completed, None)
        .events
}

#[test]
fn a_turn_on_a_terminal() {
    insta::assert_snapshot!(shown(Screen { live: false, ..COLOURED }, &whole_turn()));
}

#[test]
fn a_turn_in_chinese() {
    let screen = Screen { language: Language::Chinese, live: false, ..COLOURED };
    insta::assert_snapshot!(shown(screen, &whole_turn()));
}

#[test]
fn a_turn_in_a_pipe() {
    let text = shown(PLAIN, &whole_turn());
    assert!(!text.contains(['␛', '␍']), "{text}");
    insta::assert_snapshot!(text);
}

/// A command that ran on a layer: first its own plan, then the plan to keep what it changed.
#[test]
fn changes_of_a_command_stand_in_one_line_at_its_end() {
    let entries = ["a", "b"].map(|path| ChangedEntry::new(path, ChangeKind::Created)).to_vec();
    let mut keep = Plan::new("Keep the changes of: make");
    keep.changes =
        Some(Box::new(ChangeSummary { more: 5, created: 7, entries: entries.clone(), ..Default::default() }));
    let ended = |kept: bool| {
        let text = "built\nThe changes are kept.\nA a\nA b\n… and 5 more\n7 created";
        let data = serde_json::json!({"stdout": "built\n", "stderr": "warned\n", "exit_code": 0});
        let undo = kept.then(|| call(1));
        let ran = outcome(1, "bash", Status::Success, text);
        deskhand_core::Outcome { data, undo, changes: entries.clone(), kept: Some(kept), ..ran }
    };
    let events = |kept| {
        let kept_plan = EventBody::CallPlanned {
            call_id: call(1),
            tool: "bash".into(),
            arguments: serde_json::json!({}),
            plan: Box::new(keep.clone()),
            decision: "allow".into(),
        };
        Stream::new().planned(1, "bash", "Run make", "allow").add(kept_plan).ended(ended(kept)).events
    };
    assert_eq!(
        shown(PLAIN, &events(true)),
        "● bash  Run make\n  ✓ 1.2 s\n    built\n    warned\n    7 files changed, kept · undo: deskhand undo 00000001\n"
    );
    assert_eq!(
        shown(Screen { language: Language::Chinese, ..PLAIN }, &events(false)),
        "● bash  Run make\n  ✓ 1.2 s\n    built\n    warned\n    7 个文件的更改已丢弃\n"
    );
}

/// The moving line is always taken away before anything else is printed: what is left on the screen is what a screen
/// without it shows.
#[test]
fn the_moving_line_leaves_no_trace() {
    let still = shown(Screen { live: false, ..COLOURED }, &whole_turn());
    let moving = shown(COLOURED, &whole_turn());
    assert!(moving.contains("thinking, 10 words") && moving.contains("read_file 25%  second"), "{moving}");
    let left: Vec<String> =
        moving.split('\n').map(|line| line.rsplit("␍␛[K").next().unwrap_or(line).to_owned()).collect();
    assert_eq!(left.join("\n"), still);
}

#[test]
fn a_turn_ends_with_its_reason() {
    for (outcome, reason, english, chinese) in [
        (TurnOutcome::Completed, None, "", ""),
        (TurnOutcome::Cancelled, None, "Cancelled\n", "已取消\n"),
        (
            TurnOutcome::Stopped,
            Some("the same call 5 times"),
            "Stopped: the same call 5 times\n",
            "已停止: the same call 5 times\n",
        ),
        (TurnOutcome::Failed, Some("401: bad key"), "Failed: 401: bad key\n", "失败: 401: bad key\n"),
    ] {
        let events = Stream::new().done(outcome, reason).events;
        assert_eq!(shown(PLAIN, &events), english);
        assert_eq!(shown(Screen { language: Language::Chinese, ..PLAIN }, &events), chinese);
    }
}

#[test]
fn how_a_question_was_settled_is_said_unless_it_was_here() {
    let settled = |settled| {
        let body = EventBody::ApprovalSettled { approval_id: "a".into(), call_id: call(1), settled };
        Stream::new().add(body).events
    };
    let here = Screen { asks: true, ..PLAIN };
    let no = Answer::No { reason: Some("wrong file".into()), remember: None };
    let by = |by: &str| Settled::Answered { answer: AnyAnswer::Execution(no.clone()), by: by.into() };
    assert_eq!(shown(here, &settled(by("person:terminal"))), "");
    assert_eq!(shown(here, &settled(by("person:web"))), "  ↳ no, says person:web: wrong file\n");
    assert_eq!(shown(here, &settled(Settled::Expired)), "  ↳ nobody answered in time\n");
    assert_eq!(shown(here, &settled(Settled::Withdrawn)), "  ↳ the question was withdrawn\n");
}

#[test]
fn empty_lines_before_words_are_not_shown() {
    let events =
        Stream::new().text("\n").text("\n\n  a").text("\n\nb").planned(1, "x", "y", "allow").text("\n");
    assert_eq!(shown(PLAIN, &events.events), "  a\n\nb\n● x  y\n");
}

#[test]
fn the_last_thought_can_be_read_in_full() {
    let mut renderer = Renderer::new(COLOURED);
    for event in Stream::new()
        .thought("a ")
        .thought("b")
        .text("x")
        .thought("c")
        .done(TurnOutcome::Cancelled, None)
        .events
    {
        renderer.event(&event);
    }
    assert_eq!(renderer.last_thought(), "c");
}

#[test]
fn long_lines_are_cut_on_a_terminal_and_kept_in_a_pipe() {
    let events = Stream::new().planned(1, "bash", &"词".repeat(50), "allow").events;
    let terminal = shown(Screen { style: Style::PLAIN, ..COLOURED }, &events);
    assert_eq!(terminal.lines().next(), Some(format!("● bash  {}…", "词".repeat(24)).as_str()));
    assert!(shown(PLAIN, &events).contains(&"词".repeat(50)));
}
