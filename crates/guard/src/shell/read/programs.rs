//! Programs that the knowledge files know.

use deskhand_core::{Effects, Permission};

use super::{
    Reading,
    flags::{self, Listed, Told},
    interpreters,
};
use crate::shell::{
    judge::{Class, Reach, Writing},
    knowledge::{Case, Entry, Flag, Gives, Nature, Operands, Role},
    text::{ENVIRONMENT, HOLE, NET, SECRET, SHELL, is_known, is_secret, origin, shown},
};

/// One use of a program: what its entry makes of it.
struct Use<'k> {
    nature: Nature,
    permission: Permission,
    rule: String,
    why: String,
    operands: &'k Operands,
    /// How many operands say which case it is.
    named: usize,
    recursive: bool,
}

impl Reading<'_> {
    pub(super) fn entry(
        &mut self,
        entry: &Entry,
        name: &str,
        words: &[String],
        input: Option<&str>,
    ) -> String {
        if matches!(name, "fd" | "fdfind") {
            self.fd(words);
        }
        let outside = self.mounts.clone();
        if matches!(name, "docker" | "podman" | "nerdctl")
            && words.iter().any(|word| word == "run" || word == "exec")
        {
            self.in_container(words);
        }
        let output = self.entry_inside(entry, name, words, input);
        self.mounts = outside;
        output
    }

    fn entry_inside(&mut self, entry: &Entry, name: &str, words: &[String], input: Option<&str>) -> String {
        let base: Vec<&Flag> = entry.flags.iter().collect();
        let stop = stops_at(&entry.operands, 0);
        let first = flags::tell(words, &base, entry.style, entry.bare_flags, stop);
        let case = entry.case.iter().find(|case| fits(case, &first));
        let operands = case.and_then(|case| case.operands.as_ref()).unwrap_or(&entry.operands);
        let named = case.map_or(0, |case| case.words.len());
        let told = if case.is_some() {
            let own: Vec<&Flag> = case.map(|case| case.flags.iter().collect()).unwrap_or_default();
            let listed = Listed { program: &base, case: &own, named };
            flags::tell_with(words, &listed, entry.style, entry.bare_flags, stops_at(operands, named))
        } else {
            first
        };
        let used = the_use(entry, case, name, operands, &told);
        let asks_version = told.operands.is_empty()
            && told.seen.iter().any(|flag| matches!(flag.as_str(), "--version" | "--help"))
            && words.len() == 1;
        if asks_version {
            return HOLE.to_string();
        }
        self.apply(entry, case, name, &used, &told, words, input)
    }

    #[allow(clippy::too_many_arguments)]
    fn apply(
        &mut self,
        entry: &Entry,
        case: Option<&Case>,
        name: &str,
        used: &Use<'_>,
        told: &Told<'_>,
        words: &[String],
        input: Option<&str>,
    ) -> String {
        let does = case.and_then(|case| case.does.as_deref()).unwrap_or(&entry.does);
        self.step(format!("{name} {does}."));
        let mut marks = String::new();
        let mut nature = used.nature;
        if used.permission > Permission::Public || used.nature != Nature::Read {
            self.amount(used.nature, used.permission, &used.rule, &used.why);
        }
        let sends = matches!(nature, Nature::Network | Nature::LookUp);
        self.appending = name == "tee" && told.seen.iter().any(|flag| flag == "-a" || flag == "--append");
        let mut written = Vec::new();
        let mut to_host = false;
        let mut gives_first = false;
        let mut gives_last = false;
        for (flag, value) in &told.known {
            gives_first |= flag.gives == Some(Gives::First);
            gives_last |= flag.gives == Some(Gives::Last);
            if flag.is.is_some() || flag.level.is_some() {
                let is = flag.is.unwrap_or(nature);
                nature = if is == Nature::Read { nature } else { is };
                let level = flag.level.unwrap_or_else(|| is.permission());
                let flag_name = flag.names.first().map_or("", String::as_str);
                let why = flag
                    .why
                    .clone()
                    .unwrap_or_else(|| format!("{name} with {flag_name} {}.", amounts_to(is)));
                if is != Nature::Read || level > Permission::Public {
                    self.amount(is, level, &format!("program:{name} {flag_name}"), &why);
                }
            }
            if let (Some(role), Some(value)) = (&flag.takes, value) {
                if *role == Role::Write {
                    written.push(value.clone());
                }
                marks.push_str(&self.role(role, value, name, used.recursive, sends, input));
            }
        }
        let operands = told.operands.get(used.named..).unwrap_or_default();
        for (role, at) in assign_roles(used.operands, operands.len(), gives_first, gives_last) {
            match role {
                Role::Argv | Role::EnvArgv => {
                    let rest = &operands[at..];
                    // A single word with blanks in it is a line for a shell.
                    let output = match rest {
                        [line] if line.contains(' ') => self.shell_text(line, input),
                        _ => self.argv(rest, role == Role::EnvArgv, input),
                    };
                    marks.push_str(&origin(&output));
                    break;
                }
                role => {
                    if matches!(role, Role::Write | Role::RemoteWrite) {
                        written.push(operands[at].clone());
                        to_host |= role == Role::RemoteWrite && remote_host(&operands[at]).is_some();
                    }
                    marks.push_str(&self.role(&role, &operands[at], name, used.recursive, sends, input));
                }
            }
        }
        if to_host && (is_secret(&marks) || operands.iter().any(|word| self.leaks(word))) {
            self.forbid("exfiltration", format!("It sends a secret to another host with {name}."));
        }
        self.fills(name, nature, &written, &marks, told, operands);
        self.beyond_roles(name, told, operands, input);
        self.doubts(entry, name, used, told, words);
        if name == "git" {
            self.git_settings(told);
        }
        self.flows(name, nature, &marks, words, input)
    }

    /// What the files that it writes hold afterwards: what it fetched, or what it read.
    fn fills(
        &mut self,
        name: &str,
        nature: Nature,
        written: &[String],
        marks: &str,
        told: &Told<'_>,
        operands: &[String],
    ) {
        let fetched = matches!(nature, Nature::Network | Nature::LookUp) || marks.contains(NET);
        let content = if fetched { NET.to_string() } else { marks.to_owned() };
        let worth = fetched || is_secret(&content) || is_known(&content) && !content.is_empty();
        if worth {
            for path in written {
                let path = self.written(path).path;
                self.files.insert(path, content.clone());
            }
        }
        // `curl -O URL`, `wget URL`: a file named as in the URL.
        let has = |flags: &[&str]| told.seen.iter().any(|seen| flags.contains(&seen.as_str()));
        let named = matches!(name, "wget" | "wget2" | "aria2c" | "axel" | "fetch") && written.is_empty()
            || has(&["-O", "--remote-name", "-J"]) && name == "curl";
        if named {
            for url in operands {
                let file = url.split(['?', '#']).next().unwrap_or(url).rsplit('/').next().unwrap_or_default();
                let path = self.written(file).path;
                self.files.insert(path, NET.to_string());
            }
        }
    }

    /// Whether a word names a secret whose loss would matter.
    pub(super) fn leaks(&self, word: &str) -> bool {
        word.split(['@', '=', ',', ';'])
            .chain(word.split_once(':').map(|(_, path)| path))
            .filter(|part| part.len() > 3 && !part.contains("://") && !part.ends_with(".pub"))
            .any(|part| matches!(self.class_of(part), Class::Secret(what) if !what.contains("start-up")))
    }

    /// Notes what a use amounts to.
    fn amount(&mut self, nature: Nature, permission: Permission, rule: &str, why: &str) {
        let effects = match nature {
            Nature::Read => Effects::READS,
            Nature::LookUp => {
                self.notes.needs_network = true;
                Effects::READS.and(Effects::NETWORK)
            }
            Nature::Write | Nature::Destroy => Effects::WRITES,
            Nature::Execute | Nature::System | Nature::Catastrophe => Effects::EXECUTES,
            Nature::Network => Effects::NETWORK,
        };
        self.notes.effects = self.notes.effects.and(effects);
        if permission > Permission::Public {
            self.find(permission, rule, why);
        }
    }

    /// Words that cannot be told may be flags that change everything.
    fn doubts(&mut self, entry: &Entry, name: &str, used: &Use<'_>, told: &Told<'_>, words: &[String]) {
        if entry.harmless {
            return;
        }
        if told.doubtful
            && (used.named > 0
                || entry.flags.iter().any(is_risky)
                || entry.case.iter().any(|case| case.flags.iter().any(is_risky))
                || used.nature != Nature::Read)
        {
            self.unresolved(format!("Some words of {name} cannot be told before it runs."));
        }
        if entry.strict && told.strangers {
            self.find(
                Permission::Moderate,
                format!("program:{name}"),
                format!("It has a flag that is not known here: {}.", shown(&words.join(" "))),
            );
        }
    }

    /// What one word does in its role; gives the marks of what it lets in.
    fn role(
        &mut self,
        role: &Role,
        value: &str,
        name: &str,
        recursive: bool,
        sends: bool,
        input: Option<&str>,
    ) -> String {
        let reach = if recursive { Reach::Tree } else { Reach::One };
        match role {
            Role::Text | Role::User | Role::Process => String::new(),
            Role::Read | Role::Tree => {
                if value == "-" {
                    return String::new();
                }
                if LOOKERS.contains(&name) {
                    self.looks_at(value);
                    return HOLE.to_string();
                }
                let path = if sends { upload_path(value) } else { Some(value) };
                let reach = if *role == Role::Tree { Reach::Tree } else { reach };
                let marks = path.map(|path| self.reads(path, reach)).unwrap_or_default();
                if sends && marks.contains(SECRET) {
                    self.forbid("exfiltration", format!("It sends {} to another host.", shown(value)));
                }
                marks
            }
            Role::Write => {
                if value != "-" {
                    let how = if self.appending { Writing::Append } else { Writing::Whole };
                    self.writes(value, how);
                }
                String::new()
            }
            Role::Delete => {
                // Moving a folder away takes all of it away.
                let whole =
                    name == "mv" && matches!(self.class_of(value), Class::Root | Class::Home | Class::System);
                self.removes(value, if whole { Reach::Tree } else { reach });
                String::new()
            }
            Role::Attributes => {
                self.changes_access(value, reach);
                String::new()
            }
            Role::Device => {
                self.destroys(value);
                String::new()
            }
            Role::Host | Role::Url => {
                self.reaches(value);
                String::new()
            }
            Role::RemoteRead | Role::RemoteWrite => self.remote(role, value, reach),
            Role::Shell => {
                // tar: `exec=COMMAND`.
                let value = value.strip_prefix("exec=").unwrap_or(value);
                self.notes.effects = self.notes.effects.and(Effects::EXECUTES);
                self.shell_text(value, input)
            }
            Role::Argv | Role::EnvArgv => {
                let words: Vec<String> = vec![value.to_owned()];
                self.argv(&words, false, input)
            }
            Role::Code => match interpreters::language(name) {
                Some(language) => self.code(language, value),
                None => {
                    self.unresolved(format!("It gives {name} code that is not read here."));
                    String::new()
                }
            },
            Role::Script => self.script_file(value, name, &[], input),
        }
    }

    /// `host:path`, or a path here.
    fn remote(&mut self, role: &Role, value: &str, reach: Reach) -> String {
        if let Some(host) = remote_host(value) {
            self.reaches(host);
            self.find(Permission::Sensitive, "network", format!("It copies to or from {}.", shown(host)));
            return if *role == Role::RemoteRead { NET.to_string() } else { String::new() };
        }
        if *role == Role::RemoteWrite {
            self.writes(value, Writing::Whole);
            return String::new();
        }
        let marks = self.reads(value, reach);
        origin(&marks)
    }

    /// A host or URL is named.
    pub(super) fn reaches(&mut self, value: &str) {
        if let Some(path) = value.strip_prefix("file://") {
            self.reads(path, Reach::One);
            return;
        }
        if is_secret(value) {
            self.forbid("exfiltration", "It sends a secret to another host, in the address.");
        } else if !is_known(value) {
            self.unresolved("Which host it reaches, or what it tells it, cannot be told.");
        }
        let after = value.split_once("://").map_or(value, |(_, rest)| rest);
        let host = after.split(['/', '?', '#']).next().unwrap_or(after);
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        self.host(host);
        let bare = host.split(':').next().unwrap_or(host);
        if bare.starts_with("169.254.") || bare == "metadata.google.internal" || bare == "100.100.100.200" {
            self.find(
                Permission::Sensitive,
                "network",
                format!("{bare} hands out credentials of the machine."),
            );
        } else if value.contains("://") && (bare == "localhost" || is_private_address(bare)) {
            self.find(
                Permission::Moderate,
                "network",
                format!("{bare} is on this machine or in its own network."),
            );
        }
    }

    /// What goes in and comes out: secrets that are sent, code that was fetched.
    fn flows(
        &mut self,
        name: &str,
        nature: Nature,
        marks: &str,
        words: &[String],
        input: Option<&str>,
    ) -> String {
        let network = matches!(nature, Nature::Network | Nature::LookUp);
        let given = input.unwrap_or_default();
        if network {
            let sent = |mark: char| {
                given.contains(mark) || words.iter().any(|word| word.contains(mark)) || marks.contains(mark)
            };
            if sent(SECRET) || sent(ENVIRONMENT) {
                self.forbid("exfiltration", format!("It sends a secret to another host with {name}."));
            }
            if words.iter().any(|word| !word.starts_with('-') && self.leaks(word))
                && !matches!(name, "ssh-keygen" | "ssh-add")
                && !words
                    .iter()
                    .any(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('i'))
            {
                self.forbid("exfiltration", format!("It sends a secret to another host with {name}."));
            }
            if given.contains(SHELL) {
                self.forbid("reverse-shell", format!("It connects a shell to another host with {name}."));
            }
            return NET.to_string();
        }
        // What is asked about because it shows a secret, shows a secret.
        let shows = nature == Nature::Read
            && self.notes.findings.last().is_some_and(|found| {
                found.permission == Permission::Sensitive && found.rule.starts_with("program:")
            });
        let output = if shows { Some(format!("{HOLE}{SECRET}")) } else { self.simulate(name, words, input) };
        match output {
            Some(output) => output,
            None => {
                let mut output = HOLE.to_string();
                output.push_str(&origin(given));
                output.push_str(&origin(marks));
                for word in words {
                    output.push_str(&origin(word));
                }
                output
            }
        }
    }

    /// `git -c name=value`: some settings are commands.
    fn git_settings(&mut self, told: &Told<'_>) {
        for (flag, value) in &told.known {
            let Some(value) = value
                .as_ref()
                .filter(|_| flag.names.iter().any(|name| name == "-c" || name == "--config-env"))
            else {
                continue;
            };
            let (key, value) = value.split_once('=').unwrap_or((value, ""));
            let key = key.to_lowercase();
            const COMMANDS: &[&str] = &[
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
            let last = key.rsplit('.').next().unwrap_or_default();
            let harmless = last == "pager" && matches!(value, "cat" | "less" | "" | "false");
            if key.starts_with("alias.")
                || key.starts_with("pager.")
                || key.starts_with("include")
                || COMMANDS.contains(&last) && !harmless
            {
                self.find(
                    Permission::Sensitive,
                    "program:git -c",
                    format!("git is told to run something else by {key}."),
                );
                self.run_apart(value.strip_prefix('!').unwrap_or(value), None);
            }
        }
    }
}

