//! Variables of `cmd`: `%x%`, `%x:~1,2%`, `%x:a=b%`, `!x!`, and the loop's `%i`.

use super::lex::UNKNOWN;
use crate::shell::windows::tables::environment::ENVIRONMENT;

const LONGEST_VALUE: usize = 8192;

/// Variables set so far, and those of the loops around.
#[derive(Debug, Default, Clone)]
pub(super) struct Variables {
    set: Vec<(String, String)>,
    loops: Vec<(char, String)>,
}

impl Variables {
    pub fn set(&mut self, name: &str, value: String) {
        let name = name.trim().to_lowercase();
        self.set.retain(|(known, _)| *known != name);
        if self.set.len() < 64 && value.len() <= LONGEST_VALUE {
            self.set.push((name, value));
        }
    }

    pub fn enter_loop(&mut self, letter: char, value: String) {
        self.loops.push((letter, value));
    }

    pub fn leave_loop(&mut self) {
        self.loops.pop();
    }

    fn get(&self, name: &str) -> Option<&str> {
        let own = self.set.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        own.or_else(|| ENVIRONMENT.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
    }

    fn of_loop(&self, letter: char) -> Option<&str> {
        self.loops.iter().rev().find(|(l, _)| *l == letter).map(|(_, value)| value.as_str())
    }

    /// Puts in what is known; what is not becomes the mark of the unknown.
    pub fn expand(&self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < chars.len() && out.len() < 128 * 1024 {
            let c = chars[at];
            at += 1;
            match c {
                '%' => at = self.percent(&chars, at, &mut out),
                '!' => match name_end(&chars, at, '!') {
                    Some(end)
                        if self.get(&lowered(&chars[at..end])).is_some()
                            || end - at > 1 && is_name(&chars[at..end]) =>
                    {
                        self.value(&chars[at..end], &mut out);
                        at = end + 1;
                    }
                    _ => out.push('!'),
                },
                _ => out.push(c),
            }
        }
        out
    }

    /// After a `%`: a loop's variable, a parameter, or a name up to the next `%`.
    fn percent(&self, chars: &[char], mut at: usize, out: &mut String) -> usize {
        let start = at;
        if chars.get(at) == Some(&'%') {
            at += 1;
        }
        let tilde = chars.get(at) == Some(&'~');
        let mut letter_at = at;
        if tilde {
            letter_at += 1;
            while chars.get(letter_at).is_some_and(|c| "fdpnxsatzFDPNXSATZ".contains(*c))
                && chars.get(letter_at + 1).is_some_and(char::is_ascii_alphanumeric)
            {
                letter_at += 1;
            }
        }
        if let Some(&letter) = chars.get(letter_at) {
            let closing = name_end(chars, at, '%').filter(|end| is_name(&chars[at..*end]) && !tilde);
            if let Some(value) = self
                .of_loop(letter)
                .filter(|_| closing.is_none_or(|end| self.get(&lowered(&chars[at..end])).is_none()))
            {
                out.push_str(value);
                return letter_at + 1;
            }
            if letter == '0' && closing.is_none() {
                out.push_str("%0");
                return letter_at + 1;
            }
            if (letter.is_ascii_digit() || letter == '*') && closing.is_none() {
                out.push(UNKNOWN);
                return letter_at + 1;
            }
        }
        match name_end(chars, start, '%') {
            Some(end) if end > start && is_name(&chars[start..end]) => {
                self.value(&chars[start..end], out);
                end + 1
            }
            _ => {
                out.push('%');
                start
            }
        }
    }

    fn value(&self, inner: &[char], out: &mut String) {
        let inner: String = inner.iter().collect();
        let (name, change) = inner.split_once(':').unwrap_or((&inner, ""));
        let Some(value) = self.get(&name.to_lowercase()) else {
            out.push(UNKNOWN);
            return;
        };
        if let Some(cut) = change.strip_prefix('~') {
            out.push_str(&cut_out(value, cut));
        } else if let Some((from, to)) = change.split_once('=').filter(|(from, _)| !from.is_empty()) {
            out.push_str(&replaced(value, from, to));
        } else {
            out.push_str(value);
        }
    }
}

fn lowered(chars: &[char]) -> String {
    chars.iter().collect::<String>().to_lowercase().split(':').next().unwrap_or_default().to_owned()
}

fn name_end(chars: &[char], from: usize, mark: char) -> Option<usize> {
    chars.get(from..)?.iter().take(200).position(|c| *c == mark).map(|i| from + i)
}

fn is_name(chars: &[char]) -> bool {
    !chars.is_empty()
        && !chars.iter().any(|c| matches!(c, '\n' | '"' | '|' | '<' | '>' | '%'))
        && chars[0] != ' '
}

/// `~start,length`, both of which may count from the end.
fn cut_out(value: &str, cut: &str) -> String {
    let chars: Vec<char> = value.chars().collect();
    let length = i64::try_from(chars.len()).unwrap_or(i64::MAX);
    let mut numbers = cut.split(',').map(|n| n.trim().parse::<i64>().unwrap_or(0));
    let start = numbers.next().unwrap_or(0);
    let start = if start < 0 { (length.saturating_add(start)).max(0) } else { start.min(length) };
    let end = match numbers.next() {
        None => length,
        Some(count) if count < 0 => length.saturating_add(count).max(start),
        Some(count) => start.saturating_add(count).min(length),
    };
    let index = |n: i64| usize::try_from(n).unwrap_or(0).min(chars.len());
    chars[index(start)..index(end).max(index(start))].iter().collect()
}

/// Replaces without regard to case, as cmd does.
fn replaced(value: &str, from: &str, to: &str) -> String {
    let (lower, wanted) = (value.to_ascii_lowercase(), from.to_ascii_lowercase());
    if let Some(wanted) = wanted.strip_prefix('*') {
        return lower
            .find(wanted)
            .and_then(|at| value.get(at + wanted.len()..))
            .map_or_else(|| value.to_owned(), |rest| format!("{to}{rest}"));
    }
    let (mut out, mut at) = (String::new(), 0);
    while let Some(found) = lower.get(at..).and_then(|rest| rest.find(&wanted)) {
        out.push_str(value.get(at..at + found).unwrap_or_default());
        out.push_str(to);
        at += found + wanted.len();
        if out.len() > LONGEST_VALUE {
            return UNKNOWN.to_string();
        }
    }
    out.push_str(value.get(at..).unwrap_or_default());
    out
}
