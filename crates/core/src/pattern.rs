//! Patterns of commands: `git push origin *`. What a remembered answer, or a list in the settings, is about.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Words, the last of which may be `*`: any further words, also none. A pattern always names a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct CommandPattern {
    words: Vec<String>,
    and_more: bool,
}

impl CommandPattern {
    const MORE: &str = "*";

    /// Whether a simple command, as its words, is one of these.
    pub fn matches(&self, command: &[String]) -> bool {
        command.starts_with(&self.words) && (self.and_more || command.len() == self.words.len())
    }

    /// The program, where the pattern takes it with any arguments.
    pub fn whole_program(&self) -> Option<&str> {
        match self.words.as_slice() {
            [program] if self.and_more => Some(program),
            _ => None,
        }
    }
}

impl FromStr for CommandPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let and_more = words.last().is_some_and(|word| word == Self::MORE);
        if and_more {
            words.pop();
        }
        if words.is_empty() || words.iter().any(|word| word == Self::MORE) {
            return Err(format!(
                "«{text}» is no pattern of a command: it is words, the first of which names the program, and only the \
                 last may be *"
            ));
        }
        Ok(Self { words, and_more })
    }
}

impl TryFrom<String> for CommandPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<CommandPattern> for String {
    fn from(pattern: CommandPattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))?;
        if self.and_more { write!(f, " {}", Self::MORE) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(command: &str) -> Vec<String> {
        command.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn words_and_a_star_at_the_end() {
        for (pattern, command, matches) in [
            ("git push origin *", "git push origin main", true),
            ("git push origin *", "git push origin main --tags", true),
            ("git push origin *", "git push origin", true),
            ("git push origin *", "git push", false),
            ("git push origin *", "git push originx", false),
            ("git push origin *", "git push upstream main", false),
            ("cargo test", "cargo test", true),
            ("cargo test", "cargo test -q", false),
            ("cargo *", "cargo", true),
            ("cargo *", "cargo2 x", false),
        ] {
            let parsed: CommandPattern = pattern.parse().unwrap();
            assert_eq!(parsed.matches(&words(command)), matches, "{pattern}: {command}");
        }
        // A star that was an argument is a word like any other.
        assert!(!"rm a".parse::<CommandPattern>().unwrap().matches(&words("rm *")));
    }

    #[test]
    fn what_names_no_program_is_no_pattern() {
        for bad in ["", "  ", "*", "* *", "* push", "git * origin", "git * *"] {
            assert!(bad.parse::<CommandPattern>().is_err(), "{bad:?}");
            assert!(serde_json::from_value::<CommandPattern>(bad.into()).is_err(), "{bad:?}");
        }
        let pattern: CommandPattern = serde_json::from_value("git  push *".into()).unwrap();
        assert_eq!(serde_json::to_value(&pattern).unwrap(), "git push *");
        assert_eq!(pattern.whole_program(), None);
        assert_eq!("git *".parse::<CommandPattern>().unwrap().whole_program(), Some("git"));
    }
}
