//! Languages that are given code: Python, Perl, Ruby, JavaScript, PHP, …

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    code::Language,
    judge::{Reach, Writing},
    knowledge::Flag,
    read::flags::Told,
    text::{HOLE, NET, SHELL, globs_as_text, origin, shown},
};

/// How a language is given code on its command line.
struct Switches {
    /// Flags that take a value.
    takes: &'static str,
    /// Flags whose value may be joined on, and is never the next word.
    joined: &'static str,
    /// Of the former, those whose value is code, and those that name a file or module to load.
    code: &'static [&'static str],
    loads: &'static [&'static str],
}

fn switches(language: Language) -> Switches {
    let (takes, joined, code, loads): (_, _, &[&str], &[&str]) = match language {
        Language::Python => ("-c -m -W -X -Q --check-hash-based-pycs", "", &["-c"], &[]),
        Language::Perl => ("-e -E -I -M -m -F -x", "-i", &["-e", "-E"], &["-M", "-m", "-x"]),
        Language::Ruby => ("-e -I -r -C -E -F -x", "-i", &["-e"], &["-r"]),
        Language::JavaScript => (
            "-e -p -pe --eval --print -r --require --import --loader -c",
            "--inspect-brk",
            &["-e", "-p", "-pe", "--eval", "--print"],
            &["-r", "--require", "--import", "--loader"],
        ),
        Language::Php => {
            ("-r -R -B -E -f -d -c -z -S -t --run", "", &["-r", "--run", "-R", "-B", "-E"], &["-z"])
        }
        Language::Lua => ("-e -l", "", &["-e"], &["-l"]),
        Language::R => ("-e -g --expression", "", &["-e", "--expression"], &[]),
        Language::AppleScript => ("-e -l -s", "", &["-e"], &[]),
        Language::Tcl => ("-c -e", "", &["-c"], &[]),
        _ => ("-e -E -c --eval --expression", "", &["-e", "-E", "--eval", "--expression"], &[]),
    };
    Switches { takes, joined, code, loads }
}

/// Flags that only say what the interpreter is.
const ASKS: &[&str] = &["--version", "-V", "-v", "--help", "-h", "-VV", "-version"];
const PHP_ASKS: &[&str] = &["-m", "--modules", "-i", "--info", "--ini", "-v", "--version", "-h", "--help"];

impl Reading<'_> {
    /// `python3 -c CODE`, a file, or what it is fed.
    pub fn script_language(
        &mut self,
        language: Language,
        name: &str,
        words: &[String],
        input: Option<&str>,
    ) -> String {
        self.step(format!("{name} runs code."));
        let switches = switches(language);
        let (takes, joined) = (Flag::taking(switches.takes), Flag::taking_joined(switches.joined));
        let told = flags::tell(words, &[&takes, &joined], Some(0));
        if told.only_asks(if language == Language::Php { PHP_ASKS } else { ASKS }) {
            return HOLE.to_string();
        }
        for file in told.values(switches.loads) {
            if file.starts_with(['.', '/']) {
                let why = format!("It loads the code in {}.", shown(&file));
                self.find(Permission::Moderate, format!("program:{name}"), why);
            }
        }
        let checks = match language {
            Language::JavaScript => told.has_any(&["--check"]),
            Language::Php => told.has_any(&["-l", "--syntax-check"]) && !told.has_any(&["-d", "-z", "-c"]),
            Language::Ruby => told.has_any(&["-c"]),
            _ => false,
        };
        if checks {
            for file in &told.operands {
                self.reads(file, Reach::One);
            }
            return HOLE.to_string();
        }
        let texts = told.values(switches.code);
        if let Some(module) = told.value(&["-m"]).filter(|_| language == Language::Python && texts.is_empty())
        {
            return self.python_module(&module, &told.operands);
        }
        if !texts.is_empty() {
            return self.inline_code(language, &texts, &told);
        }
        let serves = language == Language::Php && told.has_any(&["-S"]);
        let debugs = name == "node" && told.operands.first().is_some_and(|word| word == "inspect");
        if serves || debugs {
            let why = format!("{name} serves or debugs.");
            self.find(Permission::Moderate, format!("program:{name}"), why);
        }
        match told.operands.split_first() {
            // `deno eval CODE`.
            Some((word, [code, ..])) if name == "deno" && word == "eval" => {
                self.code(language, &globs_as_text(code))
            }
            Some((word, [file, rest @ ..])) if matches!(name, "deno" | "bun") && word == "run" => {
                self.script_file(file, name, rest, input)
            }
            Some((file, rest)) if file != "-" => self.script_file(file, name, rest, input),
            _ => self.fed_language(language, name, input),
        }
    }

    /// Code on the command line; what follows it are files for Perl and Ruby, and mere words for Python.
    fn inline_code(&mut self, language: Language, texts: &[String], told: &Told<'_>) -> String {
        self.find(Permission::Moderate, "code", "It runs code.");
        let edits = told.has_any(&["-i"]) && matches!(language, Language::Perl | Language::Ruby);
        let mut output = String::new();
        for text in texts {
            output.push_str(&self.code(language, &globs_as_text(text)));
        }
        // Code that runs for each line, or whose value is printed, prints more than it says.
        if told.has_any(&["-n", "-p", "-l", "-pe", "--print", "-a"]) {
            output.push(HOLE);
        }
        for path in &told.operands {
            if edits {
                self.writes(path, Writing::Whole);
            } else if !path.starts_with('-') && language != Language::Python {
                output.push_str(&origin(&self.reads(path, Reach::One)));
            }
        }
        output
    }

    /// `python3 -m MODULE …`.
    fn python_module(&mut self, module: &str, rest: &[String]) -> String {
        match module {
            "json.tool" => {
                let mut files = rest.iter().filter(|word| !word.starts_with('-'));
                if let Some(file) = files.next() {
                    self.reads(file, Reach::One);
                }
                for file in files {
                    self.writes(file, Writing::Whole);
                }
            }
            "calendar" | "site" | "sysconfig" | "platform" | "this" | "base64" | "tokenize" | "dis"
            | "ast" => {}
            "pip" => {
                let command: Vec<String> =
                    [module.to_owned()].into_iter().chain(rest.iter().cloned()).collect();
                return self.command(&command, None);
            }
            _ => {
                self.effect(Effects::EXECUTES);
                let why = format!("It runs the module {}.", shown(module));
                self.find(Permission::Moderate, "program:python -m", why);
            }
        }
        HOLE.to_string()
    }

    /// A language that runs what it reads.
    pub fn fed_language(&mut self, language: Language, name: &str, input: Option<&str>) -> String {
        match input {
            Some(text) if text.contains(NET) => {
                self.forbid("remote-code", format!("It has {name} run what another host sends."));
                HOLE.to_string()
            }
            Some(text) => self.code(language, text),
            None => {
                self.find(Permission::Moderate, format!("program:{name}"), format!("It starts {name}."));
                SHELL.to_string()
            }
        }
    }
}
