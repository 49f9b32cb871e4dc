//! From a name to its value: the sign between them (`=`, `:`, `=>`, «is», `--flag value`, `<tag>`), the
//! quotes, and where the value ends.

use std::ops::Range;

use super::values::Form;

/// How far values are looked at; a longer one is judged by its beginning.
const MOST: usize = 2048;
/// The same without quotes.
const MOST_BARE: usize = 256;

/// A name in a text.
#[derive(Debug)]
pub(super) struct Name {
    pub range: Range<usize>,
    /// `<name>`.
    is_tag: bool,
    /// `--name`.
    is_flag: bool,
    /// `NAME`.
    pub is_upper: bool,
    /// Nothing but a mark of a list, a diff, a comment or a line number stands before it.
    starts_line: bool,
    /// After `?`, `&` or `;`: in a query or a connection string.
    in_query: bool,
}

/// A value that stands beside a name.
#[derive(Debug)]
pub(super) struct Place {
    pub range: Range<usize>,
    pub form: Form,
}

/// What stands beside a name.
#[derive(Debug)]
pub(super) enum Beside {
    Value(Place),
    /// A sign, and then a call, a type, a reference, nothing: no literal.
    Expression,
    /// No sign: the name is just a word.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// `=`, with nothing around it.
    Tight,
    /// `=`, `:=`, `=>` with spaces.
    Equals,
    Colon,
    Compares,
    Says,
    Flag,
    Tag,
}

impl Name {
    pub(super) fn new(text: &str, range: Range<usize>) -> Self {
        let bytes = text.as_bytes();
        let before = |n: usize| range.start.checked_sub(n).map(|i| bytes[i]);
        let name = &text[range.clone()];
        Self {
            is_tag: before(1) == Some(b'<')
                && !before(2).is_some_and(|b| b.is_ascii_alphanumeric() || b"?_".contains(&b)),
            is_flag: before(1) == Some(b'-') && before(2) == Some(b'-'),
            is_upper: !name.bytes().any(|b| b.is_ascii_lowercase())
                && name.bytes().any(|b| b.is_ascii_uppercase()),
            starts_line: starts_line(bytes, range.start),
            in_query: matches!(before(1), Some(b'?' | b'&' | b';')),
            range,
        }
    }

    /// What this name is given, if it is given anything here.
    pub(super) fn beside(&self, text: &str) -> Beside {
        match self.sign(text) {
            Some((sign, from)) => self.value(text, sign, from).map_or(Beside::Expression, Beside::Value),
            None => Beside::Nothing,
        }
    }

    fn value(&self, text: &str, sign: Sign, from: usize) -> Option<Place> {
        let bytes = text.as_bytes();
        let opened = from + bytes[from..].iter().take(2).take_while(|b| b"bBrRfFuUL@$".contains(b)).count();
        if let Some(quote) = Quote::at(bytes, opened).or_else(|| Quote::at(bytes, from)) {
            return Some(self.quoted(bytes, sign, &quote));
        }
        match sign {
            Sign::Compares => None,
            Sign::Tag => {
                let len = bytes[from..].iter().take(MOST).take_while(|b| !b"<\r\n".contains(b)).count();
                let closed = bytes[from + len..].starts_with(b"</");
                closed.then_some(Place { range: from..from + len, form: Form::Quoted })
            }
            Sign::Colon => typed(bytes, from)
                .map(|quote| Place { range: quote.range(bytes), form: Form::Quoted })
                .or_else(|| self.bare(text, sign, from)),
            _ => self.bare(text, sign, from),
        }
    }

    fn quoted(&self, bytes: &[u8], sign: Sign, quote: &Quote) -> Place {
        let form = match sign {
            Sign::Says | Sign::Compares => Form::Said,
            Sign::Tight if self.is_upper => Form::QuotedEnv,
            _ => Form::Quoted,
        };
        Place { range: quote.range(bytes), form }
    }

