//! `env`: variables, another folder, and `-S`, which splits a text into words.

use super::Reading;
use crate::shell::{
    syntax::{Node, Value, parse},
    text::{ENVIRONMENT, HOLE},
};

impl Reading<'_> {
    pub fn env(&mut self, words: &[String], input: Option<&str>) -> String {
        let folder = self.cwd.clone();
        let command = self.env_command(words, input);
        let output = if command.is_empty() {
            self.step("env shows the environment, which is a clean one.".to_owned());
            format!("{HOLE}{ENVIRONMENT}")
        } else {
            let clears = |word: &String| {
                word == "-"
                    || word.starts_with("--i")
                    || word.starts_with("--u")
                    || !word.starts_with("--") && word.contains(['i', 'u'])
            };
            let git = command.iter().any(|word| super::super::commands::base_name(word) == "git");
            if git && words.iter().take_while(|word| word.starts_with('-')).any(clears) {
                self.unresolved("It takes away the settings that keep git from running other programs.");
            }
            self.argv(&command, true, input)
        };
        self.cwd = folder;
        output
    }

    /// The words that are left of env's once its own flags are taken away and its texts split.
    fn env_command(&mut self, words: &[String], input: Option<&str>) -> Vec<String> {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let next = |at: &mut usize| {
                *at += 1;
                words.get(*at - 1).cloned().unwrap_or_default()
            };
            if let Some(long) = word.strip_prefix("--") {
                let (name, joined) =
                    long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v.to_owned())));
                let is = |flag: &str| !name.is_empty() && flag.starts_with(name);
                if is("split-string") {
                    let text = joined.unwrap_or_else(|| next(&mut at));
                    return self.split_words(&text, &words[at.min(words.len())..], input);
                } else if is("chdir") {
                    let target = joined.unwrap_or_else(|| next(&mut at));
                    self.cwd = self.written(&target).path;
                } else if is("unset") && joined.is_none() {
                    at += 1;
                }
                continue;
            }
            let Some(letters) = word.strip_prefix('-') else { return words[at - 1..].to_vec() };
            // `-iS TEXT`, `-vSTEXT`: the letter that takes a value takes the rest of its word, or the next one.
            if let Some((i, letter)) = letters.char_indices().find(|(_, letter)| "SCu".contains(*letter)) {
                let rest = &letters[i + 1..];
                let value = if rest.is_empty() { next(&mut at) } else { rest.to_owned() };
                match letter {
                    'S' => return self.split_words(&value, &words[at.min(words.len())..], input),
                    'C' => self.cwd = self.written(&value).path,
                    _ => {}
                }
            }
        }
        Vec::new()
    }

    /// What `-S` makes of its text, and the words after it. The text may start with flags of env again.
    fn split_words(&mut self, text: &str, rest: &[String], input: Option<&str>) -> Vec<String> {
        self.find(deskhand_core::Permission::Moderate, "program:env -S", "env makes a command of a text.");
        let mut words = Vec::new();
        let script = parse(text);
        if let Node::Simple(simple) = &script.root {
            for assign in &simple.assigns {
                if let Value::Scalar(value) = &assign.value {
                    let value = self.scalar(value);
                    words.push(format!("{}={value}", assign.name));
                }
            }
            for word in &simple.words {
                words.extend(self.fields(word));
            }
        } else {
            self.unresolved("env splits a text that cannot be read.");
            self.run_apart(text, input);
        }
        words.extend(rest.iter().cloned());
        if words.first().is_some_and(|word| word.starts_with('-')) && self.take_step() {
            return self.env_command(&words, input);
        }
        words
    }
}
