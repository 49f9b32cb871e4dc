//! `browser_go_back`: one page back.

use deskhand_core::{Absent, Cx, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered};

use super::{
    hands::{self, ACTS},
    stepping::{self, Arrived, Nothing},
};
use crate::page::Step;

pub struct BrowserGoBack;

impl Tool for BrowserGoBack {
    type Input = Nothing;
    type Output = Arrived;

    const SPEC: Spec = Spec::new("browser_go_back", "Goes one page back in the history of the current tab.")
        .zh("在当前标签页后退一页。")
        .permission(Permission::Moderate)
        .effects(ACTS)
        .toolsets(hands::TOOLSETS)
        .keywords(&["browser", "back", "previous", "history", "后退", "返回"]);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Nothing, cx: &Cx) -> ToolResult<Plan> {
        stepping::plan(cx, "Go one page back")
    }

    async fn run(&self, _: Nothing, cx: &Cx) -> ToolResult<Arrived> {
        stepping::step(cx, Step::Back).await
    }

    fn render(output: &Arrived) -> Rendered {
        output.render()
    }
}
