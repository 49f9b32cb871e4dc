//! The address of a server, from what people write into variables and settings.

use reqwest::Url;

use super::{ErrorClass, Problem, ProviderError, http, presets::Preset};

/// The base URL as requests need it: with a scheme, a path, no slash at its end.
///
/// `OLLAMA_HOST` may be `0.0.0.0`, `box:11434` or a URL; others leave out `/v1`, or add the path of one endpoint.
pub(crate) fn base_url(preset: &Preset, written: &str) -> Result<Url, ProviderError> {
    let text = written.trim();
    let text = if text.ends_with("://") { text } else { text.trim_end_matches('/') };
    let wrong = |why: &str| {
        ProviderError::new(ErrorClass::BadRequest, format!("The base URL \"{written}\" {why}."))
            .because(Problem::BadAddress)
            .naming_place()
            .hint("It looks like this: http://127.0.0.1:8080/v1")
    };
    if text.is_empty() {
        return Err(wrong("is empty"));
    }
    let is_ollama = preset.name == "ollama";
    let with_scheme = if text.contains("://") {
        text.to_owned()
    } else {
        let host = if text.starts_with(':') { format!("127.0.0.1{text}") } else { text.to_owned() };
        let plain: Url = format!("http://{host}").parse().map_err(|_| wrong("is no address"))?;
        let is_plain = is_ollama || http::is_local(&plain) || is_unspecified(&plain);
        format!("{}://{host}", if is_plain { "http" } else { "https" })
    };
    let mut url: Url = with_scheme.parse().map_err(|_| wrong("is no address"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("is no address of HTTP"));
    }
    if is_unspecified(&url) {
        // What a server binds to; a client asks this machine.
        url.set_host(Some("127.0.0.1")).map_err(|_| wrong("is no address"))?;
    }
    if is_ollama && url.scheme() == "http" && url.port().is_none() && !with_scheme.ends_with(":80") {
        url.set_port(Some(11434)).map_err(|()| wrong("takes no port"))?;
    }
    let path = url.path().trim_end_matches('/');
    let path =
        ["/chat/completions", "/messages"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    let path = if path.is_empty() { "/v1".to_owned() } else { path.to_owned() };
    url.set_path(&path);
    Ok(url)
}

fn is_unspecified(url: &Url) -> bool {
    matches!(url.host_str(), Some("0.0.0.0" | "[::]"))
}

/// An endpoint below a base URL.
pub(crate) fn endpoint(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}

/// An endpoint of the server itself, beside its imitation of OpenAI's.
pub(crate) fn beside(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/').trim_end_matches("/v1")));
    url
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::presets::presets;

    #[test]
    fn addresses_in_every_spelling() {
        for (provider, written, want) in [
            ("ollama", "127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("ollama", "0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("ollama", "0.0.0.0:9999", "http://127.0.0.1:9999/v1"),
            ("ollama", "[::]:9999", "http://127.0.0.1:9999/v1"),
            ("ollama", ":9999", "http://127.0.0.1:9999/v1"),
            ("ollama", "box", "http://box:11434/v1"),
            ("ollama", "http://box/", "http://box:11434/v1"),
            ("ollama", "https://box", "https://box/v1"),
            ("openai", "https://example.com", "https://example.com/v1"),
            ("openai", "https://example.com/v1/", "https://example.com/v1"),
            ("openai", "example.com/api/v3", "https://example.com/api/v3"),
            ("openai", "localhost:8080", "http://localhost:8080/v1"),
            ("openai", "http://h:1/v1/chat/completions", "http://h:1/v1"),
            ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1"),
            ("anthropic", "https://h/v1/messages", "https://h/v1"),
            ("custom", "https://h/v1?api-version=2", "https://h/v1?api-version=2"),
        ] {
            let preset = presets().provider(provider).unwrap();
            assert_eq!(base_url(preset, written).unwrap().as_str(), want, "{provider} {written}");
        }
        let custom = presets().provider("custom").unwrap();
        for written in ["", "  ", "ftp://x", "http://", "unix:///x", "a b"] {
            let error = base_url(custom, written).unwrap_err();
            assert!(error.hint.is_some(), "{written}");
        }
    }

    #[test]
    fn endpoints_keep_the_query() {
        let base: Url = "https://h/v1?api-version=2".parse().unwrap();
        assert_eq!(
            endpoint(&base, "chat/completions").as_str(),
            "https://h/v1/chat/completions?api-version=2"
        );
        assert_eq!(beside(&"http://h:1/v1".parse().unwrap(), "props").as_str(), "http://h:1/props");
    }
}