/// Programs that look at names, sizes and times, and not into files.
const LOOKERS: &[&str] = &[
    "ls", "dir", "vdir", "stat", "du", "df", "tree", "realpath", "readlink", "namei", "lsattr", "getfacl",
    "exa", "eza", "lsd",
];

/// The host of `host:path`, `rsync://host/…`.
fn remote_host(value: &str) -> Option<&str> {
    let (host, _) = value.split_once(':')?;
    (!host.contains('/') && host.len() > 1).then_some(host)
}

/// Whether a flag can do more than read.
fn is_risky(flag: &Flag) -> bool {
    flag.is.is_some_and(|is| is != Nature::Read)
        || flag.takes.as_ref().is_some_and(|role| {
            !matches!(role, Role::Text | Role::Read | Role::Tree | Role::User | Role::Process)
        })
}

/// After how many operands flags are no longer this program's.
fn stops_at(operands: &Operands, named: usize) -> Option<usize> {
    let command = |role: &Role| matches!(role, Role::Argv | Role::EnvArgv);
    operands.before.iter().position(command).map(|at| at + named)
}

fn fits(case: &Case, told: &Told<'_>) -> bool {
    let words = case.words.iter().enumerate().all(|(at, wanted)| {
        told.operands.get(at).is_some_and(|word| {
            wanted.split('|').any(|alternative| match alternative.strip_suffix('*') {
                Some(start) => word.starts_with(start),
                None => alternative == word,
            })
        })
    });
    words
        && (case.with.is_empty() || told.has(&case.with))
        && (case.without.is_empty() || !told.has(&case.without))
        && (!case.bare || told.operands.len() == case.words.len())
}

