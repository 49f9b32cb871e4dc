//! The commands of a conversation, done.

use std::path::Path;

use anyhow::{Context, Result, bail};
use deskhand_core::session::{
    Deletion, Message, MessageQuery, Owner, PageAsk, Role, SearchQuery, Session, SessionQuery, TitledBy,
    Usage,
};

use super::{Chat, attach, talk::Next};
use crate::{
    cli::{ExportFormat, ToolFormat},
    commands::{approvals, grants, sessions, tools, undo},
    terminal::{
        Hidden,
        chat::{ChatEditor, Output, Slash, Typed, help, words},
        safe, safe_line, terminal_width,
    },
};

/// How many sessions are listed.
const LISTED: u64 = 20;
/// How many messages are shown when a session is gone on with, and by `/history`.
const SHOWN: u64 = 4;
const HISTORY: u64 = 50;

pub async fn run(chat: &mut Chat<'_>, editor: &mut ChatEditor, command: Slash) -> Result<Next> {
    match command {
        Slash::Quit => return Ok(Next::Leave),
        Slash::Help => chat.printer.line(&help(chat.language(), terminal_width()))?,
        Slash::New => {
            chat.session = None;
            chat.told("A new session begins with the next message.", "下一条消息将开始新会话。")?;
        }
        Slash::Sessions(None) => list(chat)?,
        Slash::Sessions(Some(query)) => search(chat, &query)?,
        Slash::Resume(which) => {
            let session = find(chat, &which)?;
            go_on(chat, session)?;
        }
        Slash::Rename(title) => {
            let id = open(chat)?.id.clone();
            chat.session = Some(chat.backing.sessions.rename(&id, &title, TitledBy::Person)?);
            chat.told("Renamed.", "已重命名。")?;
        }
        Slash::Fork(at) => {
            let id = open(chat)?.id.clone();
            let fork = chat.backing.sessions.fork(&id, at, None)?;
            go_on(chat, fork)?;
        }
        Slash::Archive => {
            let id = open(chat)?.id.clone();
            chat.backing.sessions.archive(&id, true)?;
            chat.session = None;
            chat.told(
                "Put aside. A new session begins with the next message.",
                "已归档。下一条消息将开始新会话。",
            )?;
        }
        Slash::Delete => delete(chat, editor).await?,
        Slash::History => {
            let session = open(chat)?.clone();
            show(chat, &session, HISTORY)?;
        }
        Slash::Export { json, file } => export(chat, json, file.as_deref())?,
        Slash::Model(wanted) => model(chat, wanted).await?,
        Slash::Mode(None) => chat.printer.line(chat.mode.as_str())?,
        Slash::Mode(Some(mode)) => {
            chat.mode = mode.parse().map_err(anyhow::Error::msg)?;
            chat.printer.line(chat.mode.as_str())?;
        }
        Slash::Tools(name) => {
            let wanted = tools::Wanted { name, toolset: None, dialect: None, format: ToolFormat::Full };
            tools::run(chat.app, &wanted, chat.printer)?;
        }
        Slash::Image(file) => {
            let image = attach::Image::read(Path::new(&file))?;
            let words = chat.language().say("goes with the next message", "将随下一条消息发送");
            chat.printer.line(&format!("{} {words}", safe_line(&image.name)))?;
            chat.images.push(image);
        }
        Slash::Undo(what) => take_back(chat, what).await?,
        Slash::Compact(focus) => compact(chat, focus.as_deref()).await?,
        Slash::Thoughts => thoughts(chat)?,
        Slash::Grants => {
            grants::run(chat.app, chat.printer, None)?;
        }
        Slash::Approvals => {
            approvals::run(chat.app, chat.printer, None)?;
        }
        Slash::Cost => cost(chat)?,
    }
    Ok(Next::Line)
}

/// The session that is open.
fn open<'a>(chat: &'a Chat<'_>) -> Result<&'a Session> {
    chat.session.as_ref().context(chat.language().say(
        "there is no session yet: say something, or /resume one",
        "还没有会话：先说点什么，或用 /resume 继续一个",
    ))
}