    /// What stands between the name and its value, and where the value begins.
    fn sign(&self, text: &str) -> Option<(Sign, usize)> {
        let bytes = text.as_bytes();
        // Quotes and brackets that close around the name, escaped perhaps; emphasis; `?` of an optional field.
        let closing = bytes[self.range.end..].iter().take(6).take_while(|b| b"\\\"'`]*?".contains(b)).count();
        let closed = self.range.end + closing;
        let gap = spaces(bytes, closed);
        let at = closed + gap;
        let at = at + remark(text, at, gap);
        let rest = &bytes[at..];
        let (sign, len) = match rest {
            [b'=', b'=', b'=', ..] => (Sign::Compares, 3),
            [b'=', b'=', ..] => (Sign::Compares, 2),
            [b'=', b'~', ..] | [b':', b':', ..] => return None,
            [b'=', b'>', ..] | [b':', b'=', ..] => (Sign::Equals, 2),
            [b'-', b'>', b' ', ..] if gap > 0 => (Sign::Colon, 2),
            [b'=', next, ..] if gap == 0 && !next.is_ascii_whitespace() => (Sign::Tight, 1),
            [b'=', ..] => (Sign::Equals, 1),
            [b':', ..] => (Sign::Colon, 1),
            [b'>', ..] if self.is_tag && gap == 0 => return Some((Sign::Tag, at + 1)),
            _ => match ["：", "＝"].iter().find(|sign| text[at..].starts_with(**sign)) {
                Some(sign) => (Sign::Colon, sign.len()),
                None => return self.said(text, at, gap),
            },
        };
        let mut from = at + len;
        from += bytes[from..].iter().take(2).take_while(|b| **b == b'*').count();
        Some((sign, from + spaces(bytes, from)))
    }

    /// «password is …», `--password …`, «密码是 …».
    fn said(&self, text: &str, at: usize, gap: usize) -> Option<(Sign, usize)> {
        let rest = &text.as_bytes()[at..];
        for word in ["是", "为", "為"] {
            if rest.starts_with(word.as_bytes()) {
                let from = at + word.len();
                return Some((Sign::Says, from + spaces(text.as_bytes(), from)));
            }
        }
        // «tests pass to …» is about something else.
        if gap == 0 || text[self.range.clone()].eq_ignore_ascii_case("pass") {
            return None;
        }
        for word in ["is ", "is: ", "was ", "to "] {
            if rest.starts_with(word.as_bytes()) {
                return Some((Sign::Says, at + word.len()));
            }
        }
        (self.is_flag && gap == 1).then_some((Sign::Flag, at))
    }

    /// A value without quotes.
    fn bare(&self, text: &str, sign: Sign, from: usize) -> Option<Place> {
        let bytes = text.as_bytes();
        if sign == Sign::Colon && self.starts_line && matches!(bytes.get(from), Some(b'|' | b'>')) {
            return block_scalar(text, self.range.start, from);
        }
        if matches!(bytes.get(from), None | Some(b'&' | b'*' | b'!' | b'(' | b'[' | b'{' | b'<' | b'\\'))
            && sign != Sign::Tight
        {
            return None;
        }
        // On a line of its own everything up to a space belongs to the value, elsewhere not what code ends
        // a value with.
        let whole_line = self.starts_line && matches!(sign, Sign::Tight | Sign::Colon | Sign::Equals);
        let len = bare_len(text, from, whole_line);
        // What ends a list, a statement or a sentence is not of the value.
        let ending: &[char] = if sign == Sign::Says { &[',', ';', '.', '!', '?', ')'] } else { &[',', ';'] };
        let end = from + text[from..from + len].trim_end_matches(ending).len();
        let rest = &bytes[end + spaces(bytes, end)..];
        let next = rest.first().copied();
        let is_typed = sign == Sign::Colon && next == Some(b'=');
        if end == from || is_typed || is_expression(&bytes[from..end]) {
            return None;
        }
        let ends_line = matches!(next, None | Some(b'\r' | b'\n' | b'#'));
        let in_code = from + len > end || next.is_some_and(|b| b",;()[].{}|&?+=*<>".contains(&b));
        let is_pair = match bytes[end..] {
            [b'&', ..] => true,
            // `Password=…;Server=…`
            [b';', next, ..] => next.is_ascii_alphanumeric() || b"\"'".contains(&next),
            _ => false,
        };
        let form = match sign {
            Sign::Says => Form::Said,
            Sign::Tight if self.is_upper || self.in_query || is_pair => Form::Literal,
            Sign::Tight if self.starts_line && ends_line && !in_code => Form::Literal,
            Sign::Flag if ends_line || next == Some(b'-') => Form::Line,
            Sign::Colon | Sign::Equals if self.starts_line && ends_line && !in_code => Form::Line,
            Sign::Tight | Sign::Colon | Sign::Flag if !in_code => Form::Said,
            _ => Form::Loose,
        };
        // On an indented line with `=`, a word without a digit is more often a variable than a password.
        let form = if form == Form::Line && sign == Sign::Equals && self.is_indented(bytes) {
            Form::Said
        } else {
            form
        };
        Some(Place { range: from..end, form })
    }

