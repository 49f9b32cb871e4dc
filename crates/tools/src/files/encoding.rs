//! Which encoding and line ends a text file has, and text to and from its bytes.
//!
//! Guessing looks at a sample, the start of the file, so that nobody has to load a large one for it.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, CoderResult, Decoder, EUC_JP, EUC_KR, EncoderResult, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8,
    UTF_16BE, UTF_16LE,
};

/// How much of the start of a file is enough to guess by.
pub const SAMPLE: usize = 64 * 1024;

/// Whether a sample is all there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    Whole,
    /// It may end in the middle of a character.
    Start,
}

/// How text is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub encoding: &'static Encoding,
    /// Whether the file starts with a byte order mark.
    pub bom: bool,
}

/// Text from bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Without the byte order mark.
    pub text: String,
    /// Some bytes were no text in this encoding; `U+FFFD` stands for them.
    pub malformed: bool,
}

impl Format {
    pub const UTF_8: Self = Self { encoding: UTF_8, bom: false };

    /// The format that a caller named: `utf-8`, `utf-8-bom`, `utf-16` (little endian, with its mark), `gb18030`, …
    pub fn named(label: &str) -> Option<Self> {
        let label = label.trim().to_ascii_lowercase().replace('_', "-");
        match label.as_str() {
            "utf-8-bom" | "utf-8-sig" | "utf8-bom" => return Some(Self { encoding: UTF_8, bom: true }),
            "utf-16" | "utf16" => return Some(Self { encoding: UTF_16LE, bom: true }),
            "utf16le" => return Some(Self { encoding: UTF_16LE, bom: false }),
            "utf16be" => return Some(Self { encoding: UTF_16BE, bom: false }),
            "shift-jis" | "sjis" => return Some(Self { encoding: SHIFT_JIS, bom: false }),
            _ => {}
        }
        let encoding = Encoding::for_label_no_replacement(label.as_bytes())?;
        Some(Self { encoding: widest(encoding), bom: false })
    }

    /// As callers write it: `utf-8`, `utf-16le`, `gb18030`, …; with `-bom` where that makes a difference.
    pub fn name(self) -> String {
        let name = self.encoding.name().to_ascii_lowercase();
        if self.bom && self.encoding == UTF_8 { format!("{name}-bom") } else { name }
    }

    /// The bytes of the byte order mark; none where there is none.
    pub fn mark(self) -> &'static [u8] {
        match self.encoding {
            _ if !self.bom => b"",
            e if e == UTF_16LE => b"\xFF\xFE",
            e if e == UTF_16BE => b"\xFE\xFF",
            e if e == UTF_8 => b"\xEF\xBB\xBF",
            _ => b"",
        }
    }

    /// For decoding piece by piece. The mark, if there is one, is taken off by the caller.
    pub fn decoder(self) -> Decoder {
        self.encoding.new_decoder_without_bom_handling()
    }

    /// The text of a whole file.
    pub fn decode(self, bytes: &[u8]) -> Decoded {
        let bytes = bytes.strip_prefix(self.mark()).unwrap_or(bytes);
        let (text, malformed) = self.encoding.decode_without_bom_handling(bytes);
        Decoded { text: text.into_owned(), malformed }
    }

    /// The bytes of a whole file, mark included. The error is the first character that cannot be written so.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = self.mark().to_vec();
        self.encode_to(text, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes of a piece of text, without a mark.
    pub fn encode_piece(self, text: &str) -> Result<Vec<u8>, char> {
        let mut bytes = Vec::new();
        self.encode_to(text, &mut bytes)?;
        Ok(bytes)
    }

    fn encode_to(self, text: &str, bytes: &mut Vec<u8>) -> Result<(), char> {
        match self.encoding {
            e if e == UTF_8 => bytes.extend_from_slice(text.as_bytes()),
            e if e == UTF_16LE => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            e if e == UTF_16BE => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            encoding => return encode_legacy(encoding, text, bytes),
        }
        Ok(())
    }

    /// Whether this, the end of a file, is text. Its start may be in the middle of a character.
    pub fn fits_end(self, end: &[u8]) -> bool {
        const MOST_OF_A_CHARACTER: usize = 4;
        let fits =
            |end: &[u8]| self.encoding.decode_without_bom_handling_and_without_replacement(end).is_some();
        (0..MOST_OF_A_CHARACTER.min(end.len() + 1)).any(|skipped| fits(&end[skipped..]))
    }

    /// Whether every byte of the file comes back when its text is written again.
    pub fn is_faithful(self, bytes: &[u8]) -> bool {
        let decoded = self.decode(bytes);
        !decoded.malformed && self.encode(&decoded.text).is_ok_and(|again| again == bytes)
    }
}

