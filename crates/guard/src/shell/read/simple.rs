//! Simple commands as they stand in the text: words are expanded, assignments made, redirections followed.

use std::rc::Rc;

use deskhand_core::Permission;

use super::{MOST_VALUES, Reading, commands::base_name, interpreters, nodes::holds_a_shell};
use crate::shell::{
    syntax::{Node, Script, Simple},
    text::shown,
};

impl Reading<'_> {
    pub fn simple(&mut self, simple: &Simple, script: &Rc<Script>, input: Option<&str>) -> String {
        let (pick, most) = (self.pick, self.most_values);
        self.most_values = 0;
        self.pick = 0;
        let mut output = self.simple_once(simple, script, input);
        let values = self.most_values.min(MOST_VALUES);
        for next in 1..values {
            if !self.take_step() {
                break;
            }
            self.pick = next;
            let more = self.simple_once(simple, script, input);
            if more != output {
                output.push_str(&more);
            }
        }
        (self.pick, self.most_values) = (pick, most);
        output
    }

    pub fn simple_once(&mut self, simple: &Simple, script: &Rc<Script>, input: Option<&str>) -> String {
        if simple.words.is_empty() {
            for assign in &simple.assigns {
                self.assign(assign);
            }
            // `$(< file)` is what the file holds.
            let text = self.redirect_input(&simple.redirects, script).unwrap_or_default();
            let text = if simple.assigns.is_empty() { text } else { String::new() };
            return self.redirect_output(&simple.redirects, text, false);
        }
        let mut words = Vec::new();
        for word in &simple.words {
            self.expanding_name = words.is_empty();
            words.extend(self.fields(word));
        }
        self.expanding_name = false;
        let mut kept = Vec::new();
        for assign in &simple.assigns {
            kept.push((assign.name.clone(), self.variables.get(&assign.name).cloned()));
            self.assign(assign);
            let value = self.variable(&assign.name).unwrap_or_default().to_owned();
            self.environment(&assign.name, &value);
        }
        if words.is_empty() {
            self.unresolved("What it runs cannot be told before it runs.");
        }
        let given = self.redirect_input(&simple.redirects, script).or_else(|| input.map(str::to_owned));
        let before = self.notes.findings.len();
        self.likeness = None;
        let output = self.command(&words, given.as_deref());
        let asked = self.notes.findings[before..].iter().any(|found| found.permission > Permission::Public);
        if asked {
            let likeness = self.likeness.take();
            self.asks_about(words.iter().map(|word| shown(word)).collect(), likeness);
        }
        let declares = words.first().is_some_and(|name| {
            matches!(name.as_str(), "declare" | "local" | "export" | "readonly" | "typeset")
        });
        if !declares {
            self.restore_variables(kept);
        }
        let shell = holds_a_shell(&Node::Simple(simple.clone()))
            || words.first().is_some_and(|name| interpreters::is_shell(base_name(name))) && words.len() < 3;
        self.redirect_output(&simple.redirects, output, shell)
    }
}
