//! Settings: seen by everybody who is let in, changed by the owner.

use std::{collections::BTreeMap, sync::Arc};

use aide::axum::{ApiRouter, routing::get_with};
use axum::{Json, extract::State};
use deskhand_core::{AuditRecord, Time};
use serde_json::Value;

use crate::http::{
    app::App,
    error::ApiError,
    extract::Body,
    person::Person,
    program::settings::{SettingsAnswer, SettingsDesk},
};

/// What others see in the place of a value that is the owner's own business.
const NOT_SHOWN: &str = "(set, not shown)";

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/v1/settings",
        get_with(show, |op| {
            op.id("getSettings").summary("Every setting, its value and where that comes from").tag("settings")
        })
        .put_with(change, |op| {
            op.id("changeSettings")
                .summary("Change settings in the config file of the owner")
                .description("An object of setting and value; `null` takes one out of the file. All or none.")
                .tag("settings")
        }),
    )
}

fn desk(app: &App) -> Result<Arc<dyn SettingsDesk>, ApiError> {
    app.program().settings().ok_or_else(|| ApiError::not_found("this program has no settings to show"))
}

async fn show(State(app): State<App>, person: Person) -> Result<Json<SettingsAnswer>, ApiError> {
    let desk = desk(&app)?;
    let answer = app.blocking(move || desk.settings()).await?;
    Ok(Json(if person.is_owner() { answer } else { for_others(answer) }))
}

async fn change(
    State(app): State<App>,
    person: Person,
    Body(changes): Body<BTreeMap<String, Value>>,
) -> Result<Json<SettingsAnswer>, ApiError> {
    person.must_be_owner("changing settings")?;
    if let Some(key) = changes.keys().find(|key| AT_THE_MACHINE_ALONE.contains(&key.as_str())) {
        return Err(ApiError::forbidden("not_over_http", format!("{key} is not changed over HTTP"))
            .hint("Set it in the config file, at the machine itself."));
    }
    // The keys of the environment, and headers, go to whatever address is set here.
    if let Some(key) = changes.keys().find(|key| key.starts_with("providers.") && key.ends_with(".base_url"))
    {
        person.must_be_here(&format!("{key} is changed"), "Set the provider up under Models instead.")?;
    }
    Ok(Json(make(&app, &person, changes).await?))
}

/// Makes a change of the owner's.
pub(super) async fn make(
    app: &App,
    person: &Person,
    changes: BTreeMap<String, Value>,
) -> Result<SettingsAnswer, ApiError> {
    let desk = desk(app)?;
    let (audit, record) = (Arc::clone(&app.gate().audit), record(app, person, &changes));
    app.blocking(move || {
        // Written down first: a change that cannot be recorded is not made.
        audit.append(&record)?;
        desk.change(&changes)
    })
    .await
}

/// What a stolen token must not be able to switch off.
const AT_THE_MACHINE_ALONE: &[&str] = &["audit.enabled", "sandbox.kind"];

/// A change of settings as the audit keeps it.
fn record(app: &App, person: &Person, changes: &BTreeMap<String, Value>) -> AuditRecord {
    let changes: serde_json::Map<String, Value> = changes.clone().into_iter().collect();
    let changes = app.gate().screener.mask_value(&Value::Object(changes));
    AuditRecord {
        tool_name: "settings".to_owned(),
        session_id: person.console(),
        owner: person.user.clone(),
        decided_by: Some(person.surface()),
        ..AuditRecord::notice(person.caller(), "changed", changes, Time::now())
    }
}

/// Without what the owner tells the model, whom they talk to, and where their files lie.
fn for_others(mut answer: SettingsAnswer) -> SettingsAnswer {
    for item in &mut answer.settings {
        if (item.key == "instructions" || item.key.starts_with("providers.")) && item.value != item.default {
            item.value = NOT_SHOWN.into();
        }
        item.source.path = None;
    }
    answer.warnings.clear();
    answer
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::program::settings::{SettingItem, SettingSource, SourceKind};

    #[test]
    fn others_do_not_see_what_is_the_owners_own() {
        let item = |key: &str, value: Value| SettingItem {
            key: key.to_owned(),
            value,
            default: json!(""),
            source: SettingSource {
                from: SourceKind::File,
                path: Some("/home/ann/config.toml".to_owned()),
                variable: None,
                flag: None,
            },
            about: String::new(),
        };
        let answer = for_others(SettingsAnswer {
            settings: vec![
                item("instructions", json!("call me Ann")),
                item("providers.custom.base_url", json!("http://ann.example")),
                item("mode", json!("ask")),
            ],
            warnings: vec!["in /home/ann".to_owned()],
            restart_needed: Vec::new(),
        });
        let text = serde_json::to_string(&answer).unwrap();
        assert!(!text.to_lowercase().contains("ann"), "{text}");
        assert!(text.contains("\"ask\""), "{text}");
    }
}
