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
};
use crate::{
    cdp::Connection,
    page::{Modifiers, Page, Target},
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
        let described = elements::described(cx, &target).await?;
        let sends = described.as_ref().filter(|_| input.submit).map(|described| &described["enter_submits"]);
        let plan = elements::plan(cx, "Type into", &target, described.as_ref(), sends)?;
        // Only of a field that is known, and known to be no secret one, the text is shown.
        match described.map(|described| described["secret"] == false) {
            Some(true) => Ok(plan.preview(Preview::Text(input.text.clone()))),
            Some(false) => Ok(plan
                .at_least(Permission::Sensitive, "browser:secret", "It types into a field for secrets.")
                .note("The field is one for secrets: what is typed is not shown.")),
            None => Ok(plan.note("The field is not there yet: what is typed is not shown.")),
        }
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Acted> {
        let target = input.target()?;
        let (page, notices) = hands::same_page(cx).await?;
        if input.submit {
            elements::still_approved(cx, &page, &target, "enter_submits").await?;
        }
        let line = fill(cx, &page, &target, &input).await?;
        if input.submit {
            page.press("Enter", Modifiers::NONE).await?;
            page.settle().await?;
        }
        Acted::new(&page, &line, notices)
    }

    fn render(output: &Acted) -> Rendered {
        Rendered::text(output.text("Typed into"))
    }
}

async fn fill(cx: &Cx, page: &Page, target: &Target, input: &Input) -> ToolResult<Value> {
    let (_, found) = page.action_point(target, "type").await?;
    let ask =
        async |function: &str, more: Value| page.ask_about(target, function, &more, Connection::USUAL).await;
    let described = ask("describe", Value::Null).await?.answer;
    let approved = cx.plan().is_none_or(|plan| plan.permission >= Permission::Sensitive);
    if described["secret"] == true && !approved {
        return Err(ToolError::plan_changed("That is a field for secrets."));
    }
    match described["kind"].as_str() {
        Some("select") => drop(ask("select_option", json!({"values": [input.text]})).await?),
        Some("set") => drop(ask("set_value", json!({"value": input.text})).await?),
        _ => {
            ask("prepare_typing", json!({"clear": true})).await?;
            if input.text.is_empty() {
                page.press("Delete", Modifiers::NONE).await?;
            } else {
                page.type_text(&input.text, input.delay()?).await?;
            }
        }
    }
    Ok(found["line"].clone())
}
