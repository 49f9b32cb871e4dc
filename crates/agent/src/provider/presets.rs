//! What is known beforehand of providers and models: addresses, variables, abilities, prices. The data is in
//! `presets.toml`.

use std::sync::OnceLock;

use deskhand_core::session::Usage;
use serde::Deserialize;

use super::openai::MaxTokensField;

/// All of `presets.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Presets {
    #[serde(rename = "provider")]
    pub providers: Vec<Preset>,
    #[serde(rename = "model")]
    pub models: Vec<ModelPreset>,
}

/// One provider.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// What stands before the slash in `PROVIDER/NAME`.
    pub name: String,
    /// What people call it.
    pub title: String,
    #[serde(default)]
    pub api: Api,
    /// Empty: it must be given.
    #[serde(default)]
    pub base_url: String,
    /// The first that is set is taken.
    #[serde(default)]
    pub key_variables: Vec<String>,
    #[serde(default)]
    pub base_url_variables: Vec<String>,
    #[serde(default)]
    pub needs_key: bool,
    #[serde(default = "yes")]
    pub native_tools: bool,
    /// Whether it takes a JSON schema for the answer.
    #[serde(default)]
    pub constrains: bool,
    #[serde(default)]
    pub images: bool,
    /// The context of a model that is not listed.
    pub context_tokens: u64,
    #[serde(default)]
    pub default_model: Option<String>,
    /// The page on which a person gets a key.
    #[serde(default)]
    pub key_url: Option<String>,
    /// The command that starts a server on this machine.
    #[serde(default)]
    pub start: Option<String>,
    /// The command that gets a first model.
    #[serde(default)]
    pub pull: Option<String>,
    #[serde(default)]
    pub(crate) max_tokens_field: MaxTokensField,
    /// Whether it wants the thoughts of the turn under way back.
    #[serde(default)]
    pub(crate) thoughts_back: bool,
}

fn yes() -> bool {
    true
}

/// Which wire is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    #[default]
    OpenAi,
    Anthropic,
}

/// One model that is known by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPreset {
    pub provider: String,
    pub name: String,
    /// Absent: the server decides.
    #[serde(default)]
    pub context_tokens: Option<u64>,
    #[serde(default)]
    pub images: Option<bool>,
    #[serde(default)]
    pub price: Option<Price>,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    pub output: f64,
    /// Input that the server had in its cache. Absent: as other input.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Input that the server took into its cache. Absent: as other input.
    #[serde(default)]
    pub cache_written: Option<f64>,
}

/// Tokens by what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All of the input, cached or not.
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub cache_written: u64,
}

impl Counts {
    pub fn usage(self, price: Option<Price>) -> Usage {
        Usage {
            input_tokens: self.input,
            output_tokens: self.output,
            cached_tokens: self.cached,
            cost: price.map(|price| price.cost(self)),
        }
    }
}

impl Price {
    #[allow(clippy::cast_precision_loss)] // counts of tokens are far below 2^52
    fn cost(self, counts: Counts) -> f64 {
        let fresh = counts.input.saturating_sub(counts.cached).saturating_sub(counts.cache_written);
        let dollars = fresh as f64 * self.input
            + counts.output as f64 * self.output
            + counts.cached as f64 * self.cached.unwrap_or(self.input)
            + counts.cache_written as f64 * self.cache_written.unwrap_or(self.input);
        dollars / 1e6
    }
}

/// The data that is built in.
pub fn presets() -> &'static Presets {
    static PRESETS: OnceLock<Presets> = OnceLock::new();
    // A test reads the file, so it can be read; a program without presets would still know `custom`.
    PRESETS.get_or_init(|| toml::from_str(include_str!("presets.toml")).unwrap_or_default())
}

impl Presets {
    pub fn provider(&self, name: &str) -> Option<&Preset> {
        self.providers.iter().find(|preset| preset.name == name)
    }

