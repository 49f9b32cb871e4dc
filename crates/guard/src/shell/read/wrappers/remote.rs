//! Commands that run elsewhere or on much: `ssh`, `parallel`, `xargs`.

use deskhand_core::Permission;

use super::{Reading, flags};
use crate::shell::{
    judge::Reach,
    knowledge::Flag,
    read::{
        commands::{base_name, quoted},
        interpreters::is_shell,
    },
    text::{HOLE, NET, globs_as_text, is_known, is_secret},
};

/// Of how many lines a command is read, and of how many words.
const MOST_VALUES: usize = 16;
const MOST_FIELDS: usize = 200;

impl Reading<'_> {
    pub fn ssh(&mut self, name: &str, words: &[String], input: Option<&str>) -> String {
        let flag = Flag::taking("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B --ssh");
        let told = flags::tell(words, &[&flag], Some(0));
        let why = format!("{name} logs in to another host.");
        self.find(Permission::Sensitive, format!("network:{name}"), why);
        for value in told.values(&["-o"]) {
            self.ssh_setting(&value);
        }
        for command in told.values(&["--ssh"]) {
            self.run_apart(&command, None);
        }
        if let Some(host) = told.operands.first() {
            self.reaches(host);
        }
        if input.is_some_and(is_secret) || words.iter().any(|word| is_secret(word)) {
            self.forbid("exfiltration", "It sends a secret to another host.");
        }
        let command = told.operands.get(1..).unwrap_or_default().join(" ");
        if !command.is_empty() {
            self.run_apart(&globs_as_text(&command), input);
        } else if let Some(text) = input.filter(|text| is_known(text)) {
            self.run_apart(text, None);
        }
        NET.to_string()
    }

    /// `-o name=value` of ssh, scp and sftp: some settings are commands that are run here.
    pub fn ssh_setting(&mut self, setting: &str) {
        const COMMANDS: &[&str] = &["proxycommand", "localcommand", "knownhostscommand"];
        let Some((name, command)) = setting.split_once(['=', ' ']) else { return };
        if COMMANDS.contains(&name.trim().to_lowercase().as_str()) {
            self.shell_text(command.trim(), None);
        }
    }

    pub fn parallel(&mut self, words: &[String], input: Option<&str>) -> String {
        let flag = Flag::taking(
            "-j --jobs -a --arg-file -I -S --sshlogin --colsep -d --delimiter -n --max-args -N --results \
             --joblog --timeout --delay --retries --tmpdir --wd --workdir",
        );
        let told = flags::tell(words, &[&flag], Some(0));
        let at = told.operands.iter().position(|word| word.starts_with(":::"));
        let (command, values) = told.operands.split_at(at.unwrap_or(told.operands.len()));
        let mut given: Vec<String> = values.iter().filter(|word| !word.starts_with(":::")).cloned().collect();
        if at.is_none() {
            given.extend(lines_of(input));
        }
        if given.is_empty() {
            given.push(HOLE.to_string());
        }
        self.reads_only_some(given.len(), MOST_VALUES);
        for value in given.iter().take(MOST_VALUES) {
            let mut text = command.join(" ");
            if text.is_empty() {
                text.clone_from(value);
            } else if text.contains("{}") {
                text = text.replace("{}", &quoted(value));
            } else {
                text = format!("{text} {}", quoted(value));
            }
            self.shell_text(&text, None);
        }
        HOLE.to_string()
    }

    /// `xargs`: its words, and then what it reads.
    pub fn xargs(&mut self, words: &[String], input: Option<&str>) -> String {
        let flag = Flag::taking(
            "-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars",
        );
        let joined = Flag::taking_joined("-i --replace -e --eof -l");
        let told = flags::tell(words, &[&flag, &joined], Some(0));
        let from_file = told.value(&["-a", "--arg-file"]).map(|file| self.reads(&file, Reach::One));
        let given = lines_of(from_file.as_deref().or(input));
        let command = if told.operands.is_empty() { vec!["echo".to_owned()] } else { told.operands.clone() };
        let shell = command.first().is_some_and(|name| is_shell(base_name(name)));
        let mark = told.value(&["-I", "-i", "--replace"]);
        let mark = mark.or_else(|| told.has_any(&["-i", "--replace"]).then(|| "{}".to_owned()));
        if let Some(mark) = mark.filter(|mark| !mark.is_empty()) {
            if shell && command.iter().skip(1).any(|word| word.contains(&mark)) {
                self.unresolved("It hands a shell what it reads, as commands.");
            }
            self.reads_only_some(given.len(), MOST_VALUES);
            for value in given.iter().take(MOST_VALUES) {
                let words: Vec<String> = command.iter().map(|word| word.replace(&mark, value)).collect();
                self.argv(&words, false, None);
            }
            return HOLE.to_string();
        }
        // With a separator of its own, blanks do not part words.
        let whole = told.has_any(&["-0", "--null", "-d", "--delimiter"]);
        let fields = given.iter().flat_map(|line| {
            if whole { vec![line.clone()] } else { line.split_whitespace().map(str::to_owned).collect() }
        });
        let words: Vec<String> = command.into_iter().chain(fields).collect();
        self.reads_only_some(words.len(), MOST_FIELDS);
        let words = &words[..words.len().min(MOST_FIELDS)];
        if shell && words.iter().any(|word| !is_known(word)) {
            self.unresolved("It hands a shell words that cannot be told.");
        }
        self.argv(words, false, None)
    }
}

/// What xargs and parallel read: the lines, or a hole with where it came from.
fn lines_of(input: Option<&str>) -> Vec<String> {
    let text = input.unwrap_or_default();
    text.split(['\n', '\0']).filter(|line| !line.is_empty()).take(MOST_FIELDS).map(str::to_owned).collect()
}
