//! The settings that there are. One row each; help, checks and the environment are derived from it.

use deskhand_core::{CommandPattern, Mode, arguments};
use serde_json::{Value, json};

pub struct Known {
    pub key: &'static str,
    pub about: &'static str,
    pub default: fn() -> Value,
    /// Whether a value is one for this setting; the text says what one would be.
    pub check: fn(&Value) -> Result<(), &'static str>,
    /// Whether the second value lets through at most what the first does: what a workspace may set by itself.
    pub tightens: fn(&Value, &Value) -> bool,
}

/// Every setting but those of single tools and providers.
pub fn all() -> impl Iterator<Item = &'static Known> {
    KNOWN
        .iter()
        .chain(super::browsing::KNOWN)
        .chain(super::commands::KNOWN)
        .chain(super::conversation::KNOWN)
        .chain(super::network::KNOWN)
        .chain(super::serving::KNOWN)
}

const KNOWN: &[Known] = &[
    Known {
        key: "mode",
        about: "How much runs unasked: ask, auto, read-only or unattended",
        default: || json!(Mode::Ask),
        check: |value| {
            is(
                value.as_str().is_some_and(|text| text.parse::<Mode>().is_ok()),
                "ask, auto, read-only or unattended",
            )
        },
        tightens: |old, new| match (mode(old), mode(new)) {
            (Some(old), Some(new)) => new.at_least_as_tight_as(old),
            _ => false,
        },
    },
    Known {
        key: "restrict_to_workspace",
        about: "Whether everything outside the workspace is blocked, reading too",
        default: || json!(false),
        check: a_bool,
        tightens: |old, new| new == &json!(true) || new == old,
    },
    Known {
        key: "read_only_roots",
        about: "Further folders that may be read without a question, as absolute paths or from ~/; writing there is as anywhere outside",
        default: || json!([]),
        check: |value| {
            is(folders(value).is_some(), "a list of folders such as [\"/srv/reference\", \"~/notes\"]")
        },
        tightens: |old, new| {
            let (old, new) = (folders(old).unwrap_or_default(), folders(new).unwrap_or_default());
            new.iter().all(|folder| old.contains(folder))
        },
    },
    Known {
        key: "approval_timeout_s",
        about: "How many seconds a question waits for its answer",
        default: || json!(300),
        check: |value| {
            is(value.as_u64().is_some_and(|n| (1..=86_400).contains(&n)), "a number from 1 to 86400")
        },
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "max_output_chars",
        about: "How many characters of one call's output are handed over; the rest is kept under a handle",
        default: || json!(30_000),
        check: |value| {
            is(
                value.as_u64().is_some_and(|n| (1_000..=10_000_000).contains(&n)),
                "a number from 1000 to 10000000",
            )
        },
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "language",
        about: "The language to speak to people in: auto, en or zh",
        default: || json!("auto"),
        check: |value| is(matches!(value.as_str(), Some("auto" | "en" | "zh")), "auto, en or zh"),
        tightens: |_, _| true,
    },
    Known {
        key: "audit.enabled",
        about: "Whether every call is recorded; switching it off is itself recorded",
        default: || json!(true),
        check: a_bool,
        tightens: |old, new| new == &json!(true) || new == old,
    },
    Known {
        key: "undo.max_bytes",
        about: "How much room all before-images may take; one call may take a quarter of it",
        default: || json!(2_147_483_648_u64),
        check: |value| is(value.is_u64(), "a number of bytes"),
        tightens: |old, new| new.as_u64() >= old.as_u64(),
    },
    Known {
        key: "undo.ignored_mb",
        about: "How many MiB of git-ignored output of one command can be undone; more is kept all the same",
        default: || json!(256),
        check: |value| is(value.as_u64().is_some_and(|n| n <= 1 << 30), "a number of MiB"),
        tightens: |old, new| new.as_u64() >= old.as_u64(),
    },
    Known {
        key: "undo.max_age_days",
        about: "How many days before-images are kept",
        default: || json!(30),
        check: |value| is(value.as_u64().is_some_and(|n| n <= 36_500), "a number of days, at most 36500"),
        tightens: |old, new| new.as_u64() >= old.as_u64(),
    },
    Known {
        key: "sandbox.kind",
        about: "How programs are confined: auto (the strongest that works here), namespaces or landlock",
        default: || json!("auto"),
        check: |value| {
            is(
                matches!(value.as_str(), Some("auto" | "namespaces" | "landlock")),
                "auto, namespaces or landlock",
            )
        },
        // With namespaces demanded, nothing weaker is taken.
        tightens: |old, new| new == old || new == &json!("namespaces"),
    },
    Known {
        key: "sandbox.memory_mb",
        about: "How many MiB of memory one process of a confined program may have",
        default: || json!(8192),
        check: at_least_16,
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "sandbox.processes",
        about: "How many processes and threads one confined program may have at a time",
        default: || json!(2048),
        check: at_least_16,
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "sandbox.file_size_mb",
        about: "How many MiB one file may have that a confined program writes",
        default: || json!(8192),
        check: |value| is(value.as_u64().is_some_and(|n| n <= 1 << 30), "a number of MiB"),
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "sandbox.cpu_s",
        about: "How many seconds of computing one process of a confined program may use",
        default: || json!(3600),
        check: |value| is(value.as_u64().is_some_and(|n| (1..=1 << 30).contains(&n)), "a number of seconds"),
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "sandbox.layer_mb",
        about: "How many MiB a command may write before its changes are shown",
        default: || json!(20_480),
        check: at_least_16,
        tightens: |old, new| new.as_u64() <= old.as_u64(),
    },
    Known {
        key: "shell.allow_only",
        about: "The commands that alone may run, as patterns such as \"git status *\"; empty: all may",
        default: || json!([]),
        check: patterns,
        // Once there is such a list, it can only get shorter, and not empty.
        tightens: |old, new| list(old).is_empty() || (!list(new).is_empty() && is_within(new, old)),
    },
    Known {
        key: "shell.allow",
        about: "Commands that run without a question where they are moderate, as patterns such as \"cargo test *\"",
        default: || json!([]),
        check: patterns,
        tightens: |old, new| is_within(new, old),
    },
    Known {
        key: "shell.deny",
        about: "Commands that never run, as patterns such as \"git push *\"",
        default: || json!([]),
        check: patterns,
        tightens: |old, new| is_within(old, new),
    },
];

