//! Git's config files, read exactly as Git reads them.

/// One setting of a config file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// `section.name` or `section.subsection.name`; section and name in lower case.
    pub key: Vec<u8>,
    /// `None` for a name without `=`, which Git takes for true.
    pub value: Option<Vec<u8>>,
}

impl Setting {
    /// Section, subsection and name. A key before the first section has no section.
    pub fn parts(&self) -> (&[u8], Option<&[u8]>, &[u8]) {
        let Some(first) = self.key.iter().position(|byte| *byte == b'.') else {
            return (b"", None, &self.key);
        };
        let last = self.key.iter().rposition(|byte| *byte == b'.').unwrap_or(first);
        let subsection = (last > first).then(|| &self.key[first + 1..last]);
        (&self.key[..first], subsection, &self.key[last + 1..])
    }
}

/// All settings in their order. `None` if Git would not accept the text.
pub(super) fn parse(text: &[u8]) -> Option<Vec<Setting>> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    // Git is written in C: a value would end at such a byte for it, and not for us.
    if text.contains(&0) {
        return None;
    }
    let text = text.strip_prefix(BOM).unwrap_or(text);
    Parser { text, at: 0, at_end: false, section: Vec::new(), settings: Vec::new() }.run()
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    /// The end was read, as a line end.
    at_end: bool,
    /// The start of the keys that follow, with its last dot.
    section: Vec<u8>,
    settings: Vec<Setting>,
}

impl Parser<'_> {
    /// The next byte; `\r\n` is one line end, and so is the end of the text.
    fn next(&mut self) -> u8 {
        match self.text.get(self.at..).unwrap_or_default() {
            [] => {
                self.at_end = true;
                b'\n'
            }
            [b'\r', b'\n', ..] => {
                self.at += 2;
                b'\n'
            }
            // A carriage return at the very end is one, too.
            [byte, ..] => {
                self.at += 1;
                *byte
            }
        }
    }

    fn run(mut self) -> Option<Vec<Setting>> {
        let mut in_comment = false;
        loop {
            match self.next() {
                b'\n' if self.at_end => return Some(self.settings),
                b'\n' => in_comment = false,
                _ if in_comment => {}
                byte if is_space(byte) => {}
                b'#' | b';' => in_comment = true,
                b'[' => self.header()?,
                byte if byte.is_ascii_alphabetic() => self.setting(byte)?,
                _ => return None,
            }
        }
    }

    /// `[section]`, `[section.subsection]` or `[section "subsection"]`, after the bracket.
    fn header(&mut self) -> Option<()> {
        self.section.clear();
        loop {
            let byte = self.next();
            if self.at_end {
                return None;
            }
            match byte {
                b']' => break,
                byte if is_space(byte) => {
                    self.subsection(byte)?;
                    break;
                }
                byte if is_key_byte(byte) || byte == b'.' => self.section.push(byte.to_ascii_lowercase()),
                _ => return None,
            }
        }
        if self.section.is_empty() {
            return None;
        }
        self.section.push(b'.');
        Some(())
    }

    fn subsection(&mut self, mut byte: u8) -> Option<()> {
        while is_space(byte) {
            if byte == b'\n' {
                return None;
            }
            byte = self.next();
        }
        if byte != b'"' {
            return None;
        }
        self.section.push(b'.');
        loop {
            match self.next() {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next() {
                    b'\n' => return None,
                    byte => self.section.push(byte),
                },
                byte => self.section.push(byte),
            }
        }
        (self.next() == b']').then_some(())
    }

    /// A name and its value, after the first letter.
    fn setting(&mut self, first: u8) -> Option<()> {
        let mut key = self.section.clone();
        key.push(first.to_ascii_lowercase());
        let mut byte = self.next();
        while !self.at_end && is_key_byte(byte) {
            key.push(byte.to_ascii_lowercase());
            byte = self.next();
        }
        while byte == b' ' || byte == b'\t' {
            byte = self.next();
        }
        let value = match byte {
            b'\n' => None,
            b'=' => Some(self.value()?),
            _ => return None,
        };
        self.settings.push(Setting { key, value });
        Some(())
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let (mut value, mut in_quotes, mut in_comment) = (Vec::new(), false, false);
        // Where trailing space begins; 0 if there is none.
        let mut trimmed = 0;
        loop {
            let byte = self.next();
            if byte == b'\n' {
                if in_quotes {
                    return None;
                }
                if trimmed > 0 {
                    value.truncate(trimmed);
                }
                return Some(value);
            }
            if in_comment {
                continue;
            }
            if is_space(byte) && !in_quotes {
                if trimmed == 0 {
                    trimmed = value.len();
                }
                if !value.is_empty() {
                    value.push(byte);
                }
                continue;
            }
            if !in_quotes && (byte == b';' || byte == b'#') {
                in_comment = true;
                continue;
            }
            trimmed = 0;
            match byte {
                b'\\' => match self.next() {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    byte @ (b'\\' | b'"') => value.push(byte),
                    _ => return None,
                },
                b'"' => in_quotes = !in_quotes,
                byte => value.push(byte),
            }
        }
    }
}

