//! `clipboard_read`: what was copied last.

use deskhand_core::{
    Absent, Cx, Effects, Image, Permission, Plan, Services, Spec, Tool, ToolResult, tool::Rendered,
};
use deskhand_guard::{PathArg, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    clipboard::{Clip, Selection},
    picture::Picture,
    picture_file::{self, Readers},
    seat,
};

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The clipboard, or what is marked with the mouse.
    #[serde(default)]
    selection: Selection,
    /// Where a picture on the clipboard is written, as PNG; without it, only a small copy of it is shown.
    save_image: Option<PathArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Empty,
    Text,
    Image,
    Other,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
    /// Of the text or the picture.
    bytes: usize,
    /// Where the picture was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// In which forms it is there, where it is neither text nor a picture.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forms: Vec<String>,
    #[serde(skip)]
    #[schemars(skip)]
    preview: Option<Image>,
}

pub struct ClipboardRead;

impl Tool for ClipboardRead {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "clipboard_read",
        "What was copied last: text, or a picture. The person sees it before you do, and may keep it back.",
    )
    .zh("读取剪贴板：文本或图片。内容先给用户过目，用户可以不给你看。")
    .permission(Permission::Moderate)
    .effects(Effects::DESKTOP.and(Effects::READS))
    .requires_result_approval()
    .toolsets(&["desktop"])
    .keywords(&["clipboard", "paste", "copied", "read", "剪贴板", "粘贴", "读取"])
    .example(r#"{"selection": "clipboard"}"#)
    .timeout_s(60);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Clipboard)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let place = target(input, cx)?;
        let to = place
            .as_ref()
            .map_or_else(String::new, |place| format!(", and write a picture to {}", place.shown()));
        let mut plan = Plan::new(format!("Read {}{to}", input.selection.words()))
            .effects(Effects::DESKTOP.and(Effects::READS))
            .at_least(
                Permission::Moderate,
                "clipboard:read",
                "It may hold a password or another person's words.",
            );
        if let Some(place) = &place {
            plan = plan.on(place);
        }
        plan.outside = Some("the clipboard".to_owned());
        plan.result_approval = true;
        Ok(plan)
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let clip = seat::desktop(cx)?.read_clipboard(input.selection, &Wait::of(cx).long())?;
            let empty = Output {
                kind: Kind::Empty,
                text: None,
                width: None,
                height: None,
                bytes: 0,
                path: None,
                forms: Vec::new(),
                preview: None,
            };
            match clip {
                Clip::Empty => Ok(empty),
                Clip::Text(text) => {
                    Ok(Output { kind: Kind::Text, bytes: text.len(), text: Some(text), ..empty })
                }
                Clip::Other(forms) => Ok(Output { kind: Kind::Other, forms, ..empty }),
                Clip::Png(file) => picture(&input, cx, file, empty),
            }
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let text = match output.kind {
            Kind::Empty => "There is nothing on it.".to_owned(),
            Kind::Text => output.text.clone().unwrap_or_default(),
            Kind::Other => format!("It holds neither text nor a picture, but: {}.", output.forms.join(", ")),
            Kind::Image => {
                let size =
                    format!("{}×{}", output.width.unwrap_or_default(), output.height.unwrap_or_default());
                let path =
                    output.path.as_ref().map_or_else(String::new, |path| format!(", written to {path}"));
                format!("A picture of {size} pixels, {} bytes{path}.", output.bytes)
            }
        };
        Rendered { text, images: output.preview.iter().cloned().collect() }
    }
}

/// The file is written when a person has seen the picture, and only then.
fn picture(input: &Input, cx: &Cx, file: Vec<u8>, empty: Output) -> ToolResult<Output> {
    let picture = Picture::read(&file)?;
    let (path, bytes) = (target(input, cx)?.map(|place| place.text()), file.len());
    if let Some(arg) = input.save_image.clone() {
        cx.once_passed_on(move |cx| {
            picture_file::write(&picture_file::place(&arg, cx)?, &file, Readers::Usual, cx)
        });
    }
    Ok(Output {
        kind: Kind::Image,
        width: Some(picture.width),
        height: Some(picture.height),
        bytes,
        path,
        preview: Some(picture.preview()?),
        ..empty
    })
}

fn target(input: &Input, cx: &Cx) -> ToolResult<Option<Place>> {
    input.save_image.as_ref().map(|arg| picture_file::place(arg, cx)).transpose()
}
