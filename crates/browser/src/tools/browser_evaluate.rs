//! `browser_evaluate`: runs JavaScript in the page.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hands::{self, LIMIT, with_notices};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// An expression, statements (`await` works), a function, or the body of one with `return`.
    #[schemars(length(min = 1, max = 200_000))]
    script: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// What it came to, as JSON.
    result: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserEvaluate;

impl Tool for BrowserEvaluate {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_evaluate",
        "Runs JavaScript in the page of the current tab and returns its result as JSON; promises are waited for. A person \
         is asked each time: prefer the other browser tools.",
    )
    .zh("在当前页面执行 JavaScript，并以 JSON 返回结果；会等待 Promise。每次都会询问，优先使用其他浏览器工具。")
    .permission(Permission::Sensitive)
    .effects(Effects::NETWORK.and(Effects::EXECUTES))
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "javascript", "script", "evaluate", "run", "脚本", "执行", "网页"])
    .example(r#"{"script": "document.title"}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let effects = Effects::NETWORK.and(Effects::EXECUTES);
        let plan = hands::on_page(cx, "Run JavaScript in the page", Permission::Sensitive, effects)?;
        Ok(plan
            .preview(Preview::Text(input.script.clone()))
            .not_undoable("What a script does cannot be taken back."))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::page(cx).await?;
        let document = page.document()?;
        let is_there = || {
            hands::is_as_planned(cx, &page)?;
            if page.document()? == document {
                return Ok(());
            }
            Err(ToolError::plan_changed("The page was left before the script ran."))
        };
        let result = page.evaluate_if(&input.script, LIMIT, is_there).await?;
        notices.extend(page.notices());
        Ok(Output { result, notices })
    }

    fn render(output: &Output) -> Rendered {
        let text = match &output.result {
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default(),
        };
        Rendered::text(with_notices(text, &output.notices))
    }
}
