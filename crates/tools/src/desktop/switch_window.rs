//! `switch_window`: brings a window to the front.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    list_windows::{about, tells_titles},
    seat,
    which::{self, WindowArg},
    window::Window,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The window: its id from list_windows, or its title where no other window has it.
    window_id: WindowArg,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// As it is now.
    window: Window,
}

pub struct SwitchWindow;

impl Tool for SwitchWindow {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "switch_window",
        "Bring a window to the front and give it the keyboard, also one that is minimized or on another workspace.",
    )
    .zh("切换到指定窗口：置于最前并获得键盘焦点，最小化或在其他工作区的也可以。")
    .permission(Permission::Moderate)
    .effects(Effects::DESKTOP)
    .toolsets(&["desktop"])
    .keywords(&["switch", "focus", "activate", "raise", "window", "切换窗口", "激活", "置顶", "聚焦"])
    .example(r#"{"window_id": "Notes"}"#)
    .timeout_s(20);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Windows)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| Ok(plan(&look(&input, cx)?))).await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let window = look(&input, cx)?;
            if cx.plan().is_none_or(|shown| shown.summary != plan(&window).summary) {
                return Err(ToolError::plan_changed("The window is not the one that was shown."));
            }
            let (desktop, wait) = (seat::desktop(cx)?, Wait::of(cx));
            desktop.activate(window.id, &wait)?;
            let window = desktop.window(window.id, &wait)?.unwrap_or(Window { active: true, ..window });
            Ok(Output { window })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(format!("{} is in front and has the keyboard.", output.window.words()))
    }
}

fn look(input: &Input, cx: &Cx) -> ToolResult<Window> {
    let windows = seat::desktop(cx)?.windows(&Wait::of(cx))?;
    which::find(&input.window_id, &windows).cloned()
}

fn plan(window: &Window) -> Plan {
    let plan = Plan::new(format!("Bring {} to the front", window.words()))
        .effects(Effects::DESKTOP)
        .at_least(Permission::Moderate, "window:switch", "What a person types next goes there.")
        .preview(Preview::Text(about(window)))
        .not_undoable("Switch to the other window again.");
    tells_titles(plan)
}
