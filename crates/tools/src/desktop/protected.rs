//! Windows that are never closed, whatever anyone says: without them the person's session or Deskhand itself is gone.

use deskhand_core::{Cx, ToolResult};

use super::{
    backend::{Closing, Wait},
    seat,
    window::{Window, WindowKind},
};

use crate::system;

/// Where Deskhand stands.
pub(super) struct Ourselves {
    pub pid: u32,
    /// From the parent up: the shell, the terminal.
    pub ancestors: Vec<u32>,
    /// The window of the terminal that Deskhand runs in, by the terminal's word.
    pub terminal: Option<u64>,
    /// The process that manages the windows.
    pub manager: Option<u32>,
}

/// The rule that forbids it, and why.
pub(super) type Refusal = (&'static str, &'static str);

impl Ourselves {
    pub fn look(cx: &Cx) -> ToolResult<Self> {
        let desktop = seat::desktop(cx)?;
        Ok(Self {
            pid: std::process::id(),
            ancestors: system::ancestors()?,
            terminal: desktop.terminal(),
            manager: desktop.manager_pid(&Wait::of(cx))?,
        })
    }

    pub fn protect(&self, window: &Window, how: Closing) -> Option<Refusal> {
        match window.kind {
            WindowKind::Desktop => return Some(("window:shell", "it is the desktop itself")),
            WindowKind::Dock => return Some(("window:shell", "it is a panel of the desktop")),
            _ => {}
        }
        if window.pid == Some(self.pid) {
            return Some(("window:own", "it is Deskhand's own"));
        }
        if window.pid.is_some() && window.pid == self.manager {
            return Some(("window:manager", "it belongs to what manages all windows"));
        }
        if self.terminal == Some(window.id) {
            return Some(("window:own", "it is the terminal that Deskhand runs in"));
        }
        // One process may show many terminals, and which of them is ours is not sure: the terminal's word is handed down to
        // whatever is started in it, into other terminals, too.
        if window.pid.is_some_and(|pid| self.ancestors.contains(&pid)) {
            return Some(("window:own", "Deskhand was started from its program and would end with it"));
        }
        let app = window.app.as_deref().unwrap_or_default().to_lowercase();
        // Windows knows programs by their files.
        let app = app.strip_suffix(".exe").unwrap_or(&app);
        if is_one_of(app, TASK_MANAGERS) {
            return Some(("window:task-manager", "it is the task manager, the way out when something hangs"));
        }
        if is_one_of(app, SHELLS) {
            return Some(("window:shell", "it belongs to the desktop itself"));
        }
        // A folder may be closed like any window; to cut its program off takes the desktop along.
        let is_plain = matches!(window.kind, WindowKind::Normal | WindowKind::Dialog);
        if is_one_of(app, SHELLS_WITH_FOLDERS) && (!is_plain || how == Closing::Forced) {
            return Some(("window:shell", "its program shows the desktop itself"));
        }
        if is_one_of(app, BROWSERS) && window.title.contains(OUR_PAGE) {
            return Some(("window:own", "it shows Deskhand's own page"));
        }
        None
    }
}

/// The title of the page.
const OUR_PAGE: &str = "Deskhand";

fn is_one_of(app: &str, names: &[&str]) -> bool {
    !app.is_empty() && names.contains(&app)
}

const TASK_MANAGERS: &[&str] = &[
    "gnome-system-monitor",
    "org.gnome.systemmonitor",
    "org.kde.plasma-systemmonitor",
    "plasma-systemmonitor",
    "ksysguard",
    "systemmonitor",
    "xfce4-taskmanager",
    "mate-system-monitor",
    "lxtask",
    "qps",
    "taskmgr",
    "activity monitor",
];

const SHELLS: &[&str] = &[
    "gnome-shell",
    "plasmashell",
    "xfdesktop",
    "xfce4-panel",
    "xfce4-session-logout",
    "cinnamon",
    "mate-panel",
    "caja-desktop",
    "nemo-desktop",
    "lxpanel",
    "lxqt-panel",
    "pcmanfm-desktop",
    "tint2",
    "polybar",
    "waybar",
    "startmenuexperiencehost",
    "shellexperiencehost",
    "searchhost",
    "lockapp",
    "logonui",
    "dock",
    "loginwindow",
    "systemuiserver",
    "control center",
    "control centre",
    "window server",
];

