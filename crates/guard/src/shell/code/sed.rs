//! sed: the `e` command, the flags `e` and `w` of `s`, and the files that `r`, `R`, `w` and `W` name.

use super::book::EMPTY;
use super::value::{HOLE, Value, is_hole};
use super::world::World;
use super::{Facts, Language};

struct Reader {
    chars: Vec<char>,
    at: usize,
    world: World,
}

/// What a sed script does. Whether files are edited in place is a matter of sed's options, not of the script.
pub(super) fn inspect(source: &str) -> Facts {
    let mut reader =
        Reader { chars: source.chars().collect(), at: 0, world: World::new(Language::Sed, &EMPTY) };
    if source.contains(is_hole) {
        reader.world.odd();
    }
    while reader.at < reader.chars.len() {
        let before = reader.at;
        reader.command();
        reader.at = reader.at.max(before + 1);
    }
    reader.world.finish()
}

impl Reader {
    fn peek(&self) -> char {
        self.chars.get(self.at).copied().unwrap_or('\0')
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        while self.at < self.chars.len() && wanted(self.chars[self.at]) {
            self.at += 1;
        }
    }

    /// Up to an unescaped delimiter, which is stepped over.
    fn delimited(&mut self, delimiter: char, pattern: bool) -> String {
        let mut text = String::new();
        let mut class = false;
        while self.at < self.chars.len() {
            let c = self.chars[self.at];
            self.at += 1;
            match c {
                '\\' if !class => {
                    text.push('\\');
                    text.push(self.peek());
                    self.at += 1;
                    continue;
                }
                '[' if pattern && !class => {
                    class = true;
                    // A bracket right after the opening one stands for itself.
                    let negated = usize::from(self.peek() == '^');
                    if self.chars.get(self.at + negated) == Some(&']') {
                        text.push('[');
                        self.at += negated + 1;
                        continue;
                    }
                }
                ']' => class = false,
                c if c == delimiter && !class => return text,
                _ => {}
            }
            text.push(c);
        }
        // No end: sed would refuse the script.
        self.world.odd();
        text
    }

    fn address(&mut self) -> bool {
        match self.peek() {
            '0'..='9' | '$' | '+' | '~' => {
                self.at += 1;
                self.skip(|c| c.is_ascii_digit() || c == '~');
                true
            }
            '/' => {
                self.at += 1;
                self.delimited('/', true);
                self.skip(|c| matches!(c, 'I' | 'M'));
                true
            }
            '\\' => {
                let delimiter = self.chars.get(self.at + 1).copied().unwrap_or('/');
                self.at += 2;
                self.delimited(delimiter, true);
                self.skip(|c| matches!(c, 'I' | 'M'));
                true
            }
            _ => false,
        }
    }

    fn line(&mut self) -> String {
        let start = self.at;
        self.skip(|c| c != '\n');
        self.chars[start.min(self.chars.len())..self.at].iter().collect::<String>().trim().to_owned()
    }

    fn command(&mut self) {
        self.skip(|c| c.is_whitespace() || c == ';');
        while self.address() {
            self.skip(|c| c == ' ');
            if self.peek() != ',' {
                break;
            }
            self.at += 1;
            self.skip(|c| c == ' ');
        }
        self.skip(|c| c == ' ' || c == '!');
        if self.at >= self.chars.len() {
            return;
        }
        let command = self.peek();
        self.at += 1;
        match command {
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
            }
            '#' => self.skip(|c| c != '\n'),
            'l' | 'q' | 'Q' | 'L' => self.skip(|c| c == ' ' || c.is_ascii_digit()),
            ':' | 'b' | 't' | 'T' | 'v' => self.skip(|c| c != '\n' && c != ';' && c != '}'),
            'a' | 'i' | 'c' => self.appended(),
            'r' | 'R' => {
                let path = self.line();
                if path != "/dev/stdin" {
                    self.world.read(Some(&Value::Text(path)));
                }
            }
            'w' | 'W' => self.written(),
            'e' => {
                let line = self.line();
                if line.is_empty() {
                    self.world.shell(&Value::Unknown);
                } else {
                    self.world.shell(&Value::Text(line));
                }
            }
            's' => self.substitution(),
            'y' => {
                let delimiter = self.peek();
                self.at += 1;
                self.delimited(delimiter, false);
                self.delimited(delimiter, false);
            }
            _ => self.world.odd(),
        }
    }

    fn written(&mut self) {
        let path = self.line();
        if !matches!(path.as_str(), "/dev/stdout" | "/dev/stderr") {
            self.world.write(Some(&Value::Text(path)));
        }
    }

    /// Text of `a`, `i` and `c`: to the end of the line, continued by backslashes.
    fn appended(&mut self) {
        while self.at < self.chars.len() && self.peek() != '\n' {
            self.at += if self.peek() == '\\' { 2 } else { 1 };
        }
    }

    fn substitution(&mut self) {
        let delimiter = self.peek();
        self.at += 1;
        self.delimited(delimiter, true);
        let replacement = self.delimited(delimiter, false);
        loop {
            let flag = self.peek();
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => self.at += 1,
                'e' => {
                    self.at += 1;
                    let command = unescaped(&replacement);
                    self.world.shell(&Value::Text(command));
                }
                'w' => {
                    self.at += 1;
                    self.written();
                    return;
                }
                '\0' | ';' | '\n' | '}' | ' ' | '#' | '\t' => return,
                _ => {
                    self.world.odd();
                    return;
                }
            }
        }
    }
}

/// A replacement as the text it gives, with holes for what was matched.
fn unescaped(replacement: &str) -> String {
    let mut text = String::new();
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => text.push(HOLE),
            '\\' => match chars.next() {
                Some('0'..='9') => text.push(HOLE),
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    text
}
