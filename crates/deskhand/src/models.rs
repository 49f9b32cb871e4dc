//! Which model is talked to: what was chosen, whose key is there, or what answers on this machine.

mod draft;

use std::{
    collections::HashMap,
    env,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::SystemTime,
};

use deskhand_agent::{
    Models,
    provider::{
        ConnectOptions, Constrains, Discreet, ErrorClass, Fallback, KeySource, KeyStore, ModelName, Provider,
        ProviderError, RetryPolicy, connect,
        discover::{FoundModel, Look},
        presets::{Preset, presets},
    },
};
use deskhand_core::session::Session;
use serde_json::Value;

use crate::{
    demo::model::{self as demo, DemoModel},
    recently_used::RecentlyUsed,
    settings::Settings,
};

/// The models that can be had here.
pub struct ConfiguredModels {
    settings: RwLock<Arc<Settings>>,
    keys: KeyStore,
    /// The file of keys as it was when models were connected last: how large, and since when.
    keys_seen: Mutex<Option<(SystemTime, u64)>>,
    /// The model whose provider has a key, once it was looked for: asking a keyring may take its time.
    by_key: Mutex<ByKey>,
    /// What answers on this machine, once it was looked for.
    found: Mutex<Option<Vec<FoundModel>>>,
    /// Those that were connected before: their connections, and which of their keys rest, are worth keeping.
    connected: Mutex<RecentlyUsed<String, Arc<dyn Provider>>>,
    /// Those that follow a script or a recording: each stays where it is in its story.
    stories: Mutex<HashMap<String, Arc<dyn Provider>>>,
}

/// How many connected models are kept; anybody may name any.
const MOST_CONNECTED: usize = 32;

/// Which model there is a key for.
#[derive(Clone, Default)]
enum ByKey {
    #[default]
    NotLookedFor,
    Looked(Option<Chosen>),
}

/// Why this model and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A setting, a variable or a flag names it.
    BySetting(String),
    /// There is a key for its provider.
    ByKey(String),
    /// It answers on this machine.
    OnThisMachine(String),
}

impl Chosen {
    pub fn name(&self) -> &str {
        match self {
            Self::BySetting(name) | Self::ByKey(name) | Self::OnThisMachine(name) => name,
        }
    }
}

impl ConfiguredModels {
    pub fn new(settings: &Settings, config_dir: Option<PathBuf>) -> Self {
        Self {
            settings: RwLock::new(Arc::new(settings.clone())),
            keys: KeyStore::new(Some(Arc::default()), config_dir.map(|folder| folder.join("keys.toml"))),
            keys_seen: Mutex::default(),
            by_key: Mutex::default(),
            found: Mutex::new(None),
            connected: Mutex::new(RecentlyUsed::at_most(MOST_CONNECTED)),
            stories: Mutex::default(),
        }
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes other settings over, from the next turn on.
    pub fn set_settings(&self, settings: &Settings) {
        *self.settings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings.clone());
        self.connect_anew();
    }

    /// Lets go of connections: an address or a key may be another now. A script stays where it is in its story.
    pub fn connect_anew(&self) {
        *self.by_key.lock().unwrap_or_else(PoisonError::into_inner) = ByKey::NotLookedFor;
        self.connected.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A key may have been entered since, here or in a terminal.
    fn look_at_the_keys(&self) {
        let file = self.keys.file().and_then(|file| file.metadata().ok());
        let now = file.and_then(|file| Some((file.modified().ok()?, file.len())));
        let before =
            std::mem::replace(&mut *self.keys_seen.lock().unwrap_or_else(PoisonError::into_inner), now);
        if before != now {
            self.connect_anew();
        }
    }

    /// Where keys are kept.
    pub fn keys(&self) -> &KeyStore {
        &self.keys
    }

    /// The usual model, if there is one without looking on this machine.
    pub fn configured(&self) -> Option<Chosen> {
        if let Some(name) = self.settings().model() {
            return Some(Chosen::BySetting(name.to_owned()));
        }
        self.look_at_the_keys();
        if let ByKey::Looked(chosen) = &*self.by_key.lock().unwrap_or_else(PoisonError::into_inner) {
            return chosen.clone();
        }
        let mut providers = presets().providers.iter();
        let with_key = providers.find(|preset| preset.default_model.is_some() && self.has_key(preset));
        let chosen = with_key.map(|preset| {
            let model = preset.default_model.as_deref().unwrap_or_default();
            Chosen::ByKey(format!("{}/{model}", preset.name))
        });
        *self.by_key.lock().unwrap_or_else(PoisonError::into_inner) = ByKey::Looked(chosen.clone());
        chosen
    }

    /// The usual model; servers on this machine are looked for where nothing else is said.
    pub async fn usual(&self) -> Option<Chosen> {
        if let Some(chosen) = self.configured() {
            return Some(chosen);
        }
        let found = Look::usual(&self.options(None)).find().await;
        let first = found.first().map(|found| Chosen::OnThisMachine(found.name.to_string()));
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        first
    }

    /// The usual model as far as it is known without looking again.
    pub fn usual_so_far(&self) -> Option<String> {
        let found = || {
            let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.iter().flatten().next().map(|found| found.name.to_string())
        };
        self.configured().map(|chosen| chosen.name().to_owned()).or_else(found)
    }

    /// Looks for servers on this machine.
    pub async fn look(&self) {
        let found = Look::usual(&self.options(None)).find().await;
        *self.found.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
    }

    /// The models that can be named: those on this machine, and the well-known ones of providers whose key is there.
    pub async fn all(&self) -> Vec<String> {
        self.look().await;
        self.all_so_far()
    }

    /// The same without looking on this machine again.
    pub fn all_so_far(&self) -> Vec<String> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        let mut names: Vec<String> = found.iter().map(|found| found.name.to_string()).collect();
        for preset in presets().providers.iter().filter(|preset| self.has_key(preset)) {
            let known = presets().models.iter().filter(|model| model.provider == preset.name);
            names.extend(known.map(|model| format!("{}/{}", preset.name, model.name)));
        }
        names
    }

