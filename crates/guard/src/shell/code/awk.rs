//! awk: `system()`, pipes to and from commands, redirections. Everything else computes.

use std::collections::HashMap;

use super::book::EMPTY;
use super::value::{HOLE, Value, is_hole};
use super::world::{World, looks_like_host};
use super::{Facts, Language};

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Text(String),
    Name(String),
    Number(String),
    Regex,
    Op(&'static str),
    End,
    Odd,
}

const OPERATORS: &[&str] = &[
    ">>", "|&", "||", "&&", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "++", "--", "(", ")", "{", "}",
    "[", "]", ",", ">", "<", "|", "=", "!", "~", "?", ":", "+", "-", "*", "/", "%", "^", "$", "@", "\\",
];

fn cut(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let start = at;
        at += 1;
        let token = match c {
            '\n' | ';' => Token::End,
            '#' => {
                while chars.get(at).is_some_and(|&c| c != '\n') {
                    at += 1;
                }
                continue;
            }
            _ if c.is_whitespace() => continue,
            '\\' if chars.get(at) == Some(&'\n') => {
                at += 1;
                continue;
            }
            '"' => Token::Text(string(&chars, &mut at)),
            '/' if !matches!(
                tokens.last(),
                Some(Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Op(")" | "]" | "$"))
            ) =>
            {
                regex(&chars, &mut at);
                Token::Regex
            }
            _ if c.is_ascii_digit() => {
                while chars.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '.') {
                    at += 1;
                }
                Token::Number(chars[start..at].iter().collect())
            }
            _ if c.is_alphabetic() || c == '_' => {
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                    at += 1;
                }
                Token::Name(chars[start..at].iter().collect())
            }
            '.' => Token::Number(".".into()),
            _ => match OPERATORS
                .iter()
                .find(|op| op.chars().enumerate().all(|(i, c)| chars.get(start + i) == Some(&c)))
            {
                Some(op) => {
                    at = start + op.len();
                    Token::Op(op)
                }
                None => Token::Odd,
            },
        };
        tokens.push(token);
    }
    tokens
}

fn string(chars: &[char], at: &mut usize) -> String {
    let mut text = String::new();
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        match c {
            '"' => break,
            '\\' => {
                let next = chars.get(*at).copied().unwrap_or('\\');
                *at += 1;
                let mut digits = |radix: u32, most: usize| {
                    let mut value = 0;
                    for _ in 0..most {
                        let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(radix)) else { break };
                        value = value * radix + digit;
                        *at += 1;
                    }
                    char::from_u32(value)
                };
                match next {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'x' => text.extend(digits(16, 2)),
                    '0'..='7' => {
                        let first = next.to_digit(8).unwrap_or(0);
                        let rest: Vec<u32> =
                            (0..2).map_while(|i| chars.get(*at + i).and_then(|c| c.to_digit(8))).collect();
                        *at += rest.len();
                        text.extend(char::from_u32(rest.iter().fold(first, |sum, digit| sum * 8 + digit)));
                    }
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
    text
}

fn regex(chars: &[char], at: &mut usize) {
    let mut class = false;
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        match c {
            '\\' => *at += 1,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => break,
            '\n' => break,
            _ => {}
        }
    }
}

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
                Token::Text(part) | Token::Number(part) => text.push_str(part),
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
}
