//! `browser_press_key`: presses a key, with others held.

use deskhand_core::{
    Absent, Cx, Permission, Plan, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    clipboard, elements,
    hands::{self, ACTS, with_notices},
    sending::{self, Sends},
};
use crate::page::{Key, Modifiers, Page, chord};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `Enter`, `Tab`, `Escape`, `ArrowDown`, `F5`, `a`, …; or with what is held: `Control+a`.
    #[schemars(length(min = 1, max = 60))]
    key: String,
    /// Keys that are held: `Control`, `Shift`, `Alt`, `Meta`.
    #[serde(default)]
    #[schemars(length(max = 4))]
    modifiers: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    pressed: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserPressKey;

impl Input {
    /// The key, and what is held with it.
    fn chord(&self) -> ToolResult<(Key, Modifiers)> {
        let held =
            self.modifiers.iter().try_fold(Modifiers::NONE, |all, name| match Modifiers::named(name) {
                Some(one) => Ok(all | one),
                None => Err(ToolError::invalid(
                    "unknown_modifier",
                    format!("There is no modifier «{}».", hands::short(name)),
                )
                .hint("They are Control, Shift, Alt and Meta.")),
            })?;
        Ok(chord(&self.key, held)?)
    }

    fn shown(&self) -> String {
        let all: Vec<&str> = self.modifiers.iter().map(String::as_str).chain([self.key.as_str()]).collect();
        all.join("+")
    }
}

impl Tool for BrowserPressKey {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_press_key",
        "Presses a key or a combination in the current tab: it goes to whatever has the focus. What sends a form, or may, is \
         asked about.",
    )
    .zh("在当前标签页按下按键或组合键，发送给当前焦点元素。会（或可能）提交表单时会询问。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "key", "press", "keyboard", "enter", "shortcut", "按键", "键盘", "回车", "快捷键"])
    .example(r#"{"key": "a", "modifiers": ["Control"]}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        input.chord()?;
        match hands::looked_at(cx).await? {
            Some(page) => plan(cx, &page, input).await,
            None => hands::on_page(cx, &format!("Press {}", input.shown()), Permission::Moderate, ACTS),
        }
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let (key, held) = input.chord()?;
        // The focus may be elsewhere by now.
        elements::still_approved(cx, &plan(cx, &page, &input).await?)?;
        page.press(&key, held).await?;
        notices.extend(page.notices());
        Ok(Output { pressed: input.shown(), notices })
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(with_notices(format!("Pressed {}.", output.pressed), &output.notices))
    }
}

/// To whatever has the focus: that is part of the plan where the key may send something.
async fn plan(cx: &Cx, page: &Page, input: &Input) -> ToolResult<Plan> {
    let (key, held) = input.chord()?;
    let (sends, seen) = sending::by_key(page, &key, held).await?;
    let mut does = format!("Press {}", input.shown());
    let line = seen.as_ref().and_then(|seen| seen.answer["line"].as_str());
    if let Some(line) = line.filter(|_| sends != Sends::Nothing) {
        does = format!("{does} in {line}");
    }
    let plan = hands::on_page(cx, &does, Permission::Moderate, ACTS)?;
    let plan = clipboard::settle(cx, plan, &key, held)?;
    Ok(sends.settle(hands::in_document(plan, seen.as_ref().and_then(|seen| seen.host.as_deref()))))
}
