//! `browser_reload`: loads the page anew.

use deskhand_core::{Absent, Cx, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered};

use super::{
    hands::{self, ACTS},
    stepping::{self, Arrived, Nothing},
};

pub struct BrowserReload;

impl Tool for BrowserReload {
    type Input = Nothing;
    type Output = Arrived;

    const SPEC: Spec = Spec::new(
        "browser_reload",
        "Loads the page of the current tab anew. If that may send a form again, it is asked about.",
    )
    .zh("重新加载当前标签页。若可能再次提交表单，会询问。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "reload", "refresh", "again", "刷新", "重新加载"]);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Nothing, cx: &Cx) -> ToolResult<Plan> {
        stepping::plan_reload(cx).await
    }

    async fn run(&self, _: Nothing, cx: &Cx) -> ToolResult<Arrived> {
        stepping::reload(cx).await
    }

    fn render(output: &Arrived) -> Rendered {
        output.render()
    }
}
