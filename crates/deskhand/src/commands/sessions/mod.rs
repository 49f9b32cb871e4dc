//! `deskhand sessions`: lists, searches, shows and changes conversations.

mod listing;
#[cfg(test)]
mod tests;

pub use self::listing::{hits, message, rows};

use std::{
    borrow::Cow,
    fs::{self, OpenOptions},
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use deskhand_core::{
    Screener, Time,
    screener::MASK_OPEN,
    session::{
        Deletion, MessageQuery, Owner, PageAsk, SearchQuery, Session, SessionQuery, SessionStore, Step,
        TitledBy, Transcript,
    },
};
use deskhand_guard::SecretScreener;
use serde_json::{Value, json};

use super::pick;
use crate::{
    cli::{ExportFormat, PageArgs, SessionAction},
    language::Language,
    terminal::{Printer, can_ask, chat::words, padded, safe, safe_line, terminal_width, width},
};

/// A file larger than this is no transcript.
const LARGEST_TRANSCRIPT: u64 = 256 * 1024 * 1024;
const LONGEST_PAGE: u64 = 1_000;

/// Who asks, and where the answer goes.
pub struct Desk<'a> {
    pub store: &'a dyn SessionStore,
    pub printer: Printer,
    pub language: Language,
    /// `--session`: where a search is made.
    pub session: Option<&'a str>,
}

pub fn run(desk: &Desk<'_>, action: SessionAction) -> Result<u8> {
    match action {
        SessionAction::List { page, archived, all, deleted } => {
            let archived = if all || deleted { None } else { Some(archived) };
            desk.list(page, archived, deleted)?;
        }
        SessionAction::Show { id, page } => desk.show(&id, page)?,
        SessionAction::Search { words, page } => desk.search(&words.join(" "), page)?,
        SessionAction::Rename { id, title } => {
            let id = desk.store.find_session(&id)?.id;
            let session = desk.store.rename(&id, &title, TitledBy::Person)?;
            desk.changed(&session, "Renamed", "已重命名")?;
        }
        SessionAction::Archive { id } => {
            let id = desk.store.find_session(&id)?.id;
            desk.changed(&desk.store.archive(&id, true)?, "Put aside", "已归档")?;
        }
        SessionAction::Unarchive { id } => {
            let id = desk.store.find_session(&id)?.id;
            desk.changed(&desk.store.archive(&id, false)?, "Brought back", "已取消归档")?;
        }
        SessionAction::Delete { id, soft, yes } => return desk.delete(&id, soft, yes),
        SessionAction::Restore { id } => {
            let session = desk.store.restore(&desk.find_deleted(&id)?)?;
            desk.changed(&session, "Restored", "已恢复")?;
        }
        SessionAction::Fork { id, at, title } => {
            let id = desk.store.find_session(&id)?.id;
            let session = desk.store.fork(&id, at, title.as_deref())?;
            desk.changed(&session, "New session", "新会话")?;
        }
        SessionAction::Export { id, format, output } => desk.export(&id, format, output.as_deref())?,
        SessionAction::Import { file } => {
            let session = desk.store.import(&read_transcript(&file)?, None)?;
            desk.changed(&session, "New session", "新会话")?;
        }
    }
    Ok(0)
}

