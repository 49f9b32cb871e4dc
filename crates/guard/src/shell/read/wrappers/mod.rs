//! Programs that run another command: with more rights, later, elsewhere, under watch.

mod env;
mod remote;
mod table;

use deskhand_core::{Effects, Permission};

use super::{Reading, flags};
use crate::shell::{
    judge::Writing,
    knowledge::Flag,
    text::{HOLE, shown},
};
use flags::Told;
use table::{Kind, OWN, WRAPPERS};

pub fn is_wrapper(name: &str) -> bool {
    OWN.contains(&name) || WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&name))
}

impl Reading<'_> {
    /// Reads a wrapper and what it runs; `None` if it is none.
    pub fn wrapper(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        Some(match name {
            "env" | "genv" => self.env(words, input),
            "su" | "runuser" => self.su(name, words, input),
            "ssh" | "mosh" | "slogin" => self.ssh(name, words, input),
            "parallel" => self.parallel(words, input),
            "xargs" | "gxargs" => self.xargs(words, input),
            "watch" => {
                // It hands its words to a shell, joined.
                let flag = Flag::taking("-n --interval -s --shotsdir");
                let text = flags::tell(words, &[&flag], Some(0)).operands.join(" ");
                self.find(Permission::Moderate, "program:watch", "watch runs a command again and again.");
                self.shell_text(&text, input)
            }
            "flock" => {
                let takes = "-c --command -w --wait --timeout -E --conflict-exit-code";
                self.with_command_text(name, words, takes, input)
            }
            "script" => {
                let takes = "-c --command -E --echo -I --log-in -O --log-out -B --log-io -T --log-timing \
                             -o --output-limit -m";
                self.with_command_text(name, words, takes, input)
            }
            "capsh" | "sg" => {
                let why = format!("{name} runs it with other rights.");
                self.find(Permission::Sensitive, format!("privilege:{name}"), why);
                self.with_command_text(name, words, "-c", input)
            }
            "bwrap" | "proot" | "nsjail" | "firejail" => {
                let why = format!("{name} changes what a command sees.");
                self.find(Permission::Moderate, format!("program:{name}"), why);
                self.hedge(words);
                HOLE.to_string()
            }
            "ztcp" => {
                let host = words.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
                self.connects(&host);
                HOLE.to_string()
            }
            "ttyd" | "gotty" | "shellinaboxd" | "wetty" => {
                self.forbid("reverse-shell", "It opens a shell to the network.");
                HOLE.to_string()
            }
            _ => return self.listed_wrapper(name, words, input),
        })
    }

    /// One of the table.
    fn listed_wrapper(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
        let flag = Flag::taking(wrapper.takes);
        let told = flags::tell(words, &[&flag], Some(wrapper.before));
        if matches!(name, "time" | "gtime") && told.has_any(&["-o", "--output"]) {
            self.find(Permission::Moderate, "program:time -o", "time writes its times to a file.");
        }
        if matches!(name, "busybox" | "toybox") && told.has_any(&["--install"]) {
            self.find(Permission::Moderate, "program:busybox --install", "busybox makes links to itself.");
        }
        if matches!(name, "taskset" | "ionice" | "chrt" | "prlimit") && told.has_any(&["-p", "--pid"]) {
            let why = format!("{name} changes a process that runs.");
            self.find(Permission::Sensitive, format!("program:{name} -p"), why);
        }
        if !told.only_asks(&["-V", "--version", "--help"]) {
            self.wraps(name, wrapper.is);
        }
        let sudo = matches!(name, "sudo" | "doas");
        let rest = told.operands.get(wrapper.before..).unwrap_or_default();
        if rest.is_empty() {
            // A shell as another user: it does what it is fed.
            let shell = sudo && told.has_any(&["-i", "-s", "--login", "--shell"]);
            return Some(if shell { self.fed_shell(input) } else { HOLE.to_string() });
        }
        if sudo && told.has_any(&["-e", "--edit"]) {
            for path in rest {
                self.writes(path, Writing::Whole);
            }
            return Some(HOLE.to_string());
        }
        let outside = self.mounts.clone();
        if name == "chroot" {
            let root = self.written(&told.operands[0]).path;
            self.mounts = Some(vec![("/".to_owned(), root)]);
        }
        if let [line] = rest
            && line.contains(' ')
        {
            // Some take a whole line: gksudo, run0.
            self.shell_text(line, input);
        }
        // `sudo A=b command`.
        let output = self.argv(rest, true, input);
        self.mounts = outside;
        Some(output)
    }

    /// What a wrapper of this kind is, beside running the command.
    fn wraps(&mut self, name: &str, kind: Kind) {
        let (permission, rule, why) = match kind {
            Kind::Plain => return,
            Kind::Watched => {
                (Permission::Moderate, "program", "watches what it runs, or changes what that sees")
            }
            Kind::Privilege => {
                self.effect(Effects::EXECUTES);
                (Permission::Sensitive, "privilege", "runs it with other rights")
            }
            Kind::Detached => (Permission::Sensitive, "detached", "runs it by itself, out of reach"),
        };
        self.step(format!("{name} {why}."));
        self.find(permission, format!("{rule}:{name}"), format!("{name} {why}."));
    }

    /// A command given as words, after `NAME=value` words where those may come first.
    pub fn argv(&mut self, words: &[String], assignments: bool, input: Option<&str>) -> String {
        let mut at = 0;
        while assignments
            && let Some((name, value)) = words.get(at).and_then(|word| word.split_once('='))
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            self.environment(name, value);
            self.set(name, vec![value.to_owned()]);
            at += 1;
        }
        // Aliases, functions and builtins of the shell are not there for a wrapper.
        self.without_functions(words.get(at..).unwrap_or_default(), input)
    }

    /// Reads a command for which the shell's function of that name is not there.
    pub fn without_functions(&mut self, words: &[String], input: Option<&str>) -> String {
        let hidden = words.first().and_then(|name| self.functions.remove_entry(name));
        let output = self.command(words, input);
        self.functions.extend(hidden);
        output
    }

    fn su(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        let why = format!("{name} runs it as another user.");
        self.find(Permission::Sensitive, format!("privilege:{name}"), why);
        self.effect(Effects::EXECUTES);
        let flag = Flag::taking(
            "-c --command --session-command -s --shell -g --group -G --supp-group \
             -w --whitelist-environment -u --user",
        );
        let told = flags::tell(words, &[&flag], None);
        let texts = self.command_texts(&told, input);
        if name == "runuser" && texts.is_none() && !told.operands.is_empty() {
            let start = usize::from(!told.has_any(&["-u", "--user"]));
            return self.argv(told.operands.get(start..).unwrap_or_default(), false, input);
        }
        match texts {
            Some(output) => output,
            None if input.is_some() => self.fed_shell(input),
            None => HOLE.to_string(),
        }
    }

    /// What the texts after `-c` do; `None` where there is none.
    fn command_texts(&mut self, told: &Told<'_>, input: Option<&str>) -> Option<String> {
        let mut output = None;
        for text in told.values(&["-c", "--command", "--session-command"]) {
            output = Some(self.shell_text(&text, input));
        }
        output
    }

    /// `flock file -c TEXT`, `flock file command …`, `script -c TEXT file`.
    fn with_command_text(
        &mut self,
        name: &str,
        words: &[String],
        takes: &str,
        input: Option<&str>,
    ) -> String {
        // For all of them the file (or the group) comes first.
        let flag = Flag::taking(takes);
        let stop = match name {
            "flock" => Some(1),
            "script" => Some(0),
            _ => None,
        };
        let told = flags::tell(words, &[&flag], stop);
        let texts = self.command_texts(&told, input);
        let file = told.operands.first().map_or_else(|| "a file".to_owned(), |file| shown(file));
        self.find(
            Permission::Moderate,
            format!("program:{name}"),
            format!("{name} makes or locks {file}, and runs a command."),
        );
        match texts {
            Some(output) => output,
            // `flock file -c TEXT` has its flag after the file.
            None if name == "flock" || name == "script" && told.operands.len() > 1 => {
                let rest = told.operands.get(1..).unwrap_or_default();
                let inner = flags::tell(rest, &[&flag], Some(0));
                self.command_texts(&inner, input).unwrap_or_else(|| self.argv(&inner.operands, false, input))
            }
            None if name == "script" => self.fed_shell(input),
            // What follows `--` is for the shell that it starts.
            None if name == "capsh" => self.shell(name, &told.operands, input),
            None => {
                self.hedge(&told.operands);
                HOLE.to_string()
            }
        }
    }
}
