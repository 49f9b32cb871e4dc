//! What a caller gives to `bash`.

use std::time::Duration;

use deskhand_core::{ToolError, ToolResult};
use deskhand_guard::PathArg;
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::command_line;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The command, as a shell reads it. Either this or `argv`.
    #[serde(default)]
    pub command: Option<String>,
    /// A program and its arguments, started without any shell. Either this or `command`.
    #[serde(default)]
    pub argv: Option<Vec<String>>,
    /// The folder to run in; relative paths start at the workspace. The workspace where it is left out.
    #[serde(default)]
    pub cwd: Option<PathArg>,
    /// After how many milliseconds it is ended; 120000 where nothing is said. In the background there is no limit
    /// unless one is given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub timeout_ms: Option<u64>,
    /// Leave it running and return at once; `bash_output` reads what it prints.
    #[serde(default)]
    pub background: bool,
    /// Give it a terminal (24 lines, 80 columns). What it prints to stderr is then in stdout.
    #[serde(default)]
    pub pty: bool,
    /// Let it use the network, which is asked about.
    #[serde(default)]
    pub network: bool,
    /// How many characters of each stream are returned at most; the middle is left out.
    #[serde(default)]
    #[schemars(range(min = 100, max = 10_000_000))]
    pub max_output_chars: Option<usize>,
    /// Further rules, for the names that other systems have for this tool.
    #[serde(default)]
    pub profile: Option<Profile>,
}

/// Rules that some systems have for running commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Profile {
    /// `rm -rf`, `dd if=`, `mkfs` and `format` never run.
    Strict,
    /// Ten commands that only look, without a shell.
    TenCommands,
}

const USUAL_LIMIT: Duration = Duration::from_mins(2);
/// The system takes an argument of 128 KiB; something is left for the confinement.
pub const MOST_BYTES: usize = 120_000;

impl Input {
    /// The command line: as it was given, or one that a shell would read as these very words.
    pub fn line(&self) -> ToolResult<String> {
        let line = match (&self.command, &self.argv) {
            (Some(command), None) => command.clone(),
            (None, Some(argv)) => command_line::quoted(argv),
            (Some(_), Some(_)) => return Err(invalid("Both command and argv are given: give one of them.")),
            (None, None) => return Err(invalid("There is no command: give command or argv.")),
        };
        if line.trim().is_empty() {
            return Err(invalid("The command is empty."));
        }
        if line.contains('\0') {
            return Err(invalid("The command has a NUL character in it, which no command can."));
        }
        Ok(line)
    }

    /// What is started: the words, or a shell that reads the command.
    pub fn to_argv(&self) -> ToolResult<Vec<String>> {
        let words = match (&self.command, &self.argv) {
            (Some(command), _) => vec![shell().to_owned(), "-c".to_owned(), command.clone()],
            (None, argv) => argv.clone().unwrap_or_default(),
        };
        if let Some(long) = words.iter().find(|word| word.len() > MOST_BYTES) {
            let message =
                format!("The command has {} bytes; {MOST_BYTES} is the most that can be run.", long.len());
            return Err(ToolError::new("command_too_long", message).hint("Put it into a file and run that."));
        }
        Ok(words)
    }

    /// In the background there is a limit only where one is given.
    pub fn time_limit(&self) -> Option<Duration> {
        let given = self.timeout_ms.map(Duration::from_millis);
        if self.background { given } else { given.or(Some(USUAL_LIMIT)) }
    }
}

/// `bash`, or `sh` where there is none.
fn shell() -> &'static str {
    let is_there = |path: &&str| std::path::Path::new(path).exists();
    // By its whole path: what is called bash in a folder of PATH may be something else.
    ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].into_iter().find(is_there).unwrap_or("/bin/sh")
}

fn invalid(message: &str) -> ToolError {
    ToolError::invalid("invalid_arguments", message)
}
