//! Lines out of the middle of a PEM private key: a file read from its second line, one line that a search
//! found. Neither BEGIN nor END is in sight ([`blocks`](super::blocks) knows the keys where one is), so the
//! shape of the lines has to tell.
//!
//! A line of exactly 64, 70 or 76 characters (PEM, OpenSSH, MIME) is taken for one alone, two and more of the
//! same width between 60 and 76 together, and the shorter line that ends them. What is visibly public is not:
//! a certificate, a public key, a signature, a picture.

use std::ops::Range;

use super::{Span, blocks, formats::escape_in, known::Alphabet::Base64, values::is_scattered};

/// How wide the lines of a body are.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=76;
/// What tools write: PEM, OpenSSH, MIME and `base64`.
const USUAL: &[usize] = &[64, 70, 76];
/// Between the payloads of two lines: quotes, a line break, a path and a number.
const JOINT: usize = 256;
/// How far before a line the beginning of its block is looked for.
const REACH: usize = 1024;

/// Labels of blocks that may be seen.
#[rustfmt::skip]
const PUBLIC: &[&str] = &[
    "CERTIFICATE", "PUBLIC KEY", "X509 CRL", "SIGNATURE", "PKCS7", "PKCS #7", "CMS", "PARAMETERS", "PGP MESSAGE",
];
/// What says, on a line before, that no key follows.
const OPENERS: &[&str] =
    &["base64,", "Content-Transfer-Encoding: base64", "Certificate>", "SignatureValue>", "DigestValue>"];
/// How known files begin in base64: PNG, JPEG, GIF, WebP, PDF, ZIP, gzip, SVG, XML, WOFF, WOFF2, TrueType.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "JVBERi0", "UEsDB", "H4sI", "PHN2Zy", "PD94bWwg", "d09GR", "d09GM", "AAEAAA",
];

/// Finds the lines that only a private key is likely to have. Returns the lines of the same shape that are
/// visibly something else, in which there is nothing to be found.
pub(super) fn find(text: &str, found: &mut Vec<Span>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut group: Vec<Range<usize>> = Vec::new();
    let mut public = Vec::new();
    let mut from = 0;
    while let Some(run) = next_run(bytes, from) {
        from = run.end;
        let Some(line) = payload(bytes, run) else { continue };
        let continues = group
            .last()
            .is_some_and(|last| last.len() == line.len() && is_line_break(bytes, last.end..line.start));
        if !continues {
            judge(text, &group, found, &mut public);
            group.clear();
        }
        group.push(line);
    }
    judge(text, &group, found, &mut public);
    public
}

/// The next run of base64 that is long enough, padding not counted. Looks at the far end of where a run could
/// be first, so that of most texts it sees a small part.
fn next_run(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    const LEAST: usize = 58;
    let is_body = |b: &u8| Base64.has(*b) && *b != b'=';
    let mut start = from;
    loop {
        let window = bytes.get(start..start + LEAST)?;
        match window.iter().rposition(|b| !is_body(b)) {
            Some(other) => start += other + 1,
            None => break,
        }
    }
    let more = bytes[start + LEAST..].iter().take_while(|b| is_body(b)).count();
    Some(start..start + LEAST + more)
}

/// The run with its padding and without the escape before it, if it fills a line.
fn payload(bytes: &[u8], run: Range<usize>) -> Option<Range<usize>> {
    if run.len() > WIDTHS.end() + 5 {
        return None;
    }
    let start = run.start + escape_in(bytes, &run);
    let end = run.end + bytes[run.end..].iter().take(2).take_while(|b| **b == b'=').count();
    (WIDTHS.contains(&(end - start)) && ends_line(bytes, end) && begins_line(bytes, start, end))
        .then_some(start..end)
}

fn ends_line(bytes: &[u8], end: usize) -> bool {
    let rest = &bytes[end..];
    let spaces = rest.iter().take(32).take_while(|b| matches!(b, b' ' | b'\t')).count();
    match rest[spaces..] {
        [] | [b'\r' | b'\n', ..] => true,
        [b'"' | b'\'' | b'`', ..] => spaces == 0,
        [b'\\', next, ..] => b"nr\\\"'\r\n".contains(&next),
        _ => false,
    }
}

