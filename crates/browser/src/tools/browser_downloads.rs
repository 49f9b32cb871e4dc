//! `browser_downloads`: what pages have downloaded, and the way from there into the workspace.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Services, Spec, Tool, ToolError, ToolResult, tool::Rendered,
};
use deskhand_guard::{NewFiles, PathArg, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{hands, new_file};
use crate::tab::{Download, DownloadState, file_of};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The number of the download to save. Without it, all are listed.
    download: Option<u32>,
    /// Where to save it: a new file; relative paths start at the workspace.
    path: Option<PathArg>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    downloads: Vec<Listed>,
    /// Where it was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// What it is called by.
    download: u32,
    /// What the page calls it.
    name: String,
    url: String,
    /// `in_progress`, `completed` or `cancelled`.
    state: DownloadState,
    /// Bytes that are there.
    size: u64,
}

pub struct BrowserDownloads;

impl Tool for BrowserDownloads {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_downloads",
        "Lists what pages in this session's browser have downloaded, or saves one as a new file, in the workspace say. \
         Downloads that are not saved go with the browser.",
    )
    .zh("列出本会话浏览器下载的文件，或将其中一个保存为新文件（例如保存到工作区）。未保存的下载随浏览器一起删除。")
    .permission(Permission::Moderate)
    .effects(Effects::READS.and(Effects::WRITES))
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "download", "save", "file", "下载", "保存", "文件"])
    .example(r#"{"download": 1, "path": "report.pdf"}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let Some(number) = input.download else {
            return hands::on_page(cx, "List the browser's downloads", Permission::Public, Effects::READS);
        };
        let (download, _) = named(cx, number)?;
        let place = new_place(input, cx)?;
        let does = format!("Save «{}» as {}", hands::short(&download.suggested_name), place.shown());
        let from = format!("It comes from {}.", hands::short(&download.url));
        let mut plan = Plan::new(does).note(from).on(&place);
        plan.outside = Some(hands::host_of(&download.url).unwrap_or_else(|| "a web page".to_owned()));
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let saved = match input.download {
            None => None,
            Some(number) => {
                let (download, file) = named(cx, number)?;
                Some(cx.blocking(move |cx| save(&download, &file, &new_place(&input, cx)?, cx)).await?)
            }
        };
        // Where no browser runs there is nothing to list, and none is started for it.
        let browsers = hands::browsers(cx)?;
        let browser = browsers.running(cx.session_id());
        let downloads =
            browser.map(|browser| listed(&browser.targets().look().downloads.all)).unwrap_or_default();
        let (saved, notices) = saved.unzip();
        let mut notices = notices.unwrap_or_default();
        if browsers.config().attach.is_some() {
            notices.push(
                "What is downloaded in a browser that was attached to goes where that browser puts it."
                    .to_owned(),
            );
        }
        Ok(Output { downloads, saved, notices })
    }

    fn render(output: &Output) -> Rendered {
        let state = |listed: &Listed| match listed.state {
            DownloadState::InProgress => ", in progress",
            DownloadState::Completed => "",
            DownloadState::Cancelled => ", cancelled",
        };
        let line =
            |d: &Listed| format!("{} «{}» ({} bytes{}) from {}", d.download, d.name, d.size, state(d), d.url);
        let text = match &output.saved {
            Some(path) => format!("Saved as {path}."),
            None if output.downloads.is_empty() => "Nothing was downloaded.".to_owned(),
            None => output.downloads.iter().map(line).collect::<Vec<_>>().join("\n"),
        };
        Rendered::text(hands::with_notices(text, &output.notices))
    }
}

fn listed(downloads: &[Download]) -> Vec<Listed> {
    let one = |d: &Download| Listed {
        download: d.number,
        name: d.suggested_name.clone(),
        url: d.url.clone(),
        state: d.state,
        size: d.received,
    };
    downloads.iter().map(one).collect()
}

/// A download that is complete, and its file.
fn named(cx: &Cx, number: u32) -> ToolResult<(Download, PathBuf)> {
    let none = || {
        ToolError::invalid("no_such_download", format!("There is no download {number}."))
            .hint("Without parameters, browser_downloads lists them.")
    };
    let browser = hands::browsers(cx)?.running(cx.session_id()).ok_or_else(none)?;
    let find = |download: &&Download| download.number == number;
    let found = browser.targets().look().downloads.all.iter().find(find).cloned();
    let download = found.ok_or_else(none)?;
    let file = file_of(&download.guid).filter(|_| download.state == DownloadState::Completed);
    let not_complete =
        || ToolError::invalid("not_complete", format!("The download {number} is not complete."));
    let file = browser.downloads().join(file.ok_or_else(not_complete)?);
    Ok((download, file))
}

/// A file that is not there yet, where it may be written.
fn new_place(input: &Input, cx: &Cx) -> ToolResult<Place> {
    let Some(path) = &input.path else {
        return Err(ToolError::invalid("no_path", "Where should it be saved? Give the new file as path."));
    };
    new_file::place(cx, path, "")
}

/// As the file tools write, so that it can be taken back as what they wrote. Returns where it is, and what is to be said.
fn save(download: &Download, file: &Path, place: &Place, cx: &Cx) -> ToolResult<(String, Vec<String>)> {
    let mut from = fs::File::open(file).map_err(|error| place.io("write", &error))?;
    let summary = format!("Saved «{}» as {}", hands::short(&download.suggested_name), place.shown());
    let (_, notes) = cx.service::<Arc<dyn NewFiles>>()?.write_new(place, &mut from, &summary, cx)?;
    Ok((place.shown(), notes))
}