fn encode_legacy(encoding: &'static Encoding, text: &str, bytes: &mut Vec<u8>) -> Result<(), char> {
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    let mut buffer = [0; 8192];
    loop {
        let (result, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
        bytes.extend_from_slice(&buffer[..written]);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Ok(()),
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(c) => return Err(c),
        }
    }
}

/// GB18030 holds all of GBK.
fn widest(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

/// The format of a text file, by the start of it; `None` if it is not text.
pub fn detect(sample: &[u8], extent: Sample) -> Option<Format> {
    let format = |encoding, bom| Some(Format { encoding, bom });
    if sample.starts_with(b"\xFF\xFE\0\0") || sample.starts_with(b"\0\0\xFE\xFF") {
        return None; // UTF-32
    }
    if let Some((encoding, length)) = Encoding::for_bom(sample) {
        let is_text = is_clean(encoding, &sample[length..]) || encoding == UTF_8;
        return if is_text { format(encoding, true) } else { None };
    }
    if sample.contains(&0) {
        return utf_16_without_mark(sample).map(|encoding| Format { encoding, bom: false });
    }
    if has_too_many_controls(sample) {
        return None;
    }
    if is_utf_8(sample, extent) {
        return Some(Format::UTF_8);
    }
    format(guess_legacy(sample, extent), false)
}

/// The format of a text file of which all bytes are at hand. What comes after a plain start counts, too.
pub fn detect_whole(bytes: &[u8]) -> Option<Format> {
    let (start, rest) = bytes.split_at(bytes.len().min(SAMPLE));
    let extent = if rest.is_empty() { Sample::Whole } else { Sample::Start };
    let format = detect(start, extent)?;
    Some(if is_plain(format, start) { detect_after_plain(rest) } else { format })
}

/// Whether the start of a file tells nothing: it is the same in most encodings.
pub fn is_plain(format: Format, start: &[u8]) -> bool {
    format == Format::UTF_8 && start.is_ascii()
}

/// The format of a file that starts with ASCII alone, by what comes after it: from the start of a character to the
/// end.
pub fn detect_after_plain(rest: &[u8]) -> Format {
    // It begins with a whole character where the ASCII ends.
    let Some(first) = rest.iter().position(|byte| !byte.is_ascii()) else { return Format::UTF_8 };
    let found = detect(&rest[first..], Sample::Whole).map(|format| format.encoding);
    let encoding = found.filter(|encoding| encoding.is_ascii_compatible()).unwrap_or(UTF_8);
    Format { encoding, bom: false }
}

fn is_utf_8(sample: &[u8], extent: Sample) -> bool {
    match str::from_utf8(sample) {
        Ok(_) => true,
        Err(error) if extent == Sample::Start && error.error_len().is_none() => true,
        Err(_) => is_mostly_utf_8(sample),
    }
}

/// A stray byte in a long text does not make it another encoding: what would be written then would be wrong
/// everywhere else.
fn is_mostly_utf_8(sample: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in sample.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad * 4
}

/// Text has tabs, line ends, form feeds and the escapes of terminals in it, and hardly any other control.
fn has_too_many_controls(sample: &[u8]) -> bool {
    const FIT_FOR_TEXT: &[u8] = b"\t\n\r\x0c\x1b\x08";
    let controls = sample.iter().filter(|b| (**b < 0x20 || **b == 0x7F) && !FIT_FOR_TEXT.contains(b)).count();
    controls * 20 > sample.len()
}

/// The byte order in which the pairs make more sense, if they make sense at all.
fn utf_16_without_mark(sample: &[u8]) -> Option<&'static Encoding> {
    let (pairs, _) = sample.as_chunks::<2>();
    let little = plausibility(pairs.iter().map(|pair| u16::from_le_bytes(*pair)));
    let big = plausibility(pairs.iter().map(|pair| u16::from_be_bytes(*pair)));
    match (little, big) {
        (None, None) => None,
        (little, big) if little >= big => Some(UTF_16LE),
        _ => Some(UTF_16BE),
    }
}

