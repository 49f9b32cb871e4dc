//! Telling a program's flags from its operands.

use crate::shell::{
    knowledge::{Flag, Style},
    text::{HOLE, is_mark},
};

/// The words of a call, told apart.
#[derive(Debug, Default)]
pub struct Told<'k> {
    /// Flags as written, without values: `-r`, `--force`.
    pub seen: Vec<String>,
    /// Those that are listed, with their values.
    pub known: Vec<(&'k Flag, Option<String>)>,
    pub operands: Vec<String>,
    /// Flags that are not listed.
    pub strangers: bool,
    /// Some word may be a flag or not: it cannot be told.
    pub doubtful: bool,
}

impl Told<'_> {
    pub fn has(&self, flags: &[String]) -> bool {
        flags.iter().any(|flag| self.seen.iter().any(|seen| same_flag(seen, flag)))
    }
}

/// Whether a written flag is this one: the same, or a long one cut short.
fn same_flag(seen: &str, flag: &str) -> bool {
    seen == flag || seen.len() > 3 && seen.starts_with("--") && flag.starts_with(seen)
}

/// The flags of a program, and those of one of its subcommands, which count once that has been named.
pub struct Listed<'a, 'k> {
    pub program: &'a [&'k Flag],
    pub case: &'a [&'k Flag],
    /// How many operands name the subcommand.
    pub named: usize,
}

/// The same without a subcommand. `stop`: what follows that operand is a command of its own, with its own flags.
pub fn tell<'k>(
    words: &[String],
    flags: &[&'k Flag],
    style: Style,
    bare_flags: bool,
    stop: Option<usize>,
) -> Told<'k> {
    tell_with(words, &Listed { program: flags, case: &[], named: 0 }, style, bare_flags, stop)
}

pub fn tell_with<'k>(
    words: &[String],
    listed: &Listed<'_, 'k>,
    style: Style,
    bare_flags: bool,
    stop: Option<usize>,
) -> Told<'k> {
    let both: Vec<&'k Flag> = listed.case.iter().chain(listed.program).copied().collect();
    let mut told = Told::default();
    let mut at = 0;
    let mut only_operands = style == Style::None;
    while at < words.len() {
        let word = &words[at];
        at += 1;
        let flags = if told.operands.len() < listed.named { listed.program } else { &both };
        if stop.is_some_and(|stop| told.operands.len() > stop) {
            told.operands.push(word.clone());
            continue;
        }
        let bare = bare_flags && at == 1 && !word.starts_with('-') && !word.is_empty();
        if only_operands || !bare && (!word.starts_with('-') || word == "-") {
            if style == Style::Pairs
                && let Some((name, value)) = word.split_once('=')
            {
                told.seen.push(name.to_owned());
                if let Some(flag) = flags.iter().find(|flag| flag.names.iter().any(|known| known == name)) {
                    told.known.push((flag, Some(value.to_owned())));
                }
                continue;
            }
            told.doubtful |= word.starts_with(HOLE);
            told.operands.push(word.clone());
            continue;
        }
        if word == "--" {
            only_operands = true;
            continue;
        }
        // What cannot be told in a flag is taken for nothing.
        let clean: String = word.chars().filter(|c| !is_mark(*c)).collect();
        told.doubtful |= clean.len() != word.len() && !clean.contains('=');
        if let Some(flag) = exact(flags, &clean) {
            let value = take_value(flag, None, words, &mut at);
            told.seen.push(clean);
            told.known.push((flag, value));
        } else if style == Style::Dash {
            let (name, value) = split(word);
            told.seen.push(name.to_owned());
            match exact(flags, name) {
                Some(flag) => {
                    let value = take_value(flag, value, words, &mut at);
                    told.known.push((flag, value));
                }
                None => told.strangers = true,
            }
        } else if clean.starts_with("--") {
            let (name, value) = split(word);
            told.seen.push(name.to_owned());
            match long(flags, name) {
                Some(flag) => {
                    let value = take_value(flag, value, words, &mut at);
                    told.known.push((flag, value));
                }
                None => told.strangers = true,
            }
        } else {
            told.seen.push(word.clone());
            let letters = if bare { word.as_str() } else { &word[1..] };
            cluster(letters, flags, words, &mut at, &mut told);
        }
    }
    told
}

fn split(word: &str) -> (&str, Option<String>) {
    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value.to_owned())))
}

fn exact<'k>(flags: &[&'k Flag], name: &str) -> Option<&'k Flag> {
    flags.iter().find(|flag| flag.names.iter().any(|known| known == name)).copied()
}

/// A long flag, or one that starts so; where several do, the one that matters most.
fn long<'k>(flags: &[&'k Flag], name: &str) -> Option<&'k Flag> {
    exact(flags, name).or_else(|| {
        let starts = |flag: &&&Flag| name.len() > 3 && flag.names.iter().any(|known| known.starts_with(name));
        flags
            .iter()
            .filter(starts)
            .max_by_key(|flag| (flag.is.is_some() || flag.level.is_some(), flag.takes.is_some()))
            .copied()
    })
}

fn take_value(flag: &Flag, joined: Option<String>, words: &[String], at: &mut usize) -> Option<String> {
    flag.takes.as_ref()?;
    if joined.is_some() || flag.optional {
        return joined;
    }
    let value = words.get(*at).cloned();
    *at += 1;
    value
}

/// `-rf`, `-n5`, `-ofile`.
fn cluster<'k>(letters: &str, flags: &[&'k Flag], words: &[String], at: &mut usize, told: &mut Told<'k>) {
    for (i, letter) in letters.char_indices() {
        let name = format!("-{letter}");
        let flag = exact(flags, &name);
        told.seen.push(name);
        match flag {
            Some(flag) if flag.takes.is_some() => {
                let rest = &letters[i + letter.len_utf8()..];
                let joined = (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest).to_owned());
                let value = take_value(flag, joined, words, at);
                told.known.push((flag, value));
                return;
            }
            Some(flag) => told.known.push((flag, None)),
            None => told.strangers |= !letter.is_ascii_digit(),
        }
    }
}
