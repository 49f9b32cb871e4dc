//! Files that came with a message, as a model gets them. Every file is named with its path, which `read_file` reads.
//! Of a text file the beginning stands in the message, a picture goes along where the model takes pictures.
//!
//! The user chose these files, so they do not taint the session. What they say is data all the same: it stands between
//! marks with a part of the upload's id, which nobody who wrote the file could know.

mod refs;
mod text;

pub use refs::{REF, without_refs};

use std::{
    collections::{HashMap, HashSet},
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
/// The most bytes of all pictures of one request; those that came last go first.
const MOST_OF_PICTURES: u64 = 32 << 20;
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
    /// The other files that go along take up all the room.
    NoRoom,
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
            Self::NoRoom => "the other files take up all the room",
            Self::NotText => "it is neither text nor a picture",
            Self::Unreadable => "it cannot be read",
        }
    }

    /// For the person, where the model gets less than the file.
    pub fn notice(self, name: &str, language: Language) -> String {
        match (language, self) {
            (Language::English, Self::LongText) => {
                format!("Only the beginning of {:?} goes along; the model can read the rest.", label(name))
            }
            (Language::English, _) => {
                format!("The model gets only the name and path of {:?}: {}.", label(name), self.words())
            }
            (Language::Chinese, Self::LongText) => {
                format!("“{}”只附上开头部分，其余内容模型可以自行读取。", label(name))
            }
            (Language::Chinese, _) => {
                let why = match self {
                    Self::LongText => "只显示开头部分",
                    Self::NoRoom => "其他文件已占满篇幅",
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
    /// The names of those of which the model gets nothing else, or less than they would have had alone, with why.
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

/// How much may still go along.
struct Left {
    /// Characters, with this message.
    text: usize,
    /// Characters, of a file that comes alone.
    text_of_a_file: usize,
    /// Bytes, with this request.
    pictures: u64,
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
    let all = room(model);
    let mut left = Left { text: all, text_of_a_file: all.min(MOST_OF_A_FILE), pictures: MOST_OF_PICTURES };
    with_files
        .rev()
        .map(|message| {
            let mut attached = Attached::default();
            left.text = all;
            let mut seen = HashSet::new();
            let ids = message.metadata.uploads.iter().filter(|id| seen.insert(id.as_str()));
            for upload in ids.filter_map(|id| by_id.get(id.as_str())) {
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
    left: &mut Left,
    screener: &dyn Screener,
) {
    let told = match head(upload).map(|head| Kind::of(&head, upload.size)) {
        Ok(Kind::Picture(mime)) => picture(upload.size, takes_pictures).and_then(|()| {
            left.pictures = left.pictures.checked_sub(upload.size).ok_or(Reason::NoRoom)?;
            let bytes = std::fs::read(&upload.path).map_err(|_| Reason::Unreadable)?;
            attached.images.push(Image { mime: mime.to_owned(), base64: STANDARD.encode(bytes) });
            Ok("It is shown with this message.".to_owned())
        }),
        Ok(Kind::Text(_)) if left.text == 0 && upload.size > 0 => Err(Reason::NoRoom),
        Ok(Kind::Text(format)) => text::told(upload, format, left.text.min(MOST_OF_A_FILE), screener)
            .map(|told| {
                // What is too long even alone was said before it was sent.
                if told.is_cut && left.text < left.text_of_a_file {
                    attached.unseen.push((upload.name.clone(), Reason::LongText));
                }
                left.text = left.text.saturating_sub(told.text.chars().count());
                told.text
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
