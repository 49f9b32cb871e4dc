//! A turn followed to its end: questions in their place, interrupts, exit codes.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use deskhand_core::{Approver, Event, EventBody, Status, event::TurnOutcome};
use deskhand_testkit::{Person, yes};
use futures_util::future::BoxFuture;
use tokio::sync::{Notify, mpsc};

use super::{Stream, event, outcome, question};
use crate::{
    language::Language,
    terminal::{
        Style,
        chat::{
            Ended, EventSource, Follow, Interrupt, Interrupts, Output, Questions, Renderer, RunningTurn,
            Screen, questions::ChatApprover,
        },
    },
};

struct Arriving(mpsc::UnboundedReceiver<Event>);

impl EventSource for Arriving {
    fn next(&mut self) -> BoxFuture<'_, Option<Event>> {
        Box::pin(self.0.recv())
    }
}

/// A turn that ends when it was cancelled this many times: one that is slow to end sees more than one.
struct UntilCancelled {
    ends_at: usize,
    cancelled: AtomicUsize,
    events: mpsc::UnboundedSender<Event>,
    /// Told when it has ended.
    ended: Notify,
}

impl RunningTurn for UntilCancelled {
    fn cancel(&self) {
        if self.cancelled.fetch_add(1, Ordering::SeqCst) + 1 == self.ends_at {
            self.send(EventBody::Done { outcome: TurnOutcome::Cancelled, reason: None, incomplete: false });
        }
    }

    fn first_event(&self) -> u64 {
        1
    }

    fn ended(&self) -> BoxFuture<'_, TurnOutcome> {
        Box::pin(async {
            self.ended.notified().await;
            TurnOutcome::Completed
        })
    }
}

impl UntilCancelled {
    fn new(ends_at: usize, events: mpsc::UnboundedSender<Event>) -> Self {
        Self { ends_at, cancelled: AtomicUsize::new(0), events, ended: Notify::new() }
    }

    fn send(&self, body: EventBody) {
        let _ = self.events.send(event(1, deskhand_core::Time::now(), body));
    }
}

/// Says yes, or waits for ever; and notes when it was asked.
fn person(log: &Arc<Mutex<String>>, answers: bool) -> Arc<Person> {
    let log = Arc::clone(log);
    Person::taking_time(move |request| {
        log.lock().unwrap().push_str(&format!("<asked {}>", request.id));
        if answers { Box::pin(async { Some(yes()) }) } else { Box::pin(std::future::pending()) }
    })
}

/// A terminal with a turn on it.
struct Scene {
    log: Arc<Mutex<String>>,
    turn: Arc<UntilCancelled>,
    events: Arriving,
    approver: ChatApprover,
    questions: Questions,
    keys: mpsc::Sender<Interrupt>,
    interrupts: Interrupts,
    output: Output,
}

impl Scene {
    fn new(json: bool) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let (keys, pressed) = mpsc::channel(8);
        let (approver, questions) = Questions::new();
        let screen =
            Screen { style: Style::COLOURED, language: Language::English, width: 60, live: true, asks: true };
        Self {
            log: Arc::default(),
            turn: Arc::new(UntilCancelled::new(1, sender)),
            events: Arriving(receiver),
            approver,
            questions,
            keys,
            interrupts: Interrupts::from(pressed),
            output: if json { Output::Json } else { Output::People(Box::new(Renderer::new(screen))) },
        }
    }

    fn send(&self, events: Vec<Event>) {
        for event in events {
            self.turn.events.send(event).unwrap();
        }
    }

    async fn follow(&mut self, person: Option<&Person>) -> Ended {
        let (printed, remarks) = (Arc::clone(&self.log), Arc::clone(&self.log));
        let follow = Follow {
            output: &mut self.output,
            questions: &mut self.questions,
            interrupts: &mut self.interrupts,
            asks: person.map(|person| person as &dyn Approver),
            language: Language::English,
            cancel_limit: Duration::from_millis(200),
            end_limit: Duration::from_millis(300),
            print: &mut move |text| printed.lock().unwrap().push_str(text),
            remark: &mut move |text| remarks.lock().unwrap().push_str(&format!("<{text}>")),
        };
        follow.turn(&*self.turn, &mut self.events).await
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }
}

