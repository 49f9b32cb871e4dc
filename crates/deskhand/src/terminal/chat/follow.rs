//! Following one turn: its events are shown, its questions asked in their place, Ctrl-C cancels it.

use std::time::{Duration, Instant};

use deskhand_core::{Approver, Event, EventBody, Status, Time, event::TurnOutcome};

use super::{EventSource, Interrupt, Interrupts, Question, Questions, Renderer, RunningTurn};
use crate::{
    language::Language,
    terminal::{Hidden, Style},
};

/// How often the moving line moves.
const TICK: Duration = Duration::from_millis(120);
/// Two interrupts within this time mean that the person wants to leave.
pub const TWICE: Duration = Duration::from_secs(2);
/// How long a turn may take to end once it is cancelled.
pub const CANCEL_LIMIT: Duration = Duration::from_secs(15);
/// How long the next event may take to come once the turn has ended.
pub const END_LIMIT: Duration = Duration::from_secs(2);

/// Where events go.
pub enum Output {
    People(Box<Renderer>),
    /// One line of JSON for each.
    Json,
}

impl Output {
    fn event(&mut self, event: &Event) -> String {
        match self {
            Self::People(renderer) => renderer.event(event),
            Self::Json => serde_json::to_string(event).map(|line| line + "\n").unwrap_or_default(),
        }
    }

    fn tick(&mut self) -> String {
        match self {
            Self::People(renderer) => renderer.tick(),
            Self::Json => String::new(),
        }
    }

    fn fresh_line(&mut self) -> String {
        match self {
            Self::People(renderer) => renderer.fresh_line(Time::now()),
            Self::Json => String::new(),
        }
    }
}

/// How a turn ended, as far as this program cares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ended {
    pub outcome: TurnOutcome,
    /// A call was refused.
    pub refused: bool,
    /// A call was refused because nobody could be asked.
    pub nobody_to_ask: bool,
    pub last_interrupt: Option<Instant>,
    /// The person wants to leave.
    pub leave: bool,
}

impl Ended {
    /// It was cancelled longer ago than this.
    fn is_overdue(self, limit: Duration) -> bool {
        self.last_interrupt.is_some_and(|at| at.elapsed() > limit)
    }

    /// The exit code of a program that made this one turn.
    pub fn exit_code(self) -> u8 {
        match self.outcome {
            TurnOutcome::Completed if self.nobody_to_ask => 3,
            TurnOutcome::Completed => 0,
            TurnOutcome::Stopped if self.refused => 3,
            TurnOutcome::Failed | TurnOutcome::Stopped => 1,
            TurnOutcome::Cancelled => 4,
        }
    }
}

/// What following a turn needs.
pub struct Follow<'a> {
    pub output: &'a mut Output,
    pub questions: &'a mut Questions,
    pub interrupts: &'a mut Interrupts,
    /// Asks on this terminal; `None` where nobody can be asked.
    pub asks: Option<&'a dyn Approver>,
    pub language: Language,
    /// How long the turn may take to end once it is cancelled.
    pub cancel_limit: Duration,
    /// How long the next event may take to come once the turn has ended.
    pub end_limit: Duration,
    /// Prints on stdout.
    pub print: &'a mut (dyn FnMut(&str) + Send),
    /// Prints a remark for the person.
    pub remark: &'a mut (dyn FnMut(&str) + Send),
}

