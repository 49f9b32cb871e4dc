//! The conversation: a prompt, a turn, a prompt.

use std::time::Instant;

use anyhow::Result;
use deskhand_core::Time;

use super::{Chat, choose, slash};
use crate::terminal::{
    chat::{ChatEditor, Slash, TWICE, Typed, message, words},
    safe_line,
};

/// What comes after a line.
pub enum Next {
    Line,
    Leave,
}

/// Talks until the person leaves. `first` is what the command line says to the model.
pub async fn run(mut chat: Chat<'_>, mut first: Option<String>) -> Result<u8> {
    let registry = &chat.app.gate.registry;
    let tools = registry.offered().map(|entry| entry.spec().name.to_owned()).collect();
    let mut editor = ChatEditor::open(&chat.app.data_dir.join("chat-history.txt"), tools)?;
    greet(&chat)?;
    // The command line has named the session.
    if let Some(session) = chat.session.clone() {
        slash::show_end(&chat, &session)?;
    } else if first.is_none() {
        offer(&mut chat, &mut editor).await?;
    }
    let mut pressed: Option<Instant> = None;
    loop {
        let done = if let Some(message) = first.take() {
            say(&mut chat, &message).await
        } else {
            match editor.read("› ", &mut chat.interrupts).await? {
                Typed::End => break,
                Typed::Interrupted => {
                    if pressed.is_some_and(|at| at.elapsed() <= TWICE) {
                        break;
                    }
                    pressed = Some(Instant::now());
                    chat.printer.note(chat.language().say("Ctrl-C again leaves.", "再按一次 Ctrl-C 退出。"));
                    continue;
                }
                Typed::Line(line) if line.trim().is_empty() => continue,
                Typed::Line(line) => one(&mut chat, &mut editor, &line).await,
            }
        };
        let (next, at) = done.unwrap_or_else(|error| {
            let style = crate::terminal::Style::for_stderr();
            let why = format!("{error:#}");
            chat.printer.note(&format!("{} {}", style.red("!"), crate::terminal::safe(&why)));
            (Next::Line, None)
        });
        pressed = at;
        if let Next::Leave = next {
            break;
        }
    }
    farewell(&chat)?;
    Ok(0)
}

/// What comes after a line, and when it was last interrupted.
type Done = Result<(Next, Option<Instant>)>;

/// One line: a command, or a turn.
async fn one(chat: &mut Chat<'_>, editor: &mut ChatEditor, line: &str) -> Done {
    match Slash::parse(line, chat.language()) {
        Some(Ok(command)) => slash::run(chat, editor, command).await.map(|next| (next, None)),
        Some(Err(why)) => Err(anyhow::anyhow!(why)),
        None => say(chat, &message(line)).await,
    }
}

async fn say(chat: &mut Chat<'_>, text: &str) -> Done {
    let ended = chat.say(text).await?;
    Ok((if ended.leave { Next::Leave } else { Next::Line }, ended.last_interrupt))
}

/// What answers here, on what, and how.
fn greet(chat: &Chat<'_>) -> Result<()> {
    let (style, language) = (chat.printer.style, chat.language());
    let model = chat.model.clone().or_else(|| chat.backing.agent.usual_model());
    let model = model.unwrap_or_else(|| language.say("no model", "无模型").to_owned());
    let session = chat.session.as_ref().map_or_else(
        || language.say("new", "新会话").to_owned(),
        |session| format!("{} {}", words::end_of(&session.id), safe_line(&session.title)),
    );
    let rows = [
        (language.say("model", "模型"), safe_line(&model)),
        (language.say("workspace", "工作区"), safe_line(&chat.app.paths.workspace().display().to_string())),
        (language.say("mode", "模式"), chat.mode.to_string()),
        (language.say("session", "会话"), session),
    ];
    let widest = rows.iter().map(|(name, _)| crate::terminal::width(name)).max().unwrap_or(0);
    chat.printer.line(&format!(
        "{}  {}",
        style.bold("Deskhand"),
        style.dim(language.say("/help lists commands", "/help 列出命令"))
    ))?;
    for (name, value) in rows {
        chat.printer.line(&format!("{}  {value}", style.dim(&crate::terminal::padded(name, widest))))?;
    }
    Ok(())
}

/// Offers to go on with the last session of this workspace.
async fn offer(chat: &mut Chat<'_>, editor: &mut ChatEditor) -> Result<()> {
    let Some(last) = choose::last(&*chat.backing.sessions, chat.app.paths.workspace())? else {
        return Ok(());
    };
    let language = chat.language();
    let age = words::age(language, last.updated_at, Time::now());
    let title = chat.printer.style.bold(&safe_line(&last.title));
    let count = last.message_count;
    chat.printer.line(&match language {
        crate::language::Language::English => {
            let s = if count == 1 { "" } else { "s" };
            format!("Last here: {title} ({age}, {count} message{s})")
        }
        crate::language::Language::Chinese => format!("上次会话：{title}（{age}，{count} 条消息）"),
    })?;
    let prompt = language.say("Enter: new session, r: resume › ", "回车：新会话，r：继续 › ");
    if let Typed::Line(word) = editor.ask(prompt, &mut chat.interrupts).await?
        && matches!(word.trim(), "r" | "R" | "y")
    {
        slash::go_on(chat, last)?;
    }
    Ok(())
}

/// How to come back.
fn farewell(chat: &Chat<'_>) -> Result<()> {
    let Some(session) = &chat.session else { return Ok(()) };
    let words = chat.language().say("Resume with", "继续：");
    let command = format!("deskhand chat --session {}", words::end_of(&session.id));
    chat.printer.line(&chat.printer.style.dim(&format!("{words} {command}")))
}