fn the_use<'k>(
    entry: &'k Entry,
    case: Option<&'k Case>,
    name: &str,
    operands: &'k Operands,
    told: &Told<'_>,
) -> Use<'k> {
    let nature = case.and_then(|case| case.is).unwrap_or(entry.is);
    let level =
        case.map_or(entry.level, |case| case.level.or(if case.is.is_none() { entry.level } else { None }));
    let permission = level.unwrap_or_else(|| nature.permission());
    let named: Vec<&str> =
        told.operands.iter().take(case.map_or(0, |case| case.words.len())).map(String::as_str).collect();
    let rule = if named.is_empty() {
        format!("program:{name}")
    } else {
        format!("program:{name} {}", named.join(" "))
    };
    let why = case.and_then(|case| case.why.clone()).or_else(|| entry.why.clone()).unwrap_or_else(|| {
        let shown = if named.is_empty() { name.to_owned() } else { format!("{name} {}", named.join(" ")) };
        format!("{shown} {}.", amounts_to(nature))
    });
    Use { nature, permission, rule, why, operands, named: named.len(), recursive: told.has(&entry.recursive) }
}

fn amounts_to(nature: Nature) -> &'static str {
    match nature {
        Nature::Read => "only reads",
        Nature::LookUp => "asks another host",
        Nature::Write => "changes files or settings",
        Nature::Execute => "runs code that is not part of the command",
        Nature::Network => "sends to or fetches from other hosts",
        Nature::System => "administers the machine",
        Nature::Destroy => "destroys what cannot be got back",
        Nature::Catastrophe => "does what an assistant must never do",
    }
}

