//! `browser_hover`: moves the mouse onto an element or a point.

use deskhand_core::{Absent, Cx, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
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
}

impl Input {
    fn target(&self) -> ToolResult<Target> {
        elements::target(self.reference.as_ref(), self.selector.as_ref(), self.x, self.y)
    }
}

pub struct BrowserHover;

impl Tool for BrowserHover {
    type Input = Input;
    type Output = Acted;

    const SPEC: Spec = Spec::new(
        "browser_hover",
        "Moves the mouse onto an element (by ref or selector) or a point (x, y) in the current tab: menus open, hints show.",
    )
    .zh("在当前标签页把鼠标移到元素（ref 或选择器）或坐标（x, y）上：展开菜单、显示提示。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "hover", "mouse", "over", "menu", "悬停", "鼠标", "菜单"])
    .example(r#"{"selector": "nav .menu"}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let target = input.target()?;
        plan(cx, &target, elements::seen(cx, &target).await?.as_ref())
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Acted> {
        let target = input.target()?;
        let (page, notices) = hands::same_page(cx).await?;
        let planned = |seen: Option<&Seen>| plan(cx, &target, seen);
        let (_, line) = elements::point_at(cx, &page, &target, "hover", planned).await?;
        Acted::new(&page, &line, notices)
    }

    fn render(output: &Acted) -> Rendered {
        Rendered::text(output.text("The mouse is on"))
    }
}

fn plan(cx: &Cx, target: &Target, seen: Option<&Seen>) -> ToolResult<Plan> {
    elements::plan(cx, "Move the mouse onto", target, seen, &Sends::Nothing)
}
