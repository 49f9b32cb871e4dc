//! Reading PowerShell text: statements, pipelines, commands. All branches count, bodies of loops once.

mod cmdlets;
mod expression;
mod files;
mod items;
mod methods;
mod objects;
mod operators;
mod statics;
mod text;
mod value;

use super::report::Report;
use super::tables::environment::{ENVIRONMENT, SHELL_VARIABLES};
use super::{Level, deletes};
use value::Value;

/// What the text has set so far.
#[derive(Debug, Default)]
struct Scope {
    variables: Vec<(String, Value)>,
    aliases: Vec<(String, String)>,
    /// Name, names of parameters, body.
    functions: Vec<(String, Vec<String>, String)>,
    /// Inside a loop that does not end.
    endless: bool,
    depth: u32,
}

impl Scope {
    fn set(&mut self, name: &str, value: Value) {
        let name = bare_variable(name);
        self.variables.retain(|(known, _)| *known != name);
        if self.variables.len() < 128 {
            self.variables.push((name, value));
        }
    }

    fn get(&self, name: &str) -> Value {
        let name = bare_variable(name);
        if let Some((_, value)) = self.variables.iter().find(|(known, _)| *known == name) {
            return value.clone();
        }
        let table = if name.starts_with("env:") { ENVIRONMENT } else { SHELL_VARIABLES };
        let wanted = name.strip_prefix("env:").unwrap_or(&name);
        match table.iter().find(|(known, _)| *known == wanted) {
            Some((_, value)) => Value::text(*value),
            None if name == "true" || name == "false" => Value::text(name),
            None if name == "null" => Value::text(""),
            None if name == "executioncontext" => Value::Object("executioncontext".to_owned()),
            None => Value::Unknown,
        }
    }
}

fn bare_variable(name: &str) -> String {
    let name = name.to_lowercase();
    for scope in ["global:", "script:", "local:", "private:", "variable:", "using:"] {
        if let Some(bare) = name.strip_prefix(scope) {
            return bare.to_owned();
        }
    }
    name
}

pub(super) fn read(report: &mut Report, text: &str) {
    let mut scope = Scope::default();
    run(report, &mut scope, text);
}

/// Runs a text, a block or a group within a scope, and gives what it puts out.
fn run(report: &mut Report, scope: &mut Scope, text: &str) -> Value {
    if scope.depth > 16 || !report.spend(text.len()) {
        report.note(Level::Sensitive, "win-too-complex", "Commands are nested too deep to be read");
        return Value::Unknown;
    }
    scope.depth += 1;
    let chars: Vec<char> = text.chars().map(text::plain_mark).collect();
    let mut reader = Reader { report, scope, chars, at: 0, depth: 0, last_variable: None };
    let value = reader.statements();
    scope.depth -= 1;
    value
}

