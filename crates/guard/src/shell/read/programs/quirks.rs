//! What a few programs do that roles cannot say.

use deskhand_core::Permission;

use super::{Call, Reading, flags::Told};
use crate::shell::{
    judge::{Class, Reach},
    text::globs_as_text,
};

/// Settings of git whose value is a command, or names code; by the last part of their name.
const GIT_COMMANDS: &[&str] = &[
    "pager",
    "editor",
    "sshcommand",
    "fsmonitor",
    "hookspath",
    "external",
    "helper",
    "textconv",
    "cmd",
    "command",
    "program",
    "askpass",
    "clean",
    "smudge",
    "process",
    "gitproxy",
    "driver",
    "uploadpack",
    "receivepack",
    "packobjectshook",
    "path",
    "attributesfile",
    "worktree",
    "sshvariant",
];

impl Reading<'_> {
    pub fn beyond_roles(&mut self, call: Call<'_>, told: &Told<'_>, operands: &[String]) {
        match call.name {
            "chmod" | "gchmod" | "install" | "mkdir" | "setcap" => {
                self.gives_rights(call.name, told, operands);
            }
            "at" | "batch" | "crontab" | "mail" | "mailx" | "telnet" | "sftp" | "chpasswd" | "visudo"
            | "vipw" => self.uses_input(call.name, call.input.unwrap_or_default()),
            "7z" | "7za" | "7zr" if told.has_any(&["-sdel"]) => {
                self.removes_packed(operands.get(1..).unwrap_or_default());
            }
            "tar" | "bsdtar" if told.has_any(&["--remove-files"]) => self.removes_packed(operands),
            "zip" if told.has_any(&["-m", "--move"]) => {
                self.removes_packed(operands.get(1..).unwrap_or_default());
            }
            "less" | "more" | "most" | "man" | "view" => self.pager(call.name, told),
            "socat" => self.socat(operands),
            "gdb" | "lldb" if told.has_any(&["--args", "-args"]) => self.hedge(call.words),
            "scp" | "sftp-server" | "rsync" => {
                for setting in call.words {
                    self.ssh_setting(setting.trim_start_matches("-o"));
                }
            }
            "git" => {
                self.git_settings(told);
                self.git_alias(told);
                if told.operands.first().is_some_and(|word| word == "clean")
                    && told.has_any(&["-f", "--force"])
                    && matches!(self.class_of("."), Class::Root | Class::Home | Class::System)
                {
                    self.removes(".", Reach::Tree);
                }
                self.asks_more(call.name, told, operands);
                self.git_secret_setting(told);
            }
            "ftp" | "lftp" => {
                self.uses_input(call.name, call.input.unwrap_or_default());
                self.asks_more(call.name, told, operands);
            }
            _ => self.asks_more(call.name, told, operands),
        }
    }

    /// Uses that are asked about though their words look harmless.
    fn asks_more(&mut self, name: &str, told: &Told<'_>, operands: &[String]) {
        if self.never_right(name, told, operands) {
            return;
        }
        let values = |holds: fn(&str) -> bool| {
            told.known.iter().any(|given| given.value.as_deref().is_some_and(holds))
        };
        let why = match name {
            "curl" if values(|value| value.contains("%output{")) => "curl writes to a file.",
            "curl" if values(|value| value.starts_with('@')) => "curl sends what is in a file.",
            "docker" | "podman" | "nerdctl"
                if values(|value| value.contains(".Env"))
                    || operands.iter().any(|word| word.contains(".Env")) =>
            {
                "It shows the environment of a container."
            }
            "identify" | "convert" | "magick" | "mogrify" | "montage" | "compare"
                if operands.iter().any(|word| IMAGE_SCRIPTS.iter().any(|start| word.starts_with(start))) =>
            {
                "It gives an image program a script to run."
            }
            "git" if told.operands.iter().any(|word| word.contains("ext::") || word.starts_with("fd::")) => {
                "git is told to run a program as the other side."
            }
            "git" if told.has_any(&["--git-dir"]) => "git is told to use another repository's settings.",
            "date" | "gdate" if operands.iter().any(|word| !word.starts_with('+')) => "It sets the clock.",
            "java" | "javac" if told.seen.iter().any(|flag| loads_agent(flag)) => {
                "java is told to run something else, too."
            }
            "ps" if told.seen.first().is_some_and(|word| !word.starts_with('-') && word.contains('e')) => {
                "It shows the environment of processes."
            }
            "fd" | "fdfind" if told.has_any(&["-x", "-X", "--exec", "--exec-batch"]) => {
                self.find(Permission::Moderate, "program:fd -x", "fd runs a command for what it finds.");
                return;
            }
            "apt" | "apt-get" | "aptitude" => {
                let set = told.values(&["-o", "--option"]);
                let command =
                    |set: &String| Some(set.split_once('=')?.1.trim_start_matches([':', '=']).to_owned());
                self.hedge_texts(&set.iter().filter_map(command).collect::<Vec<_>>());
                return;
            }
            _ => return,
        };
        self.find(Permission::Sensitive, format!("program:{name}"), why);
    }

    /// Modes and capabilities that lend out rights.
    fn gives_rights(&mut self, name: &str, told: &Told<'_>, operands: &[String]) {
        let mode = if matches!(name, "chmod" | "gchmod") {
            operands.first().cloned()
        } else {
            told.value(&["-m", "--mode"])
        };
        if name == "setcap" && operands.iter().any(|word| gives_power(word)) {
            self.forbid("permissions", "It gives a program rights that only root has.");
        } else if name != "setcap" && mode.is_some_and(|mode| sets_user_id(&mode)) {
            self.forbid("permissions", "It makes a program run with its owner's rights, whoever starts it.");
        }
    }

    /// Programs whose input holds commands, passwords or names of files.
    fn uses_input(&mut self, name: &str, input: &str) {
        const MOST_LINES: usize = 40;
        self.reads_only_some(input.lines().count(), MOST_LINES);
        if matches!(name, "at" | "batch") && !input.is_empty() {
            self.shell_text(&globs_as_text(input), None);
        } else if matches!(name, "visudo" | "vipw") && !input.is_empty() {
            self.forbid("account", "It changes who may become root, unseen.");
        }
        for line in input.lines().take(MOST_LINES) {
            match name {
                "crontab" => self.cron_line(line, 5),
                "chpasswd" if line.starts_with("root:") => self.forbid("account", "It sets root's password."),
                "sftp" | "ftp" | "lftp"
                    if line.trim().strip_prefix("put ").is_some_and(|path| self.leaks(path)) =>
                {
                    self.forbid("exfiltration", "It sends a secret to another host.");
                }
                "ftp" | "lftp" | "mail" | "mailx" | "telnet" | "sftp" => {
                    if let Some(command) = line.trim().trim_start_matches('~').strip_prefix('!') {
                        self.run_apart(command, None);
                    }
                }
                _ => {}
            }
        }
    }

    /// A line of a crontab: so many fields say when, the rest is a command.
    fn cron_line(&mut self, line: &str, fields: usize) {
        let skip = if line.starts_with('@') { fields - 4 } else { fields };
        let command: Vec<&str> = line.split_whitespace().skip(skip).collect();
        self.run_apart(&command.join(" "), None);
    }

    /// `less +!command`.
    fn pager(&mut self, name: &str, told: &Told<'_>) {
        let commands = told.operands.iter().chain(&told.seen).filter(|word| word.starts_with('+'));
        for word in commands.filter(|word| word.contains(['!', '|'])) {
            let why = format!("{name} is told to run a command.");
            self.find(Permission::Sensitive, format!("program:{name} +"), why);
            self.run_apart(word.trim_start_matches(['+', '!', '|', '$']), None);
        }
    }

    /// `git config credential.helper`, and the like.
    fn git_secret_setting(&mut self, told: &Told<'_>) {
        let asks = told.operands.first().is_some_and(|word| word == "config");
        let secret = |word: &String| {
            let word = word.to_lowercase();
            ["extraheader", "token", "password", "credential"].iter().any(|part| word.contains(part))
        };
        if asks && told.operands.iter().any(secret) {
            self.find(Permission::Sensitive, "secret", "It shows a setting that may hold a secret.");
        }
    }

    /// `git config alias.x '!command'`: a setting that runs when its name is used.
    fn git_alias(&mut self, told: &Told<'_>) {
        let [config, rest @ ..] = told.operands.as_slice() else { return };
        let [.., key, value] = rest else { return };
        let last = key.rsplit('.').next().unwrap_or_default().to_lowercase();
        if config == "config" && (key.starts_with("alias.") || GIT_COMMANDS.contains(&last.as_str())) {
            self.hedge_texts(&[value.trim_start_matches('!').to_owned()]);
        }
    }

    /// A file that is run by itself later: what must never be is looked for in what is written to it.
    pub fn runs_later(&mut self, path: &str, text: &str) {
        let cron =
            path == "/etc/crontab" || path.starts_with("/etc/cron.d/") || path.starts_with("/var/spool/cron");
        let name = path.rsplit('/').next().unwrap_or_default();
        let starts = matches!(
            name,
            ".bashrc" | ".profile" | ".bash_profile" | ".zshrc" | ".zshenv" | ".bash_login" | ".xprofile"
        ) || path.starts_with("/etc/profile")
            || path.starts_with("/etc/cron.")
            || path == "/etc/rc.local"
            || path == "/etc/bash.bashrc";
        if cron {
            let fields = if path.starts_with("/var/spool") { 5 } else { 6 };
            for line in text.lines().take(40) {
                self.cron_line(line, fields);
            }
        } else if starts {
            self.run_apart(text, None);
        }
    }

    /// `socat ADDRESS ADDRESS`: a program, a file and a connection can be the two ends.
    pub fn socat(&mut self, operands: &[String]) {
        let lower: Vec<String> = operands.iter().map(|word| word.to_lowercase()).collect();
        let runs = |word: &String| {
            word.starts_with("exec:") || word.starts_with("system:") || word.starts_with("shell:")
        };
        let connects = |word: &String| {
            ["tcp", "udp", "openssl", "ssl", "sctp", "socks", "proxy", "vsock"]
                .iter()
                .any(|kind| word.starts_with(kind))
        };
        for word in operands {
            let path =
                word.split_once(':').map_or("", |(_, rest)| rest).split(',').next().unwrap_or_default();
            let opens = ["open:", "create:", "file:", "gopen:"]
                .iter()
                .any(|kind| word.to_lowercase().starts_with(kind));
            if opens && self.class_of(path) == Class::Device {
                self.writes(path, crate::shell::judge::Writing::Whole);
            }
        }
        for word in operands.iter().filter(|word| runs(&word.to_lowercase())) {
            let command =
                word.split_once(':').map_or("", |(_, rest)| rest).split(',').next().unwrap_or_default();
            self.run_apart(command, None);
        }
        if lower.iter().any(runs) && lower.iter().any(connects) {
            self.forbid("reverse-shell", "It connects a program to another host.");
        }
        if lower.iter().any(connects) && operands.iter().any(|word| self.leaks(word)) {
            self.forbid("exfiltration", "It sends a secret to another host.");
        }
    }

    pub fn removes_packed(&mut self, operands: &[String]) {
        for path in operands {
            self.removes(path, Reach::Tree);
        }
    }

    /// `git -c name=value`: some settings are commands.
    fn git_settings(&mut self, told: &Told<'_>) {
        for setting in told.values(&["-c", "--config-env"]) {
            let (key, value) = setting.split_once('=').unwrap_or((&setting, ""));
            let key = key.to_lowercase();
            let last = key.rsplit('.').next().unwrap_or_default();
            let plain_pager = last == "pager" && matches!(value, "cat" | "less" | "" | "false");
            let runs = ["alias.", "pager.", "include"].iter().any(|start| key.starts_with(start))
                || GIT_COMMANDS.contains(&last) && !plain_pager;
            if runs {
                let why = format!("git is told to run something else by {key}.");
                self.find(Permission::Sensitive, "program:git -c", why);
                self.run_apart(value.strip_prefix('!').unwrap_or(value), None);
            }
        }
    }
}

