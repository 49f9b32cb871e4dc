//! `browser_type`: types into a field.

use std::time::Duration;

use deskhand_core::{
    Absent, Cx, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    elements::{self, Acted},
    hands::{self, ACTS},
    sending::Sends,
    strokes::{NewLine, Strokes},
};
use crate::{
    cdp::Connection,
    page::{Found, Key, Modifiers, Page, Seen, Target, chord},
};

/// How long typing with pauses may take.
const LONGEST: Duration = Duration::from_secs(100);

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The field, by its ref in a snapshot.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// The field, by a CSS selector.
    selector: Option<String>,
    /// What to type; it replaces what is there. For a list of options: the option.
    #[schemars(length(max = 100_000))]
    text: String,
    /// Milliseconds between two characters. Without it, all of them come at once.
    #[schemars(range(max = 5_000))]
    delay: Option<u64>,
    /// Press Enter afterwards.
    #[serde(default)]
    submit: bool,
}

impl Input {
    fn target(&self) -> ToolResult<Target> {
        elements::target(self.reference.as_ref(), self.selector.as_ref(), None, None)
    }

    fn delay(&self) -> ToolResult<Option<Duration>> {
        let delay = self.delay.map(Duration::from_millis);
        let count = u32::try_from(self.text.chars().count()).unwrap_or(u32::MAX);
        if delay.is_some_and(|delay| delay.saturating_mul(count) > LONGEST) {
            let message =
                format!("{count} characters with that delay would take longer than {} s.", LONGEST.as_secs());
            return Err(ToolError::invalid("too_slow", message).hint("Take a shorter delay, or none."));
        }
        Ok(delay)
    }
}

pub struct BrowserType;

impl Tool for BrowserType {
    type Input = Input;
    type Output = Acted;

    const SPEC: Spec = Spec::new(
        "browser_type",
        "Types text into a field (by ref or selector) in the current tab, in place of what is there; chooses an option of a list; \
         with submit presses Enter. A person is asked for passwords, and for what sends a form.",
    )
    .zh("在当前标签页的输入框（ref 或选择器）中输入文本，替换原有内容；对下拉列表则选择选项；submit 为真时按回车。密码和提交表单会询问。")
    .permission(Permission::Moderate)
    .effects(ACTS)
    // What is typed may be a password; that is known only once the page was asked.
    .conceals(&["text"])
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "type", "fill", "input", "text", "form", "输入", "填写", "表单", "文本"])
    .example(r#"{"selector": "input[name=q]", "text": "deskhand", "submit": false}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let target = input.target()?;
        input.delay()?;
        plan(cx, input, &target, elements::seen(cx, &target).await?.as_ref())
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Acted> {
        let target = input.target()?;
        let (page, notices) = hands::same_page(cx).await?;
        let (line, field) = fill(cx, &page, &target, &input).await?;
        if input.submit {
            Strokes::new(cx, &page, &field).press(&Key::typing('\n'), Modifiers::NONE).await?;
            page.settle().await?;
        }
        Acted::new(&page, &line, notices)
    }

    fn render(output: &Acted) -> Rendered {
        Rendered::text(output.text("Typed into"))
    }
}

/// Of a field that is there the plan says what it is; what Enter would do counts where it is pressed.
fn plan(cx: &Cx, input: &Input, target: &Target, seen: Option<&Seen>) -> ToolResult<Plan> {
    let sends = seen.map_or(Sends::Nothing, |seen| sends(input, seen));
    let plan = elements::plan(cx, "Type into", target, seen, &sends)?;
    match seen.map(|seen| &seen.answer) {
        None => Ok(plan.note("The field is not there yet: what is typed is not shown.")),
        Some(field) if field["secret"] != false => Ok(plan
            .at_least(Permission::Sensitive, "browser:secret", "It types into a field for secrets.")
            .note("The field is one for secrets: what is typed is not shown.")),
        Some(field) if may_be_shown(field, &input.text) => {
            Ok(plan.preview(Preview::Text(input.text.clone())))
        }
        Some(_) => Ok(plan.note("What is typed is not shown: it might be a secret.")),
    }
}

/// What a plan has shown cannot be taken back: it stands in events. Every field may become one for secrets when it gets the
/// focus or the first character, and a secret may be meant for another field. What is one of a list's own options is the
/// page's text, and what stands in an editable part of a page can be read there by everybody.
fn may_be_shown(field: &Value, text: &str) -> bool {
    let is_option = |options: &Vec<Value>| options.iter().any(|option| option.as_str() == Some(text));
    field["kind"] == "editable" || field["options"].as_array().is_some_and(is_option)
}

fn sends(input: &Input, seen: &Seen) -> Sends {
    let by_click = Sends::by_click(seen);
    let enters =
        input.submit || (input.text.contains(['\n', '\r']) && new_line(&seen.answer) == NewLine::IsEnter);
    // Keys that are typed at a button press it.
    if by_click != Sends::Nothing || !enters { by_click } else { Sends::by_enter(seen, Modifiers::NONE) }
}

/// Lists, and fields that are set, get no keys.
fn new_line(described: &Value) -> NewLine {
    let is_set = matches!(described["kind"].as_str(), Some("select" | "set"));
    if is_set || described["multi_line"] == true { NewLine::IsText } else { NewLine::IsEnter }
}

/// Fills the field: what it was called before, and the field that has the focus now.
async fn fill(cx: &Cx, page: &Page, target: &Target, input: &Input) -> ToolResult<(Value, Found)> {
    let aimed = page.aim(target, "type").await?;
    // What is looked at, prepared and typed into is one element, also where a selector would find another by then.
    let element = aimed.target();
    let ask = async |function: &str, more: Value| {
        page.ask_about(&element, function, &more, Connection::USUAL).await
    };
    let seen = page.look_at(&element).await?;
    elements::still_approved(cx, &plan(cx, input, target, Some(&seen))?)?;
    let line = aimed.answer["line"].clone();
    match seen.answer["kind"].as_str() {
        Some("select") => Ok((line, ask("select_option", json!({"values": [input.text]})).await?)),
        Some("set") => Ok((line, ask("set_value", json!({"value": input.text})).await?)),
        _ => {
            let field = ask("prepare_typing", json!({"clear": true})).await?;
            let was_approved = |plan: &Plan| plan.permission >= Permission::Sensitive;
            if field.answer["secret"] == true && !cx.plan().is_none_or(was_approved) {
                return Err(ToolError::plan_changed("With the focus the field is one for secrets."));
            }
            let strokes = Strokes::new(cx, page, &field);
            if input.text.is_empty() {
                strokes.press(&chord("Delete", Modifiers::NONE)?.0, Modifiers::NONE).await?;
            } else {
                strokes.type_text(&input.text, new_line(&seen.answer), input.delay()?).await?;
            }
            Ok((line, field))
        }
    }
}
