//! `open_in_folder`: shows a file in the file manager.

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use deskhand_guard::{PathArg, PathsOf, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    seat,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file or folder; relative paths start at the workspace.
    path: PathArg,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
}

pub struct OpenInFolder;

impl Tool for OpenInFolder {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "open_in_folder",
        "Show a file to the person: their file manager opens its folder, with the file marked where it can do that. The \
         file itself is not opened.",
    )
    .zh("在文件管理器中显示文件：打开所在文件夹并选中该文件（若支持）。不会打开文件本身。")
    .permission(Permission::Moderate)
    .effects(Effects::DESKTOP)
    .toolsets(&["desktop"])
    .keywords(&["open", "folder", "reveal", "show", "file manager", "explorer", "打开文件夹", "文件管理器", "显示"])
    .example(r#"{"path": "report.pdf"}"#)
    .timeout_s(30);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::FileManager)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let place = cx.paths()?.readable(&input.path)?;
        Ok(Plan::new(format!("Show {} in the file manager", place.shown()))
            .on(&place)
            .effects(Effects::DESKTOP)
            .at_least(Permission::Moderate, "desktop:show", "A window opens on your desktop.")
            .not_undoable("Close the window again."))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let place = cx.paths()?.readable(&input.path)?;
            seat::desktop(cx)?.show_file(place.path(), &Wait::of(cx).long())?;
            Ok(Output { path: place.text() })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        Rendered::text(format!("The file manager was asked to show {}.", output.path))
    }
}