/// Prefixes by which image programs read scripts, or fetch.
const IMAGE_SCRIPTS: &[&str] =
    &["msl:", "mvg:", "ephemeral:", "inline:", "url:", "http:", "https:", "ftp:", "|", "@"];

fn loads_agent(flag: &str) -> bool {
    ["-XX:On", "-agent", "-javaagent"].iter().any(|start| flag.starts_with(start))
}

/// `u+s`, `+s`, `4755`: whoever starts it gets its owner's rights.
fn sets_user_id(mode: &str) -> bool {
    if !mode.is_empty() && mode.chars().all(|c| c.is_digit(8)) {
        let mode = mode.trim_start_matches('0');
        return mode.len() == 4 && mode.starts_with(['4', '5', '6', '7']);
    }
    mode.split(',').any(|part| {
        part.split_once(['+', '='])
            .is_some_and(|(who, what)| what.contains('s') && (who.is_empty() || who.contains(['u', 'a'])))
    })
}

fn gives_power(word: &str) -> bool {
    [
        "cap_setuid",
        "cap_setgid",
        "cap_sys_admin",
        "cap_dac",
        "cap_sys_ptrace",
        "cap_sys_module",
        "cap_chown",
        "cap_fowner",
        "all+",
        "all=",
        "=ep",
        "=eip",
    ]
    .iter()
    .any(|power| word.to_lowercase().contains(power))
}