    /// The model of that name, or the one of which it is a dated version (`NAME-20250101`, `NAME-latest`) or a size (`NAME:8b`).
    pub fn model(&self, provider: &str, name: &str) -> Option<&ModelPreset> {
        let of_provider = self.models.iter().filter(|model| model.provider == provider);
        of_provider.filter(|model| is_version(name, &model.name)).max_by_key(|model| model.name.len())
    }
}

fn is_version(name: &str, known: &str) -> bool {
    let Some(rest) = name.strip_prefix(known) else { return false };
    let Some(version) = rest.strip_prefix('-') else { return rest.is_empty() || rest.starts_with(':') };
    let is_date = version.len() >= 4 && version.chars().all(|c| c.is_ascii_digit() || c == '-');
    is_date || version == "latest" || version == "preview"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_can_be_read_and_hangs_together() {
        let presets: Presets = toml::from_str(include_str!("presets.toml")).unwrap();
        for name in [
            "openai",
            "zhipu",
            "deepseek",
            "qwen",
            "moonshot",
            "openrouter",
            "gemini",
            "ollama",
            "llamacpp",
            "vllm",
            "lmstudio",
            "anthropic",
            "custom",
        ] {
            let preset = presets.provider(name).unwrap_or_else(|| panic!("{name} is missing"));
            if name != "custom" {
                let url: reqwest::Url = preset.base_url.parse().unwrap();
                assert!(url.scheme() == "https" || super::super::http::is_local(&url), "{name}: {url}");
            }
            assert!(preset.context_tokens >= 4096, "{name}");
            assert!(!preset.needs_key || !preset.key_variables.is_empty(), "{name}");
            let key_page = preset.key_url.as_ref().map(|page| page.parse::<reqwest::Url>().unwrap());
            assert_eq!(key_page.is_some_and(|page| page.scheme() == "https"), preset.needs_key, "{name}");
            let is_here = preset.base_url.starts_with("http://");
            assert_eq!(preset.start.is_some(), is_here, "{name}");
        }
        for model in &presets.models {
            assert!(presets.provider(&model.provider).is_some(), "{}: {}", model.provider, model.name);
            if let Some(price) = model.price {
                assert!(price.input > 0.0 && price.output >= price.input, "{}", model.name);
                assert!(price.cached.is_none_or(|cached| cached <= price.input), "{}", model.name);
            }
        }
        for preset in &presets.providers {
            if let Some(model) = &preset.default_model {
                let known = presets.model(&preset.name, model);
                assert!(known.is_some_and(|known| known.context_tokens.is_some()), "{}/{model}", preset.name);
            }
        }
    }

    #[test]
    fn versions_of_a_model_are_known() {
        for (name, known, want) in [
            ("gpt-5", "gpt-5", true),
            ("gpt-5-2025-08-07", "gpt-5", true),
            ("gpt-5-mini", "gpt-5", false),
            ("gpt-5.1", "gpt-5", false),
            ("llava:13b", "llava", true),
            ("llava-llama3:8b", "llava", false),
            ("qwen-plus-latest", "qwen-plus", true),
            ("claude-sonnet-4-5", "claude-sonnet-4", false),
            ("claude-sonnet-4-20250514", "claude-sonnet-4", true),
        ] {
            assert_eq!(is_version(name, known), want, "{name}");
        }
    }

    #[test]
    fn cost_counts_each_kind_of_token() {
        let price = Price { input: 2.0, output: 10.0, cached: Some(0.5), cache_written: None };
        let counts = Counts { input: 1_000_000, output: 100_000, cached: 400_000, cache_written: 100_000 };
        let usage = counts.usage(Some(price));
        assert!((usage.cost.unwrap() - (1.0 + 1.0 + 0.2 + 0.2)).abs() < 1e-9, "{usage:?}");
        assert_eq!(counts.usage(None).cost, None);
        let odd = Counts { input: 1, cached: 5, ..Counts::default() }.usage(Some(price));
        assert!(odd.cost.unwrap() >= 0.0);
    }
}
