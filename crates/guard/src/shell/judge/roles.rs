//! What a word does in its role: reading, writing, removing, changing who may.

use deskhand_core::{Access, Effects, Permission};

use super::places::{Class, Written, classify, secret, written};
use crate::shell::{
    read::Reading,
    text::{HOLE, SECRET, glob_matches, has_glob, shown},
};

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    Whole,
    Append,
}

/// How far a removal or a change reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    One,
    Tree,
}

impl Reading<'_> {
    pub fn written(&self, word: &str) -> Written {
        let mut place = written(word, self.here());
        place.path = self.outside_path(&place.path);
        place
    }

    /// What makes a path secret, if anything does.
    pub fn secret_at(&self, word: &str) -> Option<&'static str> {
        let place = self.written(word);
        match classify(&place, self.home(), self.setting.workspaces) {
            Class::Secret(what) => Some(what),
            Class::Account => secret(&place.path, &shown(&place.path)),
            _ => None,
        }
    }

    /// A path as the command sees it, whatever is mounted where.
    pub fn inner_path(&self, word: &str) -> String {
        written(word, self.here()).path
    }

    pub fn class_of(&self, word: &str) -> Class {
        classify(&self.written(word), self.home(), self.setting.workspaces)
    }

    /// A path is read. Gives what its content is marked with.
    pub fn reads(&mut self, word: &str, reach: Reach) -> String {
        self.effect(Effects::READS);
        let place = self.written(word);
        if let Some(text) = self.files.get(&place.path) {
            return text.clone();
        }
        let mut class = classify(&place, self.home(), self.setting.workspaces);
        if class == Class::Account
            && let Some(what) = secret(&place.path, &shown(&place.path))
        {
            class = Class::Secret(what);
        }
        let name = shown(word);
        match &class {
            Class::Connection(host) => {
                self.connects(host);
                return crate::shell::text::NET.to_string();
            }
            // A walk over everything sees what the sandbox lets it see.
            Class::Unknown | Class::Nothing | Class::Temporary | Class::Root => return HOLE.to_string(),
            Class::Secret(what) => {
                self.find(Permission::Sensitive, "path:secret", format!("It reads {name}: {what}."));
                self.place(&place.path, Access::Read, reach == Reach::Tree);
                return format!("{HOLE}{SECRET}");
            }
            Class::Device | Class::Kernel => {
                if class == Class::Device {
                    self.find(
                        Permission::Sensitive,
                        "path:device",
                        format!("It reads the device {name} itself."),
                    );
                }
            }
            Class::Home | Class::Elsewhere => {
                self.find(Permission::Moderate, "path:outside", format!("{name} is outside the workspace."));
                if class == Class::Home {
                    // All of a home is its keys, too.
                    self.place(&place.path, Access::Read, reach == Reach::Tree);
                    return format!("{HOLE}{SECRET}");
                }
            }
            Class::Account | Class::System | Class::SystemFile | Class::Workspace => {}
        }
        self.place(&place.path, Access::Read, reach == Reach::Tree);
        HOLE.to_string()
    }

    /// The name, size and times of a path are looked at, not what is in it.
    pub fn looks_at(&mut self, word: &str) {
        let place = self.written(word);
        let shared = matches!(place.path.as_str(), "/home" | "/Users" | "/root");
        match classify(&place, self.home(), self.setting.workspaces) {
            Class::Device | Class::Kernel | Class::Root => {
                self.effect(Effects::READS);
            }
            Class::Home if shared && !place.contents => {
                self.effect(Effects::READS);
            }
            // Who may read a file is no secret, nor that it is there.
            Class::Secret(_) | Class::Account if place.path.starts_with("/etc/") => {
                self.effect(Effects::READS);
            }
            _ => drop(self.reads(word, Reach::One)),
        }
    }

    /// A path is made or changed.
    pub fn writes(&mut self, word: &str, how: Writing) {
        let place = self.written(word);
        let name = shown(word);
        let class = classify(&place, self.home(), self.setting.workspaces);
        if class == Class::Nothing {
            return;
        }
        self.effect(Effects::WRITES);
        let authorised =
            place.path.ends_with("/.ssh/authorized_keys") || place.path.ends_with("/.ssh/authorized_keys2");
        match &class {
            Class::Connection(host) => self.connects(host),
            Class::Device => self.forbid("disk", format!("It writes over the device {name}.")),
            Class::Kernel => self
                .forbid("kernel", format!("It writes to {name}, which stops or changes the running system.")),
            Class::Secret(_) if authorised => {
                self.forbid("account", format!("It changes who may log in: {name}."));
            }
            Class::Account
                if how == Writing::Append && matches!(place.path.as_str(), "/etc/fstab" | "/etc/shells") =>
            {
                self.find(
                    Permission::Sensitive,
                    "path:system",
                    format!("It adds to {name}, outside the workspace."),
                );
            }
            Class::Account => self.forbid(
                "account",
                format!("It changes {name}, which decides who may log in or how the machine starts."),
            ),
            Class::Root | Class::System | Class::Home
                if place.contents || class != Class::Home && has_glob(&place.path) =>
            {
                self.forbid("delete:system", format!("It writes over everything in {name}."));
            }
            _ if is_trace(&place.path) && how == Writing::Whole => {
                self.forbid(
                    "defence",
                    format!("It wipes {name}, which tells what was done on this machine."),
                );
            }
            Class::Root | Class::System | Class::SystemFile => {
                self.find(
                    Permission::Sensitive,
                    "path:system",
                    format!("It writes to {name}, which belongs to the system."),
                );
            }
            Class::Secret(what) => {
                self.find(Permission::Sensitive, "path:secret", format!("It writes {name}: {what}."));
            }
            Class::Home | Class::Elsewhere => {
                self.find(
                    Permission::Sensitive,
                    "path:outside",
                    format!("It writes {name}, outside the workspace."),
                );
            }
            Class::Unknown => self.unresolved(format!("It writes {name}, and where that is cannot be told.")),
            Class::Workspace | Class::Temporary | Class::Nothing => {
                self.find(Permission::Moderate, "path:write", format!("It writes {name}."));
            }
        }
        if !matches!(class, Class::Temporary | Class::Connection(_)) {
            self.place(&place.path, Access::Modify, false);
        }
    }

    /// A path is removed.
    pub fn removes(&mut self, word: &str, reach: Reach) {
        self.effect(Effects::WRITES);
        let place = self.written(word);
        let name = shown(word);
        let class = classify(&place, self.home(), self.setting.workspaces);
        let tree = reach == Reach::Tree;
        let other_root = self.has_other_root() && written(word, self.here()).path == "/";
        match &class {
            // `/$unset` is `/`.
            Class::Unknown if tree && word.starts_with('/') && place.path == format!("/{HOLE}") => {
                self.forbid("delete:root", format!("It deletes {name}, which may be the whole file system."));
            }
            Class::SystemFile if is_library(&place.path) => {
                self.forbid(
                    "delete:system",
                    format!("It deletes {name}, which programs cannot start without."),
                );
            }
            _ if other_root && (tree || place.contents) => {
                self.forbid("delete:root", format!("It deletes {name}: a whole file system."));
            }
            Class::Root if tree || place.contents => {
                self.forbid("delete:root", format!("It deletes {name}: the whole file system."));
            }
            Class::Home if tree || place.contents => {
                self.forbid("delete:home", format!("It deletes {name}: a whole home folder."));
            }
            Class::System if tree || place.contents => {
                self.forbid("delete:system", format!("It deletes {name}, which the system needs."));
            }
            _ if is_trace(&place.path) => {
                self.forbid(
                    "defence",
                    format!("It deletes {name}, which tells what was done on this machine."),
                );
            }
            Class::Account => self.forbid(
                "account",
                format!("It deletes {name}, which decides who may log in or how the machine starts."),
            ),
            Class::Device | Class::Kernel => self.forbid("disk", format!("It deletes {name}, a device.")),
            Class::Unknown => self.unresolved(format!("It deletes {name}, and what that is cannot be told.")),
            Class::Nothing | Class::Connection(_) => {}
            Class::Workspace | Class::Temporary if !tree => {
                self.find(Permission::Moderate, "path:delete", format!("It deletes {name}."));
            }
            Class::Workspace | Class::Temporary => {
                self.find(
                    Permission::Sensitive,
                    "delete:tree",
                    format!("It deletes {name} with everything in it."),
                );
            }
            Class::Root
            | Class::Home
            | Class::System
            | Class::Secret(_)
            | Class::SystemFile
            | Class::Elsewhere => {
                self.find(
                    Permission::Sensitive,
                    "path:outside",
                    format!("It deletes {name}, outside the workspace."),
                );
            }
        }
        if class != Class::Temporary {
            self.place(&place.path, Access::Delete, tree);
        }
    }

    /// The mode or owner of a path is changed.
    pub fn changes_access(&mut self, word: &str, reach: Reach) {
        self.effect(Effects::WRITES);
        let place = self.written(word);
        let name = shown(word);
        match classify(&place, self.home(), self.setting.workspaces) {
            Class::Root | Class::System => {
                self.forbid(
                    "permissions",
                    format!("It changes who may use {name}, which the system needs as it is."),
                );
            }
            Class::Home if reach == Reach::Tree || place.contents => {
                self.forbid("permissions", format!("It changes who may use everything in {name}."));
            }
            Class::Account | Class::Device | Class::Kernel => {
                self.forbid("permissions", format!("It changes who may use {name}."));
            }
            Class::SystemFile
                if reach == Reach::Tree
                    && !place.path.starts_with("/opt/")
                    && !place.path.starts_with("/var/") =>
            {
                self.forbid(
                    "permissions",
                    format!("It changes who may use everything in {name}, which belongs to the system."),
                );
            }
            Class::Workspace | Class::Temporary => {
                self.find(Permission::Moderate, "path:attributes", format!("It changes who may use {name}."));
            }
            Class::Nothing | Class::Connection(_) => {}
            Class::Unknown => {
                self.unresolved(format!("It changes who may use {name}, and what that is cannot be told."));
            }
            Class::Home | Class::SystemFile | Class::Secret(_) | Class::Elsewhere => {
                self.find(
                    Permission::Sensitive,
                    "path:outside",
                    format!("It changes who may use {name}, outside the workspace."),
                );
            }
        }
        self.place(&place.path, Access::Modify, reach == Reach::Tree);
    }

    /// A device or volume loses its content.
    pub fn destroys(&mut self, word: &str) {
        self.effect(Effects::WRITES);
        let name = shown(word);
        match self.class_of(word) {
            Class::Workspace | Class::Temporary => {
                self.find(Permission::Sensitive, "destroy", format!("What {name} holds is lost."));
                let place = self.written(word);
                self.place(&place.path, Access::Modify, false);
            }
            Class::Unknown => {
                self.unresolved(format!("It destroys what {name} holds, and what that is cannot be told."));
            }
            _ => self.forbid("disk", format!("It destroys what is on {name}.")),
        }
    }

    /// A connection is opened.
    pub fn connects(&mut self, host: &str) {
        self.effect(Effects::NETWORK);
        self.host(host);
        self.find(Permission::Sensitive, "network", format!("It opens a connection to {}.", shown(host)));
        self.connected();
    }
}

/// Whether a file is one that programs need to start.
fn is_library(path: &str) -> bool {
    let system = ["/lib", "/usr/lib"].iter().any(|folder| path.starts_with(folder));
    system && path.rsplit('/').next().is_some_and(|name| name.contains(".so"))
}

/// Whether a file tells what was done: a shell's history, the log-ins, the system's logs.
fn is_trace(path: &str) -> bool {
    const HISTORIES: &[&str] =
        &[".bash_history", ".zsh_history", ".history", ".sh_history", "fish_history", ".python_history"];
    const LOGS: &[&str] = &[
        "auth.log",
        "secure",
        "wtmp",
        "btmp",
        "utmp",
        "lastlog",
        "faillog",
        "syslog",
        "messages",
        "audit.log",
        "kern.log",
        "system.log",
        "install.log",
    ];
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    HISTORIES.contains(&name)
        || matches!(folder, "/var/log" | "/var/log/audit" | "/var/run" | "/run" | "/private/var/log")
            && LOGS.iter().any(|log| glob_matches(name, log))
        || folder.starts_with("/var/log/journal")
}
