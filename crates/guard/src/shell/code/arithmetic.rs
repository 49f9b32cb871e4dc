//! Operators on constants.

use super::value::{self, LONGEST, Value};

/// Two values put together as text; nothing is known if nothing was.
pub(super) fn concat(left: &Value, right: &Value) -> Value {
    match (left, right) {
        (Value::List(a), Value::List(b)) => Value::List(a.iter().chain(b).cloned().collect()),
        (Value::Choice(values), other) if values.len() <= 8 => {
            Value::one_of(values.iter().map(|value| concat(value, other)).collect())
        }
        (other, Value::Choice(values)) if values.len() <= 8 => {
            Value::one_of(values.iter().map(|value| concat(other, value)).collect())
        }
        (Value::Text(_), _) | (_, Value::Text(_)) => value::text(left.shown() + &right.shown()),
        _ => Value::Unknown,
    }
}

/// The text or list repeated.
pub(super) fn repeat(value: &Value, times: &Value) -> Value {
    let Some(times) = times.number() else { return Value::Unknown };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let times = times.clamp(0.0, 65_536.0) as usize;
    match value {
        Value::Text(t) if t.len().saturating_mul(times) <= LONGEST => Value::Text(t.repeat(times)),
        Value::List(items) if items.len() == 1 && times <= 64 => {
            Value::List((0..times).map(|_| items[0].clone()).collect())
        }
        _ => Value::Unknown,
    }
}

/// Two operands put together, as far as they are constants.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
pub(super) fn arithmetic(op: &str, left: &Value, right: &Value, text_only: bool) -> Value {
    if let (Value::Number(a), Value::Number(b), false) = (left, right, text_only) {
        let number = match op {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" if *b != 0.0 => a / b,
            "%" if *b != 0.0 => a % b,
            "^" => ((*a as i64) ^ (*b as i64)) as f64,
            _ => return Value::Unknown,
        };
        return Value::Number(number);
    }
    match op {
        "+" | "." | ".." => concat(left, right),
        "*" | "x" => match repeat(left, right) {
            Value::Unknown => repeat(right, left),
            known => known,
        },
        "%" => match (left, right) {
            (Value::Text(pattern), Value::List(values)) => value::percent(pattern, values),
            (Value::Text(pattern), one) => value::percent(pattern, std::slice::from_ref(one)),
            _ => Value::Unknown,
        },
        "||" | "&&" => Value::one_of(vec![left.clone(), right.clone()]),
        _ => Value::Unknown,
    }
}
