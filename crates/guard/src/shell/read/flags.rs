//! Telling a program's flags from its operands.

use crate::shell::{
    knowledge::{Flag, Style},
    text::{HOLE, is_mark},
};

/// A listed flag that is there.
#[derive(Debug)]
pub struct Given<'k> {
    pub flag: &'k Flag,
    /// Its whole name, also where it was cut short.
    pub name: &'k str,
    pub value: Option<String>,
}

/// The words of a call, told apart.
#[derive(Debug, Default)]
pub struct Told<'k> {
    /// Flags as written, without values: `-r`, `--force`.
    pub seen: Vec<String>,
    /// Those that are listed, with their values.
    pub known: Vec<Given<'k>>,
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

    pub fn has_any(&self, flags: &[&str]) -> bool {
        flags.iter().any(|flag| self.seen.iter().any(|seen| same_flag(seen, flag)))
    }

    /// The values of the flags of these names, in order.
    pub fn values(&self, names: &[&str]) -> Vec<String> {
        let given = self.known.iter().filter(|given| names.contains(&given.name));
        given.filter_map(|given| given.value.clone()).collect()
    }

    pub fn value(&self, names: &[&str]) -> Option<String> {
        self.values(names).pop()
    }

    /// Whether nothing is asked but what the program is.
    pub fn only_asks(&self, flags: &[&str]) -> bool {
        self.operands.is_empty()
            && !self.seen.is_empty()
            && self.seen.iter().all(|seen| flags.contains(&seen.as_str()))
    }
}

/// Whether a written flag is this one: the same, a long one cut short, or `--word` for `-word`.
fn same_flag(seen: &str, flag: &str) -> bool {
    seen == flag || seen.len() > 3 && seen.starts_with("--") && (flag.starts_with(seen) || flag == &seen[1..])
}

/// What is known of a program's flags.
#[derive(Clone, Copy)]
pub struct Listed<'a, 'k> {
    pub program: &'a [&'k Flag],
    /// Those of one of its subcommands, which count once that has been named by so many operands.
    pub case: &'a [&'k Flag],
    pub named: usize,
    pub style: Style,
    /// Its first word may hold flags without a dash.
    pub bare_flags: bool,
    /// What follows this many operands is a command of its own, with its own flags.
    pub stop: Option<usize>,
}

/// The same for a program without an entry.
pub fn tell<'k>(words: &[String], flags: &[&'k Flag], stop: Option<usize>) -> Told<'k> {
    let listed = Listed { program: flags, case: &[], named: 0, style: Style::Gnu, bare_flags: false, stop };
    tell_with(words, &listed)
}

pub fn tell_with<'k>(words: &[String], listed: &Listed<'_, 'k>) -> Told<'k> {
    let both: Vec<&'k Flag> = listed.case.iter().chain(listed.program).copied().collect();
    let mut teller = Teller { words, at: 0, told: Told::default() };
    let mut only_operands = listed.style == Style::None;
    while let Some(word) = words.get(teller.at) {
        teller.at += 1;
        let operands = teller.told.operands.len();
        let flags = if operands < listed.named { listed.program } else { &both };
        let bare = listed.bare_flags && teller.at == 1 && !word.starts_with('-') && !word.is_empty();
        let is_flag = bare || word.starts_with('-') && word != "-";
        if listed.stop.is_some_and(|stop| operands > stop) {
            teller.told.operands.push(word.clone());
        } else if only_operands || !is_flag {
            teller.operand(word, flags, listed.style);
        } else if word == "--" {
            only_operands = true;
        } else if bare {
            teller.told.seen.push(word.clone());
            teller.cluster(word, flags);
        } else {
            teller.flag(word, flags, listed.style);
        }
    }
    teller.told
}

/// Goes through the words of a call.
struct Teller<'w, 'k> {
    words: &'w [String],
    at: usize,
    told: Told<'k>,
}

impl<'k> Teller<'_, 'k> {
    fn operand(&mut self, word: &str, flags: &[&'k Flag], style: Style) {
        if style == Style::Pairs
            && let Some((name, value)) = word.split_once('=')
        {
            self.told.seen.push(name.to_owned());
            if let Some((flag, name)) = exact(flags, name) {
                self.told.known.push(Given { flag, name, value: Some(value.to_owned()) });
            }
            return;
        }
        self.told.doubtful |= word.starts_with(HOLE);
        self.told.operands.push(word.to_owned());
    }

    fn flag(&mut self, word: &str, flags: &[&'k Flag], style: Style) {
        // What cannot be told in a flag is taken for nothing.
        let clean: String = word.chars().filter(|c| !is_mark(*c)).collect();
        self.told.doubtful |= clean.len() != word.len() && !clean.contains('=');
        if let Some(found) = exact(flags, &clean) {
            self.told.seen.push(clean);
            self.found(found, None);
        } else if style == Style::Dash || clean.starts_with("--") {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word, None),
            };
            self.told.seen.push(name.to_owned());
            let found = if style == Style::Dash { word_flag(flags, name) } else { long(flags, name) };
            match found {
                Some(found) => self.found(found, value),
                None => self.told.strangers = true,
            }
        } else {
            self.told.seen.push(word.to_owned());
            self.cluster(&word[1..], flags);
        }
    }

    /// A listed flag: its value is what is joined on, or the next word.
    fn found(&mut self, (flag, name): (&'k Flag, &'k str), joined: Option<String>) {
        let value = match &flag.takes {
            None => None,
            Some(_) if joined.is_some() || flag.optional => joined,
            Some(_) => {
                self.at += 1;
                self.words.get(self.at - 1).cloned()
            }
        };
        self.told.known.push(Given { flag, name, value });
    }

    /// `-rf`, `-n5`, `-ofile`.
    fn cluster(&mut self, letters: &str, flags: &[&'k Flag]) {
        for (i, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            let found = exact(flags, &name);
            self.told.seen.push(name);
            match found {
                Some(found) if found.0.takes.is_some() => {
                    let rest = &letters[i + letter.len_utf8()..];
                    let joined =
                        (!rest.is_empty()).then(|| rest.strip_prefix('=').unwrap_or(rest).to_owned());
                    self.found(found, joined);
                    return;
                }
                Some(found) => self.found(found, None),
                None => self.told.strangers |= !letter.is_ascii_digit(),
            }
        }
    }
}