/// Whether nothing stands before `at` but what listings, quotes and code put before a line.
fn begins_line(bytes: &[u8], at: usize, end: usize) -> bool {
    if at > 0 && !matches!(bytes[at - 1], b'"' | b'\'' | b'`') {
        return is_line_start(bytes, at);
    }
    let escapes = bytes[..at.saturating_sub(1)].iter().rev().take(8).take_while(|b| **b == b'\\').count();
    let quote = at.saturating_sub(1 + escapes);
    let letter = quote > 0
        && b"bBrRfFuU".contains(&bytes[quote - 1])
        && (quote == 1 || !bytes[quote - 2].is_ascii_alphanumeric());
    // In `key = "MIIE…\n…"` the break tells that this is one line of several.
    bytes[end..].starts_with(b"\\n")
        || bytes[end..].starts_with(b"\\r\\n")
        || is_line_start(bytes, quote - usize::from(letter))
}

/// The start of a line, or `12: `, `   12<tab>`, `path:12:`, `path-12-`, a mark of a diff or of a comment.
fn is_line_start(bytes: &[u8], at: usize) -> bool {
    let is_mark = |b: &u8| b" \t+->|#*/;!:,([".contains(b) || "→".as_bytes().contains(b);
    let mut i = at;
    loop {
        let marks = bytes[..i].iter().rev().take(64).take_while(|b| is_mark(b)).count();
        i -= marks;
        match bytes[..i] {
            [.., b'\\', b't'] => i -= 2,
            _ => break,
        }
    }
    if is_break(bytes, i) {
        return true;
    }
    let digits = bytes[..i].iter().rev().take(9).take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 || i == at {
        return false;
    }
    let number = i - digits;
    let by_path = number > 0 && matches!(bytes[number - 1], b':' | b'-') && bytes[number - 1] == bytes[i];
    let spaces = bytes[..number].iter().rev().take(16).take_while(|b| **b == b' ').count();
    let first = number - spaces;
    by_path || is_break(bytes, first) || bytes[first - 1] == b'"'
}

fn is_break(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b'\n' | b'\r') || bytes[..at].ends_with(b"\\n")
}

/// Exactly one line break, real or written out.
fn is_line_break(bytes: &[u8], gap: Range<usize>) -> bool {
    if gap.len() > JOINT {
        return false;
    }
    let gap = &bytes[gap];
    match gap.split(|b| *b == b'\n').count() - 1 {
        0 => gap.windows(2).filter(|pair| pair == b"\\n").count() == 1,
        n => n == 1,
    }
}

fn judge(text: &str, group: &[Range<usize>], found: &mut Vec<Span>, public: &mut Vec<Range<usize>>) {
    let ([first, ..], [.., last]) = (group, group) else { return };
    let is_usual = group.len() > 1 || USUAL.contains(&first.len());
    if !is_usual || !group.iter().any(|line| is_body(&text[line.clone()])) {
        return;
    }
    let is_file = FILES.iter().any(|file| text[first.clone()].starts_with(file));
    if is_file || is_public_before(text, first.start) || is_public_after(text, last.end) {
        public.extend_from_slice(group);
        return;
    }
    let mask = |range: Range<usize>| Span { range, kind: blocks::KIND };
    found.extend(rest_before(text, first).map(mask));
    // Sums that happen to stand there stay.
    found.extend(group.iter().filter(|line| !is_hex(&text[(*line).clone()])).cloned().map(mask));
    found.extend(rest_after(text, last).map(mask));
}

fn is_hex(line: &str) -> bool {
    line.strip_prefix("0x").unwrap_or(line).bytes().all(|b| b.is_ascii_hexdigit())
}

/// Capitals, small letters and digits in no order: no sum, no path, no long name.
fn is_body(line: &str) -> bool {
    is_mixed(line) && !is_hex(line) && line.matches('/').count() <= 8 && is_scattered(line, 3, 4)
}

fn is_mixed(line: &str) -> bool {
    let any = |test: fn(&u8) -> bool| line.as_bytes().iter().any(test);
    any(u8::is_ascii_uppercase) && any(u8::is_ascii_lowercase) && any(u8::is_ascii_digit)
}

/// What is left of a line that the start of the text cut.
fn rest_before(text: &str, first: &Range<usize>) -> Option<Range<usize>> {
    let run = Base64.run(text.as_bytes(), 0, *WIDTHS.end());
    let fits = run < first.len() && run < first.start && is_mixed(&text[..run]);
    (fits && is_line_break(text.as_bytes(), run..first.start)).then_some(0..run)
}