impl Desk<'_> {
    fn say<'a>(&self, english: &'a str, chinese: &'a str) -> &'a str {
        self.language.say(english, chinese)
    }

    fn list(&self, page: PageArgs, archived: Option<bool>, deleted: bool) -> Result<()> {
        let found = self.store.sessions(&SessionQuery {
            page: asked(page),
            owner: Owner::Everyone,
            archived,
            deleted,
        })?;
        let value = json!({
            "total": found.total, "page": page.page, "page_size": page.page_size, "sessions": found.items,
        });
        self.printer.print(&value, |style| {
            if found.items.is_empty() {
                return self.nothing(found.total, page);
            }
            let mut text = rows(&found.items, self.language, style, terminal_width(), None);
            text.push_str(&style.dim(&self.place(found.total, page)));
            text
        })
    }

    fn show(&self, id: &str, page: PageArgs) -> Result<()> {
        let session = self.store.find_session(id)?;
        let found = self
            .store
            .messages(&session.id, &MessageQuery { page: Some(asked(page)), ..MessageQuery::default() })?;
        let value = json!({
            "session_id": session.id, "session": session, "total": found.total, "page": page.page,
            "page_size": page.page_size, "messages": found.items,
        });
        self.printer.print(&value, |style| {
            let mut text = format!("{}\n", style.bold(&safe_line(&session.title)));
            for one in &found.items {
                text.push_str(&message(one, self.language, style, terminal_width()));
            }
            text.push_str(&style.dim(&self.place(found.total, page)));
            text
        })
    }

    fn search(&self, text: &str, page: PageArgs) -> Result<()> {
        let session_id =
            self.session.map(|id| self.store.find_session(id)).transpose()?.map(|session| session.id);
        let query = SearchQuery {
            text: text.to_owned(),
            page: asked(page),
            owner: Owner::Everyone,
            session_id,
            archived: None,
        };
        let found = self.store.search(&query)?;
        let value = json!({
            "has_more": found.has_more, "page": page.page, "page_size": page.page_size, "hits": found.items,
        });
        self.printer.print(&value, |style| {
            if found.items.is_empty() {
                return self.say("There is nothing.", "没有内容。").to_owned();
            }
            let mut text = hits(&found.items, self.language, style);
            if found.has_more {
                let more = format!("{} --page {}", self.say("more:", "更多："), page.page + 1);
                text.push_str(&style.dim(&more));
            }
            text
        })
    }

    fn delete(&self, id: &str, soft: bool, yes: bool) -> Result<u8> {
        let session = self.store.find_session(id)?;
        let question = format!(
            "{} «{}» ({})? [y/N] ",
            if soft {
                self.say("Put out of sight", "移到回收站")
            } else {
                self.say("Delete for good", "彻底删除")
            },
            safe_line(&session.title),
            words::end_of(&session.id),
        );
        if !yes && !can_ask() {
            bail!("deleting «{}» needs a yes: there is nobody to ask here, so say --yes", session.title);
        }
        if !yes && !said_yes(&question)? {
            self.printer.note(self.say("Nothing was deleted.", "没有删除。"));
            return Ok(3);
        }
        self.store.delete(&session.id, if soft { Deletion::Soft } else { Deletion::Hard })?;
        let value = json!({"success": true, "session_id": session.id});
        self.printer.print(&value, |_| format!("{} {}", self.say("Deleted", "已删除"), session.id))?;
        Ok(0)
    }

    fn find_deleted(&self, id: &str) -> Result<String> {
        let mut ids = Vec::new();
        for page in 1.. {
            let page = PageAsk { page, size: LONGEST_PAGE };
            let found = self.store.sessions(&SessionQuery {
                page,
                owner: Owner::Everyone,
                archived: None,
                deleted: true,
            })?;
            let last = found.items.is_empty();
            ids.extend(found.items.into_iter().map(|session| session.id));
            if last || ids.len() as u64 >= found.total {
                break;
            }
        }
        pick(ids.iter().map(String::as_str), id, "deleted session")
    }

    fn export(&self, id: &str, format: ExportFormat, output: Option<&Path>) -> Result<()> {
        let session = self.store.find_session(id)?;
        let text = exported(self.store, &session.id, format)?;
        match output {
            Some(file) => {
                write_new(file, &text)?;
                let value = json!({"session_id": session.id, "file": file});
                self.printer
                    .print(&value, |_| format!("{} {}", self.say("Written to", "已写入"), file.display()))
            }
            // What is JSON already is not wrapped in JSON once more.
            None if format == ExportFormat::Json => self.printer.line(&for_stdout(&text)),
            None => {
                let text = for_stdout(&text);
                self.printer.print(&json!({"session_id": session.id, "markdown": text}), |_| text.to_string())
            }
        }
    }

    fn changed(&self, session: &Session, english: &str, chinese: &str) -> Result<()> {
        self.printer.print(session, |style| {
            let id = style.bold(words::end_of(&session.id));
            format!("{}: {id}  {}", self.say(english, chinese), safe_line(&session.title))
        })
    }

    fn nothing(&self, total: u64, page: PageArgs) -> String {
        if total == 0 {
            return self.say("There is nothing.", "没有内容。").to_owned();
        }
        self.place(total, page)
    }

    /// Which part of how much this is.
    fn place(&self, total: u64, page: PageArgs) -> String {
        let pages = total.div_ceil(page.page_size).max(1);
        match self.language {
            Language::English => format!("page {} of {pages}, {} in all", page.page, words::grouped(total)),
            Language::Chinese => format!("第 {}/{pages} 页，共 {} 条", page.page, words::grouped(total)),
        }
    }
}

