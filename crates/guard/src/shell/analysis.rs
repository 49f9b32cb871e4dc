//! What comes out of reading a command.

use std::path::Path;

use deskhand_core::{Access, Effects, Permission};

/// Where a command would run.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// Where it starts: absolute.
    pub cwd: &'a Path,
    pub home: Option<&'a Path>,
    /// Folders whose content may be changed with a moderate question.
    pub workspaces: &'a [&'a Path],
}

/// A path that the command names, as far as it could be resolved: absolute, lexically normal, `~` and variables
/// expanded. It may hold `*` where the command has a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceUse {
    pub path: String,
    pub access: Access,
    pub recursive: bool,
    pub glob: bool,
}

/// What reading a command found out.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Public: it only reads, and may run unasked. Paths in `places` still have to pass the path policy.
    pub permission: Permission,
    /// The rule that decided (`rm:root`, `program:git push`, `unresolved`, …), and why, in words.
    pub rule: String,
    pub why: String,
    /// What it would do, a sentence a command, in the order of the text.
    pub steps: Vec<String>,
    pub programs: Vec<String>,
    pub hosts: Vec<String>,
    /// Paths that it reads, writes or removes by name.
    pub places: Vec<PlaceUse>,
    pub effects: Effects,
    /// It reads over the network as its program's entry allows (`ping -c`, `curl -I`): give it the network.
    pub needs_network: bool,
    /// The simple commands that make it more than public, as words: what a remembered answer is about.
    pub commands: Vec<Vec<String>>,
    /// Patterns under which a yes could be remembered, narrowest first: `git push origin *`.
    pub patterns: Vec<String>,
}

/// Reads commands: the knowledge of programs, and the rules that a user added. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shell {}

impl Shell {
    /// Says what `command` would do. Never panics, and takes a bounded number of steps.
    pub fn analyze(&self, command: &str, setting: &Setting<'_>) -> Analysis {
        // A stand-in, so that what stands on it can be tried.
        const READ: &[&str] =
            &["echo", "printf", "true", "ls", "cat", "pwd", "whoami", "seq", "git", "yes", "head"];
        let parts: Vec<Vec<String>> = command
            .split([';', '&', '|', '\n'])
            .map(|part| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .filter(|words: &Vec<String>| !words.is_empty())
            .collect();
        let reads = |words: &Vec<String>| {
            READ.contains(&words[0].as_str()) && !words.iter().any(|word| word.contains(['>', '$', '\'', '"']))
        };
        let commands: Vec<Vec<String>> = parts.iter().filter(|words| !reads(words)).cloned().collect();
        let forbidden = command.contains("rm -rf /");
        let permission = match (forbidden, commands.is_empty()) {
            (true, _) => Permission::Forbidden,
            (_, true) => Permission::Public,
            _ => Permission::Moderate,
        };
        let words = |word: &String| !word.starts_with('-') && word.contains('/');
        let places = parts.iter().flat_map(|part| part.iter().skip(1)).filter(|word| words(word));
        Analysis {
            permission,
            rule: if forbidden { "rm:root" } else { "stand-in" }.into(),
            why: "It is a stand-in that says so.".into(),
            steps: parts.iter().map(|words| format!("Runs {}.", words[0])).collect(),
            programs: parts.iter().map(|words| words[0].clone()).collect(),
            hosts: Vec::new(),
            places: places
                .map(|word| PlaceUse {
                    path: setting.cwd.join(word).display().to_string(),
                    access: Access::Read,
                    recursive: false,
                    glob: word.contains('*'),
                })
                .collect(),
            effects: if commands.is_empty() { Effects::READS } else { Effects::EXECUTES },
            needs_network: false,
            patterns: commands.first().map(|words| format!("{} *", words[0])).into_iter().collect(),
            commands,
        }
    }
}
