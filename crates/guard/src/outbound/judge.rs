//! The policy itself: by the address of a page, and by the address that a name led to.

use std::net::IpAddr;

use deskhand_core::Permission;
use url::{Host, Url};

use super::{
    Allowed, Outbound,
    address::AddressKind,
    name,
    verdict::{Reason, Refused, Verdict},
};

impl Outbound {
    /// What a plan says of going to an address. Nothing is looked up: where a name leads is judged when it is gone to.
    pub fn judge_url(&self, url: &Url) -> Verdict {
        let verdict =
            |permission, rule, why: String, host, port| Verdict { permission, rule, why, host, port };
        if url.as_str() == "about:blank" {
            let why = "An empty page reaches no host.".to_owned();
            return verdict(Permission::Public, "net:blank", why, None, None);
        }
        let (Some(host), Some(port)) = (host_of(url), web_port(url)) else {
            let why = format!("Only http and https addresses are gone to, not {}:.", scheme_of(url));
            return verdict(Permission::Forbidden, "net:scheme", why, None, None);
        };
        let kind = kind_of_host(&host);
        let (permission, rule, why) = if self.denies(&host, port) {
            (Permission::Forbidden, "net:denied", format!("The setting network.deny names {host}."))
        } else if kind.is_forbidden() {
            (Permission::Forbidden, kind.rule(), format!("{host} is {}.", kind.words()))
        } else if kind == AddressKind::Public {
            (Permission::Moderate, kind.rule(), "It reaches a host.".to_owned())
        } else if self.allows(&host, port) {
            (Permission::Moderate, "net:allowed", format!("The setting network.allow names {host}:{port}."))
        } else {
            let why =
                format!("{host} is {}: what is there may trust whoever reaches it.", in_words(&host, kind));
            (Permission::Sensitive, kind.rule(), why)
        };
        verdict(permission, rule, why, Some(host), Some(port))
    }

    /// Whether an answer may have come from where it came from. For what connects by itself, and can only be judged
    /// afterwards.
    pub fn judge_answer(&self, url: &Url, address: IpAddr, allowed: &Allowed) -> Result<(), Refused> {
        match (host_of(url), web_port(url)) {
            (Some(host), Some(port)) => self.check(&host, port, &[address], allowed),
            _ => Ok(()),
        }
    }

    /// Whether a host may be gone to at these addresses, all of which it has.
    pub(super) fn check(
        &self,
        host: &str,
        port: u16,
        addresses: &[IpAddr],
        allowed: &Allowed,
    ) -> Result<(), Refused> {
        let refused = |address, reason| Refused { host: host.to_owned(), port, address, reason };
        if self.denies(host, port) {
            return Err(refused(None, Reason::Denied));
        }
        let by_name = kind_of_host(host);
        if by_name.is_forbidden() {
            return Err(refused(None, Reason::Kind(by_name)));
        }
        let approved = self.allows(host, port) || allowed.has(host, port);
        for &address in addresses {
            let kind = AddressKind::of(address);
            if self.0.deny.iter().any(|pattern| pattern.reaches(address, port)) {
                return Err(refused(Some(address), Reason::Denied));
            }
            let in_allowed_range = || self.0.allow.iter().any(|pattern| pattern.has(address, port));
            let may = !kind.is_forbidden() && (kind == AddressKind::Public || approved || in_allowed_range());
            if !may {
                return Err(refused(Some(address), Reason::Kind(kind)));
            }
        }
        Ok(())
    }

    /// What is known before any name is looked up, so that nobody learns of a name that is not gone to.
    pub(super) fn check_name(&self, host: &str, port: u16, allowed: &Allowed) -> Result<(), Refused> {
        let kind = kind_of_host(host);
        let literal = host.parse::<IpAddr>().ok();
        self.check(host, port, literal.as_slice(), allowed)?;
        // A name of this machine is looked up nowhere else.
        let approved = self.allows(host, port) || allowed.has(host, port);
        if literal.is_none() && kind == AddressKind::Loopback && !approved {
            return Err(Refused { host: host.to_owned(), port, address: None, reason: Reason::Kind(kind) });
        }
        Ok(())
    }

    fn allows(&self, host: &str, port: u16) -> bool {
        self.0.allow.iter().any(|pattern| pattern.names(host, port))
    }

    fn denies(&self, host: &str, port: u16) -> bool {
        let literal = host.parse::<IpAddr>().ok();
        let by_address = |address| self.0.deny.iter().any(|pattern| pattern.reaches(address, port));
        self.0.deny.iter().any(|pattern| pattern.names(host, port)) || literal.is_some_and(by_address)
    }
}

/// What a host in normal form is, as far as that can be seen.
fn kind_of_host(host: &str) -> AddressKind {
    host.parse().map_or_else(|_| name::kind(host), AddressKind::of)
}

fn in_words(host: &str, kind: AddressKind) -> &'static str {
    match kind {
        AddressKind::Loopback if host.parse::<IpAddr>().is_err() => "this machine",
        AddressKind::Private if host.parse::<IpAddr>().is_err() => "a name of a private network",
        kind => kind.words(),
    }
}

/// The host in normal form: whichever way an address was written, it is one.
fn host_of(url: &Url) -> Option<String> {
    match url.host()? {
        Host::Domain(domain) => Some(name::normal(domain)).filter(|name| !name.is_empty()),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}

fn web_port(url: &Url) -> Option<u16> {
    matches!(url.scheme(), "http" | "https").then(|| url.port_or_known_default()).flatten()
}

fn scheme_of(url: &Url) -> String {
    url.scheme().chars().take(50).collect()
}
