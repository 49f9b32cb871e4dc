//! Functions of constants: what decoders, joiners and formatters give.

use super::Language;
use super::book::Fold;
use super::codec;
use super::engine::{Arg, Engine};
use super::value::{self, Value};

impl Engine<'_> {
    /// What a call of such a function gives; on a value, `base` is that value, otherwise it is `Unknown`.
    #[allow(clippy::too_many_lines, reason = "one arm for each function")]
    pub(super) fn fold(&mut self, fold: Fold, base: Option<&Value>, args: &[Arg]) -> Value {
        let first = args.first().map_or(Value::Unknown, |arg| arg.value.clone());
        let second = args.get(1).map_or(Value::Unknown, |arg| arg.value.clone());
        let subject = base.cloned().unwrap_or_else(|| first.clone());
        let separator = if base.is_some() { &first } else { &second };
        let values = || args.iter().map(|arg| arg.value.clone()).collect::<Vec<_>>();
        if self.lang() == Language::Python {
            match fold {
                Fold::Base64 | Fold::Hex => self.world.bytes = true,
                Fold::Decode => self.world.bytes = base.is_none(),
                _ => {}
            }
        }
        self.world.spend(subject.text().map_or(1, |text| 1 + text.len() / 32));
        match fold {
            Fold::Same => {
                let plain = |arg: &Arg| arg.value.text().is_none_or(is_plain_encoding);
                let others = args.iter().filter(|arg| arg.name.is_none()).skip(usize::from(base.is_none()));
                if others.into_iter().all(plain) { subject } else { Value::Unknown }
            }
            Fold::Located => {
                self.world.output.doubt();
                subject
            }
            Fold::First => subject,
            Fold::Trim | Fold::Chomp if args.len() > usize::from(base.is_none()) => Value::Unknown,
            Fold::Trim => subject.text().map_or(Value::Unknown, |text| Value::Text(text.trim().to_owned())),
            Fold::Chomp => subject.text().map_or(Value::Unknown, |text| {
                Value::Text(text.strip_suffix('\n').unwrap_or(text).to_owned())
            }),
            Fold::Percent => subject.text().map_or(Value::Unknown, codec::percent_encoded),
            Fold::Chr => value::chr(&subject),
            Fold::Chrs => {
                let all: Vec<Value> = values().iter().flat_map(Value::elements).map(value::chr).collect();
                value::join("", &all)
            }
            Fold::JoinList => match (&subject, &first) {
                (Value::Text(between), Value::List(values)) => value::join(between, values),
                (Value::Text(_), Value::Text(text)) if subject.text() == Some("") => {
                    Value::Text(text.clone())
                }
                _ => Value::Unknown,
            },
            Fold::ListJoin => match &subject {
                Value::List(values) => {
                    let usual = if self.lang() == Language::JavaScript { "," } else { "" };
                    value::join(separator.text().unwrap_or(usual), values)
                }
                _ => Value::Unknown,
            },
            Fold::JoinCall => {
                let rest: Vec<Value> =
                    args.iter().skip(1).flat_map(|arg| arg.value.elements().to_vec()).collect();
                match (&first, &second) {
                    (Value::List(values), Value::Text(between)) => value::join(between, values),
                    (Value::List(values), Value::Unknown) => value::join("", values),
                    (Value::Text(between), _) => value::join(between, &rest),
                    _ => Value::Unknown,
                }
            }
            Fold::JoinPath | Fold::Resolved => {
                if fold == Fold::Resolved {
                    self.world.output.doubt();
                }
                let all: Vec<Value> = base.cloned().into_iter().chain(values()).collect();
                let mut path = String::new();
                for part in all.iter().map(Value::shown) {
                    if part.starts_with('/') || path.is_empty() {
                        path = part;
                    } else {
                        if !path.ends_with('/') {
                            path.push('/');
                        }
                        path.push_str(&part);
                    }
                }
                value::text(path)
            }
            Fold::Concat => {
                let all: Vec<Value> = base.cloned().into_iter().chain(values()).collect();
                if let Some(Value::List(_)) = base {
                    return Value::List(all.iter().flat_map(|value| value.elements().to_vec()).collect());
                }
                value::join("", &all)
            }
            Fold::Reverse => value::reversed(&subject),
            Fold::ReverseAll => match &values()[..] {
                [Value::List(list)] => Value::List(list.iter().rev().cloned().collect()),
                all => value::reversed(&value::join("", all)),
            },
            Fold::Base64 => subject.text().map_or(Value::Unknown, codec::base64),
            Fold::Hex => subject.text().map_or(Value::Unknown, codec::hex),
            Fold::Rot13 => subject.text().map_or(Value::Unknown, codec::rot13),
            Fold::Lower => subject.text().map_or(Value::Unknown, |text| Value::Text(text.to_lowercase())),
            Fold::Replace => replace(&subject, base.is_some(), args, usize::MAX),
            Fold::ReplaceFirst => replace(&subject, base.is_some(), args, 1),
            Fold::Split => match (&subject, separator) {
                (Value::Text(text), Value::Text(between)) if between.is_empty() => {
                    Value::List(text.chars().map(|c| Value::Text(c.into())).collect())
                }
                (Value::Text(text), Value::Text(between)) => {
                    Value::List(text.split(between.as_str()).map(|part| Value::Text(part.into())).collect())
                }
                (Value::Text(text), _) if args.len() < 2 => {
                    Value::List(text.split_whitespace().map(|part| Value::Text(part.into())).collect())
                }
                _ => Value::Unknown,
            },
            Fold::Format => {
                let named: Vec<(String, Value)> = args
                    .iter()
                    .filter_map(|arg| arg.name.clone().map(|name| (name, arg.value.clone())))
                    .collect();
                subject.text().map_or(Value::Unknown, |pattern| value::braces(pattern, &values(), &named))
            }
            Fold::Sprintf => match &first {
                Value::Text(pattern) => {
                    let rest: Vec<Value> =
                        args.iter().skip(1).flat_map(|arg| arg.value.elements().to_vec()).collect();
                    value::percent(pattern, &rest)
                }
                _ => Value::Unknown,
            },
            Fold::Substring => {
                let from = usize::from(base.is_none());
                let number = |i: usize| args.get(i).and_then(|arg| arg.value.number());
                let (start, length) = (number(from), number(from + 1));
                let end = start.zip(length).map(|(start, length)| start + length);
                if length.is_some_and(|n| n < 0.0) || (start.is_some_and(|n| n < 0.0) && end == Some(0.0)) {
                    return Value::Unknown;
                }
                value::slice(&subject, start, end, None)
            }
            Fold::Pack if base.is_some() => pack_of_list(base, &first),
            Fold::Pack => match (first.text(), second.text()) {
                (Some(kind), Some(text)) if kind.starts_with(['H', 'h']) => codec::hex(text),
                (Some(kind), _) if kind.starts_with(['C', 'c', 'U', 'W']) => {
                    let all: Vec<Value> = args
                        .iter()
                        .skip(1)
                        .flat_map(|arg| arg.value.elements().to_vec())
                        .map(|v| value::chr(&v))
                        .collect();
                    value::join("", &all)
                }
                (Some(kind), Some(text)) if kind.starts_with(['A', 'a']) => Value::Text(text.to_owned()),
                _ => Value::Unknown,
            },
            Fold::Unpack => {
                let (packed, kind) = match base {
                    Some(base) => (base.text(), first.text()),
                    None => (second.text(), first.text()),
                };
                match (packed, kind) {
                    (Some(packed), Some(kind)) if kind.starts_with('m') => codec::base64(packed),
                    _ => Value::Unknown,
                }
            }
            Fold::Decode => decode(&subject, separator),
            Fold::GetAttribute => self.attribute(&first, &second),
            Fold::MapCall => self.map_call(base, &first, &second),
            Fold::Array => Value::List(values()),
        }
    }

    /// `getattr(module, name)`.
    fn attribute(&mut self, owner: &Value, name: &Value) -> Value {
        if let Some(name) = name.text() {
            self.member(owner.clone(), name)
        } else {
            self.world.odd();
            self.member(owner.clone(), "?")
        }
    }

    /// `map(f, list)` and `list.map(f)`: each call is made.
    fn map_call(&mut self, base: Option<&Value>, first: &Value, second: &Value) -> Value {
        let (function, list) = match base {
            Some(list) => (first, list),
            None => (first, second),
        };
        if !matches!(function, Value::Name(_) | Value::Member(..) | Value::Text(_) | Value::Local(_)) {
            return Value::Unknown;
        }
        let elements = match list {
            Value::List(values) => values.clone(),
            Value::Text(text) if text.contains('*') => vec![list.clone()],
            Value::Text(text) => text.chars().map(|c| Value::Text(c.into())).collect(),
            _ => vec![Value::Unknown],
        };
        let mut results = Vec::new();
        for value in elements {
            self.world.spend(1);
            if self.world.exhausted() {
                break;
            }
            results.push(self.call(function.clone(), vec![Arg { name: None, value }]));
        }
        Value::List(results)
    }
}