/// What Git takes for space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Command};

    use proptest::prelude::*;

    use super::*;

    fn shown(text: &[u8]) -> Option<Vec<(String, Option<String>)>> {
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let settings = parse(text)?;
        Some(settings.iter().map(|one| (words(&one.key), one.value.as_deref().map(words))).collect())
    }

    #[test]
    fn parser_reads_every_form_of_the_syntax() {
        type Row<'t> = (&'t str, &'t [(&'t str, Option<&'t str>)]);
        let rows: &[Row<'_>] = &[
            ("", &[]),
            ("[core]\n\tbare = false\n", &[("core.bare", Some("false"))]),
            ("[Core] FileMode=true", &[("core.filemode", Some("true"))]),
            ("[core]bare", &[("core.bare", None)]),
            ("[a \"B c\"]\r\nD = e\r\n", &[("a.B c.d", Some("e"))]),
            ("[a.B.C]d=e", &[("a.b.c.d", Some("e"))]),
            ("[a \"q\\\"\\\\\\x\"]d", &[("a.q\"\\x.d", None)]),
            ("[a]b = c # d\n;e\n[f]# g\n", &[("a.b", Some("c"))]),
            ("[a]b = \"c # d\" ; e\n", &[("a.b", Some("c # d"))]),
            ("[a]b = c \\\n d\n", &[("a.b", Some("c  d"))]),
            ("[a]b = \"x\\ty\\n\\\"\"", &[("a.b", Some("x\ty\n\""))]),
            ("[a]b =\nc=\n", &[("a.b", Some("")), ("a.c", Some(""))]),
            ("\u{feff}[a]b=c", &[("a.b", Some("c"))]),
            ("loose = 1\n", &[("loose", Some("1"))]),
        ];
        for (text, wanted) in rows {
            let wanted =
                wanted.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect();
            assert_eq!(shown(text.as_bytes()), Some(wanted), "{text:?}");
        }
    }

    #[test]
    fn parser_refuses_what_git_refuses() {
        for text in [
            "[",
            "[]\n",
            "[a\n]b",
            "[a b]c",
            "[a \"b]c",
            "[a \"b\" ]c",
            "[a]b = \"c\n",
            "[a]b = \\x\n",
            "[a]b c\n",
            "[a]=b\n",
            "[a]1=b\n",
            "[a]b=c\0d\n",
            "[a_b]c=d",
        ] {
            assert_eq!(shown(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn setting_parts_keep_dots_of_the_subsection() {
        let setting = |key: &[u8]| Setting { key: key.to_vec(), value: None };
        assert_eq!(setting(b"a.b").parts(), (&b"a"[..], None, &b"b"[..]));
        assert_eq!(setting(b"url.https://x.y/.insteadof").parts().1, Some(&b"https://x.y/"[..]));
        assert_eq!(setting(b"x").parts(), (&b""[..], None, &b"x"[..]));
    }

    /// What git itself reads: `None` if it refuses the file.
    fn git_reads(text: &[u8]) -> Option<Vec<Setting>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        fs::write(&file, text).unwrap();
        let output = Command::new("git")
            .args(["config", "--list", "-z", "-f"])
            .arg(&file)
            .current_dir(folder.path())
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        let mut records: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
        records.pop();
        output.status.success().then(|| {
            records
                .into_iter()
                .map(|record| {
                    let end = record.iter().position(|byte| *byte == b'\n');
                    let (key, value) =
                        end.map_or((record, None), |at| (&record[..at], Some(&record[at + 1..])));
                    Setting { key: key.to_vec(), value: value.map(<[u8]>::to_vec) }
                })
                .collect()
        })
    }

    /// Pieces of which configs, right and wrong ones, are made.
    fn config() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            6 => Just("\n".to_owned()),
            3 => Just("[core]".to_owned()),
            2 => Just("[a.B]".to_owned()),
            2 => Just("[alias \"X y\"]".to_owned()),
            2 => "\\[[a-zA-Z.-]{1,3}( \"[a-z\\\\\".\\] ]{0,4}\")?\\]",
            6 => "[ \t]?[a-zA-Z][a-z0-9-]{0,3}[ \t]?=[ \t]?",
            4 => "[a-zA-Z0-9 \t\"\\\\#;=.!/-]{0,8}",
            2 => Just("\\\n".to_owned()),
            2 => Just("\\n\\t\\b\\\"".to_owned()),
            2 => "\"[a-z #;\t]{0,4}\"",
            1 => Just("\r\n".to_owned()),
            1 => Just("\r".to_owned()),
            1 => Just("# c".to_owned()),
            1 => Just("é\u{c}\u{b}".to_owned()),
            1 => Just("name".to_owned()),
        ];
        proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat().into_bytes())
    }

    proptest! {
        #[test]
        fn parser_never_panics(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&text);
        }

        #[test]
        fn parser_agrees_with_git(text in config()) {
            prop_assert_eq!(parse(&text), git_reads(&text), "{:?}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn parser_agrees_with_git_on_the_ends_of_files() {
        for text in [
            "\r",
            "[a]b\r",
            "[a]b=c\r",
            "[a]b=c\\",
            "[a]b=\"\" c ",
            "\u{feff}",
            "[a]b= \\\n",
            "x",
            "[a]b=\"x\" \"y\"",
        ] {
            assert_eq!(parse(text.as_bytes()), git_reads(text.as_bytes()), "{text:?}");
        }
        let partial = b"\xEF\xBB[a]b";
        assert_eq!(parse(partial), git_reads(partial));
    }
}
