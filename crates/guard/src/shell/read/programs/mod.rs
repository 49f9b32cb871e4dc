//! Programs that the knowledge files know: which case of their entry fits, and what it amounts to.

mod containers;
mod flows;
mod never;
mod quirks;
mod roles;

use deskhand_core::{Effects, Permission};

use super::{
    Likeness, Reading,
    flags::{self, Given, Listed, Told},
};
use crate::shell::{
    judge::Class,
    knowledge::{Case, Entry, Flag, Gives, Nature, Operands, Role},
    text::{HOLE, is_known, is_secret, origin, shown},
};
use roles::{WordUse, assign_roles, remote_host};

/// A call of a program: its name, its words, and what is on its input.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    pub name: &'c str,
    pub words: &'c [String],
    pub input: Option<&'c str>,
}

/// One use of a program: what its entry makes of it.
struct Use<'k> {
    nature: Nature,
    permission: Permission,
    rule: String,
    why: String,
    does: &'k str,
    operands: &'k Operands,
    /// How many operands say which case it is.
    named: usize,
    recursive: bool,
}

/// What going through the words of a call has gathered.
#[derive(Default)]
struct Gathered {
    /// Where what it reads comes from.
    marks: String,
    /// Paths that it writes.
    written: Vec<String>,
    /// One of them is on another host.
    to_host: bool,
    /// Flags stand for the first or the last operand.
    gives_first: bool,
    gives_last: bool,
    /// It shows what is asked about because it is secret.
    shows_secret: bool,
}

