//! `browser_wait_for`: waits for an element or a condition.

use std::time::{Duration, Instant};

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    elements,
    hands::{self, with_notices},
};
use crate::page::{ElementState, Target};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The element, by a CSS selector.
    selector: Option<String>,
    /// The element, by its ref in a snapshot.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// What the element is to be: `visible` (if nothing is said), `attached`, `hidden` or `detached`.
    state: Option<ElementState>,
    /// JavaScript that is to come to something true: a person is asked, as for browser_evaluate. With an element, the word
    /// for a state is that state.
    #[schemars(length(max = 200_000))]
    condition: Option<String>,
    /// Milliseconds.
    #[serde(default = "half_a_minute")]
    #[schemars(range(max = 600_000))]
    timeout: u64,
}

fn half_a_minute() -> u64 {
    30_000
}

impl Input {
    fn target(&self) -> ToolResult<Option<Target>> {
        let (reference, selector) = (self.reference.as_ref(), self.selector.as_ref());
        let named = reference.is_some() || selector.is_some();
        named.then(|| elements::target(reference, selector, None, None)).transpose()
    }

    /// What the element is to be, and the script that is to come to something true.
    fn wanted(&self) -> ToolResult<(ElementState, Option<&String>)> {
        let is_named = self.reference.is_some() || self.selector.is_some();
        let state = self.condition.as_deref().filter(|_| is_named).and_then(ElementState::named);
        match (self.state, state) {
            (Some(one), Some(other)) if one != other => {
                Err(ToolError::invalid("two_states", "Name one state: as state, or as condition."))
            }
            (said, None) => Ok((said.unwrap_or_default(), self.condition.as_ref())),
            (_, Some(state)) => Ok((state, None)),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Milliseconds.
    waited_ms: u64,
    /// The element, as a snapshot shows it, where one was waited for and is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserWaitFor;

impl Tool for BrowserWaitFor {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_wait_for",
        "Waits until an element (by ref or selector) is visible, attached, hidden or detached, or until a JavaScript condition \
         holds; with both, for both.",
    )
    .zh("等待元素（ref 或选择器）可见、出现、隐藏或消失，或等待 JavaScript 条件成立；两者都给出时都要满足。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "wait", "until", "appear", "condition", "等待", "出现", "加载", "条件"])
    .example(r#"{"selector": "main .done", "timeout": 5000}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let target = input.target()?;
        let mut plan = match input.wanted()?.1 {
            None if target.is_none() => {
                return Err(ToolError::invalid(
                    "nothing_to_wait_for",
                    "Say what to wait for: selector, ref or condition.",
                ));
            }
            None => hands::on_page(cx, "Wait for an element", Permission::Public, Effects::READS)?,
            Some(script) => {
                let effects = Effects::NETWORK.and(Effects::EXECUTES);
                hands::on_page(
                    cx,
                    "Run JavaScript in the page until it holds",
                    Permission::Sensitive,
                    effects,
                )?
                .preview(Preview::Text(script.clone()))
                .not_undoable("What a script does cannot be taken back.")
            }
        };
        plan.timeout = Some(Duration::from_millis(input.timeout) + Duration::from_secs(20));
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let (begun, limit) = (Instant::now(), Duration::from_millis(input.timeout));
        let mut element = None;
        let (state, condition) = input.wanted()?;
        if let Some(target) = input.target()? {
            let seen = page.wait_for_element(&target, state, limit).await?;
            element = seen["line"].as_str().map(str::to_owned);
        }
        if let Some(script) = condition {
            // The page may be left at any time meanwhile; on the same host the script may go on.
            let left = limit.saturating_sub(begun.elapsed());
            page.wait_for_condition(script, left, || hands::is_as_planned(cx, &page)).await?;
        }
        notices.extend(page.notices());
        let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Output { waited_ms, element, notices })
    }

    fn render(output: &Output) -> Rendered {
        let element = output.element.as_ref().map_or_else(String::new, |line| format!(" {line}"));
        let text = format!("It is so after {} ms.{element}", output.waited_ms);
        Rendered::text(with_notices(text, &output.notices))
    }
}