/// The shorter line that ends a key.
fn rest_after(text: &str, last: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let after = &bytes[last.end..bytes.len().min(last.end + JOINT)];
    // Its characters stand at the end of the next line, before quotes and the like.
    let (real, written) = (
        after.iter().position(|b| *b == b'\n').map(|i| i + 1),
        after.windows(2).position(|pair| pair == b"\\n").map(|i| i + 2),
    );
    let next = last.end + real.or(written)?;
    let line = &bytes[next..bytes.len().min(next + JOINT)];
    let line = &line[..line.iter().position(|b| *b == b'\n').unwrap_or(line.len())];
    let line = match line.windows(2).position(|pair| pair == b"\\n") {
        Some(written) => &line[..written],
        None => line,
    };
    let end = line.iter().rposition(|b| Base64.has(*b))? + 1;
    let run = line[..end].iter().rev().take_while(|b| Base64.has(**b)).count();
    let run = next + end - run..next + end;
    let start = run.start + escape_in(bytes, &run);
    let rest = &text[start..run.end];
    let is_whole = rest.len().is_multiple_of(4) && (rest.ends_with('=') || is_mixed(rest));
    let is_cut = run.end == text.len() && is_mixed(rest);
    let stands = rest.len() < last.len() && ends_line(bytes, run.end) && begins_line(bytes, start, run.end);
    ((is_whole || is_cut) && stands && !is_hex(rest)).then_some(start..run.end)
}

/// Whether a block that may be seen is open where `at` is.
fn is_public_before(text: &str, at: usize) -> bool {
    let mut from = at.saturating_sub(REACH);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    // Backwards: more of the body, an empty line and headers perhaps, BEGIN.
    let mut is_head = false;
    let lines = text[from..at].rsplit('\n').flat_map(|line| line.rsplit("\\n"));
    for (nth, line) in lines.take(8).enumerate() {
        let is_plain = line.bytes().all(|b| Base64.has(b) || b == b' ');
        if let Some((_, label)) = (!is_plain).then(|| line.rsplit_once("BEGIN ")).flatten() {
            return is_public(label);
        }
        if !is_plain && OPENERS.iter().any(|opener| line.contains(opener)) {
            return true;
        }
        let is_empty = !line.bytes().any(|b| b.is_ascii_alphabetic());
        let is_header = line.contains(": ");
        let is_body = !is_head && line.len() >= 20 && !line.trim().contains([' ', '-']);
        if nth > 0 && !(is_empty || is_header || is_body) {
            return false;
        }
        is_head |= nth > 0 && (is_empty || is_header);
    }
    false
}

/// Whether such a block ends behind `at`, at most one line further on.
fn is_public_after(text: &str, at: usize) -> bool {
    let mut to = text.len().min(at + 2 * JOINT);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let Some((body, label)) = text[at..to].split_once("---END ") else { return false };
    let breaks = body.matches('\n').count().max(body.matches("\\n").count());
    breaks <= 2 && is_public(label)
}

fn is_public(label: &str) -> bool {
    let label = label.split("--").next().unwrap_or(label);
    PUBLIC.iter().any(|public| label.contains(public)) && !label.contains("PRIVATE")
}

#[cfg(test)]
mod tests {
    use super::super::masked;

