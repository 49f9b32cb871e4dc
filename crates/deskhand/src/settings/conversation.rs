//! The settings of conversations: the model, the providers, the limits of a turn.

use serde_json::{Value, json};

use super::known::{Known, a_bool, is};

pub(super) const KNOWN: &[Known] = &[
    Known {
        key: "model",
        about: "The model to talk to, as PROVIDER/NAME; empty: the first one that is found",
        default: || json!(""),
        check: a_model,
        tightens: stays,
    },
    Known {
        key: "fallback_model",
        about: "The model to ask where the first one does not answer, as PROVIDER/NAME",
        default: || json!(""),
        check: a_model,
        tightens: stays,
    },
    Known {
        key: "instructions",
        about: "What is said to the model at the start of every conversation",
        default: || json!(""),
        check: |value| {
            is(value.as_str().is_some_and(|text| text.len() <= 16_384), "a text of at most 16384 bytes")
        },
        tightens: stays,
    },
    Known {
        key: "chain.max_rounds",
        about: "How many times the model is asked in one turn",
        default: || json!(50),
        check: |value| {
            is(value.as_u64().is_some_and(|n| (1..=10_000).contains(&n)), "a number from 1 to 10000")
        },
        tightens: at_most,
    },
    Known {
        key: "chain.max_calls",
        about: "How many calls are made in one turn",
        default: || json!(200),
        check: |value| {
            is(value.as_u64().is_some_and(|n| (1..=100_000).contains(&n)), "a number from 1 to 100000")
        },
        tightens: at_most,
    },
    Known {
        key: "chain.max_tokens",
        about: "How many tokens, in and out, one turn may use; 0: no limit",
        default: || json!(0),
        check: |value| is(value.is_u64(), "a number"),
        tightens: at_most_or_none,
    },
    Known {
        key: "chain.max_time_s",
        about: "How many seconds one turn may take; 0: no limit",
        default: || json!(0),
        check: |value| is(value.is_u64(), "a number of seconds"),
        tightens: at_most_or_none,
    },
    Known {
        key: "chain.max_cost",
        about: "How many US dollars one turn may cost, where prices are known; 0: no limit",
        default: || json!(0),
        check: |value| is(value.as_f64().is_some_and(|n| n >= 0.0), "an amount"),
        tightens: |old, new| match (old.as_f64().unwrap_or(0.0), new.as_f64().unwrap_or(0.0)) {
            (old, new) if old > 0.0 => new > 0.0 && new <= old,
            _ => true,
        },
    },
    Known {
        key: "chain.check_results",
        about: "Whether every result is shown to a person before the model sees it",
        default: || json!(false),
        check: a_bool,
        tightens: |old, new| new == &json!(true) || new == old,
    },
];

/// `providers.NAME.…`, which can be set for every provider.
pub const PROVIDER: Known = Known {
    key: "providers.NAME.base_url, .context_tokens, .native_tools, .constrains, .images, .headers.…, .extra.…",
    about: "How a provider is reached and what its server can do; `extra` goes into every request as it is",
    default: || Value::Null,
    check: |_| Ok(()),
    tightens: stays,
};

const FIELDS: [&str; 5] = ["base_url", "context_tokens", "native_tools", "constrains", "images"];
const TABLES: [&str; 2] = ["headers", "extra"];

/// The provider and the rest of a `providers.…` key.
pub fn provider_key(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix("providers.")?.split_once('.')
}

/// Whether the value may be a secret: headers and the like often carry a key.
pub fn is_private(key: &str) -> bool {
    provider_key(key).is_some_and(|(_, rest)| TABLES.contains(&rest.split('.').next().unwrap_or(rest)))
}

pub(super) fn of_a_provider(key: &str) -> Option<&'static Known> {
    let (_, rest) = provider_key(key)?;
    let is_known =
        FIELDS.contains(&rest) || rest.split_once('.').is_some_and(|(table, _)| TABLES.contains(&table));
    is_known.then_some(&PROVIDER)
}

/// The field of a provider that may be meant by one that there is not.
pub(super) fn near(key: &str) -> Option<String> {
    let (provider, rest) = provider_key(key)?;
    let field = deskhand_core::arguments::nearest(rest, FIELDS.into_iter().chain(TABLES))?;
    let rest = if TABLES.contains(&field) { ".NAME" } else { "" };
    Some(format!("providers.{provider}.{field}{rest}"))
}

fn a_model(value: &Value) -> Result<(), &'static str> {
    is(
        value.as_str().is_some_and(|text| {
            text.is_empty() || text.split_once('/').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
        }),
        "PROVIDER/NAME, such as \"openai/gpt-5\"",
    )
}

/// A folder does not say whom the person talks to, or what is said.
pub(super) fn stays(old: &Value, new: &Value) -> bool {
    old == new
}

pub(super) fn at_most(old: &Value, new: &Value) -> bool {
    new.as_u64() <= old.as_u64()
}

fn at_most_or_none(old: &Value, new: &Value) -> bool {
    match (old.as_u64().unwrap_or(0), new.as_u64().unwrap_or(0)) {
        (0, _) => true,
        (old, new) => new > 0 && new <= old,
    }
}
