//! What is known of a value, and the arithmetic on constants that hides commands in published tricks.

/// Stands in a text for a part that is not known.
pub(super) const HOLE: char = '\u{e000}';

/// Longer texts are not followed.
pub(super) const LONGEST: usize = 65_536;

/// Stands in a path for anything below the folder before it.
pub(super) const WITHIN: char = '\u{e100}';

/// Whether a character stands for unknown text.
pub(super) fn is_hole(c: char) -> bool {
    ('\u{e000}'..=WITHIN).contains(&c)
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Unknown,
    /// Text, in which unknown parts are holes.
    Text(String),
    Number(f64),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    /// A name of the language or of a module, such as `os.system`.
    Name(String),
    /// A member of a value that is not a name.
    Member(Box<Value>, String),
    /// One of these.
    Choice(Vec<Value>),
    /// A function written in the source itself, by its number.
    Local(usize),
}

impl Value {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// As a text, with a hole for what is not known.
    pub(super) fn shown(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(number) => format!("{number}"),
            Value::Choice(values) => values.first().map_or_else(|| HOLE.to_string(), Value::shown),
            _ => HOLE.to_string(),
        }
    }

    /// One of these, as a flat list that is cut off with `Unknown` if it grows too long.
    pub(super) fn one_of(values: Vec<Value>) -> Value {
        const MOST: usize = 32;
        let mut flat: Vec<Value> = Vec::new();
        for value in values {
            match value {
                Value::Choice(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        if flat.len() > MOST {
            flat.truncate(MOST - 1);
            flat.push(Value::Unknown);
        }
        if flat.len() == 1 { flat.remove(0) } else { Value::Choice(flat) }
    }

    /// Each thing it may be.
    pub(super) fn choices(&self) -> &[Value] {
        match self {
            Value::Choice(values) => values,
            other => std::slice::from_ref(other),
        }
    }

    /// The elements: of a list, or the value itself.
    pub(super) fn elements(&self) -> &[Value] {
        match self {
            Value::List(values) => values,
            other => std::slice::from_ref(other),
        }
    }

    /// How big it is, counted no further than `limit`.
    fn weight(&self, depth: usize, limit: usize) -> usize {
        if depth > 16 {
            return limit;
        }
        let inner = |values: &mut dyn Iterator<Item = &Value>| {
            let mut sum = 1;
            for value in values {
                sum += value.weight(depth + 1, limit);
                if sum >= limit {
                    return limit;
                }
            }
            sum
        };
        match self {
            Value::Text(text) | Value::Name(text) => 1 + text.len() / 16,
            Value::List(values) | Value::Choice(values) => inner(&mut values.iter()),
            Value::Map(entries) => inner(&mut entries.iter().map(|(_, value)| value)),
            Value::Member(base, name) => 1 + name.len() / 16 + base.weight(depth + 1, limit),
            Value::Unknown | Value::Number(_) | Value::Local(_) => 1,
        }
    }

    /// The value if it is small enough to be kept, with what it costs to copy it.
    pub(super) fn kept(self) -> (Value, usize) {
        const HEAVIEST: usize = 8192;
        let weight = self.weight(0, HEAVIEST);
        if weight >= HEAVIEST { (Value::Unknown, 1) } else { (self, weight) }
    }
}

/// Text, unless it has become too long to follow.
pub(super) fn text(text: String) -> Value {
    if text.len() > LONGEST { Value::Unknown } else { Value::Text(text) }
}

/// `"%s" % x`, `sprintf`: directives replaced by the values in turn.
pub(super) fn percent(pattern: &str, values: &[Value]) -> Value {
    let mut out = String::new();
    let mut values = values.iter();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            out.push('%');
            continue;
        }
        let mut shape = String::new();
        while let Some(c) = chars.next_if(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | ' ' | '#'))
        {
            shape.push(c);
        }
        let kind = chars.next();
        match (kind, values.next()) {
            (Some('c'), Some(value)) => out.push_str(&chr(value).shown()),
            (Some('s' | 'd' | 'i'), Some(value)) => out.push_str(&shaped(&shape, value.shown())),
            _ => out.push(HOLE),
        }
    }
    text(out)
}

/// Cut and filled as a directive such as `%-5.2s` says.
fn shaped(shape: &str, text: String) -> String {
    if shape.is_empty() {
        return text;
    }
    let (width, most) =
        shape.split_once('.').map_or((shape, None), |(width, most)| (width, most.parse().ok()));
    let (left, width) = width.strip_prefix('-').map_or((false, width), |width| (true, width));
    // More than this is not worth the room.
    let width = if width.is_empty() { Some(0) } else { width.parse::<usize>().ok().filter(|n| *n < 256) };
    let (Some(width), false) = (width, text.contains(is_hole)) else { return HOLE.to_string() };
    let text: String = text.chars().take(most.unwrap_or(usize::MAX)).collect();
    if left { format!("{text:<width$}") } else { format!("{text:>width$}") }
}

