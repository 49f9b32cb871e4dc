//! A model by its name: `PROVIDER/NAME`, and the way from there to something that can be asked.

use std::{fmt, path::PathBuf, sync::Arc};

use reqwest::{
    Url,
    header::{HeaderMap, HeaderName, HeaderValue},
};
use serde_json::{Map, Value};

use super::{
    Capabilities, Constrains, ErrorClass, Key, Problem, Provider, ProviderError, RetryPolicy, TimeLimits,
    address,
    anthropic::Anthropic,
    failure::About,
    http,
    key_store::{Found, KeyStore},
    keys::KeyRing,
    openai::OpenAi,
    presets::{Api, Preset, Price, presets},
    replay::{Player, Recorder},
    scripted::Scripted,
    served::Served,
    wire::Wire,
};

/// Which model of whom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelName {
    pub provider: String,
    /// As the provider knows it. May have slashes.
    pub name: String,
}

impl ModelName {
    /// Reads `PROVIDER/NAME`, or `PROVIDER` alone where it has a usual model.
    pub fn parse(text: &str) -> Result<Self, ProviderError> {
        let text = text.trim();
        let (provider, name) = text.split_once('/').unwrap_or((text, ""));
        let wrong = |why: String| {
            ProviderError::new(ErrorClass::NoSuchModel, why).hint(format!(
                "A model is named PROVIDER/NAME, such as openai/gpt-5-mini or ollama/qwen3:8b. Providers: {}.",
                provider_names().join(", ")
            ))
        };
        if !provider_names().contains(&provider) {
            return Err(wrong(format!("There is no provider «{provider}» (in the model's name «{text}»).")));
        }
        let usual = presets().provider(provider).and_then(|preset| preset.default_model.as_deref());
        match (name.trim(), usual) {
            ("", None) => Err(wrong(format!("«{text}» does not say which model of {provider}."))),
            ("", Some(name)) | (name, _) => Ok(Self { provider: provider.to_owned(), name: name.to_owned() }),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.name)
    }
}

/// All that may stand before the slash.
pub fn provider_names() -> Vec<&'static str> {
    let known = presets().providers.iter().map(|preset| preset.name.as_str());
    known.chain(["scripted", "replay"]).collect()
}

/// Where keys go that are not in `keys`: those of the environment, the keyring and the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeptKeys {
    /// A key that is known to be entered for one address goes there alone.
    #[default]
    WhereEntered,
    /// The same; and those of which that is not known belong to this address.
    Of(Url),
    /// To the address in use, whichever it is: the owner said so.
    Anywhere,
}

/// Looks a variable of the environment up.
pub type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What is said about a model beside its name. What is not given comes from the environment and the presets.
#[derive(Clone)]
pub struct ConnectOptions {
    pub env: Lookup,
    pub base_url: Option<String>,
    /// The wire of a server that is not known by name.
    pub api: Option<Api>,
    pub keys: Vec<Key>,
    pub kept_keys: KeptKeys,
    /// Where keys are looked for that neither `keys` nor the environment has.
    pub key_store: KeyStore,
    /// Fields of every request's body. `null` takes one away.
    pub extra: Map<String, Value>,
    pub headers: Vec<(String, String)>,
    pub context_tokens: Option<u64>,
    pub native_tools: Option<bool>,
    pub constrains: Option<Constrains>,
    pub images: Option<bool>,
    pub price: Option<Price>,
    pub retry: RetryPolicy,
    pub limits: TimeLimits,
    /// Where to write down what is asked and answered, for `replay/FILE`.
    pub record: Option<PathBuf>,
}

impl Default for ConnectOptions {
    /// Knows no variable.
    fn default() -> Self {
        Self {
            env: Arc::new(|_| None),
            base_url: None,
            api: None,
            keys: Vec::new(),
            kept_keys: KeptKeys::default(),
            key_store: KeyStore::default(),
            extra: Map::new(),
            headers: Vec::new(),
            context_tokens: None,
            native_tools: None,
            constrains: None,
            images: None,
            price: None,
            retry: RetryPolicy::default(),
            limits: TimeLimits::default(),
            record: None,
        }
    }
}

impl ConnectOptions {
    /// With the variables of this process.
    pub fn from_env() -> Self {
        Self { env: Arc::new(|name| std::env::var(name).ok()), ..Self::default() }
    }

