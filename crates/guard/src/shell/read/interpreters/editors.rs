//! Editors that are given commands: vim, ed, emacs.

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    code::Language,
    judge::{Class, Reach},
    knowledge::Flag,
    text::{HOLE, globs_as_text, shown},
};

impl Reading<'_> {
    /// Line and screen editors, given commands.
    pub fn editor(
        &mut self,
        language: Language,
        name: &str,
        words: &[String],
        input: Option<&str>,
    ) -> String {
        self.effect(Effects::EXECUTES);
        let why = format!("{name} edits files, and can run commands.");
        self.find(Permission::Moderate, format!("program:{name}"), why);
        // Emacs has its long flags with one dash, too.
        let words: Vec<String> = words
            .iter()
            .map(|word| match word.as_str() {
                "-eval" | "-execute" | "-load" | "-script" | "-funcall" => format!("-{word}"),
                _ => word.clone(),
            })
            .collect();
        let flag = Flag::taking("-c --cmd --eval --execute -f --funcall -S -u -s --script --load -l");
        // Silent, which `-s` alone is not.
        let silent = Flag { takes: None, ..Flag::taking("-es -Es") };
        let told = flags::tell(&words, &[&flag, &silent], None);
        let mut texts = told.values(&["-c", "--cmd", "--eval", "--execute", "-f", "--funcall"]);
        texts.extend(told.operands.iter().filter_map(|word| word.strip_prefix('+')).map(str::to_owned));
        for text in &texts {
            let text = globs_as_text(text);
            if is_emacs(name) {
                self.lisp(&text);
            }
            self.code(language, &text);
        }
        for file in told.values(&["-S", "-u", "-s", "--script", "--load", "-l"]) {
            if let Some(text) = self.files.get(&self.written(&file).path).cloned() {
                self.code(language, &text);
            }
        }
        if let Some(text) = input {
            self.code(language, text);
        }
        for path in told.operands.iter().filter(|word| !word.starts_with('+')) {
            if matches!(self.class_of(path), Class::Account | Class::Device | Class::Secret(_)) {
                self.find(Permission::Sensitive, "path:system", format!("It edits {}.", shown(path)));
            }
        }
        HOLE.to_string()
    }

    /// Emacs Lisp: the commands and deletions that stand in it as they are.
    pub fn lisp(&mut self, text: &str) {
        let argument = |name: &str| {
            text.split_once(name).and_then(|(_, rest)| rest.split('"').nth(1)).map(str::to_owned)
        };
        for name in ["shell-command-to-string", "async-shell-command", "shell-command"] {
            if let Some(command) = argument(name) {
                self.shell_text(&command, None);
            }
        }
        for name in ["delete-directory", "delete-file"] {
            if let Some(path) = argument(name) {
                let path = self.code_path(&path);
                self.removes(&path, if name == "delete-file" { Reach::One } else { Reach::Tree });
            }
        }
    }
}

pub fn is_emacs(name: &str) -> bool {
    name.starts_with("emacs") || name == "mg" || name == "zile"
}
