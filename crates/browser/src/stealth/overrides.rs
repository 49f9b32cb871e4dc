//! What a target is told before any of its own code runs.

use serde_json::json;

use super::{Identity, Kind, Stealth};
use crate::cdp::Session;

impl Stealth {
    /// Prepares a target that waits: all of it is posted before it is let run, so that nothing of the page comes first.
    pub fn prepare(self, session: &Session, kind: Kind, identity: Option<&Identity>) {
        if self == Self::Off {
            return;
        }
        if kind == Kind::Page {
            // A window that nobody clicked on has no focus; and one that is used has.
            session.post("Emulation.setFocusEmulationEnabled", &json!({"enabled": true}));
        }
        if let Some(identity) = identity {
            let name = json!({"userAgent": identity.user_agent, "userAgentMetadata": identity.hints});
            session.post("Emulation.setUserAgentOverride", &name);
            if kind == Kind::Worker {
                // For what it asks the network for.
                session.post("Network.setUserAgentOverride", &name);
            }
        }
    }
}
