//! `file_stat`: what a path is (kind, size, times, mode).

use cap_std::fs::Metadata;
use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Time, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File or folder; relative paths start at the workspace.
    path: PathArg,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
    kind: EntryKind,
    /// Bytes.
    size: u64,
    modified: Option<Time>,
    accessed: Option<Time>,
    created: Option<Time>,
    /// Unix permission bits in octal, such as `644`.
    mode: Option<String>,
    read_only: bool,
    /// Where a link leads.
    link_target: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    File,
    Folder,
    Link,
    Special,
}

impl EntryKind {
    pub fn of(meta: &Metadata) -> Self {
        if meta.is_symlink() {
            Self::Link
        } else if meta.is_dir() {
            Self::Folder
        } else if meta.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}

pub struct FileStat;

impl Tool for FileStat {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new("file_stat", "What a path is: kind, size, times, permissions. A link is not followed.")
        .zh("查看路径信息：类型、大小、时间、权限。不跟随符号链接。")
        .permission(Permission::Public)
        .effects(Effects::READS)
        .toolsets(&["files"])
        .keywords(&["size", "modified", "permissions", "info", "大小", "修改时间", "权限", "文件信息"])
        .example(r#"{"path": "README.md"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let place = cx.paths()?.readable_entry(&input.path)?;
        Ok(Plan::new(format!("Look at {}", place.shown())).on(&place))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| stat(&cx.paths()?.readable_entry(&input.path)?)).await
    }

    fn render(output: &Output) -> Rendered {
        let kind = serde_json::to_value(output.kind).unwrap_or_default();
        let modified = output.modified.map_or_else(String::new, |t| format!(", modified {t}"));
        let mode = output.mode.as_deref().map_or_else(String::new, |m| format!(", mode {m}"));
        let link = output.link_target.as_deref().map_or_else(String::new, |t| format!(" → {t}"));
        let (path, size) = (&output.path, output.size);
        Rendered::text(format!("{path}{link}: {}, {size} bytes{modified}{mode}", kind.as_str().unwrap_or_default()))
    }
}

fn stat(place: &Place) -> ToolResult<Output> {
    let meta = place.metadata()?;
    let target = match place.name() {
        Some(name) if meta.is_symlink() => Some(
            place.parent()?.read_link_contents(name).map_err(|error| place.io("read the link", &error))?,
        ),
        _ => None,
    };
    let time = |t: std::io::Result<cap_std::time::SystemTime>| t.ok().map(|t| Time::from(t.into_std()));
    Ok(Output {
        path: place.text(),
        kind: EntryKind::of(&meta),
        size: meta.len(),
        modified: time(meta.modified()),
        accessed: time(meta.accessed()),
        created: time(meta.created()),
        mode: mode_of(&meta),
        read_only: meta.permissions().readonly(),
        link_target: target.map(|target| deskhand_guard::paths::show_name(target.as_os_str())),
    })
}

#[cfg(unix)]
pub(super) fn mode_of(meta: &Metadata) -> Option<String> {
    use cap_std::fs::MetadataExt;
    Some(format!("{:o}", meta.mode() & 0o7777))
}

#[cfg(not(unix))]
pub(super) fn mode_of(_: &Metadata) -> Option<String> {
    None
}
