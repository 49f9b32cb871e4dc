//! Private keys that span lines: PEM (RSA, EC, OpenSSH, PGP, SSH2, …) and PuTTY.

use super::{Span, known::Alphabet::Base64};

pub(super) const KIND: &str = "private-key";
/// Longer than any key; a text that says BEGIN and END further apart is not one.
const MOST: usize = 64 * 1024;
/// A run of this many base64 characters is no word.
const RUN: usize = 16;

/// `at` is where `PRIVATE KEY` stands. The whole block goes, its first and last line included. Without its
/// last line (cut there) it goes as far as it looks like one, without its first as well.
pub(super) fn pem_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let line = line_start(text, at);
    let head = &text[line..at];
    let label_end = end_of_label(bytes, at)?;
    if let Some(begin) = head.rfind("BEGIN") {
        let start = line + head[..begin].trim_end_matches(['-', ' ']).len();
        let dashes = text[start..line + begin].trim_start();
        let start = line + begin - dashes.len();
        return dashes.starts_with("----").then(|| block_from(text, start, label_end)).flatten();
    }
    let end = head.rfind("END")?;
    if !head[..end].trim_end().ends_with("----") {
        return None;
    }
    tail_before(text, line + head[..end].trim_end_matches(['-', ' ']).len(), label_end)
}

/// The start of the line, or of the last 64 bytes of it: a label is short.
fn line_start(text: &str, at: usize) -> usize {
    let mut from = at.saturating_sub(64);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..at].rfind('\n').map_or(from, |i| from + i + 1)
}

/// Past `PRIVATE KEY[ BLOCK]-----`.
fn end_of_label(bytes: &[u8], at: usize) -> Option<usize> {
    let mut i = at + "PRIVATE KEY".len();
    if bytes[i..].starts_with(b" BLOCK") {
        i += " BLOCK".len();
    }
    let dashes = bytes[i..].iter().take_while(|b| matches!(b, b'-' | b' ')).count();
    let cut = i + dashes == bytes.len();
    let closes = bytes[i..i + dashes].windows(4).any(|four| four == b"----");
    (cut || closes).then_some(i + dashes)
}

fn block_from(text: &str, start: usize, body: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let to = bytes.len().min(body + MOST);
    let mut i = body;
    let mut best = None;
    let (mut in_code, mut after_blank) = (false, false);
    while i < to {
        let run = Base64.run(&bytes[..to], i, MOST);
        // The last line may be short; then it stands alone.
        let last = best.is_some()
            && !after_blank
            && run > 0
            && bytes.get(i + run).is_none_or(|b| b"\r\n\\\"'".contains(b));
        if last || (run >= RUN && !is_word(&bytes[i..i + run])) {
            best = Some(i + run);
        }
        i += run;
        let Some(next) = bytes[..to].get(i) else { break };
        match next {
            b'-' => {
                let dashes = bytes[i..to].iter().take_while(|b| **b == b'-').count();
                let label = bytes[i + dashes..to].trim_ascii_start();
                if dashes >= 4 && label.starts_with(b"END") {
                    return best.map(|_| Span { range: start..end_line(bytes, i + dashes, to), kind: KIND });
                }
                if dashes >= 4 {
                    break; // another block begins
                }
                i += dashes;
            }
            // Lines joined in source code: `"MIIE…\n" +`. Only what has no words of its own is such a joint.
            b'"' | b'\'' => {
                let joint = &bytes[i + 1..to];
                let until = joint.iter().take(40).position(|b| matches!(b, b'"' | b'\''));
                let clean = until.is_some_and(|n| {
                    joint[..n].iter().all(|b| b.is_ascii_whitespace() || b"+,.\\()".contains(b))
                        && joint[..n].iter().any(|b| b"\n+".contains(b))
                });
                if !clean || in_code && best.is_none() {
                    break;
                }
                in_code = true;
                i += 2 + until.unwrap_or(0);
            }
            b if b.is_ascii_whitespace() || b"\\:,.()|@".contains(b) => {
                after_blank |= bytes[i..to].starts_with(b"\n\n") || bytes[i..to].starts_with(b"\n\r\n");
                i += 1;
            }
            // The arrow with which some listings set off line numbers.
            _ if text[i..].starts_with('→') => i += '→'.len_utf8(),
            _ => break,
        }
    }
    best.map(|end| Span { range: start..end, kind: KIND })
}

/// A long word is no key material.
fn is_word(run: &[u8]) -> bool {
    run.len() < 40 && run.iter().all(u8::is_ascii_lowercase)
}

/// The end of `-----END … KEY-----`, from behind its first dashes.
fn end_line(bytes: &[u8], from: usize, to: usize) -> usize {
    let rest = &bytes[from..to.min(from + 80)];
    let label = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b' ').count();
    let dashes = rest[label..].iter().take_while(|b| **b == b'-').count();
    from + label + dashes
}

/// An END without its BEGIN: the text starts within the key.
fn tail_before(text: &str, end_of_body: usize, end: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let floor = end_of_body.saturating_sub(MOST);
    let (mut i, mut start) = (end_of_body, None);
    let mut run = 0;
    while i > floor {
        let b = bytes[i - 1];
        if Base64.has(b) {
            run += 1;
            if run >= RUN {
                start = Some(i - 1);
            }
        } else if b.is_ascii_whitespace() || b"\\:|".contains(&b) {
            run = 0;
        } else {
            break;
        }
        i -= 1;
    }
    // The first line may be what is left of one.
    let cut = i == 0 && run > 0 && matches!(bytes[run], b'\r' | b'\n' | b'\\');
    start.map(|start| Span { range: if cut { 0 } else { start }..end, kind: KIND })
}

/// `Private-Lines: 14` and the lines that follow.
pub(super) fn putty_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let number = at + "Private-Lines:".len();
    let from = number + bytes[number..].iter().take_while(|b| matches!(b, b' ' | b'0'..=b'9')).count();
    let mut end = None;
    let mut i = from;
    while i < bytes.len().min(from + MOST) {
        // A line break is one, or two characters in a JSON string.
        let breaks = bytes[i..].iter().take_while(|b| matches!(b, b'\r' | b'\n' | b' ' | b'\t')).count();
        let escaped = if breaks == 0 && bytes[i] == b'\\' { 2 } else { 0 };
        if breaks + escaped == 0 {
            break;
        }
        i = bytes.len().min(i + breaks + escaped);
        let run = Base64.run(bytes, i, MOST);
        if run >= RUN || (end.is_some() && run > 0 && bytes.get(i + run) != Some(&b'-')) {
            end = Some(i + run);
        }
        i += run;
    }
    let end = end?;
    let start = from + bytes[from..end].iter().take_while(|b| !b.is_ascii_alphanumeric()).count();
    let start = if bytes[from] == b'\\' { from + 2 } else { start };
    Some(Span { range: start..end, kind: KIND })
}

pub(super) fn putty_mac_at(text: &str, at: usize) -> Option<Span> {
    let bytes = text.as_bytes();
    let from = at + "Private-MAC:".len();
    let from = from + bytes[from..].iter().take_while(|b| **b == b' ').count();
    let run = Base64.run(bytes, from, 128);
    (run >= RUN).then(|| Span { range: from..from + run, kind: KIND })
}
