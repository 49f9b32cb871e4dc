//! Screen: secrets masked; long output cut at both ends, the whole of it kept under a handle.

use serde_json::Value;

use super::{Gate, record::Draft};
use crate::{
    arguments,
    cut::{self, Cut},
    error::ToolResult,
    outcome::Image,
    output,
    screener::Masked,
    tool::Reply,
};

/// A reply without its secrets.
#[derive(Debug, Default)]
pub(super) struct Screened {
    pub text: Masked,
    pub data: Value,
    pub images: Vec<Image>,
    pub truncated: bool,
    pub full_output: Option<String>,
}

impl From<Screened> for Reply {
    fn from(screened: Screened) -> Self {
        Self { text: screened.text.into_string(), data: screened.data, images: screened.images }
    }
}

/// Masks.
pub(super) fn mask(gate: &Gate, reply: Reply) -> Screened {
    let Reply { text, mut data, images } = reply;
    let masked = gate.screener.mask_text(&text);
    let same = take_same(&mut data, &text);
    let mut data = gate.screener.mask_value(&data);
    for name in same {
        data[name] = Value::String(masked.to_string());
    }
    Screened { text: masked, data, images, ..Screened::default() }
}

/// What a tool read often stands in its text and in its data: it is looked through once. Takes it out of the data, and
/// says where it stood. (Only from fields that name no secret: under another name a text may be one as a whole.)
fn take_same(data: &mut Value, text: &str) -> Vec<&'static str> {
    const FIELDS: [&str; 2] = ["content", "stdout"];
    const WORTH_IT: usize = 256;
    let Some(fields) = data.as_object_mut().filter(|_| text.len() >= WORTH_IT) else { return Vec::new() };
    let is_same = |name: &&str| fields.get(*name).and_then(Value::as_str) == Some(text);
    let same: Vec<&str> = FIELDS.into_iter().filter(is_same).collect();
    for name in &same {
        fields.insert((*name).to_owned(), Value::Null);
    }
    same
}

/// Cuts what is too long, and keeps the whole: only now, when the person, where they were asked, has let it pass.
pub(super) fn cut(gate: &Gate, draft: &Draft, mut screened: Screened) -> ToolResult<Screened> {
    let most = gate.settings.max_output_chars;
    screened.truncated = cut::strings(&mut screened.data, most);
    let handle = output::handle(draft.call_id);
    if let Cut::Shortened(short) = cut::middle(&screened.text, most, &handle) {
        // First: no text from outside lies there for a moment as if it were not.
        if let Some(source) = &draft.outside {
            gate.outputs.mark_outside(draft.call_id, source)?;
        }
        gate.outputs.keep(draft.call_id, &screened.text)?;
        screened.text = Masked::assume(short);
        screened.truncated = true;
        screened.full_output = Some(handle);
    }
    Ok(screened)
}

/// SHA-256 of a reply as the tool produced it.
pub(super) fn hash(reply: &Reply) -> String {
    let mut bytes = Vec::with_capacity(2 * reply.text.len() + 512);
    bytes.extend_from_slice(reply.text.as_bytes());
    bytes.push(0);
    arguments::write_canonical(&reply.data, &mut bytes);
    arguments::sha256_hex(&bytes)
}
