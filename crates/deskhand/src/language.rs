//! Which language people are spoken to in. English, or 简体中文.

use std::env;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Chinese,
}

impl Language {
    /// From the setting (`en`, `zh`, or `auto`: what the system speaks).
    pub fn choose(setting: &str) -> Self {
        let system = || {
            ["LC_ALL", "LC_MESSAGES", "LANG"]
                .into_iter()
                .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
                .unwrap_or_default()
        };
        let wanted = if setting == "auto" { system() } else { setting.to_owned() };
        if wanted.starts_with("zh") { Self::Chinese } else { Self::English }
    }

    /// As addresses and settings write it.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The text in this language.
    pub fn say<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self {
            Self::English => english,
            Self::Chinese => chinese,
        }
    }
}
