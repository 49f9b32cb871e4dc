//! `screenshot`: a picture of the screen, of a window, of a part of the screen, or of a web page.

mod aim;
mod input;

use std::{env, path::Path, sync::Arc};

use deskhand_core::{
    Absent, Cx, Effects, Image, PageCamera, PagePicture, PageShot, Permission, Plan, Services, Spec, Tool,
    ToolError, ToolResult, arguments, tool::Rendered,
};
use deskhand_guard::{Kind, PathArg, Paths, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use self::aim::Aim;
use self::input::Folder;
pub use self::input::Input;
use super::{
    backend::Faculty,
    picture::Picture,
    picture_file::{self, Promise, Readers},
    seat,
    window::Rect,
};

/// Where pictures go that were given no path.
const FOLDER: &str = "screenshots";

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Absolute.
    path: String,
    width: u32,
    height: u32,
    /// Of the file.
    bytes: u64,
    /// The part of the screen that it shows; left out for a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Rect>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    preview: Option<Image>,
}

pub struct Screenshot;

impl Tool for Screenshot {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "screenshot",
        "Take a picture of the whole desktop, one display, a window, a region or a web page. It is written as PNG to \
         path (default: a new file in screenshots/ in the workspace), and a small copy is shown to you. A window is shown as it is on the \
         screen, with whatever is in front of it.",
    )
    .zh("截图：整个桌面、某个显示器、窗口、区域或网页。以 PNG 保存到 path（默认在工作区的 screenshots/ 下），并给你一张缩略图。窗口截图与屏幕所见一致，被遮挡的部分会显示遮挡物。")
    .permission(Permission::Moderate)
    .effects(Effects::DESKTOP.and(Effects::WRITES))
    .requires_result_approval()
    .toolsets(&["desktop"])
    .keywords(&["screenshot", "screen", "capture", "picture", "window", "截图", "截屏", "截取", "全屏", "屏幕", "抓图"])
    .example(r#"{"path": "screen.png"}"#)
    .timeout_s(60);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        // Where there is no desktop there may still be a browser.
        let camera = services.get::<Arc<dyn PageCamera>>().map(|camera| camera.available());
        seat::available(services, Faculty::Capture).or_else(|absent| camera.unwrap_or(Err(absent)))
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        if let Some(shot) = input.page()? {
            let place = place(input, cx)?;
            let plan = Plan::new(format!("Take a picture of {} into {}", page_words(&shot), place.shown()))
                .on(&place);
            return camera(cx)?.plan(&shot, outside(plan, "a web page"), cx).await;
        }
        let input = input.clone();
        cx.blocking(move |cx| {
            let (aim, place) = (Aim::take(&input, cx)?, place(&input, cx)?);
            Ok(plan(&aim, &place))
        })
        .await
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        if let Some(shot) = input.page()? {
            let PagePicture { png, cut_from } = camera(cx)?.take(&shot, cx).await?;
            let cut = |(width, height)| format!("It is cut off: all of it would be {width}×{height} pixels.");
            let notes = cut_from.map(cut).into_iter().collect();
            return cx
                .blocking(move |cx| {
                    let picture = Picture::read(&png)?;
                    keep(input, cx, png, &picture, None, notes)
                })
                .await;
        }
        cx.blocking(move |cx| shoot(&input, cx)).await
    }

    fn render(output: &Output) -> Rendered {
        let Output { path, width, height, bytes, .. } = output;
        let mut text = format!("{width}×{height} pixels, {bytes} bytes: {path}");
        for note in &output.notes {
            text.push_str(&format!("\n{note}"));
        }
        Rendered { text, images: output.preview.iter().cloned().collect() }
    }
}

fn shoot(input: &Input, cx: &Cx) -> ToolResult<Output> {
    let aim = Aim::take(input, cx)?;
    let again = plan(&aim, &approved_place(input, cx)?);
    if cx.plan().is_none_or(|shown| shown.summary != again.summary) {
        return Err(ToolError::plan_changed("What is on the screen is not what was shown."));
    }
    let picture = aim.shoot(cx)?;
    keep(input.clone(), cx, picture.png()?, &picture, Some(aim.region), aim.notes)
}

fn plan(aim: &Aim, place: &Place) -> Plan {
    let plan = Plan::new(format!("Take a picture of {} into {}", aim.words, place.shown()))
        .on(place)
        .effects(Effects::DESKTOP)
        .at_least(Permission::Moderate, "screen:look", "It shows whatever is on the screen.");
    let plan = aim.notes.iter().fold(plan, Plan::note);
    outside(plan, "the screen")
}

