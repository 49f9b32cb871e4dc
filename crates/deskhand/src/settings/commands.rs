//! The settings of commands: how long they are waited for, and the limits of CountBot's `exec`.

use std::time::Duration;

use deskhand_core::Registry;
use serde_json::{Map, Value, json};

use super::{
    Settings,
    conversation::at_most,
    known::{Known, is},
};

const WAIT: &str = "shell.wait_s";
const EXEC_TIMEOUT: &str = "dialects.countbot.exec_timeout_s";
const EXEC_OUTPUT: &str = "dialects.countbot.exec_max_output_length";

pub(super) const KNOWN: &[Known] = &[
    Known {
        key: WAIT,
        about: "How many seconds bash_output with block waits at most for a process in the background to end",
        default: || json!(3600),
        check: |value| {
            is(value.as_u64().is_some_and(|n| (1..=86_400).contains(&n)), "a number from 1 to 86400")
        },
        tightens: at_most,
    },
    Known {
        key: EXEC_TIMEOUT,
        about: "After how many seconds a command ends that was run as CountBot's exec",
        default: || json!(30),
        check: |value| is(value.as_u64().is_some_and(|n| (1..=3600).contains(&n)), "a number from 1 to 3600"),
        tightens: at_most,
    },
    Known {
        key: EXEC_OUTPUT,
        about: "How many characters of its output CountBot's exec returns (its max_output_length)",
        default: || json!(10_000),
        check: |value| {
            is(
                value.as_u64().is_some_and(|n| (100..=10_000_000).contains(&n)),
                "a number from 100 to 10000000",
            )
        },
        tightens: at_most,
    },
];

impl Settings {
    /// How long a call waits at most for a process in the background.
    pub fn longest_wait(&self) -> Duration {
        Duration::from_secs(self.value(WAIT).as_u64().unwrap_or(1))
    }

    /// Puts what is set for tools of dialects into the registry.
    pub fn configure_dialects(&self, registry: &mut Registry) {
        let number = |key| self.value(key).as_u64().unwrap_or(0);
        let exec: Map<String, Value> = [
            ("timeout_ms".to_owned(), json!(number(EXEC_TIMEOUT).saturating_mul(1000))),
            ("max_output_chars".to_owned(), json!(number(EXEC_OUTPUT))),
        ]
        .into_iter()
        .collect();
        registry.configure("countbot", "exec", exec);
    }
}