    /// The first of these variables that is set and not empty.
    fn first(&self, names: &[String]) -> Option<(String, String)> {
        names.iter().find_map(|name| {
            let value = (self.env)(name).filter(|value| !value.trim().is_empty())?;
            Some((name.clone(), value))
        })
    }
}

/// Makes a model ready to be asked. Nothing is sent yet.
pub fn connect(model: &ModelName, options: &ConnectOptions) -> Result<Arc<dyn Provider>, ProviderError> {
    let provider: Arc<dyn Provider> = match model.provider.as_str() {
        "scripted" => Arc::new(Scripted::from_file(model.name.as_ref())?),
        "replay" => Arc::new(Player::from_file(model.name.as_ref())?),
        _ => Arc::new(served(model, options)?),
    };
    match &options.record {
        Some(path) => Ok(Arc::new(Recorder::new(provider, path)?)),
        None => Ok(provider),
    }
}

fn served(model: &ModelName, options: &ConnectOptions) -> Result<Served, ProviderError> {
    let server = Server::find(&model.provider, &model.name, options)?;
    let known = presets().model(&model.provider, &model.name);
    let preset = server.preset;
    let capabilities = Capabilities {
        native_tools: options.native_tools.unwrap_or(preset.native_tools),
        constrains: options.constrains.unwrap_or(preset.constrains.into()),
        images: options.images.or(known.and_then(|known| known.images)).unwrap_or(preset.images),
        context_tokens: options
            .context_tokens
            .or(known.and_then(|known| known.context_tokens))
            .or_else(|| ollama_context(preset, options))
            .unwrap_or(preset.context_tokens),
    };
    let price = options.price.or(known.and_then(|known| known.price));
    let (about, headers, extra) = (server.about.clone(), server.headers.clone(), options.extra.clone());
    let name = model.name.clone();
    let wire: Box<dyn Wire> = match options.api.unwrap_or(preset.api) {
        Api::OpenAi => Box::new(OpenAi {
            about,
            url: address::endpoint(&server.base, "chat/completions").into(),
            model: name,
            headers,
            extra,
            max_tokens_field: preset.max_tokens_field,
            images: capabilities.images,
            thoughts_back: preset.thoughts_back,
            price,
        }),
        Api::Anthropic => Box::new(Anthropic {
            about,
            url: address::endpoint(&server.base, "messages").into(),
            model: name,
            headers,
            extra,
            price,
        }),
    };
    Ok(Served {
        client: http::client(&server.base, &options.limits)?,
        about: server.about,
        capabilities,
        wire,
        keys: KeyRing::new(server.keys),
        retry: options.retry,
        limits: options.limits,
    })
}

/// Ollama's own variable for the size of its context, which it shares with whoever runs it here.
fn ollama_context(preset: &Preset, options: &ConnectOptions) -> Option<u64> {
    (preset.name == "ollama").then(|| (options.env)("OLLAMA_CONTEXT_LENGTH"))??.trim().parse().ok()
}

/// Where a provider is, and what it is shown at the door.
pub(crate) struct Server {
    pub preset: &'static Preset,
    pub base: Url,
    pub about: About,
    pub keys: Vec<Key>,
    pub headers: HeaderMap,
}

