//! What is said about a way out, before it is taken and when it is refused.

use std::net::IpAddr;

use deskhand_core::{Permission, Plan};

use super::address::AddressKind;

/// What a plan says about an address of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub permission: Permission,
    /// `net:public`, `net:private`, …
    pub rule: &'static str,
    pub why: String,
    /// In normal form; `None` where there is none (`about:blank`).
    pub host: Option<String>,
    pub port: Option<u16>,
}

impl Verdict {
    /// Puts it into a plan: the host, the permission, the rule.
    pub fn settle(&self, plan: Plan) -> Plan {
        let mut plan = plan.at_least(self.permission, self.rule, self.why.clone());
        plan.hosts.extend(self.host.clone());
        plan
    }
}

/// Why a connection was not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("blocked: {}", self.words())]
pub struct Refused {
    pub host: String,
    pub port: u16,
    /// Where the name leads; the same as the host where that is an address.
    pub address: Option<IpAddr>,
    pub reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// By the setting `network.deny`.
    Denied,
    /// By what its address, or its name, is.
    Kind(AddressKind),
}

impl Refused {
    pub fn rule(&self) -> &'static str {
        match self.reason {
            Reason::Denied => "net:denied",
            Reason::Kind(kind) => kind.rule(),
        }
    }

    fn words(&self) -> String {
        let Self { host, port, .. } = self;
        let leads = match self.address {
            Some(address) if address.to_string() != *host => format!("{host} leads to {address}, which"),
            _ => host.clone(),
        };
        match self.reason {
            Reason::Denied => format!("{leads} is denied by the setting network.deny"),
            Reason::Kind(kind) if kind.is_forbidden() => {
                format!("{leads} is {}, and never gone to", kind.words())
            }
            Reason::Kind(kind) => format!(
                "{leads} is {}; only an address that was asked for and approved, or one in the setting network.allow (\"{host}:{port}\"), is gone to there",
                kind.words()
            ),
        }
    }
}