pub const EXECUTION: &str = "requires_execution_approval";
const RESULT: &str = "requires_result_approval";

/// `tools.NAME.requires_…_approval`, which can be set for every tool.
pub const TOOL: Known = Known {
    key: "tools.NAME.requires_execution_approval, tools.NAME.requires_result_approval",
    about: "Whether a person is asked before a tool runs, or before its result is handed over",
    default: || Value::Null,
    check: a_bool,
    tightens: |old, new| new == &json!(true) || new == old,
};

/// The tool and the flag of a `tools.…` key.
pub fn tool_key(key: &str) -> Option<(&str, &str)> {
    let (tool, flag) = key.strip_prefix("tools.")?.rsplit_once('.')?;
    (flag == EXECUTION || flag == RESULT).then_some((tool, flag))
}

/// The row of a key, or what is wrong with it.
pub fn find(key: &str) -> Result<&'static Known, String> {
    if tool_key(key).is_some() {
        return Ok(&TOOL);
    }
    if let Some(known) = super::conversation::of_a_provider(key) {
        return Ok(known);
    }
    all().find(|known| known.key == key).ok_or_else(|| format!("there is no setting {key} ({})", meant(key)))
}

/// What may have been meant by a name that no setting has.
fn meant(key: &str) -> String {
    if is_a_key(key) {
        return "keys of models are not kept in the config: set the provider's variable, such as OPENAI_API_KEY, or \
                enter the key in `deskhand` or on the page, which keep it in the keyring or in keys.toml"
            .to_owned();
    }
    let of_a_provider = super::conversation::near(key);
    let near =
        of_a_provider.or_else(|| arguments::nearest(key, all().map(|known| known.key)).map(str::to_owned));
    near.map_or_else(|| "`deskhand config` lists all".to_owned(), |near| format!("did you mean {near}?"))
}