    fn has_key(&self, preset: &Preset) -> bool {
        preset.needs_key && self.key_source(preset).is_some()
    }

    /// Where the key of a provider comes from.
    pub fn key_source(&self, preset: &Preset) -> Option<KeySource> {
        self.keys.source(preset, &|name| env::var(name).ok())
    }

    /// A model to be tried out: nothing that is kept of it is used, and it is asked once.
    pub fn fresh(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        self.connect_with(name, RetryPolicy { tries: 1, ..RetryPolicy::default() })
    }

    /// What is set for a provider, beside what it is known for.
    pub fn options(&self, provider: Option<&str>) -> ConnectOptions {
        let set = provider.map(|name| self.settings().provider(name)).unwrap_or_default();
        let text = |name: &str| set.get(name).and_then(Value::as_str).map(str::to_owned);
        let flag = |name: &str| set.get(name).and_then(Value::as_bool);
        ConnectOptions {
            base_url: text("base_url"),
            key_store: self.keys.clone(),
            extra: set.get("extra").and_then(Value::as_object).cloned().unwrap_or_default(),
            headers: set
                .get("headers")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
                .collect(),
            context_tokens: set.get("context_tokens").and_then(Value::as_u64),
            native_tools: flag("native_tools"),
            constrains: flag("constrains").map(Constrains::from),
            images: flag("images"),
            record: env::var_os("DESKHAND_RECORD").filter(|path| !path.is_empty()).map(PathBuf::from),
            ..ConnectOptions::from_env()
        }
    }

    fn one(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        self.look_at_the_keys();
        if name.starts_with("scripted/") || name.starts_with("replay/") {
            let mut stories = self.stories.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(provider) = stories.get(name) {
                return Ok(Arc::clone(provider));
            }
            let provider = self.connect_with(name, RetryPolicy::default())?;
            stories.insert(name.to_owned(), Arc::clone(&provider));
            return Ok(provider);
        }
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider) = connected.get(name) {
            return Ok(Arc::clone(provider));
        }
        let provider = self.connect_with(name, RetryPolicy::default())?;
        connected.insert(name.to_owned(), Arc::clone(&provider));
        Ok(provider)
    }

    fn connect_with(&self, name: &str, retry: RetryPolicy) -> Result<Arc<dyn Provider>, ProviderError> {
        let name = ModelName::parse(name)?;
        let mut options = ConnectOptions { retry, ..self.options(Some(&name.provider)) };
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = found.iter().flatten().find(|found| found.name == name) {
            found.fill(&mut options);
        }
        connect(&name, &options)
    }
}

impl Models for ConfiguredModels {
    fn connect(&self, name: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        let settings = self.settings();
        let named = name.or(settings.model()).map(str::to_owned);
        let Some(name) = named.or_else(|| self.usual_so_far()) else { return Err(no_model()) };
        let first = self.one(&name)?;
        match settings.fallback_model() {
            Some(second) if second != name => Ok(Arc::new(Fallback::new(first, self.one(second)?))),
            _ => Ok(first),
        }
    }

    fn connect_for(&self, session: &Session, name: Option<&str>) -> Result<Arc<dyn Provider>, ProviderError> {
        match name.and_then(demo::language_of) {
            Some(language) if session.metadata.demo => Ok(Arc::new(DemoModel::new(language)?)),
            _ => match (self.connect(name), &session.owner) {
                (connected, None) => connected,
                (Ok(model), Some(_)) => Ok(Arc::new(Discreet(model))),
                (Err(error), Some(_)) => Err(error.for_others()),
            },
        }
    }
}

/// What is said where there is nobody to talk to.
pub fn no_model() -> ProviderError {
    ProviderError::new(ErrorClass::NoSuchModel, "There is no model to talk to.").hint(
        "Run `deskhand setup`, or set a key (for instance OPENAI_API_KEY, ANTHROPIC_API_KEY, ZHIPU_API_KEY or DEEPSEEK_API_KEY), start a server on \
         this machine (Ollama, llama.cpp, vLLM, LM Studio), or name one with --model PROVIDER/NAME. `deskhand demo` needs none.",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn so_many_connections_are_kept_and_every_story() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script.toml");
        fs::write(&script, "[[replies]]\ntext = \"x\"\n").unwrap();
        let script = format!("scripted/{}", script.display());
        let models = ConfiguredModels::new(&Settings::default(), None);
        let (story, first) = (models.one(&script).unwrap(), models.one("ollama/first").unwrap());
        assert!(Arc::ptr_eq(&first, &models.one("ollama/first").unwrap()), "it is kept");
        for n in 0..MOST_CONNECTED {
            models.one(&format!("ollama/model-{n}")).unwrap();
        }
        assert!(!Arc::ptr_eq(&first, &models.one("ollama/first").unwrap()), "it had to make room");
        models.connect_anew();
        assert!(Arc::ptr_eq(&story, &models.one(&script).unwrap()), "a story goes on");
    }
}
