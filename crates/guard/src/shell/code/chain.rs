//! Operands: literals, names, and what follows them (members, calls, subscripts).

use super::Language;
use super::arithmetic;
use super::engine::{Arg, Engine, run};
use super::token::Token;
use super::value::Value;

impl Engine<'_> {
    /// An operand with everything that hangs on it.
    pub(super) fn chain(&mut self) -> Value {
        let from_name = matches!(self.peek(), Some(Token::Name(_)));
        let variable = matches!(self.peek(), Some(Token::Name(name)) if name.starts_with('$'));
        let mut piped = self.world.piped.take();
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
                    let (mut args, _) = self.group();
                    if let Some(value) = piped.take() {
                        args.insert(0, Arg { name: None, value });
                    }
                    value = self.call(value, args);
                }
                Some(Token::Op("[")) => {
                    if lang == Language::Ruby
                        && matches!(value, Value::Name(_))
                        && self.world.book.call(self.bare(&value)).is_some()
                    {
                        if self.bare(&value) == "Dir" {
                            let argument = self.primary();
                            value = self.call(value, vec![Arg { name: None, value: argument }]);
                        } else {
                            value = self.call_without_parens(value);
                        }
                        continue;
                    }
                    value = self.subscript(value);
                    if matches!(value, Value::Unknown) {
                        self.world.output.doubt();
                    }
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
                    if let Some(Token::Name(name)) = self.tokens.get(self.at.wrapping_sub(1)) {
                        let name = name.clone();
                        self.world.bind(&name, Value::Unknown);
                    }
                    value = Value::Unknown;
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
        self.block_subject(&value);
        self.settle_name(value)
    }

    /// Before a block of Ruby: what its parameter will be.
    fn block_subject(&mut self, value: &Value) {
        let block = self.lang() == Language::Ruby
            && self.is_op(1, "|")
            && (self.is_op(0, "{") || self.is_name(0, "do"));
        if block {
            let subject = if let Value::Member(base, _) = value { (**base).clone() } else { value.clone() };
            let element = super::loops::any_of(subject);
            self.world.element = Some(element).filter(|element| *element != Value::Unknown);
        }
    }

    pub(super) fn bare<'v>(&self, value: &'v Value) -> &'v str {
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
                // A word alone can be a call, `exit` for one.
                if matches!(self.lang(), Language::Perl | Language::Ruby | Language::Php)
                    && bare.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
                {
                    self.world.output.doubt();
                }
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
                    value = arithmetic::concat(&value, &next);
                    self.world.spend(1 + value.text().map_or(0, str::len) / 64);
                }
                value
            }
            Token::Bytes(pieces) => {
                self.at += 1;
                self.world.bytes = true;
                let mut value = self.literal(&pieces);
                while let Some(Token::Bytes(more)) = self.peek().cloned() {
                    self.at += 1;
                    let next = self.literal(&more);
                    value = arithmetic::concat(&value, &next);
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
                    self.world.output.doubt();
                    self.world.forget(true);
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
            let parameters = self.parameters();
            self.at += 1;
            return self.body(parameters);
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
        if self.lang() == Language::Ruby && args.iter().any(|arg| arg.name.is_none()) {
            // A block is run never, once or often.
            self.world.output.doubt();
        }
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
                return self.body(vec![name.to_owned()]);
            }
            return Value::Text(name.to_owned());
        }
        match name {
            "True" | "true" | "TRUE" => return Value::Number(1.0),
            "False" | "false" | "FALSE" => return Value::Number(0.0),
            "php_eol" if self.lang() == Language::Php => return Value::Text("\n".into()),
            "__END__" | "__DATA__" | "__halt_compiler" => self.world.output.doubt(),
            "None" | "nil" | "null" | "NULL" | "undefined" | "NaN" => return Value::Unknown,
            "lambda" if self.lang() == Language::Python => {
                let mut parameters = Vec::new();
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
                        parameters.push(parameter);
                    }
                    self.at += 1;
                }
                self.at += usize::from(self.is_op(0, ":"));
                self.world.output.doubt();
                let start = self.at;
                self.expression();
                return self.define(parameters, start, self.at);
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
