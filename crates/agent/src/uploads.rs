//! Files that came with a message, as a model gets them. Every file is named with its path, which `read_file` reads.
//! Of a text file the beginning stands in the message, a picture goes along where the model takes pictures.
//!
//! The user chose these files, so they do not taint the session. What they say is data all the same: it stands between
//! marks with a part of the upload's id, which nobody who wrote the file could know.

mod refs;
mod text;

pub use refs::{REF, without_refs};

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use deskhand_core::{
    Image, Screener,
    outside::label,
    session::{Message, Role, Upload},
};
use deskhand_tools::files::encoding::{Format, SAMPLE, Sample, detect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{chain::Language, provider::Capabilities};

/// A larger picture is not sent.
const LARGEST_PICTURE: u64 = 20 << 20;
/// The most characters of one file, and of all files of one message.
const MOST_OF_A_FILE: usize = 16_000;
const MOST_OF_A_MESSAGE: usize = 48_000;
/// A small model still gets the beginning.
const LEAST_OF_A_MESSAGE: usize = 2_000;

/// How a file reaches a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForModel {
    #[serde(rename = "as")]
    pub form: Form,
    /// Why it is not more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Its text stands in the message.
    Text,
    /// The model sees it.
    Picture,
    /// The model gets its name and path, and may read it with a tool.
    NameOnly,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Only the beginning of the text goes along; the model can read the rest.
    LongText,
    ModelTakesNoPictures,
    PictureTooLarge,
    /// Neither text nor a picture.
    NotText,
    Unreadable,
}

impl Reason {
    fn words(self) -> &'static str {
        match self {
            Self::LongText => "only its beginning is shown",
            Self::ModelTakesNoPictures => "this model takes no pictures",
            Self::PictureTooLarge => "the picture is too large to send",
            Self::NotText => "it is neither text nor a picture",
            Self::Unreadable => "it cannot be read",
        }
    }

    /// For the person, where the model gets only the name.
    pub fn notice(self, name: &str, language: Language) -> String {
        match language {
            Language::English => {
                format!("The model gets only the name and path of {:?}: {}.", label(name), self.words())
            }
            Language::Chinese => {
                let why = match self {
                    Self::LongText => "只显示开头部分",
                    Self::ModelTakesNoPictures => "当前模型不支持图片",
                    Self::PictureTooLarge => "图片过大，无法发送",
                    Self::NotText => "既不是文本也不是图片",
                    Self::Unreadable => "无法读取",
                };
                format!("模型只会得到“{}”的文件名和路径：{why}。", label(name))
            }
        }
    }
}

/// What goes along with one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attached {
    /// The files by name and path, with the text of those that have any.
    pub text: String,
    pub images: Vec<Image>,
    /// The names of those of which the model gets nothing else, with why.
    pub unseen: Vec<(String, Reason)>,
}

impl Attached {
    /// What the user said, with what goes along.
    pub fn after(&self, said: &str) -> String {
        match (said.trim().is_empty(), self.text.is_empty()) {
            (_, true) => said.to_owned(),
            (true, false) => self.text.clone(),
            (false, false) => format!("{said}\n\n{}", self.text),
        }
    }
}

