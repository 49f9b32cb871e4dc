//! A session as Markdown, to be read or passed on.

use std::fmt::Write;

use deskhand_core::session::{Message, Step, Transcript};

use super::listing::speaker;
use crate::{language::Language, terminal::chat::words};

/// The whole session.
pub fn transcript_markdown(transcript: &Transcript, language: Language) -> String {
    let session = &transcript.session;
    let mut text = format!("# {}\n\n", session.title.replace('\n', " "));
    let _ = writeln!(text, "- id: `{}`", session.id);
    let _ = writeln!(text, "- {}: {}", language.say("created", "创建时间"), session.created_at);
    if let Some(workspace) = &session.metadata.workspace {
        let _ = writeln!(text, "- {}: `{}`", language.say("workspace", "工作区"), workspace.display());
    }
    if let Some(model) = &session.metadata.model {
        let _ = writeln!(text, "- {}: {model}", language.say("model", "模型"));
    }
    for message in &transcript.messages {
        one(&mut text, message, language);
    }
    text
}

fn one(text: &mut String, message: &Message, language: Language) {
    let _ = write!(text, "\n## {} · {}\n", speaker(message.role, language), message.timestamp);
    for step in message.execution_steps.iter().flatten() {
        match step {
            Step::Thought { text: thought, .. } => {
                text.push('\n');
                for line in thought.trim().lines() {
                    let _ = writeln!(text, "> {line}");
                }
            }
            Step::Text { text: said, .. } => {
                let _ = write!(text, "\n{}\n", said.trim_end());
            }
            Step::Call(call) => {
                let arguments = serde_json::to_string_pretty(&call.arguments).unwrap_or_default();
                let _ = write!(text, "\n**{}**\n\n{}", call.tool, fenced(&arguments, "json"));
                if let Some(end) = &call.end {
                    let took = words::duration(end.duration_ms);
                    let _ = write!(text, "\n{} ({took})\n\n{}", end.status, fenced(&end.result, ""));
                }
            }
            Step::Nudge { text: said, .. } => {
                let _ = write!(text, "\n*{}*\n", said.trim_end());
            }
        }
    }
    if !message.content.is_empty() {
        let _ = write!(text, "\n{}\n", message.content.trim_end());
    }
    if let (Some(outcome), Some(reason)) = (message.metadata.outcome, &message.metadata.reason) {
        let _ = write!(text, "\n*{}: {reason}*\n", words::outcome(language, outcome));
    }
}

/// A code block whose fence is longer than any in the text.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}
