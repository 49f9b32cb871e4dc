//! awk: `system()`, pipes to and from commands, redirections. Everything else computes.

use std::collections::HashMap;

use super::awk_token::{Token, cut};
use super::book::EMPTY;
use super::value::{HOLE, Value, is_hole, percent};
use super::world::{World, looks_like_host};
use super::{Facts, Language};

struct Reader {
    tokens: Vec<Token>,
    vars: HashMap<String, String>,
    world: World,
}

/// What an awk program does.
pub(super) fn inspect(source: &str) -> Facts {
    let mut reader =
        Reader { tokens: cut(source), vars: HashMap::new(), world: World::new(Language::Awk, &EMPTY) };
    reader.read();
    reader.constant_output();
    reader.world.finish()
}

impl Reader {
    fn is_op(&self, at: usize, op: &str) -> bool {
        matches!(self.tokens.get(at), Some(Token::Op(found)) if *found == op)
    }

    fn is_name(&self, at: usize, name: &str) -> bool {
        matches!(self.tokens.get(at), Some(Token::Name(found)) if found == name)
    }

    /// A value put together from operands side by side, up to whatever ends it.
    fn folded(&mut self, from: usize, stop: &[&str]) -> (String, usize) {
        let mut text = String::new();
        let mut at = from;
        let mut depth = 0usize;
        while let Some(token) = self.tokens.get(at) {
            self.world.spend(1);
            if self.world.exhausted() || text.len() > 65_536 {
                break;
            }
            match token {
                Token::Text(part) => text.push_str(part),
                Token::Number(part) if part.bytes().all(|c| c.is_ascii_digit()) => text.push_str(part),
                Token::Name(name)
                    if name == "ENVIRON"
                        && self.is_op(at + 1, "[")
                        && self.tokens.get(at + 2) == Some(&Token::Text("HOME".into()))
                        && self.is_op(at + 3, "]") =>
                {
                    text.push('~');
                    at += 3;
                }
                Token::Name(_) if self.is_op(at + 1, "(") => text.push(HOLE),
                Token::Name(name) if name == "getline" => break,
                Token::Name(name) => match self.vars.get(name) {
                    Some(value) => text.push_str(value),
                    None => text.push(HOLE),
                },
                Token::Op("(" | "[") => depth += 1,
                Token::Op(")" | "]") if depth > 0 => depth -= 1,
                Token::Op(op) if depth == 0 && (stop.contains(op) || matches!(*op, ")" | "}" | "]")) => break,
                Token::End => break,
                _ => text.push(HOLE),
            }
            at += 1;
        }
        (text, at)
    }

    fn command(&mut self, text: String) {
        if text.starts_with("/inet") {
            self.host(&text);
            return;
        }
        self.world.shell(&Value::Text(text));
    }

    fn host(&mut self, text: &str) {
        self.world.socket = true;
        self.world.hosts.extend(text.split('/').filter(|part| looks_like_host(part)).map(str::to_owned));
    }

    fn file(&mut self, text: String, writes: bool) {
        if text.starts_with("/inet") {
            self.host(&text);
        } else if !matches!(
            text.as_str(),
            "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "-" | "/dev/null" | "/dev/tty"
        ) {
            let value = Value::Text(text);
            if writes { self.world.write(Some(&value)) } else { self.world.read(Some(&value)) }
        }
    }