struct Reader<'a> {
    report: &'a mut Report,
    scope: &'a mut Scope,
    chars: Vec<char>,
    at: usize,
    depth: u32,
    last_variable: Option<String>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\u{a0}' => self.at += 1,
                '`' if matches!(self.peek_at(1), Some('\n' | '\r')) => self.at += 2,
                '<' if self.peek_at(1) == Some('#') => self.skip_comment(),
                _ => break,
            }
        }
    }

    fn skip_comment(&mut self) {
        while self.at < self.chars.len() && !(self.peek() == Some('#') && self.peek_at(1) == Some('>')) {
            self.at += 1;
        }
        self.at = (self.at + 2).min(self.chars.len());
    }

    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some('\n') => self.at += 1,
                Some('#') => self.skip_to_newline(),
                _ => break,
            }
        }
    }

    fn skip_to_newline(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn statements(&mut self) -> Value {
        let mut outputs = Vec::new();
        while self.at < self.chars.len() {
            let before = self.at;
            match self.chars[self.at] {
                ';' | '\n' | ')' | '}' | ' ' | '\t' | '\r' | ',' | '|' => self.at += 1,
                '&' if self.peek_at(1) == Some('&') => self.at += 2,
                '#' => self.skip_to_newline(),
                '<' if self.peek_at(1) == Some('#') => self.skip_comment(),
                _ => {
                    if !self.report.spend(1) {
                        return Value::Unknown;
                    }
                    if let Some(value) = self.statement()
                        && outputs.len() < 512
                    {
                        outputs.push(value);
                    }
                }
            }
            if self.at == before {
                self.at += 1;
            }
        }
        match outputs.len() {
            0 => Value::text(""),
            1 => outputs.remove(0),
            _ => Value::List(outputs),
        }
    }

    fn bareword_ahead(&self) -> String {
        let ahead = self.chars[self.at..].iter().take(24);
        ahead.take_while(|c| c.is_ascii_alphabetic()).collect::<String>().to_ascii_lowercase()
    }

    fn statement(&mut self) -> Option<Value> {
        let word = self.bareword_ahead();
        let after = self.peek_at(word.len());
        let ends = after.is_none_or(|c| matches!(c, ' ' | '(' | '{' | '\n' | '\t' | '\r' | ';' | '}'));
        if !word.is_empty() && ends {
            match word.as_str() {
                "if" | "elseif" | "while" | "until" | "switch" | "for" => {
                    self.at += word.len();
                    self.skip_lines();
                    if self.peek() == Some('(') {
                        let inner = self.group('(', ')');
                        let plain: String = inner.chars().filter(|c| !c.is_whitespace()).collect();
                        self.scope.endless |= matches!(word.as_str(), "while" | "for")
                            && matches!(plain.to_lowercase().as_str(), "$true" | "1" | ";;");
                        run(self.report, self.scope, &inner);
                    }
                    return None;
                }
                "foreach"
                    if self.chars[self.at..].iter().skip(7).find(|c| !c.is_whitespace()) == Some(&'(') =>
                {
                    self.at += word.len();
                    return Some(self.for_each());
                }
                "function" | "filter" => {
                    self.at += word.len();
                    return self.function();
                }
                "param" => {
                    self.at += word.len();
                    self.skip_blanks();
                    if self.peek() == Some('(') {
                        self.group('(', ')');
                    }
                    return None;
                }
                "else" | "try" | "catch" | "finally" | "do" | "return" | "throw" | "begin" | "process"
                | "end" | "break" | "continue" | "exit" | "trap" => {
                    self.at += word.len();
                    return None;
                }
                _ => {}
            }
        }
        if self.peek() == Some('{') {
            let body = self.group('{', '}');
            return Some(run(self.report, self.scope, &body));
        }
        Some(self.pipeline())
    }

    /// A function: its body is read where it stands, and again with the arguments of each call.
    fn function(&mut self) -> Option<Value> {
        self.skip_blanks();
        let start = self.at;
        while self.peek().is_some_and(|c| !c.is_whitespace() && c != '{' && c != '(') {
            self.at += 1;
        }
        let name: String = self.chars[start..self.at].iter().collect();
        self.skip_lines();
        let mut given = if self.peek() == Some('(') { self.group('(', ')') } else { String::new() };
        self.skip_lines();
        if self.peek() != Some('{') {
            return None;
        }
        let body = self.group('{', '}');
        if let Some((_, rest)) = body.split_once("param(").or_else(|| body.split_once("param (")) {
            given.push_str(rest.split(')').next().unwrap_or_default());
        }
        let variables = given.split('$').skip(1);
        let names =
            variables.map(|p| p.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()).collect();
        if self.scope.functions.len() < 64 {
            self.scope.functions.push((name.to_lowercase(), names, body.clone()));
        }
        run(self.report, self.scope, &body);
        None
    }

    /// `foreach ($x in …) {…}`: the body is read for the first few values.
    fn for_each(&mut self) -> Value {
        self.skip_blanks();
        let inner = self.group('(', ')');
        let (name, list) = inner.split_once(" in ").unwrap_or((&inner, ""));
        let name = name.trim().trim_start_matches('$').to_owned();
        let values = run(self.report, self.scope, list).items();
        self.skip_lines();
        if self.peek() != Some('{') {
            return Value::Unknown;
        }
        let body = self.group('{', '}');
        let mut outputs = Vec::new();
        for value in values.into_iter().take(64) {
            self.scope.set(&name, value);
            outputs.push(run(self.report, self.scope, &body));
        }
        Value::List(outputs)
    }

    fn pipeline(&mut self) -> Value {
        let mut value = self.element(None);
        loop {
            self.skip_blanks();
            match self.peek() {
                Some('|') if self.peek_at(1) != Some('|') => {
                    self.at += 1;
                    self.skip_lines();
                    value = self.element(Some(value));
                }
                Some('>' | '0'..='9' | '*') if self.redirection_ahead() => self.redirection(),
                _ => return value,
            }
        }
    }

    fn redirection_ahead(&self) -> bool {
        match self.peek() {
            Some('>') => true,
            Some('0'..='9' | '*') => self.peek_at(1) == Some('>'),
            _ => false,
        }
    }

    fn redirection(&mut self) {
        while self.peek().is_some_and(|c| c == '>' || c == '*' || c.is_ascii_digit()) {
            self.at += 1;
        }
        if self.peek() == Some('&') {
            self.at += 2;
            return;
        }
        self.skip_blanks();
        let target = self.argument();
        for word in target.words().into_iter().filter(|w| !w.known || !w.text.is_empty()) {
            deletes::write(self.report, &word);
        }
    }

    /// One part of a pipeline: a command, or an expression.
    fn element(&mut self, input: Option<Value>) -> Value {
        self.skip_blanks();
        match self.peek() {
            None => Value::text(""),
            Some('&' | '.') if self.calls_ahead() => {
                self.at += 1;
                self.skip_blanks();
                let name = match self.peek() {
                    Some('{') => Value::Block(self.group('{', '}')),
                    _ => self.argument(),
                };
                self.call(&name, input)
            }
            Some('{') => {
                let body = self.group('{', '}');
                run(self.report, self.scope, &body)
            }
            Some('$' | '(' | '@' | '\'' | '"' | '[' | '-' | '!' | '+' | '0'..='9' | ',') => {
                self.assignment_or_expression()
            }
            Some(_) => {
                let name = self.argument();
                self.call(&name, input)
            }
        }
    }

    fn calls_ahead(&self) -> bool {
        let operator = self.peek();
        match self.peek_at(1) {
            Some(' ' | '\t' | '(' | '\'' | '"' | '$' | '{' | '`') => true,
            Some(c) => operator == Some('&') && c != '&' && c != '\n' && c != ';',
            None => false,
        }
    }

    fn assignment_or_expression(&mut self) -> Value {
        self.last_variable = None;
        let value = self.expression();
        self.skip_blanks();
        let plus = self.peek() == Some('+') && self.peek_at(1) == Some('=');
        if plus || (self.peek() == Some('=') && self.peek_at(1) != Some('=')) {
            self.at += if plus { 2 } else { 1 };
            let target = self.last_variable.take();
            self.skip_lines();
            let given = self.statement().unwrap_or(Value::Unknown);
            match target {
                Some(name) => {
                    if name.to_lowercase().starts_with("env:") {
                        self.report.note(Level::Moderate, "win-changes", "Sets a variable that programs see");
                    }
                    let given = if plus { value.plus(&given) } else { given };
                    self.scope.set(&name, given);
                }
                None => self.report.note(Level::Moderate, "win-changes", "Changes a property of an object"),
            }
            return Value::text("");
        }
        value
    }

    /// Runs what a value names: a block, a command by name, or something that came from elsewhere.
    fn call(&mut self, name: &Value, input: Option<Value>) -> Value {
        let items = self.arguments();
        match name {
            Value::Block(body) => {
                self.scope.set("input", input.clone().unwrap_or(Value::Unknown));
                run(self.report, self.scope, body)
            }
            value if value.is_download() => {
                self.report.note(Level::Forbid, "win-download-run", "Runs what it fetches from the network");
                Value::Unknown
            }
            Value::Object(kind) if kind == "command:unknown" => {
                self.report.unresolved("a command looked up by its name");
                Value::Unknown
            }
            value => {
                if let Some(name) = value.known() {
                    cmdlets::command(self, name.trim(), &items, input)
                } else {
                    self.report.unresolved(&value.shown().replace(value::UNKNOWN, "…"));
                    if self.report.facts.fetches {
                        self.report.note(
                            Level::Forbid,
                            "win-download-run",
                            "Fetches something and then runs what cannot be resolved",
                        );
                    }
                    Value::Unknown
                }
            }
        }
    }
}
