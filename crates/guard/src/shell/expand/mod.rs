//! Expansion, as bash does it: braces, tilde, parameters, commands, arithmetic, splitting. Globs are kept as marks.

mod arithmetic;
mod braces;
mod parameters;
#[cfg(test)]
mod tests;

pub use arithmetic::evaluate;
pub use parameters::is_secret_name;

use super::{
    read::Reading,
    syntax::{Sub, Unit, Word},
    text::{ANY, HOLE, SET, STAR, origin},
};

/// The most fields that one word may become.
const MOST_FIELDS: usize = 256;
/// Putting in so many characters counts as one step.
const CHARS_OF_A_STEP: usize = 1024;
/// The most characters of one field.
const MOST_CHARS: usize = 128 * 1024;

impl Reading<'_> {
    /// What a word becomes as arguments.
    pub fn fields(&mut self, word: &Word) -> Vec<String> {
        let mut fields = Vec::new();
        if !word.contains(&Unit::Bare('{')) {
            self.split(word, &mut fields);
        } else if let Some(words) = braces::expand(word) {
            for word in words {
                self.split(&word, &mut fields);
            }
        } else {
            self.unresolved("Braces stand for more words than are read.");
            fields.push(HOLE.to_string());
        }
        if fields.len() > MOST_FIELDS {
            self.unresolved("A word becomes more words than are read.");
            fields.truncate(MOST_FIELDS);
            fields.push(HOLE.to_string());
        }
        fields
    }

    /// What a word becomes where it is not split: assignments, redirections, here-documents.
    pub fn scalar(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for (at, unit) in word.iter().enumerate() {
            match unit {
                Unit::Bare('~') if at == 0 => text.push_str(&self.tilde(word)),
                Unit::Bare(c) | Unit::Quoted(c) => text.push(*c),
                Unit::Empty => {}
                Unit::Sub { sub, .. } => {
                    let value = self.value_of(sub).join(" ");
                    text.push_str(&value);
                }
            }
            if text.len() > MOST_CHARS {
                self.unresolved("A value is longer than is read.");
                return format!("{HOLE}{}", origin(&text));
            }
        }
        text
    }

    /// The same with globs marked: targets of redirections, patterns.
    pub fn pattern(&mut self, word: &Word) -> String {
        let mut text = String::new();
        for (at, unit) in word.iter().enumerate() {
            match unit {
                Unit::Bare('~') if at == 0 => text.push_str(&self.tilde(word)),
                Unit::Bare(c) => text.push(marked(*c)),
                other => text.push_str(&self.scalar(&vec![other.clone()])),
            }
        }
        text
    }

    fn split(&mut self, word: &Word, fields: &mut Vec<String>) {
        let mut field: Option<String> = None;
        let separators = self.separators();
        for (at, unit) in word.iter().enumerate() {
            if let Some(long) = field.as_ref().filter(|field| field.len() > MOST_CHARS) {
                field = Some(format!("{HOLE}{}", origin(long)));
                self.unresolved("A value is longer than is read.");
                break;
            }
            match unit {
                Unit::Bare('~') if at == 0 => {
                    let home = self.tilde(word);
                    field.get_or_insert_default().push_str(&home);
                }
                Unit::Bare(c) => field.get_or_insert_default().push(marked(*c)),
                Unit::Quoted(c) => field.get_or_insert_default().push(*c),
                Unit::Empty => drop(field.get_or_insert_default()),
                Unit::Sub { sub, quoted } => {
                    let first_word = self.expanding_name && fields.is_empty();
                    let flag = field.as_ref().is_some_and(|field| field.starts_with('-'));
                    self.unset_is_empty = first_word || flag;
                    let values = self.value_of(sub);
                    self.unset_is_empty = false;
                    if *quoted {
                        // "$@" is as many words as there are.
                        for (i, value) in values.into_iter().enumerate() {
                            if i > 0 {
                                fields.extend(field.take());
                            }
                            field.get_or_insert_default().push_str(&value);
                        }
                    } else {
                        split_values(&values, &separators, &mut field, fields);
                    }
                }
            }
        }
        fields.extend(field);
        for field in fields.iter_mut().filter(|field| field.contains(SET) && !field.contains(']')) {
            *field = field.replace(SET, "[");
        }
    }

    fn separators(&mut self) -> String {
        self.variable("IFS").map_or_else(|| " \t\n".to_owned(), str::to_owned)
    }

    /// The home folder in place of `~`; `~name` is that user's.
    fn tilde(&self, word: &Word) -> String {
        let name: String = word[1..]
            .iter()
            .map_while(|unit| match unit {
                Unit::Bare(c) if *c != '/' => Some(*c),
                _ => None,
            })
            .collect();
        let whole = word[1..].get(name.chars().count()).is_none_or(|unit| matches!(unit, Unit::Bare('/')));
        match name.as_str() {
            _ if !whole => "~".to_owned(),
            "" => self.home().to_owned(),
            "+" | "-" => HOLE.to_string(),
            // The name itself follows as ordinary characters.
            "root" => "/root/../".to_owned(),
            _ => "/home/".to_owned(),
        }
    }

    /// What a substitution is replaced by; more than one only for `$@` and its like.
    fn value_of(&mut self, sub: &Sub) -> Vec<String> {
        if !self.take_step() {
            return vec![HOLE.to_string()];
        }
        let values = self.substituted(sub);
        self.charge(values.iter().map(String::len).sum::<usize>() / CHARS_OF_A_STEP);
        values
    }

    fn substituted(&mut self, sub: &Sub) -> Vec<String> {
        match sub {
            Sub::Param(param) => self.parameter(param),
            Sub::Command(text) => {
                let mut output = self.output_of(text);
                let end = output.trim_end_matches('\n').len();
                output.truncate(end);
                vec![output]
            }
            Sub::Process { text, input } => {
                let output = self.output_of(text);
                let path = format!("/dev/fd/{}", 60 + self.files.len());
                if *input {
                    self.files.insert(path.clone(), output);
                } else {
                    self.files.insert(path.clone(), HOLE.to_string());
                    self.sinks.insert(path.clone(), text.clone());
                }
                vec![path]
            }
            Sub::Arithmetic(text) => vec![self.arithmetic(text)],
        }
    }
}

fn marked(c: char) -> char {
    match c {
        '*' => STAR,
        '?' => ANY,
        '[' => SET,
        c => c,
    }
}

fn split_values(values: &[String], separators: &str, field: &mut Option<String>, fields: &mut Vec<String>) {
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            fields.extend(field.take());
        }
        for c in value.chars() {
            if separators.contains(c) {
                // One more than is read: so that it is seen that there are too many.
                if fields.len() <= MOST_FIELDS {
                    fields.extend(field.take());
                }
            } else {
                field.get_or_insert_default().push(marked(c));
            }
        }
    }
}
