//! The lists of commands in the settings: what else never runs, what alone may run, what need not be asked.

use deskhand_core::{CommandPattern, Permission, ToolError, ToolResult};
use deskhand_guard::shell::Analysis;

use super::command_line::base_name;

/// Patterns of commands that a person set. Put into [`Services`](deskhand_core::Services).
#[derive(Clone, Debug, Default)]
pub struct ShellLists {
    /// Where it is not empty, nothing else runs.
    pub allow_only: Vec<CommandPattern>,
    /// Runs without a question, unless it is more than moderate.
    pub allow: Vec<CommandPattern>,
    /// Never runs.
    pub deny: Vec<CommandPattern>,
}

impl ShellLists {
    /// An error for a command that the lists forbid.
    pub fn check(&self, analysis: &Analysis) -> ToolResult<()> {
        let denied = self.deny.iter().find(|pattern| {
            let program = pattern.whole_program();
            analysis.all_commands.iter().any(|command| pattern.matches(&plain(command)))
                || analysis.programs.iter().any(|name| program == Some(base_name(name)))
        });
        if let Some(pattern) = denied {
            let message = format!("The setting shell.deny forbids commands like `{pattern}`.");
            return Err(ToolError::blocked("shell:deny", message).hint("`deskhand config` shows the list."));
        }
        let listed = |command: &Vec<String>| self.allow_only.iter().any(|pattern| pattern.matches(command));
        let all_listed = !analysis.all_commands.is_empty() && analysis.all_commands.iter().all(listed);
        if self.allow_only.is_empty() || all_listed {
            return Ok(());
        }
        let message = "The setting shell.allow_only is set, and this is not only what it allows.";
        Err(ToolError::blocked("shell:allow_only", message).hint("`deskhand config` shows the list."))
    }

    /// Whether a command that would be asked about was allowed beforehand.
    pub fn allows(&self, analysis: &Analysis) -> bool {
        let listed = |command: &Vec<String>| self.allow.iter().any(|pattern| pattern.matches(command));
        analysis.permission == Permission::Moderate
            && !analysis.commands.is_empty()
            && analysis.commands.iter().all(listed)
    }
}

/// With the program's bare name: `/bin/ls` is ls.
fn plain(command: &[String]) -> Vec<String> {
    let mut command = command.to_vec();
    if let Some(name) = command.first_mut() {
        *name = base_name(name).to_owned();
    }
    command
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;

    use deskhand_guard::shell::{Setting, Shell};

    use super::*;

    pub(in super::super) fn analysis(command: &str) -> Analysis {
        let workspace = Path::new("/home/ada/project");
        let setting =
            Setting { cwd: workspace, home: Some(Path::new("/home/ada")), workspaces: &[workspace] };
        Shell::default().analyze(command, &setting)
    }

    fn patterns(texts: &[&str]) -> Vec<CommandPattern> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn what_is_denied_never_runs() {
        let lists = ShellLists { deny: patterns(&["git push *", "ls *"]), ..ShellLists::default() };
        for (command, runs) in [
            ("git push origin", false),
            ("make; git push", false),
            ("env git push", false),
            ("bash -c 'git push'", false),
            ("git commit -m x", true),
            ("git status", true),
            ("ls", false),
            ("/bin/ls", false),
            ("cat x | ls -l", false),
            ("echo ls", true),
        ] {
            let checked = lists.check(&analysis(command));
            assert_eq!(checked.is_ok(), runs, "{command}");
            if let Err(error) = checked {
                assert_eq!((error.code, error.status), ("shell:deny", deskhand_core::Status::Blocked));
            }
        }
    }

    #[test]
    fn the_exclusive_list_lets_nothing_else_run() {
        let lists =
            ShellLists { allow_only: patterns(&["git status *", "make test"]), ..ShellLists::default() };
        for (command, runs) in [
            ("git status -s", true),
            ("git status; make test", true),
            ("git log", false),
            ("make test", true),
            ("make test; rm x", false),
            ("make test | cat", false),
            ("make test $(ls)", false),
            ("sudo make test", false),
            ("ls", false),
            ("x=1", false),
        ] {
            assert_eq!(lists.check(&analysis(command)).is_ok(), runs, "{command}");
        }
        assert!(ShellLists::default().check(&analysis("ls")).is_ok());
    }

    #[test]
    fn only_what_is_moderate_is_allowed_beforehand() {
        let lists = ShellLists { allow: patterns(&["cargo *", "rm *"]), ..ShellLists::default() };
        for (command, allows) in [
            ("cargo test", true),
            ("cargo test; make", false),
            ("cargo test > out.txt", false),
            ("ls", false),
            ("rm -rf build", false),
            ("rm -rf /", false),
        ] {
            assert_eq!(lists.allows(&analysis(command)), allows, "{command}");
        }
    }
}
