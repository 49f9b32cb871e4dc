//! Reading statements: lists and pipelines, and where here-documents stand.
//!
//! What a statement is made of is read by [`compound`] (loops, branches, functions), [`simple`] (words and assignments)
//! and [`redirect`].

mod compound;
mod redirect;
mod simple;

use super::{
    ast::{HereDoc, Node, Script},
    words::{Reader, is_meta},
};

/// How deep compound commands may nest.
const MOST_DEEP: usize = 60;

struct Parser<'a> {
    reader: Reader<'a>,
    here_docs: Vec<HereDoc>,
    /// Here-documents whose body comes after this line.
    waiting: Vec<usize>,
    broken: bool,
    deep: usize,
}

impl Parser<'_> {
    /// Blanks, comments and joined lines; not newlines.
    fn blanks(&mut self) {
        while let Some(c) = self.reader.peek(0) {
            match c {
                ' ' | '\t' => self.reader.at += 1,
                '\\' if self.reader.peek(1) == Some('\n') => self.reader.at += 2,
                '#' if self.at_word_start() => {
                    while self.reader.peek(0).is_some_and(|c| c != '\n') {
                        self.reader.at += 1;
                    }
                }
                _ => break,
            }
        }
    }

    fn at_word_start(&self) -> bool {
        self.reader.at == 0 || is_meta(self.reader.chars[self.reader.at - 1])
    }

    fn at_process(&self) -> bool {
        matches!((self.reader.peek(0), self.reader.peek(1)), (Some('<' | '>'), Some('(')))
    }

    fn newline(&mut self) {
        self.reader.at += 1;
        for index in std::mem::take(&mut self.waiting) {
            self.here_body(index);
        }
    }

    fn blanks_and_newlines(&mut self) {
        loop {
            self.blanks();
            if self.reader.peek(0) == Some('\n') { self.newline() } else { break }
        }
    }

    fn here_body(&mut self, index: usize) {
        let HereDoc { delimiter, strip_tabs, .. } = self.here_docs[index].clone();
        let mut body = String::new();
        loop {
            if self.reader.peek(0).is_none() {
                // Bash takes the end of the text for the delimiter.
                break;
            }
            let start = self.reader.at;
            while self.reader.peek(0).is_some_and(|c| c != '\n') {
                self.reader.at += 1;
            }
            let line: String = self.reader.chars[start..self.reader.at].iter().collect();
            self.reader.at += usize::from(self.reader.peek(0).is_some());
            let line = if strip_tabs { line.trim_start_matches('\t').to_owned() } else { line };
            if line == delimiter {
                break;
            }
            body.push_str(&line);
            body.push('\n');
        }
        self.here_docs[index].body = body;
    }

    /// The unquoted word that comes next, without taking it.
    fn next_word(&self) -> Option<String> {
        let mut word = String::new();
        for c in self.reader.chars[self.reader.at..].iter().copied().take(16) {
            if is_meta(c) {
                break;
            }
            word.push(c);
        }
        (!word.is_empty()).then_some(word)
    }

    fn is_next(&self, word: &str) -> bool {
        self.reader.starts_with(word) && self.reader.peek(word.chars().count()).is_none_or(is_meta)
    }

    fn take(&mut self, word: &str) -> bool {
        self.blanks_and_newlines();
        let found = self.is_next(word);
        if found {
            self.reader.at += word.chars().count();
        } else {
            self.broken = true;
        }
        found
    }

    /// Commands up to one of these words, or up to something that no command can start with.
    fn list(&mut self, until: &[&str]) -> Node {
        let mut nodes = Vec::new();
        self.deep += 1;
        if self.deep > MOST_DEEP {
            self.broken = true;
            self.reader.at = self.reader.chars.len();
        }
        loop {
            self.blanks_and_newlines();
            let Some(c) = self.reader.peek(0) else { break };
            if c == ')' || until.iter().any(|word| self.is_next(word)) {
                break;
            }
            if c == ';' && self.reader.peek(1) == Some(';') {
                break;
            }
            let before = self.reader.at;
            let node = self.pipeline();
            self.blanks();
            let background = self.reader.peek(0) == Some('&') && self.reader.peek(1) != Some('&');
            nodes.extend(node.map(|node| if background { Node::Background(Box::new(node)) } else { node }));
            match (self.reader.peek(0), self.reader.peek(1)) {
                (Some('&'), Some('&')) | (Some('|'), Some('|')) => self.reader.at += 2,
                (Some(';'), Some(';' | '&')) => break,
                (Some(';' | '&'), _) => self.reader.at += 1,
                (Some('\n'), _) => self.newline(),
                _ => {}
            }
            if self.reader.at == before {
                self.broken = true;
                break;
            }
        }
        self.deep -= 1;
        if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) }
    }

    fn pipeline(&mut self) -> Option<Node> {
        let mut parts = Vec::new();
        loop {
            self.blanks();
            while self.is_next("!") || self.is_next("time") {
                self.reader.at += if self.is_next("!") { 1 } else { 4 };
                self.blanks();
                if self.is_next("-p") {
                    self.reader.at += 2;
                    self.blanks();
                }
            }
            parts.extend(self.command());
            self.blanks();
            match (self.reader.peek(0), self.reader.peek(1)) {
                (Some('|'), Some('|')) => break,
                (Some('|'), Some('&')) => self.reader.at += 2,
                (Some('|'), _) => self.reader.at += 1,
                _ => break,
            }
            self.blanks_and_newlines();
        }
        if parts.len() > 1 { Some(Node::Pipeline(parts)) } else { parts.pop() }
    }
}

/// Reads a text. What cannot be read is passed over, and said in `broken`.
pub fn parse(text: &str) -> Script {
    // Lines may end as they do on Windows; elsewhere a carriage return is a character like any other.
    let chars: Vec<char> = text.replace("\r\n", "\n").trim_end_matches('\r').chars().collect();
    let mut parser = Parser {
        reader: Reader::new(&chars),
        here_docs: Vec::new(),
        waiting: Vec::new(),
        broken: false,
        deep: 0,
    };
    let mut nodes = Vec::new();
    while parser.reader.peek(0).is_some() {
        let before = parser.reader.at;
        let node = parser.list(&[]);
        if !matches!(&node, Node::Sequence(parts) if parts.is_empty()) {
            nodes.push(node);
        }
        if parser.reader.peek(0).is_some() {
            // A `)`, `}` or `;;` that closes nothing.
            parser.broken = true;
            if parser.reader.at == before {
                parser.reader.at += 1;
            }
        }
    }
    let broken = parser.broken || parser.reader.broken || !parser.waiting.is_empty();
    let root = if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) };
    Script { root, here_docs: parser.here_docs, broken }
}
