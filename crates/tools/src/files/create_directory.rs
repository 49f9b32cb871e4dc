//! `create_directory`: makes a folder, and those above it that are missing.

use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::Changes;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The folder; relative paths start at the workspace. Missing folders above it are created, too.
    path: PathArg,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
    /// How many folders were created; 0 if it existed already.
    created: usize,
}

pub struct CreateDirectory;

impl Tool for CreateDirectory {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "create_directory",
        "Create a folder, with missing parents. One that exists already is fine.",
    )
    .zh("创建文件夹，支持多级目录；已存在也视为成功。")
    .permission(Permission::Moderate)
    .effects(Effects::WRITES)
    .toolsets(&["files"])
    .keywords(&["mkdir", "folder", "directory", "create", "文件夹", "目录", "创建", "新建"])
    .example(r#"{"path": "reports/2026"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let input = input.clone();
        cx.blocking(move |cx| {
            if let Some(place) = existing(&input, cx)? {
                return Ok(Plan::new(format!("{} exists already", place.shown())).on(&place));
            }
            let place = cx.paths()?.writable(&input.path)?;
            if place.kind() != Kind::Absent {
                return Err(place.io("create the folder", &std::io::ErrorKind::AlreadyExists.into()));
            }
            let plan = Plan::new(format!("Create the folder {}", place.shown())).on(&place);
            let missing = place.missing_folders();
            let too = |plan: Plan, folder: &Place| {
                plan.note(format!("Creates the folder {}, too.", folder.shown()))
            };
            Ok(missing.iter().fold(plan, too))
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            if let Some(place) = existing(&input, cx)? {
                return Ok(Output { path: place.text(), created: 0 });
            }
            let place = cx.paths()?.writable(&input.path)?;
            let mut changes = Changes::begin(cx, format!("Created the folder {}", place.shown()))?;
            let made = changes.create_folders(&place);
            let (created, _) = changes.end(made)?;
            Ok(Output { path: place.text(), created })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { path, created } = output;
        Rendered::text(match created {
            0 => format!("{path} exists already; nothing was changed."),
            1 => format!("Created the folder {path}."),
            n => format!("Created the folder {path}, {n} folders in all."),
        })
    }
}

/// The folder, where it is there already. Whoever may not read there gets to ask for writing.
fn existing(input: &Input, cx: &Cx) -> ToolResult<Option<Place>> {
    match cx.paths()?.readable(&input.path) {
        Ok(place) => Ok(Some(place).filter(|place| place.kind() == Kind::Folder)),
        Err(error) if error.code == "no_such_file" => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