fn replace(subject: &Value, on_value: bool, args: &[Arg], most: usize) -> Value {
    let text = |i: usize| args.get(i).and_then(|arg| arg.value.text());
    // On a value: (from, to). As a call: (from, to, subject), as PHP has it.
    let (from, to, subject) =
        if on_value { (text(0), text(1), subject.text()) } else { (text(0), text(1), text(2)) };
    match (from, to, subject) {
        // A count, or a sign in the replacement, means more than its text.
        _ if on_value && args.len() > 2 => Value::Unknown,
        (_, Some(to), _) if to.contains(['$', '\\']) => Value::Unknown,
        (Some(from), Some(to), Some(subject)) if !from.is_empty() && to.len() <= from.len().max(16) => {
            value::text(subject.replacen(from, to, most))
        }
        _ => Value::Unknown,
    }
}

/// Ruby's `[…].pack('c*')` and `["…"].pack('H*')`.
fn pack_of_list(base: Option<&Value>, kind: &Value) -> Value {
    match (base, kind.text()) {
        (Some(Value::List(values)), Some(kind)) if kind.starts_with(['c', 'C', 'U']) => {
            let all: Vec<Value> = values.iter().map(value::chr).collect();
            value::join("", &all)
        }
        (Some(Value::List(values)), Some(kind)) if kind.starts_with(['H', 'h']) => {
            values.first().and_then(Value::text).map_or(Value::Unknown, codec::hex)
        }
        _ => Value::Unknown,
    }
}

/// Bytes or text in a named encoding, or of a list of codes.
fn decode(subject: &Value, encoding: &Value) -> Value {
    match (subject, encoding.text()) {
        (Value::Text(text), Some("base64" | "base64url" | "base-64")) => codec::base64(text),
        (Value::Text(text), Some("hex" | "hex_codec")) => codec::hex(text),
        (Value::Text(text), Some("rot13" | "rot_13" | "rot-13")) => codec::rot13(text),
        (Value::List(values), _) => {
            let all: Vec<Value> = values.iter().map(value::chr).collect();
            value::join("", &all)
        }
        (Value::Text(_), None) => subject.clone(),
        (Value::Text(_), Some(name)) if is_plain_encoding(name) => subject.clone(),
        _ => Value::Unknown,
    }
}

fn is_plain_encoding(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "utf8" | "utf-8" | "ascii" | "us-ascii" | "latin1" | "latin-1" | "binary" | "iso-8859-1"
    )
}
