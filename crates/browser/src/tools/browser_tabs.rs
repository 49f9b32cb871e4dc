//! `browser_tabs`: the tabs, and which one is worked in.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hands::{self, ACTS, with_notices};
use crate::page::Page;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    List,
    New,
    Select,
    Close,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `list`, `new` (an empty one, which becomes current), `select` or `close`.
    #[serde(default)]
    action: Action,
    /// The number of the tab to select or close; to close, the current one where nothing is said.
    tab: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    tabs: Vec<Listed>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// What the tab is called by.
    tab: u32,
    url: String,
    title: String,
    /// The one that the other tools work in.
    current: bool,
}

pub struct BrowserTabs;

impl Tool for BrowserTabs {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_tabs",
        "Lists the tabs of this session's browser, opens an empty one, makes one current, or closes one.",
    )
    .zh("列出本会话浏览器的标签页，或新建、切换、关闭标签页。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    .toolsets(hands::TOOLSETS)
    .keywords(&[
        "browser",
        "tab",
        "tabs",
        "switch",
        "close",
        "new",
        "popup",
        "标签页",
        "切换",
        "关闭",
        "弹窗",
    ])
    .example(r#"{"action": "select", "tab": 1}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let number = input.tab.map_or_else(String::new, |tab| format!(" {tab}"));
        match input.action {
            Action::List => hands::on_page(cx, "List the browser's tabs", Permission::Public, Effects::READS),
            Action::New => hands::on_page(cx, "Open an empty tab", Permission::Moderate, ACTS),
            Action::Select if input.tab.is_none() => Err(ToolError::invalid(
                "no_tab_named",
                "Which tab is to be selected? Give its number as tab.",
            )),
            Action::Select => hands::on_page(cx, &format!("Work in tab{number}"), Permission::Moderate, ACTS),
            Action::Close => hands::on_page(cx, &format!("Close tab{number}"), Permission::Moderate, ACTS),
        }
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        match input.action {
            Action::List => {}
            Action::New => page.new_tab().await?,
            Action::Select => page.select_tab(input.tab.unwrap_or_default()).await?,
            Action::Close => page.close_tab(input.tab).await?,
        }
        notices.extend(page.notices());
        Ok(Output { tabs: listed(&page), notices })
    }

    fn render(output: &Output) -> Rendered {
        let line = |tab: &Listed| {
            let mark = if tab.current { '>' } else { ' ' };
            format!("{mark} {} {} «{}»", tab.tab, tab.url, tab.title)
        };
        let lines: Vec<String> = output.tabs.iter().map(line).collect();
        let text = if lines.is_empty() { "No tab is open.".to_owned() } else { lines.join("\n") };
        Rendered::text(with_notices(text, &output.notices))
    }
}

fn listed(page: &Page) -> Vec<Listed> {
    let state = page.browser().targets().look();
    let current = state.current().map(|tab| tab.number);
    let all = state.tabs.iter().map(|tab| Listed {
        tab: tab.number,
        url: tab.url().to_owned(),
        title: tab.title.clone(),
        current: current == Some(tab.number),
    });
    all.collect()
}
