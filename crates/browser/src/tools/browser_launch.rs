//! `browser_launch`: starts the session's browser, as asked.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hands::{self, with_notices};
use crate::{
    Options,
    launch::{Kept, Viewport, Window, without_sandbox},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Without a window. Default: as the setting browser.headless says.
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
    /// How it was started; not known of one that ran before.
    #[serde(flatten)]
    started: Option<Started>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Started {
    headless: bool,
    viewport: Viewport,
    /// Whether the browser's own sandbox confines pages. Not where Deskhand runs as root.
    sandboxed: bool,
}

impl Input {
    /// What is asked for, in place of the usual.
    fn options(&self, cx: &Cx) -> ToolResult<Options> {
        let usual = hands::browsers(cx)?.config().options.clone();
        let window = match self.headless {
            Some(true) => Window::Headless,
            Some(false) => Window::Visible,
            None => usual.window,
        };
        let owner = cx.owner().map(str::to_owned);
        let kept = self.profile.clone().map(|name| Kept { owner, name });
        let viewport = self.viewport.unwrap_or(usual.viewport);
        Ok(Options { window, viewport, profile: kept.or(usual.profile.clone()), ..usual })
    }

    /// Nothing can be asked of a browser that runs before it is used.
    fn asks_for_nothing(&self) -> ToolResult<()> {
        if self.headless.is_none() && self.viewport.is_none() && self.profile.is_none() {
            return Ok(());
        }
        let message =
            "The browser here is one that runs already: its window, size and profile stay as they are.";
        Err(ToolError::invalid("attached", message)
            .hint("Call it without parameters, or take the setting browser.attach away."))
    }

    fn plan(&self, cx: &Cx) -> ToolResult<Plan> {
        let browsers = hands::browsers(cx)?;
        if let Some(address) = &browsers.config().attach {
            self.asks_for_nothing()?;
            let why = "It uses the browser that you have open.";
            let plan = Plan::new(format!("Attach to the browser at {address}")).effects(Effects::READS);
            return Ok(plan.at_least(Permission::Moderate, "browser:attach", why));
        }
        let (found, options) = (browsers.found()?, self.options(cx)?);
        let Viewport { width, height } = options.viewport;
        let window = in_words(options.window);
        let mut plan = Plan::new(format!("Start {} {window}, {width}×{height}", found.name))
            .effects(Effects::EXECUTES)
            .at_least(Permission::Moderate, "browser:launch", "It starts a browser.");
        if options.window == Window::Visible {
            plan = hands::with_window(plan);
        }
        if let Some(Kept { name, .. }) = &options.profile {
            let why = "It uses the logins that are kept in a profile.";
            plan = plan.at_least(Permission::Sensitive, "browser:profile", why).note(format!(
                "It uses the profile «{}», with the logins that are kept there.",
                hands::short(name)
            ));
        }
        if let Some(running) = browsers.running(cx.session_id()) {
            let tabs = running.targets().look().tabs.len();
            plan = plan.note(if *running.options() == options {
                "One runs already that was started so: it stays.".to_owned()
            } else {
                format!("The browser that runs is ended, with its tabs ({tabs}).")
            });
        }
        plan.programs = vec![found.path.display().to_string()];
        Ok(plan)
    }
}

fn in_words(window: Window) -> &'static str {
    match window {
        Window::Headless => "without a window",
        Window::Visible => "with a window",
    }
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
    .effects(Effects::EXECUTES.and(Effects::DESKTOP))
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "start", "open", "chromium", "headless", "viewport", "浏览器", "启动", "无头", "窗口大小"])
    .example(r#"{"headless": true, "viewport": {"width": 1280, "height": 800}}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        input.plan(cx)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        // What would be ended for it may be another by now.
        let again = input.plan(cx)?;
        if cx.plan().is_some_and(|plan| plan.notes != again.notes || plan.summary != again.summary) {
            return Err(ToolError::plan_changed(again.notes.join(" ")));
        }
        let browsers = hands::browsers(cx)?;
        let wanted = if browsers.config().attach.is_some() { None } else { Some(input.options(cx)?) };
        let opened = browsers.open_with(cx.session_id(), wanted).await?;
        let options = opened.browser.options();
        let started = Started {
            headless: options.window == Window::Headless,
            viewport: options.viewport,
            sandboxed: !without_sandbox(),
        };
        Ok(Output {
            browser: opened.browser.product().to_owned(),
            started: (!opened.browser.is_attached()).then_some(started),
            notices: opened.notice.into_iter().collect(),
        })
    }

    fn render(output: &Output) -> Rendered {
        let browser = &output.browser;
        let text = match &output.started {
            None => format!("Attached to {browser}, which ran already."),
            Some(Started { headless, viewport, sandboxed }) => {
                let window = in_words(if *headless { Window::Headless } else { Window::Visible });
                let sandbox = if *sandboxed {
                    ""
                } else {
                    " Its own sandbox is off, since Deskhand runs as root: pages are confined less than they should be."
                };
                format!("{browser} runs, {window}, {}×{}.{sandbox}", viewport.width, viewport.height)
            }
        };
        Rendered::text(with_notices(text, &output.notices))
    }
}
