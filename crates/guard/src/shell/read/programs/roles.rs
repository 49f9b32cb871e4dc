//! What one word of a program does in its role.

use deskhand_core::{Effects, Permission};

use super::{Call, Reading};
use crate::shell::{
    judge::{Class, Reach, Writing},
    knowledge::{Operands, Role},
    read::interpreters,
    text::{HOLE, NET, SECRET, is_known, is_secret, origin, shown},
};

/// Programs that look at names, sizes and times, and not into files.
const LOOKERS: &[&str] = &[
    "ls", "dir", "vdir", "stat", "du", "df", "tree", "realpath", "readlink", "namei", "lsattr", "getfacl",
    "exa", "eza", "lsd",
];

/// How a program uses its words.
#[derive(Clone, Copy)]
pub struct WordUse {
    /// With all that is below them.
    pub recursive: bool,
    /// What is read goes to another host.
    pub sends: bool,
    /// What the program does cannot be got back.
    pub destroys: bool,
}

impl Reading<'_> {
    /// What one word does in its role; gives the marks of what it lets in.
    pub fn role(&mut self, role: &Role, value: &str, call: Call<'_>, word: WordUse) -> String {
        let reach = if word.recursive { Reach::Tree } else { Reach::One };
        match role {
            Role::Text | Role::User | Role::Process => {}
            Role::Read | Role::Tree => {
                let reach = if *role == Role::Tree { Reach::Tree } else { reach };
                return self.role_read(value, call.name, reach, word.sends);
            }
            Role::Write if value == "-" => {}
            Role::Write => {
                let how = if self.appending { Writing::Append } else { Writing::Whole };
                self.writes(value, how);
            }
            Role::Delete => {
                let needed = matches!(self.class_of(value), Class::Root | Class::Home | Class::System);
                // Moving or destroying a folder takes all of it away.
                let whole = needed && (call.name == "mv" || word.destroys);
                self.removes(value, if whole { Reach::Tree } else { reach });
            }
            Role::Attributes => self.changes_access(value, reach),
            Role::Device => self.destroys(value),
            Role::Host | Role::Url => self.reaches(value),
            Role::RemoteRead | Role::RemoteWrite => return self.remote(role, value, reach),
            Role::Shell => {
                // tar: `exec=COMMAND`.
                let value = value.strip_prefix("exec=").unwrap_or(value);
                self.effect(Effects::EXECUTES);
                return self.shell_text(value, call.input);
            }
            Role::Argv | Role::EnvArgv => return self.argv(&[value.to_owned()], false, call.input),
            Role::Code => match interpreters::language(call.name) {
                Some(language) => return self.code(language, value),
                None => self.unresolved(format!("It gives {} code that is not read here.", call.name)),
            },
            Role::Script => return self.script_file(value, call.name, &[], call.input),
        }
        String::new()
    }

    fn role_read(&mut self, value: &str, name: &str, reach: Reach, sends: bool) -> String {
        if value == "-" {
            return String::new();
        }
        if LOOKERS.contains(&name) {
            self.looks_at(value);
            return HOLE.to_string();
        }
        let path = if sends { upload_path(value) } else { Some(value) };
        let marks = path.map(|path| self.reads(path, reach)).unwrap_or_default();
        if sends && marks.contains(SECRET) {
            self.forbid("exfiltration", format!("It sends {} to another host.", shown(value)));
        }
        marks
    }

    /// `host:path`, or a path here.
    pub fn remote(&mut self, role: &Role, value: &str, reach: Reach) -> String {
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
    pub fn reaches(&mut self, value: &str) {
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
        } else if value.contains("://")
            && (bare == "localhost" || is_private_address(bare) || is_odd_address(host))
        {
            self.find(
                Permission::Moderate,
                "network",
                format!("{bare} is on this machine or in its own network."),
            );
        }
    }
}

/// The host of `host:path`, `rsync://host/…`.
pub fn remote_host(value: &str) -> Option<&str> {
    let (host, _) = value.split_once(':')?;
    (!host.contains('/') && host.len() > 1).then_some(host)
}

/// Which operand has which role.
pub fn assign_roles(
    operands: &Operands,
    count: usize,
    gives_first: bool,
    gives_last: bool,
) -> Vec<(&Role, usize)> {
    let before = &operands.before[usize::from(gives_first && !operands.before.is_empty())..];
    let after =
        &operands.after[..operands.after.len() - usize::from(gives_last && !operands.after.is_empty())];
    // What is named last is last, also where nothing is left for the middle.
    let after_count = after.len().min(count.saturating_sub(before.len()));
    let role = |at: usize| {
        let from_end = count - at;
        let last = (from_end <= after_count).then(|| &after[after.len() - from_end]);
        before.get(at).or(last).or(operands.repeated.as_ref()).map(|role| (role, at))
    };
    (0..count).filter_map(role).collect()
}

/// `@file`, `name=@file`, `<file`: what a value uploads. Text without those is sent as it is.
fn upload_path(value: &str) -> Option<&str> {
    if let Some((_, path)) = value.split_once('@') {
        return Some(path.split(';').next().unwrap_or(path)).filter(|path| *path != "-");
    }
    Some(value.split_once("=<").map_or(value, |(_, path)| path))
}

/// Addresses in a form that few people write: one number, hex, octal, IPv6. Where they lead is not worked out here.
fn is_odd_address(host: &str) -> bool {
    let host = &shown(host);
    let bare = host.split(':').next().unwrap_or(host);
    let octal = |part: &str| part.len() > 1 && part.starts_with('0');
    host.starts_with('[')
        || bare.starts_with("0x")
        || !bare.is_empty()
            && bare.chars().all(|c| c.is_ascii_digit() || c == '.')
            && (bare.matches('.').count() != 3 || bare.split('.').any(octal))
}

fn is_private_address(host: &str) -> bool {
    let mut parts = host.split('.').map(str::parse::<u8>);
    match (parts.next(), parts.next()) {
        (Some(Ok(10 | 127 | 0)), Some(Ok(_))) | (Some(Ok(192)), Some(Ok(168))) => true,
        (Some(Ok(172)), Some(Ok(second))) => (16..32).contains(&second),
        _ => false,
    }
}