impl Follow<'_> {
    /// Returns when the turn has ended, and everything about it is shown.
    pub async fn turn(mut self, turn: &dyn RunningTurn, events: &mut dyn EventSource) -> Ended {
        let mut ended = Ended {
            outcome: TurnOutcome::Failed,
            refused: false,
            nobody_to_ask: false,
            last_interrupt: None,
            leave: false,
        };
        // What is typed meanwhile waits for the next prompt, and would stand in the middle of the output.
        let typing = Hidden::under_output();
        let mut ticks = tokio::time::interval(TICK);
        let mut end = turn.ended();
        // When the turn had ended and nothing more was heard of it: its last event may be on its way.
        let mut silent_since = None;
        loop {
            tokio::select! {
                biased;
                event = events.next() => {
                    let Some(event) = event else {
                        self.say(self.language.say("The events of this turn have ended before it did.", "事件流提前中断。"));
                        return ended;
                    };
                    if let Some(outcome) = self.show(&event, &mut ended) {
                        ended.outcome = outcome;
                        return ended;
                    }
                    silent_since = silent_since.map(|_| Instant::now());
                }
                interrupt = self.interrupts.next() => self.interrupted(interrupt, turn, &mut ended),
                _ = &mut end, if silent_since.is_none() => silent_since = Some(Instant::now()),
                () = self.questions.arrive() => {}
                _ = ticks.tick() => {
                    let drawn = self.output.tick();
                    self.print(&drawn);
                }
            }
            if silent_since.is_some_and(|at| at.elapsed() > self.end_limit) {
                self.say(self.language.say(
                    "The turn has ended, but its end could not be stored: what it did last may be missing.",
                    "本轮已结束，但结果未能保存：最后的内容可能缺失。",
                ));
                ended.outcome = TurnOutcome::Failed;
                return ended;
            }
            if ended.is_overdue(self.cancel_limit) {
                self.say(
                    self.language
                        .say("The turn does not end; it is left behind.", "本轮没有结束，不再等待。"),
                );
                ended.outcome = TurnOutcome::Cancelled;
                return ended;
            }
            if let Some(question) = self.questions.take() {
                typing.show();
                self.ask(question, turn, &mut ended).await;
                typing.hide();
            }
        }
    }

    /// Shows an event; returns how the turn ended if this was its end.
    fn show(&mut self, event: &Event, ended: &mut Ended) -> Option<TurnOutcome> {
        let text = self.output.event(event);
        self.print(&text);
        match &event.body {
            EventBody::ApprovalWanted { request } => self.questions.shown(&request.id),
            EventBody::CallEnded { outcome } => {
                ended.refused |= outcome.status.exit_code() == 3;
                ended.nobody_to_ask |= outcome.status == Status::NobodyToAsk;
            }
            EventBody::Done { outcome, .. } => return Some(*outcome),
            _ => {}
        }
        None
    }

    fn interrupted(&mut self, interrupt: Interrupt, turn: &dyn RunningTurn, ended: &mut Ended) {
        let again = ended.last_interrupt.is_some_and(|at| at.elapsed() <= TWICE);
        ended.leave |= again || interrupt == Interrupt::End;
        turn.cancel();
        if ended.last_interrupt.is_none() {
            // Over the `^C` that the terminal shows.
            let start = if Style::for_stderr().is_on() { "\r\x1b[K" } else { "\r" };
            let words =
                self.language.say("Cancelling; Ctrl-C again leaves.", "正在取消；再按一次 Ctrl-C 退出。");
            self.say(&format!("{start}{words}"));
        }
        ended.last_interrupt.get_or_insert_with(Instant::now);
    }

    /// Asks one question. It is over when it is answered, here or elsewhere, or the turn is cancelled.
    async fn ask(&mut self, mut question: Question, turn: &dyn RunningTurn, ended: &mut Ended) {
        let Some(asks) = self.asks else { return };
        let fresh = self.output.fresh_line();
        self.print(&fresh);
        let request = question.request.clone();
        let answer = {
            let mut asking = asks.ask(&request);
            loop {
                tokio::select! {
                    answer = &mut asking => break answer,
                    () = question.gone() => break None,
                    interrupt = self.interrupts.next() => self.interrupted(interrupt, turn, ended),
                    () = tokio::time::sleep(TICK) => if ended.is_overdue(self.cancel_limit) { break None },
                }
            }
        };
        match answer {
            Some(answer) => question.answer(answer),
            // The prompt was left in the middle of a line.
            None => (self.remark)(""),
        }
    }

    fn print(&mut self, text: &str) {
        if !text.is_empty() {
            (self.print)(text);
        }
    }

    fn say(&mut self, words: &str) {
        let fresh = self.output.fresh_line();
        self.print(&fresh);
        (self.remark)(&Style::for_stderr().dim(words));
    }
}
