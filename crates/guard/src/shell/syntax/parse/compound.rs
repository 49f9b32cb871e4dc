//! Compound commands: `if`, loops, `case`, `[[ … ]]`, `( … )`, `{ … }`, functions.

use super::Parser;
use crate::shell::syntax::{
    ast::{Node, Unit},
    words::{is_meta, literal},
};

const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case", "esac", "{",
    "}", "function", "[[", "!", "time", "coproc",
];

impl Parser<'_> {
    pub fn command(&mut self) -> Option<Node> {
        let node = self.compound()?;
        let mut redirects = Vec::new();
        if matches!(node, Node::Simple(_) | Node::Function { .. }) {
            return Some(node);
        }
        loop {
            self.blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        if redirects.is_empty() {
            Some(node)
        } else {
            Some(Node::Redirected { node: Box::new(node), redirects })
        }
    }

    pub fn compound(&mut self) -> Option<Node> {
        if self.reader.peek(0) == Some('(') {
            return Some(self.parentheses());
        }
        let word = self.next_word().unwrap_or_default();
        if !RESERVED.contains(&word.as_str()) {
            return self.simple();
        }
        self.reader.at += word.chars().count();
        Some(match word.as_str() {
            "if" => self.if_command(),
            "while" | "until" => {
                let condition = Box::new(self.list(&["do"]));
                Node::While { condition, body: Box::new(self.do_group()) }
            }
            "for" | "select" => self.for_command(),
            "case" => self.case_command(),
            "{" => {
                let node = self.list(&["}"]);
                self.take("}");
                node
            }
            "[[" => self.test(),
            "function" => {
                self.blanks();
                let name = self.reader.word();
                self.function(literal(&name).unwrap_or_default())
            }
            "coproc" => {
                self.blanks();
                return self.command().map(|node| Node::Background(Box::new(node)));
            }
            "!" | "time" => return self.command(),
            _ => {
                // `then`, `done`, … where none belongs.
                self.broken = true;
                return None;
            }
        })
    }

    pub fn parentheses(&mut self) -> Node {
        if self.reader.peek(1) == Some('(') {
            let start = self.reader.at;
            self.reader.at += 2;
            let text = self.reader.parenthesis();
            if !self.reader.broken && self.reader.peek(0) == Some(')') {
                self.reader.at += 1;
                return Node::Arithmetic(text);
            }
            self.reader.at = start;
            self.reader.broken = false;
        }
        self.reader.at += 1;
        let inner = self.list(&[]);
        if self.reader.peek(0) == Some(')') {
            self.reader.at += 1;
        } else {
            self.broken = true;
        }
        Node::Subshell(Box::new(inner))
    }

    pub fn if_command(&mut self) -> Node {
        let mut parts = vec![self.list(&["then"])];
        self.take("then");
        loop {
            parts.push(self.list(&["elif", "else", "fi"]));
            self.blanks_and_newlines();
            if self.is_next("elif") {
                self.reader.at += 4;
                parts.push(self.list(&["then"]));
                self.take("then");
            } else if self.is_next("else") {
                self.reader.at += 4;
                parts.push(self.list(&["fi"]));
                self.take("fi");
                break;
            } else {
                self.take("fi");
                break;
            }
        }
        Node::If(parts)
    }

    pub fn do_group(&mut self) -> Node {
        self.blanks_and_newlines();
        if self.is_next("{") {
            self.reader.at += 1;
            let body = self.list(&["}"]);
            self.take("}");
            return body;
        }
        self.take("do");
        let body = self.list(&["done"]);
        self.take("done");
        body
    }

    pub fn for_command(&mut self) -> Node {
        self.blanks();
        if self.reader.starts_with("((") {
            self.reader.at += 2;
            let text = self.reader.parenthesis();
            self.reader.at += usize::from(self.reader.peek(0) == Some(')'));
            self.blanks();
            self.reader.at += usize::from(self.reader.peek(0) == Some(';'));
            return Node::ForArithmetic { text, body: Box::new(self.do_group()) };
        }
        let name = literal(&self.reader.word()).unwrap_or_default();
        self.blanks_and_newlines();
        let mut words = None;
        if self.is_next("in") {
            self.reader.at += 2;
            let mut list = Vec::new();
            loop {
                self.blanks();
                match self.reader.peek(0) {
                    Some(c) if !is_meta(c) || self.at_process() => list.push(self.reader.word()),
                    _ => break,
                }
            }
            words = Some(list);
        }
        self.blanks();
        self.reader.at += usize::from(self.reader.peek(0) == Some(';'));
        Node::For { name, words, body: Box::new(self.do_group()) }
    }

    pub fn case_command(&mut self) -> Node {
        self.blanks();
        let word = self.reader.word();
        self.take("in");
        let mut items = Vec::new();
        loop {
            self.blanks_and_newlines();
            if self.reader.peek(0).is_none() || self.is_next("esac") {
                break;
            }
            let before = self.reader.at;
            self.reader.at += usize::from(self.reader.peek(0) == Some('('));
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.reader.word());
                self.blanks();
                if self.reader.peek(0) == Some('|') { self.reader.at += 1 } else { break }
            }
            if self.reader.peek(0) == Some(')') {
                self.reader.at += 1;
            } else {
                self.broken = true;
            }
            items.push((patterns, self.list(&["esac"])));
            self.blanks_and_newlines();
            while matches!(self.reader.peek(0), Some(';' | '&')) {
                self.reader.at += 1;
            }
            if self.reader.at == before {
                self.broken = true;
                break;
            }
        }
        self.take("esac");
        Node::Case { word, items }
    }

    /// `[[ … ]]`, as words; operators are words too.
    pub fn test(&mut self) -> Node {
        let mut words = Vec::new();
        loop {
            self.blanks_and_newlines();
            if self.is_next("]]") {
                self.reader.at += 2;
                break;
            }
            match self.reader.peek(0) {
                None => {
                    self.broken = true;
                    break;
                }
                Some(c) if is_meta(c) && !self.at_process() => {
                    words.push(vec![Unit::Quoted(c)]);
                    self.reader.at += 1;
                }
                Some(_) => words.push(self.reader.word()),
            }
        }
        Node::Test(words)
    }

    pub fn function(&mut self, name: String) -> Node {
        self.blanks();
        if self.reader.peek(0) == Some('(') {
            self.reader.at += 1;
            self.blanks();
            if self.reader.peek(0) == Some(')') {
                self.reader.at += 1;
            } else {
                self.broken = true;
            }
        }
        self.blanks_and_newlines();
        let body = Box::new(self.command().unwrap_or(Node::Sequence(Vec::new())));
        Node::Function { name, body }
    }
}
