//! What an answer used, wherever a server puts it.

use deskhand_core::session::Usage;
use serde_json::Value;

use crate::provider::presets::{Counts, Price};

/// Finds the usage in a chunk: beside the choices, in the choice, or where some hosts of models hide it.
pub(super) fn find(chunk: &Value) -> Option<&Value> {
    ["/usage", "/x_groq/usage", "/choices/0/usage", "/choices/0/delta/usage", "/choices/0/message/usage"]
        .iter()
        .find_map(|at| chunk.pointer(at))
        .filter(|usage| usage.is_object())
}

pub(super) fn read(usage: &Value, price: Option<Price>) -> Usage {
    let number = |paths: &[&str]| paths.iter().find_map(|at| usage.pointer(at)?.as_u64()).unwrap_or(0);
    let counts = Counts {
        input: number(&["/prompt_tokens", "/input_tokens"]),
        output: number(&["/completion_tokens", "/output_tokens"]),
        cached: number(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cached_tokens",
        ]),
        cache_written: 0,
    };
    // A router that says what it charges knows better than a list.
    let told = usage.get("cost").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0);
    let mut read = counts.usage(price);
    read.cost = told.or(read.cost);
    read
}
