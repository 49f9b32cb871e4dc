//! Expressions of PowerShell: operators, casts, members, indexes.

use super::operators::apply;
use super::value::Value;
use super::{Reader, methods, run, statics};

/// Operators from loosest to tightest; those of one line bind alike.
const LEVELS: &[&[&str]] = &[
    &["-and", "-or", "-xor"],
    &[
        "-eq",
        "-ne",
        "-gt",
        "-lt",
        "-ge",
        "-le",
        "-like",
        "-notlike",
        "-match",
        "-notmatch",
        "-contains",
        "-notcontains",
        "-in",
        "-notin",
        "-is",
        "-isnot",
        "-as",
        "-join",
        "-split",
        "-replace",
        "-creplace",
        "-ireplace",
        "-csplit",
        "-isplit",
        "-band",
        "-bor",
        "-bxor",
        "-shl",
        "-shr",
        "-ceq",
        "-ieq",
        "-cmatch",
        "-imatch",
        "-clike",
        "-ilike",
        "-cne",
        "-ine",
    ],
    &["+", "-"],
    &["*", "/", "%"],
    &["-f"],
    &[".."],
    &[","],
];

impl Reader<'_> {
    pub(super) fn expression(&mut self) -> Value {
        if self.depth > 40 || !self.report.spend(1) {
            self.report.note(
                crate::shell::windows::Level::Sensitive,
                "win-too-complex",
                "Expressions are nested too deep to be read",
            );
            self.at = self.chars.len();
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.binary(0);
        self.depth -= 1;
        value
    }

    fn operator_ahead(&self, level: usize) -> Option<&'static str> {
        let rest = self.chars.get(self.at..)?;
        LEVELS.get(level)?.iter().copied().find(|operator| {
            let length = operator.len();
            let same =
                rest.len() >= length && operator.chars().zip(rest).all(|(a, b)| a == b.to_ascii_lowercase());
            let word = operator.len() > 1 && operator.starts_with('-');
            let next = rest.get(length).copied();
            same && match *operator {
                _ if word => !next.is_some_and(char::is_alphanumeric),
                // `+=` assigns.
                "-" => next != Some('=') && !next.is_some_and(char::is_alphabetic),
                "+" | "*" | "/" | "%" => next != Some('='),
                _ => true,
            }
        })
    }

    fn binary(&mut self, level: usize) -> Value {
        if level >= LEVELS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1);
        loop {
            let before = self.at;
            self.skip_blanks();
            let Some(operator) = self.operator_ahead(level) else {
                self.at = before;
                return left;
            };
            if !self.report.spend(1) {
                return Value::Unknown;
            }
            self.at += operator.len();
            self.skip_lines();
            if operator == "," {
                let mut list = if let Value::List(list) = &left { list.clone() } else { vec![left] };
                // The whole row at once, so that long lists stay cheap.
                list.push(self.binary(level + 1));
                loop {
                    let here = self.at;
                    self.skip_blanks();
                    if self.peek() != Some(',') || !self.report.spend(1) {
                        self.at = here;
                        break;
                    }
                    self.at += 1;
                    self.skip_lines();
                    list.push(self.binary(level + 1));
                }
                left = Value::List(list);
                continue;
            }
            let right = self.binary(level + 1);
            self.last_variable = None;
            left = apply(operator, &left, &right);
        }
    }

    fn unary(&mut self) -> Value {
        self.skip_blanks();
        for operator in ["-join", "-split", "-not", "-bnot"] {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            let same = rest.len() > operator.len()
                && operator.chars().zip(rest).all(|(a, b)| a == b.to_ascii_lowercase());
            if same && !rest[operator.len()].is_alphanumeric() {
                self.at += operator.len();
                let value = self.guarded_unary();
                return match operator {
                    "-join" => value.joined(""),
                    _ => value,
                };
            }
        }
        match self.peek() {
            Some('!' | '+' | ',') => {
                self.at += 1;
                self.guarded_unary()
            }
            Some('-') => {
                self.at += 1;
                if self.peek() == Some('-') {
                    self.at += 1;
                }
                self.guarded_unary().number().map_or(Value::Unknown, |n| Value::Number(n.wrapping_neg()))
            }
            _ => {
                let value = self.primary();
                self.postfix(value)
            }
        }
    }

    fn guarded_unary(&mut self) -> Value {
        if self.depth > 40 || !self.report.spend(1) {
            self.at = self.chars.len();
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.unary();
        self.depth -= 1;
        value
    }

    pub(super) fn type_ahead(&self) -> bool {
        let rest = self.chars.get(self.at + 1..).unwrap_or_default();
        let end = rest.iter().take(120).position(|c| *c == ']');
        end.is_some_and(|end| {
            end > 0
                && rest[..end].iter().all(|c| c.is_alphanumeric() || ".[_,`+ ".contains(*c))
                && rest[0].is_alphabetic()
        })
    }

    /// The smallest whole thing of an expression.
    pub(super) fn primary(&mut self) -> Value {
        match self.peek() {
            Some('\'' | '"') => self.quoted(),
            Some('@') if matches!(self.peek_at(1), Some('\'' | '"')) => self.here_text(),
            Some('@' | '$') if self.peek_at(1) == Some('(') => {
                let list = self.peek() == Some('@');
                self.at += 1;
                let inner = self.group('(', ')');
                let value = run(self.report, self.scope, &inner);
                self.last_variable = None;
                if list { Value::List(value.items()) } else { value }
            }
            Some('@') if self.peek_at(1) == Some('{') => {
                self.at += 1;
                let inner = self.group('{', '}');
                run(self.report, self.scope, &inner.replace('=', ";"));
                Value::Unknown
            }
            Some('$') => self.variable(),
            Some('(') => {
                let inner = self.group('(', ')');
                let before = self.last_variable.take();
                let value = run(self.report, self.scope, &inner);
                let alone = inner
                    .trim()
                    .strip_prefix('$')
                    .filter(|n| n.chars().all(|c| c.is_alphanumeric() || c == '_'));
                self.last_variable = alone.map(str::to_owned).or(before);
                value
            }
            Some('{') => Value::Block(self.group('{', '}')),
            Some('[') if self.type_ahead() => self.typed(),
            Some(c) if c.is_ascii_digit() => self.digits(),
            Some(c) if c.is_alphabetic() => self.argument_as_text(),
            _ => {
                self.at += 1;
                Value::Unknown
            }
        }
    }

    fn argument_as_text(&mut self) -> Value {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.at += 1;
        }
        Value::text(self.chars[start..self.at].iter().collect::<String>())
    }

    fn digits(&mut self) -> Value {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        if self.peek() == Some('.') && self.peek_at(1).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
                self.at += 1;
            }
        }
        let text: String = self.chars[start..self.at].iter().collect();
        Value::text(text.clone()).number().map_or(Value::text(text), Value::Number)
    }

    /// `[type]` with `::member`, or as a cast of what follows.
    fn typed(&mut self) -> Value {
        let name = self.group('[', ']').to_lowercase().replace([' ', '`'], "");
        let name = name.strip_prefix("system.").unwrap_or(&name).to_owned();
        let before = self.at;
        self.skip_blanks();
        if self.peek() == Some(':') && self.peek_at(1) == Some(':') {
            self.at += 2;
            let member = self.member_name();
            self.skip_call_blanks();
            if self.peek() == Some('(') {
                let target = self.last_variable.clone();
                let args = self.call_arguments();
                let named = self.last_variable.take().or(target);
                return statics::call(self, &name, &member, &args, named.as_deref());
            }
            return statics::property(&name, &member);
        }
        match self.peek() {
            Some('$' | '(' | '\'' | '"' | '@' | '[' | '0'..='9' | '-' | '+')
                if self.peek() != Some('-') || self.peek_at(1).is_some_and(|c| c.is_ascii_digit()) =>
            {
                let value = self.guarded_unary();
                statics::cast(self, &name, &value)
            }
            Some('{') if name == "scriptblock" => Value::Block(self.group('{', '}')),
            _ => {
                self.at = before;
                Value::Type(name)
            }
        }
    }

    fn skip_call_blanks(&mut self) {
        if self.peek() == Some(' ') && self.peek_at(1) == Some('(') {
            self.at += 1;
        }
    }

    fn member_name(&mut self) -> String {
        match self.peek() {
            Some('\'' | '"') => self.quoted().shown().to_lowercase(),
            Some('$') => self.variable().shown().to_lowercase(),
            Some('(') => {
                let inner = self.group('(', ')');
                run(self.report, self.scope, &inner).shown().to_lowercase()
            }
            _ => {
                let start = self.at;
                while self.peek().is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '`') {
                    self.at += 1;
                }
                self.chars[start..self.at].iter().filter(|c| **c != '`').collect::<String>().to_lowercase()
            }
        }
    }

    /// The values between the parentheses that open here.
    fn call_arguments(&mut self) -> Vec<Value> {
        let inner = self.group('(', ')');
        if inner.trim().is_empty() {
            return Vec::new();
        }
        let alone =
            inner.trim().strip_prefix('$').filter(|n| n.chars().all(|c| c.is_alphanumeric() || c == '_'));
        self.last_variable = alone.map(str::to_owned);
        match run(self.report, self.scope, &inner) {
            Value::List(values) if inner.contains(',') => values,
            value => vec![value],
        }
    }

    /// Members, indexes and calls after a value.
    pub(super) fn postfix(&mut self, mut value: Value) -> Value {
        loop {
            match self.peek() {
                Some('.')
                    if self
                        .peek_at(1)
                        .is_some_and(|c| c.is_alphabetic() || matches!(c, '\'' | '"' | '$' | '(' | '`')) =>
                {
                    self.at += 1;
                    value = self.member(&value);
                }
                Some(':') if self.peek_at(1) == Some(':') => {
                    self.at += 2;
                    value = self.member(&value);
                }
                Some('[') => {
                    let inner = self.group('[', ']');
                    let index = run(self.report, self.scope, &inner);
                    value = value.at(&index);
                }
                Some('+') if self.peek_at(1) == Some('+') => self.at += 2,
                _ => return value,
            }
            if !self.report.spend(1) {
                return Value::Unknown;
            }
        }
    }

    fn member(&mut self, target: &Value) -> Value {
        let name = self.member_name();
        self.skip_call_blanks();
        self.last_variable = None;
        if self.peek() == Some('(') {
            let args = self.call_arguments();
            self.last_variable = None;
            return methods::call(self, target, &name, &args);
        }
        if self.peek() == Some('{') && matches!(name.as_str(), "foreach" | "where") {
            let body = self.group('{', '}');
            return methods::call(self, target, &name, &[Value::Block(body)]);
        }
        methods::property(target, &name)
    }
}
