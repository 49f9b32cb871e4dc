//! Calls without parentheses, as Perl, Ruby, Groovy and old Python have them.

use super::Language;
use super::engine::{Arg, Engine};
use super::statement::is_keyword;
use super::token::Token;
use super::value::Value;

impl Engine<'_> {
    /// Whether arguments follow without parentheses.
    pub(super) fn takes_bare_arguments(&self, value: &Value) -> bool {
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
                    | Token::Bytes(_)
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

    pub(super) fn call_without_parens(&mut self, callee: Value) -> Value {
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
}
