//! `browser_scroll`: scrolls the page, or something on it.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::hands::{self, with_notices};
use crate::{cdp::Connection, page::Target};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Up,
    Down,
    Left,
    Right,
    ToTop,
    ToBottom,
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `up`, `down`, `left`, `right`, `to_top` or `to_bottom`.
    direction: Direction,
    /// Pixels.
    #[serde(default = "a_bit")]
    #[schemars(range(max = 1_000_000))]
    amount: u32,
    /// What is scrolled, by its ref in a snapshot; else the page.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// What is scrolled, by a CSS selector.
    selector: Option<String>,
}

fn a_bit() -> u32 {
    500
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Where it is now, in pixels from the left and from the top.
    x: f64,
    y: f64,
    /// How far it moved.
    moved_x: f64,
    moved_y: f64,
    /// It cannot go further that way.
    at_end: bool,
    /// What was scrolled: `page`, or an element.
    of: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserScroll;

impl Tool for BrowserScroll {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_scroll",
        "Scrolls the page in the current tab, or an element of it, and says how far it went and whether that is the end.",
    )
    .zh("滚动当前页面或其中的元素，并说明滚动了多少、是否到底。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "scroll", "down", "up", "top", "bottom", "滚动", "向下", "到底", "到顶"])
    .example(r#"{"direction": "down", "amount": 500}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Input, cx: &Cx) -> ToolResult<Plan> {
        hands::on_page(cx, "Scroll", Permission::Public, Effects::READS)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let more = json!({"direction": input.direction, "amount": input.amount});
        let target = Target { reference: input.reference, selector: input.selector, ..Target::default() };
        let told = page.ask_about(&target, "scroll", &more, Connection::USUAL).await?.answer;
        notices.extend(page.notices());
        let number = |value: &Value| value.as_f64().unwrap_or_default();
        Ok(Output {
            x: number(&told["after"]["x"]),
            y: number(&told["after"]["y"]),
            moved_x: number(&told["moved"]["x"]),
            moved_y: number(&told["moved"]["y"]),
            at_end: told["at_end"] == true,
            of: told["of"].as_str().unwrap_or("page").to_owned(),
            notices,
        })
    }

    fn render(output: &Output) -> Rendered {
        let Output { x, y, moved_x, moved_y, of, .. } = output;
        let end = if output.at_end { " That is the end." } else { "" };
        let text = format!("Scrolled {of} by {moved_x}, {moved_y} pixels; it is at {x}, {y}.{end}");
        Rendered::text(with_notices(text, &output.notices))
    }
}