    const MASK: &str = "⟦masked:private-key⟧";
    const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    /// A line of a body, another for every `seed`.
    fn line(seed: usize, width: usize) -> String {
        let mut state = seed * 7919 + 17;
        let next = |_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
            char::from(BASE64[(state >> 12) % 64])
        };
        (0..width).map(next).collect()
    }

    fn body(lines: usize, width: usize) -> String {
        (0..lines).map(|i| line(i, width) + "\n").collect()
    }

    /// The text with a mask for each line of a body.
    fn wanted(text: &str, lines: &[String]) -> String {
        lines.iter().fold(text.to_owned(), |text, line| text.replace(line.as_str(), MASK))
    }

    #[test]
    fn lines_of_a_key() {
        let lines = [line(1, 64), line(2, 64), line(3, 40) + "ab=="];
        let [a, b, c] = &lines;
        for text in [
            format!("{a}\n{b}\n{c}\n"),
            format!("{a}\r\n{b}\r\n{c}\r\n[Lines 2 to 4 of 5.]"),
            format!("     2\t{a}\n     3\t{b}\n     4\t{c}"),
            format!("id_rsa\n2: {a}\n3- {b}\n4- {c}\n"),
            format!("my_keys/k.pem:2:{a}\nmy_keys/k.pem:3:{b}\nmy_keys/k.pem:4:{c}\n"),
            format!("k.pem-2-{a}\nk.pem-3-{b}\nk.pem-4-{c}\n"),
            format!("  key: |\n    {a}\n    {b}\n    {c}\nuser: x"),
            format!("    \"{a}\\n\" +\n    \"{b}\\n\" +\n    \"{c}\\n\";\n"),
            format!("    b'{a}'\n    b'{b}'\n    b'{c}'\n"),
            format!("{{\"content\": \"{a}\\n{b}\\n{c}\\n\"}}"),
            format!("{{\"text\": \"     2\\t{a}\\n     3\\t{b}\\n     4\\t{c}\\n\"}}"),
            format!("-{a}\n-{b}\n-{c}\n"),
            format!("see -----BEGIN CERTIFICATE-----\nfirst, and then\n{a}\n{b}\n{c}\n"),
            format!("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n{a}\n{b}\n{c}\n"),
        ] {
            assert_eq!(masked(&text), Some(wanted(&text, &lines)), "{text}");
        }
        // What the start and the end of the text cut.
        let cut = format!("{}\n{a}\n{b}\n{}", &b[..31], &a[..29]);
        assert_eq!(masked(&cut), Some([MASK; 4].join("\n")));
    }

    #[test]
    fn one_line_of_a_key() {
        for width in [64, 70, 76] {
            let line = line(width, width);
            for text in ["@", "@\n", "k.pem:7:@", "7:@", "  7\t@", "7: @", "\"@\"", "'@',", "> @", "a\n@\nb"]
            {
                assert_eq!(masked(&text.replace('@', &line)), Some(text.replace('@', MASK)), "{text}");
            }
        }
        // Two of a width that no tool writes make one another likely.
        let text = body(2, 72);
        assert_eq!(masked(&text), Some(format!("{MASK}\n{MASK}\n")));
    }

    #[test]
    fn other_base64_stays() {
        let (a, long) = (line(1, 64), line(2, 5000));
        let (lines, wide) = (body(6, 64), body(600, 76));
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        for text in [
            format!("-----BEGIN CERTIFICATE-----\n{lines}aBc1\n-----END CERTIFICATE-----\n"),
            format!("-----BEGIN CERTIFICATE-----\n{lines}"),
            format!("{lines}aBc1\n-----END CERTIFICATE-----\n"),
            format!("-----BEGIN RSA PUBLIC KEY-----\n{lines}-----END RSA PUBLIC KEY-----"),
            format!("-----BEGIN CERTIFICATE REQUEST-----\n{lines}"),
            format!("-----BEGIN X509 CRL-----\n{lines}"),
            format!("-----BEGIN PGP SIGNATURE-----\nVersion: 2\n\n{lines}=aB1c\n-----END PGP SIGNATURE-----"),
            format!("     1\t-----BEGIN CERTIFICATE-----\n     2\t{a}\n"),
            format!("{{\"ca\": \"-----BEGIN CERTIFICATE-----\\n{}\"}}", lines.replace('\n', "\\n")),
            format!("<ds:X509Certificate>\n{wide}</ds:X509Certificate>"),
            format!("Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n{wide}"),
            format!("data:image/png;base64,\n{wide}"),
            format!("iVBORw0KGgo{}\n{wide}", line(9, 65)),
            long.clone(),
            format!("//# sourceMappingURL=data:application/json;base64,{long}"),
            format!("\"integrity\": \"sha384-{a}\""),
            format!("integrity sha512-{}==", line(4, 86)),
            format!("hash = \"sha256-{}=\"", line(4, 43)),
            format!("example.com/x v1.2.3 h1:{}=", line(4, 43)),
            format!("\"digest\": \"{a}\""),
            format!("version https://git-lfs.github.com/spec/v1\noid sha256:{hex}\nsize 12345"),
            format!("{hex}\n{hex}\n"),
            "{\"version\":3,\"mappings\":\"AAAA,SAASA,GAAG,CAACC,CAAC,EAAEC,CAAC;AACd,OAAOD,CAAC,GAAGC,CAAC;AAChB;AACA2B\"}".into(),
            "testThatTheParserHandlesBase64UrlTokensFromHeadersInVersion2Text".into(),
            "src/Main2/Java/Com/Foo/Bar/Baz/Qux/One/Two/Six/Ten/Abc/Def/Ghi12".into(),
            "src/components/Authentication2/LoginFormContainer/LoginFormView1".into(),
            format!("{}\n", line(5, 63)),
            format!("{}\n", line(5, 68)),
        ] {
            assert_eq!(masked(&text), None, "{}", &text[..text.len().min(600)]);
        }
    }
}
