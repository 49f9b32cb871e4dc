//! `get_active_window`: which window has the keyboard.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    list_windows::{about, tells_titles},
    seat,
    window::Window,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// `null` where none has it.
    window: Option<Window>,
}

pub struct GetActiveWindow;

impl Tool for GetActiveWindow {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "get_active_window",
        "The window that has the keyboard now: id, title, program, process, place and size.",
    )
    .zh("当前活动窗口（拥有键盘焦点）：id、标题、程序、进程号、位置大小。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["desktop"])
    .keywords(&["active", "window", "focus", "current", "foreground", "活动窗口", "当前窗口", "焦点"])
    .example("{}");

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Windows)
    }

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(tells_titles(Plan::new("Tell which window has the keyboard").effects(Effects::READS)))
    }

    async fn run(&self, _: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(|cx| Ok(Output { window: seat::desktop(cx)?.active_window(&Wait::of(cx))? })).await
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(match &output.window {
            Some(window) => format!("{}\nplace: {}", about(window), window.geometry),
            None => "No window has the keyboard.".to_owned(),
        })
    }
}
