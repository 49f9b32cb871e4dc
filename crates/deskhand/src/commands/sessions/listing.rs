//! Sessions, messages and hits, as a person reads them.

use deskhand_core::{
    event::TurnOutcome,
    session::{Message, Role, SearchHit, Session, Step},
};

use super::{columns, now};
use crate::{
    language::Language,
    terminal::{Markdown, Style, chat::words, cut, safe_line, width},
};

/// One line for each session. With `numbers_from` they are numbered.
pub fn rows(
    sessions: &[Session],
    language: Language,
    style: Style,
    room: usize,
    numbers_from: Option<usize>,
) -> String {
    let now = now();
    let rows: Vec<Vec<String>> = sessions
        .iter()
        .enumerate()
        .map(|(n, session)| {
            let mut row: Vec<String> = numbers_from.iter().map(|from| format!("{}.", from + n)).collect();
            row.push(words::end_of(&session.id).to_owned());
            row.push(words::age(language, session.updated_at, now));
            row.push(session.message_count.to_string());
            let mark = if session.is_archived { language.say(" (put aside)", "（已归档）") } else { "" };
            row.push(format!("{}{mark}", safe_line(&session.title)));
            row
        })
        .collect();
    let mut text = String::new();
    for (line, row) in columns(&rows).iter().zip(&rows) {
        let title = row.last().map_or("", String::as_str);
        let before = width(line) - width(title);
        let (left, _) = line.split_at(line.len() - title.len());
        text.push_str(&format!("{}{}\n", style.dim(left), cut(title, room.saturating_sub(before).max(10))));
    }
    text
}

/// Where what was searched for stands.
pub fn hits(hits: &[SearchHit], language: Language, style: Style) -> String {
    let now = now();
    let mut text = String::new();
    for hit in hits {
        let place = match (hit.message_id, hit.role) {
            (Some(id), Some(role)) => format!("{} {id}", speaker(role, language)),
            _ => language.say("title", "标题").to_owned(),
        };
        let head = format!(
            "{}  {}  {}  {place}",
            words::end_of(&hit.session_id),
            words::age(language, hit.timestamp, now),
            safe_line(&hit.title)
        );
        text.push_str(&format!("{}\n  {}\n", style.dim(&head), marked(&safe_line(&hit.snippet), style)));
    }
    text
}

/// A snippet with its hits set off.
fn marked(snippet: &str, style: Style) -> String {
    if !style.is_on() {
        return snippet.to_owned();
    }
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, after)) = rest.split_once('⟪') {
        let (hit, after) = after.split_once('⟫').unwrap_or((after, ""));
        text.push_str(before);
        text.push_str(&style.bold(hit));
        rest = after;
    }
    text.push_str(rest);
    text
}

/// One message with what was done in it.
pub fn message(message: &Message, language: Language, style: Style, room: usize) -> String {
    let who = speaker(message.role, language);
    let head = format!("#{} {}", message.id, words::age(language, message.timestamp, now()));
    let mut text = format!("\n{} {}\n", style.bold(who), style.dim(&head));
    for step in message.execution_steps.iter().flatten() {
        text.push_str(&step_lines(step, language, style, room));
    }
    let mut markdown = Markdown::new(style, room);
    text.push_str(&markdown.feed(&message.content));
    text.push_str(&markdown.finish());
    if message.metadata.incomplete {
        text.push_str(&format!("{}\n", style.yellow(words::incomplete(language))));
    }
    if let Some(outcome) = message.metadata.outcome.filter(|outcome| *outcome != TurnOutcome::Completed) {
        let why = message
            .metadata
            .reason
            .as_deref()
            .map_or_else(String::new, |why| format!(": {}", safe_line(why)));
        text.push_str(&format!("{}\n", style.yellow(&format!("{}{why}", words::outcome(language, outcome)))));
    }
    text
}

fn step_lines(step: &Step, language: Language, style: Style, room: usize) -> String {
    let fitted = |text: &str| cut(&safe_line(text), room.saturating_sub(4).max(20));
    match step {
        Step::Thought { text, .. } => format!("{}\n", style.dim(&fitted(&format!("▸ {}", text.trim())))),
        Step::Text { text, .. } => {
            let mut markdown = Markdown::new(style, room);
            let mut shown = markdown.feed(text);
            shown.push_str(&markdown.finish());
            shown
        }
        Step::Call(call) => {
            let (sign, status) = match &call.end {
                Some(end) if end.status == deskhand_core::Status::Success => {
                    (style.green("✓"), String::new())
                }
                Some(end) => (style.red("✗"), format!(" {}", words::status(language, end.status))),
                None => ("…".to_owned(), String::new()),
            };
            let arguments = fitted(&call.arguments.to_string());
            format!("{sign} {}{status}  {}\n", style.bold(&safe_line(&call.tool)), style.dim(&arguments))
        }
        Step::Nudge { text, .. } => format!("{}\n", style.dim(&fitted(&format!("↳ {text}")))),
    }
}

/// Who said it.
pub fn speaker(role: Role, language: Language) -> &'static str {
    match role {
        Role::User => language.say("You", "你"),
        Role::Assistant => language.say("Deskhand", "助手"),
        Role::System => language.say("Note", "说明"),
    }
}
