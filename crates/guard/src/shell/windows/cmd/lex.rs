//! Words, quotes, carets and redirections of one `cmd` command.

use crate::shell::windows::report::Word;

/// Stands in expanded text for a value that is only known when it runs.
pub(super) const UNKNOWN: char = '\u{E000}';

/// One command: its words, where its output goes, and the raw text after its name.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub words: Vec<Word>,
    pub outputs: Vec<Word>,
    pub inputs: Vec<Word>,
    pub rest: String,
}

/// What parts arguments: built-in commands take `,`, `;` and `=` for blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parting {
    Blanks,
    Punctuation,
}

/// End of the command that starts at `from`: the next operator that is neither quoted nor escaped.
pub(super) fn end_of_command(chars: &[char], from: usize, in_group: bool) -> usize {
    let head: String =
        chars[from..].iter().take(120).filter(|c| !"^\"".contains(**c)).collect::<String>().to_lowercase();
    let name = head.split([' ', '/', '\t']).next().unwrap_or_default();
    let escapes = name.contains("powershell") || name.contains("pwsh");
    let (mut at, mut quoted) = (from, false);
    while at < chars.len() {
        match chars[at] {
            '\\' if escapes && chars.get(at + 1) == Some(&'"') => at += 1,
            '"' => quoted = !quoted,
            '\n' => return at,
            '^' if !quoted => at += 1,
            '&' if !quoted && at > from && matches!(chars[at - 1], '>' | '<') => {}
            '&' | '|' if !quoted => return at,
            ')' if !quoted && in_group => return at,
            _ => {}
        }
        at += 1;
    }
    chars.len()
}

fn take_word(chars: &[char], at: &mut usize, parting: Parting) -> Word {
    let mut word = Word { text: String::new(), known: true, quoted: false };
    let mut quoted = false;
    while let Some(&c) = chars.get(*at) {
        match c {
            '\\' if chars.get(*at + 1) == Some(&'"')
                && quoted
                && chars.get(*at + 2).is_some_and(|n| !n.is_whitespace()) =>
            {
                word.text.push('"');
                *at += 1;
            }
            '"' => {
                quoted = !quoted;
                word.quoted = true;
            }
            '^' if !quoted => {
                *at += 1;
                if let Some(&next) = chars.get(*at).filter(|n| **n != '\n') {
                    word.text.push(next);
                }
            }
            ' ' | '\t' | '\r' | '\u{b}' | '\u{c}' | '\u{a0}' | '<' | '>' if !quoted => break,
            ',' | ';' | '=' if !quoted && parting == Parting::Punctuation => break,
            UNKNOWN => word.known = false,
            _ => word.text.push(c),
        }
        *at += 1;
    }
    word
}

fn skip_parting(chars: &[char], at: &mut usize, parting: Parting) {
    while chars.get(*at).is_some_and(|c| {
        matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{b}' | '\u{c}' | '\u{a0}')
            || (parting == Parting::Punctuation && ",;=".contains(*c))
    }) {
        *at += 1;
    }
}

/// Takes one command apart. `parting` says how the name parts arguments.
pub(super) fn command(text: &str, parting: impl Fn(&str) -> Parting) -> Command {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Command::default();
    let mut at = 0;
    let mut way = Parting::Punctuation;
    loop {
        skip_parting(&chars, &mut at, way);
        let Some(&c) = chars.get(at) else { break };
        if c == '<' || c == '>' {
            redirection(&chars, &mut at, &mut found);
            continue;
        }
        let before = at;
        let word = take_word(&chars, &mut at, way);
        if at == before {
            at += 1;
            continue;
        }
        // `2>` is a handle, not an argument.
        let handle = word.text.len() == 1 && word.text.as_bytes()[0].is_ascii_digit() && !word.quoted;
        if handle && chars.get(at).is_some_and(|c| *c == '>' || *c == '<') {
            continue;
        }
        if found.words.is_empty() {
            way = parting(&word.text);
            found.rest = chars.get(at..).unwrap_or_default().iter().collect();
        }
        found.words.push(word);
    }
    found
}

fn redirection(chars: &[char], at: &mut usize, found: &mut Command) {
    let writes = chars[*at] == '>';
    while chars.get(*at).is_some_and(|c| *c == '>' || *c == '<') {
        *at += 1;
    }
    if chars.get(*at) == Some(&'&') {
        // `>&1` copies a handle.
        *at += 1;
        while chars.get(*at).is_some_and(char::is_ascii_digit) {
            *at += 1;
        }
        return;
    }
    skip_parting(chars, at, Parting::Punctuation);
    let word = take_word(chars, at, Parting::Punctuation);
    if writes { found.outputs.push(word) } else { found.inputs.push(word) }
}
