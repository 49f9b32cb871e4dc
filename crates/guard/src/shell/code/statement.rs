//! Statements: imports, definitions, loops, and the words between expressions.

use super::Language;
use super::engine::Engine;
use super::token::Token;
use super::value::Value;

const KEYWORDS: &[&str] = &[
    "if", "elif", "elsif", "elseif", "else", "unless", "while", "until", "for", "foreach", "do", "then",
    "end", "begin", "BEGIN", "END", "try", "catch", "except", "finally", "rescue", "ensure", "case", "when",
    "switch", "pass", "break", "continue", "next", "last", "redo", "global", "nonlocal", "assert", "async",
    "my", "our", "local", "let", "const", "var", "static", "with", "as", "repeat", "default", "exit",
    "return", "import", "from", "use", "no", "class", "in", "endif", "endwhile", "endfor",
];

/// Python's own: other words can be names there.
const PYTHON: &[&str] = &[
    "if", "elif", "else", "while", "for", "try", "except", "finally", "with", "as", "pass", "break",
    "continue", "global", "nonlocal", "assert", "async", "import", "from", "class", "in", "return",
];

const JAVASCRIPT: &[&str] = &[
    "if", "else", "while", "for", "do", "try", "catch", "finally", "case", "switch", "break", "continue",
    "async", "let", "const", "var", "static", "with", "default", "return", "import", "class", "in",
];

/// Whether the word is part of the language rather than a name.
pub(super) fn is_keyword(lang: Language, word: &str) -> bool {
    match (lang, word) {
        (Language::Python, _) => PYTHON.contains(&word),
        (Language::JavaScript, _) => JAVASCRIPT.contains(&word),
        (_, "local") => matches!(lang, Language::Perl | Language::Lua),
        (_, "use" | "no" | "my" | "our" | "last") => matches!(lang, Language::Perl | Language::Php),
        (_, "exit")
        | (Language::Julia, "foreach" | "repeat" | "with" | "from")
        | (Language::Perl, "import" | "from" | "with" | "as" | "class") => false,
        _ => KEYWORDS.contains(&word),
    }
}

