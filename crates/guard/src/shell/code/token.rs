//! Source text cut into tokens, for the languages that look alike: Python, Perl, Ruby, JavaScript, PHP, Lua, R, Groovy.

use std::sync::LazyLock;

use super::Language;
use super::literal::{self, Quote};

/// A part of a string literal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Plain(String),
    /// Source of an expression that the literal has inside.
    Code(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Text(Vec<Piece>),
    /// Python's `b'…'`.
    Bytes(Vec<Piece>),
    /// Backticks and their kin: run by a shell.
    Shell(Vec<Piece>),
    Words(Vec<String>),
    Number(f64),
    /// A regular expression; the pieces are what it has inside. One that changes its subject has code, which is what
    /// its replacement runs.
    Regex(Vec<Piece>, Option<String>),
    Op(&'static str),
    Newline,
    /// Something that is not understood: a hole, a stray character.
    Odd,
}

const OPERATORS: &[&str] = &[
    "<=>", "===", "!==", "...", "**=", "<<=", ">>=", "||=", "&&=", "//=", "?->", "=>", "->", "::", "==",
    "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", ".=", "|=", "&=", "^=", ":=", "**", "..",
    "<<", ">>", "++", "--", "=~", "!~", "~=", "?.", "??", "<-", "&.", "|&", "|>", "+", "-", "*", "/", "%",
    ".", "=", "<", ">", "!", "?", ":", ";", ",", "(", ")", "[", "]", "{", "}", "|", "&", "^", "~", "@", "$",
    "\\", "#", "`",
];

/// The operators by their first character, as most inputs are mostly operators.
static BY_FIRST: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let begun_by =
        |first: u8| OPERATORS.iter().copied().filter(move |op| op.as_bytes().first() == Some(&first));
    (0..128).map(|first| begun_by(first).collect()).collect()
});

/// Words after which an operand comes, so that a slash there begins a regular expression.
const BEFORE_OPERAND: &[&str] = &[
    "return", "and", "or", "not", "if", "unless", "while", "until", "split", "grep", "print", "puts", "when",
    "in", "map", "join", "push", "typeof", "case", "else", "elsif", "x", "lt", "gt", "eq", "ne", "say",
    "system", "exec", "do", "then", "p",
];

/// The same, in Perl only.
const BEFORE_OPERAND_IN_PERL: &[&str] = &[
    "my",
    "our",
    "local",
    "keys",
    "values",
    "each",
    "sort",
    "delete",
    "exists",
    "defined",
    "scalar",
    "for",
    "foreach",
    "unlink",
    "chomp",
    "reverse",
    "eval",
    "printf",
    "undef",
    "ref",
    "bless",
    "wantarray",
    "die",
    "warn",
    "open",
    "close",
    "lc",
    "uc",
    "length",
];

pub(super) struct Cutter<'s> {
    pub(super) chars: &'s [char],
    pub(super) at: usize,
    pub(super) lang: Language,
    /// Brackets in literals whose partner was not found: after a few of them the search is given up.
    pub(super) misses: usize,
    pub(super) tokens: Vec<Token>,
}

/// The tokens of a source.
pub(super) fn cut(lang: Language, source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut cutter = Cutter { chars: &chars, at: 0, lang, misses: 0, tokens: Vec::new() };
    while cutter.at < chars.len() {
        let before = cutter.at;
        cutter.step();
        if cutter.at == before {
            cutter.at += 1;
        }
    }
    cutter.tokens
}

