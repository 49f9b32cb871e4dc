//! Programs that run code: shells and languages, from an argument, a file or their input.

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    code::{self, Facts, Language},
    judge::{Class, Reach, Writing},
    knowledge::{Flag, Style},
    text::{HOLE, NET, SECRET, SHELL, STAR, globs_as_text, is_known, is_secret, shown},
};

pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "ksh93"
            | "mksh"
            | "pdksh"
            | "ash"
            | "fish"
            | "csh"
            | "tcsh"
            | "rbash"
            | "yash"
            | "posh"
            | "rc"
            | "elvish"
            | "xonsh"
            | "nu"
            | "lksh"
            | "loksh"
            | "oksh"
    )
}

pub(super) fn language(name: &str) -> Option<Language> {
    code::language_of(name)
}

impl Reading<'_> {
    /// Reads an interpreter; `None` if it is none.
    pub(super) fn interpreter(
        &mut self,
        name: &str,
        words: &[String],
        input: Option<&str>,
    ) -> Option<String> {
        if is_shell(name) {
            return Some(self.shell(name, words, input));
        }
        if matches!(name, "powershell" | "pwsh" | "powershell.exe" | "cmd" | "cmd.exe") {
            return Some(self.windows_shell(name, words));
        }
        let language = language(name)?;
        Some(match language {
            Language::Awk => self.awk(name, words, input),
            Language::Sed => self.sed(name, words, input),
            Language::Make => self.make(words, input),
            Language::Ed | Language::Vim => self.editor(language, name, words, input),
            Language::Sql | Language::Gdb | Language::Jq | Language::Calculator | Language::Other => {
                return None;
            }
            _ => self.script_language(language, name, words, input),
        })
    }

    /// `sh`, `bash`, …: `-c TEXT`, a file, or what it is fed.
    fn shell(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.step(format!("{name} runs commands."));
        let mut at = 0;
        let mut text = None;
        let mut reads_input = false;
        while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+']) && word.len() > 1) {
            at += 1;
            match word.as_str() {
                "--" => break,
                "--rcfile" | "--init-file" | "-O" | "+O" | "-o" | "+o" => {
                    if word.starts_with("--") {
                        if let Some(file) = words.get(at).cloned() {
                            self.script_file(&file, name, &[], input);
                        }
                    }
                    at += 1;
                }
                "--command" => {
                    text = words.get(at).cloned();
                    at += 1;
                    break;
                }
                word if word.starts_with("--") => {}
                word => {
                    reads_input |= word.contains('s');
                    if word.contains('c') {
                        // Flags may still follow before the text.
                        while words
                            .get(at)
                            .is_some_and(|next| next.starts_with('-') && next.len() > 1 && next != "--")
                        {
                            at += 1;
                        }
                        at += usize::from(words.get(at).is_some_and(|next| next == "--"));
                        text = Some(words.get(at).cloned().unwrap_or_default());
                        at += 1;
                        break;
                    }
                }
            }
        }
        if let Some(text) = text {
            let positional = words.get(at + 1..).unwrap_or_default().to_vec();
            let kept = std::mem::replace(&mut self.positional, positional);
            let zero =
                std::mem::replace(&mut self.zero, words.get(at).cloned().unwrap_or_else(|| name.to_owned()));
            let output = self.shell_text(&globs_as_text(&text), input);
            self.positional = kept;
            self.zero = zero;
            return output;
        }
        match words.get(at) {
            Some(file) if !reads_input && file != "-" => {
                let file = file.clone();
                let rest = words.get(at + 1..).unwrap_or_default().to_vec();
                self.script_file(&file, name, &rest, input)
            }
            _ => self.fed_shell(input),
        }
    }

    /// A shell that does what it reads.
    pub(super) fn fed_shell(&mut self, input: Option<&str>) -> String {
        match input {
            Some(text) => {
                let text = text.to_owned();
                let mut output = self.shell_text(&text, None);
                output.push(SHELL);
                output
            }
            None => {
                // Alone it reads nothing, since nothing is on its input; but its output may go somewhere.
                self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
                self.find(Permission::Moderate, "shell:interactive", "It starts a shell.");
                SHELL.to_string()
            }
        }
    }

    /// Text for a shell of its own.
    pub(super) fn shell_text(&mut self, text: &str, input: Option<&str>) -> String {
        if text.contains(NET) {
            self.forbid("remote-code", "It runs what another host sends.");
            return HOLE.to_string();
        }
        if text.contains(SECRET) && !text.contains(' ') {
            self.unresolved("It runs the content of a secret file.");
        }
        if !is_known(text) {
            self.unresolved("It runs text that cannot be told before it runs.");
        }
        let functions = std::mem::take(&mut self.functions);
        let output = self.run_apart(text, input);
        self.functions = functions;
        output
    }

    /// A file that an interpreter runs.
    pub(super) fn script_file(
        &mut self,
        file: &str,
        name: &str,
        arguments: &[String],
        input: Option<&str>,
    ) -> String {
        if matches!(file, "/dev/stdin" | "-" | "/proc/self/fd/0" | "/dev/fd/0") {
            return match language(name) {
                Some(language) => self.fed_language(language, name, input),
                None => self.fed_shell(input),
            };
        }
        let place = self.written(file);
        if let Some(text) = self.files.get(&place.path).cloned() {
            if let Some(language) = language(name) {
                if text.contains(NET) {
                    self.forbid(
                        "remote-code",
                        format!("It runs {}, which it has just downloaded.", shown(file)),
                    );
                }
                return self.code(language, &text);
            }
            return self.run_file_text(&text, file, arguments, input);
        }
        if file.contains(NET) || file.starts_with("http://") || file.starts_with("https://") {
            self.forbid("remote-code", "It runs what another host sends.");
        }
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        if name == "ldd" && self.class_of(file) == Class::SystemFile {
            return HOLE.to_string();
        }
        let level = match self.class_of(file) {
            Class::Workspace | Class::Temporary => Permission::Moderate,
            _ => Permission::Sensitive,
        };
        self.find(level, format!("program:{name}"), format!("It runs the code in {}.", shown(file)));
        self.reads(file, Reach::One);
        HOLE.to_string()
    }

    /// `python3 -c CODE`, a file, or what it is fed.
    fn script_language(
        &mut self,
        language: Language,
        name: &str,
        words: &[String],
        input: Option<&str>,
    ) -> String {
        self.step(format!("{name} runs code."));
        let takes = match language {
            Language::Python => "-c -W -X -Q --check-hash-based-pycs",
            Language::Perl => "-e -E -I -M -m -F -x",
            Language::Ruby => "-e -I -r -C -E -F -x",
            Language::JavaScript => "-e -p --eval --print -r --require --import --loader --inspect-brk -c",
            Language::Php => "-r -R -B -E -f -d -c -z -S -t --run",
            Language::Lua => "-e -l",
            Language::R => "-e -g --expression",
            Language::AppleScript => "-e -l -s",
            _ => "-e -c",
        };
        let codes: &[&str] = match language {
            Language::Python => &["-c"],
            Language::JavaScript => &["-e", "-p", "--eval", "--print", "-pe"],
            Language::Php => &["-r", "--run", "-R", "-B", "-E"],
            Language::Tcl => &["-c"],
            _ => &["-e", "-E", "--expression"],
        };
        let flag = Flag::plain(takes, Some(()));
        let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(0));
        let mut output = String::new();
        let mut found = false;
        let edits =
            told.seen.iter().any(|flag| flag == "-i") && matches!(language, Language::Perl | Language::Ruby);
        let texts = code_texts(
            words,
            codes,
            matches!(language, Language::Perl | Language::Ruby | Language::Lua | Language::JavaScript),
        );
        for text in texts {
            found = true;
            output = self.code(language, &globs_as_text(&text));
        }
        if words.windows(2).any(|pair| pair[0] == "-m")
            || words
                .iter()
                .any(|word| word.starts_with("-m") && language == Language::Python && word.len() > 2)
        {
            return self.python_module(words, input);
        }
        for (known, value) in &told.known {
            let value = value.clone().unwrap_or_default();
            let loads = matches!(
                language,
                Language::Perl | Language::Ruby | Language::JavaScript | Language::Lua | Language::Php
            ) && known.names.len() > 2
                && words.iter().any(|word| {
                    matches!(word.as_str(), "-r" | "--require" | "--import" | "--loader" | "-l" | "-d")
                        && language != Language::Php
                });
            if loads && (value.starts_with('.') || value.starts_with('/')) {
                self.find(
                    Permission::Moderate,
                    format!("program:{name}"),
                    format!("It loads the code in {}.", shown(&value)),
                );
            }
        }
        if found {
            for path in &told.operands {
                if edits {
                    self.writes(path, Writing::Whole);
                } else if !path.starts_with('-') && language != Language::Python {
                    self.reads(path, Reach::One);
                }
            }
            return output;
        }
        if told.operands.is_empty()
            && !told.seen.is_empty()
            && told.seen.iter().all(|flag| {
                matches!(flag.as_str(), "--version" | "-V" | "-v" | "--help" | "-h" | "-VV" | "-version")
            })
        {
            return HOLE.to_string();
        }
        if name == "node" && matches!(told.operands.first().map(String::as_str), Some("inspect"))
            || told.seen.iter().any(|flag| flag == "-S") && language == Language::Php
        {
            self.find(Permission::Moderate, format!("program:{name}"), format!("{name} serves or debugs."));
        }
        match told.operands.first() {
            Some(file) if file != "-" => {
                let file = file.clone();
                let rest = told.operands[1..].to_vec();
                self.script_file(&file, name, &rest, input)
            }
            _ => self.fed_language(language, name, input),
        }
    }

    fn python_module(&mut self, words: &[String], _input: Option<&str>) -> String {
        let at = words.iter().position(|word| word.starts_with("-m")).unwrap_or(0);
        let joined = &words[at][2..];
        let (module, rest) = if joined.is_empty() {
            (words.get(at + 1).map_or("", String::as_str), words.get(at + 2..).unwrap_or_default())
        } else {
            (joined, words.get(at + 1..).unwrap_or_default())
        };
        match module {
            "json.tool" => {
                let files: Vec<&String> = rest.iter().filter(|word| !word.starts_with('-')).collect();
                for file in files.iter().take(1) {
                    self.reads(file, Reach::One);
                }
                for file in files.iter().skip(1) {
                    self.writes(file, Writing::Whole);
                }
                HOLE.to_string()
            }
            "calendar" | "site" | "sysconfig" | "platform" | "this" => HOLE.to_string(),
            "base64" | "tokenize" | "dis" | "ast" => HOLE.to_string(),
            "pip" => {
                let mut command = vec!["pip".to_owned()];
                command.extend(rest.iter().cloned());
                self.command(&command, None)
            }
            _ => {
                self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
                self.find(
                    Permission::Moderate,
                    "program:python -m",
                    format!("It runs the module {}.", shown(module)),
                );
                HOLE.to_string()
            }
        }
    }

    /// A language that runs what it reads.
    fn fed_language(&mut self, language: Language, name: &str, input: Option<&str>) -> String {
        match input {
            Some(text) if text.contains(NET) => {
                self.forbid("remote-code", format!("It has {name} run what another host sends."));
                HOLE.to_string()
            }
            Some(text) => {
                let text = text.to_owned();
                self.code(language, &text)
            }
            None => {
                self.find(Permission::Moderate, format!("program:{name}"), format!("It starts {name}."));
                SHELL.to_string()
            }
        }
    }

    /// What code does, as far as it can be told by looking.
    pub(super) fn code(&mut self, language: Language, text: &str) -> String {
        if text.contains(NET) {
            self.forbid("remote-code", "It runs code that another host sends.");
        }
        let facts = code::inspect(language, text);
        self.facts(&facts, text);
        let marks = if facts.network { NET.to_string() } else { HOLE.to_string() };
        format!(
            "{marks}{}",
            if facts.reads.iter().any(|path| matches!(self.class_of(path), Class::Secret(_))) {
                SECRET.to_string()
            } else {
                String::new()
            }
        )
    }

    fn facts(&mut self, facts: &Facts, text: &str) {
        let mut secret = false;
        for command in &facts.shell {
            secret |= is_secret(&self.shell_text(command, None));
        }
        for words in &facts.argvs {
            self.argv(words, false, None);
        }
        for (path, tree) in &facts.deletes {
            let path = self.code_path(path);
            self.removes(&path, if *tree { Reach::Tree } else { Reach::One });
        }
        for path in &facts.writes {
            let path = self.code_path(path);
            self.writes(&path, Writing::Whole);
        }
        for path in &facts.reads {
            let path = self.code_path(path);
            secret |= self.reads(&path, Reach::One).contains(SECRET);
        }
        for (path, tree) in &facts.changes_permissions {
            let path = self.code_path(path);
            self.changes_access(&path, if *tree { Reach::Tree } else { Reach::One });
        }
        for host in &facts.hosts {
            self.host(host);
        }
        if facts.network {
            self.notes.effects = self.notes.effects.and(Effects::NETWORK);
            self.find(Permission::Sensitive, "code:network", "The code reaches other hosts.");
            if secret {
                self.forbid("exfiltration", "The code reads a secret and reaches another host.");
            }
        }
        if facts.downloads_and_runs {
            self.forbid("remote-code", "The code runs what another host sends.");
        }
        if facts.shell_over_socket {
            self.forbid("reverse-shell", "The code connects a shell to another host.");
        }
        if facts.forks_forever {
            self.forbid("fork-bomb", "The code starts processes without end.");
        }
        if facts.powers_off {
            self.forbid("power", "The code stops or restarts the machine.");
        }
        if facts.executes || facts.unresolved || !facts.pure {
            self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
            let level = if facts.unresolved || !is_known(text) {
                Permission::Sensitive
            } else {
                Permission::Moderate
            };
            self.find(level, "code", "It runs code whose effects cannot all be told by looking.");
        }
    }

    /// A path as code names it: `~`, and globs as marks.
    fn code_path(&self, path: &str) -> String {
        let path = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home()),
            _ => path.to_owned(),
        };
        path.replace('*', &STAR.to_string())
    }

    fn awk(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.step(format!("{name} picks and prints parts of text."));
        let value = Flag::plain(
            "-F --field-separator -v --assign -e --source -f --file -i --include -l --load -E --exec -p --profile -o --pretty-print -d --dump-variables -m",
            Some(()),
        );
        let told = flags::tell(words, &[&value], Style::Gnu, false, None);
        let mut operands = told.operands.as_slice();
        let has = |names: &[&str]| told.seen.iter().any(|seen| names.contains(&seen.as_str()));
        let texts = code_texts(words, &["-e", "--source"], false);
        if has(&["-f", "--file", "-E", "--exec"]) {
            for (at, word) in words.iter().enumerate() {
                if matches!(word.as_str(), "-f" | "--file" | "-E" | "--exec")
                    && let Some(file) = words.get(at + 1).cloned()
                {
                    self.script_file(&file, name, &[], input);
                }
            }
            if !words.iter().any(|word| word == "-f") {
                self.unresolved("awk runs a program from a file.");
            }
        } else if texts.is_empty() {
            let Some((program, rest)) = operands.split_first() else { return HOLE.to_string() };
            operands = rest;
            // What `-v` sets is there from the start.
            let set: Vec<String> = words
                .windows(2)
                .filter(|pair| pair[0] == "-v")
                .filter_map(|pair| pair[1].split_once('='))
                .map(|(name, value)| format!("{name}=\"{}\"", value.replace('"', "\\\"")))
                .collect();
            let start = if set.is_empty() { String::new() } else { format!("BEGIN{{{}}} ", set.join("; ")) };
            self.code(Language::Awk, &(start + &globs_as_text(program)));
        }
        for text in texts {
            self.code(Language::Awk, &text);
        }
        if has(&["-l", "--load", "-i", "--include"]) {
            self.find(Permission::Sensitive, "program:awk", "awk loads more code, or edits files in place.");
        }
        if has(&["-o", "--pretty-print", "-d", "--dump-variables", "-p", "--profile"]) {
            self.find(Permission::Moderate, "program:awk", "awk writes a file.");
        }
        let mut marks = crate::shell::text::origin(input.unwrap_or_default());
        for path in operands.iter().filter(|path| !path.contains('=')) {
            marks.push_str(&crate::shell::text::origin(&self.reads(path, Reach::One)));
        }
        let mut all = vec![name.to_owned()];
        all.extend(words.iter().cloned());
        self.simulate(name, words, input).unwrap_or_else(|| format!("{HOLE}{marks}"))
    }

    fn sed(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.step(format!("{name} changes text on its way through."));
        let value = Flag::plain("-e --expression -f --file -l --line-length", Some(()));
        let in_place = Flag { optional: true, ..Flag::plain("-i --in-place", Some(())) };
        let told = flags::tell(words, &[&value, &in_place], Style::Gnu, false, None);
        let mut operands = told.operands.as_slice();
        let texts = code_texts(words, &["-e", "--expression"], false);
        let from_file = told.seen.iter().any(|seen| seen == "-f" || seen == "--file");
        if texts.is_empty() && !from_file {
            let Some((program, rest)) = operands.split_first() else { return HOLE.to_string() };
            operands = rest;
            self.code(Language::Sed, &globs_as_text(program));
        }
        for text in &texts {
            self.code(Language::Sed, &globs_as_text(text));
        }
        if from_file {
            self.find(Permission::Moderate, "program:sed -f", "sed runs a program from a file.");
        }
        let edits = told.seen.iter().any(|seen| {
            seen == "-i" || seen == "--in-place" || seen.len() > 4 && "--in-place".starts_with(seen.as_str())
        });
        let mut marks = crate::shell::text::origin(input.unwrap_or_default());
        for path in operands {
            if edits {
                self.writes(path, Writing::Whole);
            } else {
                marks.push_str(&crate::shell::text::origin(&self.reads(path, Reach::One)));
            }
        }
        if edits {
            self.find(Permission::Moderate, "program:sed -i", "sed changes files in place.");
        }
        self.simulate(name, words, input).unwrap_or_else(|| format!("{HOLE}{marks}"))
    }

    fn make(&mut self, words: &[String], input: Option<&str>) -> String {
        let value = Flag::plain(
            "-C --directory -f --file --makefile -I --include-dir -j --jobs -l -o -W --eval -E",
            Some(()),
        );
        let told = flags::tell(words, &[&value], Style::Gnu, false, None);
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        self.find(Permission::Moderate, "program:make", "make runs what the makefile says.");
        for (at, word) in words.iter().enumerate() {
            let value = words.get(at + 1).cloned().unwrap_or_default();
            if word == "--eval" || word == "-E" {
                self.code(Language::Make, &value);
            } else if let Some(text) = word.strip_prefix("--eval=") {
                self.code(Language::Make, text);
            } else if matches!(word.as_str(), "-f" | "--file" | "--makefile") || word == "-f-" {
                if word == "-f-" || value == "-" || value == "/dev/stdin" {
                    let text = input.unwrap_or("\u{E000}").to_owned();
                    self.code(Language::Make, &text);
                } else if let Some(text) = self.files.get(&self.written(&value).path).cloned() {
                    self.code(Language::Make, &text);
                }
            }
        }
        for assignment in told.operands.iter().filter_map(|word| word.split_once('=')) {
            if assignment.0 == "SHELL" || assignment.1.contains("$(shell") || assignment.1.contains('`') {
                self.unresolved("make is given another shell, or a value that runs commands.");
                self.code(Language::Make, &format!("x={}", assignment.1));
            }
        }
        HOLE.to_string()
    }

    /// Line and screen editors, given commands.
    fn editor(&mut self, language: Language, name: &str, words: &[String], input: Option<&str>) -> String {
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        self.find(
            Permission::Moderate,
            format!("program:{name}"),
            format!("{name} edits files, and can run commands."),
        );
        for (at, word) in words.iter().enumerate() {
            let text = match word.as_str() {
                "-c" | "--cmd" | "-eval" | "--eval" | "--execute" | "-f" | "--funcall" => {
                    words.get(at + 1).cloned()
                }
                word if word.starts_with('+') && word.len() > 1 => Some(word[1..].to_owned()),
                word if word.starts_with("-c") && word.len() > 2 && !word.starts_with("--") => {
                    Some(word[2..].to_owned())
                }
                word if word.starts_with("--eval=") => Some(word["--eval=".len()..].to_owned()),
                _ => None,
            };
            if let Some(text) = text {
                let text = globs_as_text(&text);
                if name.starts_with("emacs") {
                    self.lisp(&text);
                }
                self.code(language, &text);
            }
            if matches!(word.as_str(), "-S" | "-u" | "-s" | "--script" | "--load" | "-l")
                && let Some(file) = words.get(at + 1).filter(|file| !file.starts_with('-')).cloned()
            {
                if let Some(text) = self.files.get(&self.written(&file).path).cloned() {
                    self.code(language, &text);
                }
            }
        }
        if let Some(text) = input {
            let text = text.to_owned();
            self.code(language, &text);
        }
        let operands: Vec<String> =
            words.iter().filter(|word| !word.starts_with(['-', '+'])).cloned().collect();
        for path in operands.iter().rev().take(3) {
            if matches!(self.class_of(path), Class::Account | Class::Device | Class::Secret(_)) {
                self.find(Permission::Sensitive, "path:system", format!("It edits {}.", shown(path)));
            }
        }
        HOLE.to_string()
    }

    /// Emacs Lisp: the commands and deletions that stand in it as they are.
    fn lisp(&mut self, text: &str) {
        let argument = |name: &str| {
            text.split_once(name).and_then(|(_, rest)| rest.split('"').nth(1)).map(str::to_owned)
        };
        for name in ["shell-command-to-string", "async-shell-command", "shell-command"] {
            if let Some(command) = argument(name) {
                self.shell_text(&command, None);
            }
        }
        for name in ["delete-directory", "delete-file"] {
            if let Some(path) = argument(name) {
                let path = self.code_path(&path);
                self.removes(&path, if name == "delete-file" { Reach::One } else { Reach::Tree });
            }
        }
    }

    /// `powershell -Command …`, `cmd /c …`.
    fn windows_shell(&mut self, name: &str, words: &[String]) -> String {
        let text = format!("{name} {}", words.iter().map(|word| shown(word)).collect::<Vec<_>>().join(" "));
        self.windows_text(&text);
        HOLE.to_string()
    }
}

