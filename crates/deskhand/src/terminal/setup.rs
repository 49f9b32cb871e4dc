//! First steps: a key for a provider, typed by the person and kept where only they can read it.

use anyhow::Result;
use deskhand_agent::provider::{
    Key,
    presets::{Preset, presets},
};

use super::input::{ask_line, ask_secret};
use crate::{assemble::App, language::Language, models::ConfiguredModels};

/// Asks for a provider and a key, and keeps the key. The model to talk to then; `None` if the person thought better of it.
pub async fn enter_key(app: &App) -> Result<Option<String>> {
    let keys = ConfiguredModels::new(&app.settings, app.config_dir.clone()).keys().clone();
    let asked = keys.clone();
    let has_keyring = tokio::task::spawn_blocking(move || asked.check_keyring().is_ok()).await?;
    let place = match (has_keyring, keys.file()) {
        (true, _) => app.language.say("the system's keyring", "系统密钥环").to_owned(),
        (false, Some(file)) => file.display().to_string(),
        (false, None) => anyhow::bail!("there is no home folder to keep a key in"),
    };
    let usable = |preset: &&Preset| preset.needs_key && preset.default_model.is_some();
    let providers: Vec<&Preset> = presets().providers.iter().filter(usable).collect();
    let mut list = String::new();
    for (n, preset) in providers.iter().enumerate() {
        list.push_str(&format!("  {}. {}\n", n + 1, preset.title));
    }
    let prompt = app.language.say("Whose key (number; empty: go back): ", "哪一家（编号；留空返回）：");
    let chosen = loop {
        let Some(word) = ask_line(&format!("{list}{prompt}")).await else { return Ok(None) };
        if word.trim().is_empty() {
            return Ok(None);
        }
        let number = word.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        if let Some(preset) = number.and_then(|n| providers.get(n)) {
            break preset;
        }
    };
    let prompt = match app.language {
        Language::English => {
            format!("The key is kept in {place}, readable by you alone. Key (not shown; empty: go back): ")
        }
        Language::Chinese => {
            format!("密钥将保存在{place}，只有你可以读取。密钥（不显示；留空返回）：")
        }
    };
    let Some(key) = ask_secret(&prompt).await.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
    else {
        return Ok(None);
    };
    let provider = chosen.name.clone();
    tokio::task::spawn_blocking(move || keys.keep(&provider, &Key::new(key), None)).await??;
    Ok(chosen.default_model.as_ref().map(|model| format!("{}/{model}", chosen.name)))
}
