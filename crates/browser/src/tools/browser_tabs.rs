//! `browser_tabs`: the tabs, and which one is worked in.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hands::{self, ACTS, with_notices};
use crate::{
    page::{Page, PageError},
    tab::Tab,
};

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
        match input.action {
            Action::List => hands::on_page(cx, "List the browser's tabs", Permission::Public, Effects::READS),
            Action::New => hands::on_page(cx, "Open an empty tab", Permission::Moderate, ACTS),
            Action::Select if input.tab.is_none() => Err(ToolError::invalid(
                "no_tab_named",
                "Which tab is to be selected? Give its number as tab.",
            )),
            Action::Select => on_tab(cx, "Work in", input.tab).await,
            Action::Close => on_tab(cx, "Close", input.tab).await,
        }
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        if matches!(input.action, Action::Select | Action::Close) {
            // Another page may be in that tab by now, or another tab be the current one.
            let again = self.plan(&input, cx).await?;
            if cx.plan().is_some_and(|plan| !plan.still_holds(&again)) {
                return Err(ToolError::plan_changed(again.summary));
            }
        }
        match input.action {
            Action::List => {}
            Action::New => page.new_tab().await?,
            Action::Select => page.select_tab(input.tab.unwrap_or_default()).await?,
            Action::Close => page.close_tab(input.tab).await?,
        }
        page.browser().ask_for_titles().await.map_err(PageError::from)?;
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

/// The plan of what is done with one tab: which one, and what is in it.
async fn on_tab(cx: &Cx, does: &str, number: Option<u32>) -> ToolResult<Plan> {
    let browser = hands::browsers(cx)?.running(cx.session_id());
    if let Some(browser) = &browser {
        browser.ask_for_titles().await.map_err(PageError::from)?;
    }
    let found = browser.and_then(|browser| {
        let state = browser.targets().look();
        let wanted = |tab: &&Tab| number.is_none_or(|number| tab.number == number);
        let tab = if number.is_none() { state.current() } else { state.tabs.iter().find(wanted) };
        tab.map(|tab| (tab.number, tab.url().to_owned(), tab.title.clone(), tab.persons))
    });
    let Some((number, url, title, is_persons)) = found else {
        let message =
            number.map_or("No tab is open.".to_owned(), |number| format!("There is no tab {number}."));
        return Err(ToolError::new("no_such_tab", message).hint("browser_tabs lists those that are open."));
    };
    let (url, title, host) = (hands::short(&url), hands::short(&title), hands::host_of(&url));
    let does_it = format!("{does} tab {number}, {url} «{title}»");
    let mut plan = hands::on_page(cx, &does_it, Permission::Moderate, ACTS)?;
    plan.summary = does_it;
    plan.effects.network |= host.is_some();
    plan.hosts = host.into_iter().collect();
    if is_persons && does == "Close" {
        let why = "It closes a tab that you have opened.";
        plan = plan.at_least(Permission::Sensitive, "browser:persons-tab", why);
    }
    Ok(plan)
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
