//! `browser_get_state`: where the browser is, and how it got there.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    hands::{self, with_notices},
    stepping::Nothing,
};
use crate::page::PageState;

#[derive(Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    state: PageState,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserGetState;

impl Tool for BrowserGetState {
    type Input = Nothing;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_get_state",
        "Address, title, loading state and history of the current tab, and what happened since: dialogs, new tabs, downloads.",
    )
    .zh("当前标签页的网址、标题、加载状态和历史，以及期间发生的对话框、新标签页和下载。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "state", "url", "title", "history", "where", "状态", "标题", "历史", "网址"]);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Nothing, cx: &Cx) -> ToolResult<Plan> {
        hands::on_page(cx, "Look where the browser is", Permission::Public, Effects::READS)
    }

    async fn run(&self, _: Nothing, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let state = page.state().await?;
        notices.extend(page.notices());
        Ok(Output { state, notices })
    }

    fn render(output: &Output) -> Rendered {
        let PageState { url, title, ready, tab, tabs, history, at, .. } = &output.state;
        let mut text = format!("{url}: «{title}» ({ready}; tab {tab}, {tabs} open)\nHistory:");
        for (number, entry) in history.iter().enumerate() {
            let mark = if number == *at { '>' } else { ' ' };
            text.push_str(&format!("\n{mark} {} «{}»", entry.url, entry.title));
        }
        Rendered::text(with_notices(text, &output.notices))
    }
}
