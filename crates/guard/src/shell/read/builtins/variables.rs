//! Builtins that set variables.

use super::Reading;
use crate::shell::{
    knowledge::Flag,
    read::{flags, output},
    text::{ENVIRONMENT, HOLE, globs_as_text, is_known},
};

/// Variables that people export every day; what they name is looked at where it is used.
const EVERYDAY: &[&str] = &["LESS", "HOME", "CC", "CXX", "SHELL", "TMPDIR"];

/// More lines than the values of a variable that are told apart.
const MOST_LINES: usize = 1024;

impl Reading<'_> {
    /// `declare` and its like; gives what it prints.
    pub fn declare(&mut self, name: &str, words: &[String]) -> String {
        self.subscripts(words);
        let exports =
            name == "export" || words.iter().any(|word| word.starts_with('-') && word.contains('x'));
        for word in words.iter().filter(|word| !word.starts_with(['-', '+'])) {
            let Some((variable, value)) = word.split_once('=') else {
                // `export NAME`: with the value it has.
                if exports {
                    let value = self.variable(word).unwrap_or_default().to_owned();
                    self.exported(word, &value);
                }
                continue;
            };
            let value = match words.iter().find(|word| word.starts_with('-') && word.contains(['l', 'u'])) {
                Some(flag) if flag.contains('l') => globs_as_text(value).to_lowercase(),
                Some(_) => globs_as_text(value).to_uppercase(),
                None => globs_as_text(value),
            };
            let (variable, adds) = variable.strip_suffix('+').map_or((variable, false), |name| (name, true));
            self.variable_is_set(variable, &value);
            if exports {
                self.exported(variable, &value);
            }
            let old =
                if adds { self.variable(variable).unwrap_or_default().to_owned() } else { String::new() };
            self.set(variable, vec![old + &value]);
        }
        let told = flags::tell(words, &[], None);
        if told.has_any(&["-n"]) && name != "export" {
            self.unresolved("A name stands for another variable.");
            for (name, of) in told.operands.iter().filter_map(|word| word.split_once('=')) {
                self.references.insert(name.to_owned(), of.to_owned());
            }
        }
        self.plain_step(name, "sets variables of this shell");
        let shows = words.iter().all(|word| word.starts_with('-')) && name != "local";
        if shows { format!("{HOLE}{ENVIRONMENT}") } else { String::new() }
    }

    /// An exported variable matters only to what runs after it; adding to PATH is everyday.
    fn exported(&mut self, variable: &str, value: &str) {
        let everyday = match variable {
            "PATH" => {
                value.contains("/usr/bin") && !value.starts_with(['.', ':']) && !value.starts_with("/tmp")
            }
            "EDITOR" | "VISUAL" | "PAGER" => !value.contains([' ', '/', ';']),
            _ => EVERYDAY.contains(&variable) || variable.starts_with("GIT_AUTHOR"),
        };
        if !everyday {
            self.environment(variable, value);
        }
    }

    pub fn unset(&mut self, words: &[String]) {
        self.subscripts(words);
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            if word.starts_with("HIST") {
                self.forbid("defence", format!("It switches off the shell's history ({word})."));
            }
            self.set(word, vec![String::new()]);
            self.functions.remove(word);
        }
    }

    /// `set`; gives what it prints.
    pub fn set_options(&mut self, words: &[String]) -> String {
        let text = words.join(" ");
        if words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('a'))
            || text.contains("-o allexport")
        {
            self.unresolved("It gives all variables to programs.");
        }
        // `+H` is about `!` in words, not about what is remembered.
        if text.contains("+o history") {
            self.forbid("defence", "It switches off the shell's history.");
        }
        if let Some(at) = words.iter().position(|word| word == "--") {
            self.positional = words[at + 1..].to_vec();
        } else if words.first().is_some_and(|word| !word.starts_with(['-', '+'])) {
            self.positional = words.to_vec();
        }
        if words.is_empty() { format!("{HOLE}{ENVIRONMENT}") } else { String::new() }
    }

    pub fn let_numbers(&mut self, words: &[String]) {
        self.subscripts(words);
        for word in words {
            let text = globs_as_text(word);
            self.number(&text);
            if let Some((name, value)) = text.split_once('=') {
                let value = self.arithmetic(value);
                self.set(name, vec![value]);
            }
        }
    }

    /// `read name …`: the lines of its input.
    pub fn read_line(&mut self, name: &str, words: &[String], input: Option<&str>) {
        self.subscripts(words);
        let takes = if name == "read" { "-a -d -i -n -N -p -t -u" } else { "-C -c -d -n -O -s -u" };
        let flag = Flag::taking(takes);
        let told = flags::tell(words, &[&flag], None);
        if let Some(text) = told.value(&["-C"]) {
            self.unresolved("mapfile runs a command for its lines.");
            self.run_apart(&globs_as_text(&text), None);
        }
        let hole = HOLE.to_string();
        let text = input.unwrap_or(&hole);
        let mut values: Vec<String> = if is_known(text) {
            text.lines().take(MOST_LINES).map(str::to_owned).collect()
        } else {
            vec![text.to_owned()]
        };
        if values.is_empty() {
            values.push(String::new());
        }
        let separators = self.variable("IFS").unwrap_or_default().to_owned();
        for name in told.values(&["-a"]) {
            let words = values.iter().flat_map(|line| line.split(|c| separators.contains(c)));
            let words = words.filter(|word| !word.is_empty()).map(str::to_owned).collect();
            self.set_array(&name, words);
        }
        if told.has_any(&["-a"]) && name == "read" {
            return;
        }
        let names = told.operands.clone();
        match names.as_slice() {
            [] => self.set("REPLY", values),
            [one] => {
                self.set_array(one, values.clone());
                self.set(one, values);
            }
            several => {
                for (at, name) in several.iter().enumerate() {
                    let part = |line: &String| part_of(line, at, several.len(), &separators);
                    self.set(name, values.iter().map(part).collect());
                }
            }
        }
    }

    pub fn printf(&mut self, words: &[String]) -> String {
        let flag = Flag::taking("-v");
        let told = flags::tell(words, &[&flag], Some(0));
        let text = output::printf(&told.operands);
        let Some(name) = told.value(&["-v"]) else { return text };
        self.subscripts(std::slice::from_ref(&name));
        self.exported(&name, &text);
        self.set(&name, vec![text]);
        String::new()
    }
}

/// What the name at `at` of `count` gets of a line: the first words go to the first names, the rest to the last.
fn part_of(line: &str, at: usize, count: usize, separators: &str) -> String {
    let blank = separators.chars().all(char::is_whitespace);
    if !blank {
        return line.splitn(count, |c| separators.contains(c)).nth(at).unwrap_or_default().to_owned();
    }
    let mut words = line.split_whitespace().skip(at);
    if at + 1 == count {
        words.collect::<Vec<_>>().join(" ")
    } else {
        words.next().unwrap_or_default().to_owned()
    }
}
