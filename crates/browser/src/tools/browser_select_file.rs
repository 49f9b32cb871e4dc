//! `browser_select_file`: chooses files in a file field of a page.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    elements::{self, Acted},
    hands,
    sending::Sends,
};
use crate::page::{Seen, Target};

/// The most that one file may have.
const LARGEST: u64 = 1 << 30;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The field, by its ref in a snapshot.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// The field, by a CSS selector.
    selector: Option<String>,
    /// The files; relative paths start at the workspace.
    #[schemars(length(min = 1, max = 20))]
    paths: Vec<PathArg>,
}

pub struct BrowserSelectFile;

impl Tool for BrowserSelectFile {
    type Input = Input;
    type Output = Acted;

    const SPEC: Spec = Spec::new(
        "browser_select_file",
        "Chooses files in a file field of the page, as a person would in the browser's dialog. The page gets their content.",
    )
    .zh("在网页的文件输入框中选择文件；网页将得到文件内容。")
    .permission(Permission::Sensitive)
    .effects(Effects::READS.and(hands::ACTS))
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "upload", "file", "choose", "attach", "input", "上传", "选择文件", "附件"])
    .example(r#"{"selector": "input[type=file]", "paths": ["report.pdf"]}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let target = elements::target(input.reference.as_ref(), input.selector.as_ref(), None, None)?;
        let seen = elements::seen(cx, &target).await?;
        plan(cx, &target, seen.as_ref(), &places(input, cx)?)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Acted> {
        let target = elements::target(input.reference.as_ref(), input.selector.as_ref(), None, None)?;
        let (page, notices) = hands::same_page(cx).await?;
        let places = places(&input, cx)?;
        // Another document may have the field by now.
        let seen = page.look_at(&target).await?;
        elements::still_approved(cx, &plan(cx, &target, Some(&seen), &places)?)?;
        let folder = page.browser().uploads().join(deskhand_core::id::new_id());
        // The browser opens a path when the page asks for it, which may be late: it gets what was approved, as it is now.
        let copied = tokio::task::spawn_blocking(move || copies(&places, &folder)).await;
        let files = copied.map_err(|error| ToolError::new("not_copied", format!("{error}.")))??;
        // Copying takes its time: the field that was looked at gets them, or none.
        let described = page.select_files(&seen.target(), &files).await?;
        Acted::new(&page, &described["line"], notices)
    }

    fn render(output: &Acted) -> Rendered {
        Rendered::text(output.text("Chose the files in"))
    }
}

fn plan(cx: &Cx, target: &Target, seen: Option<&Seen>, places: &[Place]) -> ToolResult<Plan> {
    let names: Vec<String> = places.iter().map(Place::shown).collect();
    let does = format!("Give {} to", names.join(", "));
    let plan = elements::plan(cx, &does, target, seen, &Sends::Nothing)?.at_least(
        Permission::Sensitive,
        "browser:upload",
        "The page gets what is in the files.",
    );
    Ok(places.iter().fold(plan, PlanOn::on))
}

fn places(input: &Input, cx: &Cx) -> ToolResult<Vec<Place>> {
    let paths = cx.paths()?;
    input.paths.iter().map(|path| paths.readable(path)).collect()
}

/// Each in a folder of its own, so that it keeps its name.
fn copies(places: &[Place], folder: &Path) -> ToolResult<Vec<PathBuf>> {
    let copy = |(number, place): (usize, &Place)| {
        let own = folder.join(number.to_string());
        let path = own.join(place.name().unwrap_or_default());
        let failed = |error: &io::Error| place.io("copy", error);
        fs::create_dir_all(&own).map_err(|error| failed(&error))?;
        let mut from = place.open()?.take(LARGEST + 1);
        let mut to = fs::File::create_new(&path).map_err(|error| failed(&error))?;
        if io::copy(&mut from, &mut to).map_err(|error| failed(&error))? > LARGEST {
            return Err(ToolError::invalid("too_large", format!("{} has more than 1 GiB.", place.shown())));
        }
        Ok(path)
    };
    places.iter().enumerate().map(copy).collect()
}
