//! Tcl and expect: commands of words, substituted and nested.

use std::collections::HashMap;

use super::book::EMPTY;
use super::value::{HOLE, Value, is_hole};
use super::world::{World, looks_like_host};
use super::{Facts, Language};

const DEEPEST: usize = 24;

/// Commands that only compute or print.
const PURE: &[&str] = &[
    "puts",
    "expr",
    "string",
    "list",
    "lindex",
    "llength",
    "lappend",
    "lrange",
    "lsort",
    "lreverse",
    "incr",
    "append",
    "format",
    "join",
    "split",
    "regexp",
    "regsub",
    "scan",
    "clock",
    "exit",
    "return",
    "break",
    "continue",
    "global",
    "array",
    "dict",
    "concat",
    "flush",
    "gets",
    "close",
    "lsearch",
    "info",
    "upvar",
    "variable",
    "error",
    "unset",
    "after",
    "fconfigure",
    "eof",
    "log_user",
    "send_user",
    "expect",
    "interact",
    "wait",
    "send",
];

struct Reader {
    vars: HashMap<String, String>,
    world: World,
}

/// A word, and whether it stood in braces, so that nothing in it was substituted.
struct Word {
    text: String,
    braced: bool,
}

/// What a Tcl script does.
pub(super) fn inspect(source: &str) -> Facts {
    let mut reader = Reader { vars: HashMap::new(), world: World::new(Language::Tcl, &EMPTY) };
    if source.contains(is_hole) {
        reader.world.odd();
    }
    reader.script(source, 0);
    reader.world.finish()
}

impl Reader {
    fn script(&mut self, source: &str, depth: usize) {
        self.world.spend(1 + source.len() / 8);
        if depth > DEEPEST || self.world.exhausted() {
            self.world.give_up();
            return;
        }
        let chars: Vec<char> = source.chars().collect();
        let mut at = 0;
        while at < chars.len() && !self.world.exhausted() {
            let mut words = Vec::new();
            while at < chars.len() && !matches!(chars[at], '\n' | ';') {
                if chars[at] == '#' && words.is_empty() {
                    while at < chars.len() && chars[at] != '\n' {
                        at += 1;
                    }
                } else if chars[at].is_whitespace() {
                    at += 1;
                } else {
                    words.push(self.word(&chars, &mut at, depth));
                }
            }
            at += 1;
            self.command(&words, depth);
        }
    }