/// Which operand has which role.
fn assign_roles(
    operands: &Operands,
    count: usize,
    gives_first: bool,
    gives_last: bool,
) -> Vec<(Role, usize)> {
    let before = &operands.before[usize::from(gives_first && !operands.before.is_empty())..];
    let after =
        &operands.after[..operands.after.len() - usize::from(gives_last && !operands.after.is_empty())];
    let mut roles = Vec::with_capacity(count);
    // What is named last is last, also where nothing is left for the middle.
    let after_count = after.len().min(count.saturating_sub(before.len()));
    for at in 0..count {
        let from_end = count - at;
        let role = if at < before.len() {
            &before[at]
        } else if from_end <= after_count {
            &after[after.len() - from_end]
        } else {
            match &operands.repeated {
                Some(role) => role,
                None => continue,
            }
        };
        roles.push((role.clone(), at));
    }
    roles
}

/// `@file`, `name=@file`, `<file`: what a value uploads. Text without those is sent as it is.
fn upload_path(value: &str) -> Option<&str> {
    if let Some((_, path)) = value.split_once('@') {
        return Some(path.split(';').next().unwrap_or(path)).filter(|path| *path != "-");
    }
    Some(value.split_once("=<").map_or(value, |(_, path)| path))
}

fn is_private_address(host: &str) -> bool {
    let mut parts = host.split('.').map(|part| part.parse::<u8>());
    match (parts.next(), parts.next()) {
        (Some(Ok(10 | 127 | 0)), Some(Ok(_))) => true,
        (Some(Ok(192)), Some(Ok(168))) => true,
        (Some(Ok(172)), Some(Ok(second))) => (16..32).contains(&second),
        _ => false,
    }
}
