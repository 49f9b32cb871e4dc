//! `{a,b}` and `{1..9}`.

use crate::shell::syntax::{Unit, Word};

const MOST_WORDS: usize = 256;
/// The most braces of one word: each is looked at for its end.
const MOST_BRACES: usize = 128;

/// The units that all of them may have together.
const MOST_UNITS: usize = 128 * 1024;

/// The words that a word stands for; `None` where they are too many.
pub fn expand(word: &Word) -> Option<Vec<Word>> {
    let braces = word.iter().filter(|unit| **unit == Unit::Bare('{')).count();
    if braces > MOST_BRACES {
        return None;
    }
    let mut done = Vec::new();
    let mut todo = vec![word.clone()];
    while let Some(word) = todo.pop() {
        match first(&word) {
            Some(words) => {
                let count = done.len() + todo.len() + words.len();
                if count > MOST_WORDS || count * word.len() > MOST_UNITS {
                    return None;
                }
                todo.extend(words.into_iter().rev());
            }
            None => done.push(word),
        }
    }
    Some(done)
}

/// The word with its first pair of braces expanded.
fn first(word: &Word) -> Option<Vec<Word>> {
    let mut from = 0;
    loop {
        let open = from + word[from..].iter().position(|unit| *unit == Unit::Bare('{'))?;
        if let Some((close, commas)) = pair(word, open) {
            let parts = alternatives(word, open, close, &commas);
            if let Some(parts) = parts {
                return Some(
                    parts
                        .into_iter()
                        .map(|part| {
                            word[..open]
                                .iter()
                                .cloned()
                                .chain(part)
                                .chain(word[close + 1..].iter().cloned())
                                .collect()
                        })
                        .collect(),
                );
            }
        }
        from = open + 1;
    }
}

/// The brace that closes the one at `open`, and the commas between them.
fn pair(word: &Word, open: usize) -> Option<(usize, Vec<usize>)> {
    let mut depth = 0usize;
    let mut commas = Vec::new();
    for (at, unit) in word.iter().enumerate().skip(open + 1) {
        match unit {
            Unit::Bare('{') => depth += 1,
            Unit::Bare('}') if depth == 0 => return Some((at, commas)),
            Unit::Bare('}') => depth -= 1,
            Unit::Bare(',') if depth == 0 => commas.push(at),
            _ => {}
        }
    }
    None
}

fn alternatives(word: &Word, open: usize, close: usize, commas: &[usize]) -> Option<Vec<Word>> {
    if commas.is_empty() {
        return range(&word[open + 1..close]);
    }
    let mut parts = Vec::new();
    let mut start = open + 1;
    for &end in commas.iter().chain([&close]) {
        parts.push(word[start..end].to_vec());
        start = end + 1;
    }
    Some(parts)
}

fn range(inner: &[Unit]) -> Option<Vec<Word>> {
    let text: String = inner
        .iter()
        .map(|unit| match unit {
            Unit::Bare(c) => Some(*c),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let mut ends = text.split("..");
    let (from, to, step) = (ends.next()?, ends.next()?, ends.next());
    if let (Ok(from), Ok(to)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let step =
            step.and_then(|step| step.parse::<i64>().ok()).map_or(1, |step| step.saturating_abs().max(1));
        let count = usize::try_from(from.abs_diff(to) / step.unsigned_abs()).ok()?.min(MOST_WORDS / 2);
        let sign = if to < from { -step } else { step };
        let numbers = (0..=count).map(|i| from + sign * i64::try_from(i).unwrap_or(0));
        return Some(numbers.map(|n| bare(&n.to_string())).collect());
    }
    let (mut from_chars, mut to_chars) = (from.chars(), to.chars());
    match (from_chars.next(), to_chars.next(), from_chars.next(), to_chars.next()) {
        (Some(from), Some(to), None, None) => {
            let (low, high) = (from.min(to), from.max(to));
            let mut letters: Vec<Word> =
                (low..=high).take(MOST_WORDS / 2).map(|c| vec![Unit::Bare(c)]).collect();
            if to < from {
                letters.reverse();
            }
            Some(letters)
        }
        _ => None,
    }
}

fn bare(text: &str) -> Word {
    text.chars().map(Unit::Bare).collect()
}
