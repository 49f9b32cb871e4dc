//! What a few programs do that roles cannot say.

use deskhand_core::Permission;

use super::{Reading, flags::Told};
use crate::shell::{
    judge::Reach,
    text::{STAR, globs_as_text},
};

impl Reading<'_> {
    pub(super) fn beyond_roles(
        &mut self,
        name: &str,
        told: &Told<'_>,
        operands: &[String],
        input: Option<&str>,
    ) {
        let has = |flags: &[&str]| told.seen.iter().any(|seen| flags.contains(&seen.as_str()));
        match name {
            "chmod" | "gchmod" if operands.first().is_some_and(|mode| sets_user_id(mode)) => {
                self.forbid(
                    "permissions",
                    "It makes a program run with its owner's rights, whoever starts it.",
                );
            }
            "install" | "mkdir"
                if told.known.iter().any(|(flag, value)| {
                    flag.names.iter().any(|name| name == "-m") && value.as_deref().is_some_and(sets_user_id)
                }) =>
            {
                self.forbid(
                    "permissions",
                    "It makes a program run with its owner's rights, whoever starts it.",
                );
            }
            "setcap" if operands.iter().any(|word| gives_power(word)) => {
                self.forbid("permissions", "It gives a program rights that only root has.");
            }
            "tar" | "bsdtar" if has(&["--remove-files"]) => self.removes_packed(operands),
            "zip" if has(&["-m", "--move"]) => self.removes_packed(operands.get(1..).unwrap_or_default()),
            "at" | "batch" => self.runs_input(input),
            "crontab" => {
                let lines = input.unwrap_or_default().to_owned();
                for line in lines.lines().take(20) {
                    let words: Vec<&str> = line.split_whitespace().collect();
                    let skip = if line.starts_with('@') { 1 } else { 5 };
                    self.run_apart(&words.get(skip..).unwrap_or_default().join(" "), None);
                }
            }
            "ftp" | "lftp" | "mail" | "mailx" | "telnet" => {
                let lines = input.unwrap_or_default().to_owned();
                for line in lines
                    .lines()
                    .take(20)
                    .filter_map(|line| line.trim().trim_start_matches('~').strip_prefix('!'))
                {
                    self.run_apart(line, None);
                }
            }
            "chpasswd" if input.is_some_and(|text| text.lines().any(|line| line.starts_with("root:"))) => {
                self.forbid("account", "It sets root's password.");
            }
            "visudo" | "vipw" if input.is_some() => {
                self.forbid("account", "It changes who may become root, unseen.");
            }
            "less" | "more" | "most" | "man" | "view"
                if told
                    .operands
                    .iter()
                    .chain(&told.seen)
                    .any(|word| word.starts_with('+') && word.contains(['!', '|'])) =>
            {
                self.find(
                    Permission::Sensitive,
                    format!("program:{name} +"),
                    format!("{name} is told to run a command."),
                );
                for word in told.operands.iter().filter(|word| word.starts_with('+')) {
                    self.run_apart(word.trim_start_matches(['+', '!', '|', '$']), None);
                }
            }
            "socat" => self.socat(operands),
            "gdb" | "lldb" if has(&["--args", "-args"]) => self.hedge(operands),
            "sftp" => {
                let lines = input.unwrap_or_default().to_owned();
                if lines
                    .lines()
                    .filter_map(|line| line.trim().strip_prefix("put "))
                    .any(|path| self.leaks(path))
                {
                    self.forbid("exfiltration", "It sends a secret to another host.");
                }
            }
            "curl"
                if told
                    .known
                    .iter()
                    .any(|(_, value)| value.as_deref().is_some_and(|value| value.starts_with('@'))) =>
            {
                self.find(Permission::Sensitive, "program:curl", "curl sends what is in a file.");
            }
            "date" | "gdate" if operands.iter().any(|word| !word.starts_with('+')) => {
                self.find(Permission::Sensitive, "program:date", "It sets the clock.");
            }
            "java" | "javac"
                if told.seen.iter().any(|flag| {
                    flag.starts_with("-XX:On") || flag.starts_with("-agent") || flag.starts_with("-javaagent")
                }) =>
            {
                self.find(Permission::Sensitive, "program:java", "java is told to run something else, too.");
            }
            "ps" if told.seen.first().is_some_and(|word| !word.starts_with('-') && word.contains('e')) => {
                self.find(Permission::Sensitive, "secret", "It shows the environment of processes.");
            }
            "git"
                if operands.iter().chain(&told.operands).any(|word| {
                    ["extraheader", "token", "password", "credential"]
                        .iter()
                        .any(|part| word.to_lowercase().contains(part))
                }) && told.operands.first().is_some_and(|word| word == "config") =>
            {
                self.find(Permission::Sensitive, "secret", "It shows a setting that may hold a secret.");
            }
            "launchctl"
                if operands.iter().chain(&told.operands).any(|word| {
                    ["syslogd", "alf", "auditd", "XProtect", "securityd", "tccd"]
                        .iter()
                        .any(|part| word.contains(part))
                }) && !has(&["list"]) =>
            {
                self.forbid("defence", "It switches off what keeps watch over the machine.");
            }
            "fd" | "fdfind" if has(&["-x", "-X", "--exec", "--exec-batch"]) => {
                self.find(Permission::Moderate, "program:fd -x", "fd runs a command for what it finds.");
            }
            _ => {}
        }
    }

    /// A file that is run by itself later: what must never be is looked for in what is written to it.
    pub(super) fn runs_later(&mut self, path: &str, text: &str) {
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
        if !(cron || starts) {
            return;
        }
        for line in text.lines().take(20) {
            let skip = match (cron, line.starts_with('@')) {
                (false, _) => 0,
                (true, true) => 2,
                (true, false) => {
                    if path.starts_with("/var/spool") {
                        5
                    } else {
                        6
                    }
                }
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            self.run_apart(&words.get(skip..).unwrap_or_default().join(" "), None);
        }
    }

    /// `socat ADDRESS ADDRESS`: a program, a file and a connection can be the two ends.
    fn socat(&mut self, operands: &[String]) {
        let lower: Vec<String> = operands.iter().map(|word| word.to_lowercase()).collect();
        let runs = |word: &String| {
            word.starts_with("exec:") || word.starts_with("system:") || word.starts_with("shell:")
        };
        let connects = |word: &String| {
            ["tcp", "udp", "openssl", "ssl", "sctp", "socks", "proxy", "vsock"]
                .iter()
                .any(|kind| word.starts_with(kind))
        };
        if lower.iter().any(runs) && lower.iter().any(connects) {
            self.forbid("reverse-shell", "It connects a program to another host.");
        }
        if lower.iter().any(connects) && operands.iter().any(|word| self.leaks(word)) {
            self.forbid("exfiltration", "It sends a secret to another host.");
        }
    }

    /// Text that is run later.
    fn runs_input(&mut self, input: Option<&str>) {
        if let Some(text) = input {
            let text = globs_as_text(text);
            self.shell_text(&text, None);
        }
    }

    fn removes_packed(&mut self, operands: &[String]) {
        for path in operands {
            self.removes(path, Reach::Tree);
        }
    }

    /// `fd PATTERN FOLDER -x COMMAND`: the command, on all that is in the folder.
    pub(super) fn fd(&mut self, words: &[String]) -> bool {
        let Some(at) =
            words.iter().position(|word| matches!(word.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))
        else {
            return false;
        };
        let folders: Vec<&String> =
            words[..at].iter().filter(|word| !word.starts_with('-')).skip(1).collect();
        let pattern = words[..at].iter().find(|word| !word.starts_with('-')).map_or(".", String::as_str);
        let all = matches!(pattern, "." | "" | ".*");
        for folder in folders {
            let found = if all {
                format!("{}/{STAR}", folder.trim_end_matches('/'))
            } else {
                format!("{}/{}", folder.trim_end_matches('/'), crate::shell::text::HOLE)
            };
            let mut command: Vec<String> = words[at + 1..].to_vec();
            if command.iter().any(|word| word.contains("{}")) {
                command = command.iter().map(|word| word.replace("{}", &found)).collect();
            } else {
                command.push(found);
            }
            self.argv(&command, false, None);
        }
        true
    }

    /// `docker run -v HERE:THERE image command …`: the command sees other folders.
    pub(super) fn in_container(&mut self, words: &[String]) {
        let mut mounts = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let value = match word.as_str() {
                "-v" | "--volume" | "--mount" => words.get(at + 1).cloned().unwrap_or_default(),
                word => match word
                    .strip_prefix("--volume=")
                    .or_else(|| word.strip_prefix("--mount="))
                    .or_else(|| word.strip_prefix("-v"))
                {
                    Some(value) => value.to_owned(),
                    None => continue,
                },
            };
            if value.contains("source=") || value.contains("src=") {
                let part = |names: &[&str]| {
                    value
                        .split(',')
                        .find_map(|part| names.iter().find_map(|name| part.strip_prefix(name)))
                        .unwrap_or_default()
                        .to_owned()
                };
                mounts.push((part(&["target=", "dst=", "destination="]), part(&["source=", "src="])));
            } else if let Some((here, rest)) = value.split_once(':') {
                let there = rest.split(':').next().unwrap_or(rest);
                mounts.push((there.to_owned(), self.written(here).path));
            }
        }
        self.mounts = Some(mounts);
    }
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