/// `"{} {0} {name}".format(…)`.
pub(super) fn braces(pattern: &str, values: &[Value], named: &[(String, Value)]) -> Value {
    let mut out = String::new();
    let mut next = 0;
    let mut rest = pattern;
    while let Some(open) = rest.find(['{', '}']) {
        out.push_str(&rest[..open]);
        let doubled = rest[open + 1..].starts_with(&rest[open..=open]);
        let close = rest[open..].find('}').filter(|_| !doubled);
        let Some(close) = close else {
            out.push_str(&rest[open..=open]);
            rest = &rest[open + 1 + usize::from(doubled)..];
            continue;
        };
        let field = &rest[(open + 1).min(open + close)..open + close];
        let (field, shape) = field.split_once([':', '!']).unwrap_or((field, ""));
        let value = if field.is_empty() {
            next += 1;
            values.get(next - 1)
        } else if let Ok(index) = field.parse::<usize>() {
            values.get(index)
        } else {
            named.iter().find(|(name, _)| name == field).map(|(_, value)| value)
        };
        let plain = matches!(shape, "" | "s" | "d");
        out.push_str(&value.filter(|_| plain).map_or_else(|| HOLE.to_string(), Value::shown));
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    text(out)
}

/// The character of a code point.
pub(super) fn chr(value: &Value) -> Value {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    match value {
        Value::Number(n) if *n >= 0.0 => {
            char::from_u32(*n as u32).map_or(Value::Unknown, |c| Value::Text(c.into()))
        }
        Value::Text(t) if t.parse::<f64>().is_err() => Value::Text(t.clone()),
        Value::Text(t) => t.parse().map_or(Value::Unknown, |n| chr(&Value::Number(n))),
        _ => Value::Unknown,
    }
}

/// A list of texts put together with something between.
pub(super) fn join(between: &str, values: &[Value]) -> Value {
    let mut out = String::new();
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push_str(between);
        }
        out.push_str(&value.shown());
        if out.len() > LONGEST {
            return Value::Unknown;
        }
    }
    Value::Text(out)
}

/// Back to front.
pub(super) fn reversed(value: &Value) -> Value {
    match value {
        Value::Text(t) => Value::Text(t.chars().rev().collect()),
        Value::List(values) => Value::List(values.iter().rev().cloned().collect()),
        _ => Value::Unknown,
    }
}

/// A part of a text or list between two places, negative ones counted from the end, with a step of 1 or -1.
pub(super) fn slice(value: &Value, from: Option<f64>, to: Option<f64>, step: Option<f64>) -> Value {
    let cut = |length: usize| {
        #[allow(clippy::cast_precision_loss)]
        let length_number = length as f64;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let place = |n: f64| (if n < 0.0 { length_number + n } else { n }).clamp(0.0, length_number) as usize;
        (from.map_or(0, place), to.map_or(length, place))
    };
    let backwards = step == Some(-1.0);
    if (backwards && (from.is_some() || to.is_some())) || !matches!(step, None | Some(1.0 | -1.0)) {
        return Value::Unknown;
    }
    match value {
        _ if backwards => reversed(value),
        Value::Text(t) => {
            let chars: Vec<char> = t.chars().collect();
            let (a, b) = cut(chars.len());
            Value::Text(chars.get(a..b).unwrap_or_default().iter().collect())
        }
        Value::List(values) => {
            let (a, b) = cut(values.len());
            Value::List(values.get(a..b).unwrap_or_default().to_vec())
        }
        _ => Value::Unknown,
    }
}

/// One element of a text, list or map.
pub(super) fn element(value: &Value, index: &Value) -> Value {
    match (value, index) {
        (Value::Map(entries), Value::Text(key)) => {
            entries.iter().find(|(name, _)| name == key).map_or(Value::Unknown, |(_, value)| value.clone())
        }
        (Value::List(values), Value::Number(n)) => {
            let n = if *n < 0.0 { *n + f64::from(u32::try_from(values.len()).unwrap_or(0)) } else { *n };
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            values.get(n.max(0.0) as usize).cloned().unwrap_or(Value::Unknown)
        }
        (Value::Text(_), Value::Number(n)) => {
            let end = if (*n + 1.0).abs() < f64::EPSILON { None } else { Some(*n + 1.0) };
            slice(value, Some(*n), end, None)
        }
        _ => Value::Unknown,
    }
}
