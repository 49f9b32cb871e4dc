//! What a target is told before any of its own code runs.

use serde_json::json;

use super::{Identity, Kind, Stealth};
use crate::cdp::Session;

impl Stealth {
    /// Prepares a target that waits: all of it is posted before it is let run, so that nothing of the page comes first.
    pub fn prepare(self, session: &Session, kind: Kind, identity: Option<&Identity>) {
        let Some(identity) = identity.filter(|_| self == Self::On) else { return };
        let name = json!({"userAgent": identity.user_agent, "userAgentMetadata": identity.hints});
        // Workers have only one of the two domains.
        let domain = if kind == Kind::Worker { "Network" } else { "Emulation" };
        session.post(&format!("{domain}.setUserAgentOverride"), &name);
    }
}