/// A session as a file's content.
pub fn exported(store: &dyn SessionStore, id: &str, format: ExportFormat) -> Result<String> {
    let transcript = store.export(id)?;
    Ok(match format {
        ExportFormat::Json => serde_json::to_string_pretty(&transcript)?,
        ExportFormat::Md => transcript.to_markdown(),
    })
}

/// Writes a file that is not there yet.
pub fn write_new(file: &Path, text: &str) -> Result<()> {
    let opened = OpenOptions::new().write(true).create_new(true).open(file);
    let mut opened = opened
        .with_context(|| format!("cannot make the file {}: name one that is not there", file.display()))?;
    opened.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", file.display()))?;
    if !text.ends_with('\n') {
        opened.write_all(b"\n")?;
    }
    Ok(())
}

fn read_transcript(file: &PathBuf) -> Result<Transcript> {
    let mut text = String::new();
    let from: Box<dyn Read> = if file.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(fs::File::open(file).with_context(|| format!("cannot open {}", file.display()))?)
    };
    from.take(LARGEST_TRANSCRIPT + 1)
        .read_to_string(&mut text)
        .with_context(|| format!("cannot read {}", file.display()))?;
    if text.len() as u64 > LARGEST_TRANSCRIPT {
        bail!("{} is larger than a session can be", file.display());
    }
    masked(&text).with_context(|| {
        format!("{} is no session: `deskhand sessions export --format json` writes one", file.display())
    })
}

/// What comes from elsewhere may hold secrets that no gate has seen; they are not kept.
fn masked(text: &str) -> serde_json::Result<Transcript> {
    let raw: Value = serde_json::from_str(text)?;
    let mut transcript: Transcript = serde_json::from_value(SecretScreener.mask_value(&raw))?;
    // A signature with a mask in it is none any more, and a provider would refuse it.
    for step in
        transcript.messages.iter_mut().filter_map(|message| message.execution_steps.as_mut()).flatten()
    {
        if let Step::Thought { signature, .. } = step {
            signature.take_if(|signature| signature.contains(MASK_OPEN));
        }
    }
    Ok(transcript)
}

/// A file or a pipe gets the text as it is; a terminal would do what stands in it.
fn for_stdout(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { safe(text) } else { Cow::Borrowed(text) }
}

fn said_yes(question: &str) -> Result<bool> {
    let _ = write!(io::stderr(), "{question}");
    let mut line = String::new();
    io::stdin().read_line(&mut line).context("cannot read the answer")?;
    Ok(matches!(line.trim(), "y" | "yes" | "Y" | "是"))
}

fn asked(page: PageArgs) -> PageAsk {
    PageAsk { page: page.page, size: page.page_size }
}

/// Now, for ages in listings.
fn now() -> Time {
    Time::now()
}

/// Cells in columns, each as wide as its widest; the last is not filled up.
fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest: Vec<usize> = (0..count)
        .map(|n| rows.iter().filter_map(|row| row.get(n)).map(|cell| width(cell)).max().unwrap_or(0))
        .collect();
    rows.iter()
        .map(|row| {
            let cells: Vec<String> = row
                .iter()
                .enumerate()
                .map(|(n, cell)| if n + 1 == row.len() { cell.clone() } else { padded(cell, widest[n]) })
                .collect();
            cells.join("  ")
        })
        .collect()
}
