//! Expressions of the languages that look alike, read once from left to right while their constants are folded.
//!
//! This is no parser of any one language: what does not fit is stepped over and makes the code not understood.

use super::book::Book;
use super::token::{self, Piece, Token};
use super::value::{self, HOLE, Value, WITHIN};
use super::world::{DEEPEST, World, looks_like_host};
use super::{Facts, Language};

/// An argument, an element of a list, or an entry of a map.
#[derive(Clone, Debug)]
pub(super) struct Arg {
    pub(super) name: Option<String>,
    pub(super) value: Value,
}

pub(super) struct Engine<'w> {
    pub(super) tokens: Vec<Token>,
    /// For each opening bracket, where its partner is.
    pub(super) close: Vec<usize>,
    pub(super) at: usize,
    /// The number of this source.
    pub(super) source: usize,
    /// Where the statement before the current one began.
    pub(super) last_step: usize,
    /// Within brackets, where `a, b=c` is two arguments and not an assignment to two names.
    pub(super) grouped: bool,
    pub(super) world: &'w mut World,
}

/// What a source in one of these languages does.
pub(super) fn inspect(lang: Language, book: &'static Book, source: &str) -> Facts {
    let mut world = World::new(lang, book);
    run(&mut world, source);
    world.finish()
}

/// Reads a source within a world; what its last expression gives.
pub(super) fn run(world: &mut World, source: &str) -> Value {
    world.spend(source.len() / 4);
    if world.depth >= DEEPEST {
        world.give_up();
        return Value::Unknown;
    }
    world.depth += 6;
    let tokens = token::cut(world.lang, source);
    let close = partners(&tokens);
    world.sources += 1;
    let source = world.sources;
    let mut engine = Engine { tokens, close, at: 0, source, last_step: 0, grouped: false, world };
    let value = engine.statements(engine.tokens.len());
    world.depth -= 6;
    value
}

fn partners(tokens: &[Token]) -> Vec<usize> {
    let mut close = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Op("(") => open.push((at, ")")),
            Token::Op("[") => open.push((at, "]")),
            Token::Op("{") => open.push((at, "}")),
            Token::Op(op @ (")" | "]" | "}")) if open.last().is_some_and(|(_, wanted)| wanted == op) => {
                if let Some((from, _)) = open.pop() {
                    close[from] = at;
                }
            }
            _ => {}
        }
    }
    close
}

/// Words that stand between two operands.
const WORD_OPERATORS: &[&str] = &[
    "and",
    "or",
    "xor",
    "in",
    "is",
    "instanceof",
    "x",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
    "cmp",
    "isa",
    "of",
];

