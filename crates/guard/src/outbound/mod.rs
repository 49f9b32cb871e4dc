//! The outbound guard: where requests may go, judged by the address that is really connected to.
//!
//! | | |
//! |---|---|
//! | [`AddressKind`] | what an address is |
//! | [`HostPattern`] | an entry of `network.allow` or `network.deny` |
//! | [`Outbound::judge_url`] | what a plan says of an address, without asking any resolver |
//! | [`Outbound::connect`] | the way out: looked up once, every address judged, one of those connected to |
//! | [`Allowed`] | the private hosts that a person has approved |
//!
//! It knows nothing of browsers, whose pages go out through here. (Programs that the shell runs have a network or have
//! none: that is the sandbox's. Servers that a person configured are the person's.)

mod address;
mod allowed;
mod connect;
mod judge;
mod name;
mod pattern;
mod resolve;
#[cfg(test)]
mod tests;
mod verdict;

use std::sync::Arc;

pub use self::{
    address::AddressKind,
    allowed::Allowed,
    connect::ConnectError,
    pattern::{BadPattern, HostPattern},
    resolve::{Addresses, Resolve, SystemResolver},
    verdict::{Reason, Refused, Verdict},
};

/// The policy, and the way out. Cheap to clone.
#[derive(Clone)]
pub struct Outbound(Arc<Inner>);

struct Inner {
    /// `network.allow`: private hosts that count as public ones.
    allow: Vec<HostPattern>,
    /// `network.deny`: never gone to.
    deny: Vec<HostPattern>,
    resolver: Box<dyn Resolve>,
}

impl Outbound {
    pub fn new(allow: Vec<HostPattern>, deny: Vec<HostPattern>) -> Self {
        Self::with_resolver(allow, deny, SystemResolver)
    }

    /// With another way to look names up.
    pub fn with_resolver(
        allow: Vec<HostPattern>,
        deny: Vec<HostPattern>,
        resolver: impl Resolve + 'static,
    ) -> Self {
        Self(Arc::new(Inner { allow, deny, resolver: Box::new(resolver) }))
    }
}

impl Default for Outbound {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new())
    }
}

impl std::fmt::Debug for Outbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Inner { allow, deny, .. } = &*self.0;
        f.debug_struct("Outbound").field("allow", allow).field("deny", deny).finish_non_exhaustive()
    }
}
