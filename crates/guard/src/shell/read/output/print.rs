//! `echo`, `printf` and the escapes in them.

use super::MOST;
use crate::shell::text::{HOLE, globs_as_text};

/// `echo`.
pub fn echo(words: &[String]) -> String {
    let mut words = words;
    let mut newline = true;
    let mut escapes = false;
    while let Some(word) = words.first().filter(|word| {
        word.len() > 1 && word.starts_with('-') && word[1..].chars().all(|c| "neE".contains(c))
    }) {
        newline &= !word.contains('n');
        escapes |= word.contains('e');
        words = &words[1..];
    }
    let mut text = words.join(" ");
    if escapes {
        text = unescape(&text);
    }
    if newline {
        text.push('\n');
    }
    text
}

/// `printf FORMAT …`: the format is used again until no value is left.
pub fn printf(words: &[String]) -> String {
    const MOST_ROUNDS: usize = 256;
    let Some((format, rest)) = words.split_first() else { return String::new() };
    let format: Vec<char> = unescape(&globs_as_text(format)).chars().collect();
    let mut values = rest.iter();
    let mut out = String::new();
    for _ in 0..MOST_ROUNDS {
        let before = values.len();
        print_once(&format, &mut values, &mut out);
        if values.len() == 0 || values.len() == before {
            return out;
        }
        if out.len() > MOST {
            break;
        }
    }
    out.push(HOLE);
    out
}

fn print_once<'v>(format: &[char], values: &mut impl Iterator<Item = &'v String>, out: &mut String) {
    let mut at = 0;
    while at < format.len() {
        if format[at] != '%' {
            out.push(format[at]);
            at += 1;
            continue;
        }
        let start = at + 1;
        at = start;
        while format.get(at).is_some_and(|c| c.is_ascii_digit() || "-+ #.*'".contains(*c)) {
            at += 1;
        }
        let size: String = format[start..at].iter().collect();
        match format.get(at) {
            Some('%') => out.push('%'),
            Some(kind) => out.push_str(&converted(*kind, &size, values.next().map_or("", String::as_str))),
            None => {}
        }
        at += 1;
    }
}

/// One value, as `%s` and its like print it; a hole where that is not so simple.
fn converted(kind: char, size: &str, value: &str) -> String {
    let number = value.parse::<i64>();
    let text = match (kind, number) {
        ('s', _) => value.to_owned(),
        ('b', _) => unescape(value),
        ('c', _) => value.chars().take(1).collect(),
        ('d' | 'i' | 'u', Ok(number)) => number.to_string(),
        ('x', Ok(number)) => format!("{number:x}"),
        ('X', Ok(number)) => format!("{number:X}"),
        ('o', Ok(number)) => format!("{number:o}"),
        _ => return HOLE.to_string(),
    };
    match size.strip_prefix('.').map(str::parse) {
        None if size.is_empty() => text,
        Some(Ok(most)) if matches!(kind, 's' | 'b') => text.chars().take(most).collect(),
        // Filled up with blanks or zeros.
        _ => format!("{text}{HOLE}"),
    }
}

/// Backslash escapes, as `echo -e` and `printf` have them.
pub fn unescape(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        at += 1;
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(&escape) = chars.get(at) else {
            out.push('\\');
            break;
        };
        at += 1;
        let (radix, most) = match escape {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => {
                at -= usize::from(escape != '0');
                (8, 3)
            }
            'n' => {
                out.push('\n');
                continue;
            }
            't' => {
                out.push('\t');
                continue;
            }
            'r' => {
                out.push('\r');
                continue;
            }
            'c' => break,
            '\\' | '"' | '\'' => {
                out.push(escape);
                continue;
            }
            'a' | 'b' | 'f' | 'v' | 'e' | 'E' => continue,
            other => {
                out.push('\\');
                out.push(other);
                continue;
            }
        };
        let mut value = 0u32;
        let mut digits = 0;
        while digits < most
            && let Some(digit) = chars.get(at).and_then(|c| c.to_digit(radix))
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            at += 1;
            digits += 1;
        }
        out.extend(
            char::from_u32(if radix == 8 { value & 0xff } else { value })
                .filter(|_| digits > 0 || escape == '0'),
        );
    }
    out
}
