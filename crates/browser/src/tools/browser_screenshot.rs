//! `browser_screenshot`: a picture of the page.

use base64::Engine;
use deskhand_core::{
    Absent, Cx, Effects, Image, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use deskhand_guard::{PathArg, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    elements,
    hands::{self, with_notices},
    new_file,
};
use crate::page::{Target, What};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only this element, by a CSS selector.
    selector: Option<String>,
    /// Only this element, by its ref in a snapshot.
    #[serde(rename = "ref")]
    reference: Option<String>,
    /// The whole page, not only what a window shows of it.
    #[serde(default)]
    full_page: bool,
    /// A new file for the picture, ending in .png; relative paths start at the workspace. You get the picture in any case.
    path: Option<PathArg>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    url: String,
    /// Pixels.
    width: u32,
    height: u32,
    /// Bytes of the picture.
    size: usize,
    /// The file, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The picture; it is handed over as an image.
    #[serde(skip)]
    base64: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
}

impl Input {
    fn target(&self) -> ToolResult<Option<Target>> {
        let (reference, selector) = (self.reference.as_ref(), self.selector.as_ref());
        let named = reference.is_some() || selector.is_some();
        named.then(|| elements::target(reference, selector, None, None)).transpose()
    }
}

pub struct BrowserScreenshot;

impl Tool for BrowserScreenshot {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "browser_screenshot",
        "A picture (PNG) of the page in the current tab, for you to see; with path also as a new file.",
    )
    .zh("对当前标签页截图（PNG）；给出 path 时另存为新文件。")
    .permission(Permission::Moderate)
    .effects(Effects::READS.and(Effects::WRITES))
    .toolsets(hands::TOOLSETS)
    .keywords(&["browser", "screenshot", "picture", "image", "page", "截图", "网页截图", "图片"])
    .example(r#"{"full_page": true}"#);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        hands::available(services)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let what = match input.target()? {
            Some(target) => elements::shown(&target),
            None if input.full_page => "the whole page".to_owned(),
            None => "the page".to_owned(),
        };
        let place = input.path.as_ref().map(|path| new_file::place(cx, path, ".png")).transpose()?;
        let into = place.as_ref().map(|place| format!(" into {}", place.shown())).unwrap_or_default();
        let does = format!("Take a picture of {what}{into}");
        let plan = hands::on_page(cx, &does, Permission::Moderate, Effects::READS)?;
        Ok(place.iter().fold(plan, PlanOn::on))
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        let (page, mut notices) = hands::same_page(cx).await?;
        let picture = match input.target()? {
            Some(target) => page.screenshot_of(&target).await?,
            None if input.full_page => page.screenshot(What::FullPage).await?,
            None => page.screenshot(What::Viewport).await?,
        };
        if let Some((width, height)) = picture.cut_from {
            notices.push(format!("It is cut off: all of it would be {width}×{height} pixels. A part of it can be asked for by ref or selector."));
        }
        notices.extend(page.notices());
        let path = match input.path {
            None => None,
            Some(path) => {
                let png = picture.png.clone();
                let place = new_file::place(cx, &path, ".png")?.text();
                // Whoever may not see it must not find it in the workspace, not even while a person looks at it.
                cx.once_passed_on(move |cx| new_file::write(cx, &new_file::place(cx, &path, ".png")?, &png));
                Some(place)
            }
        };
        Ok(Output {
            path,
            url: page.tab(|tab| tab.url().to_owned())?,
            width: picture.width,
            height: picture.height,
            size: picture.png.len(),
            base64: base64::engine::general_purpose::STANDARD.encode(&picture.png),
            notices,
        })
    }

    fn render(output: &Output) -> Rendered {
        let Output { url, width, height, size, .. } = output;
        let file = output.path.as_ref().map(|path| format!(" It is in {path}.")).unwrap_or_default();
        let text = format!("A picture of {url}: {width}×{height} pixels, {size} bytes.{file}");
        let image = Image { mime: "image/png".to_owned(), base64: output.base64.clone() };
        Rendered { text: with_notices(text, &output.notices), images: vec![image] }
    }
}
