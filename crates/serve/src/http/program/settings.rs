//! Settings, as the server asks the program for them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::http::error::ApiError;

/// Shows and changes settings. Both wait for the disk.
pub trait SettingsDesk: Send + Sync {
    /// All of them, without secrets.
    fn settings(&self) -> Result<SettingsAnswer, ApiError>;

    /// Writes these into the person's config file, all or none; `null` takes one out of it.
    fn change(&self, changes: &BTreeMap<String, Value>) -> Result<SettingsAnswer, ApiError>;
}

/// Every setting, and what is to be known about them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingsAnswer {
    pub settings: Vec<SettingItem>,
    /// What was not taken over as it is written, and why.
    pub warnings: Vec<String>,
    /// Settings whose new value counts when the server starts anew.
    pub restart_needed: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingItem {
    pub key: String,
    /// What it is set to, whatever layer that comes from.
    pub value: Value,
    pub default: Value,
    pub source: SettingSource,
    pub about: String,
}

/// The layer that a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingSource {
    pub from: SourceKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    Default,
    File,
    Workspace,
    Environment,
    Flag,
}
