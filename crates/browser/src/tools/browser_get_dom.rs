//! `browser_get_dom`: the structure of the page, simplified.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::hands::{self, with_notices};
use crate::{
    cdp::Connection,
    page::{PageError, Target},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only this element, by a CSS selector.
    selector: Option<String>,
    /// Only this element, by its ref in a snapshot.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// How many levels are shown.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 100))]
    max_depth: u32,
}

fn three() -> u32 {
    3
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// A line for each element, indented by its depth.
    dom: String,
    elements: u64,
    /// Whether there is more than is shown.
    truncated: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserGetDom;

impl Tool for BrowserGetDom {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_get_dom",
        "The simplified DOM of the page in the current tab, or of one element: tags, ids, classes, useful attributes, text; \
         no scripts, no styles, no passwords. To act on a page, browser_snapshot is shorter.",
    )
    .zh("当前页面或某个元素的简化 DOM：标签、id、类、常用属性和文本；不含脚本、样式和密码。要操作页面时 browser_snapshot 更简短。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "dom", "html", "structure", "elements", "结构", "元素", "网页"])
    .example(r#"{"selector": "main", "max_depth": 3}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Input, cx: &Cx) -> ToolResult<Plan> {
        hands::on_page(cx, "Read the structure of the page", Permission::Public, Effects::READS)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let more = json!({"max_depth": input.max_depth});
        let target = Target { reference: input.reference, selector: input.selector, ..Target::default() };
        let told = page.ask_about(&target, "dom", &more, Connection::USUAL).await?.answer;
        notices.extend(page.notices());
        let broken = || PageError::Script("the page did not tell its structure".to_owned());
        Ok(Output {
            dom: told["text"].as_str().ok_or_else(broken)?.to_owned(),
            elements: told["elements"].as_u64().unwrap_or_default(),
            truncated: told["truncated"] == true,
            notices,
        })
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(with_notices(output.dom.clone(), &output.notices))
    }
}
