//! The one stream of events, as a person reads it in a terminal or in a pipe.
//!
//! Events go in, text for stdout comes out. Only where the screen is live is there a line that moves; it is taken away
//! before anything else is printed.

use std::{collections::HashMap, path::Path};

use deskhand_core::{
    CallId, Event, EventBody, Outcome, Plan, Settled, Status, Time, approval::AnyAnswer, cx::Progress,
    event::TurnOutcome, session::Usage,
};

use super::words;
use crate::{
    language::Language,
    terminal::{
        ChangesView, Markdown, Style, count_of, cut, safe, safe_line, total_of, width, width::char_width,
    },
};

/// How many lines of a call's output are shown.
const OUTPUT_LINES: usize = 4;
/// How much of a thought is kept to be shown in full.
const LONGEST_THOUGHT: usize = 200_000;
const FRAMES: [char; 6] = ['·', '✢', '✳', '✶', '✻', '✽'];

/// What is printed on.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    pub style: Style,
    pub language: Language,
    pub width: usize,
    /// A terminal: a line may move.
    pub live: bool,
    /// Questions are asked here, right after their event.
    pub asks: bool,
}

/// Renders the events of one session.
pub struct Renderer {
    screen: Screen,
    markdown: Markdown,
    part: Part,
    calls: HashMap<CallId, Call>,
    /// The call whose line was printed last: what follows without a name belongs to it.
    newest: Option<CallId>,
    model: Option<String>,
    usage: Usage,
    thought: String,
    last_thought: String,
    live_line: Option<String>,
    label: String,
    frame: usize,
    /// The folder whose paths are shown from there on, with a `/` at its end.
    workspace: Option<String>,
}

/// What was printed last.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Nothing,
    /// Since when.
    Thought(Time),
    Text,
    Lines,
}

struct Call {
    tool: String,
    summary: String,
    /// How many entries its command changed, as far as it is known.
    changed: Option<u64>,
}

impl Renderer {
    pub fn new(screen: Screen) -> Self {
        Self {
            screen,
            markdown: Markdown::new(screen.style, screen.width),
            part: Part::Nothing,
            calls: HashMap::new(),
            newest: None,
            model: None,
            usage: Usage::default(),
            thought: String::new(),
            last_thought: String::new(),
            live_line: None,
            label: String::new(),
            frame: 0,
            workspace: None,
        }
    }

    /// Paths in this folder are shown from there on.
    pub fn within(mut self, workspace: &Path) -> Self {
        self.workspace = Some(format!("{}/", workspace.display()));
        self
    }

    /// The terminal has another width now.
    pub fn resize(&mut self, width: usize) {
        if self.part != Part::Text && width != self.screen.width {
            self.screen.width = width;
            self.markdown = Markdown::new(self.screen.style, width);
        }
    }

    /// The last thought in full.
    pub fn last_thought(&self) -> &str {
        &self.last_thought
    }

    /// What is printed for this event.
    pub fn event(&mut self, event: &Event) -> String {
        let mut out = String::new();
        match &event.body {
            EventBody::Thought { text } => {
                out.push_str(&self.close_text());
                self.think(text, event.at);
                return out;
            }
            EventBody::Text { text } => {
                // Models begin with empty lines, and some say nothing else before a call.
                let text = if self.part == Part::Text { text } else { text.trim_start_matches(['\r', '\n']) };
                if text.is_empty() {
                    return out;
                }
                out.push_str(&self.take_live_line());
                out.push_str(&self.fold_thought(event.at));
                if self.part == Part::Lines && self.screen.style.is_on() {
                    out.push('\n');
                }
                self.part = Part::Text;
                out.push_str(&self.markdown.feed(text));
                return out;
            }
            EventBody::CallOutput { call_id, progress } => {
                self.progress(*call_id, progress);
                return out;
            }
            EventBody::Usage(usage) => {
                self.usage += *usage;
                return out;
            }
            _ => {}
        }
        out.push_str(&self.fresh_line(event.at));
        let lines = self.lines(&event.body);
        if !lines.is_empty() {
            self.part = Part::Lines;
        }
        out.push_str(&lines);
        out
    }

