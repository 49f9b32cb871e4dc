//! First steps in the terminal: provider, address, key and model, each tried before anything is saved.

use std::{collections::BTreeMap, io::Write as _};

use anyhow::{Context, Result};
use deskhand_agent::provider::{
    Key, Problem, ProviderError,
    presets::{Preset, presets},
    trial::{self, Draft, StoredKey},
};
use serde_json::Value;

use super::{
    input::{ask_line, ask_secret},
    problem_words::{Subject, problem_words},
    safe_line,
};
use crate::{
    assemble::{App, config_file},
    cli::{SetupArgs, Shared},
    language::Language,
    models::ConfiguredModels,
    settings::{self, Unchanged},
};

/// How many models are shown at a time.
const SHOWN: usize = 15;

/// Asks for all that a model needs, tries it, and saves it. The model to talk to then; `None`: nothing was saved.
pub async fn set_up(app: &App, shared: &Shared, wanted: &SetupArgs) -> Result<Option<String>> {
    let models = ConfiguredModels::new(&app.settings, app.config_dir.clone());
    let setup = Setup { app, shared, models, language: app.language };
    let Some(preset) = setup.choose_provider(wanted.provider.as_deref()).await? else { return Ok(None) };
    let mut draft = Draft {
        provider: preset.name.clone(),
        address: wanted.address.clone(),
        key: None,
        stored_key: StoredKey::default(),
    };
    // A server of one's own may be anywhere; the others are where they are.
    if draft.address.is_none() && !preset.needs_key && !setup.ask_address(preset, &mut draft).await {
        return Ok(None);
    }
    let is_local = preset.start.is_some();
    if !is_local && !setup.ask_key(preset, &mut draft).await {
        return Ok(None);
    }
    setup.try_and_save(preset, draft).await
}

struct Setup<'a> {
    app: &'a App,
    shared: &'a Shared,
    models: ConfiguredModels,
    language: Language,
}

/// What to do about a problem.
enum Next {
    Again,
    Address,
    Key,
    StoredKey,
    Model,
    Save,
    Quit,
}

/// Whether a model has been named by the time something fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Listing,
    Testing,
}

