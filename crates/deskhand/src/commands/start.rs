//! A conversation with the model that is configured or found; where there is none, what to do about it, and the demo.

use std::{
    io::{self, IsTerminal},
    sync::Arc,
};

use anyhow::Result;

use super::{chat, connect, console, demo};
use crate::{
    assemble::App,
    cli::{ChatArgs, SetupArgs, Shared},
    language::Language,
    models::ConfiguredModels,
    terminal::{Printer, ask_line, setup},
};

/// What happens without a model where nobody can be asked to set one up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    Demo,
    /// Something was to be said: that it cannot be is an error.
    Error,
}

pub async fn run(
    app: &App,
    shared: &Shared,
    printer: Printer,
    chat: ChatArgs,
    otherwise: Otherwise,
) -> Result<u8> {
    let models = Arc::new(ConfiguredModels::new(&app.settings, app.config_dir.clone()));
    let usual = models.usual().await.map(|chosen| chosen.name().to_owned());
    let can_show = otherwise == Otherwise::Demo || io::stdout().is_terminal();
    let can_ask = can_show && io::stdin().is_terminal() && !printer.json;
    // A session that is resumed may have a model of its own.
    let is_resumed = shared.session.is_some() || chat.go_on;
    if usual.is_some() || (otherwise == Otherwise::Error && (is_resumed || !can_ask)) {
        return talk(app, shared, printer, models, usual, chat).await;
    }
    if !can_ask {
        printer.note(hint(app.language));
        let code = demo::run(shared, printer).await?;
        printer.note(hint(app.language));
        return Ok(code);
    }
    printer.line(hint(app.language))?;
    loop {
        let menu = app.language.say(
            "\n[s] set up a model   [d] see the demo   [c] console of tools   [q] quit\n> ",
            "\n[s] 设置模型   [d] 观看演示   [c] 工具控制台   [q] 退出\n> ",
        );
        let Some(word) = ask_line(menu).await else { return Ok(0) };
        match word.trim() {
            "s" => {
                if let Some(model) = setup::set_up(app, shared, &SetupArgs::default()).await? {
                    let settings = app.settings_now(shared)?;
                    let models = Arc::new(ConfiguredModels::new(&settings, app.config_dir.clone()));
                    return talk(app, shared, printer, models, Some(model), chat).await;
                }
            }
            "d" | "" => {
                demo::run(shared, printer).await?;
            }
            "c" => return console::run(app, printer).await,
            "q" => return Ok(0),
            _ => {}
        }
    }
}

async fn talk(
    app: &App,
    shared: &Shared,
    printer: Printer,
    models: Arc<ConfiguredModels>,
    usual: Option<String>,
    chat: ChatArgs,
) -> Result<u8> {
    let backing = connect::backing(app, models, usual)?;
    let (session, model) = (shared.session.clone(), app.settings.named_model());
    let wanted = chat::Wanted { chat, session, model };
    chat::run(app, printer, wanted, backing).await
}

fn hint(language: Language) -> &'static str {
    match language {
        Language::English => {
            "Deskhand has no model to talk to yet. Any of these will do:\n\
             \u{20} · set one up: deskhand setup\n\
             \u{20} · a key:     export OPENAI_API_KEY=…   (or ANTHROPIC_API_KEY, ZHIPU_API_KEY, DEEPSEEK_API_KEY, …)\n\
             \u{20} · a server on this machine: Ollama, llama.cpp, vLLM or LM Studio is found by itself\n\
             \u{20} · a name:    deskhand --model PROVIDER/NAME\n\
             Without a model there are `deskhand demo` and `deskhand console`. docs/models.md says more."
        }
        Language::Chinese => {
            "Deskhand 还没有可用的模型。任选其一：\n\
             \u{20} · 逐步设置： deskhand setup\n\
             \u{20} · 密钥：     export ZHIPU_API_KEY=…（或 OPENAI_API_KEY、DEEPSEEK_API_KEY、ANTHROPIC_API_KEY 等）\n\
             \u{20} · 本机服务： Ollama、llama.cpp、vLLM、LM Studio 会被自动发现\n\
             \u{20} · 指定模型： deskhand --model PROVIDER/NAME\n\
             没有模型时可以运行 deskhand demo 和 deskhand console。详见 docs/models.md。"
        }
    }
}
