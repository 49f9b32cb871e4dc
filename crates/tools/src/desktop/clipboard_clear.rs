//! `clipboard_clear`: nothing is left to paste.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    clipboard::{Copied, Selection},
    seat,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The clipboard, or what is marked with the mouse.
    #[serde(default)]
    selection: Selection,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    cleared: bool,
}

pub struct ClipboardClear;

impl Tool for ClipboardClear {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new("clipboard_clear", "Empty the clipboard.")
        .zh("清空剪贴板。")
        .permission(Permission::Moderate)
        .effects(Effects::DESKTOP)
        .toolsets(&["desktop"])
        .keywords(&["clipboard", "clear", "empty", "剪贴板", "清空"])
        .example(r#"{"selection": "clipboard"}"#)
        .timeout_s(20);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Clipboard)
    }

    async fn plan(&self, input: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(Plan::new(format!("Clear {}", input.selection.words()))
            .effects(Effects::DESKTOP)
            .at_least(Permission::Moderate, "clipboard:write", "What was copied before is gone.")
            .not_undoable("What was on it is not kept."))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            seat::desktop(cx)?.write_clipboard(input.selection, Copied::Nothing, &Wait::of(cx))?;
            Ok(Output { cleared: true })
        })
        .await
    }

    fn render(_: &Output) -> Rendered {
        Rendered::text("The clipboard is empty now.")
    }
}