    /// Ends whatever is open, so that something else can be printed from the start of a line.
    pub fn fresh_line(&mut self, now: Time) -> String {
        let mut out = self.take_live_line();
        out.push_str(&self.fold_thought(now));
        out.push_str(&self.close_text());
        out
    }

    /// The line that moves, drawn anew. Empty where there is none.
    pub fn tick(&mut self) -> String {
        if !self.screen.live || self.part == Part::Text {
            return String::new();
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        let label = if self.label.is_empty() { words::waiting(self.screen.language) } else { &self.label };
        let line = cut(&format!("{} {label}", FRAMES[self.frame]), self.screen.width.saturating_sub(1));
        let drawn = format!("\r\x1b[K{}", self.screen.style.dim(&line));
        self.live_line = Some(line);
        drawn
    }

    fn take_live_line(&mut self) -> String {
        if self.live_line.take().is_some() { "\r\x1b[K".to_owned() } else { String::new() }
    }

    fn close_text(&mut self) -> String {
        if self.part != Part::Text {
            return String::new();
        }
        self.part = Part::Lines;
        self.markdown.finish()
    }

    fn think(&mut self, text: &str, at: Time) {
        if !matches!(self.part, Part::Thought(_)) {
            self.part = Part::Thought(at);
            self.thought.clear();
        }
        if self.thought.len() < LONGEST_THOUGHT {
            self.thought.push_str(text);
        }
        self.label = words::thinking(self.screen.language, words_in(&self.thought));
    }

    fn fold_thought(&mut self, now: Time) -> String {
        let Part::Thought(since) = self.part else { return String::new() };
        self.part = Part::Lines;
        self.label.clear();
        self.last_thought = std::mem::take(&mut self.thought);
        let seconds = now.timestamp().duration_since(since.timestamp()).as_secs().max(0);
        let folded = words::thought(self.screen.language, seconds, words_in(&self.last_thought));
        format!("{}\n", self.dim(&folded))
    }

    fn progress(&mut self, call: CallId, progress: &Progress) {
        let far = match (progress.done, progress.total) {
            (Some(done), Some(total)) if total > 0 => format!(" {}%", done.saturating_mul(100) / total),
            (Some(done), _) => format!(" {done}"),
            _ => String::new(),
        };
        let tool = self.calls.get(&call).map_or("", |call| call.tool.as_str());
        let text = safe(&progress.text);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        self.label = format!("{tool}{far}  {}", safe_line(last));
    }

    fn lines(&mut self, body: &EventBody) -> String {
        let language = self.screen.language;
        match body {
            EventBody::TurnStarted { model, .. } => self.turn_started(model.as_deref()),
            EventBody::CallPlanned { call_id, tool, plan, decision, .. } => {
                self.planned(*call_id, tool, plan, decision)
            }
            EventBody::ApprovalWanted { request } => {
                if self.screen.asks {
                    return String::new();
                }
                language.say("waiting for an answer", "等待批准").clone_into(&mut self.label);
                format!("  {}\n", self.dim(&words::wanted(language, &request.id)))
            }
            EventBody::ApprovalSettled { settled, .. } => {
                self.label.clear();
                self.settled(settled)
            }
            EventBody::CallEnded { outcome } => self.ended(outcome),
            EventBody::ProcessEnded { process_id, command, exit_code, status, .. } => {
                let code = exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
                format!("{}\n", self.dim(&safe_line(&format!("{process_id}: {status}{code}: {command}"))))
            }
            EventBody::Compacted { messages, tokens_before, tokens_after, transcript } => {
                let sizes = (*tokens_before, *tokens_after);
                format!(
                    "{}\n",
                    self.dim(&words::compacted(language, *messages, sizes, &safe_line(transcript)))
                )
            }
            EventBody::Notice { text } => {
                format!("{} {}\n", self.screen.style.yellow("!"), safe(text).trim_end())
            }
            EventBody::Done { outcome, reason, incomplete } => {
                self.done(*outcome, reason.as_deref(), *incomplete)
            }
            EventBody::Thought { .. }
            | EventBody::Text { .. }
            | EventBody::CallOutput { .. }
            | EventBody::Usage(_) => String::new(),
        }
    }

    /// Which model answers, where it is not the one as before.
    fn turn_started(&mut self, model: Option<&str>) -> String {
        self.usage = Usage::default();
        self.label.clear();
        self.part = Part::Nothing;
        if model.is_none() || self.model.as_deref() == model {
            return String::new();
        }
        self.model = model.map(str::to_owned);
        format!("{}\n", self.dim(&safe_line(model.unwrap_or_default())))
    }

    fn planned(&mut self, id: CallId, tool: &str, plan: &Plan, decision: &str) -> String {
        if let (Some(changes), Some(call)) = (&plan.changes, self.calls.get_mut(&id)) {
            // The command has run under the line it has. Its end says what became of these.
            call.changed = Some(total_of(changes));
            return String::new();
        }
        let (tool, summary) = (safe_line(tool), safe_line(&self.shortened(&plan.summary)));
        self.label.clone_from(&tool);
        let forbidden = self.screen.language.say("forbidden", "禁止");
        let mark = if decision == "forbid" { forbidden } else { "" };
        let line = self.call_line(&tool, &summary, mark);
        self.calls.insert(id, Call { tool, summary, changed: None });
        self.newest = Some(id);
        line
    }

    /// One line for a call; `mark` is said at its end.
    fn call_line(&self, tool: &str, summary: &str, mark: &str) -> String {
        let style = self.screen.style;
        let summary = self.fitted(summary, width(tool) + width(mark) + 6);
        let mark = if mark.is_empty() { String::new() } else { format!("  {}", style.red(mark)) };
        format!("{} {}  {summary}{mark}\n", style.cyan("●"), style.bold(tool))
    }

    fn shortened(&self, text: &str) -> String {
        self.workspace.as_ref().map_or_else(|| text.to_owned(), |workspace| text.replace(workspace, ""))
    }

    fn settled(&self, settled: &Settled) -> String {
        let language = self.screen.language;
        let words = match settled {
            // What was typed here stands there.
            Settled::Answered { by, .. } if by == super::SURFACE && self.screen.asks => return String::new(),
            Settled::Answered { answer, by } => {
                let AnyAnswer::Execution(answer) = answer else {
                    return format!("  {}\n", self.dim(&words::looked_at(language, &safe_line(by))));
                };
                words::answered(language, answer, &safe_line(by))
            }
            Settled::Expired => language.say("nobody answered in time", "没有人及时回答").to_owned(),
            Settled::Withdrawn => language.say("the question was withdrawn", "请求已撤回").to_owned(),
        };
        format!("  ↳ {}\n", self.dim(&safe_line(&words)))
    }

    fn ended(&mut self, outcome: &Outcome) -> String {
        let style = self.screen.style;
        self.label.clear();
        let mut out = String::new();
        let known = self.calls.remove(&outcome.call_id);
        let changed = known.as_ref().and_then(|call| call.changed);
        if self.newest != Some(outcome.call_id) {
            let unknown = || Call { tool: safe_line(&outcome.tool), summary: String::new(), changed: None };
            let call = known.unwrap_or_else(unknown);
            out.push_str(&self.call_line(&call.tool, &call.summary, ""));
        }
        self.newest = None;
        let took = words::duration(outcome.duration_ms);
        if outcome.is_success() {
            out.push_str(&format!("  {} {}\n", style.green("✓"), self.dim(&took)));
        } else {
            let status = words::status(self.screen.language, outcome.status);
            let code = outcome.error.as_ref().map(|error| error.code.as_str());
            let code = code.filter(|_| outcome.status == Status::Error);
            let code = code.map_or_else(String::new, |code| format!(" {}", safe_line(code)));
            out.push_str(&format!("  {} {}{code} {}\n", style.red("✗"), style.red(status), self.dim(&took)));
        }
        out.push_str(&self.output(outcome));
        out.push_str(&self.changed(outcome, changed));
        out
    }

    /// What became of the changes, and how to undo them.
    fn changed(&self, outcome: &Outcome, count: Option<u64>) -> String {
        let language = self.screen.language;
        let view = ChangesView { style: self.screen.style, language };
        let mut parts = Vec::new();
        if let Some(is_kept) = outcome.kept {
            parts.push(view.short(count.unwrap_or_else(|| count_of(&outcome.changes)), is_kept));
        }
        if let Some(undo) = outcome.undo {
            let id = undo.to_string();
            parts.push(format!("{} deskhand undo {}", words::undo(language), words::end_of(&id)));
        }
        if parts.is_empty() { String::new() } else { format!("    {}\n", self.dim(&parts.join(" · "))) }
    }

    /// The first lines of what came out of a call.
    fn output(&self, outcome: &Outcome) -> String {
        let text = match &outcome.error {
            Some(error) if outcome.data.is_null() => {
                let hint = error.hint.as_ref().map_or_else(String::new, |hint| format!("\n{hint}"));
                format!("{}{hint}", error.message)
            }
            // The text ends in the change list, for the model. People have read it, and get a line of their own.
            _ if outcome.kept.is_some() => printed(outcome).unwrap_or_else(|| outcome.text.clone()),
            _ => outcome.text.clone(),
        };
        let text = self.shortened(text.trim_end());
        let text = safe(&text);
        let mut out = String::new();
        for line in text.lines().take(OUTPUT_LINES) {
            let line = self.fitted(&line.replace('\t', "    "), 4);
            out.push_str(&format!("    {}\n", self.dim(&line)));
        }
        let more = text.lines().count().saturating_sub(OUTPUT_LINES);
        if more > 0 {
            out.push_str(&format!("    {}\n", self.dim(&words::more_lines(self.screen.language, more))));
        }
        out
    }

    fn done(&mut self, outcome: TurnOutcome, reason: Option<&str>, incomplete: bool) -> String {
        let style = self.screen.style;
        self.label.clear();
        self.calls.clear();
        let reason = reason.map(|reason| safe(reason).trim_end().to_owned()).unwrap_or_default();
        let mut out = String::new();
        if incomplete && outcome != TurnOutcome::Cancelled {
            out.push_str(&format!("{}\n", style.yellow(words::incomplete(self.screen.language))));
        }
        if outcome != TurnOutcome::Completed {
            let word = words::outcome(self.screen.language, outcome);
            let word = if outcome == TurnOutcome::Failed { style.red(word) } else { style.yellow(word) };
            let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            out.push_str(&format!("{word}{why}\n"));
        }
        let used = std::mem::take(&mut self.usage);
        if used != Usage::default() {
            out.push_str(&format!("{}\n", self.dim(&words::usage(self.screen.language, used))));
        }
        out
    }

    fn dim(&self, text: &str) -> String {
        self.screen.style.dim(text)
    }

    /// On a terminal, as much as fits after what stands before it; in a pipe, all of it.
    fn fitted(&self, text: &str, before: usize) -> String {
        if self.screen.live { cut(text, self.screen.width.saturating_sub(before)) } else { text.to_owned() }
    }
}

/// What a command printed, without what is said about its changes.
fn printed(outcome: &Outcome) -> Option<String> {
    let stream = |name| outcome.data.get(name).and_then(serde_json::Value::as_str);
    let (out, err) = (stream("stdout")?, stream("stderr").unwrap_or_default());
    let between = if out.is_empty() || out.ends_with('\n') { "" } else { "\n" };
    Some(format!("{out}{between}{err}"))
}

/// How many words a text has; in Chinese, every character is one.
fn words_in(text: &str) -> usize {
    text.split_whitespace()
        .map(|part| {
            let wide = part.chars().filter(|c| char_width(*c) == 2).count();
            wide + usize::from(part.chars().any(|c| c.is_alphanumeric() && char_width(c) < 2))
        })
        .sum()
}
