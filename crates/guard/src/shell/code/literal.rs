//! String literals: quotes, escapes, and the expressions inside them.

use super::Language;
use super::token::{Cutter, Piece, Token};

/// Source that no reader takes for code it knows.
const NOT_UNDERSTOOD: &str = "\u{e001}";

/// How the inside of a literal is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// Nothing is special.
    Raw,
    /// Only the quote and the backslash can be escaped.
    Single,
    /// Escapes, no expressions.
    Escaping,
    /// Escapes and expressions.
    Expanding,
    /// A regular expression: the text stays as it is, expressions are found.
    Pattern,
}

/// The literal as one string, if it has no expressions in it.
pub(super) fn plain(pieces: &[Piece]) -> Option<String> {
    match pieces {
        [] => Some(String::new()),
        [Piece::Plain(text)] => Some(text.clone()),
        _ => None,
    }
}

/// A literal whose opening quote is at the current place.
pub(super) fn quoted(cutter: &mut Cutter<'_>, close: char, quote: Quote) -> Vec<Piece> {
    cutter.at += 1;
    body(cutter, None, close, 1, quote)
}

/// A literal in three quotes.
pub(super) fn tripled(cutter: &mut Cutter<'_>, close: char, quote: Quote) -> Vec<Piece> {
    cutter.at += 3;
    body(cutter, None, close, 3, quote)
}

/// Lua's `[[…]]` and `[==[…]==]`.
pub(super) fn long_bracket(cutter: &mut Cutter<'_>) -> Option<String> {
    let mut level = 0;
    while cutter.peek(1 + level) == '=' {
        level += 1;
    }
    if cutter.peek(1 + level) != '[' {
        return None;
    }
    cutter.at += 2 + level;
    let start = cutter.at;
    while cutter.at < cutter.chars.len() {
        if cutter.peek(0) == ']'
            && (0..level).all(|i| cutter.peek(1 + i) == '=')
            && cutter.peek(1 + level) == ']'
        {
            let text = cutter.chars[start..cutter.at].iter().collect();
            cutter.at += 2 + level;
            return Some(text);
        }
        cutter.at += 1;
    }
    Some(cutter.chars[start.min(cutter.chars.len())..].iter().collect())
}

fn body(cutter: &mut Cutter<'_>, open: Option<char>, close: char, times: usize, quote: Quote) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut nested = 0usize;
    while cutter.at < cutter.chars.len() {
        let c = cutter.peek(0);
        if c == close && (0..times).all(|i| cutter.peek(i) == close) {
            if nested == 0 {
                cutter.at += times;
                break;
            }
            nested -= 1;
        } else if Some(c) == open {
            nested += 1;
        }
        if c == '\\' && quote != Quote::Raw {
            escape(cutter, close, quote, &mut text);
        } else if let Some(code) = expression(cutter, quote) {
            if !text.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut text)));
            }
            pieces.push(Piece::Code(code));
        } else {
            text.push(c);
            cutter.at += 1;
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Plain(text));
    }
    pieces
}

fn escape(cutter: &mut Cutter<'_>, close: char, quote: Quote, text: &mut String) {
    let next = cutter.peek(1);
    if quote == Quote::Pattern {
        text.extend(['\\', next].iter().filter(|&&c| c != '\0'));
        cutter.at += 2;
        return;
    }
    if quote == Quote::Single {
        if next != '\\' && next != close {
            text.push('\\');
            cutter.at += 1;
            return;
        }
        text.push(next);
        cutter.at += 2;
        return;
    }
    cutter.at += 2;
    let decimal = cutter.lang == Language::Lua;
    match next {
        // Changes of case and their kin.
        'U' | 'L' | 'Q' | 'E' | 'u' | 'l' | 'F' | 'N' | 'c' if cutter.lang == Language::Perl => {
            text.push('\u{e000}');
        }
        'C' | 'M' | 'c' if cutter.lang == Language::Ruby => text.push('\u{e000}'),
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'a' if cutter.lang != Language::Php => text.push('\u{7}'),
        'b' if cutter.lang != Language::Php => text.push('\u{8}'),
        'f' => text.push('\u{c}'),
        'v' => text.push('\u{b}'),
        'e' if cutter.lang != Language::Python => text.push('\u{1b}'),
        'x' => text.extend(code_point(cutter, 2, 16)),
        'u' => text.extend(code_point(cutter, 4, 16)),
        'U' => text.extend(code_point(cutter, 8, 16)),
        '0'..='9' if decimal => {
            cutter.at -= 1;
            text.extend(code_point(cutter, 3, 10));
        }
        '0'..='7' => {
            cutter.at -= 1;
            text.extend(code_point(cutter, 3, 8));
        }
        '\n' | '\0' => {}
        'N' if cutter.lang == Language::Python && cutter.peek(0) == '{' => text.push('\u{e000}'),
        other => {
            let keeps =
                matches!(cutter.lang, Language::Python) || (cutter.lang == Language::Php && other != '$');
            if keeps
                && other != close
                && other != '\\'
                && (other != '\'' || cutter.lang == Language::Php)
                && (other != '"' || cutter.lang == Language::Php)
            {
                text.push('\\');
            }
            text.push(other);
        }
    }
}

