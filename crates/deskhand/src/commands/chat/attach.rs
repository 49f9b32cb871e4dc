//! What goes along with a message: text from a pipe, images.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, Result, bail};
use deskhand_agent::uploads::picture_kind;
use deskhand_core::session::NewUpload;

use crate::terminal::chat::Interrupts;

/// The most text that is taken from a pipe.
const MOST_TEXT: u64 = 1024 * 1024;
/// The largest image that is sent.
const LARGEST_IMAGE: u64 = 20 * 1024 * 1024;

/// What a pipe hands over, all of it. `None` if that is nothing, or the person gave up waiting for it.
pub async fn piped(interrupts: &mut Interrupts) -> Result<Option<String>> {
    let reading = tokio::task::spawn_blocking(|| text(io::stdin()));
    tokio::select! {
        text = reading => Ok(Some(text??).filter(|text| !text.trim().is_empty())),
        _ = interrupts.next() => bail!("the text in the pipe did not end: nothing was said"),
    }
}

fn text(from: impl Read) -> Result<String> {
    let mut bytes = Vec::new();
    from.take(MOST_TEXT + 1).read_to_end(&mut bytes).context("cannot read the text in the pipe")?;
    if bytes.len() as u64 > MOST_TEXT {
        bail!("the text in the pipe is longer than {MOST_TEXT} bytes: put it into a file and name that file");
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The message, with the text from the pipe after it.
pub fn message(said: Option<&str>, piped: Option<&str>) -> Option<String> {
    let said = said.map(str::trim).filter(|said| !said.is_empty());
    match (said, piped) {
        (None, None) => None,
        (Some(text), None) => Some(text.to_owned()),
        (None, Some(text)) => Some(text.trim_end().to_owned()),
        (Some(said), Some(piped)) => Some(format!("{said}\n\n{}", piped.trim_end())),
    }
}

/// An image that a person wants to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    pub name: String,
    mime: &'static str,
    content: Vec<u8>,
}

impl Image {
    pub fn read(file: &Path) -> Result<Self> {
        let mut content = Vec::new();
        let opened = File::open(file).with_context(|| format!("cannot open the image {}", file.display()))?;
        opened
            .take(LARGEST_IMAGE + 1)
            .read_to_end(&mut content)
            .with_context(|| format!("cannot read the image {}", file.display()))?;
        if content.len() as u64 > LARGEST_IMAGE {
            bail!("the image {} is larger than {LARGEST_IMAGE} bytes: make it smaller", file.display());
        }
        let Some(mime) = picture_kind(&content) else {
            bail!("{} is no PNG, JPEG, GIF or WebP image: convert it first", file.display());
        };
        let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name, mime, content })
    }

    pub fn upload(&self, session: &str) -> NewUpload {
        NewUpload {
            session_id: session.to_owned(),
            name: self.name.clone(),
            mime: self.mime.to_owned(),
            content: self.content.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_adds_to_the_message_or_is_it() {
        for (said, piped, wanted) in [
            (None, None, None),
            (Some("  "), None, None),
            (Some("sum this up"), None, Some("sum this up")),
            (None, Some("a log\n"), Some("a log")),
            (Some("sum this up"), Some("a log\n"), Some("sum this up\n\na log")),
        ] {
            assert_eq!(message(said, piped).as_deref(), wanted);
        }
    }

    #[test]
    fn a_pipe_is_bounded_and_may_hold_anything() {
        assert_eq!(text(&b"a\xffb"[..]).unwrap(), "a\u{fffd}b");
        let error = text(io::repeat(b'x')).unwrap_err();
        assert!(error.to_string().contains("longer than"), "{error}");
    }

    #[test]
    fn images_are_told_by_their_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("picture.txt");
        std::fs::write(&file, b"\x89PNG\r\n\x1a\n....").unwrap();
        let image = Image::read(&file).unwrap();
        assert_eq!((image.name.as_str(), image.mime), ("picture.txt", "image/png"));
        assert_eq!(image.upload("s").content, b"\x89PNG\r\n\x1a\n....");
        for (content, mime) in [
            (&b"\xff\xd8\xff\xe0"[..], Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF1234WEBPVP8 ", Some("image/webp")),
            (b"<svg>", None),
            (b"", None),
        ] {
            assert_eq!(picture_kind(content), mime);
        }
        std::fs::write(&file, "text").unwrap();
        assert!(Image::read(&file).unwrap_err().to_string().contains("picture.txt"));
    }
}
