//! Which models there are: on servers of this machine, which are found by themselves, and at a provider.
//!
//! Looking for servers asks this machine only, without a key, and takes no longer than [`Look::limit`].

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Client, Url, header::HeaderMap};
use serde_json::Value;
use tokio::time::timeout;

use super::{
    ConnectOptions, ErrorClass, ModelName, Problem, ProviderError, TimeLimits, address, failure, http,
    models::Server,
    presets::{Api, presets},
};

/// The most bytes of a list.
const MOST_BYTES: usize = 4 << 20;
/// No model has a longer name.
const LONGEST_NAME: usize = 500;

/// Where is looked, and how long.
#[derive(Clone, Debug)]
pub struct Look {
    pub places: Vec<Candidate>,
    /// For each place; they are asked side by side.
    pub limit: Duration,
}

/// A place where a server may listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Who usually listens there.
    pub provider: String,
    pub base_url: Url,
}

/// A model on a server of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundModel {
    pub name: ModelName,
    pub base_url: String,
    /// What the server says of it, where it does.
    pub context_tokens: Option<u64>,
    pub native_tools: Option<bool>,
    pub images: Option<bool>,
}

impl FoundModel {
    /// Puts what was found into the options with which it is connected; what stands there already wins.
    pub fn fill(&self, options: &mut ConnectOptions) {
        options.base_url.get_or_insert_with(|| self.base_url.clone());
        options.context_tokens = options.context_tokens.or(self.context_tokens);
        options.native_tools = options.native_tools.or(self.native_tools);
        options.images = options.images.or(self.images);
    }
}

impl Look {
    /// The usual ports, and where the variables point, as far as that is on this machine.
    pub fn usual(options: &ConnectOptions) -> Self {
        let mut places: Vec<Candidate> = Vec::new();
        for preset in presets().providers.iter().filter(|preset| preset.base_url.starts_with("http://")) {
            let variables = preset.base_url_variables.iter().filter_map(|name| (options.env)(name));
            for written in variables.chain([preset.base_url.clone()]) {
                let Ok(base_url) = address::base_url(preset, &written) else { continue };
                if http::is_local(&base_url) && places.iter().all(|place| place.base_url != base_url) {
                    places.push(Candidate { provider: preset.name.clone(), base_url });
                }
            }
        }
        Self { places, limit: Duration::from_millis(800) }
    }

    /// The models that answer, in the order of the places. A place that is not on this machine is not asked.
    pub async fn find(&self) -> Vec<FoundModel> {
        let local = self.places.iter().filter(|place| http::is_local(&place.base_url));
        let asked = local.map(|place| async {
            let limits = TimeLimits { connect: self.limit, ..TimeLimits::default() };
            let client = http::client(&place.base_url, &limits).ok()?;
            timeout(self.limit, ask_place(&client, place)).await.ok()?
        });
        join_all(asked).await.into_iter().flatten().flatten().collect()
    }
}

async fn ask_place(client: &Client, place: &Candidate) -> Option<Vec<FoundModel>> {
    let base = &place.base_url;
    let get = |url: Url| async move { get_json(client, url, HeaderMap::new()).await.ok() };
    let Some(list) = get(address::endpoint(base, "models")).await.filter(|list| list["data"].is_array())
    else {
        // An Ollama from before it imitated this endpoint.
        let tags = get(address::beside(base, "api/tags")).await?;
        let models = tags["models"].as_array()?.iter();
        return Some(models.filter_map(|model| found(place, "ollama", model["name"].as_str()?)).collect());
    };
    let entries = list["data"].as_array()?;
    let owner = entries.first().and_then(|entry| entry["owned_by"].as_str()).unwrap_or("");
    let provider = match owner {
        "llamacpp" => "llamacpp",
        "vllm" => "vllm",
        "library" | "ollama" => "ollama",
        _ => place.provider.as_str(),
    };
    let mut models: Vec<FoundModel> = Vec::new();
    for entry in entries {
        let Some(mut model) = entry["id"].as_str().and_then(|id| found(place, provider, id)) else {
            continue;
        };
        model.context_tokens = entry["max_model_len"].as_u64().or(entry["meta"]["n_ctx"].as_u64());
        models.push(model);
    }
    match provider {
        "llamacpp" => {
            let props = get(address::beside(base, "props")).await.unwrap_or_default();
            for model in &mut models {
                let size = props["default_generation_settings"]["n_ctx"].as_u64();
                model.context_tokens = size.or(model.context_tokens);
                model.native_tools = props["chat_template_caps"]["supports_tool_calls"].as_bool();
                model.images = props["modalities"]["vision"].as_bool();
            }
        }
        "ollama" => {
            // Only a model that is loaded has a size; it is what counts, whatever the model could have.
            let loaded = get(address::beside(base, "api/ps")).await.unwrap_or_default();
            sizes_from(&loaded["models"], "name", &["context_length"], &mut models);
        }
        "lmstudio" => {
            let details = get(address::beside(base, "api/v0/models")).await.unwrap_or_default();
            sizes_from(&details["data"], "id", &["loaded_context_length", "max_context_length"], &mut models);
        }
        _ => {}
    }
    Some(models)
}

