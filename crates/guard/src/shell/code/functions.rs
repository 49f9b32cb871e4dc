//! Functions that the source itself defines: a call reads the body again with what it was given.

use super::Language;
use super::engine::{Arg, Engine};
use super::token::Token;
use super::value::{Value, WITHIN};

/// A function of the source.
#[derive(Clone)]
pub(super) struct Function {
    /// Which of the sources read so far it stands in.
    source: usize,
    parameters: Vec<String>,
    start: usize,
    /// Where its body ends; where that cannot be told, it goes as far as the call.
    end: usize,
}

/// Functions beyond this many are not followed.
const MOST: usize = 256;

impl Engine<'_> {
    /// Keeps a function; the value that stands for it.
    pub(super) fn define(&mut self, parameters: Vec<String>, start: usize, end: usize) -> Value {
        if self.world.functions.len() >= MOST {
            return Value::Local(MOST);
        }
        self.world.functions.push(Function { source: self.source, parameters, start, end });
        Value::Local(self.world.functions.len() - 1)
    }

    /// Where the body of a function without braces ends, if it is on one line.
    pub(super) fn open_end(&self) -> usize {
        if self.lang() == Language::Python
            && self.is_op(0, ":")
            && !matches!(self.peek_at(1), Some(Token::Newline))
        {
            let rest = self.tokens.iter().skip(self.at).take(400);
            return rest.take_while(|token| !matches!(token, Token::Newline)).count() + self.at;
        }
        usize::MAX
    }

    /// Calls a function of the source. In Perl `topic` is what `$_` holds.
    pub(super) fn call_local(&mut self, id: usize, args: &[Arg], topic: Option<&Value>) -> Value {
        self.world.output.doubt();
        if self.world.calling == 0 {
            self.world.local_calls += 1;
        }
        let Some(function) = self.world.functions.get(id).cloned() else { return Value::Unknown };
        let nothing_given = args.is_empty() && topic.is_none();
        if function.source != self.source || self.world.calling >= 2 || nothing_given {
            return Value::Unknown;
        }
        self.world.calling += 1;
        let mut positional = args.iter().filter(|arg| arg.name.is_none());
        for parameter in &function.parameters {
            let named = args.iter().find(|arg| arg.name.as_ref() == Some(parameter));
            let value = named.or_else(|| positional.next()).map_or(Value::Unknown, |arg| arg.value.clone());
            self.world.put(parameter, value);
        }
        let values: Vec<Value> = args.iter().map(|arg| arg.value.clone()).collect();
        if self.lang() == Language::Perl {
            self.world.put("$_", topic.cloned().unwrap_or_else(|| Value::List(values.clone())));
        }
        let outer = std::mem::replace(&mut self.world.arguments, values);
        let at = self.at;
        self.at = function.start;
        let end = if function.end == usize::MAX { at.saturating_sub(1) } else { function.end };
        let outer_returned = std::mem::take(&mut self.world.returned);
        let outer_grouped = std::mem::replace(&mut self.grouped, false);
        let last = self.statements(end);
        self.grouped = outer_grouped;
        let mut returned = std::mem::replace(&mut self.world.returned, outer_returned);
        let value = match returned.len() {
            // Some functions give what they end with.
            0 if function.end != usize::MAX => Value::one_of(vec![last, Value::Unknown]),
            0 => Value::Unknown,
            1 => returned.remove(0),
            _ => Value::one_of(returned),
        };
        self.at = at;
        self.world.arguments = outer;
        for parameter in &function.parameters {
            self.world.put(parameter, Value::Unknown);
        }
        self.world.calling -= 1;
        value
    }

    /// Perl's `find(sub {…}, folder)`.
    pub(super) fn find_files(&mut self, args: &[Arg]) {
        let Some((wanted, folders)) = args.split_first() else { return };
        let id = match &wanted.value {
            Value::Map(entries) => entries.iter().find(|(name, _)| name == "wanted").map(|(_, value)| value),
            other => Some(other),
        };
        let Some(Value::Local(id)) = id.cloned() else {
            self.world.odd();
            return;
        };
        for folder in folders.iter().flat_map(|arg| arg.value.elements()).take(16) {
            self.world.read(Some(folder));
            let inside = within(folder);
            self.world.put("$File.Find.name", inside.clone());
            self.call_local(id, &[], Some(&inside));
        }
    }
}

/// Something below a folder.
pub(super) fn within(folder: &Value) -> Value {
    match folder {
        Value::Text(path) if path.contains(WITHIN) => folder.clone(),
        Value::Text(path) if path.ends_with('/') => Value::Text(format!("{path}{WITHIN}")),
        Value::Text(path) => Value::Text(format!("{path}/{WITHIN}")),
        _ => Value::Unknown,
    }
}
