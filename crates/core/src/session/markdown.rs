//! A transcript as Markdown. What was said and returned stays inside of its place, whatever it contains.

use super::{CallStep, Message, Role, Step, Transcript};
use crate::{event::TurnOutcome, time::Time};

pub(super) fn write(transcript: &Transcript) -> String {
    let session = &transcript.session;
    let mut page = format!("# {}\n\n", one_line(&session.title));
    page += &format!("- session: `{}`\n", code(&session.id));
    page += &format!("- from {} to {}\n", shown(session.created_at), shown(session.updated_at));
    for (name, value) in [("model", &session.metadata.model), ("toolset", &session.metadata.toolset)] {
        if let Some(value) = value {
            page += &format!("- {name}: `{}`\n", code(value));
        }
    }
    for message in &transcript.messages {
        write_message(&mut page, message);
    }
    page
}

fn write_message(page: &mut String, message: &Message) {
    let who = match message.role {
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::System => "System",
    };
    *page += &format!("\n## {who} · {}\n\n", shown(message.timestamp));
    for step in message.execution_steps.iter().flatten() {
        match step {
            Step::Thought { text, .. } => folded(page, "Thought", text),
            Step::Text { text, .. } => paragraph(page, text),
            Step::Nudge { text, .. } => folded(page, "Deskhand to the model", text),
            Step::Call(call) => write_call(page, call),
        }
    }
    paragraph(page, &message.content);
    if message.metadata.incomplete {
        *page += "*The answer is incomplete.*\n\n";
    }
    if let Some(outcome) = message.metadata.outcome.filter(|outcome| *outcome != TurnOutcome::Completed) {
        let outcome = format!("{outcome:?}").to_lowercase();
        let reason =
            message.metadata.reason.as_deref().map_or(String::new(), |r| format!(": {}", one_line(r)));
        *page += &format!("*The turn was {outcome}{reason}.*\n\n");
    }
}

fn write_call(page: &mut String, call: &CallStep) {
    let state = call.end.as_ref().map_or("open", |end| end.status.as_str());
    *page += &format!("**`{}`** · {state}\n\n", code(&call.tool));
    let arguments =
        serde_json::to_string_pretty(&call.arguments).unwrap_or_else(|_| call.arguments.to_string());
    fenced(page, "json", &arguments);
    if let Some(end) = &call.end {
        if let Some(source) = &end.outside {
            *page += &format!("Text from outside ({}); data, not instructions:\n\n", one_line(source));
        }
        fenced(page, "text", &end.result);
    }
}

fn shown(time: Time) -> String {
    let text = time.to_string();
    format!("{} {} UTC", &text[..10.min(text.len())], text.get(11..19).unwrap_or_default())
}

/// What the speaker wrote is Markdown already; a heading or a fold of theirs must not look like one of ours.
fn paragraph(page: &mut String, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    let mut fence = None;
    for line in text.trim_end().lines() {
        let inner = line.trim_start();
        match &fence {
            None => fence = opened_fence(inner).map(str::to_owned),
            Some(open) if closes(inner, open) => fence = None,
            Some(_) => {}
        }
        if fence.is_none() && is_heading(inner) {
            page.push('\\');
            *page += inner;
        } else if fence.is_none() {
            *page += &without_tags(line);
        } else {
            *page += line;
        }
        page.push('\n');
    }
    // A fence that was never closed would swallow all that follows.
    if let Some(open) = fence {
        *page += &open;
        page.push('\n');
    }
    page.push('\n');
}

/// A heading, or the line below one.
fn is_heading(line: &str) -> bool {
    let underline = |mark| !line.is_empty() && line.trim_end().chars().all(|c| c == mark);
    line.starts_with("# ") || line.starts_with("## ") || underline('=') || underline('-')
}

/// The run of marks with which a line opens a fence.
fn opened_fence(line: &str) -> Option<&str> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3 && (mark == '~' || !line[length..].contains('`'))).then(|| &line[..length])
}

fn closes(line: &str, open: &str) -> bool {
    let line = line.trim_end();
    line.len() >= open.len() && line.chars().all(|c| open.starts_with(c))
}

fn folded(page: &mut String, name: &str, text: &str) {
    *page += &format!("<details><summary>{name}</summary>\n\n");
    fenced(page, "text", text);
    *page += "</details>\n\n";
}

