//! Programs that run another command: with more rights, later, elsewhere, under watch.

use deskhand_core::{Effects, Permission};

use super::{Reading, flags, simple::base_name};
use crate::shell::{
    knowledge::{Flag, Style},
    text::{HOLE, globs_as_text, is_known},
};

/// A program whose operands, after the first few, are a command.
struct Wrapper {
    names: &'static [&'static str],
    /// Flags that take a value.
    takes: &'static str,
    /// Operands before the command.
    before: usize,
    /// What it is beside running the command.
    is: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing more.
    Plain,
    /// With more rights.
    Privilege,
    /// It watches the command, or shuts it in.
    Watched,
    /// It goes on by itself.
    Detached,
}

const fn wrapper(names: &'static [&'static str], takes: &'static str, before: usize, is: Kind) -> Wrapper {
    Wrapper { names, takes, before, is }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        &["sudo", "gsudo"],
        "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -r --role -t --type -T --command-timeout -U --other-user -R --chroot",
        0,
        Kind::Privilege,
    ),
    wrapper(&["doas"], "-u -C", 0, Kind::Privilege),
    wrapper(
        &["pkexec", "kdesu", "gksu", "gksudo", "run0", "sudo-rs", "please"],
        "--user -u --unit --property --setenv",
        0,
        Kind::Privilege,
    ),
    wrapper(&["gosu", "su-exec", "setuidgid", "envuidgid"], "", 1, Kind::Privilege),
    wrapper(
        &[
            "nohup",
            "setsid",
            "catchsegv",
            "eatmydata",
            "unbuffer",
            "winpty",
            "linux64",
            "linux32",
            "i386",
            "fakeroot",
            "torsocks",
            "tsocks",
            "daemonize",
            "daemon",
            "dbus-run-session",
            "dbus-launch",
            "choom",
            "arch",
            "builtin-no",
            "doit",
            "ccache",
            "distcc",
            "sccache",
            "aoss",
            "padsp",
            "optirun",
            "primusrun",
        ],
        "",
        0,
        Kind::Plain,
    ),
    wrapper(&["time", "gtime"], "-o --output -f --format", 0, Kind::Plain),
    wrapper(&["proxychains", "proxychains4"], "-f", 0, Kind::Plain),
    wrapper(&["faketime"], "-f", 1, Kind::Plain),
    wrapper(&["setarch"], "", 1, Kind::Plain),
    wrapper(
        &["xvfb-run"],
        "-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args -w --wait",
        0,
        Kind::Plain,
    ),
    wrapper(&["systemd-inhibit"], "--what --who --why --mode", 0, Kind::Plain),
    wrapper(&["caffeinate"], "-t -w", 0, Kind::Plain),
    wrapper(&["prlimit"], "-p --pid", 0, Kind::Plain),
    wrapper(&["cgexec"], "-g", 0, Kind::Plain),
    wrapper(
        &["numactl"],
        "-N --cpunodebind -m --membind -C --physcpubind -i --interleave -p --preferred -l",
        0,
        Kind::Plain,
    ),
    wrapper(&["rlwrap"], "-a -b -c -f -H -l -p -P -q -s -S -z", 0, Kind::Plain),
    wrapper(&["timeout", "gtimeout"], "-k --kill-after -s --signal", 1, Kind::Plain),
    wrapper(&["nice", "gnice"], "-n --adjustment", 0, Kind::Plain),
    wrapper(&["ionice"], "-c --class -n --classdata -p --pid -P --pgid -u --uid", 0, Kind::Plain),
    wrapper(&["chrt"], "-T --sched-runtime -P --sched-period -D --sched-deadline -p --pid", 1, Kind::Plain),
    wrapper(&["taskset"], "-p --pid", 1, Kind::Plain),
    wrapper(&["stdbuf", "gstdbuf"], "-i --input -o --output -e --error", 0, Kind::Plain),
    wrapper(
        &["strace"],
        "-o --output -e --trace -p --attach -s --string-limit -S --summary-sort-by -u --user -E --env -a --columns -b -O -P -X -I",
        0,
        Kind::Watched,
    ),
    wrapper(&["ltrace"], "-o --output -e -p -s -u -a -A -l -n -F -w -x -D", 0, Kind::Watched),
    wrapper(
        &["unshare"],
        "--setuid --setgid -S -G --root -R --wd -w --map-users --map-groups --propagation",
        0,
        Kind::Privilege,
    ),
    wrapper(&["nsenter"], "-t --target -S --setuid -G --setgid --wdns", 0, Kind::Privilege),
    wrapper(
        &["setpriv"],
        "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits --selinux-label --apparmor-profile --ptracer",
        0,
        Kind::Privilege,
    ),
    wrapper(&["runcon"], "-u -r -t -l --user --role --type --range", 0, Kind::Privilege),
    wrapper(&["chroot"], "--userspec --groups", 1, Kind::Privilege),
    wrapper(&["chpst", "softlimit"], "-u -U -b -e -/ -n -l -L -m -d -o -p -f -c", 0, Kind::Privilege),
    wrapper(
        &["systemd-run"],
        "-p --property -u --unit -E --setenv -M --machine -H --host --uid --gid --nice --working-directory --on-calendar --on-active --on-boot --description --slice",
        0,
        Kind::Detached,
    ),
    wrapper(&["busybox", "toybox"], "", 0, Kind::Plain),
    wrapper(&["sshpass"], "-p -f -d -P -e", 0, Kind::Watched),
];

