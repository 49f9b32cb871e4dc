//! Reading statements: lists, pipelines, compound commands, redirections, here-documents.

use super::{
    ast::{Assign, HereDoc, Node, Redirect, RedirectOp, Script, Simple, Target, Unit, Value, Word},
    words::{Reader, is_meta, literal},
};

/// How deep compound commands may nest.
const MOST_DEEP: usize = 60;

/// Reads a text. What cannot be read is passed over, and said in `broken`.
pub fn parse(text: &str) -> Script {
    let chars: Vec<char> = text.chars().collect();
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

struct Parser<'a> {
    reader: Reader<'a>,
    here_docs: Vec<HereDoc>,
    /// Here-documents whose body comes after this line.
    waiting: Vec<usize>,
    broken: bool,
    deep: usize,
}

const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case", "esac", "{",
    "}", "function", "[[", "!", "time", "coproc",
];

impl Parser<'_> {
    /// Blanks, comments and joined lines; not newlines.
    fn blanks(&mut self) {
        while let Some(c) = self.reader.peek(0) {
            match c {
                ' ' | '\t' | '\r' => self.reader.at += 1,
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

    fn command(&mut self) -> Option<Node> {
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

    fn compound(&mut self) -> Option<Node> {
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

    fn parentheses(&mut self) -> Node {
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

    fn if_command(&mut self) -> Node {
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

    fn do_group(&mut self) -> Node {
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

    fn for_command(&mut self) -> Node {
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

    fn case_command(&mut self) -> Node {
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
    fn test(&mut self) -> Node {
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

    fn function(&mut self, name: String) -> Node {
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

    fn at_process(&self) -> bool {
        matches!((self.reader.peek(0), self.reader.peek(1)), (Some('<' | '>'), Some('(')))
    }

    fn simple(&mut self) -> Option<Node> {
        let mut simple = Simple::default();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                continue;
            }
            let Some(c) = self.reader.peek(0) else { break };
            if c == '(' && simple.words.len() == 1 && simple.redirects.is_empty() && simple.assigns.is_empty()
            {
                if let Some(name) = literal(&simple.words[0]) {
                    return Some(self.function(name));
                }
            }
            if is_meta(c) && !self.at_process() {
                if c == '(' {
                    self.broken = true;
                    self.reader.at += 1;
                    continue;
                }
                break;
            }
            if simple.words.is_empty()
                && let Some(assign) = self.assignment()
            {
                simple.assigns.push(assign);
                continue;
            }
            // `declare a=(…)` and its like take arrays as words.
            let word = self.reader.word();
            if self.reader.peek(0) == Some('(') && matches!(word.last(), Some(Unit::Bare('='))) {
                self.reader.at += 1;
                let value = Value::Array(self.array_words());
                let name = literal(&word).unwrap_or_default();
                simple.assigns.push(Assign {
                    name: name.trim_end_matches(['=', '+']).to_owned(),
                    index: None,
                    append: false,
                    value,
                });
                continue;
            }
            simple.words.push(word);
        }
        let empty = simple.words.is_empty() && simple.assigns.is_empty() && simple.redirects.is_empty();
        (!empty).then_some(Node::Simple(simple))
    }

    /// `name=…`, `name+=…`, `name[…]=…`.
    fn assignment(&mut self) -> Option<Assign> {
        let chars = &self.reader.chars[self.reader.at..];
        let name: String = chars.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').collect();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mut at = name.len();
        let mut index = None;
        if chars.get(at) == Some(&'[') {
            let close = chars[at..].iter().take(4096).position(|c| *c == ']')?;
            index = Some(chars[at + 1..at + close].iter().collect());
            at += close + 1;
        }
        let append = chars.get(at) == Some(&'+');
        at += usize::from(append);
        if chars.get(at) != Some(&'=') {
            return None;
        }
        self.reader.at += at + 1;
        let value = if self.reader.peek(0) == Some('(') {
            self.reader.at += 1;
            Value::Array(self.array_words())
        } else {
            match self.reader.peek(0) {
                Some(c) if !is_meta(c) || self.at_process() => Value::Scalar(self.reader.word()),
                _ => Value::Scalar(Word::new()),
            }
        };
        Some(Assign { name, index, append, value })
    }

    fn array_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.blanks_and_newlines();
            match self.reader.peek(0) {
                Some(')') => {
                    self.reader.at += 1;
                    return words;
                }
                Some(c) if !is_meta(c) || self.at_process() => words.push(self.reader.word()),
                Some(_) => {
                    self.broken = true;
                    self.reader.at += 1;
                }
                None => {
                    self.broken = true;
                    return words;
                }
            }
        }
    }

    fn redirect(&mut self) -> Option<Redirect> {
        let start = self.reader.at;
        let fd = self.descriptor();
        if self.at_process() {
            self.reader.at = start;
            return None;
        }
        const OPERATORS: &[(&str, RedirectOp)] = &[
            ("&>>", RedirectOp::OutputAll),
            ("&>", RedirectOp::OutputAll),
            ("<<<", RedirectOp::HereString),
            ("<<-", RedirectOp::HereDoc),
            ("<<", RedirectOp::HereDoc),
            ("<&", RedirectOp::Copy),
            ("<>", RedirectOp::Both),
            ("<", RedirectOp::Input),
            (">>", RedirectOp::Append),
            (">|", RedirectOp::Output),
            (">&", RedirectOp::Copy),
            (">", RedirectOp::Output),
        ];
        let Some((text, op)) = OPERATORS.iter().find(|(text, _)| self.reader.starts_with(text)) else {
            self.reader.at = start;
            return None;
        };
        self.reader.at += text.len();
        self.blanks();
        let word = match self.reader.peek(0) {
            Some(c) if !is_meta(c) || self.at_process() => self.reader.word(),
            _ => {
                self.broken = true;
                Word::new()
            }
        };
        let mut op = *op;
        if op == RedirectOp::HereDoc {
            let quoted = word.iter().any(|unit| !matches!(unit, Unit::Bare(_)));
            let delimiter = literal(&word).unwrap_or_else(|| {
                self.broken = true;
                String::new()
            });
            self.waiting.push(self.here_docs.len());
            self.here_docs.push(HereDoc {
                delimiter,
                strip_tabs: *text == "<<-",
                quoted,
                body: String::new(),
            });
            return Some(Redirect { fd, op, target: Target::HereDoc(self.here_docs.len() - 1) });
        }
        if op == RedirectOp::Copy {
            let number =
                literal(&word).is_some_and(|t| t.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()));
            let copies = number || word.iter().any(|unit| matches!(unit, Unit::Sub { .. })) && *text == "<&";
            if !copies {
                op = if *text == ">&" { RedirectOp::OutputAll } else { RedirectOp::Input };
            }
        }
        Some(Redirect { fd, op, target: Target::Word(word) })
    }

    /// `2` or `{name}` right before an operator.
    fn descriptor(&mut self) -> Option<String> {
        let rest = &self.reader.chars[self.reader.at..];
        let length = match rest.first() {
            Some('{') => rest.iter().take(40).position(|c| *c == '}').map_or(0, |at| at + 1),
            _ => rest.iter().take(8).take_while(|c| c.is_ascii_digit()).count(),
        };
        if length > 0 && matches!(rest.get(length), Some('<' | '>')) {
            self.reader.at += length;
            return Some(rest[..length].iter().collect());
        }
        None
    }
}
