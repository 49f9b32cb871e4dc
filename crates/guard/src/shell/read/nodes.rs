//! Walking the tree: pipelines, branches, loops, functions.

use std::rc::Rc;

use super::{Function, Reading};
use crate::shell::{
    syntax::{Node, Script, Simple, Word, literal},
    text::{HOLE, is_known, origin},
};

/// The most text of a stream that is followed.
const MOST_TEXT: usize = 64 * 1024;

/// How many parts of trees may hold one another, across functions and texts.
const MOST_NESTED: usize = 120;

impl Reading<'_> {
    /// Reads a part of the tree with this on its standard input; gives what it would print.
    pub fn node(&mut self, node: &Node, script: &Rc<Script>, input: Option<&str>) -> String {
        if !self.take_step() {
            return HOLE.to_string();
        }
        self.one_deeper(|reading| reading.walk(node, script, input))
    }

    /// Goes one deeper, if it is not too deep already: the stack is not endless.
    pub fn one_deeper(&mut self, read: impl FnOnce(&mut Self) -> String) -> String {
        if self.nested >= MOST_NESTED {
            self.unresolved("It nests commands too deep to be read.");
            return HOLE.to_string();
        }
        self.nested += 1;
        let output = read(self);
        self.nested -= 1;
        output
    }

    fn walk(&mut self, node: &Node, script: &Rc<Script>, input: Option<&str>) -> String {
        match node {
            Node::Simple(simple) => self.simple(simple, script, input),
            Node::Pipeline(parts) => self.pipeline(parts, script, input),
            Node::Sequence(parts) => self.sequence(parts, script, input),
            Node::Background(node) => self.node(node, script, input),
            Node::Subshell(node) => {
                let kept = self.keep();
                let output = self.node(node, script, input);
                self.restore(kept);
                output
            }
            Node::If(parts) => self.branches(parts, script, input),
            Node::While { condition, body } => {
                if runs_forever(condition) && starts_in_background(body) {
                    self.forbid("fork-bomb", "It starts processes without end.");
                } else if runs_forever(condition) && grows(body) {
                    self.forbid("endless", "It fills the memory without end.");
                }
                self.node(condition, script, input);
                self.node(body, script, input)
            }
            Node::For { name, words, body } => self.for_each(name, words.as_deref(), body, script, input),
            Node::ForArithmetic { text, body } => {
                if text.replace(' ', "") == ";;" && starts_in_background(body) {
                    self.forbid("fork-bomb", "It starts processes without end.");
                }
                for part in text.split(';') {
                    self.commands_in(part);
                    if let Some((name, _)) = part.split_once('=') {
                        self.set(name.trim(), vec![HOLE.to_string()]);
                    }
                }
                self.node(body, script, input)
            }
            Node::Case { word, items } => {
                self.scalar(word);
                let bodies: Vec<Node> = items.iter().map(|(_, body)| body.clone()).collect();
                for (patterns, _) in items {
                    for pattern in patterns {
                        self.pattern(pattern);
                    }
                }
                self.branches(&bodies, script, input)
            }
            Node::Function { name, body } => {
                self.define(name, body, script);
                String::new()
            }
            Node::Test(words) => {
                self.test_words(words);
                String::new()
            }
            Node::Arithmetic(text) => {
                self.arithmetic_command(text);
                String::new()
            }
            Node::Redirected { node, redirects } => {
                let given = self.redirect_input(redirects, script).or_else(|| input.map(str::to_owned));
                let output = self.node(node, script, given.as_deref());
                self.redirect_output(redirects, output, holds_a_shell(node))
            }
        }
    }

    pub fn sequence(&mut self, parts: &[Node], script: &Rc<Script>, input: Option<&str>) -> String {
        let mut output = String::new();
        for part in parts {
            output.push_str(&self.node(part, script, input));
            if output.len() > MOST_TEXT {
                output = format!("{HOLE}{}", origin(&output));
            }
        }
        output
    }

    pub fn pipeline(&mut self, parts: &[Node], script: &Rc<Script>, input: Option<&str>) -> String {
        let mut stream = input.map(str::to_owned);
        let seen = std::mem::take(&mut self.seen);
        for part in parts {
            // Each part of a pipeline is a shell of its own.
            let kept = self.keep();
            let output = self.node(part, script, stream.as_deref());
            self.restore(kept);
            stream = Some(output);
        }
        self.seen = seen;
        stream.unwrap_or_default()
    }

    /// Any of these may run: what they set may or may not be so afterwards.
    pub fn branches(&mut self, parts: &[Node], script: &Rc<Script>, input: Option<&str>) -> String {
        let mut output = String::new();
        let before = self.variables.clone();
        let mut after = before.clone();
        for part in parts {
            self.variables.clone_from(&after);
            output.push_str(&self.node(part, script, input));
            for (name, values) in &self.variables {
                let known = after.entry(name.clone()).or_default();
                for value in values {
                    if !known.contains(value) && known.len() < 8 {
                        known.push(value.clone());
                    }
                }
            }
        }
        self.variables = after;
        if parts.len() > 1 && is_known(&output) && !output.is_empty() {
            output.push(HOLE);
        }
        output
    }

    pub fn for_each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &Node,
        script: &Rc<Script>,
        input: Option<&str>,
    ) -> String {
        let mut values = Vec::new();
        match words {
            Some(words) => {
                for word in words {
                    values.extend(self.fields(word));
                }
            }
            None => values.extend(self.positional.iter().cloned()),
        }
        if values.is_empty() {
            values.push(HOLE.to_string());
        }
        self.set(name, values);
        self.node(body, script, input)
    }

    pub fn define(&mut self, name: &str, body: &Node, script: &Rc<Script>) {
        if calls_itself(body, name) {
            self.forbid("fork-bomb", format!("The function {name} starts itself again and again."));
            return;
        }
        let function = Function { body: Rc::new(body.clone()), script: Rc::clone(script) };
        self.functions.insert(name.to_owned(), function);
        // What it holds is read at once, too: it may be called by a trap, or by another name.
        let kept = self.keep();
        self.positional = vec![HOLE.to_string()];
        self.calling.push(name.to_owned());
        self.node(body, script, Some(&HOLE.to_string()));
        self.calling.pop();
        self.restore(kept);
    }

    /// Calls a function of the command; `None` if there is none of that name.
    pub fn call_function(&mut self, name: &str, arguments: &[String], input: Option<&str>) -> Option<String> {
        let function = self.functions.get(name)?.clone();
        if self.calling.iter().any(|calling| calling == name) {
            return Some(HOLE.to_string());
        }
        let positional = std::mem::replace(&mut self.positional, arguments.to_vec());
        self.calling.push(name.to_owned());
        let output = self.node(&function.body, &function.script, input);
        self.calling.pop();
        self.positional = positional;
        Some(output)
    }

    pub fn test_words(&mut self, words: &[Word]) {
        let texts: Vec<String> = words.iter().map(|word| self.scalar(word)).collect();
        let counts =
            texts.iter().any(|text| matches!(text.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"));
        for text in texts {
            if counts && !text.starts_with('-') {
                // A name that is compared as a number is worked out, and so is its value.
                self.number(&text);
            }
            if text.contains('[') && (text.contains("$(") || text.contains('`')) {
                self.unresolved("A subscript in a test can run commands.");
                self.commands_in(&text);
            }
        }
    }

    pub fn arithmetic_command(&mut self, text: &str) {
        self.number(text);
        if let Some((name, value)) = text.split_once('=') {
            let name = name.trim();
            if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let value = self.arithmetic(value);
                self.set(name, vec![value]);
            }
        }
    }
}