fn code_point(cutter: &mut Cutter<'_>, digits: usize, radix: u32) -> Option<char> {
    let braced = cutter.peek(0) == '{' && radix == 16;
    cutter.at += usize::from(braced);
    let limit = if braced { 8 } else { digits };
    let mut value = 0u32;
    for _ in 0..limit {
        let Some(digit) = cutter.peek(0).to_digit(radix) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        cutter.at += 1;
    }
    if braced && cutter.peek(0) == '}' {
        cutter.at += 1;
    }
    char::from_u32(value)
}

/// The source of an expression inside a literal, if one begins here.
fn expression(cutter: &mut Cutter<'_>, quote: Quote) -> Option<String> {
    if !matches!(quote, Quote::Expanding | Quote::Pattern) {
        return None;
    }
    let (c, next) = (cutter.peek(0), cutter.peek(1));
    let named = next.is_alphabetic() || next == '_';
    match cutter.lang {
        Language::Python if c == '{' => {
            if next == '{' {
                cutter.at += 1;
                return None;
            }
            let inner = embedded(cutter);
            // A format or conversion after the expression is not part of it.
            let end = inner
                .char_indices()
                .find(|&(i, c)| {
                    c == '!' && !inner[i..].starts_with("!=")
                        || c == ':' && !inner[..i].contains(['(', '[', '\'', '"'])
                })
                .map_or(inner.len(), |(i, _)| i);
            // What a format makes of it is not followed: a list has no text that is known.
            let shape = &inner[end..];
            let plain = matches!(shape, "" | ":" | ":s" | ":d" | "!s");
            Some(if plain { inner[..end].to_owned() } else { format!("[{}]", &inner[..end]) })
        }
        Language::Ruby | Language::Elixir if c == '#' && next == '{' => {
            cutter.at += 1;
            Some(embedded(cutter))
        }
        Language::JavaScript | Language::Groovy | Language::Julia
            if c == '$' && next == '{' && quote == Quote::Expanding =>
        {
            cutter.at += 1;
            Some(embedded(cutter))
        }
        Language::Julia if c == '$' && next == '(' => {
            cutter.at += 1;
            Some(balanced(cutter, '(', ')').unwrap_or_else(|| NOT_UNDERSTOOD.to_owned()))
        }
        Language::Groovy | Language::Julia if c == '$' && named => Some(variable(cutter)),
        Language::Php if c == '{' && next == '$' => Some(embedded(cutter)),
        Language::Php if c == '$' && (named || next == '{') => Some(variable(cutter)),
        Language::Perl
            if c == '('
                && next == '?'
                && (cutter.peek(2) == '{' || cutter.peek(3) == '{')
                && quote == Quote::Pattern =>
        {
            cutter.at += if cutter.peek(2) == '{' { 2 } else { 3 };
            Some(embedded(cutter))
        }
        Language::Perl if matches!(c, '$' | '@') && (named || matches!(next, '{' | '$')) => {
            Some(variable(cutter))
        }
        Language::Perl
            if c == '$'
                && (next.is_ascii_digit() || matches!(next, '&' | '!' | '0' | '.'))
                && quote != Quote::Pattern =>
        {
            Some(variable(cutter))
        }
        _ => None,
    }
}