fn exact<'k>(flags: &[&'k Flag], name: &str) -> Option<(&'k Flag, &'k str)> {
    flags.iter().find_map(|flag| {
        let known = flag.names.iter().find(|known| *known == name)?;
        Some((*flag, known.as_str()))
    })
}

/// A flag that is a word after one dash. Most programs that have such flags take two dashes as well.
fn word_flag<'k>(flags: &[&'k Flag], name: &str) -> Option<(&'k Flag, &'k str)> {
    let one_dash = || name.strip_prefix('-').filter(|rest| rest.starts_with('-') && rest.len() > 2);
    exact(flags, name).or_else(|| exact(flags, one_dash()?))
}

/// A long flag, or one that starts so; where several do, the one that matters most.
fn long<'k>(flags: &[&'k Flag], name: &str) -> Option<(&'k Flag, &'k str)> {
    exact(flags, name).or_else(|| {
        let starts = |flag: &&'k Flag| {
            let known = flag.names.iter().find(|known| name.len() > 3 && known.starts_with(name))?;
            Some((*flag, known.as_str()))
        };
        let matters =
            |(flag, _): &(&Flag, &str)| (flag.is.is_some() || flag.level.is_some(), flag.takes.is_some());
        flags.iter().filter_map(starts).max_by_key(matters)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn told(text: &str) -> (Vec<(String, Option<String>)>, String) {
        let flags = [Flag::taking("-o --output"), Flag::taking("-n"), Flag::taking_joined("-i --in-place")];
        let listed: Vec<&Flag> = flags.iter().collect();
        let words = words(text);
        let told = tell(&words, &listed, None);
        let known = told.known.iter().map(|given| (given.name.to_owned(), given.value.clone())).collect();
        (known, told.operands.join(" "))
    }

    #[test]
    fn flags_and_operands_are_told_apart() {
        let one = |name: &str, value: &str| vec![(name.to_owned(), Some(value.to_owned()))];
        for (text, known, operands) in [
            ("a b", vec![], "a b"),
            ("-o out a", one("-o", "out"), "a"),
            ("-oout a", one("-o", "out"), "a"),
            ("-xo out a", one("-o", "out"), "a"),
            ("-xn5 a", one("-n", "5"), "a"),
            ("--output=out a", one("--output", "out"), "a"),
            ("--output out a", one("--output", "out"), "a"),
            ("--outp out a", one("--output", "out"), "a"),
            ("-- -o out", vec![], "-o out"),
            ("a -o out b", one("-o", "out"), "a b"),
            ("- a", vec![], "- a"),
            // A value that is only joined on leaves the next word alone.
            ("-i.bak a", one("-i", ".bak"), "a"),
            ("-i a", vec![("-i".to_owned(), None)], "a"),
            ("a -o", vec![("-o".to_owned(), None)], "a"),
        ] {
            assert_eq!(told(text), (known, operands.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_follows_the_command_of_a_wrapper_is_not_its_own() {
        let flag = Flag::taking("-n");
        let words = words("-n 5 rm -n 6");
        let told = tell(&words, &[&flag], Some(0));
        assert_eq!(told.operands.join(" "), "rm -n 6");
        assert_eq!(told.value(&["-n"]).as_deref(), Some("5"));
    }

    #[test]
    fn a_word_that_may_be_a_flag_is_doubtful() {
        for (word, doubtful) in [("\u{E000}", true), ("-\u{E000}", true), ("a\u{E000}", false), ("a", false)]
        {
            let words = [word.to_owned()];
            assert_eq!(tell(&words, &[], None).doubtful, doubtful, "{word:?}");
        }
    }

    #[test]
    fn cut_short_flags_count_as_the_whole_ones() {
        let words = words("--recurs --for");
        let told = tell(&words, &[], None);
        assert!(told.has_any(&["--recursive"]) && told.has_any(&["--force"]));
        assert!(!told.has_any(&["--reference"]));
    }
}
