//! `deskhand demo`: plays the scripted conversation in a folder of its own.

use std::{path::Path, sync::Arc};

use anyhow::Result;
use deskhand_agent::{
    Models,
    provider::{Provider, ProviderError},
};
use deskhand_core::{Approver, session::Session};

use super::{
    chat::{Chat, Wanted},
    connect,
};
use crate::{
    assemble::App,
    cli::{ChatArgs, Shared},
    demo::{
        Script,
        folder::Folder,
        model::{self, DemoModel},
    },
    language::Language,
    models::no_model,
    terminal::{Printer, YesApprover, can_ask, chat::Questions},
};

/// The one model that there is.
struct Always(Language);

impl Models for Always {
    fn connect(&self, _: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        Err(no_model())
    }

    fn connect_for(&self, _: &Session, _: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(Arc::new(DemoModel::new(self.0)?.without_narration()))
    }
}

/// Plays the script.
pub async fn run(shared: &Shared, printer: Printer) -> Result<u8> {
    let folder = Folder::make()?;
    let workspace = folder.workspace();
    let shared =
        Shared { data_dir: Some(folder.data()), workspace: vec![workspace.clone()], ..shared.clone() };
    let app = App::open(&shared)?;
    let script = Script::of(app.language)?;
    script.lay_out(&workspace)?;
    let (approver, questions) = Questions::new();
    // In a pipe there is nobody to ask, and nothing here that could be harmed.
    let approver: Arc<dyn Approver> =
        if can_ask() { Arc::new(approver) } else { Arc::new(YesApprover::COMMAND) };
    let models = Arc::new(Always(app.language));
    let usual = Some(model::name(app.language));
    let backing = connect::with_approvers(&app, models, None, usual, vec![approver], questions)?;
    let wanted = Wanted { chat: ChatArgs::default(), session: None, model: None };
    play(Chat::new(&app, printer, &wanted, backing)?, &script, &workspace).await
}

async fn play(mut chat: Chat<'_>, script: &Script, workspace: &Path) -> Result<u8> {
    let (printer, style) = (chat.printer, chat.printer.style);
    let words = chat.language().say(
        "A scripted conversation. No model answers here, but the tools, plans and questions are real. It plays in",
        "这是一段脚本对话：回答来自脚本而不是模型，但工具、计划和询问都是真的。工作区：",
    );
    if !printer.json {
        printer.line(&format!("{words} {}", workspace.display()))?;
    }
    let mut code = 0;
    for turn in &script.turns {
        if !printer.json {
            printer.line(&format!("\n{}", style.yellow(&format!("# {}", turn.narration))))?;
            printer.line(&format!("{} {}", style.bold("›"), turn.message))?;
        }
        let ended = chat.say(&turn.message).await?;
        code = ended.exit_code();
        if ended.last_interrupt.is_some() {
            return Ok(code);
        }
    }
    Ok(code)
}
