use super::*;
use proptest::prelude::*;

const CHINESE: &str = "今天的天气很好，我们去公园散步。这是一个测试文件。\n第二行也有文字。\n";
const TRADITIONAL: &str = "今天的天氣很好，我們去公園散步。這是一個測試檔案。\n第二行也有文字。\n";
const JAPANESE: &str = "今日はとても天気がいいので、公園へ散歩に行きました。これはテストです。\n";
const KOREAN: &str = "오늘은 날씨가 아주 좋아서 공원에 산책하러 갔습니다. 이것은 시험입니다.\n";
const FRENCH: &str = "Le café où nous étions hier était très agréable, à côté du théâtre.\n";

#[test]
fn what_was_written_in_an_encoding_is_known_for_it() {
    for (name, text) in [
        ("utf-8", CHINESE),
        ("utf-8-bom", CHINESE),
        ("utf-8", "plain\n"),
        ("utf-8", ""),
        ("utf-16", CHINESE),
        ("utf-16", ""),
        ("utf-16le", "plain text, and more of it\n"),
        ("utf-16be", "plain text, and more of it\n"),
        ("utf-16le", CHINESE),
        ("gb18030", CHINESE),
        ("gb18030", "你好"),
        ("gbk", "name=张三\nage=5\n"),
        ("big5", TRADITIONAL),
        ("shift_jis", JAPANESE),
        ("euc-jp", JAPANESE),
        ("euc-kr", KOREAN),
        ("windows-1252", FRENCH),
    ] {
        let format = Format::named(name).unwrap();
        let bytes = format.encode(text).unwrap();
        let found = detect(&bytes, Sample::Whole).unwrap_or_else(|| panic!("{name} {text} is no text"));
        assert_eq!((found.name(), found.bom), (format.name(), format.bom), "{name}: {text}");
        assert_eq!(found.decode(&bytes), Decoded { text: text.into(), malformed: false }, "{name}");
        assert!(found.is_faithful(&bytes), "{name}");
        // Cut anywhere, the start is known as well.
        for cut in bytes.len().saturating_sub(4)..bytes.len() {
            if cut > 20 {
                assert_eq!(detect(&bytes[..cut], Sample::Start), Some(found), "{name} cut at {cut}");
            }
        }
    }
}

#[test]
fn what_is_not_text_is_not_taken_for_it() {
    let noise: Vec<u8> =
        (0..2000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10\x08\x06\0\0\0";
    let elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0";
    for bytes in [&noise[..], png, elf, b"a\0b\0\0\0c", b"\0", b"\x01\x02\x03\x04", b"\xFF\xFE\0\0a\0\0\0"] {
        assert_eq!(detect(bytes, Sample::Whole), None, "{:?}", &bytes[..bytes.len().min(12)]);
    }
    // Colours of a terminal are text.
    assert_eq!(detect(b"\x1b[31mred\x1b[0m\n", Sample::Whole), Some(Format::UTF_8));
}

#[test]
fn a_character_that_does_not_fit_is_named() {
    for (name, text, bad) in [
        ("big5", "a简b", '简'),
        ("shift_jis", "x😀", '😀'),
        ("windows-1252", "中", '中'),
        ("euc-kr", "ok 한 🙂", '🙂'),
    ] {
        assert_eq!(Format::named(name).unwrap().encode(text), Err(bad), "{name}");
    }
    for name in ["gb18030", "gbk", "utf-16le", "utf-16be", "utf-8"] {
        assert!(Format::named(name).unwrap().encode("简繁ß😀").is_ok(), "{name}");
    }
    for name in ["", "klingon", "replacement", "iso-2022-cn"] {
        assert_eq!(Format::named(name), None, "{name}");
    }
}

#[test]
fn line_ends_are_told_apart() {
    for (text, ends) in [
        ("", LineEnds::None),
        ("a", LineEnds::None),
        ("a\nb", LineEnds::Lf),
        ("a\r\nb\r\n", LineEnds::CrLf),
        ("a\r\nb\n", LineEnds::Mixed),
        ("a\rb", LineEnds::Cr),
    ] {
        assert_eq!(LineEnds::of(text), ends, "{text:?}");
    }
    assert_eq!(to_crlf("a\r\nb\nc"), "a\r\nb\r\nc");
    assert_eq!(to_lf("a\r\nb\rc\n"), "a\nb\rc\n");
}

#[test]
fn a_stray_byte_does_not_make_it_another_encoding() {
    let mut bytes = CHINESE.as_bytes().to_vec();
    bytes.insert(0, 0xE9);
    let format = detect(&bytes, Sample::Whole).unwrap();
    assert_eq!(format, Format::UTF_8);
    assert!(format.decode(&bytes).malformed && !format.is_faithful(&bytes));
}

proptest! {
    #[test]
    fn text_survives_every_encoding_that_can_hold_it(text in "[ -~一-龥\n]{0,200}") {
        for name in ["utf-8", "utf-8-bom", "utf-16", "utf-16be", "gb18030"] {
            let format = Format::named(name).unwrap();
            let bytes = format.encode(&text).unwrap();
            prop_assert_eq!(format.decode(&bytes), Decoded { text: text.clone(), malformed: false });
        }
    }

    #[test]
    fn no_bytes_break_the_guessing(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for extent in [Sample::Whole, Sample::Start] {
            if let Some(format) = detect(&bytes, extent) {
                let _ = format.decode(&bytes);
            }
        }
    }
}
