//! `browser_go_forward`: one page forward.

use deskhand_core::{Absent, Cx, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered};

use super::{
    hands::{self, ACTS},
    stepping::{self, Arrived, Nothing},
};
use crate::page::Step;

pub struct BrowserGoForward;

impl Tool for BrowserGoForward {
    type Input = Nothing;
    type Output = Arrived;

    const SPEC: Spec =
        Spec::new("browser_go_forward", "Goes one page forward in the history of the current tab.")
            .zh("在当前标签页前进一页。")
            .permission(Permission::Moderate)
            .effects(ACTS)
            .toolsets(hands::TOOLSETS)
            .keywords(&["browser", "forward", "next", "history", "前进"]);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Nothing, cx: &Cx) -> ToolResult<Plan> {
        stepping::plan(cx, "Go one page forward")
    }

    async fn run(&self, _: Nothing, cx: &Cx) -> ToolResult<Arrived> {
        stepping::step(cx, Step::Forward).await
    }

    fn render(output: &Arrived) -> Rendered {
        output.render()
    }
}