/// Whether a name is one that people give to a secret.
fn is_a_key(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).to_lowercase().replace('-', "_");
    matches!(last.as_str(), "key" | "apikey" | "token" | "secret" | "password") || last.ends_with("_key")
}

/// `DESKHAND_MODE` for `mode`, `DESKHAND_UNDO_MAX_BYTES` for `undo.max_bytes`.
pub fn variable(key: &str) -> String {
    format!("DESKHAND_{}", key.replace('.', "_").to_uppercase())
}

/// The patterns in a list of them.
pub fn list(value: &Value) -> Vec<CommandPattern> {
    let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(|text| text.parse().ok()).collect()
}

/// The folders in a list of them, where all of them are: absolute, or in the home.
pub fn folders(value: &Value) -> Option<Vec<&str>> {
    let folder = |item| {
        Value::as_str(item).filter(|path| std::path::Path::new(path).is_absolute() || path.starts_with("~/"))
    };
    value.as_array()?.iter().map(folder).collect()
}

fn patterns(value: &Value) -> Result<(), &'static str> {
    let right = value.as_array().is_some_and(|items| items.len() == list(value).len());
    is(
        right,
        "a list of commands such as [\"git commit *\"], each naming a program, with * only as its last word",
    )
}

fn is_within(part: &Value, whole: &Value) -> bool {
    let whole = list(whole);
    list(part).iter().all(|pattern| whole.contains(pattern))
}

fn mode(value: &Value) -> Option<Mode> {
    value.as_str()?.parse().ok()
}

pub(super) fn is(right: bool, wanted: &'static str) -> Result<(), &'static str> {
    if right { Ok(()) } else { Err(wanted) }
}

/// Less, and no program starts.
fn at_least_16(value: &Value) -> Result<(), &'static str> {
    is(value.as_u64().is_some_and(|n| (16..=1 << 30).contains(&n)), "a number, at least 16")
}

pub(super) fn a_bool(value: &Value) -> Result<(), &'static str> {
    is(value.is_boolean(), "true or false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_workspace_sets_only_gets_tighter() {
        let (none, a, ab) = (json!([]), json!(["a *"]), json!(["a *", "b"]));
        for (key, old, new, tightens) in [
            ("shell.allow_only", &none, &ab, true),
            ("shell.allow_only", &ab, &a, true),
            ("shell.allow_only", &a, &ab, false),
            ("shell.allow_only", &a, &none, false),
            ("shell.allow", &ab, &a, true),
            ("shell.allow", &a, &none, true),
            ("shell.allow", &none, &a, false),
            ("shell.deny", &none, &a, true),
            ("shell.deny", &a, &ab, true),
            ("shell.deny", &ab, &a, false),
            ("read_only_roots", &json!(["/a", "/b"]), &json!(["/b"]), true),
            ("read_only_roots", &json!(["/a"]), &json!(["/a", "/b"]), false),
            ("shell.wait_s", &json!(60), &json!(30), true),
            ("shell.wait_s", &json!(60), &json!(90), false),
            ("dialects.countbot.exec_timeout_s", &json!(30), &json!(31), false),
            ("dialects.countbot.exec_max_output_length", &json!(500), &json!(400), true),
            ("mcp.ask_in_client", &json!(true), &json!(false), true),
            ("mcp.ask_in_client", &json!(false), &json!(true), false),
        ] {
            let known = find(key).unwrap();
            assert_eq!((known.tightens)(old, new), tightens, "{key}: {old} → {new}");
        }
        for (value, right) in
            [(json!(["git push *"]), true), (json!(["*"]), false), (json!("ls"), false), (json!([5]), false)]
        {
            assert_eq!((find("shell.deny").unwrap().check)(&value).is_ok(), right, "{value}");
        }
    }
}
