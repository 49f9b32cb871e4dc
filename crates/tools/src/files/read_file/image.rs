//! Images: which files are, and how large the picture is, by their first bytes.

/// The kinds that models take.
pub(super) fn mime(sample: &[u8]) -> Option<&'static str> {
    let mime = infer::get(sample)?.mime_type();
    ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"].contains(&mime).then_some(mime)
}

/// Width and height, where the start of the file tells.
pub(super) fn dimensions(mime: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    match mime {
        "image/png" => Some((be32(bytes, 16)?, be32(bytes, 20)?)),
        "image/gif" => Some((le16(bytes, 6)?, le16(bytes, 8)?)),
        "image/bmp" => Some((le32(bytes, 18)?, le32(bytes, 22)?.cast_signed().unsigned_abs())),
        "image/webp" => webp(bytes),
        "image/jpeg" => jpeg(bytes),
        _ => None,
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    const FOURTEEN_BITS: u32 = 0x3FFF;
    match bytes.get(12..16)? {
        b"VP8 " => Some((le16(bytes, 26)? & FOURTEEN_BITS, le16(bytes, 28)? & FOURTEEN_BITS)),
        b"VP8L" => {
            let packed = le32(bytes, 21)?;
            Some(((packed & FOURTEEN_BITS) + 1, (packed >> 14 & FOURTEEN_BITS) + 1))
        }
        b"VP8X" => Some((le24(bytes, 24)? + 1, le24(bytes, 27)? + 1)),
        _ => None,
    }
}

/// Goes from marker to marker to the one that starts the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
            return Some((be16(bytes, at + 7)?, be16(bytes, at + 5)?));
        }
        at += 2 + be16(bytes, at + 2)? as usize;
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|b| u16::from_be_bytes(b).into())
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(|b| u16::from_le_bytes(b).into())
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    array::<3>(bytes, at).map(|[a, b, c]| u32::from_le_bytes([a, b, c, 0]))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_be_bytes)
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn knows_kinds_and_sizes() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\0\x10\x08\x06\0\0\0";
        let gif = b"GIF89a\x20\x00\x10\x00\x80\0\0";
        let bmp = b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x02\0\0\0\xFE\xFF\xFF\xFF\x01\0\x18\0";
        let jpeg =
            b"\xFF\xD8\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xFF\xC0\0\x11\x08\0\x20\0\x40\x03\x01";
        let lossless = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\x0f\xc0\x07\x00";
        let extended = b"RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0";
        for (bytes, kind, size) in [
            (&png[..], "image/png", (256, 16)),
            (gif, "image/gif", (32, 16)),
            (bmp, "image/bmp", (2, 2)),
            (jpeg, "image/jpeg", (64, 32)),
            (lossless, "image/webp", (16, 32)),
            (extended, "image/webp", (16, 32)),
        ] {
            assert_eq!(mime(bytes), Some(kind));
            assert_eq!(dimensions(kind, bytes), Some(size), "{kind}");
            for end in 0..bytes.len() {
                let _ = dimensions(kind, &bytes[..end]);
            }
        }
        assert_eq!(mime(b"plain text"), None);
        assert_eq!(mime(b"PK\x03\x04zip"), None);
    }
}
