//! The demo: a scripted conversation with real tools. The terminal plays it through; on the web page it is a session
//! like any other, whose model is the script.

pub mod folder;
pub mod model;

use std::{fs, path::Path};

use anyhow::{Context, Result};
use deskhand_agent::provider::scripted::{self, ScriptedReply};
use serde::Deserialize;

use crate::language::Language;

/// What is said and answered, and the files that it is about.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Of the session.
    pub title: String,
    files: Vec<ScriptFile>,
    pub turns: Vec<ScriptTurn>,
    /// What is answered to something that is not in the script, while it is being played.
    aside: ScriptedReply,
    /// The same when its last turn has been played.
    over: ScriptedReply,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptFile {
    path: String,
    content: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptTurn {
    /// What the person should know before.
    pub narration: String,
    pub message: String,
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

    /// Puts the files that it is about into a folder.
    pub fn lay_out(&self, workspace: &Path) -> Result<()> {
        for file in &self.files {
            let path = workspace.join(&file.path);
            fs::write(&path, file.content.trim_start())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    /// The turn that begins with this message.
    fn turn_of(&self, message: &str) -> Option<&ScriptTurn> {
        self.turns.iter().find(|turn| turn.message == message.trim())
    }

    /// What the model answers to the last of these messages, at the pace of somebody who types fast.
    fn replies_to(&self, said: &[&str]) -> scripted::Script {
        let slowly = |reply: &ScriptedReply| ScriptedReply { delay_ms: 15, ..reply.clone() };
        let replies = if let Some(turn) = said.last().and_then(|message| self.turn_of(message)) {
            turn.replies.iter().map(slowly).collect()
        } else {
            let last = self.turns.last().map(|turn| turn.message.as_str());
            let is_over = said.iter().any(|message| Some(message.trim()) == last);
            vec![slowly(if is_over { &self.over } else { &self.aside })]
        };
        scripted::Script { replies, ..scripted::Script::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_answers_its_own_messages_only() {
        let script = Script::of(Language::English).unwrap();
        let first_of = |said: &[&str]| script.replies_to(said).replies[0].text.clone();
        let [first, .., last] = &script.turns[..] else { panic!("several turns") };
        assert_eq!(first_of(&[&first.message]), first.replies[0].text);
        assert_eq!(first_of(&[&last.message, &format!(" {}\n", first.message)]), first.replies[0].text);
        assert_eq!(first_of(&[&first.message, "hello"]), script.aside.text);
        assert_eq!(first_of(&["hello"]), script.aside.text);
        assert_eq!(first_of(&[&last.message, "hello"]), script.over.text);
    }

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
        let replies = scripts.iter().flat_map(|script| &script.turns).flat_map(|turn| &turn.replies);
        for call in replies.flat_map(|reply| &reply.calls) {
            let found = registry.find(&call.name, None).unwrap();
            assert!(found.entry.validator().unwrap().is_valid(call.arguments.as_ref().unwrap()), "{call:?}");
        }
        for script in &scripts {
            // A turn ends with words, and never with a call.
            assert!(script.turns.iter().all(|turn| turn.replies.last().unwrap().calls.is_empty()));
            assert!(script.over.calls.is_empty() && script.over.text.contains("Ollama"));
            assert!(script.aside.calls.is_empty() && script.aside.text.contains("Ollama"));
            let [edit] = &script.turns[1].replies[0].calls[..] else { panic!("one edit") };
            let old = edit.arguments.as_ref().unwrap()["old_text"].as_str().unwrap();
            assert_eq!(script.files[0].content.matches(old).count(), 1);
        }
    }
}
