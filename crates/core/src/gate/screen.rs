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
    Screened {
        text: gate.screener.mask_text(&reply.text),
        data: gate.screener.mask_value(&reply.data),
        images: reply.images,
        ..Screened::default()
    }
}

/// Cuts what is too long, and keeps the whole: only now, when the person, where they were asked, has let it pass.
pub(super) fn cut(gate: &Gate, draft: &Draft, mut screened: Screened) -> ToolResult<Screened> {
    let most = gate.settings.max_output_chars;
    screened.truncated = cut::strings(&mut screened.data, most);
    let handle = output::handle(draft.call_id);
    if let Cut::Shortened(short) = cut::middle(&screened.text, most, &handle) {
        gate.outputs.keep(draft.call_id, &screened.text)?;
        screened.text = Masked::assume(short);
        screened.truncated = true;
        screened.full_output = Some(handle);
    }
    Ok(screened)
}

/// SHA-256 of a reply as the tool produced it.
pub(super) fn hash(reply: &Reply) -> String {
    let mut bytes = reply.text.clone().into_bytes();
    bytes.push(0);
    bytes.extend_from_slice(arguments::canonical(&reply.data).to_string().as_bytes());
    arguments::sha256_hex(&bytes)
}
