//! What `tr`, `sed`, `cut`, `head`, `tail` and `awk` make of a text, where it is simple enough to be told.

use super::print::{printf, unescape};
use crate::shell::text::{globs_as_text, is_known};

/// `seq`; `None` where it is longer than is followed.
pub fn sequence(operands: &[&str]) -> Option<String> {
    const MOST_NUMBERS: i64 = 100;
    let numbers: Vec<i64> = operands.iter().filter_map(|word| word.parse().ok()).collect();
    let (from, to) = match numbers.as_slice() {
        [to] if operands.len() == 1 => (1, *to),
        [from, to] if operands.len() == 2 => (*from, *to),
        _ => return None,
    };
    (to.saturating_sub(from) <= MOST_NUMBERS).then(|| (from..=to).map(|n| n.to_string() + "\n").collect())
}

/// `rev`.
pub fn reverse(text: &str) -> String {
    text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()
}

/// What `head` (from the start) or `tail` leaves of a text: so many lines, or characters for bytes.
pub fn part(text: &str, head: bool, bytes: bool, count: &str) -> Option<String> {
    if head && count.starts_with('-') {
        return None;
    }
    let from = count.starts_with('+');
    let number = count.trim_start_matches(['+', '-']).parse::<usize>().ok()?;
    let pieces: Vec<&str> = if bytes {
        text.split("").filter(|c| !c.is_empty()).collect()
    } else {
        text.split_inclusive('\n').collect()
    };
    Some(match (head, from) {
        (true, _) => pieces.iter().take(number).copied().collect(),
        (false, true) => pieces.iter().skip(number.saturating_sub(1)).copied().collect(),
        (false, false) => pieces.iter().skip(pieces.len().saturating_sub(number)).copied().collect(),
    })
}

pub fn transliterate(words: &[String], input: &str) -> Option<String> {
    let flags: String =
        words.iter().filter(|word| word.starts_with('-') && word.len() > 1).cloned().collect();
    if !flags.chars().all(|c| matches!(c, '-' | 'd')) {
        // The other set, or runs of a character as one.
        return None;
    }
    let deletes = flags.contains('d');
    let sets: Vec<Vec<char>> = words
        .iter()
        .filter(|word| !word.starts_with('-') || word.len() == 1)
        .map(|set| tr_set(&globs_as_text(set)))
        .collect();
    let from = sets.first()?;
    Some(
        input
            .chars()
            .filter_map(|c| match from.iter().position(|known| *known == c) {
                None => Some(c),
                Some(_) if deletes => None,
                Some(at) => match sets.get(1) {
                    Some(to) => to.get(at).or(to.last()).copied(),
                    None => Some(c),
                },
            })
            .collect(),
    )
}

fn tr_set(text: &str) -> Vec<char> {
    let text = unescape(text)
        .replace("[:upper:]", "A-Z")
        .replace("[:lower:]", "a-z")
        .replace("[:digit:]", "0-9")
        .replace("[:space:]", " \t\n")
        .replace("[:blank:]", " \t");
    let chars: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while at < chars.len() && set.len() < 512 {
        if at + 2 < chars.len() && chars[at + 1] == '-' && chars[at] <= chars[at + 2] {
            set.extend((chars[at]..=chars[at + 2]).take(256));
            at += 3;
        } else {
            set.push(chars[at]);
            at += 1;
        }
    }
    set
}

/// Plain `s/a/b/` programs; a pattern with special characters is not followed.
pub fn substitute(operands: &[&str], words: &[String], input: &str) -> Option<String> {
    if words.iter().any(|word| word.starts_with('-') && word != "-e" && word != "-E" && word != "-r") {
        return None;
    }
    let program = globs_as_text(operands.first()?);
    let mut text = input.to_owned();
    for command in split_unescaped(&program, ';') {
        let command = command.trim();
        let mut chars = command.chars();
        if chars.next() != Some('s') {
            return None;
        }
        let separator = chars.next()?;
        let parts = split_unescaped(&command[1 + separator.len_utf8()..], separator);
        let [pattern, with, flags] = parts.as_slice() else { return None };
        let (pattern, with) = (pattern.as_str(), with.as_str());
        if pattern.is_empty()
            || pattern.contains(['[', '(', '*', '+', '?', '\\', '{', '|'])
            || with.contains(['\\', '&'])
        {
            return match pattern {
                ".*" => Some(input.lines().map(|_| with.to_owned() + "\n").collect()),
                _ => None,
            };
        }
        let (start, end) = (pattern.starts_with('^'), pattern.ends_with('$'));
        let plain = pattern.trim_start_matches('^').trim_end_matches('$');
        if plain.contains('.') {
            return None;
        }
        let line = |line: &str| {
            if start && end {
                if line == plain { with.to_owned() } else { line.to_owned() }
            } else if start {
                line.strip_prefix(plain).map_or_else(|| line.to_owned(), |rest| format!("{with}{rest}"))
            } else if end {
                line.strip_suffix(plain).map_or_else(|| line.to_owned(), |rest| format!("{rest}{with}"))
            } else if flags.contains('g') {
                line.replace(plain, with)
            } else {
                line.replacen(plain, with, 1)
            }
        };
        text = text.lines().map(|l| line(l) + "\n").collect();
    }
    Some(text)
}

