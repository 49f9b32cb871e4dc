//! awk's source text cut into tokens.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Text(String),
    Name(String),
    Number(String),
    Regex,
    Op(&'static str),
    End,
    Odd,
}

const OPERATORS: &[&str] = &[
    ">>", "|&", "||", "&&", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "++", "--", "(", ")", "{", "}",
    "[", "]", ",", ">", "<", "|", "=", "!", "~", "?", ":", "+", "-", "*", "/", "%", "^", "$", "@", "\\",
];

pub(super) fn cut(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let start = at;
        at += 1;
        let token = match c {
            '\n' | ';' => Token::End,
            '#' => {
                while chars.get(at).is_some_and(|&c| c != '\n') {
                    at += 1;
                }
                continue;
            }
            _ if c.is_whitespace() => continue,
            '\\' if chars.get(at) == Some(&'\n') => {
                at += 1;
                continue;
            }
            '"' => Token::Text(string(&chars, &mut at)),
            '/' if !matches!(
                tokens.last(),
                Some(Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Op(")" | "]" | "$"))
            ) =>
            {
                regex(&chars, &mut at);
                Token::Regex
            }
            _ if c.is_ascii_digit() => {
                while chars.get(at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '.') {
                    at += 1;
                }
                Token::Number(chars[start..at].iter().collect())
            }
            _ if c.is_alphabetic() || c == '_' => {
                while chars.get(at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                    at += 1;
                }
                Token::Name(chars[start..at].iter().collect())
            }
            '.' => Token::Number(".".into()),
            _ => match OPERATORS
                .iter()
                .find(|op| op.chars().enumerate().all(|(i, c)| chars.get(start + i) == Some(&c)))
            {
                Some(op) => {
                    at = start + op.len();
                    Token::Op(op)
                }
                None => Token::Odd,
            },
        };
        tokens.push(token);
    }
    tokens
}

fn string(chars: &[char], at: &mut usize) -> String {
    let mut text = String::new();
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        match c {
            '"' => break,
            '\\' => {
                let next = chars.get(*at).copied().unwrap_or('\\');
                *at += 1;
                let mut digits = |radix: u32, most: usize| {
                    let mut value = 0;
                    for _ in 0..most {
                        let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(radix)) else { break };
                        value = value * radix + digit;
                        *at += 1;
                    }
                    char::from_u32(value)
                };
                match next {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'x' => text.extend(digits(16, 2)),
                    '0'..='7' => {
                        let first = next.to_digit(8).unwrap_or(0);
                        let rest: Vec<u32> =
                            (0..2).map_while(|i| chars.get(*at + i).and_then(|c| c.to_digit(8))).collect();
                        *at += rest.len();
                        text.extend(char::from_u32(rest.iter().fold(first, |sum, digit| sum * 8 + digit)));
                    }
                    other => text.push(other),
                }
            }
            other => text.push(other),
        }
    }
    text
}

fn regex(chars: &[char], at: &mut usize) {
    let mut class = false;
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        match c {
            '\\' => *at += 1,
            '[' => class = true,
            ']' => class = false,
            '/' if !class => break,
            '\n' => break,
            _ => {}
        }
    }
}
