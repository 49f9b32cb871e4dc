//! The limits of a turn, as they stand in the settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a turn may go by itself. What is left out has its default; a limit that is not set does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolChainOptions {
    /// Requests to the model.
    pub max_rounds: u32,
    /// Calls of tools.
    pub max_calls: u32,
    /// Tokens that the model read and wrote, together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Seconds, waiting for a person not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_time_s: Option<u64>,
    /// US dollars. Holds only where the price of the model is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<f64>,
    /// Ask the person before any result goes to the model.
    pub check_results: bool,
    /// Calls that run side by side at most.
    pub max_parallel: usize,
}

impl Default for ToolChainOptions {
    fn default() -> Self {
        Self {
            max_rounds: 50,
            max_calls: 200,
            max_tokens: None,
            max_time_s: None,
            max_cost: None,
            check_results: false,
            max_parallel: 8,
        }
    }
}