impl Setup<'_> {
    async fn choose_provider(&self, named: Option<&str>) -> Result<Option<&'static Preset>> {
        if let Some(name) = named {
            let names: Vec<&str> = presets().providers.iter().map(|preset| preset.name.as_str()).collect();
            let unknown = || format!("there is no provider {name:?}; providers: {}", names.join(", "));
            return Ok(Some(presets().provider(name).with_context(unknown)?));
        }
        let providers = &presets().providers;
        let mut list = String::new();
        for (n, preset) in providers.iter().enumerate() {
            let title = match (self.language, preset.name.as_str()) {
                (Language::Chinese, "custom") => "自定义 OpenAI 兼容服务",
                _ => preset.title.as_str(),
            };
            list.push_str(&format!("  {:>2}. {title}\n", n + 1));
        }
        let prompt = self.language.say("Provider (number; empty: go back): ", "服务商（编号；留空返回）：");
        loop {
            let Some(word) = ask_line(&format!("{list}{prompt}")).await else { return Ok(None) };
            let word = word.trim();
            if word.is_empty() {
                return Ok(None);
            }
            let number = word.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let named = || presets().provider(&word.to_lowercase());
            if let Some(preset) = number.and_then(|n| providers.get(n)).or_else(named) {
                return Ok(Some(preset));
            }
        }
    }

    /// `false`: the person thought better of it.
    async fn ask_address(&self, preset: &Preset, draft: &mut Draft) -> bool {
        let usual = draft.address.clone().or(self.models.address(preset).map(|url| url.to_string()));
        let prompt = match (self.language, &usual) {
            (Language::English, Some(usual)) => format!("Address of the server [{usual}]: "),
            (Language::English, None) => {
                "Address of the server, such as http://127.0.0.1:8080/v1 (empty: go back): ".to_owned()
            }
            (Language::Chinese, Some(usual)) => format!("服务地址 [{usual}]："),
            (Language::Chinese, None) => "服务地址，例如 http://127.0.0.1:8080/v1（留空返回）：".to_owned(),
        };
        let Some(typed) = ask_line(&prompt).await else { return false };
        match typed.trim() {
            "" => usual.is_some(),
            address => {
                draft.address = Some(address.to_owned());
                // A key that was typed for another address is not for this one.
                draft.key = None;
                draft.stored_key = StoredKey::default();
                true
            }
        }
    }

    /// `false`: the person thought better of it.
    async fn ask_key(&self, preset: &Preset, draft: &mut Draft) -> bool {
        let has_key = tokio::task::block_in_place(|| self.models.key_source(preset)).is_some();
        let may_be_empty = has_key || !preset.needs_key;
        let mut prompt = String::new();
        if let Some(page) = &preset.key_url {
            prompt.push_str(&match self.language {
                Language::English => format!("Get a key: {page}\n"),
                Language::Chinese => format!("获取密钥：{page}\n"),
            });
        }
        prompt.push_str(&self.where_kept());
        prompt.push_str(match (has_key, may_be_empty) {
            (true, _) => self
                .language
                .say("Key (not shown; empty: the stored one): ", "密钥（不显示；留空使用已保存的密钥）："),
            (false, true) => {
                self.language.say("Key (not shown; empty: none): ", "密钥（不显示；留空表示不需要）：")
            }
            (false, false) => {
                self.language.say("Key (not shown; empty: go back): ", "密钥（不显示；留空返回）：")
            }
        });
        loop {
            let Some(key) = ask_secret(&prompt).await else { return false };
            let key = key.trim();
            if key.is_empty() {
                return may_be_empty;
            }
            if key.chars().all(|c| c.is_ascii_graphic()) {
                draft.key = Some(Key::new(key));
                return true;
            }
            note(self.language.say(
                "A key has no blanks and no such characters: was it copied whole?",
                "密钥中不应有空格或特殊字符，是否完整复制？",
            ));
        }
    }

    fn where_kept(&self) -> String {
        let keys = self.models.keys();
        let has_keyring = tokio::task::block_in_place(|| keys.check_keyring().is_ok());
        let place = match (has_keyring, keys.file()) {
            (true, _) => self.language.say("the system's keyring", "系统密钥环").to_owned(),
            (false, Some(file)) => file.display().to_string(),
            (false, None) => return String::new(),
        };
        match self.language {
            Language::English => format!("A key is kept in {place}, readable by you alone.\n"),
            Language::Chinese => format!("密钥将保存在{place}，只有你可以读取。\n"),
        }
    }

    async fn try_and_save(&self, preset: &Preset, mut draft: Draft) -> Result<Option<String>> {
        let mut model: Option<String> = None;
        loop {
            let (next, stage) = match &model {
                None => match self.list(preset, &draft).await {
                    Ok(names) => match self.pick(preset, &names).await {
                        Some(name) => {
                            model = Some(name);
                            continue;
                        }
                        None => return Ok(None),
                    },
                    Err(error) => {
                        (self.ask_next(preset, &draft, "", &error, Stage::Listing).await, Stage::Listing)
                    }
                },
                Some(name) => match self.test(preset, &draft, name).await {
                    Ok(()) => (Next::Save, Stage::Testing),
                    Err(error) => {
                        (self.ask_next(preset, &draft, name, &error, Stage::Testing).await, Stage::Testing)
                    }
                },
            };
            match (next, stage) {
                (Next::Again, _) => {}
                (Next::Quit, _) => return Ok(None),
                (Next::Save, _) => match self.save(&draft, model.as_deref().unwrap_or_default()) {
                    Ok(whole) => return Ok(Some(whole)),
                    Err(error) => {
                        note(&format!("{error:#}"));
                        return Ok(None);
                    }
                },
                (Next::Address, _) => {
                    self.ask_address(preset, &mut draft).await;
                    model = None;
                }
                (Next::Key, _) => {
                    self.ask_key(preset, &mut draft).await;
                }
                (Next::StoredKey, _) => draft.stored_key = StoredKey::GoesAlong,
                (Next::Model, Stage::Testing) => model = None,
                (Next::Model, Stage::Listing) => {
                    let prompt = self.language.say("Name of the model: ", "模型名称：");
                    let typed = ask_line(prompt).await.map(|name| name.trim().to_owned());
                    model = typed.filter(|name| !name.is_empty());
                }
            }
        }
    }

    async fn list(&self, preset: &Preset, draft: &Draft) -> Result<Vec<String>, ProviderError> {
        let host = self.host(preset, draft);
        note(&match self.language {
            Language::English => format!("Asking {host} for its models…"),
            Language::Chinese => format!("正在向 {host} 获取模型列表…"),
        });
        self.models.available(draft).await
    }

    async fn test(&self, preset: &Preset, draft: &Draft, model: &str) -> Result<(), ProviderError> {
        let whole = format!("{}/{model}", preset.name);
        note(&match self.language {
            Language::English => format!("Testing {whole}…"),
            Language::Chinese => format!("正在测试 {whole}…"),
        });
        let connected = tokio::task::block_in_place(|| self.models.connect_draft(draft, &whole))?;
        let took = trial::try_out(connected.as_ref(), trial::LIMIT).await?.as_millis();
        note(&match self.language {
            Language::English => format!("It answered in {took} ms."),
            Language::Chinese => format!("已应答，用时 {took} 毫秒。"),
        });
        Ok(())
    }

    /// A model from the list: by number, by name, or by a part of it. `None` at the end of input.
    async fn pick(&self, preset: &Preset, names: &[String]) -> Option<String> {
        let usual = preset.default_model.as_ref().filter(|usual| names.contains(usual));
        let usual = usual.or(if names.len() == 1 { names.first() } else { None });
        let mut matching: Vec<&String> = names.iter().collect();
        let mut refused = String::new();
        loop {
            let mut text = String::new();
            for (n, name) in matching.iter().take(SHOWN).enumerate() {
                text.push_str(&format!("  {:>2}. {}\n", n + 1, safe_line(name)));
            }
            if let Some(more) = matching.len().checked_sub(SHOWN).filter(|more| *more > 0) {
                text.push_str(&match self.language {
                    Language::English => format!("      … and {more} more: type a part of the name\n"),
                    Language::Chinese => format!("      … 还有 {more} 个：输入名称的一部分即可搜索\n"),
                });
            }
            text.push_str(&match (self.language, usual) {
                (Language::English, Some(usual)) => {
                    format!("Model (number, name or part of it; Enter: {usual}): ")
                }
                (Language::English, None) => "Model (number, name or part of it): ".to_owned(),
                (Language::Chinese, Some(usual)) => {
                    format!("模型（编号、名称或名称的一部分；回车选 {usual}）：")
                }
                (Language::Chinese, None) => "模型（编号、名称或名称的一部分）：".to_owned(),
            });
            let typed = ask_line(&text).await?;
            let typed = typed.trim();
            if typed.is_empty() {
                match usual {
                    Some(usual) => return Some(usual.clone()),
                    None => continue,
                }
            }
            let number = typed.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            if let Some(name) = number.filter(|n| *n < SHOWN).and_then(|n| matching.get(n)) {
                return Some((*name).clone());
            }
            if names.iter().any(|name| name == typed) || refused == typed {
                return Some(typed.to_owned());
            }
            let lower = typed.to_lowercase();
            let found: Vec<&String> =
                names.iter().filter(|name| name.to_lowercase().contains(&lower)).collect();
            if found.is_empty() {
                typed.clone_into(&mut refused);
                note(self.language.say(
                    "The list has no such model. Enter the same name again to use it anyway.",
                    "列表中没有这个模型。再次输入同一名称即可直接使用。",
                ));
            } else {
                matching = found;
            }
        }
    }

    /// Says what is wrong and asks what to do.
    async fn ask_next(
        &self,
        preset: &Preset,
        draft: &Draft,
        model: &str,
        error: &ProviderError,
        stage: Stage,
    ) -> Next {
        let host = self.host(preset, draft);
        let subject = Subject { preset, host: &host, model };
        note(&problem_words(self.language, &subject, error));
        let held_back = error.problem() == Problem::KeyHeldBack;
        let mut menu = self
            .language
            .say(
                "[Enter] try again  [a] change the address  [k] enter a key  [m] name a model",
                "[回车] 重试  [a] 修改地址  [k] 输入密钥  [m] 填写模型名称",
            )
            .to_owned();
        if held_back {
            menu.push_str(
                self.language.say("  [u] use the stored key here", "  [u] 在此地址使用已保存的密钥"),
            );
        }
        if stage == Stage::Testing {
            menu.push_str(self.language.say("  [s] save anyway", "  [s] 仍然保存"));
        }
        menu.push_str(self.language.say("  [q] quit\n> ", "  [q] 退出\n> "));
        loop {
            let Some(word) = ask_line(&menu).await else { return Next::Quit };
            match word.trim() {
                "" => return Next::Again,
                "a" => return Next::Address,
                "k" => return Next::Key,
                "m" => return Next::Model,
                "u" if held_back => return Next::StoredKey,
                "s" if stage == Stage::Testing => return Next::Save,
                "q" => return Next::Quit,
                _ => {}
            }
        }
    }

    /// Saves the address and the default model, then the key.
    fn save(&self, draft: &Draft, model: &str) -> Result<String> {
        let file = config_file(self.shared).context("there is no home folder to keep a config in")?;
        let whole = format!("{}/{model}", draft.provider);
        tokio::task::block_in_place(|| {
            let address = self.models.new_address(draft)?;
            self.models.may_save(draft, &address)?;
            self.models.bind_old_key(draft, &address)?;
            let mut changes = BTreeMap::from([("model".to_owned(), Value::from(whole.as_str()))]);
            if let Some(setting) = &address.setting {
                changes.insert(format!("providers.{}.base_url", draft.provider), setting.clone());
            }
            settings::change(&file, &changes).map_err(|unchanged| match unchanged {
                Unchanged::Wrong(wrong) => anyhow::anyhow!(wrong.join("; ")),
                Unchanged::Broken(why) => anyhow::anyhow!(why),
            })?;
            self.models.settle_key(draft, None, &address)?;
            anyhow::Ok(())
        })?;
        if self.app.settings.named_model().is_some_and(|named| named != whole) {
            note(self.language.say(
                "Note: --model or DESKHAND_MODEL names another model and counts more.",
                "注意：--model 或 DESKHAND_MODEL 指定了其他模型，优先生效。",
            ));
        }
        Ok(whole)
    }

    fn host(&self, preset: &Preset, draft: &Draft) -> String {
        let url = self.models.new_address(draft).ok().and_then(|address| address.after);
        let named = |url: deskhand_agent::provider::Url| {
            let host = url.host_str()?.to_owned();
            Some(url.port().map_or_else(|| host.clone(), |port| format!("{host}:{port}")))
        };
        url.and_then(named).unwrap_or_else(|| preset.title.clone())
    }
}

fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
