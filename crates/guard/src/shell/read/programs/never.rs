//! Uses that are never right, and that neither a program's name nor the roles of its words tell: a value decides.

use super::{Reading, flags::Told};

impl Reading<'_> {
    /// Whether this use is one of them.
    pub(super) fn never_right(&mut self, name: &str, told: &Told<'_>, operands: &[String]) -> bool {
        let any = |holds: &dyn Fn(&str) -> bool| told.operands.iter().any(|word| holds(word));
        let (rule, why) = match name {
            "lftp" | "ftp" if self.sends_a_secret(told) => {
                ("exfiltration", "It sends a secret to another host.")
            }
            "pkill" | "killall"
                if told.values(&["-u", "--user", "-U"]).iter().any(|user| user == "root" || user == "0") =>
            {
                ("power", "It ends everything that root runs.")
            }
            "journalctl"
                if told
                    .values(&["--vacuum-time", "--vacuum-size", "--vacuum-files"])
                    .iter()
                    .any(|left| is_nothing(left)) =>
            {
                ("defence", "It deletes the log.")
            }
            "sysctl"
                if any(&|word| word.contains("randomize_va_space=0") || word.contains("ptrace_scope=0")) =>
            {
                ("defence", "It switches off a defence of the machine.")
            }
            "dscl"
                if any(&|word| word.trim_end_matches('/').ends_with("/root"))
                    && told.has_any(&["-delete", "-passwd", "-create", "-change"]) =>
            {
                ("account", "It changes root's account.")
            }
            "defaults"
                if any(&|word| word.contains("com.apple.alf"))
                    && any(&|word| word == "write" || word == "delete") =>
            {
                ("defence", "It switches off the firewall.")
            }
            "usermod" | "useradd" | "adduser" | "groupmod" | "gpasswd" if gives_root(told) => {
                ("account", "It gives an account the rights of root.")
            }
            "tail" | "sort" | "tac" | "shuf" if operands.iter().any(|word| is_endless(word)) => {
                ("endless", "It collects what never ends, until the memory is full.")
            }
            "launchctl" if !told.has_any(&["list"]) && any(&keeps_watch) => {
                ("defence", "It switches off what keeps watch over the machine.")
            }
            _ => return false,
        };
        self.forbid(rule, why);
        true
    }

    fn sends_a_secret(&self, told: &Told<'_>) -> bool {
        let mut values = told.known.iter().filter_map(|given| given.value.as_deref());
        values.any(|text| text.split([' ', ';']).any(|part| self.leaks(part)))
    }
}

/// Whether an account gets the number of root, or joins those who may become root.
fn gives_root(told: &Told<'_>) -> bool {
    const POWERFUL: &[&str] = &["sudo", "wheel", "root", "admin", "shadow", "disk"];
    let groups = told.values(&["-G", "--groups", "-g", "--gid", "-a", "--add"]);
    told.values(&["-u", "--uid", "-g", "--gid"]).iter().any(|number| number == "0")
        || groups.iter().flat_map(|list| list.split(',')).any(|group| POWERFUL.contains(&group))
}

/// A limit that leaves nothing of a log.
fn is_nothing(limit: &str) -> bool {
    let number: String = limit.chars().take_while(char::is_ascii_digit).collect();
    matches!(number.as_str(), "0" | "1") && !limit.ends_with(['d', 'w', 'y', 'G', 'h'])
}

/// Devices that can be read for ever.
fn is_endless(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full")
}

/// Services that keep watch over the machine.
fn keeps_watch(service: &str) -> bool {
    ["syslogd", "alf", "auditd", "XProtect", "securityd", "tccd"].iter().any(|part| service.contains(part))
}
