//! `deskhand demo`: a scripted conversation with real tools, in a folder of its own.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context, Result};
use deskhand_agent::{
    Models,
    provider::{
        Provider, ProviderError,
        scripted::{self, Scripted, ScriptedReply},
    },
};
use deskhand_core::{Approver, id::new_id};
use serde::Deserialize;

use super::{
    chat::{Chat, Wanted},
    connect,
};
use crate::{
    assemble::App,
    cli::{ChatArgs, Shared},
    language::Language,
    terminal::{Printer, YesApprover, can_ask, chat::Questions},
};

/// What is said and answered, and the files that it is about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    files: Vec<ScriptFile>,
    turns: Vec<ScriptTurn>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    path: String,
    content: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptTurn {
    /// What the person should know before.
    narration: String,
    message: String,
    replies: Vec<ScriptedReply>,
}

impl Script {
    pub fn of(language: Language) -> Result<Self> {
        let text = match language {
            Language::English => include_str!("script.en.toml"),
            Language::Chinese => include_str!("script.zh.toml"),
        };
        toml::from_str(text).context("the script of the demo")
    }

    fn replies(&self) -> impl Iterator<Item = &ScriptedReply> {
        self.turns.iter().flat_map(|turn| &turn.replies)
    }

    /// All that the model answers, in order, at the pace of somebody who types fast.
    fn for_the_model(&self) -> scripted::Script {
        let slowly = |reply: &ScriptedReply| ScriptedReply { delay_ms: 15, ..reply.clone() };
        scripted::Script { replies: self.replies().map(slowly).collect(), ..scripted::Script::default() }
    }
}

/// The one model that there is.
struct Always(Arc<Scripted>);

impl Models for Always {
    fn connect(&self, _: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(self.0.clone())
    }
}

/// Plays the script.
pub async fn run(shared: &Shared, printer: Printer) -> Result<u8> {
    let folder = Folder::make()?;
    let (workspace, data) = (folder.0.join("workspace"), folder.0.join("data"));
    fs::create_dir(&workspace).with_context(|| format!("cannot make {}", workspace.display()))?;
    let shared = Shared { data_dir: Some(data), workspace: vec![workspace.clone()], ..shared.clone() };
    let app = App::open(&shared)?;
    let script = Script::of(app.language)?;
    for file in &script.files {
        let path = workspace.join(&file.path);
        fs::write(&path, file.content.trim_start())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let (approver, questions) = Questions::new();
    // In a pipe there is nobody to ask, and nothing here that could be harmed.
    let approver: Arc<dyn Approver> =
        if can_ask() { Arc::new(approver) } else { Arc::new(YesApprover::COMMAND) };
    let model = Arc::new(Scripted::new("demo", script.for_the_model()));
    let name = model.name().to_owned();
    let models = Arc::new(Always(model));
    let backing = connect::with_approvers(&app, models, None, Some(name), vec![approver], questions)?;
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

/// A new folder, which goes away with this value.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self> {
        let path = env::temp_dir().join(format!("deskhand-demo-{}", new_id()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).with_context(|| format!("cannot make {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "the folder of the demo could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scripts_tell_the_same_story_with_real_tools() {
        let registry = deskhand_tools::registry();
        let shape = |script: &Script| -> Vec<Vec<String>> {
            let names = |turn: &ScriptTurn| {
                turn.replies.iter().flat_map(|reply| &reply.calls).map(|call| call.name.clone()).collect()
            };
            script.turns.iter().map(names).collect()
        };
        let scripts = [Language::English, Language::Chinese].map(|language| Script::of(language).unwrap());
        assert_eq!(shape(&scripts[0]), shape(&scripts[1]));
        assert_eq!(shape(&scripts[0]).concat(), ["read_file", "edit_file", "undo", "bash"]);
        for call in scripts.iter().flat_map(Script::replies).flat_map(|reply| &reply.calls) {
            let found = registry.find(&call.name, None).unwrap();
            assert!(found.entry.validator().unwrap().is_valid(call.arguments.as_ref().unwrap()), "{call:?}");
        }
        for script in &scripts {
            // A turn ends with words, and never with a call.
            assert!(script.turns.iter().all(|turn| turn.replies.last().unwrap().calls.is_empty()));
            let [edit] = &script.turns[1].replies[0].calls[..] else { panic!("one edit") };
            let old = edit.arguments.as_ref().unwrap()["old_text"].as_str().unwrap();
            assert_eq!(script.files[0].content.matches(old).count(), 1);
        }
    }
}