/// What a file is.
enum Kind {
    Picture(&'static str),
    Text(Format),
    Other,
}

/// A picture of a kind that models take, by its first bytes: its name may lie.
pub fn picture_kind(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

impl Kind {
    fn of(head: &[u8], size: u64) -> Self {
        if let Some(mime) = picture_kind(head) {
            return Self::Picture(mime);
        }
        if head.starts_with(b"%PDF-") {
            return Self::Other;
        }
        let extent = if size > head.len() as u64 { Sample::Start } else { Sample::Whole };
        detect(head, extent).map_or(Self::Other, Self::Text)
    }
}

fn head(upload: &Upload) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(&upload.path)?.take(SAMPLE as u64).read_to_end(&mut head)?;
    Ok(head)
}

fn picture(size: u64, takes_pictures: bool) -> Result<(), Reason> {
    match (takes_pictures, size > LARGEST_PICTURE) {
        (false, _) => Err(Reason::ModelTakesNoPictures),
        (true, true) => Err(Reason::PictureTooLarge),
        (true, false) => Ok(()),
    }
}

/// How a file would reach a model. Where the model is not known, it is taken for one that sees. Waits for the disk.
pub fn for_model(upload: &Upload, model: Option<Capabilities>) -> ForModel {
    let Ok(head) = head(upload) else {
        return ForModel { form: Form::NameOnly, reason: Some(Reason::Unreadable) };
    };
    match Kind::of(&head, upload.size) {
        Kind::Picture(_) => match picture(upload.size, model.is_none_or(|model| model.images)) {
            Ok(()) => ForModel { form: Form::Picture, reason: None },
            Err(reason) => ForModel { form: Form::NameOnly, reason: Some(reason) },
        },
        Kind::Text(format) => {
            let most = model.map_or(MOST_OF_A_FILE, |model| room(model).min(MOST_OF_A_FILE));
            let is_long = upload.size > head.len() as u64 || format.decode(&head).text.chars().count() > most;
            ForModel { form: Form::Text, reason: is_long.then_some(Reason::LongText) }
        }
        Kind::Other => ForModel { form: Form::NameOnly, reason: Some(Reason::NotText) },
    }
}

/// How many characters of text may go along with a message: about a quarter of what the model takes, in any language.
fn room(model: Capabilities) -> usize {
    let quarter = usize::try_from(model.context_tokens / 4).unwrap_or(usize::MAX);
    quarter.clamp(LEAST_OF_A_MESSAGE, MOST_OF_A_MESSAGE)
}

/// What goes along with each of these messages, by the id of the message. Waits for the disk.
pub fn attached(
    messages: &[Message],
    uploads: &[Upload],
    model: Capabilities,
    screener: &dyn Screener,
) -> HashMap<i64, Attached> {
    let by_id: HashMap<&str, &Upload> = uploads.iter().map(|upload| (upload.id.as_str(), upload)).collect();
    let asked = messages.iter().filter(|message| message.role == Role::User);
    let with_files = asked.filter(|message| !message.metadata.uploads.is_empty());
    with_files
        .map(|message| {
            let mut attached = Attached::default();
            let mut left = room(model);
            for upload in message.metadata.uploads.iter().filter_map(|id| by_id.get(id.as_str())) {
                add(&mut attached, upload, model.images, &mut left, screener);
            }
            (message.id, attached)
        })
        .collect()
}

fn add(
    attached: &mut Attached,
    upload: &Upload,
    takes_pictures: bool,
    left: &mut usize,
    screener: &dyn Screener,
) {
    let told = match head(upload).map(|head| Kind::of(&head, upload.size)) {
        Ok(Kind::Picture(mime)) => picture(upload.size, takes_pictures).and_then(|()| {
            let bytes = std::fs::read(&upload.path).map_err(|_| Reason::Unreadable)?;
            attached.images.push(Image { mime: mime.to_owned(), base64: STANDARD.encode(bytes) });
            Ok("It is shown with this message.".to_owned())
        }),
        Ok(Kind::Text(format)) => text::told(upload, format, (*left).min(MOST_OF_A_FILE), screener)
            .inspect(|told| {
                *left = left.saturating_sub(told.chars().count());
            })
            .map_err(|_| Reason::Unreadable),
        Ok(Kind::Other) => Err(Reason::NotText),
        Err(error) => {
            tracing::warn!(%error, upload = upload.id, "an upload cannot be read");
            Err(Reason::Unreadable)
        }
    };
    if !attached.text.is_empty() {
        attached.text.push_str("\n\n");
    }
    attached.text.push_str(&named(upload));
    attached.text.push('\n');
    match told {
        Ok(told) => attached.text.push_str(&told),
        Err(reason) => {
            attached.text.push_str(&format!("[You get only its name and path: {}.]", reason.words()));
            attached.unseen.push((upload.name.clone(), reason));
        }
    }
}

/// A file by its name, kind, size and path.
pub fn named(upload: &Upload) -> String {
    let Upload { name, mime, size, path, .. } = upload;
    format!("[Attached file {:?}, {mime}, {size} bytes, path {}]", label(name), path.display())
}

/// The same messages, with the files that came with each named after what was said.
pub fn naming_files(mut messages: Vec<Message>, uploads: &[Upload]) -> Vec<Message> {
    for message in &mut messages {
        for upload in uploads.iter().filter(|upload| message.metadata.uploads.contains(&upload.id)) {
            message.content.push_str(&format!("\n\n{}", named(upload)));
        }
    }
    messages
}

#[cfg(test)]
mod tests;