impl Server {
    pub fn find(provider: &str, model: &str, options: &ConnectOptions) -> Result<Self, ProviderError> {
        let preset = presets().provider(provider).ok_or_else(|| {
            ProviderError::new(ErrorClass::NoSuchModel, format!("There is no provider \"{provider}\"."))
                .hint(format!("Providers: {}.", provider_names().join(", ")))
        })?;
        let written = written_address(preset, options);
        let base_variable = preset.base_url_variables.first().cloned();
        if written.is_none() && preset.base_url.is_empty() {
            return Err(ProviderError::new(
                ErrorClass::BadRequest,
                format!("{} needs the address of the server.", preset.title),
            )
            .because(Problem::BadAddress)
            .hint(format!(
                "Run `deskhand setup`, or set {}.",
                base_variable.as_deref().unwrap_or("the base URL")
            )));
        }
        let base = address::base_url(preset, written.as_deref().unwrap_or(&preset.base_url))?;
        let Found { mut keys, variable: key_variable, trouble, address: entered_for } =
            find_keys(preset, options)?;
        let held_back_for = held_back(&base, options, &keys, entered_for);
        if let Some(entered_for) = &held_back_for {
            keys.clear();
            if preset.needs_key {
                let message = format!(
                    "The stored key of {} was entered for {entered_for}, so it was not sent to {}.",
                    preset.title,
                    http::host(&base)
                );
                return Err(ProviderError::new(ErrorClass::Auth, message)
                    .because(Problem::KeyHeldBack)
                    .naming_place()
                    .hint("Enter a key for this address: deskhand setup"));
            }
        }
        let about = About {
            model: format!("{provider}/{model}"),
            host: http::host(&base),
            key_variable,
            base_variable,
            is_local: http::is_local(&base),
            is_own_address: address::base_url(preset, &preset.base_url).is_ok_and(|own| own == base),
            has_key: !keys.is_empty(),
            start: preset.start.clone(),
            held_back_for,
        };
        // A server of one's own at the provider's name may want no key.
        let has_other_base = written.is_some();
        if keys.is_empty() && preset.needs_key && !has_other_base {
            let variable = preset.key_variables.first().map_or("its key", String::as_str);
            let trouble = trouble.map_or_else(String::new, |why| format!(" It was not looked up: {why}."));
            let message = format!("{} needs a key.{trouble}", preset.title);
            return Err(ProviderError::new(ErrorClass::Auth, message).because(Problem::NoKey).hint(format!(
                "Run `deskhand setup`, set {variable} to your key, or write {provider} = \"KEY\" into keys.toml."
            )));
        }
        Ok(Self { preset, base, about, keys, headers: headers(&options.headers)? })
    }
}

fn written_address(preset: &Preset, options: &ConnectOptions) -> Option<String> {
    options.base_url.clone().or_else(|| Some(options.first(&preset.base_url_variables)?.1))
}

/// The address in force of a provider; `None` where none is known.
pub fn address_of(preset: &Preset, options: &ConnectOptions) -> Result<Option<Url>, ProviderError> {
    let written = written_address(preset, options).unwrap_or_else(|| preset.base_url.clone());
    if written.is_empty() { Ok(None) } else { address::base_url(preset, &written).map(Some) }
}

/// The address that the keys were entered for, if that is another than this one and they may not go here.
fn held_back(
    base: &Url,
    options: &ConnectOptions,
    keys: &[Key],
    entered_for: Option<String>,
) -> Option<String> {
    // What was typed just now is for this very address.
    if keys.is_empty() || !options.keys.is_empty() {
        return None;
    }
    let entered_for = match &options.kept_keys {
        KeptKeys::Anywhere => None,
        KeptKeys::WhereEntered => entered_for,
        KeptKeys::Of(address) => Some(entered_for.unwrap_or_else(|| address.origin().ascii_serialization())),
    };
    entered_for.filter(|entered_for| *entered_for != base.origin().ascii_serialization())
}

/// The keys, with the variable that a hint should name.
fn find_keys(preset: &Preset, options: &ConnectOptions) -> Result<Found, ProviderError> {
    let mut found = if options.keys.is_empty() {
        options.key_store.find(preset, &*options.env)?
    } else {
        Found { keys: options.keys.clone(), ..Found::default() }
    };
    found.variable = found.variable.or_else(|| preset.key_variables.first().cloned());
    if found.keys.iter().any(|key| HeaderValue::from_str(key.expose()).is_err()) {
        let place = found.variable.as_deref().unwrap_or("the settings");
        return Err(ProviderError::new(
            ErrorClass::Auth,
            format!("A key of {} has a character that no key has.", preset.title),
        )
        .because(Problem::Other)
        .hint(format!("Look at {place}: was it copied whole?")));
    }
    Ok(found)
}

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let parsed = name.parse::<HeaderName>().ok().zip(HeaderValue::from_str(value).ok());
        let Some((parsed_name, mut parsed_value)) = parsed else {
            return Err(ProviderError::new(
                ErrorClass::BadRequest,
                format!("«{name}» cannot be sent as a header."),
            )
            .hint("Check its name and its value."));
        };
        parsed_value.set_sensitive(true);
        headers.insert(parsed_name, parsed_value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests;