#[tokio::test]
async fn a_question_is_asked_where_it_stands_in_the_stream() {
    let mut scene = Scene::new(false);
    let person = person(&scene.log, true);
    let request = question("q1", 1);
    let turn = Arc::clone(&scene.turn);
    // The gate asks before the screen has seen any of the events.
    let approver = std::mem::replace(&mut scene.approver, Questions::new().0);
    let gate = tokio::spawn({
        let request = request.clone();
        async move {
            let answer = approver.ask(&request).await;
            turn.send(EventBody::Done { outcome: TurnOutcome::Completed, reason: None, incomplete: false });
            answer
        }
    });
    tokio::task::yield_now().await;
    scene.send(
        Stream::new().thought("hm").text("I change it").planned(1, "edit_file", "Change", "ask").events,
    );
    scene.send(Stream::new().add(EventBody::ApprovalWanted { request: Box::new(request) }).events);
    let ended = scene.follow(Some(&person)).await;
    assert_eq!(ended.exit_code(), 0);
    assert_eq!(gate.await.unwrap(), Some(yes()));
    let log = scene.log();
    let (before, _) = log.split_once("<asked q1>").unwrap();
    // All of it is there, on lines of their own, and nothing moves.
    assert!(before.contains("I change it") && before.contains("edit_file"), "{before}");
    assert!(before.ends_with('\n') || before.ends_with("\r\x1b[K"), "{before:?}");
}