fn list(chat: &mut Chat<'_>) -> Result<()> {
    let page = PageAsk { page: 1, size: LISTED };
    let found = chat.backing.sessions.sessions(&SessionQuery {
        page,
        owner: Owner::Everyone,
        archived: Some(false),
        deleted: false,
    })?;
    if found.items.is_empty() {
        return chat.told("There are no sessions yet.", "还没有会话。");
    }
    chat.listed = found.items.iter().map(|session| session.id.clone()).collect();
    let rows = sessions::rows(&found.items, chat.language(), chat.printer.style, terminal_width(), Some(1));
    chat.printer.line(rows.trim_end())
}

fn search(chat: &mut Chat<'_>, query: &str) -> Result<()> {
    let page = PageAsk { page: 1, size: LISTED };
    let query = SearchQuery {
        text: query.to_owned(),
        page,
        owner: Owner::Everyone,
        session_id: None,
        archived: None,
    };
    let found = chat.backing.sessions.search(&query)?;
    if found.items.is_empty() {
        return chat.told("Nothing was found.", "没有找到。");
    }
    chat.printer.line(sessions::hits(&found.items, chat.language(), chat.printer.style).trim_end())
}

fn find(chat: &Chat<'_>, which: &str) -> Result<Session> {
    // A short number counts in the list; an id has at least six characters.
    if let Ok(number) = which.parse::<usize>()
        && which.len() < 4
    {
        let id = number.checked_sub(1).and_then(|n| chat.listed.get(n));
        let id = id.with_context(|| match chat.language() {
            crate::language::Language::English => {
                format!("there is no number {number}: /sessions lists them")
            }
            crate::language::Language::Chinese => format!("没有编号 {number}：先用 /sessions 列出"),
        })?;
        return Ok(chat.backing.sessions.session(id)?);
    }
    Ok(chat.backing.sessions.find_session(which)?)
}

/// Goes on with a session, and shows where it stands.
pub fn go_on(chat: &mut Chat<'_>, session: Session) -> Result<()> {
    let here = chat.app.paths.workspace();
    if let Some(other) = session.metadata.workspace.as_deref().filter(|other| *other != here) {
        let words = chat.language().say(
            "This session was begun in another workspace; it goes on in this one:",
            "此对话始于另一个工作区，现在在当前工作区继续：",
        );
        chat.printer.note(&format!("{words} {} → {}", other.display(), here.display()));
    }
    show_end(chat, &session)?;
    let mode = super::mode_of(Some(&session), chat.mode);
    if mode != chat.mode {
        chat.mode = mode;
        chat.printer
            .note(&format!("{} {mode}", chat.language().say("Mode of this session:", "此对话的模式：")));
    }
    chat.session = Some(session);
    Ok(())
}

/// The last messages of a session.
pub fn show_end(chat: &Chat<'_>, session: &Session) -> Result<()> {
    chat.printer.line(&chat.printer.style.bold(&safe_line(&session.title)))?;
    show(chat, session, SHOWN)
}

fn show(chat: &Chat<'_>, session: &Session, most: u64) -> Result<()> {
    for message in newest(chat, session, most)? {
        let text = sessions::message(&message, chat.language(), chat.printer.style, terminal_width());
        chat.printer.line(text.trim_end_matches('\n'))?;
    }
    Ok(())
}

/// The newest messages, oldest of them first.
fn newest(chat: &Chat<'_>, session: &Session, most: u64) -> Result<Vec<Message>> {
    let all = |page, size| MessageQuery { page: Some(PageAsk { page, size }), ..MessageQuery::default() };
    let total = chat.backing.sessions.messages(&session.id, &all(1, 1))?.total;
    let last = total.div_ceil(most).max(1);
    // The last page may be short: with the one before it there are enough.
    let mut messages = Vec::new();
    for page in last.saturating_sub(1).max(1)..=last {
        messages.extend(chat.backing.sessions.messages(&session.id, &all(page, most))?.items);
    }
    let surplus = messages.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(messages.split_off(surplus))
}

async fn delete(chat: &mut Chat<'_>, editor: &mut ChatEditor) -> Result<()> {
    let session = open(chat)?.clone();
    let words = chat.language().say("Delete for good", "彻底删除");
    let question = format!("{words} «{}»? [y/N] ", safe_line(&session.title));
    let answer = editor.ask(&question, &mut chat.interrupts).await?;
    if !matches!(answer, Typed::Line(line) if matches!(line.trim(), "y" | "yes" | "是")) {
        return chat.told("Nothing was deleted.", "没有删除。");
    }
    chat.backing.sessions.delete(&session.id, Deletion::Hard)?;
    chat.app.browsers.close(&session.id).await;
    chat.session = None;
    chat.told("Deleted. A new session begins with the next message.", "已删除。下一条消息将开始新会话。")
}