impl Engine<'_> {
    /// Everything up to a place; what the last expression gives.
    pub(super) fn statements(&mut self, end: usize) -> Value {
        let mut last = Value::Unknown;
        while self.at < end && self.peek().is_some() {
            let before = self.at;
            if matches!(self.peek(), Some(Token::Newline | Token::Op(";"))) {
                self.at += 1;
                continue;
            }
            last = self.statement();
            self.last_step = before;
            if self.at == before {
                if !matches!(self.peek(), Some(Token::Op("{" | "}" | ")" | "," | ":" | "]" | "=>" | "|"))) {
                    self.world.odd();
                }
                self.at += 1;
            }
        }
        last
    }

    /// One statement, or one step of it.
    pub(super) fn statement(&mut self) -> Value {
        self.world.spend(1);
        if self.is_op(0, "{") && self.block_parameters() {
            return Value::Unknown;
        }
        match self.peek() {
            Some(Token::Newline | Token::Op(";" | ":" | "}" | ")" | "]" | "|")) => {
                self.at += 1;
                Value::Unknown
            }
            Some(Token::Name(word)) if is_keyword(self.lang(), word) && !self.world.is_bound(word) => {
                let word = word.clone();
                self.at += 1;
                self.keyword(&word);
                Value::Unknown
            }
            _ => self.expression(),
        }
    }

    /// `{ |a, b|` or `do |a, b|`: the names are bound.
    fn block_parameters(&mut self) -> bool {
        if self.lang() != Language::Ruby || !self.is_op(1, "|") {
            return false;
        }
        self.at += 2;
        self.names_until("|");
        true
    }

    fn names_until(&mut self, end: &str) {
        self.world.output.doubt();
        while self.peek().is_some() && !self.is_op(0, end) {
            match self.name_at(0) {
                Some(name) => match self.world.element.take() {
                    Some(element) => self.world.put(&name, element),
                    None => self.world.bind(&name, Value::Unknown),
                },
                None if matches!(self.peek(), Some(Token::Op("," | "*" | "&" | "(" | ")"))) => {}
                None => return,
            }
            self.at += 1;
        }
        self.at += 1;
    }

    fn keyword(&mut self, word: &str) {
        match word {
            "import" | "from" if self.lang() == Language::Python => self.python_import(word == "from"),
            "import" if self.lang() == Language::JavaScript && self.is_op(0, "(") => {
                // A call: `import('module')`.
                self.at -= 1;
                self.tokens[self.at] = Token::Name("require".into());
                self.expression();
            }
            "import" if self.lang() == Language::JavaScript => self.script_import(),
            "import" if self.lang() == Language::Groovy => {
                while self.peek().is_some() && !matches!(self.peek(), Some(Token::Newline | Token::Op(";"))) {
                    self.at += 1;
                }
            }
            "return" if self.world.calling > 0 => {
                let value = self.expression();
                self.world.returned.push(value);
            }
            "BEGIN" | "END" | "assert" => self.world.output.doubt(),
            "use" | "no" if self.lang() == Language::Perl => self.perl_use(),
            "as" => {
                if let Some(name) = self.name_at(0) {
                    self.world.bind(&name, Value::Unknown);
                    self.at += 1;
                }
            }
            "const" | "let" | "var" | "my" | "our" | "local" | "static" => self.declaration(),
            "class" | "with" if self.lang() != Language::Python || word == "class" => self.world.odd(),
            "for" | "foreach" | "while" | "until" | "repeat" => self.loop_head(word),
            "do" => {
                self.world.branch();
                if self.lang() == Language::Ruby && self.is_op(0, "|") {
                    self.at += 1;
                    self.names_until("|");
                }
            }
            "if" | "elif" | "elsif" | "elseif" | "else" | "unless" | "try" | "catch" | "except" | "case"
            | "switch" | "when" | "rescue" => self.world.branch(),
            _ => {}
        }
    }

    fn dotted(&mut self) -> String {
        let mut path = String::new();
        while let Some(name) = self.name_at(0) {
            path.push_str(&name);
            self.at += 1;
            if !self.is_op(0, ".") || path.len() > 200 {
                break;
            }
            path.push('.');
            self.at += 1;
        }
        path
    }

    /// `import a, b as c` and `from a import b as c`.
    fn python_import(&mut self, from: bool) {
        let module = if from { self.dotted() } else { String::new() };
        if from {
            if !self.is_name(0, "import") {
                self.world.odd();
                return;
            }
            self.at += 1;
        }
        while self.peek().is_some() {
            if self.is_op(0, "(") {
                self.at += 1;
            }
            if self.is_op(0, "*") {
                self.at += 1;
                self.judge_module(&module);
                self.world.stars.push(module.clone());
                return;
            }
            let name = self.dotted();
            if name.is_empty() {
                self.world.odd();
                return;
            }
            let path = if from { format!("{module}.{name}") } else { name.clone() };
            self.judge_module(&path);
            if self.is_name(0, "as") {
                if let Some(alias) = self.name_at(1) {
                    self.world.bind(&alias, Value::Name(path));
                }
                self.at += 2;
            } else {
                let first = name.split('.').next().unwrap_or("").to_owned();
                self.world.bind(&first.clone(), Value::Name(if from { path } else { first }));
            }
            if !self.is_op(0, ",") {
                break;
            }
            self.at += 1;
        }
    }

    /// `import x from 'm'`, `import {a as b} from 'm'`, `import * as x from 'm'`.
    fn script_import(&mut self) {
        let mut names: Vec<(String, String)> = Vec::new();
        let mut inside = false;
        loop {
            match self.peek().cloned() {
                Some(Token::Op("{")) => inside = true,
                Some(Token::Name(word)) if word == "from" => {}
                Some(Token::Name(word)) if word == "as" => {
                    if let (Some(alias), Some(last)) = (self.name_at(1), names.last_mut()) {
                        last.1 = alias;
                        self.at += 1;
                    }
                }
                Some(Token::Name(word)) => {
                    names.push((if inside { format!(".{word}") } else { String::new() }, word));
                }
                Some(Token::Op("*")) => names.push((String::new(), String::new())),
                Some(Token::Op("," | "}")) => {}
                Some(Token::Text(pieces)) => {
                    self.at += 1;
                    let module = super::literal::plain(&pieces).unwrap_or_default();
                    let module = module_name(&module);
                    self.judge_module(&module);
                    for (member, name) in names {
                        self.world.bind(&name, Value::Name(format!("{module}{member}")));
                    }
                    return;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn perl_use(&mut self) {
        match self.peek().cloned() {
            Some(Token::Name(module)) => {
                self.at += 1;
                self.judge_module(&module);
            }
            Some(Token::Number(_)) => self.at += 1,
            _ => self.world.odd(),
        }
    }

    /// `const {a, b: c} = require('m')`; plain declarations are assignments.
    fn declaration(&mut self) {
        let bracket = matches!(self.peek(), Some(Token::Op("{" | "(" | "[")));
        let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
        if !bracket || !matches!(self.tokens.get(close + 1), Some(Token::Op("="))) {
            if bracket && self.is_op(0, "(") {
                self.parameters();
            } else if let Some(name) = self.name_at(0)
                && !self.is_op(1, "=")
                && !self.is_op(1, ",")
                && name != "function"
            {
                self.world.bind(&name, Value::Unknown);
            }
            return;
        }
        let mut names: Vec<(String, String)> = Vec::new();
        let by_name = self.is_op(0, "{");
        self.at += 1;
        while self.at < close && self.peek().is_some() {
            if let Some(name) = self.name_at(0) {
                if self.is_op(1, ":") {
                    names.push((name, self.name_at(2).unwrap_or_default()));
                    self.at += 2;
                } else {
                    names.push((name.clone(), name));
                }
            }
            self.at += 1;
        }
        self.at = self.at.max(close + 2);
        let value = self.expression();
        for (i, (member, name)) in names.into_iter().enumerate() {
            let part = match &value {
                Value::List(values) if !by_name => values.get(i).cloned().unwrap_or(Value::Unknown),
                Value::Name(_) if by_name => self.member(value.clone(), &member),
                _ => Value::Unknown,
            };
            self.world.bind(&name, part);
        }
    }

    /// The parameters of a function: names that hold anything.
    pub(super) fn parameters(&mut self) -> Vec<String> {
        let mut names = Vec::new();
        let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
        self.at += 1;
        while self.at < close && self.peek().is_some() {
            match self.name_at(0) {
                Some(name) => {
                    self.world.bind(&name, Value::Unknown);
                    names.push(name);
                    self.at += 1;
                }
                None if self.is_op(0, "=") => {
                    self.at += 1;
                    self.expression();
                }
                None => self.at += 1,
            }
        }
        self.at = self.at.max(close + 1);
        names
    }

    /// After the word that begins a function: its name, parameters and body.
    pub(super) fn function(&mut self) -> Value {
        self.world.branch();
        let name = self.name_at(0);
        if let Some(name) = &name {
            self.world.bind(name, Value::Local(usize::MAX));
            self.at += 1;
        }
        let parameters = if self.is_op(0, "(") { self.parameters() } else { Vec::new() };
        let arrow = self.lang() == Language::Php && self.is_op(0, "=>");
        self.at += usize::from(arrow);
        let value = if arrow || self.is_op(0, "{") {
            self.body(parameters)
        } else {
            let end = self.open_end();
            let start = self.at + usize::from(self.is_op(0, ":"));
            self.define(parameters, start, end)
        };
        if let Some(name) = name {
            self.world.put(&name, value.clone());
        }
        value
    }

    /// The body of a function: a block or an expression.
    pub(super) fn body(&mut self, parameters: Vec<String>) -> Value {
        self.world.output.doubt();
        if self.is_op(0, "{") {
            let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
            self.at += 1;
            let start = self.at;
            self.world.depth += 1;
            if self.world.depth > super::world::DEEPEST {
                self.world.give_up();
            }
            let outer = std::mem::replace(&mut self.grouped, false);
            self.statements(close);
            self.grouped = outer;
            self.world.depth -= 1;
            self.at = self.at.max(close + 1);
            self.define(parameters, start, close)
        } else {
            let start = self.at;
            self.expression();
            self.define(parameters, start, self.at)
        }
    }

    /// Ruby's `->(x) { … }`.
    pub(super) fn ruby_lambda(&mut self) -> Value {
        self.at += 1;
        let parameters = if self.is_op(0, "(") { self.parameters() } else { Vec::new() };
        if self.is_op(0, "{") { self.body(parameters) } else { self.expression() }
    }
}

/// A module's name as its members are listed: `node:fs/promises` is `fs`.
pub(super) fn module_name(module: &str) -> String {
    let module = module.strip_prefix("node:").unwrap_or(module);
    module.strip_suffix("/promises").unwrap_or(module).replace('/', ".")
}
