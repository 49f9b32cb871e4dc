//! Operands: literals, names, and what follows them (members, calls, subscripts).

use super::Language;
use super::engine::{Arg, Engine, run};
use super::statement::is_keyword;
use super::token::Token;
use super::value::{self, Value};

/// Members through which a program gets at everything.
const REFLECTION: &[&str] = &["constructor", "__proto__", "?"];

impl Engine<'_> {
    /// An operand with everything that hangs on it.
    pub(super) fn chain(&mut self) -> Value {
        let from_name = matches!(self.peek(), Some(Token::Name(_)));
        let variable = matches!(self.peek(), Some(Token::Name(name)) if name.starts_with('$'));
        let mut value = self.primary();
        loop {
            self.world.spend(1);
            let lang = self.lang();
            if lang == Language::JavaScript
                && matches!(self.peek(), Some(Token::Newline))
                && self.is_op(1, ".")
            {
                self.at += 1;
            }
            match self.peek() {
                Some(Token::Op("(")) if from_name || !matches!(value, Value::Number(_) | Value::List(_)) => {
                    if matches!(value, Value::Text(_)) && !matches!(lang, Language::Php | Language::Perl) {
                        break;
                    }
                    let (args, _) = self.group();
                    value = self.call(value, args);
                }
                Some(Token::Op("[")) => {
                    if lang == Language::Ruby
                        && matches!(value, Value::Name(_))
                        && self.world.book.call(self.bare(&value)).is_some()
                    {
                        value = self.call_without_parens(value);
                        continue;
                    }
                    value = self.subscript(value);
                }
                Some(Token::Op("{")) if lang == Language::Perl && variable => value = self.subscript(value),
                Some(Token::Op("{"))
                    if lang == Language::Lua && matches!(value, Value::Name(_) | Value::Member(..)) =>
                {
                    let argument = self.primary();
                    value = self.call(value, vec![Arg { name: None, value: argument }]);
                }
                Some(Token::Op(op)) if self.is_member_operator(op) => {
                    let Some(next) = self.after_member_operator(value.clone()) else { break };
                    value = next;
                }
                Some(Token::Text(_)) if lang == Language::Lua && !matches!(value, Value::Text(_)) => {
                    let argument = self.primary();
                    value = self.call(value, vec![Arg { name: None, value: argument }]);
                }
                Some(Token::Op("++" | "--")) if from_name => {
                    self.at += 1;
                    break;
                }
                _ if self.takes_bare_arguments(&value) => {
                    value = self.call_without_parens(value);
                    break;
                }
                _ => break,
            }
        }
        self.settle_name(value)
    }

    fn bare<'v>(&self, value: &'v Value) -> &'v str {
        match value {
            Value::Name(name) => self.world.book.bare(name),
            _ => "",
        }
    }

    fn is_member_operator(&self, op: &str) -> bool {
        match self.lang() {
            Language::Perl => op == "->",
            Language::Php => matches!(op, "->" | "::" | "?->"),
            Language::R => op == "$" || op == "@",
            Language::Lua => {
                op == "."
                    || (op == ":" && matches!(self.peek_at(2), Some(Token::Op("(" | "{") | Token::Text(_))))
            }
            _ => matches!(op, "." | "?." | "&." | "::"),
        }
    }

    fn after_member_operator(&mut self, value: Value) -> Option<Value> {
        let ruby_call = self.lang() == Language::Ruby && matches!(value, Value::Member(..));
        match self.peek_at(1).cloned() {
            Some(Token::Name(name)) if !name.starts_with('$') => {
                self.at += 2;
                let owner = if ruby_call { self.call(value, Vec::new()) } else { value };
                Some(self.member(owner, &name))
            }
            Some(Token::Name(name)) => {
                self.at += 2;
                let name = self.world.lookup(&name).and_then(|value| value.text().map(str::to_owned));
                if name.is_none() {
                    self.world.odd();
                }
                Some(self.member(value, name.as_deref().unwrap_or("?")))
            }
            Some(Token::Op("(" | "[")) => {
                self.at += 1;
                Some(value)
            }
            Some(Token::Op("{")) => {
                self.at += 1;
                Some(self.subscript(value))
            }
            Some(Token::Op("@" | "*" | "%")) if self.lang() == Language::Perl => {
                self.at += 2;
                Some(value)
            }
            _ => {
                self.at += 1;
                self.world.odd();
                None
            }
        }
    }

    /// `owner.name`.
    pub(super) fn member(&mut self, owner: Value, name: &str) -> Value {
        if REFLECTION.contains(&name)
            || (name.starts_with("__") && name != "__name__" && name != "__version__" && name != "__doc__")
        {
            self.world.impure = true;
        }
        match owner {
            Value::Name(mut path) if path.len() + name.len() < 256 => {
                if name == "__dict__" {
                    return Value::Name(path);
                }
                path.push('.');
                path.push_str(name);
                Value::Name(path)
            }
            Value::Map(entries) if entries.iter().any(|(key, _)| key == name) => {
                value::element(&Value::Map(entries), &Value::Text(name.to_owned()))
            }
            Value::Choice(values) if values.len() == 1 => {
                let first = values.into_iter().next().unwrap_or(Value::Unknown);
                Value::Member(Box::new(first), name.to_owned())
            }
            Value::Member(..) | Value::Name(_) => Value::Member(Box::new(Value::Unknown), name.to_owned()),
            other => Value::Member(Box::new(other), name.to_owned()),
        }
    }

    /// `value[…]`, slices included.
    fn subscript(&mut self, value: Value) -> Value {
        let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
        let braces = self.is_op(0, "{");
        self.at += 1;
        let mut parts = vec![None];
        while self.at < close && self.peek().is_some() {
            match self.peek() {
                Some(Token::Op(":")) => parts.push(None),
                Some(Token::Op("::")) => parts.extend([None, None]),
                Some(Token::Newline | Token::Op(",")) => {}
                Some(Token::Name(key)) if braces && self.at + 1 == close && !key.starts_with('$') => {
                    let key = key.clone();
                    parts = vec![Some(Value::Text(key))];
                }
                _ => {
                    let before = self.at;
                    let part = self.statement();
                    if self.at == before {
                        self.world.odd();
                        self.at += 1;
                    }
                    if let Some(last) = parts.last_mut() {
                        *last = Some(part);
                    }
                    continue;
                }
            }
            self.at += 1;
        }
        self.at = self.at.max(close + 1);
        let number = |i: usize| parts.get(i).cloned().flatten().and_then(|value| value.number());
        if parts.len() > 1 {
            return value::slice(&value, number(0), number(1), number(2));
        }
        let index = parts.into_iter().next().flatten().unwrap_or(Value::Unknown);
        match (&value, &index) {
            (Value::Name(path), Value::Text(key))
                if matches!(path.as_str(), "sys.modules" | "package.loaded") =>
            {
                Value::Name(key.clone())
            }
            (Value::Name(path), _)
                if self.world.book.is_pure(path) && !self.world.book.has_acting_members(path) =>
            {
                Value::Unknown
            }
            (Value::Name(path), _)
                if path.starts_with(['$', '@'])
                    && path != "$GLOBALS"
                    && self.lang() != Language::JavaScript =>
            {
                self.world.impure |= path == "$ENV";
                Value::Unknown
            }
            (Value::Name(_), Value::Text(key)) => self.member(value.clone(), key),
            (Value::Name(_), _) => {
                self.world.odd();
                self.member(value, "?")
            }
            (Value::Unknown | Value::Member(..), Value::Text(key)) if self.lang() == Language::JavaScript => {
                self.member(value.clone(), key)
            }
            _ if self.lang() == Language::Lua => match index {
                Value::Number(n) => value::element(&value, &Value::Number(n - 1.0)),
                other => value::element(&value, &other),
            },
            _ => value::element(&value, &index),
        }
    }

    /// Whether arguments follow without parentheses.
    fn takes_bare_arguments(&self, value: &Value) -> bool {
        let callable = match self.lang() {
            Language::Perl => matches!(value, Value::Name(name) if !name.starts_with('$')),
            Language::Ruby | Language::Groovy => matches!(value, Value::Name(_) | Value::Member(..)),
            Language::Php => {
                matches!(value, Value::Name(name) if matches!(name.as_str(), "echo" | "print" | "include" | "include_once" | "require" | "require_once"))
            }
            Language::Python => {
                matches!(value, Value::Name(name) if matches!(name.as_str(), "print" | "exec"))
            }
            _ => false,
        };
        callable
            && match self.peek() {
                Some(
                    Token::Text(_)
                    | Token::Words(_)
                    | Token::Shell(_)
                    | Token::Number(_)
                    | Token::Regex(..)
                    | Token::Op("\\"),
                ) => true,
                Some(Token::Name(name)) => !is_keyword(self.lang(), name) && !self.is_word_operator(name),
                Some(Token::Op("{")) => matches!(
                    self.bare(value),
                    "system" | "exec" | "print" | "printf" | "map" | "grep" | "sort"
                ),
                Some(Token::Op("-" | "*" | "&" | "->")) => {
                    self.lang() == Language::Ruby
                        && matches!(self.bare(value), "puts" | "p" | "print" | "system" | "exec")
                }
                _ => false,
            }
    }

    fn is_word_operator(&self, name: &str) -> bool {
        matches!(
            name,
            "and"
                | "or"
                | "xor"
                | "in"
                | "is"
                | "eq"
                | "ne"
                | "lt"
                | "gt"
                | "le"
                | "ge"
                | "cmp"
                | "instanceof"
        ) || (name == "x" && self.lang() == Language::Perl)
    }

    fn call_without_parens(&mut self, callee: Value) -> Value {
        let mut args = Vec::new();
        loop {
            let before = self.at;
            let name = match (self.peek(), self.peek_at(1)) {
                (Some(Token::Name(name)), Some(Token::Op("=>" | ":"))) => Some(name.clone()),
                (Some(Token::Text(pieces)), Some(Token::Op("=>"))) => super::literal::plain(pieces),
                _ => None,
            };
            if name.is_some() {
                self.at += 2;
            }
            let value = self.expression();
            if self.at == before {
                break;
            }
            args.push(Arg { name, value });
            if self.is_op(0, ",") {
                self.at += 1;
                while matches!(self.peek(), Some(Token::Newline)) {
                    self.at += 1;
                }
            } else if !(self.lang() == Language::Perl
                && matches!(self.peek(), Some(Token::Text(_) | Token::Words(_) | Token::Op("(" | "["))))
            {
                // After a block, as in `system {…} list`, the list comes without a comma.
                break;
            }
        }
        self.call(callee, args)
    }

    /// A name at the end of its chain: in some languages that is a call, and everywhere it must be known.
    fn settle_name(&mut self, value: Value) -> Value {
        let calls = matches!(self.lang(), Language::Perl | Language::Ruby);
        match value {
            Value::Name(name) => {
                let bare = self.world.book.bare(&name).to_owned();
                let act = self.world.book.call(&bare);
                if calls && act.is_some() && !name.starts_with('$') {
                    return self.call(Value::Name(name), Vec::new());
                }
                self.judge_name(&bare, act.is_some());
                Value::Name(name)
            }
            Value::Member(base, name) if self.lang() == Language::Ruby => {
                self.call(Value::Member(base, name), Vec::new())
            }
            Value::Member(base, name) => {
                if matches!(self.world.book.method(&name), Some(act) if !act.is_harmless()) {
                    self.world.impure = true;
                }
                Value::Member(base, name)
            }
            other => other,
        }
    }

    fn primary(&mut self) -> Value {
        let Some(token) = self.peek().cloned() else { return Value::Unknown };
        match token {
            Token::Text(pieces) => {
                self.at += 1;
                let mut value = self.literal(&pieces);
                while let Some(Token::Text(more)) = self.peek().cloned() {
                    if self.is_op(1, ":") || self.is_op(1, "=>") {
                        break;
                    }
                    self.at += 1;
                    let next = self.literal(&more);
                    value = value::concat(&value, &next);
                    self.world.spend(1 + value.text().map_or(0, str::len) / 64);
                }
                value
            }
            Token::Shell(pieces) => {
                self.at += 1;
                let command = self.literal(&pieces);
                self.world.shell(&command);
                Value::Unknown
            }
            Token::Words(words) => {
                self.at += 1;
                Value::List(words.into_iter().map(Value::Text).collect())
            }
            Token::Number(number) => {
                self.at += 1;
                Value::Number(number)
            }
            Token::Regex(pieces, code) => {
                self.at += 1;
                self.literal(&pieces);
                if let Some(code) = code {
                    run(self.world, &code);
                }
                Value::Unknown
            }
            Token::Odd => {
                self.at += 1;
                self.world.odd();
                Value::Unknown
            }
            Token::Op("(") => self.parenthesis(),
            Token::Op("[") => {
                let (args, generated) = self.group();
                match &args[..] {
                    [Arg { value: value @ (Value::List(_) | Value::Unknown), .. }]
                        if generated && self.lang() == Language::Python =>
                    {
                        value.clone()
                    }
                    _ => Value::List(args.into_iter().map(|arg| arg.value).collect()),
                }
            }
            Token::Op("{") => self.braces(),
            Token::Name(name) => self.named(&name),
            Token::Op(_) | Token::Newline => Value::Unknown,
        }
    }

    fn parenthesis(&mut self) -> Value {
        let close = self.close.get(self.at).copied().unwrap_or(self.tokens.len());
        if self.lang() == Language::JavaScript && matches!(self.tokens.get(close + 1), Some(Token::Op("=>")))
        {
            self.parameters();
            self.at += 1;
            return self.body();
        }
        let (mut args, comma) = self.group();
        if args.len() == 1 && (!comma || matches!(args[0].value, Value::List(_))) {
            return args.remove(0).value;
        }
        if self.lang() == Language::JavaScript {
            return args.pop().map_or(Value::Unknown, |arg| arg.value);
        }
        Value::List(args.into_iter().map(|arg| arg.value).collect())
    }

    fn braces(&mut self) -> Value {
        let (args, _) = self.group();
        if !args.is_empty() && args.iter().all(|arg| arg.name.is_some()) {
            return Value::Map(
                args.into_iter().filter_map(|arg| arg.name.map(|name| (name, arg.value))).collect(),
            );
        }
        if self.lang() == Language::Lua || (self.lang() == Language::Perl && args.len() == 1) {
            return Value::List(args.into_iter().map(|arg| arg.value).collect());
        }
        Value::Unknown
    }

    fn named(&mut self, name: &str) -> Value {
        self.at += 1;
        self.world.impure |= name == "$ARGV" && self.lang() == Language::Perl;
        if self.is_op(0, "=>") {
            if self.lang() == Language::JavaScript {
                self.world.bind(name, Value::Unknown);
                self.at += 1;
                return self.body();
            }
            return Value::Text(name.to_owned());
        }
        match name {
            "True" | "true" | "TRUE" => return Value::Number(1.0),
            "False" | "false" | "FALSE" => return Value::Number(0.0),
            "None" | "nil" | "null" | "NULL" | "undefined" | "NaN" => return Value::Unknown,
            "lambda" if self.lang() == Language::Python => {
                while !self.is_op(0, ":")
                    && matches!(
                        self.peek(),
                        Some(
                            Token::Name(_)
                                | Token::Op("," | "*" | "**" | "=")
                                | Token::Number(_)
                                | Token::Text(_)
                        )
                    )
                {
                    if let Some(parameter) = self.name_at(0) {
                        self.world.bind(&parameter, Value::Unknown);
                    }
                    self.at += 1;
                }
                self.at += usize::from(self.is_op(0, ":"));
                self.expression();
                return Value::Local;
            }
            "function" | "sub" | "fn" | "func" | "def" | "proc" if self.lang() != Language::Tcl => {
                return self.function();
            }
            _ => {}
        }
        if let Some(value) = self.world.lookup(name) {
            return value;
        }
        let star = self
            .world
            .stars
            .iter()
            .map(|module| format!("{module}.{name}"))
            .find(|path| self.world.book.call(path).is_some() || self.world.book.is_pure(path));
        Value::Name(star.unwrap_or_else(|| name.to_owned()))
    }
}