fn export(chat: &Chat<'_>, json: bool, file: Option<&str>) -> Result<()> {
    let format = if json { ExportFormat::Json } else { ExportFormat::Md };
    let text = sessions::exported(&*chat.backing.sessions, &open(chat)?.id, format)?;
    let Some(file) = file else { return chat.printer.line(safe(text.trim_end()).as_ref()) };
    let file = chat.app.paths.workspace().join(file);
    sessions::write_new(&file, &text)?;
    chat.printer.line(&format!("{} {}", chat.language().say("Written to", "已写入"), file.display()))
}

async fn model(chat: &mut Chat<'_>, wanted: Option<String>) -> Result<()> {
    let models = chat.backing.agent.models().await;
    if let Some(name) = wanted {
        // A list that is not complete must not keep anyone from a model.
        if !name.contains('/') {
            bail!(
                "a model is named PROVIDER/NAME, such as {}",
                models.first().map_or("openai/gpt-5", String::as_str)
            );
        }
        chat.model = Some(name);
    }
    let used = chat.model.clone().or_else(|| chat.backing.agent.usual_model());
    let used = used.unwrap_or_else(|| chat.language().say("no model", "无模型").to_owned());
    chat.printer.line(&chat.printer.style.bold(&safe_line(&used)))?;
    for name in models.iter().filter(|name| **name != used) {
        chat.printer.line(&format!("  {}", safe_line(name)))?;
    }
    Ok(())
}

/// Takes back the last change, that of a call, or everything of the last turn, newest first.
async fn take_back(chat: &Chat<'_>, what: Option<String>) -> Result<()> {
    if what.as_deref() == Some("turn") {
        let session = open(chat)?.id.clone();
        undo::turn(chat.app, chat.printer, None, Some(&session)).await?;
    } else {
        undo::run(chat.app, chat.printer, what).await?;
    }
    Ok(())
}

async fn compact(chat: &mut Chat<'_>, focus: Option<&str>) -> Result<()> {
    let id = open(chat)?.id.clone();
    chat.interrupts.forget();
    let typing = Hidden::under_output();
    tokio::select! {
        done = chat.backing.agent.compact(&id, focus) => done?,
        _ = chat.interrupts.next() => return chat.told("Cancelled.", "已取消。"),
    }
    drop(typing);
    chat.told("The older part was replaced by a summary.", "较早的对话已压缩为摘要。")
}

fn thoughts(chat: &Chat<'_>) -> Result<()> {
    let thought = match &chat.output {
        Output::People(renderer) => renderer.last_thought(),
        Output::Json => "",
    };
    if thought.is_empty() {
        return chat.told("No thought was seen yet.", "还没有思考内容。");
    }
    chat.printer.line(&chat.printer.style.dim(safe(thought).trim_end()))
}

/// What the turns of this session have used.
fn cost(chat: &Chat<'_>) -> Result<()> {
    let id = &open(chat)?.id;
    let (mut used, mut turns, mut after) = (Usage::default(), 0_u64, None);
    loop {
        let query =
            MessageQuery { page: Some(PageAsk { page: 1, size: 1_000 }), after, ..MessageQuery::default() };
        let found = chat.backing.sessions.messages(id, &query)?;
        let Some(last) = found.items.last() else { break };
        after = Some(last.id);
        for message in &found.items {
            // Not every model says what it used; a summary costs something and is no turn.
            used += message.metadata.usage.unwrap_or_default();
            turns += u64::from(message.role == Role::Assistant);
        }
    }
    let turns = match chat.language() {
        crate::language::Language::English if turns == 1 => "1 turn".to_owned(),
        crate::language::Language::English => format!("{turns} turns"),
        crate::language::Language::Chinese => format!("{turns} 轮"),
    };
    chat.printer.line(&format!("{turns}: {}", words::usage(chat.language(), used)))
}

impl Chat<'_> {
    fn told(&self, english: &str, chinese: &str) -> Result<()> {
        self.printer.line(&self.printer.style.dim(self.language().say(english, chinese)))
    }
}