/// What shows the desktop and folders alike, or frames the windows of many programs.
const SHELLS_WITH_FOLDERS: &[&str] = &["explorer", "finder", "applicationframehost"];

const BROWSERS: &[&str] = &[
    "firefox",
    "firefox-esr",
    "navigator",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "microsoft-edge",
    "brave-browser",
    "vivaldi-stable",
    "opera",
    "org.gnome.epiphany",
    "epiphany",
    "falkon",
    "chrome",
    "google chrome",
    "msedge",
    "microsoft edge",
    "brave",
    "brave browser",
    "vivaldi",
    "safari",
    "arc",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop::window::Rect;

    fn window(id: u64, pid: u32, app: &str, title: &str) -> Window {
        Window {
            id,
            title: title.to_owned(),
            app: Some(app.to_owned()),
            pid: Some(pid),
            geometry: Rect { x: 0, y: 0, width: 1, height: 1 },
            kind: WindowKind::Normal,
            state: Vec::new(),
            desktop: None,
            active: false,
        }
    }

    #[test]
    fn who_is_protected() {
        let known = Ourselves { pid: 100, ancestors: vec![90, 80], terminal: Some(5), manager: Some(70) };
        let unknown = Ourselves { ancestors: vec![90, 80], terminal: None, ..known };
        let plain = window(1, 500, "Gedit", "Notes on Deskhand");
        let of_kind = |kind| Window { kind, ..plain.clone() };
        let terminal = window(6, 80, "Gnome-terminal", "other");
        for (ourselves, window, how, rule) in [
            (&known, plain.clone(), Closing::Asked, None),
            (&known, plain.clone(), Closing::Forced, None),
            (&known, of_kind(WindowKind::Desktop), Closing::Asked, Some("window:shell")),
            (&known, of_kind(WindowKind::Dock), Closing::Forced, Some("window:shell")),
            (&known, window(2, 100, "x", ""), Closing::Asked, Some("window:own")),
            (&known, window(2, 70, "x", ""), Closing::Asked, Some("window:manager")),
            (&known, window(5, 80, "Gnome-terminal", ""), Closing::Asked, Some("window:own")),
            (&known, window(5, 500, "Xterm", ""), Closing::Asked, Some("window:own")),
            (&known, terminal.clone(), Closing::Asked, Some("window:own")),
            (&known, terminal.clone(), Closing::Forced, Some("window:own")),
            (&unknown, terminal, Closing::Asked, Some("window:own")),
            (&known, window(7, 500, "Xfce4-taskmanager", ""), Closing::Asked, Some("window:task-manager")),
            (&known, window(7, 500, "Xfdesktop", ""), Closing::Asked, Some("window:shell")),
            (
                &known,
                window(8, 500, "Chromium", "Chat - Deskhand - Chromium"),
                Closing::Asked,
                Some("window:own"),
            ),
            (&known, window(8, 500, "Chromium", "News"), Closing::Asked, None),
            (&known, window(9, 500, "Taskmgr.exe", ""), Closing::Asked, Some("window:task-manager")),
            (&known, window(9, 500, "Activity Monitor", ""), Closing::Asked, Some("window:task-manager")),
            (&known, window(9, 500, "StartMenuExperienceHost.exe", ""), Closing::Asked, Some("window:shell")),
            (&known, window(9, 500, "loginwindow", ""), Closing::Asked, Some("window:shell")),
            (&known, window(9, 500, "explorer.exe", "Documents"), Closing::Asked, None),
            (&known, window(9, 500, "explorer.exe", "Documents"), Closing::Forced, Some("window:shell")),
            (&known, window(9, 500, "Finder", "Documents"), Closing::Asked, None),
            (&known, window(9, 500, "Finder", "Documents"), Closing::Forced, Some("window:shell")),
            (
                &known,
                Window { kind: WindowKind::Other, ..window(9, 500, "explorer.exe", "Start") },
                Closing::Asked,
                Some("window:shell"),
            ),
            (&known, window(9, 500, "chrome.exe", "Chat - Deskhand"), Closing::Asked, Some("window:own")),
            (&known, window(9, 500, "Safari", "Chat - Deskhand"), Closing::Asked, Some("window:own")),
            (&known, window(9, 500, "notepad.exe", "Deskhand"), Closing::Asked, None),
        ] {
            let found = ourselves.protect(&window, how).map(|(rule, _)| rule);
            assert_eq!(found, rule, "{} {how:?}", window.words());
        }
    }
}
