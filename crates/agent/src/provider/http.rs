//! The HTTP client: TLS, proxies, redirects.

use std::{io, net::IpAddr, sync::Once};

use reqwest::{Client, Url, redirect};

use super::{ErrorClass, Problem, ProviderError, failure::About, retry::TimeLimits};

static TLS: Once = Once::new();

/// A client for one server. It follows no redirect, since a key must not travel to where it was not meant for, and
/// uses no proxy for this very machine.
pub(crate) fn client(base: &Url, limits: &TimeLimits) -> Result<Client, ProviderError> {
    TLS.call_once(|| {
        // An error means that one is installed: any is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let mut builder = Client::builder()
        .user_agent(concat!("deskhand/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(limits.connect);
    if is_local(base) {
        builder = builder.no_proxy();
    }
    if base.scheme() == "http" {
        // No certificate is looked at: a machine that has none can ask its local server all the same.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        ProviderError::new(
            ErrorClass::Network,
            format!("The HTTP client cannot be set up: {}", chain(&error)),
        )
        .because(Problem::Other)
        .hint("Install your system's certificates (Debian: ca-certificates).")
    })
}

/// Whether an address is on this machine.
pub(crate) fn is_local(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// `host:port` for messages; never the path or a password.
pub(crate) fn host(url: &Url) -> String {
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => "the server".to_owned(),
    }
}

/// An error and all its causes. An error of input and output hides what it was made from: that is a cause, too.
fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| {
        let hidden = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        hidden.map(|inner| inner as &(dyn std::error::Error + 'static)).or_else(|| error.source())
    })
}

/// An error with all its causes, as one line.
pub(crate) fn chain(error: &reqwest::Error) -> String {
    let mut told: Vec<String> = Vec::new();
    for text in causes(error).map(ToString::to_string) {
        if !told.iter().any(|known| known.contains(&text)) {
            told.push(text);
        }
    }
    told.join(": ")
}

/// Whether data itself was wrong, as a broken compression is: it would be the next time, too.
pub(crate) fn is_bad_data(error: &reqwest::Error) -> bool {
    let kinds = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    let is_bad = |kind| matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput);
    !error.is_connect() && kinds.into_iter().any(is_bad)
}

/// What to fix about a connection that failed.
pub(crate) fn problem(error: &reqwest::Error, about: &About) -> Option<Problem> {
    if causes(error).any(|cause| cause.downcast_ref::<rustls::Error>().is_some()) {
        return Some(Problem::Tls);
    }
    if let Some(problem) = name_problem(&chain(error), about) {
        return Some(problem);
    }
    if causes(error).any(|cause| cause.to_string().starts_with("invalid HTTP")) {
        return Some(Problem::NotCompatible);
    }
    let mut kinds = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds
        .find_map(|kind| match kind {
            io::ErrorKind::ConnectionRefused => Some(Problem::NoServer),
            io::ErrorKind::TimedOut => Some(Problem::TimedOut),
            io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => Some(Problem::NoNetwork),
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Some(Problem::BrokeOff),
            _ => None,
        })
        .or_else(|| error.is_timeout().then_some(Problem::TimedOut))
}

/// What the words of a resolver mean: its errors have no kind of their own. The name of a known provider exists, so that a
/// look-up which fails says that there is no network; so does one that may work later (`EAI_AGAIN`).
fn name_problem(words: &str, about: &About) -> Option<Problem> {
    let has_any = |phrases: [&str; 2]| phrases.iter().any(|phrase| words.contains(phrase));
    if !has_any(["dns error", "failed to lookup address"]) {
        return None;
    }
    // The words of glibc, and of musl.
    let may_pass = has_any(["Temporary failure in name resolution", "Try again"]);
    Some(if may_pass || about.is_own_address { Problem::NoNetwork } else { Problem::NameNotFound })
}

/// Whether a certificate was refused: it would be the next time, too.
pub(crate) fn is_bad_certificate(error: &reqwest::Error) -> bool {
    let mut tls = causes(error).filter_map(|cause| cause.downcast_ref::<rustls::Error>());
    tls.any(|error| matches!(error, rustls::Error::InvalidCertificate(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        for (url, want) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://127.9.9.9", true),
            ("http://localhost:1/x", true),
            ("http://[::1]:8080", true),
            ("http://[::ffff:127.0.0.1]:8080", true),
            ("http://api.localhost", true),
            ("https://localhost.example.com", false),
            ("http://192.168.1.2:8080", false),
            ("http://0.0.0.0:8080", false),
            ("https://127.0.0.1.example.com", false),
        ] {
            assert_eq!(is_local(&url.parse().unwrap()), want, "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_that_exists_and_is_not_found_means_no_network() {
        let url: Url = "http://nowhere.invalid/v1".parse().unwrap();
        let error = client(&url, &TimeLimits::default()).unwrap().get(url).send().await.unwrap_err();
        let about = |is_own_address| About { is_own_address, ..About::default() };
        assert_eq!(problem(&error, &about(true)), Some(Problem::NoNetwork), "{error:?}");
        let other = "error sending request: dns error: failed to lookup address information: ";
        for (words, is_own_address, want) in [
            ("Name or service not known", false, Problem::NameNotFound),
            ("Name or service not known", true, Problem::NoNetwork),
            ("Temporary failure in name resolution", false, Problem::NoNetwork),
        ] {
            assert_eq!(
                name_problem(&format!("{other}{words}"), &about(is_own_address)),
                Some(want),
                "{words}"
            );
        }
        assert_eq!(name_problem("connection refused", &about(true)), None);
    }

    #[test]
    fn a_password_in_an_address_is_not_told() {
        let url: Url = "https://user:secret@example.com:99/path?key=secret".parse().unwrap();
        assert_eq!(host(&url), "example.com:99");
    }
}
