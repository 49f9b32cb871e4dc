//! The settings of the server.

use serde_json::{Value, json};

use super::{
    conversation::{at_most, stays},
    known::{Known, a_bool, is},
};

pub(super) const KNOWN: &[Known] = &[
    Known {
        key: "serve.hosts",
        about: "Names, beside its address, under which the server may be asked for",
        default: || json!([]),
        check: |value| is(names(value).is_some(), "a list of host names, such as [\"desk.example\"]"),
        // A folder that somebody sent must not open the server to another name.
        tightens: stays,
    },
    Known {
        key: "serve.requests_per_second",
        about: "How many requests one person may make in a second",
        default: || json!(1000),
        check: |value| {
            is(value.as_u64().is_some_and(|n| (1..=1_000_000).contains(&n)), "a number from 1 to 1000000")
        },
        tightens: at_most,
    },
    Known {
        key: "mcp.ask_in_client",
        about: "Whether a question about an MCP client's call is put to the client, too, and not to the page and terminals alone",
        default: || json!(true),
        check: a_bool,
        tightens: |old, new| new == &json!(false) || new == old,
    },
    Known {
        key: "mcp.structured_content",
        about: "Whether MCP clients get structured content with every result, and not only where it says more than the text",
        default: || json!(false),
        check: a_bool,
        // It decides nothing about what is allowed, only its form.
        tightens: |_, _| true,
    },
];

fn names(value: &Value) -> Option<Vec<String>> {
    let name = |value: &Value| value.as_str().filter(|name| !name.is_empty()).map(str::to_owned);
    value.as_array()?.iter().map(name).collect()
}

impl super::Settings {
    pub fn serve_hosts(&self) -> Vec<String> {
        names(self.value("serve.hosts")).unwrap_or_default()
    }

    pub fn mcp_ask_in_client(&self) -> bool {
        self.value("mcp.ask_in_client").as_bool().unwrap_or(true)
    }

    pub fn mcp_structured_content(&self) -> bool {
        self.value("mcp.structured_content").as_bool().unwrap_or(false)
    }

    pub fn serve_requests_per_second(&self) -> u32 {
        let set = self.value("serve.requests_per_second").as_u64();
        set.and_then(|n| u32::try_from(n).ok()).unwrap_or(1000)
    }
}