pub(super) fn is_wrapper(name: &str) -> bool {
    WRAPPERS.iter().any(|wrapper| wrapper.names.contains(&name))
        || matches!(
            name,
            "env"
                | "xargs"
                | "find"
                | "su"
                | "runuser"
                | "ssh"
                | "parallel"
                | "flock"
                | "script"
                | "awk"
                | "sed"
                | "make"
                | "ed"
                | "vim"
        )
}

impl Reading<'_> {
    /// Reads a wrapper and what it runs; `None` if it is none.
    pub(super) fn wrapper(&mut self, name: &str, words: &[String], input: Option<&str>) -> Option<String> {
        match name {
            "env" | "genv" => return Some(self.env(words, input)),
            "su" | "runuser" => return Some(self.su(name, words, input)),
            "ssh" | "mosh" | "slogin" => return Some(self.ssh(name, words, input)),
            "parallel" => return Some(self.parallel(words, input)),
            "flock" => {
                return Some(self.with_command_text(
                    "flock",
                    words,
                    "-w --wait --timeout -E --conflict-exit-code",
                    1,
                    input,
                ));
            }
            "script" => {
                return Some(self.with_command_text(
                    "script",
                    words,
                    "-E --echo -I --log-in -O --log-out -B --log-io -T --log-timing -o --output-limit -m",
                    1,
                    input,
                ));
            }
            "watch" => {
                // It hands its words to a shell, joined.
                let flag = Flag::plain("-n --interval -s --shotsdir", Some(()));
                let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(0));
                let text = told.operands.join(" ");
                return Some(self.shell_text(&text, input));
            }
            "bwrap" | "proot" | "nsjail" | "firejail" => {
                self.find(
                    Permission::Moderate,
                    format!("program:{name}"),
                    format!("{name} changes what a command sees."),
                );
                self.hedge(words);
                return Some(HOLE.to_string());
            }
            "ztcp" => {
                let host = words.iter().find(|word| !word.starts_with('-')).cloned().unwrap_or_default();
                self.connects(&host);
                return Some(HOLE.to_string());
            }
            "ttyd" | "gotty" | "shellinaboxd" | "wetty" => {
                self.forbid("reverse-shell", "It opens a shell to the network.");
                return Some(HOLE.to_string());
            }
            "capsh" | "sg" => {
                self.find(
                    Permission::Sensitive,
                    format!("privilege:{name}"),
                    format!("{name} runs it with other rights."),
                );
                return Some(self.with_command_text(name, words, "", 0, input));
            }
            "time" if words.iter().any(|word| word == "-o" || word.starts_with("--output")) => {
                self.find(Permission::Moderate, "program:time -o", "time writes its times to a file.");
            }
            _ => {}
        }
        let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))?;
        let flag = Flag::plain(wrapper.takes, Some(()));
        let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(wrapper.before));
        match wrapper.is {
            Kind::Plain => {}
            Kind::Watched => {
                self.find(
                    Permission::Moderate,
                    format!("program:{name}"),
                    format!("{name} watches what it runs, or changes what that sees."),
                );
            }
            Kind::Privilege => {
                self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
                if !(name == "sudo"
                    && told.operands.is_empty()
                    && told.seen.iter().all(|flag| matches!(flag.as_str(), "-V" | "--version" | "--help")))
                {
                    self.find(
                        Permission::Sensitive,
                        format!("privilege:{name}"),
                        format!("{name} runs it with other rights."),
                    );
                }
            }
            Kind::Detached => {
                self.find(
                    Permission::Sensitive,
                    format!("detached:{name}"),
                    format!("{name} runs it by itself, out of reach."),
                );
            }
        }
        if matches!(name, "taskset" | "ionice" | "chrt" | "prlimit")
            && told.seen.iter().any(|flag| matches!(flag.as_str(), "-p" | "--pid"))
        {
            self.find(
                Permission::Sensitive,
                format!("program:{name} -p"),
                format!("{name} changes a process that runs."),
            );
        }
        let skip = wrapper.before.min(told.operands.len());
        if told.operands.len() <= skip {
            if matches!(name, "sudo" | "doas")
                && told.seen.iter().any(|flag| matches!(flag.as_str(), "-i" | "-s" | "--login" | "--shell"))
            {
                // A shell as another user: it does what it is fed.
                return Some(self.fed_shell(input));
            }
            return Some(HOLE.to_string());
        }
        let rest = &told.operands[skip..];
        if name == "sudo" && told.seen.iter().any(|flag| flag == "-e" || flag == "--edit") {
            for path in rest {
                self.writes(path, crate::shell::judge::Writing::Whole);
            }
            return Some(HOLE.to_string());
        }
        let outside = self.mounts.clone();
        if name == "chroot" {
            let root = self.written(&told.operands[0]).path;
            self.mounts = Some(vec![("/".to_owned(), root)]);
        }
        // `sudo A=b command`.
        let output = self.argv(rest, true, input);
        self.mounts = outside;
        Some(output)
    }

    /// A command given as words, after `NAME=value` words where those may come first.
    pub(super) fn argv(&mut self, words: &[String], assignments: bool, input: Option<&str>) -> String {
        let mut at = 0;
        while assignments
            && let Some((name, value)) = words.get(at).and_then(|word| word.split_once('='))
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            let value = value.to_owned();
            let name = name.to_owned();
            self.environment(&name, &value);
            self.set(&name, vec![value]);
            at += 1;
        }
        let rest = words.get(at..).unwrap_or_default();
        // Aliases, functions and builtins of the shell are not there for a wrapper.
        let hidden = rest
            .first()
            .and_then(|name| self.functions.remove(name).map(|function| (name.clone(), function)));
        let output = self.command(rest, input);
        if let Some((name, function)) = hidden {
            self.functions.insert(name, function);
        }
        output
    }

    fn env(&mut self, words: &[String], input: Option<&str>) -> String {
        let mut expanded = Vec::new();
        let mut at = 0;
        let folder = self.cwd.clone();
        // `-S` splits its value into words; it may stand anywhere before the command.
        while let Some(word) = words.get(at) {
            if let Some(target) = word.strip_prefix("--chdir=") {
                self.cwd = self.written(target).path;
            } else if matches!(word.as_str(), "-C" | "--chdir") {
                at += 1;
                self.cwd = self.written(words.get(at).map_or(".", String::as_str)).path;
                at += 1;
                continue;
            }
            let text = if word == "-S" || word == "--split-string" {
                at += 1;
                words.get(at).cloned()
            } else if let Some(text) = word.strip_prefix("--split-string=") {
                Some(text.to_owned())
            } else if word.starts_with('-') && !word.starts_with("--") && word.contains('S') {
                let joined = word.split_once('S').map_or("", |(_, text)| text);
                if joined.is_empty() {
                    at += 1;
                    words.get(at).cloned()
                } else {
                    Some(joined.to_owned())
                }
            } else {
                break_or_push(word, &mut expanded, words, &mut at);
                continue;
            };
            at += 1;
            let text = text.unwrap_or_default();
            let word = crate::shell::syntax::parse(&text);
            if let crate::shell::syntax::Node::Simple(simple) = &word.root {
                for assign in &simple.assigns {
                    if let crate::shell::syntax::Value::Scalar(value) = &assign.value {
                        let value = self.scalar(value);
                        expanded.push(format!("{}={value}", assign.name));
                    }
                }
                for word in &simple.words {
                    expanded.extend(self.fields(word));
                }
            } else {
                self.unresolved("env splits a text that cannot be read.");
                self.run_apart(&text, input);
            }
            expanded.extend(words[at.min(words.len())..].iter().cloned());
            break;
        }
        if expanded.is_empty() {
            self.step("env shows the environment, which is a clean one.".to_owned());
            return format!("{HOLE}{}", crate::shell::text::ENVIRONMENT);
        }
        let output = self.argv(&expanded, true, input);
        self.cwd = folder;
        output
    }

    fn su(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        self.find(
            Permission::Sensitive,
            format!("privilege:{name}"),
            format!("{name} runs it as another user."),
        );
        self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
        let flag = Flag::plain(
            "-c --command --session-command -s --shell -g --group -G --supp-group -w --whitelist-environment -u --user",
            Some(()),
        );
        let told = flags::tell(words, &[&flag], Style::Gnu, false, None);
        let mut output = HOLE.to_string();
        let mut found = false;
        for (at, word) in words.iter().enumerate() {
            let text = match word.as_str() {
                "-c" | "--command" | "--session-command" => words.get(at + 1).cloned(),
                word if word.starts_with("--command=") => Some(word["--command=".len()..].to_owned()),
                word if word.len() > 2
                    && word.starts_with('-')
                    && !word.starts_with("--")
                    && word.ends_with('c') =>
                {
                    words.get(at + 1).cloned()
                }
                word if word.len() > 2 && word.starts_with("-c") => Some(word[2..].to_owned()),
                _ => None,
            };
            if let Some(text) = text {
                found = true;
                output = self.shell_text(&text, input);
            }
        }
        if name == "runuser" && !found && !told.operands.is_empty() {
            let start = usize::from(!words.iter().any(|word| word == "-u" || word.starts_with("--user")));
            return self.argv(told.operands.get(start..).unwrap_or_default(), false, input);
        }
        if !found && input.is_some() {
            return self.fed_shell(input);
        }
        output
    }

    fn ssh(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        let flag =
            Flag::plain("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B --ssh", Some(()));
        let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(0));
        if told.operands.is_empty() && told.seen.iter().all(|flag| flag == "-V") {
            return HOLE.to_string();
        }
        self.notes.effects = self.notes.effects.and(Effects::NETWORK).and(Effects::EXECUTES);
        self.find(
            Permission::Sensitive,
            format!("network:{name}"),
            format!("{name} logs in to another host."),
        );
        for (_, value) in &told.known {
            let value = value.clone().unwrap_or_default();
            let key = value.to_lowercase();
            for setting in ["proxycommand=", "localcommand=", "proxycommand ", "knownhostscommand="] {
                if let Some(rest) = key.strip_prefix(setting) {
                    let text = &value[value.len() - rest.len()..];
                    self.shell_text(text, None);
                }
            }
        }
        if let Some(host) = told.operands.first() {
            let host = host.clone();
            self.reaches(&host);
        }
        if input.is_some_and(crate::shell::text::is_secret)
            || words.iter().any(|word| crate::shell::text::is_secret(word))
        {
            self.forbid("exfiltration", "It sends a secret to another host.");
        }
        let command = told.operands.get(1..).unwrap_or_default().join(" ");
        if !command.is_empty() {
            let command = globs_as_text(&command);
            self.run_apart(&command, input);
        } else if let Some(text) = input.filter(|text| is_known(text)) {
            let text = text.to_owned();
            self.run_apart(&text, None);
        }
        crate::shell::text::NET.to_string()
    }

    fn parallel(&mut self, words: &[String], input: Option<&str>) -> String {
        let flag = Flag::plain(
            "-j --jobs -a --arg-file -I -S --sshlogin --colsep -d --delimiter -n --max-args -N --results --joblog --timeout --delay --retries --tmpdir --wd --workdir",
            Some(()),
        );
        let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(0));
        let at = told.operands.iter().position(|word| word.starts_with(":::"));
        let (command, values) = told.operands.split_at(at.unwrap_or(told.operands.len()));
        let mut given: Vec<String> = values.iter().filter(|word| !word.starts_with(":::")).cloned().collect();
        if at.is_none() {
            given.extend(lines_of(input));
        }
        if given.is_empty() {
            given.push(HOLE.to_string());
        }
        for value in given.iter().take(16) {
            let mut text = command.join(" ");
            if text.is_empty() {
                text.clone_from(value);
            } else if text.contains("{}") {
                text = text.replace("{}", value);
            } else {
                text = format!("{text} {value}");
            }
            self.shell_text(&text, None);
        }
        HOLE.to_string()
    }

    /// `flock file -c TEXT`, `flock file command …`, `script -c TEXT file`.
    fn with_command_text(
        &mut self,
        name: &str,
        words: &[String],
        takes: &str,
        before: usize,
        input: Option<&str>,
    ) -> String {
        let flag = Flag::plain(takes, Some(()));
        let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(before));
        for (at, word) in words.iter().enumerate() {
            let text = match word.as_str() {
                "-c" | "--command" => words.get(at + 1).cloned(),
                word if word.starts_with("--command=") => Some(word["--command=".len()..].to_owned()),
                word if word.len() > 2
                    && word.starts_with('-')
                    && !word.starts_with("--")
                    && word.ends_with('c') =>
                {
                    words.get(at + 1).cloned()
                }
                word if word.len() > 2 && word.starts_with("-c") => Some(word[2..].to_owned()),
                _ => None,
            };
            if let Some(text) = text {
                self.shell_text(&text, input);
            }
        }
        self.find(Permission::Moderate, format!("program:{name}"), format!("{name} makes or locks a file."));
        if name == "flock" && told.operands.len() > before {
            return self.argv(&told.operands[before..], false, input);
        }
        if name == "script" && words.iter().all(|word| !word.contains('c')) {
            return self.fed_shell(input);
        }
        HOLE.to_string()
    }

    /// `xargs`: its words, and then what it reads.
    pub(super) fn xargs(&mut self, words: &[String], input: Option<&str>) -> String {
        let flag = Flag::plain(
            "-a --arg-file -d --delimiter -E -I --replace -L --max-lines -n --max-args -P --max-procs -s --max-chars",
            Some(()),
        );
        let told = flags::tell(words, &[&flag], Style::Gnu, false, Some(0));
        let replace = words.iter().enumerate().find_map(|(at, word)| {
            if word == "-I" {
                words.get(at + 1).cloned()
            } else if word.starts_with("-I") {
                Some(word[2..].to_owned())
            } else if word == "-i" || word == "--replace" {
                Some("{}".to_owned())
            } else {
                word.strip_prefix("--replace=").map(str::to_owned)
            }
        });
        let file = words.iter().enumerate().find_map(|(at, word)| match word.as_str() {
            "-a" | "--arg-file" => words.get(at + 1).cloned(),
            word => word
                .strip_prefix("--arg-file=")
                .or_else(|| word.strip_prefix("-a").filter(|rest| !rest.is_empty()))
                .map(str::to_owned),
        });
        let from_file = file.map(|file| self.reads(&file, crate::shell::judge::Reach::One));
        let given = lines_of(from_file.as_deref().or(input));
        let command = if told.operands.is_empty() { vec!["echo".to_owned()] } else { told.operands.clone() };
        match replace {
            Some(mark) if !mark.is_empty() => {
                let shell =
                    command.first().is_some_and(|name| super::interpreters::is_shell(base_name(name)));
                if shell && command.iter().skip(1).any(|word| word.contains(&mark)) {
                    self.unresolved("It hands a shell what it reads, as commands.");
                }
                for value in given.iter().take(16) {
                    let words: Vec<String> = command.iter().map(|word| word.replace(&mark, value)).collect();
                    self.argv(&words, false, None);
                }
                HOLE.to_string()
            }
            _ => {
                let fields = given
                    .iter()
                    .flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
                let words: Vec<String> = command.into_iter().chain(fields.take(200)).collect();
                let shell = words.first().is_some_and(|name| super::interpreters::is_shell(base_name(name)));
                if shell && words.iter().any(|word| !is_known(word)) {
                    self.unresolved("It hands a shell words that cannot be told.");
                }
                self.argv(&words, false, None)
            }
        }
    }
}

fn break_or_push(word: &str, expanded: &mut Vec<String>, words: &[String], at: &mut usize) {
    match word {
        "-u" | "--unset" => *at += 2,
        word if word.starts_with('-') && word != "-" => *at += 1,
        "-" => *at += 1,
        _ => {
            expanded.extend(words[*at..].iter().cloned());
            *at = words.len();
        }
    }
}

/// What xargs and parallel read: the lines, or a hole with where it came from.
fn lines_of(input: Option<&str>) -> Vec<String> {
    let text = input.unwrap_or_default();
    text.split(['\n', '\0']).filter(|line| !line.is_empty()).take(64).map(str::to_owned).collect()
}
