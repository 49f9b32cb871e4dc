//! What an expression of PowerShell gives, as far as it can be told without running it.

use crate::shell::windows::report::Word;

/// Stands in a text for a part that is only known when it runs.
pub(super) const UNKNOWN: char = '\u{E000}';
const LONGEST: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Number(i64),
    List(Vec<Value>),
    Bytes(Vec<u8>),
    /// A script block, not yet run.
    Block(String),
    /// An object of a type (lower case).
    Object(String),
    Type(String),
    /// Files or folders, by path; `narrowed` once a filter has been put on them.
    Paths {
        paths: Vec<String>,
        deep: bool,
        narrowed: bool,
    },
    /// Something that came from the network.
    Download,
    Unknown,
}

impl Value {
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.len() > LONGEST { Self::Unknown } else { Self::Text(text) }
    }

    /// As text; parts that cannot be told are marked.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Block(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::List(values) => {
                let mut all = String::new();
                for (i, value) in values.iter().enumerate() {
                    if i > 0 {
                        all.push(' ');
                    }
                    all.push_str(&value.shown());
                    if all.len() > LONGEST {
                        return UNKNOWN.to_string();
                    }
                }
                all
            }
            Self::Paths { paths, .. } => paths.join(" "),
            Self::Type(name) => name.clone(),
            Self::Bytes(_) | Self::Object(_) | Self::Download | Self::Unknown => UNKNOWN.to_string(),
        }
    }

    /// As text, if all of it is known.
    pub fn known(&self) -> Option<String> {
        let text = self.shown();
        (!text.contains(UNKNOWN)).then_some(text)
    }

    pub fn is_download(&self) -> bool {
        match self {
            Self::Download => true,
            Self::List(values) => values.iter().any(Self::is_download),
            _ => false,
        }
    }

    pub fn items(&self) -> Vec<Value> {
        match self {
            Self::List(values) => values.clone(),
            Self::Paths { paths, deep, narrowed } => paths
                .iter()
                .map(|p| Self::Paths { paths: vec![p.clone()], deep: *deep, narrowed: *narrowed })
                .collect(),
            other => vec![other.clone()],
        }
    }

    /// As arguments of a program.
    pub fn words(&self) -> Vec<Word> {
        let word = |text: String| {
            let known = !text.contains(UNKNOWN);
            Word { text: text.replace(UNKNOWN, ""), known, quoted: false }
        };
        match self {
            Self::List(values) => values.iter().flat_map(Self::words).collect(),
            Self::Paths { paths, .. } => paths.iter().cloned().map(word).collect(),
            other => vec![word(other.shown())],
        }
    }

    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => {
                let text = text.trim();
                match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
                    Some(hex) => i64::from_str_radix(hex, 16).ok(),
                    None => text.parse().ok(),
                }
            }
            _ => None,
        }
    }

    /// The character of a code, for `[char]114`.
    pub fn character(&self) -> Value {
        match self {
            Self::List(values) => Self::List(values.iter().map(Self::character).collect()),
            Self::Text(text) if text.chars().count() == 1 => self.clone(),
            other => other
                .number()
                .and_then(|n| u32::try_from(n).ok())
                .and_then(char::from_u32)
                .map_or(Self::Unknown, |c| Self::Text(c.to_string())),
        }
    }

    pub fn joined(&self, between: &str) -> Value {
        if self.is_download() {
            return Self::Download;
        }
        let parts: Vec<String> = self.items().iter().map(Self::shown).collect();
        Self::text(parts.join(between))
    }

    pub fn characters(&self) -> Value {
        match self {
            Self::Text(text) => {
                Self::List(text.chars().take(8192).map(|c| Self::Text(c.to_string())).collect())
            }
            other => other.clone(),
        }
    }

    pub fn plus(&self, other: &Value) -> Value {
        match (self, other) {
            (Self::Download, _) | (_, Self::Download) => Self::Download,
            (Self::Number(a), _) => other.number().map_or(Self::Unknown, |b| Self::Number(a.wrapping_add(b))),
            (Self::List(a), b) => {
                let mut all = a.clone();
                all.extend(b.items());
                if all.len() > 8192 { Self::Unknown } else { Self::List(all) }
            }
            (a, b) => {
                let mut all = a.shown();
                all.push_str(&b.shown());
                Self::text(all)
            }
        }
    }

    /// `x[i]`, `x[1,2]`, `x[-1..-9]`.
    pub fn at(&self, index: &Value) -> Value {
        let list: Vec<Value> = match self {
            Self::Text(_) => self.characters().items(),
            Self::List(values) => values.clone(),
            Self::Download => return Self::Download,
            Self::Paths { .. } => return self.clone(),
            _ => return Self::Unknown,
        };
        let one = |i: &Value| {
            let i = i.number()?;
            let length = i64::try_from(list.len()).ok()?;
            let place = usize::try_from(if i < 0 { length + i } else { i }).ok()?;
            list.get(place).cloned()
        };
        match index {
            Self::List(places) => Self::List(places.iter().take(8192).filter_map(one).collect()),
            single => one(single).unwrap_or(Self::Unknown),
        }
    }
}