impl Engine<'_> {
    pub(super) fn lang(&self) -> Language {
        self.world.lang
    }

    pub(super) fn peek(&self) -> Option<&Token> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&Token> {
        if self.world.exhausted() { None } else { self.tokens.get(self.at + ahead) }
    }

    pub(super) fn is_op(&self, ahead: usize, op: &str) -> bool {
        matches!(self.peek_at(ahead), Some(Token::Op(found)) if *found == op)
    }

    pub(super) fn is_name(&self, ahead: usize, name: &str) -> bool {
        matches!(self.peek_at(ahead), Some(Token::Name(found)) if found == name)
    }

    pub(super) fn name_at(&self, ahead: usize) -> Option<String> {
        match self.peek_at(ahead) {
            Some(Token::Name(name)) => Some(name.clone()),
            _ => None,
        }
    }

    /// A whole expression, assignments and conditions included.
    pub(super) fn expression(&mut self) -> Value {
        self.world.spend(1);
        self.world.depth += 1;
        let value = if self.world.depth > DEEPEST {
            self.world.give_up();
            Value::Unknown
        } else {
            self.whole_expression()
        };
        self.world.depth -= 1;
        value
    }

    fn whole_expression(&mut self) -> Value {
        if let Some(value) = self.assignment() {
            return value;
        }
        if self.lang() == Language::Ruby && self.is_op(0, "->") {
            return self.ruby_lambda();
        }
        let value = self.binary(0);
        if self.lang() == Language::Python && self.is_name(0, "if") {
            self.world.output.doubt();
            self.at += 1;
            self.expression();
            if self.is_name(0, "else") {
                self.at += 1;
                let other = self.expression();
                return Value::one_of(vec![value, other]);
            }
            return value;
        }
        if self.is_op(0, "?") {
            self.world.output.doubt();
            self.at += 1;
            let yes = self.expression();
            if self.is_op(0, ":") {
                self.at += 1;
            }
            let no = self.expression();
            return Value::one_of(vec![yes, no]);
        }
        if matches!(
            self.peek(),
            Some(Token::Op("=" | "+=" | ".=" | "<-" | "||=" | "|=" | "-=" | "*=" | "&&="))
        ) {
            // Something other than a plain variable is set. An element of a variable is harmless, a member is not.
            let harmless =
                matches!(value, Value::Unknown | Value::Text(_) | Value::Number(_) | Value::List(_));
            self.world.impure |= !harmless;
            self.changed_in_place();
            self.at += 1;
            return self.expression();
        }
        value
    }

    /// `name = value`, `name += value`, `a, b = …`.
    fn assignment(&mut self) -> Option<Value> {
        let name = self.name_at(0)?;
        // Perl's `<>` runs what it finds there with a bar at its end.
        self.world.impure |= name == "$ARGV" && self.lang() == Language::Perl;
        if matches!(name.as_str(), "$," | "$\\" | "$\"" | "$;" | "@" | "$|") {
            self.world.output.doubt();
        }
        let Some(Token::Op(op)) = self.peek_at(1) else { return None };
        let op = *op;
        match op {
            "=" | ":=" | "<-" | "||=" | "??=" => {
                self.at += 2;
                let value = self.expression();
                self.world.bind(&name, value.clone());
                Some(value)
            }
            "+=" | ".=" => {
                self.at += 2;
                let added = self.expression();
                let old = self.world.lookup(&name).unwrap_or(Value::Unknown);
                let value = self.operate("+", &old, &added, true);
                self.world.bind(&name, value.clone());
                Some(value)
            }
            "-=" | "*=" | "/=" | "|=" | "&=" | "^=" | "%=" | "**=" | "<<=" | ">>=" | "//=" | "&&=" => {
                self.at += 2;
                self.expression();
                self.world.bind(&name, Value::Unknown);
                Some(Value::Unknown)
            }
            "," => self.unpacking(),
            _ => None,
        }
    }

    /// `a, b = x, y`, only where it really is one.
    fn unpacking(&mut self) -> Option<Value> {
        if self.grouped {
            return None;
        }
        let mut names = Vec::new();
        let mut ahead = 0;
        loop {
            self.world.spend(2);
            names.push(self.name_at(ahead)?);
            if self.is_op(ahead + 1, "=") {
                break;
            }
            if !self.is_op(ahead + 1, ",") || names.len() > 32 {
                return None;
            }
            ahead += 2;
        }
        self.at += ahead + 2;
        let mut values = vec![self.expression()];
        while self.is_op(0, ",") {
            self.at += 1;
            values.push(self.expression());
        }
        if let [Value::List(items)] = &values[..] {
            values = items.clone();
        }
        for (i, name) in names.iter().enumerate() {
            self.world.bind(name, values.get(i).cloned().unwrap_or(Value::Unknown));
        }
        Some(Value::Unknown)
    }

    fn operator(&self) -> Option<(&'static str, u8)> {
        Some(match self.peek()? {
            Token::Op(op) => {
                let level = match *op {
                    "||" | "??" | "|>" => 1,
                    "&&" => 2,
                    "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "=~" | "!~" | "<=>" | "~=" => 3,
                    "|" | "^" | "&" | "<<" | ">>" | "..." => 4,
                    ".." if self.lang() != Language::Lua => 4,
                    "." if !matches!(self.lang(), Language::Perl | Language::Php) => return None,
                    "+" | "-" | "." | ".." => 5,
                    "*" | "/" | "%" => 6,
                    "**" => 7,
                    _ => return None,
                };
                (*op, level)
            }
            Token::Name(name) => {
                let op = WORD_OPERATORS.iter().find(|op| *op == name)?;
                match *op {
                    "x" if self.lang() != Language::Perl => return None,
                    "or" | "xor" => ("||", 1),
                    "and" => ("&&", 2),
                    "x" => ("x", 6),
                    op => (op, 3),
                }
            }
            _ => return None,
        })
    }

    fn binary(&mut self, least: u8) -> Value {
        let mut left = self.unary();
        while let Some((op, level)) = self.operator() {
            if level < least {
                break;
            }
            self.at += 1;
            self.world.spend(1);
            self.world.depth += 1;
            if self.world.depth > DEEPEST {
                self.world.give_up();
            }
            if self.lang() == Language::Python || self.lang() == Language::Ruby {
                while op == "is" && self.is_name(0, "not") {
                    self.at += 1;
                }
            }
            let right = if matches!(op, "||" | "&&") {
                self.world.branch();
                // `… or die`, `x = … and …`: what follows may be a statement of its own.
                self.assignment().unwrap_or_else(|| self.binary(level + 1))
            } else if op == "|>" {
                self.world.piped = Some(std::mem::replace(&mut left, Value::Unknown));
                left = self.binary(level + 1);
                self.world.depth -= 1;
                continue;
            } else {
                self.binary(level + 1)
            };
            self.world.depth -= 1;
            let text_only = matches!(op, "." | "..");
            left = self.operate(op, &left, &right, text_only);
            self.world.spend(match &left {
                Value::Text(text) => text.len() / 64,
                other => other.elements().len() + other.choices().len(),
            });
        }
        left
    }

    /// Words that stand before an operand and change nothing of what it does.
    fn is_prefix(&self, word: &str) -> bool {
        const WORDS: &[&str] =
            &["not", "new", "await", "typeof", "void", "yield", "return", "raise", "throw", "del"];
        let deletes = word == "delete" && matches!(self.lang(), Language::JavaScript | Language::Perl);
        (deletes || WORDS.contains(&word)) && !self.world.is_bound(word)
    }

    fn unary(&mut self) -> Value {
        let mut negative = false;
        let mut changes = false;
        loop {
            match self.peek() {
                Some(Token::Op("-")) => negative = !negative,
                Some(Token::Op(
                    "+" | "!" | "~" | "\\" | "&" | "*" | "**" | "..." | "->" | "@" | "++" | "--" | "#",
                )) => {}
                Some(Token::Name(word)) if self.is_prefix(word) => {
                    let doubt = !matches!(word.as_str(), "new" | "await" | "not");
                    changes |= word == "not";
                    if doubt {
                        self.world.output.doubt();
                    }
                }
                _ => break,
            }
            self.world.aliased |= match self.lang() {
                Language::Perl => self.is_op(0, "\\"),
                Language::Php => self.is_op(0, "&"),
                _ => false,
            } && matches!(self.peek_at(1), Some(Token::Name(name)) if name.starts_with('$'));
            changes |= matches!(self.peek(), Some(Token::Op("~" | "!" | "#")));
            if matches!(self.peek(), Some(Token::Op("++" | "--"))) {
                changes = true;
                if let Some(name) = self.name_at(1) {
                    self.world.bind(&name, Value::Unknown);
                }
            }
            self.at += 1;
        }
        match self.chain() {
            Value::Number(_) | Value::Text(_) if changes => Value::Unknown,
            Value::Number(number) if negative => Value::Number(-number),
            other => other,
        }
    }

    /// The text of a literal, its expressions evaluated.
    pub(super) fn literal(&mut self, pieces: &[Piece]) -> Value {
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Plain(text) => out.push_str(text),
                Piece::Code(code) => {
                    let value = run(self.world, code);
                    out.push_str(&value.shown());
                }
            }
        }
        if looks_like_host(&out) && self.world.hosts.len() < 64 {
            self.world.hosts.push(out.clone());
        }
        if out.starts_with("/inet/") || out.starts_with("/dev/tcp/") {
            self.world.socket = true;
        }
        if out.contains(|c| value::is_hole(c) && c != HOLE && c != WITHIN) {
            self.world.odd();
        }
        value::text(out)
    }
}
