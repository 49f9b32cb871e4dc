//! `screenshot`: a picture of the screen, of a window, of a part of the screen, or of a web page.

mod aim;
mod input;

use std::{path::Path, sync::Arc};

use deskhand_core::{
    Absent, CallId, Cx, Effects, Image, PageCamera, PagePicture, PageShot, Permission, Plan, Services, Spec,
    Tool, ToolError, ToolResult, tool::Rendered,
};
use deskhand_guard::{Kind, PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::Serialize;

use self::aim::Aim;
pub use self::input::Input;
use super::{backend::Faculty, picture::Picture, picture_file, seat, window::Rect};

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
         path (default: screenshots/ in the workspace), and a small copy is shown to you. A window is shown as it is on the \
         screen, with whatever is in front of it.",
    )
    .zh("截图：整个桌面、某个显示器、窗口、区域或网页。以 PNG 保存到 path（默认在工作区的 screenshots/ 下），并给你一张缩略图。窗口截图与屏幕所见一致，被遮挡的部分会显示遮挡物。")
    .permission(Permission::Moderate)
    .effects(Effects::DESKTOP.and(Effects::WRITES))
    .requires_result_approval()
    .toolsets(&["desktop"])
    .keywords(&["screenshot", "screen", "capture", "picture", "window", "截图", "截屏", "屏幕", "抓图"])
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
    let again = plan(&aim, &place(input, cx)?);
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
    let Some(arg) = &input.path else { return Ok(PathArg::new(usual_name(cx.call_id()))) };
    match cx.paths()?.writable(arg)?.kind() {
        Kind::Folder => {
            Ok(PathArg::new(Path::new(arg.as_str()).join(file_name(cx.call_id())).to_string_lossy()))
        }
        _ => Ok(arg.clone()),
    }
}

fn place(input: &Input, cx: &Cx) -> ToolResult<Place> {
    picture_file::place(&target(input, cx)?, cx)
}

/// From the call's own id, which has the time in it: the plan, made twice, must name the same file.
fn file_name(call: CallId) -> String {
    let id: String = call.to_string().chars().filter(char::is_ascii_hexdigit).collect();
    let ms = i64::from_str_radix(id.get(..12).unwrap_or_default(), 16).unwrap_or_default();
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
    format!("screenshot_{}_{}.png", at.strftime("%Y%m%d_%H%M%S"), id.get(26..).unwrap_or_default())
}

fn usual_name(call: CallId) -> String {
    format!("{FOLDER}/{}", file_name(call))
}

/// The file is written when a person has seen the picture, and only then.
fn keep(
    input: Input,
    cx: &Cx,
    file: Vec<u8>,
    picture: &Picture,
    region: Option<Rect>,
    notes: Vec<String>,
) -> ToolResult<Output> {
    let preview = Some(picture.preview()?);
    let (path, bytes) = (place(&input, cx)?.text(), file.len() as u64);
    cx.once_passed_on(move |cx| picture_file::write(&place(&input, cx)?, &file, cx));
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
