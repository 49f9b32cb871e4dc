//! `browser_snapshot`: what is on the page, with a ref for each element.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hands::{self, with_notices};
use crate::page::{Snapshot, SnapshotAsk};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only what is in this element, by its ref: for what an earlier snapshot left out.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// With a ref: how many of its children to leave out at the beginning.
    #[serde(default)]
    offset: u32,
    /// How many characters it may have.
    #[serde(default = "usual_size")]
    #[schemars(range(min = 500, max = 200_000))]
    max_chars: u32,
    /// Only what is different from the snapshot with this id.
    since: Option<u64>,
}

fn usual_size() -> u32 {
    16_000
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    snapshot: Snapshot,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

pub struct BrowserSnapshot;

impl Tool for BrowserSnapshot {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_snapshot",
        "What is on the page of the current tab, as an outline of its accessibility tree, frames included. Each element has a \
         ref that the other browser tools take; refs hold until the page changes. Long lists are shortened and can be \
         asked for by ref.",
    )
    .zh("当前页面内容的无障碍树概要（含框架）。每个元素都有 ref，可用于其他浏览器工具，页面跳转后失效。过长的列表会缩短，可按 ref 查看。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "snapshot", "page", "read", "accessibility", "elements", "页面", "快照", "元素", "内容", "读取"])
    .example(r#"{"max_chars": 16000}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, _: &Input, cx: &Cx) -> ToolResult<Plan> {
        hands::on_page(cx, "Read the page", Permission::Public, Effects::READS)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let ask = SnapshotAsk {
            root: input.reference,
            offset: input.offset,
            max_chars: input.max_chars,
            since: input.since,
        };
        let snapshot = page.snapshot(&ask).await?;
        notices.extend(page.notices());
        Ok(Output { snapshot, notices })
    }

    fn render(output: &Output) -> Rendered {
        let Snapshot { id, url, title, outline, .. } = &output.snapshot;
        let text = format!("{url}: «{title}» (snapshot {id})\n{outline}");
        Rendered::text(with_notices(text, &output.notices))
    }
}
