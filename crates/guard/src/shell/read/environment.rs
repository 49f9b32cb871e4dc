//! Variables: what setting one does, beside setting it.

use deskhand_core::Permission;

use super::{MOST_VALUES, Reading, commands::PROGRAM_FOLDERS};
use crate::shell::{
    expand::evaluate,
    syntax::{Assign, Value},
    text::{HOLE, NET, is_known},
};

/// Variables that make programs run other programs, or other code.
const RUNS_CODE: &[&str] = &[
    "PATH",
    "ENV",
    "BASH_ENV",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "BASHOPTS",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONWARNINGS",
    "PYTHONBREAKPOINT",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "PAGER",
    "MANPAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "LESS",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "RSYNC_RSH",
    "CVS_RSH",
    "TAR_OPTIONS",
    "GREP_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "FZF_DEFAULT_COMMAND",
    "FZF_DEFAULT_OPTS",
    "FIGNORE",
    "HOSTALIASES",
    "MAKEFLAGS",
    "CC",
    "CXX",
    "LD",
    "AWKPATH",
    "AWKLIBPATH",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "TERMINFO",
    "TERMCAP",
    "OPENSSL_CONF",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTC",
    "MANOPT",
    "LESSEDIT",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GEM_HOME",
    "GEM_PATH",
    "JAVA_HOME",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "PYENV_ROOT",
    "NVM_DIR",
    "COMPOSER_HOME",
    "MANLESS",
    "JQ_LIBRARY_PATH",
    "KUBECONFIG",
    "NPM_CONFIG_SCRIPT_SHELL",
    "WATCH",
    "BAT_PAGER",
    "DELTA_PAGER",
    "SYSTEMD_PAGER",
    "PSQL_PAGER",
    "PSQL_EDITOR",
    "XDG_CONFIG_HOME",
    "HOME",
    "CURL_HOME",
    "WGETRC",
    "INPUTRC",
    "VIMINIT",
    "EXINIT",
    "GZIP",
    "ZIPOPT",
    "UNZIP",
    "LUA_INIT",
    "PHPRC",
    "R_PROFILE",
    "JULIA_LOAD_PATH",
    "SHELL",
    "TMPDIR",
];

const RUNS_CODE_PREFIX: &[&str] =
    &["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "npm_config_", "CARGO_TARGET_", "PIP_", "DOCKER_", "KUBE"];

/// Of those that start so, these only change how something looks.
const ONLY_LOOKS: &[&str] = &[
    "GIT_PAGER_IN_USE",
    "LD_BIND_NOW",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_DATE",
];

/// Pagers that do no more than show.
const PLAIN_PAGERS: &[&str] =
    &["cat", "less", "more", "", "/bin/cat", "/usr/bin/less", "bat", "less -R", "less -FRX"];

const HISTORY: &[&str] = &["HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE", "HISTCMD"];

impl Reading<'_> {
    /// `name=value`, alone on its line.
    pub fn assign(&mut self, assign: &Assign) {
        if let Some(index) = &assign.index {
            self.table_is_set(&assign.name);
            self.commands_in(index);
        }
        match &assign.value {
            Value::Array(words) => {
                for word in words {
                    // `[key]=value`.
                    let text = self.scalar(word);
                    if let Some((key, value)) = text.strip_prefix('[').and_then(|text| text.split_once("]="))
                    {
                        self.set(&format!("{}[{key}]", assign.name), vec![value.to_owned()]);
                    }
                }
                let mut values = if assign.append {
                    self.arrays.remove(&assign.name).unwrap_or_default()
                } else {
                    Vec::new()
                };
                for word in words {
                    values.extend(self.fields(word));
                }
                self.variables.remove(&assign.name);
                self.set_array(&assign.name, values);
            }
            Value::Scalar(word) => {
                let (pick, most) = (self.pick, self.most_values);
                (self.pick, self.most_values) = (0, 0);
                let mut values = vec![self.scalar(word)];
                for next in 1..self.most_values.min(MOST_VALUES) {
                    self.pick = next;
                    values.push(self.scalar(word));
                }
                (self.pick, self.most_values) = (pick, most);
                if assign.append {
                    let old = self.variable(&assign.name).unwrap_or_default().to_owned();
                    values = values.into_iter().map(|value| format!("{old}{value}")).collect();
                }
                if let Some(index) = &assign.index {
                    let at = evaluate(index).and_then(|at| usize::try_from(at).ok());
                    let array = self.arrays.entry(assign.name.clone()).or_default();
                    match at {
                        Some(at) if at < 64 => {
                            if array.len() <= at {
                                array.resize(at + 1, String::new());
                            }
                            array[at] = values.swap_remove(0);
                        }
                        _ => array.push(HOLE.to_string()),
                    }
                } else {
                    self.variable_is_set(&assign.name, &values[0].clone());
                    self.set(&assign.name, values);
                }
            }
        }
    }

    /// Setting this variable changes more than itself.
    pub fn variable_is_set(&mut self, name: &str, value: &str) {
        let off = value.is_empty()
            || value == "/dev/null"
            || value == "0"
            || matches!(name, "HISTCONTROL" | "HISTIGNORE");
        if HISTORY.contains(&name)
            && off
            && !(name == "HISTCONTROL" && value != "ignorespace" && value != "ignoreboth")
        {
            self.forbid("defence", format!("It switches off the shell's history ({name})."));
        } else if matches!(name, "PS4" | "PROMPT_COMMAND" | "BASH_ENV" | "ENV" | "PS0") {
            self.unresolved(format!("It sets {name}, which the shell runs by itself."));
            self.commands_in(value);
            self.run_apart(value, None);
        } else if name == "PATH"
            && is_known(value)
            && value.split(':').all(|folder| PROGRAM_FOLDERS.contains(&folder))
        {
            // The same programs.
        } else if Self::is_exported(name) && !(name.ends_with("PAGER") && PLAIN_PAGERS.contains(&value)) {
            self.unresolved(format!("It changes {name}, which decides what runs."));
        }
    }

    /// Whether programs get this variable without being told: what it is set to changes what they do.
    fn is_exported(name: &str) -> bool {
        let decides = name.starts_with("GIT_") || name.starts_with("LD_");
        matches!(name, "PATH" | "HOME" | "PAGER" | "SHELL") || decides && !ONLY_LOOKS.contains(&name)
    }

    /// Tables by which bash finds programs.
    pub fn table_is_set(&mut self, name: &str) {
        if matches!(name, "BASH_CMDS" | "BASH_ALIASES" | "PATH" | "BASH_ENV" | "PROMPT_COMMAND") {
            self.unresolved(format!("It changes {name}, which decides what runs."));
        }
    }

    /// A variable is given to a program.
    pub fn environment(&mut self, name: &str, value: &str) {
        let runs =
            RUNS_CODE.contains(&name) || RUNS_CODE_PREFIX.iter().any(|prefix| name.starts_with(prefix));
        let looks = ONLY_LOOKS.contains(&name) || name.ends_with("PAGER") && PLAIN_PAGERS.contains(&value);
        if self.files.get(&self.written(value).path).is_some_and(|text| text.contains(NET)) && runs {
            self.forbid("remote-code", format!("{name} makes a program run what was just downloaded."));
        }
        if runs && !looks {
            self.find(
                Permission::Sensitive,
                "environment",
                format!("It sets {name}, which can make a program run other code."),
            );
            if value.contains(' ') {
                self.run_apart(value.trim_start_matches(['|', '!', '-', ' ']), None);
            }
        }
    }
}
