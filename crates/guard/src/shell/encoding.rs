//! Base64, base32 and hex: the dress that hidden commands come in.

/// Decodes base64, the form for addresses too; blanks are skipped, missing padding is forgiven.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    decode(text, 6, |c| {
        Some(match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        })
    })
}

pub fn base32(text: &str) -> Option<Vec<u8>> {
    decode(text, 5, |c| match c.to_ascii_uppercase() {
        c @ b'A'..=b'Z' => Some(c - b'A'),
        c @ b'2'..=b'7' => Some(c - b'2' + 26),
        _ => None,
    })
}

/// The bytes of a text of hex digits, whatever stands between them; `None` where there are none.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: String = text.chars().filter(char::is_ascii_hexdigit).collect();
    let value = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    decode(&digits, 4, value).filter(|bytes| !bytes.is_empty())
}

/// Puts the bits of the letters together; `None` for a letter that has no value.
fn decode(text: &str, width: u32, value: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0u32, 0u32);
    for c in text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'=') {
        held = (held << width | u32::from(value(c)?)) & 0xffff;
        bits += width;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap_or_default());
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_as_their_programs_have_them() {
        for (decoded, text) in [
            (base64("cm0gLXJmIC8="), Some("rm -rf /")),
            (base64("cm0gLXJm\nIC8"), Some("rm -rf /")),
            (base64("cm0*"), None),
            (base64("_-4"), Some("\u{fffd}\u{fffd}")),
            (base32("OJWSALLSMYQC6==="), Some("rm -rf /")),
            (base32("1"), None),
            (hex("726d 202d 7266 202f"), Some("rm -rf /")),
            (hex("zz"), None),
        ] {
            let decoded = decoded.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            assert_eq!(decoded.as_deref(), text);
        }
    }
}