fn sizes_from(list: &Value, key: &str, fields: &[&str], models: &mut [FoundModel]) {
    for entry in list.as_array().into_iter().flatten() {
        let size = fields.iter().find_map(|field| entry[*field].as_u64()).filter(|size| *size > 0);
        let model = models.iter_mut().find(|model| Some(model.name.name.as_str()) == entry[key].as_str());
        if let (Some(model), Some(size)) = (model, size) {
            model.context_tokens = Some(size);
        }
    }
}

fn found(place: &Candidate, provider: &str, id: &str) -> Option<FoundModel> {
    // Models that make vectors do not talk.
    if id.is_empty() || id.len() > LONGEST_NAME || id.to_ascii_lowercase().contains("embed") {
        return None;
    }
    Some(FoundModel {
        name: ModelName { provider: provider.to_owned(), name: id.to_owned() },
        base_url: place.base_url.to_string(),
        context_tokens: None,
        native_tools: None,
        images: None,
    })
}

/// The names of the models of a provider, sorted. A server without any is an error that says what to do.
pub async fn list_models(provider: &str, options: &ConnectOptions) -> Result<Vec<String>, ProviderError> {
    let server = Server::find(provider, "", options)?;
    let client = http::client(&server.base, &options.limits)?;
    let mut url = address::endpoint(&server.base, "models");
    let key = server.keys.first();
    let headers = match options.api.unwrap_or(server.preset.api) {
        Api::OpenAi => super::openai::headers(key, &server.headers),
        Api::Anthropic => {
            // It gives twenty at a time unless it is asked for more.
            url.query_pairs_mut().append_pair("limit", "1000");
            super::anthropic::headers(key, &server.headers)
        }
    };
    // No model has to be loaded for a list.
    let limit = options.limits.first_byte.min(Duration::from_secs(20));
    let list = match timeout(limit, get_json(&client, url, headers)).await {
        Err(_) => Err(failed(&server, ErrorClass::Silent, "sent no list of models in time")),
        Ok(Err(refused)) => Err(refused.told(&server)),
        Ok(Ok(list)) => Ok(list),
    }
    .map_err(|error| failure::without_key(error, key))?;
    let entries = list["data"].as_array().or(list["models"].as_array()).or(list.as_array());
    let Some(entries) = entries else {
        return Err(failed(&server, ErrorClass::Malformed, "sent JSON that is no list of models"));
    };
    let mut names: Vec<String> = entries
        .iter()
        .filter_map(|entry| entry["id"].as_str().or(entry["name"].as_str()))
        .filter(|id| !id.is_empty() && id.len() <= LONGEST_NAME)
        .map(|id| id.strip_prefix("models/").unwrap_or(id).to_owned())
        .collect();
    names.sort();
    names.dedup();
    if names.is_empty() {
        let error = failed(&server, ErrorClass::NoSuchModel, "has no model").because(Problem::NoModels);
        return Err(match &server.preset.pull {
            Some(command) => error.hint(format!("Run: {command}")),
            None => error,
        });
    }
    Ok(names)
}

/// A failure in our words: the server said nothing that could be quoted.
fn failed(server: &Server, class: ErrorClass, what: &str) -> ProviderError {
    let mut error = ProviderError::new(class, failure::shown(&format!("{} {what}.", server.about.host)));
    error.hint = match class {
        ErrorClass::Malformed => Some(failure::WRONG_PLACE.to_owned()),
        ErrorClass::Network => failure::hint(&server.about, class),
        _ => None,
    };
    error
}

enum Refused {
    Status(u16, HeaderMap, Vec<u8>),
    Broken(reqwest::Error),
    TooLarge,
    NotJson(Vec<u8>),
}

impl Refused {
    fn told(self, server: &Server) -> ProviderError {
        match self {
            Self::Status(status, headers, body) => {
                failure::of_response(&server.about, status, &headers, &body)
            }
            Self::Broken(error) => {
                let what = if error.is_connect() { "cannot be reached" } else { "broke off" };
                let told = format!("{what}: {}", http::chain(&error));
                let problem = http::problem(&error, &server.about);
                let mut failed = failed(server, ErrorClass::Network, &told);
                failed.problem = problem.or((!error.is_connect()).then_some(Problem::BrokeOff));
                failed
            }
            Self::TooLarge => {
                failed(server, ErrorClass::Malformed, &format!("sent a list of more than {MOST_BYTES} bytes"))
            }
            Self::NotJson(body) if body.trim_ascii_start().starts_with(b"<") => {
                failed(server, ErrorClass::Malformed, "sent a web page instead of a list of models")
            }
            Self::NotJson(_) => {
                failed(server, ErrorClass::Malformed, "sent something else than a list of models")
            }
        }
    }
}

async fn get_json(client: &Client, url: Url, headers: HeaderMap) -> Result<Value, Refused> {
    let broken = |error: reqwest::Error| Refused::Broken(error.without_url());
    let mut response = client.get(url).headers(headers).send().await.map_err(broken)?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(Refused::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    if !response.status().is_success() {
        return Err(Refused::Status(response.status().as_u16(), response.headers().clone(), body));
    }
    serde_json::from_slice(&body).map_err(|_| Refused::NotJson(body))
}