impl Reading<'_> {
    /// Reads a call of a program that has an entry; gives what it prints.
    pub fn entry(&mut self, entry: &Entry, call: Call<'_>) -> String {
        if matches!(call.name, "fd" | "fdfind") {
            self.fd(call.words);
        }
        let container = matches!(call.name, "docker" | "podman" | "nerdctl")
            && call.words.iter().any(|word| word == "run" || word == "exec");
        if !container {
            return self.entry_inside(entry, call);
        }
        let outside = self.mounts.clone();
        self.in_container(call.words);
        let output = self.entry_inside(entry, call);
        self.mounts = outside;
        output
    }

    fn entry_inside(&mut self, entry: &Entry, call: Call<'_>) -> String {
        let base: Vec<&Flag> = entry.flags.iter().collect();
        let mut listed = Listed {
            program: &base,
            case: &[],
            named: 0,
            style: entry.style,
            bare_flags: entry.bare_flags,
            stop: stops_at(&entry.operands, 0),
        };
        let mut told = flags::tell_with(call.words, &listed);
        let case = entry.case.iter().find(|case| fits(case, &told));
        let mut operands = &entry.operands;
        let own: Vec<&Flag>;
        if let Some(case) = case {
            operands = case.operands.as_ref().unwrap_or(operands);
            own = case.flags.iter().collect();
            listed = Listed {
                case: &own,
                named: case.words.len(),
                stop: stops_at(operands, case.words.len()),
                ..listed
            };
            told = flags::tell_with(call.words, &listed);
        }
        if !entry.asks_project && call.words.len() == 1 && told.only_asks(&["--version", "--help"]) {
            return HOLE.to_string();
        }
        let used = the_use(entry, case, call.name, operands, &told);
        self.apply(entry, call, &used, &told)
    }

    fn apply(&mut self, entry: &Entry, call: Call<'_>, used: &Use<'_>, told: &Told<'_>) -> String {
        self.likeness = self.likeness.or(Some(Likeness { named: used.named, nature: used.nature }));
        self.step(format!("{} {}.", call.name, used.does));
        if used.permission > Permission::Public || used.nature != Nature::Read {
            self.amount(used.nature, used.permission, &used.rule, &used.why);
        }
        self.appending = call.name == "tee" && told.has_any(&["-a", "--append"]);
        let mut gathered = Gathered {
            shows_secret: used.permission == Permission::Sensitive
                && (used.nature == Nature::Read
                    || names_a_secret(&used.why)
                    || call.words.iter().any(|word| names_a_secret(word))),
            ..Gathered::default()
        };
        let nature = self.use_flags(call, used, told, &mut gathered);
        let operands = told.operands.get(used.named..).unwrap_or_default();
        self.use_operands(call, used, operands, &mut gathered);
        if call.name == "tee" {
            gathered.marks.push_str(call.input.unwrap_or_default());
        }
        if gathered.to_host && (is_secret(&gathered.marks) || operands.iter().any(|word| self.leaks(word))) {
            let why = format!("It sends a secret to another host with {}.", call.name);
            self.forbid("exfiltration", why);
        }
        self.fills(call.name, nature, &gathered, told, operands);
        self.beyond_roles(call, told, operands);
        if matches!(nature, Nature::Execute | Nature::System) {
            self.hedge(call.words);
        }
        self.doubts(entry, call, used, told);
        self.flows(call, nature, &gathered)
    }

    /// Whether a path that is written is on another host, or a connection to one.
    fn is_sent_to(&self, word: &str, role: &Role) -> bool {
        *role == Role::RemoteWrite && remote_host(word).is_some()
            || matches!(self.class_of(word), Class::Connection(_))
    }

    /// What the flags do; gives what they make of the use.
    fn use_flags(
        &mut self,
        call: Call<'_>,
        used: &Use<'_>,
        told: &Told<'_>,
        gathered: &mut Gathered,
    ) -> Nature {
        let mut nature = used.nature;
        let sends = matches!(nature, Nature::Network | Nature::LookUp);
        for Given { flag, value, .. } in &told.known {
            gathered.gives_first |= flag.gives == Some(Gives::First);
            gathered.gives_last |= flag.gives == Some(Gives::Last);
            if flag.is.is_some() || flag.level.is_some() {
                let is = flag.is.unwrap_or(nature);
                nature = if is == Nature::Read { nature } else { is };
                let level = flag.level.unwrap_or_else(|| is.permission());
                gathered.shows_secret |= is == Nature::Read && level == Permission::Sensitive;
                let name = flag.names.first().map_or("", String::as_str);
                let usual = || format!("{} with {name} {}.", call.name, amounts_to(is));
                let why = flag.why.clone().unwrap_or_else(usual);
                if is != Nature::Read || level > Permission::Public {
                    self.amount(is, level, &format!("program:{} {name}", call.name), &why);
                }
            }
            if let (Some(role), Some(value)) = (&flag.takes, value) {
                if matches!(role, Role::Write | Role::RemoteWrite) {
                    gathered.written.push(value.clone());
                }
                let marks = self.role(
                    role,
                    value,
                    call,
                    WordUse { recursive: used.recursive, sends, destroys: used.nature == Nature::Destroy },
                );
                gathered.marks.push_str(&marks);
            }
        }
        nature
    }

    fn use_operands(&mut self, call: Call<'_>, used: &Use<'_>, operands: &[String], gathered: &mut Gathered) {
        let sends = matches!(used.nature, Nature::Network | Nature::LookUp);
        let roles = assign_roles(used.operands, operands.len(), gathered.gives_first, gathered.gives_last);
        for (role, at) in roles {
            if matches!(role, Role::Argv | Role::EnvArgv) {
                // A single word with blanks in it is a line for a shell.
                let output = match &operands[at..] {
                    [line] if line.contains(' ') => self.shell_text(line, call.input),
                    rest => self.argv(rest, *role == Role::EnvArgv, call.input),
                };
                gathered.marks.push_str(&origin(&output));
                break;
            }
            let word = &operands[at];
            if matches!(role, Role::Write | Role::RemoteWrite) {
                gathered.written.push(word.clone());
                gathered.to_host |= self.is_sent_to(word, role);
            }
            let marks = self.role(
                role,
                word,
                call,
                WordUse { recursive: used.recursive, sends, destroys: used.nature == Nature::Destroy },
            );
            gathered.marks.push_str(&marks);
        }
    }

    /// Notes what a use amounts to.
    pub fn amount(&mut self, nature: Nature, permission: Permission, rule: &str, why: &str) {
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
        self.effect(effects);
        if permission > Permission::Public {
            self.find(permission, rule, why);
        }
    }

    /// Words that cannot be told may be flags that change everything.
    fn doubts(&mut self, entry: &Entry, call: Call<'_>, used: &Use<'_>, told: &Told<'_>) {
        if entry.harmless {
            return;
        }
        let risky = || {
            let mut flags = entry.flags.iter().chain(entry.case.iter().flat_map(|case| &case.flags));
            used.named > 0 || used.nature != Nature::Read || flags.any(is_risky)
        };
        let tells = used.nature == Nature::LookUp && call.words.iter().any(|word| !is_known(word));
        if tells || told.doubtful && risky() {
            self.unresolved(format!("Some words of {} cannot be told before it runs.", call.name));
        }
        if entry.strict && told.strangers {
            let why = format!("It has a flag that is not known here: {}.", shown(&call.words.join(" ")));
            self.find(Permission::Moderate, format!("program:{}", call.name), why);
        }
    }
}

/// Whether a text speaks of a secret that is shown.
fn names_a_secret(text: &str) -> bool {
    ["token", "password", "secret", "keychain", "credential"].iter().any(|word| text.contains(word))
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
                Some(start) => match start.strip_prefix('*') {
                    Some(part) => word.contains(part),
                    None => word.starts_with(start),
                },
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
    let does = case.and_then(|case| case.does.as_deref()).unwrap_or(&entry.does);
    let recursive = told.has(&entry.recursive);
    Use { nature, permission, rule, why, does, operands, named: named.len(), recursive }
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
