//! Processes that are never ended, whatever anyone says: without them the machine, the person's session or Deskhand
//! itself is gone.

/// A process that someone wants to end.
#[derive(Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub pid: u32,
    pub parent: Option<u32>,
    pub name: &'a str,
    /// The name of the program's file, where it can be seen: a process can change its own name.
    pub program: Option<&'a str>,
    pub command: &'a str,
    pub is_kernel_thread: bool,
}

/// Where Deskhand stands among the processes.
pub(super) struct Ourselves {
    pub pid: u32,
    /// From the parent up.
    pub ancestors: Vec<u32>,
    /// The process that leads our session: where it ends, the terminal hangs up.
    pub session_leader: Option<u32>,
}

/// The rule that forbids it, and why.
pub(super) type Refusal = (&'static str, &'static str);

impl Ourselves {
    /// What can be said of a number alone, whether or not there is such a process.
    pub fn protect_number(&self, pid: u32) -> Option<Refusal> {
        match pid {
            0 => Some(("process:first", "0 stands for the kernel, or for every process of a group")),
            1 => {
                Some(("process:first", "it is the first process, and the machine or container ends with it"))
            }
            _ if pid == self.pid => Some(("process:own", "it is Deskhand itself")),
            _ if self.ancestors.contains(&pid) => {
                Some(("process:own-ancestor", "Deskhand was started by it and would end with it"))
            }
            _ if self.session_leader == Some(pid) => {
                Some(("process:session-leader", "it leads the session that Deskhand runs in"))
            }
            _ => None,
        }
    }

    pub fn protect(&self, candidate: &Candidate<'_>) -> Option<Refusal> {
        if let Some(refusal) = self.protect_number(candidate.pid) {
            return Some(refusal);
        }
        if candidate.is_kernel_thread {
            return Some(("process:kernel", "it is a thread of the kernel"));
        }
        let names = [Some(candidate.name), candidate.program];
        if names.into_iter().flatten().any(is_critical) {
            return Some(("process:critical", "the system or the person's session needs it to go on"));
        }
        // The one that waits for new connections was started by init, and says so; the others serve one each.
        let is_sshd = names.into_iter().flatten().any(|name| same_name(name, "sshd"));
        let is_listener =
            candidate.parent.is_none_or(|parent| parent <= 1) || candidate.command.contains("[listener]");
        (is_sshd && is_listener).then_some(("process:critical", "it is what lets people in from elsewhere"))
    }
}

/// Linux keeps the first 15 bytes of a name.
const LONGEST_NAME: usize = 15;

fn is_critical(name: &str) -> bool {
    CRITICAL.iter().any(|group| group.iter().any(|critical| same_name(name, critical)))
}

fn same_name(name: &str, known: &str) -> bool {
    let cut = known.get(..LONGEST_NAME).filter(|_| cfg!(target_os = "linux"));
    name.eq_ignore_ascii_case(known) || cut.is_some_and(|cut| name.eq_ignore_ascii_case(cut))
}

const CRITICAL: &[&[&str]] = &[
    // what starts and keeps everything
    &["init", "systemd", "launchd", "upstart", "openrc-init", "runit", "runsvdir", "s6-svscan", "procd"],
    &[
        "systemd-journald",
        "systemd-logind",
        "systemd-udevd",
        "systemd-resolved",
        "systemd-networkd",
        "udevd",
        "eudev",
    ],
    // what the others talk through
    &[
        "dbus-daemon",
        "dbus-broker",
        "dbus-broker-launch",
        "polkitd",
        "NetworkManager",
        "auditd",
        "wpa_supplicant",
    ],
    // what holds containers
    &["dockerd", "containerd", "containerd-shim", "containerd-shim-runc-v2", "kubelet", "crio", "conmon"],
    // where the person logs in, and what draws their screen
    &["gdm", "gdm3", "gdm-session-worker", "sddm", "lightdm", "login", "greetd", "xdm"],
    &["Xorg", "X", "Xwayland", "gnome-shell", "gnome-session-binary", "mutter", "kwin_wayland", "kwin_x11"],
    &["plasmashell", "ksmserver", "startplasma-wayland", "startplasma-x11", "cinnamon", "cinnamon-session"],
    &[
        "xfce4-session",
        "mate-session",
        "lxqt-session",
        "sway",
        "weston",
        "Hyprland",
        "labwc",
        "wayfire",
        "river",
    ],
    &["niri", "cosmic-comp", "cosmic-session"],
    // macOS
    &[
        "kernel_task",
        "loginwindow",
        "WindowServer",
        "opendirectoryd",
        "securityd",
        "configd",
        "coreservicesd",
    ],
    // Windows
    &[
        "System",
        "Registry",
        "smss.exe",
        "csrss.exe",
        "wininit.exe",
        "winlogon.exe",
        "services.exe",
        "lsass.exe",
    ],
    &["svchost.exe", "dwm.exe", "explorer.exe", "fontdrvhost.exe", "lsaiso.exe", "sihost.exe"],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn ourselves() -> Ourselves {
        Ourselves { pid: 100, ancestors: vec![90, 80, 1], session_leader: Some(70) }
    }

    #[test]
    fn who_is_protected() {
        let plain = Candidate {
            pid: 500,
            parent: Some(80),
            name: "sleep",
            program: None,
            command: "",
            is_kernel_thread: false,
        };
        let named = |name| Candidate { name, ..plain };
        for (candidate, rule) in [
            (plain, None),
            (Candidate { pid: 0, ..plain }, Some("process:first")),
            (Candidate { pid: 1, ..plain }, Some("process:first")),
            (Candidate { pid: 100, ..plain }, Some("process:own")),
            (Candidate { pid: 80, ..plain }, Some("process:own-ancestor")),
            (Candidate { pid: 70, ..plain }, Some("process:session-leader")),
            (Candidate { is_kernel_thread: true, ..plain }, Some("process:kernel")),
            (named("systemd"), Some("process:critical")),
            (named("Explorer.EXE"), Some("process:critical")),
            (named("gnome-shell"), Some("process:critical")),
            (named("dbus-daemon"), Some("process:critical")),
            (named("loginwindow"), Some("process:critical")),
            (named("systemd-helper-of-mine"), None),
            (named("xterm"), None),
            (Candidate { program: Some("Xorg"), ..plain }, Some("process:critical")),
            (Candidate { name: "sshd", parent: Some(1), ..plain }, Some("process:critical")),
            (Candidate { name: "sshd", parent: Some(300), ..plain }, None),
            (
                Candidate { name: "sshd", command: "sshd: x [listener] 0 of 10", ..plain },
                Some("process:critical"),
            ),
        ] {
            let found = ourselves().protect(&candidate).map(|(rule, _)| rule);
            assert_eq!(found, rule, "{} {}", candidate.pid, candidate.name);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_that_linux_cuts() {
        for name in ["systemd-journal", "containerd-shim", "gnome-session-b", "gdm-session-wor"] {
            assert!(is_critical(name), "{name}");
        }
    }
}
