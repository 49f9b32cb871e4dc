//! The settings of the way out to the network.

use deskhand_guard::{Outbound, outbound::HostPattern};
use serde_json::{Value, json};

use super::{
    Settings,
    known::{Known, is},
};

pub(super) const KNOWN: &[Known] = &[
    Known {
        key: "network.allow",
        about: "Private hosts that are gone to like public ones, such as \"localhost:3000\", \"10.0.0.5\", \"*.corp.example\" or \"10.0.0.0/8\" (a range also covers names that lead into it)",
        default: || json!([]),
        check: hosts,
        tightens: |old, new| is_within(new, old),
    },
    Known {
        key: "network.deny",
        about: "Hosts that are never gone to, in the same forms",
        default: || json!([]),
        check: hosts,
        tightens: |old, new| is_within(old, new),
    },
];

fn list(value: &Value) -> Vec<HostPattern> {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(|text| text.parse().ok()).collect()
}

fn hosts(value: &Value) -> Result<(), &'static str> {
    let right = value.as_array().is_some_and(|items| items.len() == list(value).len());
    is(right, "a list of hosts such as [\"localhost:3000\", \"*.corp.example\", \"10.0.0.0/8\"]")
}

fn is_within(part: &Value, whole: &Value) -> bool {
    let whole = list(whole);
    list(part).iter().all(|pattern| whole.contains(pattern))
}

impl Settings {
    /// Where this program may go by itself.
    pub fn outbound(&self) -> Outbound {
        Outbound::new(list(self.value("network.allow")), list(self.value("network.deny")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_allows_no_host_and_denies_more() {
        let (none, one, two) =
            (json!([]), json!(["localhost:3000"]), json!(["localhost:3000", "10.0.0.0/8"]));
        let [allow, deny] = KNOWN else { panic!("two settings") };
        for (old, new, allows, denies) in
            [(&none, &one, false, true), (&two, &one, true, false), (&one, &one, true, true)]
        {
            assert_eq!(
                ((allow.tightens)(old, new), (deny.tightens)(old, new)),
                (allows, denies),
                "{old} → {new}"
            );
        }
        for (value, right) in
            [(json!(["*.a.example"]), true), (json!("a"), false), (json!(["http://a"]), false)]
        {
            assert_eq!((allow.check)(&value).is_ok(), right, "{value}");
        }
    }
}
