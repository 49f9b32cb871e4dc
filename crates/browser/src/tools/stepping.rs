//! What every tool says that leads to another page.

use deskhand_core::{Cx, Permission, Plan, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    elements,
    hands::{self, ACTS, LIMIT, with_notices},
    sending::Sends,
};
use crate::page::{Navigated, Page, Step, WaitUntil};

/// No parameters.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// Where the browser is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Arrived {
    #[serde(flatten)]
    there: Navigated,
    /// What happened on the way: dialogs, new tabs, downloads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Arrived {
    pub fn new(there: Navigated, mut notices: Vec<String>, page: &Page) -> Self {
        notices.extend(page.notices());
        Self { there, notices }
    }

    pub fn render(&self) -> Rendered {
        let Navigated { url, title, status, download } = &self.there;
        let status = status.filter(|status| *status >= 400).map(|status| format!(" (HTTP status {status})"));
        let text = if *download {
            format!("That address is a download; the browser is still at {url}.")
        } else {
            format!("{url}{}: «{title}»", status.unwrap_or_default())
        };
        Rendered::text(with_notices(text, &self.notices))
    }
}

/// The plan of a step in the history.
pub fn plan(cx: &Cx, does: &str) -> ToolResult<Plan> {
    Ok(hands::in_document(hands::on_page(cx, does, Permission::Moderate, ACTS)?, None))
}

pub async fn step(cx: &Cx, step: Step) -> ToolResult<Arrived> {
    let (page, notices) = hands::same_page(cx).await?;
    let there = page.step(step, WaitUntil::Load, LIMIT).await?;
    Ok(Arrived::new(there, notices, &page))
}

/// The plan of loading a page anew. If that page was the answer to a form, the form is sent again.
pub async fn plan_reload(cx: &Cx) -> ToolResult<Plan> {
    match hands::looked_at(cx).await? {
        Some(page) => of_reload(cx, &page).await,
        None => plan(cx, RELOAD),
    }
}

const RELOAD: &str = "Load the page anew";

async fn of_reload(cx: &Cx, page: &Page) -> ToolResult<Plan> {
    let sends = if page.reload_sends().await? {
        Sends::Perhaps("the page may be the answer to one, which would be sent again")
    } else {
        Sends::Nothing
    };
    Ok(sends.settle(plan(cx, RELOAD)?))
}

pub async fn reload(cx: &Cx) -> ToolResult<Arrived> {
    let (page, notices) = hands::same_page(cx).await?;
    elements::still_approved(cx, &of_reload(cx, &page).await?)?;
    let there = page.reload(WaitUntil::Load, LIMIT).await?;
    Ok(Arrived::new(there, notices, &page))
}
