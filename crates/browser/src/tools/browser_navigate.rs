//! `browser_navigate`: goes to an address.

use std::time::Duration;

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    hands::{self, web_address},
    stepping::Arrived,
};
use crate::page::WaitUntil;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// An http or https address.
    #[schemars(length(max = 20000))]
    url: String,
    /// What is waited for: `load` (the usual), `dom`, `network_idle` or `commit`.
    #[serde(default)]
    wait_until: WaitUntil,
    /// Milliseconds that it may take.
    #[serde(default = "half_a_minute")]
    #[schemars(range(min = 1, max = 110_000))]
    timeout: u64,
}

fn half_a_minute() -> u64 {
    30_000
}

pub struct BrowserNavigate;

impl Tool for BrowserNavigate {
    type Input = Input;
    type Output = Arrived;

    const SPEC: Spec = Spec::new(
        "browser_navigate",
        "Goes to an address in the current tab and waits until the page is loaded. Starts a browser if there is none.",
    )
    .zh("在当前标签页打开网址并等待页面加载完成。没有浏览器时会自动启动。")
    .permission(Permission::Moderate)
    .effects(Effects::NETWORK)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "open", "go", "url", "page", "website", "网页", "打开", "导航", "访问", "网址"])
    .example(r#"{"url": "https://example.org/"}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let url = web_address(&input.url)?;
        hands::going_to(cx, &url, &format!("Open {url} in the browser"))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Arrived> {
        let url = web_address(&input.url)?;
        let (page, notices) = hands::page(cx).await?;
        hands::approved(&page, &url)?;
        let limit = Duration::from_millis(input.timeout);
        let there = page.navigate(url.as_str(), input.wait_until, limit).await?;
        Ok(Arrived::new(there, notices, &page))
    }

    fn render(output: &Arrived) -> Rendered {
        output.render()
    }
}
