//! Encodings that published tricks hide commands in: base64, hexadecimal, rot13.

use super::value::Value;

/// Base64, of either alphabet.
pub(super) fn base64(source: &str) -> Value {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    let mut ended = false;
    for c in source.bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                ended = true;
                continue;
            }
            b'\n' | b'\r' | b' ' => continue,
            _ => return Value::Unknown,
        };
        if ended {
            // Decoders differ in what they make of more after the end.
            return Value::Unknown;
        }
        bits = (bits << 6) | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
        }
    }
    Value::Text(String::from_utf8_lossy(&bytes).into_owned())
}

/// Pairs of hexadecimal digits.
pub(super) fn hex(source: &str) -> Value {
    if source.contains(|c: char| !c.is_whitespace() && !c.is_ascii_hexdigit()) {
        return Value::Unknown;
    }
    let digits: Vec<u8> = source
        .chars()
        .filter(|c| !c.is_whitespace())
        .filter_map(|c| c.to_digit(16))
        .filter_map(|d| u8::try_from(d).ok())
        .collect();
    let bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] * 16 + pair[1]).collect();
    Value::Text(String::from_utf8_lossy(&bytes).into_owned())
}

/// Each letter moved by half the alphabet.
pub(super) fn rot13(source: &str) -> Value {
    let turn = |c: char, first: u8| char::from((c as u8 - first + 13) % 26 + first);
    Value::Text(
        source
            .chars()
            .map(|c| match c {
                'a'..='z' => turn(c, b'a'),
                'A'..='Z' => turn(c, b'A'),
                other => other,
            })
            .collect(),
    )
}

/// `%72` for a byte, `%u0072` for a character.
pub(super) fn percent_encoded(source: &str) -> Value {
    let mut bytes = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find('%') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let (digits, skipped) = if rest.starts_with('u') { (4, 1) } else { (2, 0) };
        let code = rest.get(skipped..skipped + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let Some(code) = code else { return Value::Unknown };
        match u8::try_from(code) {
            Ok(byte) => bytes.push(byte),
            Err(_) => bytes.extend(char::from_u32(code).unwrap_or('?').to_string().bytes()),
        }
        rest = &rest[skipped + digits..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Value::Text(String::from_utf8_lossy(&bytes).into_owned())
}
