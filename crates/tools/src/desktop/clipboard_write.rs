//! `clipboard_write`: puts text or a picture on the clipboard.

use std::io::Read;

use deskhand_core::{
    Absent, Cx, Effects, Permission, Plan, Preview, Services, Spec, Tool, ToolError, ToolResult,
    tool::Rendered,
};
use deskhand_guard::{PathArg, PathsOf, Place, PlanOn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Faculty, Wait},
    clipboard::{Copied, Selection, must_be_png},
    seat,
};

/// Of a text that the person is shown.
const SHOWN: usize = 2000;
/// Of a picture.
const MOST: u64 = 32 << 20;

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text; empty, it clears the clipboard.
    #[schemars(length(max = 20_000_000))]
    text: Option<String>,
    /// A PNG file to put there instead; relative paths start at the workspace.
    image: Option<PathArg>,
    /// The clipboard, or what is marked with the mouse.
    #[serde(default)]
    selection: Selection,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// `text`, `image`, or `empty` where it was cleared.
    kind: &'static str,
    bytes: usize,
}

pub struct ClipboardWrite;

impl Tool for ClipboardWrite {
    type Input = Input;
    type Output = Output;

    const SPEC: Spec = Spec::new(
        "clipboard_write",
        "Put text, or a PNG picture from a file, on the clipboard, in place of what is there. It stays until something \
         else is copied.",
    )
    .zh("写入剪贴板：文本，或文件中的 PNG 图片，替换原有内容，直到再次复制为止。text 为空则清空。")
    .permission(Permission::Moderate)
    .effects(Effects::DESKTOP)
    // It may be a password. Whoever is asked sees it, while they are asked; it is kept nowhere.
    .conceals(&["text"])
    .toolsets(&["desktop"])
    .keywords(&["clipboard", "copy", "write", "剪贴板", "复制", "写入"])
    .example(r#"{"text": "Hello"}"#)
    .timeout_s(60);

    fn available(&self, services: &Services) -> Result<(), Absent> {
        seat::available(services, Faculty::Clipboard)
    }

    async fn plan(&self, input: &Input, cx: &Cx) -> ToolResult<Plan> {
        let to = input.selection.words();
        let plan = |summary: String| {
            Plan::new(summary)
                .effects(Effects::DESKTOP)
                .at_least(Permission::Moderate, "clipboard:write", "What was copied before is gone.")
                .not_undoable("What was on it is not kept.")
        };
        match (&input.text, &input.image) {
            (Some(text), None) if text.is_empty() => Ok(plan(format!("Clear {to}"))),
            (Some(text), None) => {
                let shown: String = text.chars().take(SHOWN).collect();
                let rest = if shown.len() < text.len() { "\n…" } else { "" };
                let summary = format!("Put {} bytes of text on {to}", text.len());
                Ok(plan(summary).preview(Preview::Text(format!("{shown}{rest}"))))
            }
            (None, Some(path)) => {
                let place = cx.paths()?.readable(path)?;
                Ok(plan(format!("Put the picture {} on {to}", place.shown())).on(&place))
            }
            _ => Err(ToolError::invalid("arguments_do_not_fit", "Give either text or image, and not both.")),
        }
    }

    async fn run(&self, input: Input, cx: &Cx) -> ToolResult<Output> {
        cx.blocking(move |cx| {
            let (copied, kind, bytes) = match (input.text, &input.image) {
                (Some(text), _) if text.is_empty() => (Copied::Nothing, "empty", 0),
                (Some(text), _) => {
                    let bytes = text.len();
                    (Copied::Text(text), "text", bytes)
                }
                (None, Some(path)) => {
                    let file = picture(&cx.paths()?.readable(path)?)?;
                    let bytes = file.len();
                    (Copied::Png(file), "image", bytes)
                }
                (None, None) => (Copied::Nothing, "empty", 0),
            };
            seat::desktop(cx)?.write_clipboard(input.selection, copied, &Wait::of(cx))?;
            Ok(Output { kind, bytes })
        })
        .await
    }

    fn render(output: &Output) -> Rendered {
        let Output { kind, bytes } = output;
        Rendered::text(match *kind {
            "empty" => "The clipboard is empty now.".to_owned(),
            kind => format!("On the clipboard: {kind}, {bytes} bytes."),
        })
    }
}

fn picture(place: &Place) -> ToolResult<Vec<u8>> {
    let mut file = Vec::new();
    let read = place.open()?.take(MOST + 1).read_to_end(&mut file);
    read.map_err(|error| place.io("read", &error))?;
    if file.len() as u64 > MOST {
        let message = format!("{} has more than {} MiB.", place.shown(), MOST >> 20);
        return Err(ToolError::new("picture_too_large", message));
    }
    must_be_png(&file, &place.shown())?;
    Ok(file)
}
