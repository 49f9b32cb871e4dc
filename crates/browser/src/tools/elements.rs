//! What the tools that act on an element share: how it is named, what the plan says of it, and that it is still so.

use deskhand_core::{Cx, Permission, Plan, ToolError, ToolResult};
use serde_json::Value;

use super::hands::{self, ACTS};
use crate::{
    Browsers,
    cdp::Connection,
    page::{Page, PageError, Target},
};

/// An element by ref or selector, or a point, as a tool's input names it.
pub fn target(
    reference: Option<&String>,
    selector: Option<&String>,
    x: Option<f64>,
    y: Option<f64>,
) -> ToolResult<Target> {
    let given = |text: Option<&String>| text.filter(|text| !text.trim().is_empty()).cloned();
    let target = Target { reference: given(reference), selector: given(selector), x, y };
    let ways = [target.reference.is_some(), target.selector.is_some(), x.is_some() || y.is_some()];
    match ways.iter().filter(|way| **way).count() {
        1 if x.is_some() != y.is_some() => {
            Err(ToolError::invalid("half_a_point", "A point has both x and y."))
        }
        1 => Ok(target),
        0 => Err(ToolError::invalid(
            "no_target",
            "Name the element: by ref (from browser_snapshot) or selector, or by a point where the tool takes x and y.",
        )),
        _ => {
            Err(ToolError::invalid("two_targets", "Name the element in one way: ref, selector, or a point."))
        }
    }
}

/// The target in words, as the caller named it.
pub fn shown(target: &Target) -> String {
    match (&target.reference, &target.selector, target.x, target.y) {
        (Some(reference), ..) => format!("ref {}", hands::short(reference)),
        (_, Some(selector), ..) => format!("«{}»", hands::short(selector)),
        (.., Some(x), Some(y)) => format!("the point {x}, {y}"),
        _ => "nothing".to_owned(),
    }
}

/// What the page says of an element, for a plan; `None` where no browser runs, or there is no such element (yet).
pub async fn described(cx: &Cx, target: &Target) -> ToolResult<Option<Value>> {
    let Some(browser) = cx.service::<Browsers>()?.running(cx.session_id()) else { return Ok(None) };
    let page = Page::take(browser, cx.cancel_token().clone()).await?;
    describe(&page, target).await
}

async fn describe(page: &Page, target: &Target) -> ToolResult<Option<Value>> {
    match page.ask_about(target, "describe", &Value::Null, Connection::USUAL).await {
        Ok(found) => Ok(Some(found.answer)),
        Err(PageError::Element { code: "not_found" | "stale_ref", .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The plan of an act on an element. One that sends a form is asked about every time.
pub fn plan(
    cx: &Cx,
    does: &str,
    target: &Target,
    described: Option<&Value>,
    sends: Option<&Value>,
) -> ToolResult<Plan> {
    let line = described.and_then(|described| described["line"].as_str());
    let what = line.map_or_else(|| shown(target), |line| format!("{line}, {}", shown(target)));
    let mut plan = hands::on_page(cx, &format!("{does} {what}"), Permission::Moderate, ACTS)?;
    let Some(form) = sends.filter(|form| form.is_object()) else { return Ok(plan) };
    let text = |key: &str| form[key].as_str().unwrap_or_default().to_owned();
    plan = plan.at_least(Permission::Sensitive, "browser:submit", "It sends a form.").note(format!(
        "It sends a form ({} {}).",
        text("method").to_uppercase(),
        text("action")
    ));
    if let Some(host) = hands::host_of(&text("action")).filter(|host| !plan.hosts.contains(host)) {
        plan = plan.note(format!("The form goes to another host: {host}."));
        plan.hosts.push(host);
    }
    Ok(plan)
}

/// Before the act: what was not known to send a form when it was approved, and does, is asked anew.
pub async fn still_approved(cx: &Cx, page: &Page, target: &Target, sends: &str) -> ToolResult<()> {
    let described = describe(page, target).await?;
    let submits = described.is_some_and(|described| described[sends].is_object());
    let approved = cx.plan().is_none_or(|plan| plan.permission >= Permission::Sensitive);
    if submits && !approved {
        return Err(ToolError::plan_changed("That would send a form."));
    }
    Ok(())
}

/// What a tool says that acted on an element.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Acted {
    /// The element, as a snapshot shows it.
    pub element: String,
    /// Where the page is now.
    pub url: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

impl Acted {
    pub fn new(page: &Page, element: &Value, mut notices: Vec<String>) -> ToolResult<Self> {
        notices.extend(page.notices());
        let element = element.as_str().unwrap_or_default().to_owned();
        Ok(Self { element, url: page.tab(|tab| tab.url().to_owned())?, notices })
    }

    pub fn text(&self, did: &str) -> String {
        hands::with_notices(format!("{did} {}. The page is {}.", self.element, self.url), &self.notices)
    }
}
