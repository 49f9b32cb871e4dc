//! `file_stat`: what a path is (kind, size, times, mode).

use cap_std::fs::Metadata;
use deskhand_core::{Cx, Effects, Permission, Plan, Spec, Time, Tool, ToolResult, tool::Rendered};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counted::counted;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accessed: Option<Time>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Time>,
    /// Unix permission bits in octal, such as `644`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    read_only: bool,
    /// Where a link leads.
    #[serde(skip_serializing_if = "Option::is_none")]
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

    const SPEC: Spec =
        Spec::new("file_stat", "What a path is: kind, size, times, permissions. A link is not followed.")
            .zh("查看路径信息：类型、大小、时间、权限。不跟随符号链接。")
            .permission(Permission::Public)
            .effects(Effects::READS)
            .toolsets(&["files"])
            .keywords(&["size", "modified", "permissions", "info", "大小", "修改时间", "权限", "文件信息"])
            .structured()
            .example(r#"{"path": "README.md"}"#);

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let path = input.path.clone();
        cx.promptly(move |cx| {
            let place = cx.paths()?.readable_entry(&path)?;
            Ok(Plan::new(format!("Look at {}", place.shown())).on(&place))
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.promptly(move |cx| stat(&cx.paths()?.readable_entry(&input.path)?)).await
    }

    fn render(output: &Output) -> Rendered {
        let kind = serde_json::to_value(output.kind).unwrap_or_default();
        let modified = output.modified.map_or_else(String::new, |t| format!(", modified {t}"));
        let mode = output.mode.as_deref().map_or_else(String::new, |m| format!(", mode {m}"));
        let link = output.link_target.as_deref().map_or_else(String::new, |t| format!(" → {t}"));
        let (path, size) = (&output.path, counted(output.size, "byte"));
        Rendered::text(format!("{path}{link}: {}, {size}{modified}{mode}", kind.as_str().unwrap_or_default()))
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
#[allow(clippy::unnecessary_wraps)] // other systems have none
pub(super) fn mode_of(meta: &Metadata) -> Option<String> {
    use cap_std::fs::MetadataExt;
    Some(format!("{:o}", meta.mode() & 0o7777))
}

#[cfg(not(unix))]
pub(super) fn mode_of(_: &Metadata) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::Desk;

    #[test]
    fn what_a_path_is() {
        let desk = Desk::with_oddities();
        for (path, kind, size) in [("file", "file", Some(8)), ("folder", "folder", None)] {
            let called = desk.call(FileStat, json!({"path": path})).unwrap();
            assert_eq!(called.data["kind"], kind);
            assert!(size.is_none_or(|size: u64| called.data["size"] == size), "{}", called.data);
            assert!(called.text.contains(kind) && called.text.contains("bytes"), "{}", called.text);
        }
        let error = desk.call(FileStat, json!({"path": "File"})).unwrap_err();
        assert_eq!(
            (error.code, error.hint.as_deref()),
            ("no_such_file", Some("There is file in the same folder."))
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_modes_and_special_files() {
        let desk = Desk::with_oddities();
        crate::testing::set_mode(&desk.path("file"), 0o640);
        assert_eq!(desk.call(FileStat, json!({"path": "file"})).unwrap().data["mode"], "640");
        std::os::unix::fs::symlink("nowhere", desk.path("dangling")).unwrap();
        for (path, target) in [("dangling", "nowhere"), ("loop", "loop")] {
            let data = desk.call(FileStat, json!({"path": path})).unwrap().data;
            assert_eq!((&data["kind"], &data["link_target"]), (&json!("link"), &json!(target)));
        }
        let pipe = desk.path("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(desk.call(FileStat, json!({"path": "pipe"})).unwrap().data["kind"], "special");
    }

    #[test]
    fn the_policy_settles_the_permission() {
        let desk = Desk::new();
        desk.write(".env", "");
        let outside = desk.outside();
        for (path, permission) in [
            (desk.path(""), Permission::Public),
            (desk.path(".env"), Permission::Sensitive),
            (outside, Permission::Moderate),
        ] {
            assert_eq!(
                desk.plan(FileStat, json!({"path": path})).unwrap().permission,
                permission,
                "{path:?}"
            );
        }
    }

    #[test]
    fn withstands_bad_input() {
        Desk::with_oddities().withstands_bad_input(|| FileStat, "path", &json!({"path": "file"}));
    }
}