/// How much UTF-16 looks like text; `None` if it does not. Letters of English read in the wrong order are
/// Chinese characters, so they count for more.
fn plausibility(units: impl Iterator<Item = u16>) -> Option<usize> {
    let (mut all, mut plain, mut usual) = (0, 0, 0);
    for unit in char::decode_utf16(units) {
        all += 1;
        match unit {
            Ok('\t' | '\n' | '\r' | ' '..='~') => plain += 1,
            Ok(c) if is_usual(c) => usual += 1,
            Ok('\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}'..='\u{ffff}') => return None,
            // The last pair may be half a character; a lone half elsewhere is rare enough to be chance.
            Ok(_) | Err(_) => {}
        }
    }
    (plain > 0 && (plain + usual) * 10 >= all * 9).then_some(plain * 3 + usual)
}

/// The letters, characters and signs of the languages that most texts are in.
fn is_usual(c: char) -> bool {
    matches!(c,
        '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{4ff}' | '\u{2010}'..='\u{2027}'
        | '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{ff00}'..='\u{ffef}' | '\u{1f300}'..='\u{1faff}')
}

/// Whether the sample is text in this encoding; its end may be in the middle of a character.
fn is_clean(encoding: &'static Encoding, sample: &[u8]) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = vec![0; decoder.max_utf8_buffer_length(sample.len()).unwrap_or(sample.len() * 3 + 16)];
    let (result, _, written, malformed) = decoder.decode_to_utf8(sample, &mut text, false);
    debug_assert_eq!(result, CoderResult::InputEmpty);
    !malformed && !has_too_many_controls(&text[..written])
}

fn guess_legacy(sample: &[u8], extent: Sample) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, extent == Sample::Whole);
    let guess = widest(detector.guess(None, Utf8Detection::Deny));
    // A few characters of Chinese are as good a Korean.
    const FEW_BYTES: usize = 8;
    let few = guess == EUC_KR && sample.iter().filter(|byte| !byte.is_ascii()).count() <= FEW_BYTES;
    if (guess.is_single_byte() || few) && looks_like_gb2312(sample) {
        return GB18030;
    }
    if is_clean(guess, sample) {
        return guess;
    }
    let others = [GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR];
    others.into_iter().find(|encoding| is_clean(encoding, sample)).unwrap_or(guess)
}

/// Short Chinese texts are taken for Western ones by their statistics; but Western letters with accents do
/// not come in pairs that are all common Chinese characters.
fn looks_like_gb2312(sample: &[u8]) -> bool {
    let mut runs = sample.split(u8::is_ascii).filter(|run| !run.is_empty()).peekable();
    runs.peek().is_some()
        && runs.all(|run| {
            let (pairs, rest) = run.as_chunks::<2>();
            let common = |pair: &[u8; 2]| (0xA1..=0xD7).contains(&pair[0]) && pair[1] >= 0xA1;
            rest.is_empty() && pairs.iter().all(common)
        })
}

/// How lines end in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// There is no line end in it.
    None,
    Lf,
    CrLf,
    /// Old Macs; only where there is no other.
    Cr,
    /// Both `\n` and `\r\n`.
    Mixed,
}

impl LineEnds {
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let lf = memchr::memchr_iter(b'\n', bytes).count();
        let crlf = memchr::memmem::find_iter(bytes, b"\r\n").count();
        match (crlf, lf - crlf) {
            (0, 0) if bytes.contains(&b'\r') => Self::Cr,
            (0, 0) => Self::None,
            (0, _) => Self::Lf,
            (_, 0) => Self::CrLf,
            _ => Self::Mixed,
        }
    }

    /// As a reader knows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "LF",
            Self::CrLf => "CRLF",
            Self::Cr => "CR",
            Self::Mixed => "mixed",
        }
    }
}

/// The text with every line end as `\n`.
pub fn to_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}

/// The text with every line end as `\r\n`.
pub fn to_crlf(text: &str) -> String {
    to_lf(text).replace('\n', "\r\n")
}

#[cfg(test)]
mod tests;