fn simple_name(simple: &Simple) -> Option<String> {
    simple.words.first().and_then(literal)
}

/// Whether a loop's condition is always true.
fn runs_forever(condition: &Node) -> bool {
    match condition {
        Node::Simple(simple) => {
            let words: Vec<String> = simple.words.iter().filter_map(literal).collect();
            matches!(words.join(" ").as_str(), "true" | "false" | ":" | "[ 1 ]" | "/bin/true" | "test 1")
        }
        Node::Arithmetic(text) => text.trim() == "1",
        Node::Test(words) => words.len() == 1,
        Node::Sequence(parts) => parts.iter().all(runs_forever),
        _ => false,
    }
}

/// Whether a variable gets longer each time.
fn grows(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => simple.words.is_empty() && simple.assigns.iter().any(|assign| assign.append),
        Node::Sequence(parts) => parts.iter().any(grows),
        _ => false,
    }
}

fn starts_in_background(node: &Node) -> bool {
    match node {
        Node::Background(_) => true,
        Node::Sequence(parts) | Node::Pipeline(parts) | Node::If(parts) => {
            parts.iter().any(starts_in_background)
        }
        Node::Subshell(node) | Node::Redirected { node, .. } => starts_in_background(node),
        _ => false,
    }
}

/// Whether a function's body runs the function again in a pipeline or in the background.
fn calls_itself(body: &Node, name: &str) -> bool {
    fn calls(node: &Node, name: &str) -> usize {
        match node {
            Node::Simple(simple) => usize::from(simple_name(simple).as_deref() == Some(name)),
            Node::Background(node) => 2 * calls(node, name),
            Node::Pipeline(parts) => 2 * parts.iter().map(|part| calls(part, name)).sum::<usize>(),
            Node::Sequence(parts) | Node::If(parts) => parts.iter().map(|part| calls(part, name)).sum(),
            Node::Subshell(node) | Node::Redirected { node, .. } => calls(node, name),
            Node::While { body, .. } | Node::For { body, .. } | Node::ForArithmetic { body, .. } => {
                2 * calls(body, name)
            }
            _ => 0,
        }
    }
    calls(body, name) > 1
}

/// Whether a shell without a command of its own runs in it: it does what it is fed.
pub fn holds_a_shell(node: &Node) -> bool {
    match node {
        Node::Simple(simple) => simple_name(simple).is_some_and(|name| {
            super::interpreters::is_shell(name.rsplit('/').next().unwrap_or(&name))
                && !simple.words.iter().any(|word| literal(word).is_some_and(|word| word == "-c"))
        }),
        Node::Background(node) | Node::Subshell(node) | Node::Redirected { node, .. } => holds_a_shell(node),
        Node::Sequence(parts) | Node::Pipeline(parts) => parts.iter().any(holds_a_shell),
        Node::While { body, .. } => holds_a_shell(body),
        _ => false,
    }
}

/// The simple commands of a tree, outside substitutions: what the grammar must see, too.
pub fn count_commands(node: &Node) -> usize {
    match node {
        Node::Simple(simple) => usize::from(!simple.words.is_empty()),
        Node::Pipeline(parts) | Node::Sequence(parts) | Node::If(parts) => {
            parts.iter().map(count_commands).sum()
        }
        Node::Background(node) | Node::Subshell(node) | Node::Redirected { node, .. } => count_commands(node),
        Node::While { condition, body } => count_commands(condition) + count_commands(body),
        Node::For { body, .. } | Node::ForArithmetic { body, .. } | Node::Function { body, .. } => {
            count_commands(body)
        }
        Node::Case { items, .. } => items.iter().map(|(_, body)| count_commands(body)).sum(),
        Node::Test(_) | Node::Arithmetic(_) => 0,
    }
}