    fn word(&mut self, chars: &[char], at: &mut usize, depth: usize) -> Word {
        if chars[*at] == '{' {
            return Word { text: balanced(chars, at, '{', '}'), braced: true };
        }
        let quoted = chars[*at] == '"';
        *at += usize::from(quoted);
        let mut text = String::new();
        while let Some(&c) = chars.get(*at) {
            self.world.spend(1);
            if self.world.exhausted() {
                *at = chars.len();
                break;
            }
            match c {
                '"' if quoted => {
                    *at += 1;
                    break;
                }
                '\n' | ';' | ' ' | '\t' if !quoted => break,
                '\\' => {
                    let next = chars.get(*at + 1).copied().unwrap_or('\\');
                    *at += 2;
                    let code = |from: usize, length: usize, radix: u32| {
                        let digits: String =
                            chars.iter().skip(from).take(length).take_while(|c| c.is_digit(radix)).collect();
                        (u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32), digits.len())
                    };
                    match next {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'x' | 'u' => {
                            let (c, used) = code(*at, if next == 'x' { 2 } else { 4 }, 16);
                            text.extend(c);
                            *at += used;
                        }
                        '0'..='7' => {
                            let (c, used) = code(*at - 1, 3, 8);
                            text.extend(c);
                            *at = *at - 1 + used;
                        }
                        other => text.push(other),
                    }
                }
                '[' => {
                    let inner = balanced(chars, at, '[', ']');
                    self.script(&inner, depth + 1);
                    text.push(HOLE);
                }
                '$' => {
                    *at += 1;
                    let name = if chars.get(*at) == Some(&'{') {
                        balanced(chars, at, '{', '}')
                    } else {
                        let start = *at;
                        while chars.get(*at).is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':')) {
                            *at += 1;
                        }
                        chars[start..*at].iter().collect()
                    };
                    if name.starts_with("env") || name.starts_with("::env") {
                        self.world.impure = true;
                    }
                    match self.vars.get(&name) {
                        Some(value) => {
                            self.world.spend(value.len() / 16);
                            text.push_str(value);
                        }
                        None => text.push(HOLE),
                    }
                }
                other => {
                    text.push(other);
                    *at += 1;
                }
            }
            if text.len() > 65_536 {
                self.world.give_up();
            }
        }
        Word { text, braced: false }
    }

    fn command(&mut self, words: &[Word], depth: usize) {
        let Some((name, args)) = words.split_first() else { return };
        let arg = |i: usize| args.get(i).map_or("", |word| word.text.as_str());
        let values = |from: usize| {
            args.iter().skip(from).map(|word| Value::Text(word.text.clone())).collect::<Vec<_>>()
        };
        for word in args {
            if looks_like_host(&word.text) && self.world.hosts.len() < 64 {
                self.world.hosts.push(word.text.clone());
            }
        }
        match name.text.trim_start_matches(':') {
            "set" => {
                if args.len() > 1 && arg(1).len() < 8192 {
                    let changed = self.vars.get(arg(0)).is_some_and(|old| old != arg(1));
                    let value = if changed { HOLE.to_string() } else { arg(1).to_owned() };
                    self.vars.insert(arg(0).to_owned(), value);
                }
            }
            "exec" | "spawn" | "overlay" | "system" => self.start(name.text == "system", args),
            "open" => self.open(arg(0), arg(1)),
            "socket" => self.world.socket = true,
            "fork" => self.world.forked = true,
            "file" => self.file(arg(0), &values(1)),
            "eval" | "uplevel" | "subst" | "try" | "catch" | "time" | "proc" | "if" | "elseif" | "else"
            | "while" | "for" | "foreach" | "namespace" | "apply" => {
                let always = name.text == "while" && matches!(arg(0).trim(), "1" | "true" | "yes" | "42");
                self.world.endless |= always || (name.text == "while" && arg(0).contains("[fork]"));
                if matches!(name.text.as_str(), "eval" | "uplevel" | "subst") {
                    let code = args.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                    if code.contains(is_hole) {
                        self.world.facts.executes = true;
                        self.world.ran_unknown = true;
                        self.world.odd();
                    }
                    self.script(&code, depth + 1);
                    return;
                }
                if name.text == "foreach" {
                    self.vars.insert(arg(0).to_owned(), HOLE.to_string());
                }
                for (i, word) in args.iter().enumerate().filter(|(_, word)| word.braced) {
                    // Conditions are expressions; only what they have in brackets are commands.
                    let condition = i == 0
                        || name.text == "for" && i == 1
                        || matches!(name.text.as_str(), "proc" | "foreach") && i < 2;
                    if condition && !matches!(name.text.as_str(), "catch" | "time" | "try") {
                        self.bracketed(&word.text, depth);
                    } else {
                        self.script(&word.text, depth + 1);
                    }
                }
            }
            "source" | "load" | "package" | "interp" | "rename" | "trace" => {
                self.world.facts.executes |= name.text != "package";
                self.world.impure = true;
            }
            known if PURE.contains(&known) && !name.text.contains(is_hole) => {
                for word in args.iter().filter(|word| word.braced) {
                    if known == "expr" {
                        self.bracketed(&word.text, depth);
                    } else if matches!(known, "expect" | "after" | "interact") {
                        self.script(&word.text, depth + 1);
                    }
                }
                // Output to a channel other than the usual ones needs `open`, which is seen there.
            }
            _ => self.world.odd(),
        }
    }

    /// Commands in brackets inside an expression.
    fn bracketed(&mut self, text: &str, depth: usize) {
        let chars: Vec<char> = text.chars().collect();
        let mut at = 0;
        while at < chars.len() {
            if chars[at] == '[' {
                let inner = balanced(&chars, &mut at, '[', ']');
                self.script(&inner, depth + 1);
            } else {
                at += 1;
            }
        }
    }

    fn start(&mut self, shell: bool, args: &[Word]) {
        let words: Vec<Value> = args
            .iter()
            .skip_while(|word| word.text.starts_with('-') && word.text.len() > 1)
            .map(|word| Value::Text(word.text.clone()))
            .collect();
        if shell {
            let line: Vec<String> = words.iter().map(Value::shown).collect();
            self.world.shell(&Value::Text(line.join(" ")));
        } else {
            self.world.argv(&words);
        }
    }

    fn open(&mut self, path: &str, mode: &str) {
        let value = Value::Text(path.trim_start_matches(['|', ' ']).to_owned());
        if path.starts_with('|') {
            self.world.shell(&value);
        } else if mode.is_empty() || mode == "r" {
            self.world.read(Some(&value));
        } else {
            self.world.write(Some(&value));
        }
    }

    fn file(&mut self, action: &str, args: &[Value]) {
        let paths: Vec<Value> = args.iter().filter(|arg| !arg.shown().starts_with('-')).cloned().collect();
        match action {
            "delete" => self.world.delete(Some(&Value::List(paths)), args.len() > 1),
            "rename" | "copy" => self.world.write(paths.last()),
            "mkdir" | "link" => self.world.write(paths.first()),
            "attributes" => self.world.permissions(paths.first(), false),
            "exists" | "join" | "dirname" | "tail" | "extension" | "isfile" | "isdirectory" | "size"
            | "mtime" => {}
            _ => self.world.odd(),
        }
    }
}

/// What stands between a bracket and its partner; the place moves past it.
fn balanced(chars: &[char], at: &mut usize, open: char, close: char) -> String {
    let start = *at + 1;
    let mut depth = 0usize;
    while let Some(&c) = chars.get(*at) {
        *at += 1;
        if c == '\\' {
            *at += 1;
        } else if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return chars[start.min(*at - 1)..*at - 1].iter().collect();
            }
        }
    }
    *at = chars.len();
    chars[start.min(chars.len())..].iter().collect()
}
