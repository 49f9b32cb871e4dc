//! What the operators of PowerShell give, where both sides are known.

use super::methods;
use super::value::Value;

pub(super) fn apply(operator: &str, left: &Value, right: &Value) -> Value {
    if left.is_download() {
        return Value::Download;
    }
    let numbers = || Some((left.number()?, right.number()?));
    match operator {
        "+" => left.plus(right),
        "-" => numbers().map_or(Value::Unknown, |(a, b)| Value::Number(a.wrapping_sub(b))),
        "*" => times(left, right),
        "/" => numbers().and_then(|(a, b)| a.checked_div(b)).map_or(Value::Unknown, Value::Number),
        "%" => numbers().and_then(|(a, b)| a.checked_rem(b)).map_or(Value::Unknown, Value::Number),
        "-bxor" => numbers().map_or(Value::Unknown, |(a, b)| Value::Number(a ^ b)),
        "-band" => numbers().map_or(Value::Unknown, |(a, b)| Value::Number(a & b)),
        "-f" => formatted(&left.shown(), &right.items()),
        "-join" => left.joined(&right.shown()),
        "-split" | "-csplit" | "-isplit" => split(left, right),
        "-replace" | "-creplace" | "-ireplace" => replaced(left, right),
        "-as" => match right {
            Value::Type(name) if name == "char" || name == "char[]" => left.character(),
            _ => left.clone(),
        },
        ".." => range(left, right),
        _ => Value::Unknown,
    }
}

fn times(left: &Value, right: &Value) -> Value {
    match (left, right.number()) {
        (Value::Number(a), Some(b)) => Value::Number(a.wrapping_mul(b)),
        (Value::Text(text), Some(count)) if (0..=512).contains(&count) && text.len() < 128 => {
            Value::text(text.repeat(usize::try_from(count).unwrap_or(0)))
        }
        _ => Value::Unknown,
    }
}

fn range(left: &Value, right: &Value) -> Value {
    match (left.number(), right.number()) {
        (Some(a), Some(b)) if a.abs_diff(b) > 4096 => {
            // Long enough to be seen as many; the rest would tell nothing more.
            let step = if a <= b { 1 } else { -1 };
            Value::List((0..600).map(|n| Value::Number(a.wrapping_add(n * step))).collect())
        }
        (Some(a), Some(b)) => {
            let numbers: Vec<i64> = if a <= b { (a..=b).collect() } else { (b..=a).rev().collect() };
            Value::List(numbers.into_iter().map(Value::Number).collect())
        }
        _ => Value::Unknown,
    }
}

/// `'{1}{0}' -f 'a','b'`
pub(super) fn formatted(pattern: &str, values: &[Value]) -> Value {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            out.push('{');
            rest = after;
            continue;
        }
        let Some(end) = rest.find('}') else { break };
        let index = rest[..end].split([':', ',']).next().unwrap_or_default().trim().parse::<usize>().ok();
        match index.and_then(|i| values.get(i)) {
            Some(value) if value.is_download() => return Value::Download,
            Some(value) => out.push_str(&value.shown()),
            None => return Value::Unknown,
        }
        rest = &rest[end + 1..];
        if out.len() > 64 * 1024 {
            return Value::Unknown;
        }
    }
    out.push_str(rest);
    Value::text(out)
}

fn split(left: &Value, right: &Value) -> Value {
    let Some(text) = left.known() else { return Value::Unknown };
    let mark = right.items().first().map(Value::shown).unwrap_or_default();
    let mark = mark.trim_start_matches('\\');
    if mark.is_empty() || mark.contains(['[', '(', '*', '+']) {
        return Value::Unknown;
    }
    Value::List(text.split(mark).take(8192).map(Value::text).collect())
}

/// `-replace`: patterns without special signs are done, others are not.
fn replaced(left: &Value, right: &Value) -> Value {
    let both = right.items();
    let from = both.first().map(Value::shown).unwrap_or_default();
    let to = both.get(1).map(Value::shown).unwrap_or_default();
    let plain = from.replace('\\', "");
    let special = from.contains(['[', '(', '*', '+', '?', '^', '$', '.', '|', '{']) && !from.contains('\\');
    match left.known() {
        Some(text) if !special && !plain.is_empty() => methods::replace_ignoring_case(&text, &plain, &to),
        _ => Value::Unknown,
    }
}