pub fn cut(words: &[String], input: &str) -> Option<String> {
    if !is_known(input) {
        return Some(input.to_owned());
    }
    let mut delimiter = '\t';
    let mut fields = None;
    let mut characters = None;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if !word.starts_with('-') || word.len() < 2 {
            return None;
        }
        let value = if word.len() > 2 {
            word[2..].to_owned()
        } else {
            at += 1;
            words.get(at - 1)?.clone()
        };
        match word.chars().nth(1) {
            Some('d') => delimiter = value.chars().next()?,
            Some('f') => fields = Some(value),
            Some('c' | 'b') => characters = Some(value),
            _ => return None,
        }
    }
    let pick = |list: &str, count: usize| -> Vec<usize> {
        list.split(',')
            .flat_map(|range| {
                let (from, to) = range.split_once('-').unwrap_or((range, range));
                let from = from.parse().unwrap_or(1usize);
                let to = to.parse().unwrap_or(count);
                (from..=to.min(count).min(from.saturating_add(4096))).collect::<Vec<_>>()
            })
            .filter(|n| *n > 0)
            .collect()
    };
    let mut out = String::new();
    for line in input.lines() {
        if let Some(list) = &characters {
            let chars: Vec<char> = line.chars().collect();
            out.extend(pick(list, chars.len()).iter().filter_map(|n| chars.get(n - 1)));
        } else if let Some(list) = &fields {
            let parts: Vec<&str> = line.split(delimiter).collect();
            let kept: Vec<&str> =
                pick(list, parts.len()).iter().filter_map(|n| parts.get(n - 1).copied()).collect();
            out.push_str(&kept.join(&delimiter.to_string()));
        }
        out.push('\n');
    }
    Some(out)
}

/// Parts between separators; a separator after a backslash is an ordinary character.
fn split_unescaped(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == separator {
            parts.push(String::new());
            continue;
        }
        // Where the separator is escaped, the backslash goes.
        let escaped = (c == '\\').then(|| chars.next_if_eq(&separator)).flatten();
        parts.last_mut().unwrap_or(&mut String::new()).push(escaped.unwrap_or(c));
    }
    parts
}

/// `awk '{print $2}'` and `awk 'BEGIN{print "…"}'`.
pub fn awk_print(operands: &[&str], input: Option<&str>) -> Option<String> {
    let program = globs_as_text(operands.first()?);
    if let Some(text) = awk_printf(&program) {
        return Some(text);
    }
    let body = program
        .trim()
        .trim_start_matches("BEGIN")
        .trim()
        .strip_prefix('{')?
        .strip_suffix('}')?
        .trim()
        .strip_prefix("print")?
        .trim()
        .trim_end_matches(';')
        .to_owned();
    if let Some(text) = body.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        return (!text.contains('"')).then(|| unescape(text) + "\n");
    }
    let column = body.strip_prefix('$')?.parse::<usize>().ok()?;
    let text = input?;
    Some(
        text.lines()
            .map(|line| {
                let part = if column == 0 { Some(line) } else { line.split_whitespace().nth(column - 1) };
                part.unwrap_or_default().to_owned() + "\n"
            })
            .collect(),
    )
}

/// `BEGIN{printf "%c%c", 114, 109}`.
pub fn awk_printf(program: &str) -> Option<String> {
    let inner = program.trim().strip_prefix("BEGIN")?.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let rest = inner.strip_prefix("printf")?.trim().trim_start_matches('(').trim_end_matches([';', ')', ' ']);
    let (format, values) = rest.strip_prefix('"')?.split_once('"')?;
    let values: Vec<String> = values
        .split(',')
        .map(|value| value.trim().trim_matches('"'))
        .filter(|value| !value.is_empty())
        .map(|value| {
            value.parse::<u32>().ok().and_then(char::from_u32).map_or_else(|| value.to_owned(), String::from)
        })
        .collect();
    let mut words = vec![format.to_owned()];
    words.extend(values);
    Some(printf(&words))
}
