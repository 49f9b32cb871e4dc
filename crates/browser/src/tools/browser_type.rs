//! `browser_type`: types into a field.

use std::time::Duration;

use deskhand_core::{
    Absent, Cx, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    accept_dialog::{self, AcceptDialog},
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

/// What plans say of fields for secrets.
const FOR_SECRETS: &str = "The field is one for secrets: what is typed is not shown.";
const HIDDEN: &str =
    "What is there cannot be looked into, and may be a field for secrets: what is typed is not shown.";

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
    /// With submit: says yes to the dialog that Enter opens; others get a no.
    accept_dialog: Option<AcceptDialog>,
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

    fn accept_dialog(&self) -> ToolResult<Option<&AcceptDialog>> {
        if self.accept_dialog.is_some() && !self.submit {
            let message = "A dialog is accepted only when Enter opens it: accept_dialog goes with submit.";
            return Err(ToolError::invalid("accept_without_submit", message));
        }
        Ok(self.accept_dialog.as_ref())
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
    // What is typed may be a password; that is known only once the page was asked. Whoever is asked sees what is none.
    .conceals(&["text", "accept_dialog"])
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
            let yes = accept_dialog::await_dialog(input.accept_dialog()?, &page)?;
            Strokes::new(cx, &page, &field).press(&Key::typing('\n'), Modifiers::NONE).await?;
            accept_dialog::settle_after(yes, &page).await?;
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
    let plan = match seen {
        None => plan.note("The field is not there yet: what is typed is not shown."),
        Some(field) if field.is_hidden => plan
            .at_least(Permission::Sensitive, "browser:secret", "It may type into a field for secrets.")
            .note(HIDDEN),
        Some(field) if field.answer["secret"] != false => plan
            .at_least(Permission::Sensitive, "browser:secret", "It types into a field for secrets.")
            .note(FOR_SECRETS),
        Some(_) if input.text.is_empty() => plan.note("The text is empty."),
        // Whoever is asked has to see it. It stays nowhere: it might be a secret, meant for another field.
        Some(_) => plan.preview(Preview::Text(input.text.clone())),
    };
    accept_dialog::in_plan(input.accept_dialog()?, plan)
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
    let (aimed, seen) = page.aim_and_look(target, "type").await?;
    // What is looked at, prepared and typed into is one element, also where a selector would find another by then.
    let element = aimed.target();
    let ask = async |function: &str, more: Value| {
        page.ask_about(&element, function, &more, Connection::USUAL).await
    };
    elements::still_approved(cx, &plan(cx, input, target, Some(&seen))?)?;
    let line = aimed.answer["line"].clone();
    match seen.answer["kind"].as_str() {
        Some("select") => Ok((line, ask("select_option", json!({"values": [input.text]})).await?)),
        Some("set") => Ok((line, ask("set_value", json!({"value": input.text})).await?)),
        _ => {
            let field = ask("prepare_typing", json!({"clear": true})).await?;
            // Other things are sensitive, too: what counts is that this was said.
            let was_said = |plan: &Plan| plan.notes.iter().any(|note| note == FOR_SECRETS || note == HIDDEN);
            if field.answer["secret"] == true && !cx.plan().is_none_or(was_said) {
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
