//! What the tools that act on an element share: how it is named, what the plan says of it, and that it is still so.

use std::time::{Duration, Instant};

use deskhand_core::{Cx, Permission, Plan, ToolError, ToolResult};
use serde_json::{Value, json};

use super::{
    hands::{self, ACTS},
    sending::Sends,
};
use crate::page::{Aimed, Page, PageError, Point, Seen, Target};

/// How long an element that does not stay under the mouse is followed.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(80);

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
pub async fn seen(cx: &Cx, target: &Target) -> ToolResult<Option<Seen>> {
    let Some(page) = hands::looked_at(cx).await? else { return Ok(None) };
    look(&page, target).await
}

async fn look(page: &Page, target: &Target) -> ToolResult<Option<Seen>> {
    match page.look_at(target).await {
        Ok(seen) => Ok(Some(seen)),
        Err(PageError::Element { code: "not_found" | "stale_ref", .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The plan of an act on an element: on the host of the document that has it.
pub fn plan(cx: &Cx, does: &str, target: &Target, seen: Option<&Seen>, sends: &Sends) -> ToolResult<Plan> {
    let line = seen.and_then(|seen| seen.answer["line"].as_str());
    let what = line.map_or_else(|| shown(target), |line| format!("{line}, {}", shown(target)));
    let plan = hands::on_page(cx, &format!("{does} {what}"), Permission::Moderate, ACTS)?;
    Ok(sends.settle(hands::in_document(plan, seen.and_then(|seen| seen.host.as_deref()))))
}

/// Right before the act: on another host than the plan says, or in another way dangerous than it says, it is asked anew.
pub fn still_approved(cx: &Cx, again: &Plan) -> ToolResult<()> {
    let Some(plan) = cx.plan() else { return Ok(()) };
    if again.hosts.iter().any(|host| !plan.hosts.contains(host)) {
        return Err(ToolError::plan_changed("It would act on another host."));
    }
    // What was shown by role, name and ref is that element, and calls itself so, also where nothing about it is sensitive.
    let shown = known(&plan.summary);
    if shown.is_some() && shown != known(&again.summary) {
        return Err(ToolError::plan_changed("The element is not the one that was shown."));
    }
    let is_as_shown =
        plan.permission >= again.permission && plan.summary == again.summary && plan.notes == again.notes;
    if again.permission >= Permission::Sensitive && !is_as_shown {
        return Err(ToolError::plan_changed(again.why.clone()));
    }
    Ok(())
}

/// The words of a plan up to the ref of its element: role and name stand before it. Words of a page never look like a ref.
fn known(summary: &str) -> Option<&str> {
    let at = summary.find("[ref=")?;
    let end = summary[at..].find(']')?;
    summary.get(..at + end)
}

/// The element that the mouse is about to be used on, once it can be: where, and as a snapshot shows it. What lies under the
/// mouse by then is held against the plan, which `planned` makes of it. One that has moved away is followed for a moment.
pub async fn point_at(
    cx: &Cx,
    page: &Page,
    target: &Target,
    kind: &str,
    planned: impl Fn(Option<&Seen>) -> ToolResult<Plan>,
) -> ToolResult<(Point, Value)> {
    if let (Some(x), Some(y)) = (target.x, target.y) {
        let point = Point { x, y };
        page.move_to(point).await?;
        still_approved(cx, &planned(Some(&page.look_at(target).await?))?)?;
        return Ok((point, json!(shown(target))));
    }
    let begun = Instant::now();
    loop {
        let aimed = page.aim(target, kind).await?;
        // A page may show something else as soon as the mouse is there.
        page.move_to(aimed.point).await?;
        let no = match page.look_under(&aimed).await {
            Ok(Some(seen)) => {
                still_approved(cx, &planned(Some(&seen))?)?;
                return Ok((aimed.point, aimed.answer["line"].clone()));
            }
            Ok(None) => covered(&aimed),
            Err(no @ PageError::Element { .. }) => no,
            Err(error) => return Err(error.into()),
        };
        if begun.elapsed() > PATIENCE {
            return Err(no.into());
        }
        page.pause(PAUSE).await?;
    }
}

fn covered(aimed: &Aimed) -> PageError {
    let line = aimed.answer["line"].as_str().unwrap_or_default();
    PageError::Element {
        code: "not_actionable",
        message: format!("{line}: something else lies where it would be clicked"),
        hint: "Look at the page: something may have to be closed first, or it moves when the mouse comes."
            .to_owned(),
    }
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
