//! What every tool says that leads to another page.

use deskhand_core::{Cx, Permission, Plan, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hands::{self, ACTS, LIMIT, with_notices};
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
    hands::on_page(cx, does, Permission::Moderate, ACTS)
}

pub async fn step(cx: &Cx, step: Step) -> ToolResult<Arrived> {
    let (page, notices) = hands::same_page(cx).await?;
    let there = page.step(step, WaitUntil::Load, LIMIT).await?;
    Ok(Arrived::new(there, notices, &page))
}

pub async fn reload(cx: &Cx) -> ToolResult<Arrived> {
    let (page, notices) = hands::same_page(cx).await?;
    let there = page.reload(WaitUntil::Load, LIMIT).await?;
    Ok(Arrived::new(there, notices, &page))
}
