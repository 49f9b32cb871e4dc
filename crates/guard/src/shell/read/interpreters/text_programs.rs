//! awk, sed and make: programs that are given a program of their own.

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    code::Language,
    judge::{Reach, Writing},
    knowledge::Flag,
    text::{HOLE, globs_as_text, origin},
};

impl Reading<'_> {
    pub fn awk(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.step(format!("{name} picks and prints parts of text."));
        let flag = Flag::taking(
            "-F --field-separator -v --assign -e --source -f --file -i --include -l --load -E --exec -m",
        );
        let joined = Flag::taking_joined("-p --profile -o --pretty-print -d --dump-variables");
        let told = flags::tell(words, &[&flag, &joined], None);
        let mut operands = told.operands.as_slice();
        let mut programs = told.values(&["-e", "--source"]);
        let files = told.values(&["-f", "--file", "-E", "--exec"]);
        if programs.is_empty() && files.is_empty() {
            let Some((program, rest)) = operands.split_first() else { return HOLE.to_string() };
            programs.push(program.clone());
            operands = rest;
        }
        for file in &files {
            self.script_file(file, name, &[], input);
        }
        // What `-v` sets is there from the start.
        let set = |value: &String| {
            let (name, value) = value.split_once('=')?;
            Some(format!("{name}=\"{}\"", value.replace('"', "\\\"")))
        };
        let set: Vec<String> = told.values(&["-v", "--assign"]).iter().filter_map(set).collect();
        let start = if set.is_empty() { String::new() } else { format!("BEGIN{{{}}} ", set.join("; ")) };
        for program in &programs {
            self.code(Language::Awk, &(start.clone() + &globs_as_text(program)));
        }
        self.runs_its_input(input);
        if told.has_any(&["-l", "--load", "-i", "--include"]) {
            self.find(Permission::Sensitive, "program:awk", "awk loads more code, or edits files in place.");
        }
        if told.has_any(&["-o", "--pretty-print", "-d", "--dump-variables", "-p", "--profile"]) {
            self.find(Permission::Moderate, "program:awk", "awk writes a file.");
        }
        let files = operands.iter().filter(|path| !path.contains('='));
        self.filter_output(name, words, files, input)
    }

    pub fn sed(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.step(format!("{name} changes text on its way through."));
        let flag = Flag::taking("-e --expression -f --file -l --line-length");
        let in_place = Flag::taking_joined("-i --in-place");
        let told = flags::tell(words, &[&flag, &in_place], None);
        let mut operands = told.operands.as_slice();
        let mut programs = told.values(&["-e", "--expression"]);
        let files = told.values(&["-f", "--file"]);
        if programs.is_empty() && files.is_empty() {
            let Some((program, rest)) = operands.split_first() else { return HOLE.to_string() };
            programs.push(program.clone());
            operands = rest;
        }
        for file in &files {
            self.script_file(file, name, &[], input);
        }
        for program in &programs {
            self.code(Language::Sed, &globs_as_text(program));
        }
        self.runs_its_input(input);
        if told.has_any(&["-i", "--in-place"]) {
            self.find(Permission::Moderate, "program:sed -i", "sed changes files in place.");
            for path in operands {
                self.writes(path, Writing::Whole);
            }
        }
        self.filter_output(name, words, operands.iter(), input)
    }

    /// `awk '{system($0)}'`, `sed 's/.*/&/e'`: the commands are what it reads.
    fn runs_its_input(&mut self, input: Option<&str>) {
        if std::mem::take(&mut self.ran_unknown)
            && let Some(text) = input
        {
            self.shell_text(text, None);
        }
    }

    /// What a filter prints of its files and its input.
    fn filter_output<'w>(
        &mut self,
        name: &str,
        words: &[String],
        files: impl Iterator<Item = &'w String>,
        input: Option<&str>,
    ) -> String {
        let mut marks = origin(input.unwrap_or_default());
        for path in files {
            marks.push_str(&origin(&self.reads(path, Reach::One)));
        }
        self.simulate(name, words, input).unwrap_or_else(|| format!("{HOLE}{marks}"))
    }

    pub fn make(&mut self, words: &[String], input: Option<&str>) -> String {
        let flag = Flag::taking("-C --directory -f --file --makefile -I --include-dir -o -W --eval -E");
        let joined = Flag::taking_joined("-j --jobs -l --load-average");
        let told = flags::tell(words, &[&flag, &joined], None);
        if told.only_asks(&["-v", "--version", "-h", "--help"]) {
            return HOLE.to_string();
        }
        self.effect(Effects::EXECUTES);
        self.step("make runs what the makefile says.".to_owned());
        self.find(Permission::Moderate, "program:make", "make runs what the makefile says.");
        for text in told.values(&["--eval", "-E"]) {
            self.code(Language::Make, &text);
        }
        for file in told.values(&["-f", "--file", "--makefile"]) {
            let unknown = HOLE.to_string();
            if matches!(file.as_str(), "-" | "/dev/stdin") {
                self.code(Language::Make, input.unwrap_or(&unknown));
            } else if let Some(text) = self.files.get(&self.written(&file).path).cloned() {
                self.code(Language::Make, &text);
            }
        }
        for (name, value) in told.operands.iter().filter_map(|word| word.split_once('=')) {
            if name == "SHELL" || value.contains("$(shell") || value.contains('`') {
                self.unresolved("make is given another shell, or a value that runs commands.");
                self.code(Language::Make, &format!("x={value}"));
            }
        }
        HOLE.to_string()
    }
}
