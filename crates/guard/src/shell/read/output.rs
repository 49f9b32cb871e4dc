//! What well-known programs print, where it can be told: so that a command which another one prints is read, too.

use super::Reading;
use crate::shell::text::{ENVIRONMENT, HOLE, globs_as_text, is_known, origin};

const MOST: usize = 32 * 1024;

/// `echo`.
pub(super) fn echo(words: &[String]) -> String {
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

/// `printf FORMAT …`.
pub(super) fn printf(words: &[String]) -> String {
    let Some((format, rest)) = words.split_first() else { return String::new() };
    let format: Vec<char> = unescape(&globs_as_text(format)).chars().collect();
    let mut values = rest.iter();
    let mut out = String::new();
    for _ in 0..64 {
        let before = values.len();
        let mut at = 0;
        while at < format.len() {
            if format[at] != '%' {
                out.push(format[at]);
                at += 1;
                continue;
            }
            at += 1;
            while format.get(at).is_some_and(|c| c.is_ascii_digit() || "-+ #0.*'".contains(*c)) {
                at += 1;
            }
            match format.get(at) {
                Some('%') => out.push('%'),
                Some('b') => out.push_str(&unescape(values.next().map_or("", String::as_str))),
                Some('c') => out.extend(values.next().and_then(|value| value.chars().next())),
                Some('x' | 'X' | 'o') => match values.next().map(|value| value.parse::<i64>()) {
                    Some(Ok(value)) => out.push_str(&if format[at] == 'o' {
                        format!("{value:o}")
                    } else {
                        format!("{value:x}")
                    }),
                    _ => out.push(HOLE),
                },
                Some(_) => out.push_str(values.next().map_or("", String::as_str)),
                None => {}
            }
            at += 1;
        }
        if values.len() == 0 || values.len() == before || out.len() > MOST {
            break;
        }
    }
    out
}

/// Backslash escapes, as `echo -e` and `printf` have them.
pub(super) fn unescape(text: &str) -> String {
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

impl Reading<'_> {
    /// What a program prints with these words and this input; `None` where that is not known here.
    pub(super) fn simulate(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let flags: Vec<&str> =
            words.iter().filter(|word| word.starts_with('-') && word.len() > 1).map(String::as_str).collect();
        let operands: Vec<&str> = words
            .iter()
            .filter(|word| !word.starts_with('-') || word.len() == 1)
            .map(String::as_str)
            .collect();
        let first = operands.first().copied();
        if let Some(text) = input.filter(|text| !is_known(text))
            && matches!(name, "rev" | "tr" | "sed" | "gsed" | "awk" | "gawk" | "mawk")
        {
            return Some(format!("{HOLE}{}", origin(text)));
        }
        match name {
            "cat" | "tac" | "tee" | "sort" | "uniq" | "nl" | "fmt" | "less" | "more" | "bat" | "pv"
            | "sponge" | "column" | "dos2unix" => {
                if name == "cat" && !operands.is_empty() && operands != ["-"] {
                    let texts: Option<Vec<String>> = operands
                        .iter()
                        .map(|path| self.files.get(&self.written(path).path).cloned())
                        .collect();
                    return texts.map(|texts| texts.concat());
                }
                input.map(str::to_owned)
            }
            "rev" => input
                .map(|text| text.lines().map(|line| line.chars().rev().collect::<String>() + "\n").collect()),
            "base64" | "gbase64" => {
                let decodes = flags.iter().any(|flag| {
                    flag.starts_with("-d")
                        || flag.starts_with("-D")
                        || flag.starts_with("--d")
                        || flag.starts_with("-id")
                });
                self.decoded(decodes, input, super::output::base64)
            }
            "base32" => self.decoded(
                flags.iter().any(|flag| flag.starts_with("-d") || flag.starts_with("--d")),
                input,
                base32,
            ),
            "openssl" => {
                let decodes = words.iter().any(|word| word == "-d")
                    && words.iter().any(|word| word == "-base64" || word == "base64" || word == "-a");
                self.decoded(decodes, input, base64)
            }
            "xxd" | "hexdump" => {
                self.decoded(name == "xxd" && flags.iter().any(|flag| flag.contains('r')), input, hex)
            }
            "tr" => transliterate(words, input?),
            "sed" | "gsed" => substitute(&operands, words, input?),
            "head" | "tail" => self.head_or_tail(name, words, input),
            "cut" => cut(words, input?),
            "seq" => {
                let numbers: Vec<i64> = operands.iter().filter_map(|word| word.parse().ok()).collect();
                match numbers.as_slice() {
                    [to] => Some(sequence(1, *to)),
                    [from, to] => Some(sequence(*from, *to)),
                    _ => None,
                }
            }
            "basename" => first.map(|path| {
                path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned() + "\n"
            }),
            "dirname" => first.map(|path| {
                let folder = path.trim_end_matches('/').rsplit_once('/').map_or(".", |(folder, _)| folder);
                format!("{}\n", if folder.is_empty() { "/" } else { folder })
            }),
            "realpath" | "readlink" => {
                first.map(|path| self.written(path).path + "\n").filter(|path| is_known(path))
            }
            "which" | "whereis" => first.map(|program| format!("/usr/bin/{program}\n")),
            "whoami" | "logname" => Some(format!("{HOLE}\n")),
            "grep" | "egrep" | "fgrep" | "rg" => {
                // `env | grep PATH` shows no secret.
                let text = input.filter(|text| text.contains(ENVIRONMENT))?;
                let pattern = first.unwrap_or_default().to_lowercase();
                let wide = flags.iter().any(|flag| flag.contains('v'))
                    || pattern.len() < 3
                    || pattern.contains(['.', '*', '|', '\\', '[']);
                let secret = ["tok", "key", "sec", "pas", "pwd", "aut", "cre", "api", "aws", "git", "ope"]
                    .iter()
                    .any(|part| pattern.contains(part));
                Some(if wide || secret { text.to_owned() } else { HOLE.to_string() })
            }
            "xargs" => None,
            "awk" | "gawk" | "mawk" => awk_print(&operands, input),
            "gzip" | "gunzip" | "zcat" | "bzip2" | "xz" | "zstd" => {
                input.map(|text| format!("{HOLE}{}", origin(text)))
            }
            "ls" => {
                let path = first.unwrap_or(".");
                let folder = path.trim_end_matches('/');
                let whole = matches!(self.class_of(path), crate::shell::judge::Class::Root);
                Some(if whole {
                    format!("/{}\n", crate::shell::text::STAR)
                } else {
                    format!("{folder}/{HOLE}\n")
                })
            }
            "envsubst" | "paste" | "fold" | "tsort" | "shuf" => input.map(str::to_owned),
            _ => None,
        }
        .map(|text| if text.len() > MOST { format!("{HOLE}{}", origin(&text)) } else { text })
    }

    fn decoded(
        &mut self,
        decodes: bool,
        input: Option<&str>,
        decode: fn(&str) -> Option<String>,
    ) -> Option<String> {
        let text = input?;
        if !decodes {
            return Some(format!("{HOLE}{}", origin(text)));
        }
        if !is_known(text) {
            return Some(text.to_owned());
        }
        decode(text)
    }

    fn head_or_tail(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let mut count = None;
        let mut bytes = false;
        let mut files = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let value = match word.as_str() {
                "-n" | "-c" | "--lines" | "--bytes" => {
                    at += 1;
                    words.get(at - 1).cloned()
                }
                word if word.starts_with("-n") || word.starts_with("-c") => Some(word[2..].to_owned()),
                word if word.starts_with('-') && word.len() > 1 => Some(word[1..].to_owned()),
                word => {
                    files.push(word.to_owned());
                    continue;
                }
            };
            bytes |= word.contains('c') || word.contains("bytes");
            count = value.filter(|value| !value.is_empty());
        }
        let text = match files.first() {
            Some(file) => self.files.get(&self.written(file).path)?.clone(),
            None => input?.to_owned(),
        };
        if !is_known(&text) {
            return Some(text);
        }
        let count = count.unwrap_or_else(|| "10".to_owned());
        let from = count.starts_with('+');
        let number = count.trim_start_matches(['+', '-']).parse::<usize>().ok()?;
        if bytes {
            let chars: Vec<char> = text.chars().collect();
            return Some(match (name, from) {
                ("head", _) => chars.iter().take(number).collect(),
                (_, true) => chars.iter().skip(number.saturating_sub(1)).collect(),
                (_, false) => chars.iter().skip(chars.len().saturating_sub(number)).collect(),
            });
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        Some(match (name, from) {
            ("head", _) => lines.iter().take(number).copied().collect(),
            (_, true) => lines.iter().skip(number.saturating_sub(1)).copied().collect(),
            (_, false) => lines.iter().skip(lines.len().saturating_sub(number)).copied().collect(),
        })
    }
}

fn sequence(from: i64, to: i64) -> String {
    (from..=to.min(from.saturating_add(100))).map(|n| format!("{n}\n")).collect()
}

pub(super) fn base64(text: &str) -> Option<String> {
    let mut bits = 0u32;
    let mut held = 0;
    let mut bytes = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace() && *c != '=') {
        let value = match c {
            'A'..='Z' => c as u32 - 'A' as u32,
            'a'..='z' => c as u32 - 'a' as u32 + 26,
            '0'..='9' => c as u32 - '0' as u32 + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            _ => return None,
        };
        bits = bits << 6 | value;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).unwrap_or(0));
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn base32(text: &str) -> Option<String> {
    let mut bits = 0u64;
    let mut held = 0;
    let mut bytes = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace() && *c != '=') {
        let value = match c.to_ascii_uppercase() {
            c @ 'A'..='Z' => u64::from(c as u32 - 'A' as u32),
            c @ '2'..='7' => u64::from(c as u32 - '2' as u32 + 26),
            _ => return None,
        };
        bits = bits << 5 | value;
        held += 5;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).unwrap_or(0));
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn hex(text: &str) -> Option<String> {
    let digits: Vec<u8> =
        text.chars().filter_map(|c| c.to_digit(16)).filter_map(|digit| u8::try_from(digit).ok()).collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn transliterate(words: &[String], input: &str) -> Option<String> {
    let deletes = words.iter().any(|word| word.starts_with('-') && word.contains('d'));
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
fn substitute(operands: &[&str], words: &[String], input: &str) -> Option<String> {
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
                ".*" => Some(input.lines().map(|_| format!("{with}\n")).collect()),
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

fn cut(words: &[String], input: &str) -> Option<String> {
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
        let part = parts.last_mut();
        if c == '\\' && chars.peek() == Some(&separator) {
            chars.next();
            part.map(|part| part.push(separator));
        } else if c == separator {
            parts.push(String::new());
        } else {
            part.map(|part| part.push(c));
        }
    }
    parts
}

/// `awk '{print $2}'` and `awk 'BEGIN{print "…"}'`.
fn awk_print(operands: &[&str], input: Option<&str>) -> Option<String> {
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
fn awk_printf(program: &str) -> Option<String> {
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