    fn is_indented(&self, bytes: &[u8]) -> bool {
        self.range.start > 0 && matches!(bytes[self.range.start - 1], b' ' | b'\t')
    }
}

/// How long a remark between a name and its sign is: «Password (staging): …», «密码（测试）：…».
fn remark(text: &str, at: usize, gap: usize) -> usize {
    let rest = &text[at..];
    let is_chinese = !text.as_bytes()[..at - gap].last().is_none_or(u8::is_ascii);
    let close = match rest.chars().next() {
        Some('(') if gap > 0 || is_chinese => ')',
        Some('（') => '）',
        _ => return 0,
    };
    let end = rest.char_indices().take(24).find(|(_, c)| *c == close).map(|(i, c)| i + c.len_utf8());
    // Only where a sign follows: else it is no remark.
    end.filter(|end| rest[*end..].starts_with([':', '：', '='])).unwrap_or(0)
}

/// `name: &str = "value"`, `name: string = 'value'`.
fn typed(bytes: &[u8], from: usize) -> Option<Quote> {
    let kind = bytes[from..]
        .iter()
        .take(48)
        .take_while(|b| b.is_ascii_alphanumeric() || b"_&'<>[]:,. |?*".contains(b))
        .count();
    let sign = from + kind;
    (kind > 0 && bytes.get(sign) == Some(&b'='))
        .then(|| Quote::at(bytes, sign + 1 + spaces(bytes, sign + 1)))
        .flatten()
}

/// `name: |` and the lines that are indented deeper than it.
fn block_scalar(text: &str, name: usize, from: usize) -> Option<Place> {
    let head = text[from..].lines().next()?;
    if head.len() > 4 || !head.bytes().all(|b| b"|>+-0123456789 ".contains(&b)) {
        return None;
    }
    let line = text[..name].rfind('\n').map_or(0, |i| i + 1);
    let depth = name - line;
    let first = from + head.len() + text[from + head.len()..].find('\n')? + 1;
    let mut range = None;
    let mut at = first;
    for line in text[first..].split_inclusive('\n').take(8) {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if !content.is_empty() {
            if indent <= depth {
                break;
            }
            let start = range.map_or(at + indent, |(start, _)| start);
            range = Some((start, at + indent + content.len()));
        }
        at += line.len();
    }
    range.map(|(start, end)| Place { range: start..end, form: Form::Quoted })
}

fn spaces(bytes: &[u8], from: usize) -> usize {
    bytes[from..].iter().take(32).take_while(|b| matches!(b, b' ' | b'\t')).count()
}

