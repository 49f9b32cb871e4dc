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

/// A reply that may be handed over.
#[derive(Debug, Default)]
pub(super) struct Screened {
    pub text: Masked,
    pub data: Value,
    pub images: Vec<Image>,
    pub truncated: bool,
    pub full_output: Option<String>,
}

pub(super) fn screen(gate: &Gate, draft: &mut Draft, reply: Reply) -> ToolResult<Screened> {
    draft.output_sha256 = Some(hash(&reply));
    let Reply { text, data, images } = reply;
    let text = gate.screener.mask_text(&text);
    let mut data = gate.screener.mask_value(&data);
    let most = gate.settings.max_output_chars;
    let data_was_cut = cut::strings(&mut data, most);
    let mut screened = Screened { text, data, images, truncated: data_was_cut, full_output: None };
    let handle = output::handle(draft.call_id);
    if let Cut::Shortened(short) = cut::middle(&screened.text, most, &handle) {
        gate.outputs.keep(draft.call_id, &screened.text)?;
        screened.text = Masked::assume(short);
        screened.truncated = true;
        screened.full_output = Some(handle);
    }
    Ok(screened)
}

fn hash(reply: &Reply) -> String {
    let mut bytes = reply.text.clone().into_bytes();
    bytes.push(0);
    bytes.extend_from_slice(arguments::canonical(&reply.data).to_string().as_bytes());
    arguments::sha256_hex(&bytes)
}
