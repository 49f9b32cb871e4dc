//! First steps: a key for a provider, typed by the person and kept where only they can read it.

use std::{fs, io, path::Path};

use anyhow::{Context, Result, anyhow};
use deskhand_agent::provider::presets::{Preset, presets};

use super::input::{ask_line, ask_secret};
use crate::{assemble::App, private_file};

/// Asks for a provider and a key, and keeps the key. The model to talk to then; `None` if the person thought better of it.
pub async fn enter_key(app: &App) -> Result<Option<String>> {
    let Some(folder) = &app.config_dir else { anyhow::bail!("there is no home folder to keep a key in") };
    let file = folder.join("keys.toml");
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
    let where_to = file.display();
    let prompt = match app.language {
        crate::language::Language::English => {
            format!("The key is kept in {where_to}, readable by you alone. Key (not shown; empty: go back): ")
        }
        crate::language::Language::Chinese => {
            format!("密钥将保存在 {where_to}，只有你可以读取。密钥（不显示；留空返回）：")
        }
    };
    let Some(key) = ask_secret(&prompt).await.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty())
    else {
        return Ok(None);
    };
    keep(&file, &chosen.name, &key)?;
    Ok(chosen.default_model.as_ref().map(|model| format!("{}/{model}", chosen.name)))
}

/// Writes the key into the file, beside those of others. The file is whole at every moment, and never readable by others.
fn keep(file: &Path, provider: &str, key: &str) -> Result<()> {
    let action = || format!("cannot keep the key in {}", file.display());
    let mut table: toml::Table = match fs::read_to_string(file) {
        // The parser's message shows the line that is wrong, and with it a key: only the place is told.
        Ok(text) => text.parse().map_err(|error: toml::de::Error| {
            let line = crate::settings::line_of(&text, &error);
            anyhow!("{} is not valid TOML in line {line}: mend it first", file.display())
        })?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => toml::Table::new(),
        Err(error) => return Err(error).with_context(action),
    };
    table.insert(provider.to_owned(), toml::Value::String(key.to_owned()));
    private_file::write(file, &table.to_string()).with_context(action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_beside_others_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config/keys.toml");
        keep(&file, "openai", "sk-one").unwrap();
        keep(&file, "zhipu", "two").unwrap();
        keep(&file, "openai", "sk-three").unwrap();
        let table: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
        assert_eq!((table["openai"].as_str(), table["zhipu"].as_str()), (Some("sk-three"), Some("two")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        fs::write(&file, "not toml [").unwrap();
        assert!(keep(&file, "openai", "x").unwrap_err().to_string().contains("mend it first"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "not toml [", "nothing is lost");
    }

    #[test]
    fn a_broken_file_is_named_without_the_keys_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys.toml");
        for broken in ["zhipu = \"a\"\nopenai = \"opensesame\n", "zhipu = \"a\"\nopenai = opensesame\n"] {
            fs::write(&file, broken).unwrap();
            let error = format!("{:?}", keep(&file, "openai", "x").unwrap_err());
            assert!(error.contains("keys.toml") && error.contains("line 2"), "{error}");
            assert!(!error.contains("opensesame"), "{error}");
        }
    }
}