/// The source in braces; if they do not close, something that is not understood, never plain text.
fn embedded(cutter: &mut Cutter<'_>) -> String {
    balanced(cutter, '{', '}').unwrap_or_else(|| {
        cutter.at += 1;
        NOT_UNDERSTOOD.to_owned()
    })
}

/// A variable with its subscripts, as it stands in a string.
fn variable(cutter: &mut Cutter<'_>) -> String {
    let start = cutter.at;
    cutter.at += 1;
    while cutter.peek(0) == '$' {
        cutter.at += 1;
    }
    if cutter.peek(0) == '{' {
        if balanced(cutter, '{', '}').is_none() {
            cutter.at += 1;
            return NOT_UNDERSTOOD.to_owned();
        }
    } else if cutter.peek(0).is_alphanumeric() || cutter.peek(0) == '_' {
        let _ = cutter.word();
    } else if cutter.at < cutter.chars.len() {
        cutter.at += 1;
    }
    loop {
        let arrow = cutter.peek(0) == '-' && cutter.peek(1) == '>' && matches!(cutter.peek(2), '[' | '{');
        let at = usize::from(arrow) * 2;
        let before = cutter.at;
        let subscript = match cutter.peek(at) {
            // In a pattern a brace or bracket after a name is more often a quantifier or a class.
            '[' if matches!(cutter.peek(at + 1), '0'..='9' | '$' | '-') => Some(('[', ']')),
            '{' if matches!(cutter.peek(at + 1), 'a'..='z' | 'A'..='Z' | '$' | '"' | '\'' | '_') => {
                Some(('{', '}'))
            }
            _ => None,
        };
        let Some((open, close)) = subscript else { break };
        cutter.at += at;
        if balanced(cutter, open, close).is_none() {
            cutter.at = before;
            break;
        }
    }
    cutter.chars[start..cutter.at.min(cutter.chars.len())].iter().collect()
}

/// What stands between a bracket at the current place and its partner, or nothing if it has none nearby.
fn balanced(cutter: &mut Cutter<'_>, open: char, close: char) -> Option<String> {
    // So that many unclosed brackets do not each search the whole text.
    const MISSES: usize = 64;
    if cutter.misses > MISSES {
        return None;
    }
    let mut depth = 0usize;
    let mut quote = None;
    for (i, &c) in cutter.chars[cutter.at.min(cutter.chars.len())..].iter().enumerate() {
        match quote {
            Some(q) if c == q => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == open => depth += 1,
            None if c == close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let inner = cutter.chars[cutter.at + 1..cutter.at + i].iter().collect();
                    cutter.at += i + 1;
                    return Some(inner);
                }
            }
            Some(_) | None => {}
        }
    }
    cutter.misses += 1;
    None
}

/// Python's `r'…'`, `b'…'`, `f'…'` and their mixtures.
pub(super) fn python_prefixed(cutter: &mut Cutter<'_>) -> Option<Token> {
    let length = (0..3).find(|&i| matches!(cutter.peek(i), '\'' | '"'))?;
    if length == 0
        || (0..length).any(|i| !matches!(cutter.peek(i), 'r' | 'R' | 'b' | 'B' | 'f' | 'F' | 'u' | 'U' | 't'))
    {
        return None;
    }
    let has = |letter: char| (0..length).any(|i| cutter.peek(i).eq_ignore_ascii_case(&letter));
    let bytes = has('b');
    let quote = match (has('f'), has('r')) {
        (true, _) => Quote::Expanding,
        (false, true) => Quote::Raw,
        (false, false) => Quote::Escaping,
    };
    cutter.at += length;
    let c = cutter.peek(0);
    let pieces = if cutter.peek(1) == c && cutter.peek(2) == c {
        tripled(cutter, c, quote)
    } else {
        quoted(cutter, c, quote)
    };
    Some(if bytes { Token::Bytes(pieces) } else { Token::Text(pieces) })
}

fn partner(open: char) -> (Option<char>, char) {
    match open {
        '(' => (Some('('), ')'),
        '[' => (Some('['), ']'),
        '{' => (Some('{'), '}'),
        '<' => (Some('<'), '>'),
        other => (None, other),
    }
}

