//! Titles as programs from before Unicode write them: Latin-1, with escapes into other character sets («compound text»).

use encoding_rs::{EUC_JP, EUC_KR, Encoding, GBK, UTF_8};

const ESCAPE: u8 = 0x1b;

/// What a run of bytes is in.
#[derive(Clone, Copy)]
enum Set {
    Latin,
    /// Two bytes a character, the high bits left out.
    Wide(&'static Encoding),
    Utf8,
}

/// What no escape is known for is taken as Latin-1: a title that reads oddly is better than none.
pub(super) fn decode(bytes: &[u8]) -> String {
    const SETS: &[(&[u8], Set)] = &[
        (b"$(A", Set::Wide(GBK)),
        (b"$)A", Set::Wide(GBK)),
        (b"$(B", Set::Wide(EUC_JP)),
        (b"$)B", Set::Wide(EUC_JP)),
        (b"$(C", Set::Wide(EUC_KR)),
        (b"$)C", Set::Wide(EUC_KR)),
        (b"%G", Set::Utf8),
        (b"%@", Set::Latin),
        (b"(B", Set::Latin),
        (b"-A", Set::Latin),
    ];
    let mut text = String::new();
    let mut set = Set::Latin;
    for (number, part) in bytes.split(|byte| *byte == ESCAPE).enumerate() {
        let known = SETS.iter().find(|(sign, _)| number > 0 && part.starts_with(sign));
        let run = match known {
            Some((sign, other)) => {
                set = *other;
                &part[sign.len()..]
            }
            None => part,
        };
        match set {
            Set::Latin => text.extend(run.iter().map(|byte| char::from(*byte))),
            Set::Utf8 => text.push_str(&UTF_8.decode_without_bom_handling(run).0),
            Set::Wide(encoding) => {
                let high: Vec<u8> = run.iter().map(|byte| byte | 0x80).collect();
                text.push_str(&encoding.decode_without_bom_handling(&high).0);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_told_by_their_escapes() {
        for (bytes, wanted) in [
            (&b"plain \xfc"[..], "plain ü"),
            (b"\x1b$(A1J<G\x1b(B Notes", "笔记 Notes"),
            (b"a \x1b%G\xe2\x82\xac\x1b%@ b", "a € b"),
            (b"", ""),
        ] {
            assert_eq!(decode(bytes), wanted);
        }
    }
}
