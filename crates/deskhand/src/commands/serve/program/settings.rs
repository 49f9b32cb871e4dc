//! The settings of a server that runs: shown, changed in the person's file, and taken over where that can be done at once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use deskhand_agent::Agent;
use deskhand_serve::http::{ApiError, SettingItem, SettingSource, SettingsAnswer, SettingsDesk, SourceKind};
use serde_json::Value;

use crate::{
    assemble::{App, config_file},
    cli::Shared,
    commands::connect,
    models::ConfiguredModels,
    settings::{self, Settings, Source, Unchanged},
};

/// The settings in force, and whom they concern.
pub struct LiveSettings {
    app: Arc<App>,
    shared: Shared,
    models: Arc<ConfiguredModels>,
    agent: Agent,
    now: RwLock<Arc<Settings>>,
    /// Held while the file is changed: two changes at once must not undo each other.
    changing: Mutex<()>,
}

/// Whether a setting counts from the next turn on. Others count when the server starts anew.
fn is_live(key: &str) -> bool {
    matches!(key, "model" | "fallback_model" | "instructions" | "mode" | "language")
        || key.starts_with("chain.")
        || key.starts_with("providers.")
}

impl LiveSettings {
    pub fn new(app: Arc<App>, shared: Shared, models: Arc<ConfiguredModels>, agent: Agent) -> Self {
        let now = RwLock::new(Arc::new(app.settings.clone()));
        Self { app, shared, models, agent, now, changing: Mutex::default() }
    }

    pub fn now(&self) -> Arc<Settings> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn take_over(&self, settings: Settings) {
        self.models.set_settings(&settings);
        self.agent.set_options(connect::options(&settings));
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
    }

    fn read(&self) -> Result<Settings, ApiError> {
        self.app.settings_now(&self.shared).map_err(|error| {
            ApiError::conflict("bad_config", format!("{error:#}")).hint("Mend the file, then try again.")
        })
    }

    fn answer(&self, settings: &Settings) -> SettingsAnswer {
        let started = &self.app.settings;
        let value = |settings: &Settings, key: &str| settings.all().get(key).map(|set| set.value.clone());
        let mut keys: Vec<&String> = settings.all().keys().chain(started.all().keys()).collect();
        keys.sort();
        keys.dedup();
        let restart_needed = keys
            .into_iter()
            .filter(|key| !is_live(key) && value(settings, key) != value(started, key))
            .cloned()
            .collect();
        let shown = settings.without_secrets();
        let ignored = shown.ignored.iter().map(|ignored| format!("{}: {}", ignored.key, ignored.why));
        SettingsAnswer {
            warnings: shown.warnings.iter().cloned().chain(ignored).collect(),
            restart_needed,
            settings: shown
                .all()
                .iter()
                .map(|(key, setting)| SettingItem {
                    key: key.clone(),
                    value: setting.value.clone(),
                    default: Settings::default_of(key),
                    source: source(&setting.source),
                    about: setting.about.to_owned(),
                })
                .collect(),
        }
    }
}

impl SettingsDesk for LiveSettings {
    fn settings(&self) -> Result<SettingsAnswer, ApiError> {
        Ok(self.answer(&self.read()?))
    }

    fn change(&self, changes: &BTreeMap<String, Value>) -> Result<SettingsAnswer, ApiError> {
        let file = config_file(&self.shared)
            .ok_or_else(|| ApiError::conflict("no_home", "there is no home folder to keep a config in"))?;
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        settings::change(&file, changes).map_err(|unchanged| match unchanged {
            Unchanged::Wrong(wrong) => {
                ApiError::invalid(format!("nothing was changed: {}", wrong.join("; ")))
            }
            Unchanged::Broken(why) => ApiError::conflict("bad_config", why),
        })?;
        let settings = self.read()?;
        let mut answer = self.answer(&settings);
        for (key, value) in changes {
            let Some(set) = settings.all().get(key) else { continue };
            let is_overruled = !matches!(set.source, Source::File { .. } | Source::Default);
            if is_overruled && !value.is_null() && set.value != *value {
                answer.warnings.push(format!("{key} stands in the file now, but {} counts more", set.source));
            }
        }
        self.take_over(settings);
        Ok(answer)
    }
}

fn source(source: &Source) -> SettingSource {
    let plain = |from| SettingSource { from, path: None, variable: None, flag: None };
    match source {
        Source::Default => plain(SourceKind::Default),
        Source::File { path } => {
            SettingSource { path: Some(path.display().to_string()), ..plain(SourceKind::File) }
        }
        Source::Workspace { path } => {
            SettingSource { path: Some(path.display().to_string()), ..plain(SourceKind::Workspace) }
        }
        Source::Environment { variable } => {
            SettingSource { variable: Some(variable.clone()), ..plain(SourceKind::Environment) }
        }
        Source::Flag { flag } => SettingSource { flag: Some((*flag).to_owned()), ..plain(SourceKind::Flag) },
    }
}