fn delimited(cutter: &mut Cutter<'_>, quote: Quote) -> Vec<Piece> {
    let (open, close) = partner(cutter.peek(0));
    cutter.at += 1;
    body(cutter, open, close, 1, quote)
}

/// Perl's quote-like words.
pub(super) fn perl_quote(cutter: &mut Cutter<'_>) -> Option<Token> {
    const WORDS: &[&str] = &["qq", "qw", "qx", "qr", "tr", "q", "m", "s", "y"];
    let word = WORDS.iter().find(|word| {
        word.chars().enumerate().all(|(i, c)| cutter.peek(i) == c)
            && !(cutter.peek(word.len()).is_alphanumeric() || cutter.peek(word.len()) == '_')
    })?;
    let mut skip = word.len();
    while cutter.peek(skip) == ' ' {
        skip += 1;
    }
    let delimiter = cutter.peek(skip);
    let ends_name = cutter.at > 0 && matches!(cutter.chars[cutter.at - 1], '$' | '@' | '%' | '&' | '_');
    let plain_use =
        matches!(delimiter, ',' | ';' | ')' | '\0' | '=') || (skip > word.len() && delimiter == '#');
    let key = delimiter == '}' || (delimiter == '=' && cutter.peek(skip + 1) == '>');
    if ends_name || plain_use || key || delimiter.is_alphanumeric() || delimiter.is_whitespace() {
        return None;
    }
    cutter.at += skip;
    let expands = if delimiter == '\'' { Quote::Raw } else { Quote::Expanding };
    Some(match *word {
        "q" => Token::Text(delimited(cutter, Quote::Single)),
        "qq" => Token::Text(delimited(cutter, expands)),
        "qx" => Token::Shell(delimited(cutter, expands)),
        "qw" => {
            let text = plain(&delimited(cutter, Quote::Raw)).unwrap_or_default();
            Token::Words(text.split_whitespace().map(str::to_owned).collect())
        }
        "m" | "qr" => {
            let pieces = delimited(cutter, Quote::Pattern);
            cutter.flags();
            Token::Regex(pieces, None)
        }
        word => {
            let quote = if word == "s" { Quote::Pattern } else { Quote::Raw };
            let mut pieces = delimited(cutter, quote);
            if partner(delimiter).0.is_some() {
                while cutter.peek(0).is_whitespace() {
                    cutter.at += 1;
                }
            } else {
                cutter.at = cutter.at.saturating_sub(1);
            }
            let start = cutter.at + 1;
            let replacement = delimited(cutter, if word == "s" { Quote::Pattern } else { Quote::Raw });
            let source: String =
                cutter.chars.get(start..cutter.at.saturating_sub(1)).unwrap_or_default().iter().collect();
            let runs = cutter.flags().contains('e') && word == "s";
            if !runs && word == "s" {
                pieces.extend(replacement);
            }
            Token::Regex(pieces, Some(if runs { source } else { String::new() }))
        }
    })
}

/// Ruby's `%x{…}`, `%w[…]`, `%q(…)`.
pub(super) fn ruby_percent(cutter: &mut Cutter<'_>) -> Option<Token> {
    let kind = cutter.peek(1);
    let lettered = matches!(kind, 'x' | 'q' | 'Q' | 'w' | 'W' | 'i' | 'I' | 'r');
    let delimiter = cutter.peek(1 + usize::from(lettered));
    if delimiter.is_alphanumeric() || delimiter.is_whitespace() || delimiter == '=' || delimiter == '\0' {
        return None;
    }
    cutter.at += 1 + usize::from(lettered);
    Some(match kind {
        'x' => Token::Shell(delimited(cutter, Quote::Expanding)),
        'q' => Token::Text(delimited(cutter, Quote::Single)),
        'w' | 'W' | 'i' | 'I' => match plain(&delimited(cutter, Quote::Expanding)) {
            Some(text) => Token::Words(text.split_whitespace().map(str::to_owned).collect()),
            None => Token::Odd,
        },
        'r' => {
            let pieces = delimited(cutter, Quote::Pattern);
            cutter.flags();
            Token::Regex(pieces, None)
        }
        _ => Token::Text(delimited(cutter, Quote::Expanding)),
    })
}
