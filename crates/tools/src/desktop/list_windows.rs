//! `list_windows`: the windows on the desktop.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    seat,
    window::{Window, one_line},
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only windows with this text in their title; upper and lower case are the same.
    #[schemars(length(max = 500))]
    filter_title: Option<String>,
    /// Those that are minimized, too.
    #[serde(default = "yes")]
    include_minimized: bool,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// From the topmost to the lowest.
    windows: Vec<Window>,
    /// Windows that there are in all.
    total: usize,
}

pub struct ListWindows;

impl Tool for ListWindows {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "list_windows",
        "The windows on the desktop, topmost first: id, title, program, process, place and size, state, workspace. \
         The ids are what the other window tools take.",
    )
    .zh("列出桌面上的所有窗口（最上层在前）：id、标题、程序、进程号、位置大小、状态、所在工作区。其他窗口工具使用这里的 id。")
    .permission(Permission::Public)
    .effects(Effects::READS)
    .toolsets(&["desktop"])
    .keywords(&["windows", "list", "open", "titles", "desktop", "窗口", "窗口列表", "标题", "桌面"])
    .example(r#"{"filter_title": "notes"}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Windows)
    }

    async fn plan(&self, _: &Input, _: &Cx) -> ToolResult<Plan> {
        Ok(tells_titles(Plan::new("List the windows on the desktop").effects(Effects::READS)))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let mut windows = seat::desktop(cx)?.windows(&Wait::of(cx))?;
            let total = windows.len();
            let wanted = input.filter_title.unwrap_or_default().to_lowercase();
            windows.retain(|window| {
                (input.include_minimized || !window.is_minimized())
                    && window.title.to_lowercase().contains(&wanted)
            });
            windows.reverse();
            Ok(Output { windows, total })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let line = |window: &Window| {
            let mut notes = window.state.clone();
            if window.active {
                notes.insert(0, "active");
            }
            let notes = if notes.is_empty() { String::new() } else { format!(" [{}]", notes.join(", ")) };
            format!("{}: {}{notes}", window.words(), window.geometry)
        };
        let lines: Vec<String> = output.windows.iter().map(line).collect();
        Rendered::text(match lines.as_slice() {
            [] if output.total == 0 => "There are no windows.".to_owned(),
            [] => format!("None of the {} windows.", output.total),
            lines => lines.join("\n"),
        })
    }
}

/// What a call with this plan returns has titles in it, which are written by whatever is shown in the windows.
pub(super) fn tells_titles(mut plan: Plan) -> Plan {
    plan.outside = Some("the titles of windows".to_owned());
    plan
}

/// What a person and a model read of one window.
pub(super) fn about(window: &Window) -> String {
    let title = one_line(&window.title);
    let mut text = format!("window: {}\ntitle: {title}", window.id);
    if let Some(app) = &window.app {
        text.push_str(&format!("\nprogram: {}", one_line(app)));
    }
    if let Some(pid) = window.pid {
        text.push_str(&format!("\npid: {pid}"));
    }
    text
}
