//! `browser_click`: clicks an element or a point.

use deskhand_core::{Absent, Cx, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    accept_dialog::{self, AcceptDialog},
    elements::{self, Acted},
    hands::{self, ACTS},
    sending::Sends,
};
use crate::page::{Seen, Target};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The element, by its ref in a snapshot.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// The element, by a CSS selector; open shadow roots and frames are searched, too.
    selector: Option<String>,
    /// A point of the viewport, in pixels from the left; with y.
    x: Option<f64>,
    /// In pixels from the top.
    y: Option<f64>,
    accept_dialog: Option<AcceptDialog>,
}

impl Input {
    fn target(&self) -> ToolResult<Target> {
        elements::target(self.reference.as_ref(), self.selector.as_ref(), self.x, self.y)
    }
}

pub struct BrowserClick;

impl Tool for BrowserClick {
    type Input = Input;
    type Output = Acted;

    const SPEC: Spec = Spec::new(
        "browser_click",
        "Clicks an element (by ref or selector) or a point (x, y) in the current tab, with a real mouse event. An element \
         that is covered or not there yet is waited for, two seconds at most. What sends a form is asked about.",
    )
    .zh("在当前标签页点击元素（ref 或选择器）或坐标（x, y），产生真实鼠标事件。被遮挡或尚未出现的元素最多等待两秒。提交表单会询问。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    // What a dialog is answered may be a password.
    .conceals(&["accept_dialog"])
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "click", "press", "button", "link", "点击", "按钮", "链接", "网页"])
    .example(r#"{"selector": "button.save"}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let target = input.target()?;
        plan(cx, input, &target, elements::seen(cx, &target).await?.as_ref())
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Acted> {
        let target = input.target()?;
        let (page, notices) = hands::same_page(cx).await?;
        let planned = |seen: Option<&Seen>| plan(cx, &input, &target, seen);
        let (point, line) = elements::point_at(cx, &page, &target, "click", planned).await?;
        let yes = accept_dialog::await_dialog(input.accept_dialog.as_ref(), &page)?;
        page.click_at(point).await?;
        accept_dialog::settle_after(yes, &page).await?;
        Acted::new(&page, &line, notices)
    }

    fn render(output: &Acted) -> Rendered {
        Rendered::text(output.text("Clicked"))
    }
}

fn plan(cx: &Cx, input: &Input, target: &Target, seen: Option<&Seen>) -> ToolResult<Plan> {
    let plan = elements::plan(cx, "Click", target, seen, &seen.map_or(Sends::Nothing, Sends::by_click))?;
    accept_dialog::in_plan(input.accept_dialog.as_ref(), plan)
}