impl Cutter<'_> {
    pub(super) fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    /// Whether what comes next is an operand rather than an operator.
    pub(super) fn wants_operand(&self) -> bool {
        match self.tokens.last() {
            None | Some(Token::Newline) => true,
            Some(Token::Op(op)) => !matches!(*op, ")" | "]" | "}" | "++" | "--"),
            Some(Token::Name(name)) => {
                BEFORE_OPERAND.contains(&name.as_str())
                    || (self.lang == Language::Perl && BEFORE_OPERAND_IN_PERL.contains(&name.as_str()))
            }
            Some(_) => false,
        }
    }

    fn line_end(&self, from: usize) -> usize {
        self.chars[from..].iter().position(|&c| c == '\n').map_or(self.chars.len(), |n| from + n)
    }

    fn step(&mut self) {
        let c = self.peek(0);
        if c == '\n' {
            self.at += 1;
            if !matches!(self.lang, Language::Perl | Language::Php) {
                self.tokens.push(Token::Newline);
            }
        } else if c.is_whitespace() {
            self.at += 1;
        } else if c == '\\' && self.peek(1) == '\n' {
            self.at += 2;
        } else if !self.comment() && !self.text() && !self.quoted_by_word() && !self.sigil() {
            if c.is_ascii_digit() || (c == '.' && self.peek(1).is_ascii_digit() && self.wants_operand()) {
                self.number();
            } else if c.is_alphabetic() || c == '_' {
                self.name();
            } else {
                self.operator();
            }
        }
    }

    fn comment(&mut self) -> bool {
        use Language::{Elixir, Groovy, JavaScript, Julia, Lua, Perl, Php, Python, R, Ruby};
        let line = match self.lang {
            Python | Perl | Ruby | R | Julia | Elixir => self.starts("#"),
            Php => self.starts("#") && !self.starts("#[") || self.starts("//"),
            JavaScript | Groovy => self.starts("//"),
            Lua => self.starts("--"),
            _ => false,
        };
        if self.lang == Lua && self.starts("--[[") {
            self.at += 2;
            let _ = literal::long_bracket(self);
            return true;
        }
        if matches!(self.lang, JavaScript | Groovy | Php) && self.starts("/*") {
            self.at += 2;
            while self.at < self.chars.len() && !self.starts("*/") {
                self.at += 1;
            }
            self.at += 2;
            return true;
        }
        if line {
            self.at = self.line_end(self.at);
        }
        line
    }

    fn text(&mut self) -> bool {
        use Language::{Elixir, Groovy, JavaScript, Julia, Lua, Perl, Php, Python, R, Ruby};
        let c = self.peek(0);
        match (self.lang, c) {
            (Lua, '[') if matches!(self.peek(1), '[' | '=') => {
                let Some(text) = literal::long_bracket(self) else { return false };
                self.tokens.push(Token::Text(vec![Piece::Plain(text)]));
                return true;
            }
            (Perl | Ruby | Php | Julia, '`') => {
                let pieces = literal::quoted(self, '`', Quote::Expanding);
                self.tokens.push(Token::Shell(pieces));
                return true;
            }
            (JavaScript, '`') => {
                let pieces = literal::quoted(self, '`', Quote::Expanding);
                // Bun's shell: `$` before a template.
                let dollar = self.tokens.last() == Some(&Token::Op("$"));
                if dollar {
                    self.tokens.pop();
                    let member = self.tokens.last() == Some(&Token::Op("."));
                    self.tokens.truncate(self.tokens.len() - if member { 2 } else { 0 });
                    self.tokens.push(Token::Shell(pieces));
                    return true;
                }
                self.tokens.push(Token::Text(pieces));
                return true;
            }
            (R, '`') => {
                let pieces = literal::quoted(self, '`', Quote::Raw);
                let name = literal::plain(&pieces).unwrap_or_default();
                self.tokens.push(Token::Name(name));
                return true;
            }
            (Perl, '<') if self.wants_operand() => return self.angle(),
            (Perl | Ruby | JavaScript | Groovy, '/') if self.wants_operand() => {
                let pieces = literal::quoted(self, '/', Quote::Pattern);
                self.flags();
                self.tokens.push(Token::Regex(pieces, None));
                return true;
            }
            _ => {}
        }
        if c != '"' && c != '\'' {
            return false;
        }
        let quote = match (self.lang, c) {
            (Perl | Ruby | Php, '\'') => Quote::Single,
            (Perl | Ruby | Php | Groovy | Julia | Elixir, '"') => Quote::Expanding,
            _ => Quote::Escaping,
        };
        let tripled =
            matches!(self.lang, Python | Groovy | Julia | Elixir) && self.peek(1) == c && self.peek(2) == c;
        let pieces = if tripled { literal::tripled(self, c, quote) } else { literal::quoted(self, c, quote) };
        self.tokens.push(Token::Text(pieces));
        true
    }

    /// Perl's `<STDIN>`, `<$fh>` and `<*.txt>`.
    fn angle(&mut self) -> bool {
        let Some(length) = self.chars[self.at + 1..].iter().take(200).position(|&c| c == '>') else {
            return false;
        };
        let inner: String = self.chars[self.at + 1..self.at + 1 + length].iter().collect();
        if inner.contains(|c: char| c.is_whitespace() || c == '=' || c == ';') {
            return false;
        }
        self.at += length + 2;
        let handle = inner.chars().all(|c| c.is_ascii_uppercase() || c == '$' || c.is_ascii_lowercase());
        self.tokens.push(if handle {
            Token::Name("STDIN".into())
        } else {
            Token::Text(vec![Piece::Plain(inner)])
        });
        true
    }

    /// Literals that a word or a percent sign begins: `q{}`, `qx()`, `s///`, `%x{}`, Python's prefixes.
    fn quoted_by_word(&mut self) -> bool {
        let after_arrow = matches!(self.tokens.last(), Some(Token::Op("->" | ".")));
        let token = match self.lang {
            Language::Python => literal::python_prefixed(self),
            Language::Perl if !after_arrow => literal::perl_quote(self),
            Language::Ruby if self.peek(0) == '%' && self.wants_operand() => literal::ruby_percent(self),
            Language::Ruby
                if self.peek(0) == ':'
                    && self.peek(1) == '"'
                    && !matches!(self.tokens.last(), Some(Token::Op("?"))) =>
            {
                self.at += 1;
                return self.text();
            }
            Language::Ruby
                if self.peek(0) == ':'
                    && self.peek(1).is_alphabetic()
                    && !self.chars[..self.at].ends_with(&[':']) =>
            {
                self.at += 1;
                let symbol = self.word();
                Some(Token::Text(vec![Piece::Plain(symbol)]))
            }
            _ => None,
        };
        match token {
            Some(token) => {
                self.tokens.push(token);
                true
            }
            None => false,
        }
    }

    /// A name; parts joined by `::` become one name with dots.
    pub(super) fn word(&mut self) -> String {
        let mut word = String::new();
        while self.at < self.chars.len() {
            let c = self.peek(0);
            let inner_dot = self.lang == Language::R && c == '.' && !word.is_empty();
            if c.is_alphanumeric() || c == '_' || inner_dot {
                word.push(c);
                self.at += 1;
            } else if c == ':' && self.peek(1) == ':' && (self.peek(2).is_alphabetic() || self.peek(2) == '_')
            {
                word.push('.');
                self.at += 2;
            } else {
                break;
            }
        }
        if matches!(self.lang, Language::Ruby | Language::Elixir)
            && matches!(self.peek(0), '?' | '!')
            && self.peek(1) != '='
        {
            word.push(self.peek(0));
            self.at += 1;
        }
        word
    }

    fn name(&mut self) {
        let mut word = self.word();
        if self.lang == Language::Php {
            word.make_ascii_lowercase();
        }
        self.tokens.push(Token::Name(word));
    }

    fn number(&mut self) {
        let start = self.at;
        let radix = match (self.peek(0), self.peek(1).to_ascii_lowercase()) {
            ('0', 'x') => 16,
            ('0', 'o') => 8,
            ('0', 'b') => 2,
            _ => 10,
        };
        if radix != 10 {
            self.at += 2;
        }
        while self.peek(0).is_digit(radix)
            || self.peek(0) == '_'
            || (radix == 10 && self.peek(0) == '.' && self.peek(1).is_ascii_digit())
        {
            self.at += 1;
        }
        let digits: String = self.chars[start..self.at].iter().filter(|&&c| c != '_').collect();
        #[allow(clippy::cast_precision_loss)]
        let octal = digits.len() > 1
            && digits.starts_with('0')
            && digits.chars().all(|c| c.is_digit(8))
            && matches!(self.lang, Language::Perl | Language::Ruby | Language::Php | Language::JavaScript);
        let value = if octal {
            u32::from_str_radix(&digits, 8).map_or(0.0, f64::from)
        } else if radix == 10 {
            digits.parse().unwrap_or(0.0)
        } else {
            u32::from_str_radix(digits.get(2..).unwrap_or(""), radix).map_or(0.0, f64::from)
        };
        // Suffixes such as 1e9, 10L, 3n.
        let suffix = self.at;
        let exponent = matches!(self.peek(0), 'e' | 'E') && self.peek(1).is_ascii_digit();
        while self.peek(0).is_ascii_alphanumeric() && (exponent || self.lang != Language::Perl) {
            self.at += 1;
        }
        let value = if exponent {
            let suffix: String = self.chars[suffix..self.at].iter().collect();
            (digits + &suffix).parse().unwrap_or(value)
        } else {
            value
        };
        self.tokens.push(Token::Number(value));
    }

    pub(super) fn flags(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_ascii_lowercase() {
            self.at += 1;
        }
        self.chars.get(start..self.at).unwrap_or_default().iter().collect()
    }

    fn operator(&mut self) {
        let none = Vec::new();
        let first = usize::try_from(u32::from(self.peek(0))).unwrap_or(usize::MAX);
        let candidates = BY_FIRST.get(first).unwrap_or(&none);
        let pipes = matches!(self.lang, Language::Elixir | Language::Julia | Language::R);
        if let Some(op) = candidates.iter().find(|op| self.starts(op) && (**op != "|>" || pipes)) {
            self.at += op.len();
            self.tokens.push(Token::Op(op));
        } else {
            self.at += 1;
            self.tokens.push(Token::Odd);
        }
    }
}