    fn read(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() && !self.world.exhausted() {
            self.world.spend(1);
            match self.tokens[at].clone() {
                Token::Name(name) => self.name(&name, at),
                Token::Text(text) if text.starts_with("/inet") => self.host(&text),
                Token::Text(text) if text.contains(is_hole) => self.world.odd(),
                Token::Op("|" | "|&") if self.is_name(at + 1, "getline") => self.piped_in(at),
                Token::Op("@") | Token::Odd => {
                    self.world.odd();
                    self.world.facts.executes = true;
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn name(&mut self, name: &str, at: usize) {
        match name {
            "system" => {
                let from = at + 1 + usize::from(self.is_op(at + 1, "("));
                let (text, _) = self.folded(from, &[","]);
                self.command(text);
            }
            "print" | "printf" => self.printing(at),
            "getline" => {
                let mut next = at + 1;
                if matches!(self.tokens.get(next), Some(Token::Name(_))) {
                    next += 1;
                } else if self.is_op(next, "$") {
                    next += 2;
                }
                if self.is_op(next, "<") {
                    let (text, _) =
                        self.folded(next + 1, &[">", "==", "!=", ">=", "<=", "<", "&&", "||", ","]);
                    self.file(text, false);
                }
            }
            "ENVIRON" | "PROCINFO" | "ARGV" | "SYMTAB" | "FUNCTAB" => self.world.impure = true,
            _ if self.is_op(at + 1, "=") => {
                let (text, _) = self.folded(at + 2, &[","]);
                let merged = match self.vars.get(name) {
                    Some(old) if *old != text => HOLE.to_string(),
                    _ => text,
                };
                if merged.len() < 8192 {
                    self.world.spend(merged.len() / 16);
                    self.vars.insert(name.to_owned(), merged);
                }
            }
            _ => {}
        }
    }

    /// `print … > file`, `print … | command`.
    fn printing(&mut self, at: usize) {
        let mut depth = 0usize;
        let mut next = at + 1;
        while let Some(token) = self.tokens.get(next) {
            self.world.spend(1);
            match token {
                Token::Op("(" | "[") => depth += 1,
                Token::Op(")" | "]") => depth = depth.saturating_sub(1),
                Token::End | Token::Op("}") if depth == 0 => return,
                Token::Op(op @ (">" | ">>" | "|" | "|&")) if depth == 0 => {
                    let runs = op.starts_with('|');
                    let (text, _) = self.folded(next + 1, &["|", ">"]);
                    if runs {
                        self.command(text);
                    } else {
                        self.file(text, true);
                    }
                    return;
                }
                _ => {}
            }
            next += 1;
        }
    }

    /// `command | getline`.
    fn piped_in(&mut self, at: usize) {
        let mut from = at;
        let mut depth = 0usize;
        while from > 0 {
            self.world.spend(1);
            match &self.tokens[from - 1] {
                Token::Op(")" | "]") => depth += 1,
                Token::Op("(" | "[") if depth > 0 => depth -= 1,
                Token::Op("(" | "{" | "}" | "," | "=" | "!" | "&&" | "||" | "[" | ";") | Token::End
                    if depth == 0 =>
                {
                    break;
                }
                Token::Name(word)
                    if depth == 0
                        && matches!(word.as_str(), "while" | "if" | "return" | "do" | "else" | "print") =>
                {
                    break;
                }
                _ => {}
            }
            from -= 1;
        }
        let (text, _) = self.folded(from, &["|", "|&"]);
        self.command(text);
    }

    /// What the program prints if it is one `BEGIN` block of assignments and prints of constants.
    fn constant_output(&mut self) {
        let inner = self.tokens.len().saturating_sub(1);
        if !self.is_name(0, "BEGIN") || !self.is_op(1, "{") || !self.is_op(inner, "}") {
            return;
        }
        let mut at = 2;
        while at < inner {
            match &self.tokens[at] {
                Token::End => at += 1,
                Token::Name(word) if word == "exit" => break,
                Token::Name(word) if word == "print" || word == "printf" => {
                    let pattern = word == "printf";
                    let (parts, next) = self.printed_parts(at + 1);
                    at = next;
                    let text = if pattern {
                        let rest: Vec<Value> = parts.iter().skip(1).cloned().map(Value::Text).collect();
                        parts.first().map_or(Value::Unknown, |pattern| percent(pattern, &rest)).shown()
                    } else {
                        parts.join(" ") + "\n"
                    };
                    self.world.output.push(&text);
                    if parts.iter().all(String::is_empty) {
                        self.world.output.doubt();
                    }
                }
                // Names in capitals are awk's own and change how it prints.
                Token::Name(word)
                    if self.is_op(at + 1, "=") && word.chars().all(|c| c.is_ascii_lowercase()) =>
                {
                    (_, at) = self.folded(at + 2, &[]);
                }
                _ => return self.world.output.doubt(),
            }
            if at < inner && !matches!(self.tokens.get(at), Some(Token::End | Token::Name(_))) {
                return self.world.output.doubt();
            }
        }
        if self.tokens[at.min(inner)..inner].iter().any(|token| !matches!(token, Token::End))
            && !(self.is_name(at, "exit")
                && self.tokens[at + 1..inner].iter().all(|token| matches!(token, Token::End)))
        {
            self.world.output.doubt();
        }
    }

    /// The parts of a print, up to whatever ends them.
    fn printed_parts(&mut self, from: usize) -> (Vec<String>, usize) {
        let mut parts = Vec::new();
        let mut at = from;
        loop {
            let (text, next) = self.folded(at, &[",", ">", ">>", "|", "|&"]);
            parts.push(text);
            at = next;
            if !self.is_op(at, ",") {
                return (parts, at);
            }
            at += 1;
        }
    }
}