/// The texts that a flag hands over: `-e TEXT`, `-eTEXT`, `-ne TEXT`, `--eval=TEXT`.
fn code_texts(words: &[String], names: &[&str], clusters: bool) -> Vec<String> {
    let mut texts = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if word == "--" {
            break;
        }
        if names.contains(&word.as_str()) {
            texts.extend(words.get(at).cloned());
            at += 1;
            continue;
        }
        let long = names
            .iter()
            .find_map(|name| word.strip_prefix(name)?.strip_prefix('=').filter(|_| name.starts_with("--")));
        if let Some(text) = long {
            texts.push(text.to_owned());
            continue;
        }
        if !word.starts_with('-') || word.starts_with("--") || word.len() < 3 {
            continue;
        }
        let letter = |c: char| names.iter().any(|name| name.len() == 2 && name.ends_with(c));
        if clusters || names.contains(&"-c") {
            if let Some((i, c)) = word.char_indices().skip(1).find(|(_, c)| letter(*c)) {
                // `-MFoo` and `-Idir` take the rest of their word.
                let before = &word[1..i];
                if before.contains(['M', 'I', 'm', 'r', 'F', 'x', 'l']) && before.len() > 1 {
                    continue;
                }
                let rest = &word[i + c.len_utf8()..];
                if rest.is_empty() {
                    texts.extend(words.get(at).cloned());
                    at += 1;
                } else {
                    texts.push(rest.to_owned());
                }
            }
        } else if word.chars().nth(1).is_some_and(letter) {
            texts.push(word.chars().skip(2).collect());
        } else if word.chars().last().is_some_and(letter) {
            texts.extend(words.get(at).cloned());
            at += 1;
        }
    }
    texts
}
