//! `browser_launch`: starts the session's browser, as asked.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hands::{self, with_notices};
use crate::{
    Browsers,
    launch::{Viewport, Window, without_sandbox},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Without a window. Default: true.
    headless: Option<bool>,
    /// The size of pages, in pixels. Default: 1280 × 800.
    viewport: Option<Viewport>,
    /// The name of a profile that is kept, with its cookies and logins, and used again under the same name. Default: a new
    /// one that goes with the browser.
    #[schemars(length(max = 64))]
    profile: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The browser and its version.
    browser: String,
    headless: bool,
    viewport: Viewport,
    /// Whether the browser's own sandbox confines pages. Not where Deskhand runs as root.
    sandboxed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserLaunch;

impl Tool for BrowserLaunch {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_launch",
        "Starts this session's browser, or another one in its place if the options differ. Not needed before the other \
         browser tools: they start one with the usual options.",
    )
    .zh("启动本会话的浏览器；若选项不同则替换正在运行的浏览器。其他浏览器工具会自动启动，无需先调用。")
    .permission(Permission::Moderate)
    .effects(Effects::EXECUTES)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "start", "open", "chromium", "headless", "viewport", "浏览器", "启动", "无头", "窗口大小"])
    .example(r#"{"headless": true, "viewport": {"width": 1280, "height": 800}}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let found = cx.service::<Browsers>()?.found()?;
        let window = if input.headless.unwrap_or(true) { "without a window" } else { "with a window" };
        let mut plan = Plan::new(format!("Start {} {window}", found.name))
            .effects(Effects::EXECUTES)
            .at_least(Permission::Moderate, "browser:launch", "It starts a browser.");
        if let Some(name) = &input.profile {
            plan = plan.note(format!("It uses the profile «{name}», with the logins that are kept there."));
        }
        plan.programs = vec![found.path.display().to_string()];
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let browsers = cx.service::<Browsers>()?;
        let mut options = browsers.config().options.clone();
        if let Some(headless) = input.headless {
            options.window = if headless { Window::Headless } else { Window::Visible };
        }
        options.viewport = input.viewport.unwrap_or(options.viewport);
        options.profile = input.profile.or(options.profile);
        let opened = browsers.open_with(cx.session_id(), Some(options)).await?;
        let options = opened.browser.options();
        Ok(Output {
            browser: opened.browser.product().to_owned(),
            headless: options.window == Window::Headless,
            viewport: options.viewport,
            sandboxed: !without_sandbox(),
            notices: opened.notice.into_iter().collect(),
        })
    }

    fn render(output: &Output) -> Rendered {
        let Output { browser, viewport, .. } = output;
        let window = if output.headless { "without a window" } else { "with a window" };
        let sandbox = if output.sandboxed {
            ""
        } else {
            " Its own sandbox is off, since Deskhand runs as root: pages are confined less than they should be."
        };
        let text = format!("{browser} runs, {window}, {}×{}.{sandbox}", viewport.width, viewport.height);
        Rendered::text(with_notices(text, &output.notices))
    }
}