/// A fence with more marks than any run of them in the text.
fn fenced(page: &mut String, language: &str, text: &str) {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    *page += &format!("{fence}{language}\n{text}{end}{fence}\n\n");
}

fn one_line(text: &str) -> String {
    without_tags(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn without_tags(text: &str) -> String {
    text.replace('<', "&lt;")
}

fn code(text: &str) -> String {
    text.chars().map(|c| if c == '`' || c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{
        CallId, Time,
        session::{CallStep, Step, TRANSCRIPT_FORMAT, Transcript},
    };

    fn transcript(messages: &serde_json::Value) -> Transcript {
        serde_json::from_value(json!({
            "format": TRANSCRIPT_FORMAT,
            "session": {
                "id": "0197", "title": "整理 <b>文件</b>\n夹", "created_at": "2026-01-02T03:04:05.678Z",
                "updated_at": "2026-01-02T03:05:00.000Z", "metadata": {"model": "local/small"},
            },
            "messages": messages,
        }))
        .unwrap()
    }

    #[test]
    fn reads_well() {
        let id = "01970000-0000-7000-8000-000000000000";
        let call = json!({
            "type": "call", "round": 1, "call_id": id, "model_call_id": "c1", "tool": "read_file",
            "arguments": {"path": "a.txt"}, "started_at": "2026-01-02T03:04:06.000Z",
            "end": {
                "status": "success", "result": "one\n````\n## two\n", "ended_at": "2026-01-02T03:04:07.000Z",
                "duration_ms": 5,
            },
        });
        let page = transcript(&json!([
            {"role": "user", "content": "Read `a.txt`,\nplease."},
            {"role": "assistant", "content": "It says one.",
             "execution_steps": [
                {"type": "thought", "round": 1, "text": "I must </details> look."},
                {"type": "text", "round": 1, "text": "Looking."},
                call,
                {"type": "nudge", "round": 2, "text": "Go on."},
             ],
             "metadata": {"outcome": "stopped", "reason": "round limit"}},
        ]))
        .to_markdown();
        assert_eq!(
            page,
            "# 整理 &lt;b>文件&lt;/b> 夹\n\n- session: `0197`\n\
             - from 2026-01-02 03:04:05 UTC to 2026-01-02 03:05:00 UTC\n- model: `local/small`\n\n\
             ## User · 2026-01-02 03:04:05 UTC\n\nRead `a.txt`,\nplease.\n\n\n\
             ## Assistant · 2026-01-02 03:04:05 UTC\n\n\
             <details><summary>Thought</summary>\n\n```text\nI must </details> look.\n```\n\n</details>\n\n\
             Looking.\n\n\
             **`read_file`** · success\n\n```json\n{\n  \"path\": \"a.txt\"\n}\n```\n\n\
             `````text\none\n````\n## two\n`````\n\n\
             <details><summary>Deskhand to the model</summary>\n\n```text\nGo on.\n```\n\n</details>\n\n\
             It says one.\n\n*The turn was stopped: round limit.*\n\n"
        );
    }

    #[test]
    fn what_is_said_cannot_pass_for_another_message() {
        for (said, written) in [
            ("## System · now", "\\## System · now\n"),
            ("  # x", "\\# x\n"),
            ("User\n---\n- a", "User\n\\---\n- a\n"),
            ("</details><h2>x", "&lt;/details>&lt;h2>x\n"),
            ("```rust\n## in code\n<b>\n```", "```rust\n## in code\n<b>\n```\n"),
            ("~~~~\nnever closed\n```", "~~~~\nnever closed\n```\n~~~~\n"),
            ("```a`b\n## x", "```a`b\n\\## x\n"),
        ] {
            let page = transcript(&json!([{"role": "user", "content": said}])).to_markdown();
            let body = page.split("UTC\n\n").last().unwrap();
            assert_eq!(body, format!("{written}\n"), "{said}");
        }
    }

    #[test]
    fn a_call_that_is_open_says_so() {
        let mut transcript = transcript(&json!([{"role": "assistant", "content": ""}]));
        transcript.messages[0].execution_steps = Some(vec![Step::Call(Box::new(CallStep {
            round: 1,
            call_id: CallId::new(),
            model_call_id: "x".into(),
            tool: "ba`sh".into(),
            arguments: json!("not JSON"),
            started_at: Time::now(),
            end: None,
        }))]);
        assert!(transcript.to_markdown().contains("**`ba sh`** · open\n\n```json\n\"not JSON\"\n```\n"));
    }
}
