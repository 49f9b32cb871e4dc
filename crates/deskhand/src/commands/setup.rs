//! `deskhand setup`: a provider, its address and key, and a model, tried before they are saved.

use anyhow::Result;
use serde_json::json;

use crate::{
    assemble::App,
    cli::{SetupArgs, Shared},
    language::Language,
    terminal::{Printer, setup},
};

pub async fn run(app: &App, shared: &Shared, printer: Printer, wanted: &SetupArgs) -> Result<u8> {
    let Some(model) = setup::set_up(app, shared, wanted).await? else {
        printer.note(app.language.say("Nothing was saved.", "没有保存任何内容。"));
        return Ok(1);
    };
    printer.print(&json!({ "model": model }), |_| match app.language {
        Language::English => format!("Saved. Deskhand talks to {model} now: run `deskhand`."),
        Language::Chinese => format!("已保存。现在使用 {model}，运行 deskhand 即可开始对话。"),
    })?;
    Ok(0)
}
