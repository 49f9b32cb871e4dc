//! Base64 and the text encodings that encoded commands come in.

pub(super) use crate::shell::encoding::base64 as decode;

pub(super) fn utf16le(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// Encodes, for the tests' encoded commands.
#[cfg(test)]
pub(super) fn encode(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let held = chunk.iter().fold(0u32, |held, b| held << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let letter = LETTERS[(held >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    text
}
