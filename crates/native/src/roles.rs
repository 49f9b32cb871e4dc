//! What a window is for, by what a system tells of it.

use crate::Role;

/// What Windows tells of a window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marks {
    /// It is the one that Windows calls the shell's.
    pub is_shell: bool,
    /// It belongs to another window.
    pub is_owned: bool,
    /// It asks not to be among the windows that a person switches between.
    pub is_tool: bool,
}

/// By the name of its class, and its marks.
pub fn on_windows(class: &str, marks: Marks) -> Role {
    const DESKTOP: &[&str] = &["Progman", "WorkerW", "#32769"];
    const PANELS: &[&str] = &[
        "Shell_TrayWnd",
        "Shell_SecondaryTrayWnd",
        "NotifyIconOverflowWindow",
        "TopLevelWindowForOverflowXamlIsland",
    ];
    let is_one_of = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(class));
    match class {
        _ if marks.is_shell || is_one_of(DESKTOP) => Role::Desktop,
        _ if is_one_of(PANELS) => Role::Panel,
        // The class of all dialog boxes.
        "#32770" => Role::Dialog,
        _ if marks.is_tool => Role::Other,
        _ if marks.is_owned => Role::Dialog,
        _ => Role::Normal,
    }
}

/// By its layer, as the window server counts them, and the program that it is of.
pub fn on_macos(layer: i64, owner: &str) -> Role {
    const NORMAL: i64 = 0;
    // Floating panels and modal panels.
    const PANELS_OF_PROGRAMS: [i64; 2] = [3, 8];
    const SYSTEM: &[&str] = &[
        "Dock",
        "Window Server",
        "WindowServer",
        "SystemUIServer",
        "Control Center",
        "Control Centre",
        "loginwindow",
    ];
    match layer {
        ..NORMAL => Role::Desktop,
        _ if SYSTEM.contains(&owner) => Role::Panel,
        NORMAL => Role::Normal,
        layer if PANELS_OF_PROGRAMS.contains(&layer) => Role::Dialog,
        _ => Role::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shell_of_windows_shows_is_known() {
        let none = Marks::default();
        for (class, marks, role) in [
            ("Progman", none, Role::Desktop),
            ("WorkerW", none, Role::Desktop),
            ("Anything", Marks { is_shell: true, ..none }, Role::Desktop),
            ("Shell_TrayWnd", none, Role::Panel),
            ("shell_traywnd", none, Role::Panel),
            ("Shell_SecondaryTrayWnd", none, Role::Panel),
            ("#32770", none, Role::Dialog),
            ("Notepad", none, Role::Normal),
            ("Notepad", Marks { is_owned: true, ..none }, Role::Dialog),
            ("Notepad", Marks { is_tool: true, ..none }, Role::Other),
            // Folders are ordinary windows of the shell's program.
            ("CabinetWClass", none, Role::Normal),
        ] {
            assert_eq!(on_windows(class, marks), role, "{class} {marks:?}");
        }
    }

    #[test]
    fn what_the_system_of_macos_shows_is_known() {
        for (layer, owner, role) in [
            (-2_147_483_603, "Finder", Role::Desktop),
            (0, "Finder", Role::Normal),
            (0, "TextEdit", Role::Normal),
            (8, "TextEdit", Role::Dialog),
            (101, "TextEdit", Role::Other),
            (20, "Dock", Role::Panel),
            (0, "Dock", Role::Panel),
            (0, "loginwindow", Role::Panel),
            (24, "Window Server", Role::Panel),
        ] {
            assert_eq!(on_macos(layer, owner), role, "{layer} {owner}");
        }
    }
}