fn bare_len(text: &str, from: usize, whole_line: bool) -> usize {
    let bytes = text.as_bytes();
    let ends = |i: usize| {
        let b = bytes[i];
        b.is_ascii_whitespace()
            || b"\"'`<".contains(&b)
            // An escaped line break or quote of the string around.
            || (b == b'\\' && bytes.get(i + 1).is_none_or(|next| b"nrt\"'\\u".contains(next)))
            || (!whole_line && b",;&|)]}>".contains(&b))
    };
    let mut i = from;
    while i < bytes.len() && i - from <= MOST_BARE && !ends(i) {
        i += 1;
    }
    while !text.is_char_boundary(i) {
        i -= 1;
    }
    let value = &text[from..i];
    value.find(['：', '，', '。', '；', '、', '！', '）', '」', '⟦']).unwrap_or(value.len())
}

/// A call, an index, a generic type, a path of names: `f(x)`, `a[0]`, `Option<T>`, `a::b`, `a->b`.
fn is_expression(value: &[u8]) -> bool {
    let name = value.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.:".contains(b)).count();
    let rest = &value[name..];
    let rest = if name > 0 { rest.strip_prefix(b"!").unwrap_or(rest) } else { rest };
    let called = name > 0 && matches!(rest.first(), Some(b'(' | b'[' | b'{' | b'<'));
    called || rest.starts_with(b"->") || value.windows(2).any(|pair| pair == b"::")
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    const LEADS: &[&[u8]] =
        &[b"export", b"set", b"ENV", b"ARG", b"env", b"declare -x", b"$env:", b"let", b"setx"];
    let from = at.saturating_sub(48);
    let line = bytes[from..at].iter().rposition(|b| *b == b'\n');
    let start = line.map_or(from, |i| from + i + 1);
    let before = bytes[start..at].trim_ascii();
    let whole = line.is_some() || from == 0;
    let marks = |text: &[u8]| {
        text.iter().all(|b| b.is_ascii_digit() || b" \t:|+-#>/*;\"'".contains(b) || !b.is_ascii())
    };
    let led = LEADS.iter().any(|lead| before.strip_suffix(*lead).is_some_and(marks));
    // `path:12:` as `grep` prints it.
    let numbered =
        before.last() == Some(&b':') && before.len() > 2 && before[before.len() - 2].is_ascii_digit();
    (whole && (marks(before) || led)) || numbered
}

/// An opening quote: `"`, `'` or `` ` ``, perhaps escaped (in a string within a string), perhaps tripled.
#[derive(Debug)]
struct Quote {
    from: usize,
    sign: u8,
    backslashes: usize,
    triple: bool,
}

impl Quote {
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let backslashes = bytes[at.min(bytes.len())..].iter().take(8).take_while(|b| **b == b'\\').count();
        let open = at + backslashes;
        let sign = *bytes.get(open).filter(|b| b"\"'`".contains(b))?;
        let triple = backslashes == 0 && bytes[open..].starts_with(&[sign; 3]);
        Some(Self { from: open + if triple { 3 } else { 1 }, sign, backslashes, triple })
    }

    /// What is in the quotes; up to the end of the line or text where they do not close.
    fn range(&self, bytes: &[u8]) -> Range<usize> {
        let most = bytes.len().min(self.from + MOST);
        let mut i = self.from;
        let mut run = 0;
        while i < most {
            let b = bytes[i];
            if b == self.sign {
                let closes = match self.backslashes {
                    0 => run % 2 == 0 && (!self.triple || bytes[i..].starts_with(&[b; 3])),
                    n => run <= n,
                };
                if closes {
                    // Backslashes of an escaped quote are its own.
                    return self.from..i - if self.backslashes > 0 { run } else { 0 };
                }
            }
            if b == b'\n' && !self.triple && self.sign != b'`' {
                break;
            }
            run = if b == b'\\' { run + 1 } else { 0 };
            i += 1;
        }
        while i < bytes.len() && bytes[i] & 0xC0 == 0x80 {
            i += 1; // to the end of a character
        }
        self.from..i
    }
}