#[tokio::test]
async fn a_prompt_goes_away_when_someone_else_answers() {
    let mut scene = Scene::new(false);
    let person = person(&scene.log, false);
    let request = question("q1", 1);
    scene.send(Stream::new().add(EventBody::ApprovalWanted { request: Box::new(request.clone()) }).events);
    let turn = Arc::clone(&scene.turn);
    let (approver, log) =
        (std::mem::replace(&mut scene.approver, Questions::new().0), Arc::clone(&scene.log));
    tokio::spawn(async move {
        let asking = approver.ask(&request);
        let asked = async {
            while !log.lock().unwrap().contains("<asked q1>") {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! { _ = asking => {}, () = asked => {} }
        turn.send(EventBody::Done { outcome: TurnOutcome::Completed, reason: None, incomplete: false });
    });
    assert_eq!(scene.follow(Some(&person)).await.outcome, TurnOutcome::Completed);
    assert!(scene.log().contains("<asked q1><>"), "{}", scene.log());
}

#[tokio::test]
async fn ctrl_c_cancels_and_twice_leaves() {
    for (keys, leave) in
        [(&[Interrupt::Key][..], false), (&[Interrupt::Key, Interrupt::Key], true), (&[Interrupt::End], true)]
    {
        let mut scene = Scene::new(false);
        scene.send(Stream::new().text("some words").events);
        let events = scene.turn.events.clone();
        scene.turn = Arc::new(UntilCancelled::new(keys.len(), events));
        for key in keys {
            scene.keys.send(*key).await.unwrap();
        }
        let ended = scene.follow(None).await;
        assert_eq!((ended.outcome, ended.leave, ended.exit_code()), (TurnOutcome::Cancelled, leave, 4));
        assert!(scene.log().contains("Ctrl-C again leaves"), "{}", scene.log());
    }
}

#[tokio::test]
async fn ctrl_c_in_a_question_cancels_the_turn() {
    let mut scene = Scene::new(false);
    let person = person(&scene.log, false);
    let request = question("q1", 1);
    scene.send(Stream::new().add(EventBody::ApprovalWanted { request: Box::new(request.clone()) }).events);
    let (approver, log) =
        (std::mem::replace(&mut scene.approver, Questions::new().0), Arc::clone(&scene.log));
    let (keys, turn) = (scene.keys.clone(), Arc::clone(&scene.turn));
    tokio::spawn(async move {
        let pressed = async {
            while !log.lock().unwrap().contains("<asked q1>") {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            keys.send(Interrupt::Key).await.unwrap();
            // The gate gives up a question of a turn that was cancelled.
            while turn.cancelled.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! { _ = approver.ask(&request) => panic!("nobody answers"), () = pressed => {} }
    });
    let ended = scene.follow(Some(&person)).await;
    assert_eq!((ended.outcome, ended.leave), (TurnOutcome::Cancelled, false));
}

#[tokio::test]
async fn exit_codes_tell_how_it_went() {
    use TurnOutcome::{Completed, Failed, Stopped};
    for (status, outcome_of_turn, code) in [
        (Status::Success, Completed, 0),
        (Status::Error, Completed, 0),
        (Status::NobodyToAsk, Completed, 3),
        (Status::ExecutionRejected, Completed, 0),
        (Status::ExecutionRejected, Stopped, 3),
        (Status::Success, Stopped, 1),
        (Status::Success, Failed, 1),
    ] {
        let mut scene = Scene::new(true);
        scene.send(Stream::new().ended(outcome(1, "x", status, "")).done(outcome_of_turn, None).events);
        assert_eq!(scene.follow(None).await.exit_code(), code, "{status} {outcome_of_turn:?}");
    }
}

#[tokio::test]
async fn as_json_each_event_is_one_line_and_nothing_else_is_there() {
    let mut scene = Scene::new(true);
    let events = Stream::new().thought("a\nb").text("c").done(TurnOutcome::Completed, None).events;
    scene.send(events.clone());
    scene.follow(None).await;
    let lines: Vec<serde_json::Value> =
        scene.log().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wanted: Vec<serde_json::Value> =
        events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(lines, wanted);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_a_failure() {
    let mut scene = Scene::new(false);
    let (sender, receiver) = mpsc::unbounded_channel();
    drop(sender);
    scene.events = Arriving(receiver);
    assert_eq!(scene.follow(None).await.exit_code(), 1);
    assert!(scene.log().contains("have ended before it did"));
}

#[tokio::test]
async fn a_turn_that_does_not_end_is_left_behind() {
    for in_a_question in [false, true] {
        let mut scene = Scene::new(false);
        let events = scene.turn.events.clone();
        scene.turn = Arc::new(UntilCancelled::new(usize::MAX, events));
        let person = person(&scene.log, false);
        let approver = std::mem::replace(&mut scene.approver, Questions::new().0);
        let (keys, log) = (scene.keys.clone(), Arc::clone(&scene.log));
        let others = tokio::spawn(async move {
            let request = question("q1", 1);
            let pressed = async {
                // The event of the question never comes: it is asked all the same.
                while in_a_question && !log.lock().unwrap().contains("<asked q1>") {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                keys.send(Interrupt::Key).await.unwrap();
                std::future::pending::<()>().await;
            };
            if in_a_question {
                tokio::join!(approver.ask(&request), pressed);
            } else {
                pressed.await;
            }
        });
        let ended = scene.follow(Some(&person)).await;
        assert_eq!((ended.outcome, ended.exit_code()), (TurnOutcome::Cancelled, 4));
        assert!(scene.log().contains("it is left behind"), "{}", scene.log());
        others.abort();
    }
}

#[tokio::test]
async fn a_turn_whose_end_is_not_stored_is_a_failure() {
    let mut scene = Scene::new(false);
    scene.send(Stream::new().text("some words").events);
    scene.turn.ended.notify_one();
    let ended = tokio::time::timeout(Duration::from_mins(1), scene.follow(None)).await.unwrap();
    assert_eq!((ended.outcome, ended.exit_code()), (TurnOutcome::Failed, 1));
    let log = scene.log();
    assert!(log.contains("some words") && log.contains("its end could not be stored"), "{log}");
}

#[tokio::test]
async fn a_last_event_that_comes_after_the_end_is_shown() {
    let mut scene = Scene::new(false);
    scene.turn.ended.notify_one();
    let turn = Arc::clone(&scene.turn);
    let late = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        turn.send(EventBody::Text { text: "late words".into() });
        turn.send(EventBody::Done { outcome: TurnOutcome::Completed, reason: None, incomplete: false });
    });
    assert_eq!(scene.follow(None).await.outcome, TurnOutcome::Completed);
    let log = scene.log();
    assert!(log.contains("late words") && !log.contains("could not be stored"), "{log}");
    late.await.unwrap();
}
