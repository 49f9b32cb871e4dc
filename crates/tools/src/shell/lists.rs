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
    /// An error for a command that the lists forbid. `plain` are the words of a command that is nothing but words.
    pub fn check(&self, analysis: &Analysis, plain: Option<&[String]>) -> ToolResult<()> {
        let denied = self.deny.iter().find(|pattern| {
            let named = |command: &Vec<String>| pattern.matches(command);
            let program = pattern.whole_program();
            analysis.commands.iter().any(named)
                || plain.is_some_and(|words| pattern.matches(words))
                || analysis.programs.iter().any(|name| program == Some(base_name(name)))
        });
        if let Some(pattern) = denied {
            let message = format!("The setting shell.deny forbids commands like `{pattern}`.");
            return Err(ToolError::blocked("shell:deny", message).hint("`deskhand config` shows the list."));
        }
        if self.allow_only.is_empty() || self.is_allowed_alone(analysis, plain) {
            return Ok(());
        }
        let message = "The setting shell.allow_only is set, and this is not only what it allows.";
        Err(ToolError::blocked("shell:allow_only", message).hint("`deskhand config` shows the list."))
    }

    /// Whether all that would run is on the exclusive list. What cannot be seen whole is not.
    fn is_allowed_alone(&self, analysis: &Analysis, plain: Option<&[String]>) -> bool {
        let listed = |command: &[String]| self.allow_only.iter().any(|pattern| pattern.matches(command));
        if let Some(words) = plain {
            // A program that runs another one (`env`, `sudo`) names more than its own words.
            return listed(words)
                && analysis.commands.iter().all(|command| listed(command) || command == words);
        }
        let seen = |name: &String| {
            let same = |command: &Vec<String>| {
                command.first().is_some_and(|first| base_name(first) == base_name(name))
            };
            analysis.commands.iter().any(same)
        };
        !analysis.commands.is_empty()
            && analysis.commands.iter().all(|command| listed(command))
            && analysis.programs.iter().all(seen)
    }

    /// Whether a command that would be asked about was allowed beforehand.
    pub fn allows(&self, analysis: &Analysis) -> bool {
        let listed = |command: &Vec<String>| self.allow.iter().any(|pattern| pattern.matches(command));
        analysis.permission == Permission::Moderate
            && !analysis.commands.is_empty()
            && analysis.commands.iter().all(listed)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use deskhand_core::Effects;

    use super::*;

    fn words(command: &str) -> Vec<String> {
        command.split(' ').map(str::to_owned).collect()
    }

    /// An analysis that found these commands to ask about, and these programs.
    pub(in super::super) fn analysis(
        permission: Permission,
        commands: &[&str],
        programs: &[&str],
    ) -> Analysis {
        Analysis {
            permission,
            rule: "test".into(),
            why: "test".into(),
            steps: Vec::new(),
            programs: programs.iter().map(|name| (*name).to_owned()).collect(),
            hosts: Vec::new(),
            places: Vec::new(),
            effects: Effects::EXECUTES,
            needs_network: false,
            commands: commands.iter().map(|command| words(command)).collect(),
            patterns: Vec::new(),
        }
    }

    fn patterns(texts: &[&str]) -> Vec<CommandPattern> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn what_is_denied_never_runs() {
        let lists = ShellLists { deny: patterns(&["git push *", "ls *"]), ..ShellLists::default() };
        for (commands, programs, plain, runs) in [
            (&["git push origin"][..], &["git"][..], None, false),
            (&["make", "git push"], &["make", "git"], None, false),
            (&["git commit"], &["git"], None, true),
            (&[], &["ls"], None, false),
            (&[], &["/bin/ls"], None, false),
            (&[], &["git"], Some("git push"), false),
            (&[], &["git"], Some("git status"), true),
        ] {
            let plain = plain.map(words);
            let checked = lists.check(&analysis(Permission::Moderate, commands, programs), plain.as_deref());
            assert_eq!(checked.is_ok(), runs, "{commands:?} {programs:?}");
            if let Err(error) = checked {
                assert_eq!((error.code, error.status), ("shell:deny", deskhand_core::Status::Blocked));
            }
        }
    }

    #[test]
    fn the_exclusive_list_lets_nothing_else_run() {
        let lists =
            ShellLists { allow_only: patterns(&["git status *", "make test"]), ..ShellLists::default() };
        for (commands, programs, plain, runs) in [
            (&[][..], &["git"][..], Some("git status -s"), true),
            (&[], &["git"], Some("git log"), false),
            (&["make test"], &["make"], Some("make test"), true),
            (&["make test"], &["make"], None, true),
            (&["make test", "rm x"], &["make", "rm"], None, false),
            (&["make test"], &["make", "cat"], None, false),
            (&[], &["ls"], None, false),
            (&[], &[], None, false),
        ] {
            let plain = plain.map(words);
            let checked = lists.check(&analysis(Permission::Moderate, commands, programs), plain.as_deref());
            assert_eq!(checked.is_ok(), runs, "{commands:?} {programs:?} {plain:?}");
        }
        assert!(ShellLists::default().check(&analysis(Permission::Public, &[], &["ls"]), None).is_ok());
    }

    #[test]
    fn only_what_is_moderate_is_allowed_beforehand() {
        let lists = ShellLists { allow: patterns(&["cargo *"]), ..ShellLists::default() };
        for (permission, commands, allows) in [
            (Permission::Moderate, &["cargo test"][..], true),
            (Permission::Moderate, &["cargo test", "make"], false),
            (Permission::Moderate, &[], false),
            (Permission::Sensitive, &["cargo test"], false),
            (Permission::Forbidden, &["cargo test"], false),
        ] {
            assert_eq!(lists.allows(&analysis(permission, commands, &["cargo"])), allows, "{commands:?}");
        }
    }
}
