//! The entries of `network.allow` and `network.deny`: a host, with or without a port; all below a name; a range.

use std::{fmt, net::IpAddr, str::FromStr};

use super::name;

/// Which hosts are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    hosts: Hosts,
    /// `None`: any.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    /// This one, in normal form.
    One(String),
    /// `*.example.org`: everything below it, not itself.
    Below(String),
    /// `10.0.0.0/8`.
    Range { first: IpAddr, bits: u8 },
}

/// What is no such entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern(String);

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "«{}» is no host such as localhost:3000, 10.0.0.5, *.example.org or 10.0.0.0/8", self.0)
    }
}

impl std::error::Error for BadPattern {}

impl HostPattern {
    /// Whether it means this host by its (normal) name, or an address that is written out.
    pub fn names(&self, host: &str, port: u16) -> bool {
        self.port.is_none_or(|own| own == port)
            && match &self.hosts {
                Hosts::One(one) => one == host,
                Hosts::Below(end) => {
                    host.strip_suffix(end.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
                }
                Hosts::Range { .. } => host.parse().is_ok_and(|address| self.has(address, port)),
            }
    }

    /// Whether this address lies in its range. An entry without a range has none: a name that somebody else points at
    /// an address is not that address.
    pub fn has(&self, address: IpAddr, port: u16) -> bool {
        let Hosts::Range { first, bits } = self.hosts else { return false };
        self.port.is_none_or(|own| own == port) && starts_alike(first, address.to_canonical(), bits)
    }

    /// As [`Self::has`], also for an entry that is one address: what is denied is denied by whatever name.
    pub fn reaches(&self, address: IpAddr, port: u16) -> bool {
        let one = |host: &str| host.parse::<IpAddr>().is_ok_and(|own| own == address.to_canonical());
        self.has(address, port)
            || (self.port.is_none_or(|own| own == port)
                && matches!(&self.hosts, Hosts::One(host) if one(host)))
    }
}

fn starts_alike(one: IpAddr, other: IpAddr, bits: u8) -> bool {
    let wide = |address: IpAddr| match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)) << 96, 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    };
    let ((one, width), (other, other_width)) = (wide(one), wide(other));
    let kept = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
    width == other_width && one & kept == other & kept
}

impl FromStr for HostPattern {
    type Err = BadPattern;

    fn from_str(text: &str) -> Result<Self, BadPattern> {
        read(text.trim()).ok_or_else(|| BadPattern(text.chars().take(100).collect()))
    }
}

fn read(text: &str) -> Option<HostPattern> {
    if let Some((first, bits)) = text.split_once('/') {
        let first = first.trim_matches(['[', ']']).parse::<IpAddr>().ok()?.to_canonical();
        let bits = bits.parse().ok()?;
        let widest = if first.is_ipv4() { 32 } else { 128 };
        return (bits <= widest).then_some(HostPattern { hosts: Hosts::Range { first, bits }, port: None });
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(HostPattern { hosts: Hosts::One(address.to_canonical().to_string()), port: None });
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, Some(port.parse().ok()?)),
        None => (text, None),
    };
    if let Some(end) = host.strip_prefix("*.") {
        return Some(HostPattern { hosts: Hosts::Below(plain_name(end)?), port });
    }
    // As addresses are read in addresses of pages, so that `0x7f.1` is what it leads to.
    let host = match url::Host::parse(host).ok()? {
        url::Host::Domain(name) => plain_name(&name)?,
        url::Host::Ipv4(address) => address.to_string(),
        url::Host::Ipv6(address) => IpAddr::from(address).to_canonical().to_string(),
    };
    Some(HostPattern { hosts: Hosts::One(host), port })
}

fn plain_name(text: &str) -> Option<String> {
    let name = name::normal(text);
    let right = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!name.is_empty() && !name.starts_with('.') && name.chars().all(right)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_means_what_it_says() {
        for (pattern, host, port, wanted) in [
            ("localhost:3000", "localhost", 3000, true),
            ("localhost:3000", "localhost", 3001, false),
            ("localhost:3000", "127.0.0.1", 3000, false),
            ("LocalHost.", "localhost", 80, true),
            ("10.0.0.5", "10.0.0.5", 8080, true),
            ("10.0.0.5", "10.0.0.50", 8080, false),
            ("10.0.0.5:80", "10.0.0.5", 80, true),
            ("0x7f.1", "127.0.0.1", 80, true),
            ("[::1]:3000", "::1", 3000, true),
            ("::1", "::1", 3000, true),
            ("*.corp.example", "wiki.corp.example", 443, true),
            ("*.corp.example", "corp.example", 443, false),
            ("*.corp.example", "evilcorp.example", 443, false),
            ("*.corp.example:443", "a.b.corp.example", 80, false),
            ("10.0.0.0/8", "10.255.1.2", 1, true),
            ("10.0.0.0/8", "11.0.0.1", 1, false),
            ("10.0.0.0/8", "example.org", 1, false),
            ("0.0.0.0/0", "8.8.8.8", 1, true),
            ("0.0.0.0/0", "::1", 1, false),
            ("fd00::/8", "fd12::1", 1, true),
        ] {
            let read: HostPattern = pattern.parse().unwrap();
            assert_eq!(read.names(host, port), wanted, "{pattern} {host}:{port}");
        }
        for bad in ["", "*", "*.", "a b", "http://a", "a/b", "10.0.0.0/33", "a:99999", "a:", "*.*.a", "a:b:c"]
        {
            assert!(bad.parse::<HostPattern>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_that_leads_to_an_allowed_address_is_not_that_address() {
        let one: HostPattern = "10.0.0.5".parse().unwrap();
        let range: HostPattern = "10.0.0.0/24".parse().unwrap();
        let there = "10.0.0.5".parse().unwrap();
        assert!(!one.has(there, 80) && one.reaches(there, 80));
        assert!(range.has(there, 80) && range.reaches(there, 80));
        assert!(range.has("::ffff:10.0.0.5".parse().unwrap(), 80), "however it is written");
    }
}
