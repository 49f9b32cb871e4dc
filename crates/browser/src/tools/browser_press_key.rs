//! `browser_press_key`: presses a key, with others held.

use deskhand_core::{
    Absent, Cx, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    accept_dialog::{self, AcceptDialog},
    clipboard, elements,
    hands::{self, ACTS, with_notices},
    sending::{self, Sends},
};
use crate::page::{Key, Modifiers, Page, Seen, chord};

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
    accept_dialog: Option<AcceptDialog>,
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

    /// The keys, in words that stay. A character that may go into a field is text like any other that is typed, and may be
    /// of a password: it is not among them.
    fn shown(&self, goes: Goes) -> String {
        if goes == Goes::Elsewhere { self.keys() } else { "a key that types a character".to_owned() }
    }

    fn keys(&self) -> String {
        let all: Vec<&str> = self.modifiers.iter().map(String::as_str).chain([self.key.as_str()]).collect();
        all.join("+")
    }
}

/// Where a key goes, as far as it types something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goes {
    /// It types nothing, or not into a field.
    Elsewhere,
    IntoAField,
    IntoASecret,
    /// What has the focus cannot be looked into.
    Somewhere,
}

impl Goes {
    fn of(key: &Key, held: Modifiers, seen: Option<&Seen>) -> Self {
        if !key.types(held) || key.code == "Enter" {
            return Self::Elsewhere;
        }
        let Some(seen) = seen.filter(|seen| !seen.is_hidden && seen.answer["opaque"] != true) else {
            return Self::Somewhere;
        };
        let kind = seen.answer["kind"].as_str().unwrap_or_default();
        match seen.answer["secret"] == true {
            true => Self::IntoASecret,
            false if matches!(kind, "text" | "password" | "editable" | "set") => Self::IntoAField,
            false => Self::Elsewhere,
        }
    }

    fn settle(self, plan: Plan, input: &Input) -> Plan {
        let secret = |plan: Plan, note: &str| {
            plan.at_least(Permission::Sensitive, "browser:secret", "It types into a field for secrets.")
                .note(note)
        };
        match self {
            Self::Elsewhere => plan,
            // Whoever is asked sees it; it is kept no longer than that.
            Self::IntoAField => plan.preview(Preview::Text(input.keys())),
            Self::IntoASecret => secret(plan, "The field is one for secrets: what is typed is not shown."),
            Self::Somewhere => {
                secret(plan, "What has the focus cannot be looked into, and may be a field for secrets.")
            }
        }
    }
}

impl Tool for BrowserPressKey {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_press_key",
        "Presses a key or a combination in the current tab: it goes to whatever has the focus. A person is asked for what sends \
         a form, or may, and for characters of passwords.",
    )
    .zh("在当前标签页按下按键或组合键，发送给当前焦点元素。会（或可能）提交表单时，以及输入密码字符时会询问。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    // Keys that are pressed one by one may be a password, as text may.
    .conceals(&["key", "accept_dialog"])
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "key", "press", "keyboard", "enter", "shortcut", "按键", "键盘", "回车", "快捷键"])
    .example(r#"{"key": "a", "modifiers": ["Control"]}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let (key, held) = input.chord()?;
        if let Some(page) = hands::looked_at(cx).await? {
            return Ok(plan(cx, &page, input).await?.0);
        }
        // There is no page and no field, but one may be meant that was there.
        let does = format!("Press {}", input.shown(Goes::of(&key, held, None)));
        let plan = hands::on_page(cx, &does, Permission::Moderate, ACTS)?;
        accept_dialog::in_plan(input.accept_dialog.as_ref(), plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let (key, held) = input.chord()?;
        // The focus may be elsewhere by now.
        let (again, shown) = plan(cx, &page, &input).await?;
        elements::still_approved(cx, &again)?;
        let yes = accept_dialog::await_dialog(input.accept_dialog.as_ref(), &page)?;
        page.press(&key, held).await?;
        if yes.is_some() {
            accept_dialog::settle_after(yes, &page).await?;
        }
        notices.extend(page.notices());
        Ok(Output { pressed: shown, notices })
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(with_notices(format!("Pressed {}.", output.pressed), &output.notices))
    }
}

/// To whatever has the focus: that is part of the plan where the key may send or type something. With the keys in words.
async fn plan(cx: &Cx, page: &Page, input: &Input) -> ToolResult<(Plan, String)> {
    let (key, held) = input.chord()?;
    let (sends, seen) = sending::by_key(page, &key, held).await?;
    let goes = Goes::of(&key, held, seen.as_ref());
    let shown = input.shown(goes);
    let mut does = format!("Press {shown}");
    let line = seen.as_ref().and_then(|seen| seen.answer["line"].as_str());
    if let Some(line) = line.filter(|_| sends != Sends::Nothing || goes != Goes::Elsewhere) {
        does = format!("{does} in {line}");
    }
    let plan = hands::on_page(cx, &does, Permission::Moderate, ACTS)?;
    let plan = clipboard::settle(cx, plan, &key, held)?;
    let plan = hands::in_document(plan, seen.as_ref().and_then(|seen| seen.host.as_deref()));
    let plan = accept_dialog::in_plan(input.accept_dialog.as_ref(), goes.settle(sends.settle(plan), input))?;
    Ok((plan, shown))
}
