//! Whole-number expressions.

/// The value of an expression in which everything is a number; `None` where it is not so simple.
pub fn evaluate(text: &str) -> Option<i64> {
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    if chars.len() > 200 {
        return None;
    }
    let mut reader = Reader { chars: &chars, at: 0, deep: 0 };
    let value = reader.binary(0)?;
    (reader.at == chars.len()).then_some(value)
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    deep: usize,
}

/// From the loosest to the tightest.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["**", "*", "/", "%"],
];

impl Reader<'_> {
    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn binary(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.starts(operator)) {
            // `&` is not the first half of `&&`.
            if operator.len() == 1 && self.chars.get(self.at + 1).is_some_and(|c| operator.starts_with(*c)) {
                break;
            }
            self.at += operator.len();
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i64> {
        self.deep += 1;
        if self.deep > 60 {
            return None;
        }
        let value = match self.chars.get(self.at)? {
            '-' => {
                self.at += 1;
                self.unary()?.checked_neg()?
            }
            '+' => {
                self.at += 1;
                self.unary()?
            }
            '!' => {
                self.at += 1;
                i64::from(self.unary()? == 0)
            }
            '~' => {
                self.at += 1;
                !self.unary()?
            }
            '(' => {
                self.at += 1;
                let value = self.binary(0)?;
                (self.chars.get(self.at) == Some(&')')).then(|| self.at += 1)?;
                value
            }
            _ => self.number()?,
        };
        self.deep -= 1;
        Some(value)
    }

    fn number(&mut self) -> Option<i64> {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '#') {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        if let Some((base, digits)) = text.split_once('#') {
            let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
            return i64::from_str_radix(digits, base).ok();
        }
        match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None if text.len() > 1 && text.starts_with('0') => i64::from_str_radix(&text, 8).ok(),
            None => text.parse().ok(),
        }
    }
}

fn apply(operator: &str, left: i64, right: i64) -> Option<i64> {
    match operator {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        "**" => u32::try_from(right).ok().and_then(|right| left.checked_pow(right)),
        "<<" => u32::try_from(right).ok().and_then(|right| left.checked_shl(right)),
        ">>" => u32::try_from(right).ok().and_then(|right| left.checked_shr(right)),
        "|" => Some(left | right),
        "&" => Some(left & right),
        "^" => Some(left ^ right),
        "||" => Some(i64::from(left != 0 || right != 0)),
        "&&" => Some(i64::from(left != 0 && right != 0)),
        "==" => Some(i64::from(left == right)),
        "!=" => Some(i64::from(left != right)),
        "<" => Some(i64::from(left < right)),
        ">" => Some(i64::from(left > right)),
        "<=" => Some(i64::from(left <= right)),
        ">=" => Some(i64::from(left >= right)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn numbers_as_bash_has_them() {
        for (text, value) in [
            ("1+2*3", Some(7)),
            ("(1 + 2) * 3", Some(9)),
            ("16#ff", Some(255)),
            ("0x10 | 1", Some(17)),
            ("2**8", Some(256)),
            ("1 << 4", Some(16)),
            ("5 / 0", None),
            ("1 && 0 || 1", Some(1)),
            ("x", None),
        ] {
            assert_eq!(evaluate(text), value, "{text}");
        }
    }
}
