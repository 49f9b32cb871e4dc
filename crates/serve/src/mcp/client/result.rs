//! What a server answered to a call, as text, data and pictures.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use deskhand_core::{Image, is_unfit, tool::Reply};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use super::name;

const MOST_IMAGES: usize = 16;
const MOST_IMAGE_BYTES: usize = 10 * 1024 * 1024;

pub(super) fn reply(result: CallToolResult) -> Reply {
    let mut parts: Vec<String> = Vec::new();
    let mut images = Images::default();
    for block in result.content {
        match block {
            ContentBlock::Text(text) => parts.push(clean(&text.text)),
            ContentBlock::Image(image) => {
                if let Some(why_not) = images.take(&image.mime_type, image.data) {
                    parts.push(why_not);
                }
            }
            ContentBlock::Audio(audio) => parts.push(named("audio", Some(&audio.mime_type), &audio.data)),
            ContentBlock::Resource(embedded) => resource(embedded.resource, &mut parts, &mut images),
            ContentBlock::ResourceLink(link) => {
                let about = [link.title.as_deref(), link.description.as_deref()];
                let about: Vec<_> =
                    about.into_iter().flatten().map(|text| name::harmless(text, 200)).collect();
                let (uri, called) = (name::harmless(&link.uri, 500), name::harmless(&link.name, 100));
                let size = link.size.map_or_else(String::new, |size| format!(", {size} bytes"));
                parts.push(
                    format!("[resource {called}: {uri}{size}] {}", about.join(": ")).trim_end().to_owned(),
                );
            }
            _ => parts.push("[content of a kind that is not known here]".to_owned()),
        }
    }
    let data = clean_data(result.structured_content.unwrap_or(Value::Null));
    let mut text = parts.join("\n");
    if text.is_empty() && !data.is_null() {
        text = serde_json::to_string_pretty(&data).unwrap_or_default();
    }
    if text.is_empty() && !images.taken.is_empty() {
        text = format!("{} image(s).", images.taken.len());
    }
    Reply { text, data, images: images.taken }
}

/// Without what nobody sees, and what turns text around: orders can be hidden in it from whoever reads along.
fn clean(text: &str) -> String {
    text.chars().filter(|&c| !is_unfit(c) || matches!(c, '\n' | '\t')).collect()
}

fn clean_data(data: Value) -> Value {
    match data {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => items.into_iter().map(clean_data).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(key, item)| (clean(&key), clean_data(item))).collect()
        }
        other => other,
    }
}

fn resource(contents: ResourceContents, parts: &mut Vec<String>, images: &mut Images) {
    match contents {
        ResourceContents::TextResourceContents { uri, text, .. } => {
            parts.push(format!("[{}]\n{}", name::harmless(&uri, 500), clean(&text)));
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let uri = name::harmless(&uri, 500);
            match mime_type {
                Some(mime) if mime.starts_with("image/") => {
                    parts.push(images.take(&mime, blob).unwrap_or_else(|| format!("[{uri}: an image]")));
                }
                mime => parts.push(format!("{} {uri}", named("binary data", mime.as_deref(), &blob))),
            }
        }
        _ => parts.push("[a resource of a kind that is not known here]".to_owned()),
    }
}

/// What is not handed over, by its kind and size.
fn named(what: &str, mime: Option<&str>, base64: &str) -> String {
    let mime = mime.map_or_else(String::new, |mime| format!(" ({})", name::harmless(mime, 60)));
    format!("[{what}{mime}: {} bytes, not shown]", base64.len() / 4 * 3)
}

#[derive(Default)]
struct Images {
    taken: Vec<Image>,
    bytes: usize,
}

impl Images {
    /// Takes a picture, or says why not.
    fn take(&mut self, mime: &str, base64: String) -> Option<String> {
        const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
        let fits = self.taken.len() < MOST_IMAGES && self.bytes + base64.len() <= MOST_IMAGE_BYTES;
        if !fits || !KINDS.contains(&mime) || BASE64_STANDARD.decode(&base64).is_err() {
            return Some(named("an image", Some(mime), &base64));
        }
        self.bytes += base64.len();
        self.taken.push(Image { mime: mime.to_owned(), base64 });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_content_is_told_of() {
        let png = BASE64_STANDARD.encode([0x89, b'P', b'N', b'G']);
        let result: CallToolResult = serde_json::from_value(json!({"content": [
            {"type": "text", "text": "one"},
            {"type": "image", "data": png, "mimeType": "image/png"},
            {"type": "image", "data": "%%%", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "a://c", "blob": "AAAA", "mimeType": "application/pdf"}},
            {"type": "resource_link", "uri": "file:///x", "name": "x", "size": 7},
        ], "structuredContent": {"a": 1}}))
        .unwrap();
        let reply = reply(result);
        assert_eq!(
            reply.text,
            "one\n[an image (image/png): 0 bytes, not shown]\n[audio (audio/wav): 3 bytes, not shown]\n[a://b]\ninside\n\
             [binary data (application/pdf): 3 bytes, not shown] a://c\n[resource x: file:///x, 7 bytes]"
        );
        assert_eq!(reply.images.len(), 1);
        assert_eq!(reply.data, json!({"a": 1}));
    }

    #[test]
    fn what_nobody_sees_is_left_out() {
        let hidden = "a\u{1b}[31m\u{202e}b\u{e0041}\n\tc";
        let result: CallToolResult = serde_json::from_value(json!({"content": [
            {"type": "text", "text": hidden},
            {"type": "resource", "resource": {"uri": "a://b", "text": hidden}},
        ], "structuredContent": {"k\u{200b}": [hidden]}}))
        .unwrap();
        let reply = reply(result);
        assert_eq!(reply.text, "a[31mb\n\tc\n[a://b]\na[31mb\n\tc");
        assert_eq!(reply.data, json!({"k": ["a[31mb\n\tc"]}));
    }

    #[test]
    fn data_alone_is_text_too() {
        let result: CallToolResult =
            serde_json::from_value(json!({"content": [], "structuredContent": {"a": 1}})).unwrap();
        assert_eq!(reply(result).text, "{\n  \"a\": 1\n}");
    }
}