/// What is in a picture was put there by others, and whoever asked for it may see it only after a person has.
fn outside(mut plan: Plan, source: &str) -> Plan {
    plan.outside = Some(source.to_owned());
    plan.result_approval = true;
    plan
}

/// The file, by its full name: a folder is where it goes, and without a path it goes to the usual one.
fn target(input: &Input, cx: &Cx) -> ToolResult<PathArg> {
    // What was approved is one file, wherever the path leads by now.
    if let Some(touch) = cx.plan().and_then(|plan| plan.touches.iter().find(|touch| touch.access.writes())) {
        return Ok(PathArg::new(touch.path.to_string_lossy()));
    }
    match &input.path {
        None if is_temporary(input, cx)? => free_name(&env::temp_dir(), &tag(cx)?, cx),
        None => free_name(Path::new(FOLDER), "", cx),
        Some(arg) => match cx.paths()?.writable(arg)?.kind() {
            Kind::Folder => free_name(Path::new(arg.as_str()), "", cx),
            _ => Ok(arg.clone()),
        },
    }
}

/// Whether it goes to the folder for temporary files. Where nothing outside the workspace may be written, it does not.
fn is_temporary(input: &Input, cx: &Cx) -> ToolResult<bool> {
    let is_asked_for = input.path.is_none() && input.folder == Some(Folder::Temporary);
    Ok(is_asked_for && !cx.service::<Paths>()?.restrict_to_workspace())
}

/// What tells the pictures of this session from those of others, in a folder that all programs share.
fn tag(cx: &Cx) -> ToolResult<String> {
    let whose = json!([cx.session_id(), cx.paths()?.workspace().to_string_lossy()]);
    Ok(arguments::sha256(&whose).chars().take(8).chain(['_']).collect())
}

/// The first name that is not taken. It depends on nothing but what is there: the plan of the same call, made again
/// after a person has agreed, names the same file.
fn free_name(folder: &Path, tag: &str, cx: &Cx) -> ToolResult<PathArg> {
    let mut number = 1u64;
    loop {
        let arg = PathArg::new(folder.join(format!("screenshot_{tag}{number}.png")).to_string_lossy());
        let place = cx.paths()?.writable_entry(&arg)?;
        if place.kind() == Kind::Absent && !Promise::is_made(place.path()) {
            return Ok(arg);
        }
        number += 1;
    }
}

fn place(input: &Input, cx: &Cx) -> ToolResult<Place> {
    picture_file::place(&target(input, cx)?, cx)
}

/// The same in a run: where another file has taken the name since, the call is planned again.
fn approved_place(input: &Input, cx: &Cx) -> ToolResult<Place> {
    place(input, cx).map_err(|error| match error.code {
        picture_file::ALREADY_EXISTS => ToolError::plan_changed(error.message),
        _ => error,
    })
}

/// The file is written when a person has seen the picture, and only then. Until then no other picture gets its name.
fn keep(
    input: Input,
    cx: &Cx,
    file: Vec<u8>,
    picture: &Picture,
    region: Option<Rect>,
    notes: Vec<String>,
) -> ToolResult<Output> {
    let preview = Some(picture.preview()?);
    let place = approved_place(&input, cx)?;
    let promise = Promise::make(place.path())?;
    let (path, bytes) = (place.text(), file.len() as u64);
    let readers = if is_temporary(&input, cx)? { Readers::Owner } else { Readers::Usual };
    cx.once_passed_on(move |cx| {
        let _held_until_it_is_there = promise;
        picture_file::write(&self::place(&input, cx)?, &file, readers, cx)
    });
    Ok(Output { path, width: picture.width, height: picture.height, bytes, region, notes, preview })
}

fn page_words(shot: &PageShot) -> String {
    let how_much = if shot.full_page { "all of " } else { "" };
    match &shot.url {
        Some(url) => format!("{how_much}{}", super::window::one_line(url)),
        None => format!("{how_much}the page that is open"),
    }
}

fn camera(cx: &Cx) -> ToolResult<&Arc<dyn PageCamera>> {
    cx.service::<Arc<dyn PageCamera>>().map_err(|_| {
        ToolError::new("no_browser", "A picture of a web page takes a browser, and this program has none.")
            .hint("Open the page in a browser on the desktop, and take a picture of its window.")
    })
}
