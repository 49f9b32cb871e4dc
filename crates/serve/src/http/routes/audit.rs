//! What was done: the records of one's own calls, and whether the whole record is as it was written.

use std::sync::Arc;

use aide::axum::{ApiRouter, routing::get_with};
use axum::{Json, extract::State};
use deskhand_core::{
    audit::{AuditQuery, KeptRecord},
    session::Owner,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paging::PageParams;
use crate::http::{app::App, error::ApiError, extract::Params, person::Person};

/// Every page is read from the end of the log: far pages cost as much as all before them.
const MOST_ON_A_PAGE: u64 = 1_000;
const FARTHEST: u64 = 100_000;

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/v1/audit",
            get_with(list, |op| {
                op.id("listAudit").summary("Records of your calls, newest first").tag("audit")
            }),
        )
        .api_route(
            "/api/v1/audit/verify",
            get_with(verify, |op| {
                op.id("verifyAudit").summary("Whether the whole record is as it was written").tag("audit")
            }),
        )
}

#[derive(Deserialize, JsonSchema)]
struct AuditParams {
    #[serde(flatten)]
    page: PageParams,
    tool: Option<String>,
    /// `started`, or how the call ended: `success`, `error`, …
    status: Option<String>,
    session_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct AuditList {
    records: Vec<KeptRecord>,
    /// Whether there are older ones.
    has_more: bool,
}

async fn list(
    State(app): State<App>,
    person: Person,
    Params(params): Params<AuditParams>,
) -> Result<Json<AuditList>, ApiError> {
    let page = params.page.ask();
    if page.page == 0
        || page.size == 0
        || page.size > MOST_ON_A_PAGE
        || page.page.saturating_mul(page.size) > FARTHEST
    {
        return Err(ApiError::invalid(format!(
            "`page` must be at least 1, `page_size` 1 to {MOST_ON_A_PAGE}, and both together reach {FARTHEST} records"
        ))
        .hint("`deskhand audit` at the command line reads all of it."));
    }
    let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let query = AuditQuery {
        tool: given(params.tool),
        status: given(params.status),
        session_id: given(params.session_id),
        owner: Some(Owner::Only(person.user)),
        limit: number(page.size),
        page: number(page.page),
        ..AuditQuery::default()
    };
    let trail = Arc::clone(app.audit());
    let found = app.blocking(move || Ok(trail.query(&query)?)).await?;
    Ok(Json(AuditList { has_more: found.has_more(), records: found.records }))
}

#[derive(Serialize, JsonSchema)]
struct Verified {
    intact: bool,
    /// How many records there are, of everybody's calls.
    records: u64,
    /// What is wrong, where something is. Details are for the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

async fn verify(State(app): State<App>, person: Person) -> Result<Json<Verified>, ApiError> {
    let trail = Arc::clone(app.audit());
    let report = app.blocking(move || Ok(trail.verify()?)).await?;
    let intact = report.is_intact();
    let problem = (!intact).then(|| match report.findings.first() {
        Some(finding) if person.is_owner() => finding.message.clone(),
        _ => "the record is not as it was written: tell the owner of this installation".to_owned(),
    });
    Ok(Json(Verified { intact, records: report.records, problem }))
}
