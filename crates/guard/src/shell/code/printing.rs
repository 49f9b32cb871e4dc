//! What a source prints, kept as long as every part of it is constant.

use super::Language;
use super::arithmetic;
use super::book::Printing;
use super::engine::{Arg, Engine};
use super::value::{self, Value, is_hole};

/// More than this is not kept.
const LONGEST: usize = 16_384;

/// The output so far.
#[derive(Default)]
pub(super) struct Output {
    text: String,
    begun: bool,
    /// A part is not known, or may be printed never or more than once.
    doubt: bool,
}

impl Output {
    pub(super) fn doubt(&mut self) {
        self.doubt = true;
    }

    pub(super) fn push(&mut self, text: &str) {
        self.begun = true;
        if self.text.len() + text.len() > LONGEST || text.contains(is_hole) {
            self.doubt = true;
        }
        if !self.doubt {
            self.text.push_str(text);
        }
    }

    pub(super) fn told(self) -> Option<String> {
        (self.begun && !self.doubt).then_some(self.text)
    }
}

impl Engine<'_> {
    pub(super) fn print(&mut self, printing: Printing, args: &[Arg]) {
        self.world.output.push("");
        if printing == Printing::Spaced && self.world.bytes {
            self.world.output.doubt();
        }
        let mut between = "";
        let mut end = "";
        match printing {
            Printing::Spaced => (between, end) = (" ", "\n"),
            Printing::Tabbed => (between, end) = ("\t", "\n"),
            Printing::Line | Printing::Lines => end = "\n",
            Printing::Plain | Printing::Format => {}
        }
        let mut texts: Vec<&str> = Vec::new();
        for arg in args {
            match (arg.name.as_deref(), &arg.value) {
                (Some("sep"), Value::Text(text)) => between = text,
                (Some("end"), Value::Text(text)) => end = text,
                (Some("flush"), _) => {}
                (None, Value::Text(text)) => texts.push(text),
                (None, Value::List(values)) if self.lists_are_flat() => {
                    for value in values {
                        match value.text() {
                            Some(text) => texts.push(text),
                            None => return self.world.output.doubt(),
                        }
                    }
                }
                // Numbers and truth values are shown in a way that differs from language to language.
                _ => return self.world.output.doubt(),
            }
        }
        // Without arguments Perl prints what it read last.
        let reads_topic = texts.is_empty() && self.lang() == Language::Perl;
        let has_directives = self.lang() == Language::JavaScript
            && texts.len() > 1
            && texts.first().is_some_and(|text| text.contains('%'));
        if reads_topic || has_directives {
            return self.world.output.doubt();
        }
        let whole = match printing {
            Printing::Lines => {
                let line =
                    |text: &&str| if text.ends_with('\n') { (*text).to_owned() } else { format!("{text}\n") };
                if texts.is_empty() { "\n".to_owned() } else { texts.iter().map(line).collect() }
            }
            Printing::Format => {
                let rest: Vec<Value> =
                    texts.iter().skip(1).map(|&text| Value::Text(text.to_owned())).collect();
                match texts.first().map(|pattern| value::percent(pattern, &rest)) {
                    Some(Value::Text(text)) => text,
                    _ => return self.world.output.doubt(),
                }
            }
            _ => texts.join(between) + end,
        };
        self.world.output.push(&whole);
    }

    fn lists_are_flat(&self) -> bool {
        matches!(self.lang(), Language::Perl | Language::Ruby)
    }

    /// An operator on two constants; what is not one leaves the output in doubt, as it may fail.
    pub(super) fn operate(&mut self, op: &str, left: &Value, right: &Value, text_only: bool) -> Value {
        if let ("/", Value::Name(_), Value::Number(_), Language::Elixir) = (op, left, right, self.lang()) {
            // `&File.rm/1`: a function by its name and number of arguments.
            return left.clone();
        }
        let number_only = match op {
            "+" => matches!(self.lang(), Language::Perl | Language::Php | Language::Lua | Language::R),
            "*" | "%" => !matches!(self.lang(), Language::Python | Language::Ruby | Language::Groovy),
            _ => false,
        };
        let texts = matches!(left, Value::Text(_)) || matches!(right, Value::Text(_));
        let other_meaning =
            (number_only && texts) || (op == "^" && matches!(self.lang(), Language::Lua | Language::R));
        let appends = op == "<<" && self.lang() == Language::Ruby;
        if appends {
            self.changed_in_place();
        }
        if let ("/", Value::Text(folder), Value::Text(name), Language::Python) =
            (op, left, right, self.lang())
        {
            // Paths are joined by a slash; only paths have that operator.
            let slash = if folder.ends_with('/') { "" } else { "/" };
            return value::text(if name.starts_with('/') {
                name.clone()
            } else {
                format!("{folder}{slash}{name}")
            });
        }
        let value =
            if other_meaning { Value::Unknown } else { arithmetic::arithmetic(op, left, right, text_only) };
        if !matches!(value, Value::Text(_) | Value::Number(_) | Value::List(_)) {
            self.world.output.doubt();
        }
        value
    }
}
